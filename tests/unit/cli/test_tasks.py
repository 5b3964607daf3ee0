def test_sources_are_listed_with_their_arguments(tahr):
    result = tahr("tasks")
    assert result.code == 0
    assert "reverse_text" in result.out
    assert "min_length" in result.out


def test_examples_come_with_their_gold_answers(tahr):
    result = tahr("tasks", "reverse_text", "--count", "2", "--args", "min_length=4", "--args", "max_length=4")
    assert result.code == 0
    prompts = [line.removeprefix("user: reverse: ") for line in result.out.splitlines() if line.startswith("user: ")]
    golds = [line.removeprefix("gold: ") for line in result.out.splitlines() if line.startswith("gold: ")]
    assert len(prompts) == 2
    assert [word[::-1] for word in prompts] == golds
    assert {len(word) for word in prompts} == {4}


def test_the_seed_decides(tahr):
    first, again, other = (tahr("tasks", "sort", "--seed", seed).out for seed in ("1", "1", "2"))
    assert first == again
    assert first != other


def test_an_unknown_source_names_the_nearest(tahr):
    result = tahr("tasks", "arithmetik")
    assert result.code == 2
    assert "did you mean 'arithmetic'?" in result.err


def test_a_wrong_argument_names_the_nearest(tahr):
    result = tahr("tasks", "reverse_text", "--args", "max_lenght=3")
    assert result.code == 2
    assert "did you mean 'max_length'?" in result.err
    assert tahr("tasks", "reverse_text", "--args", "nonsense").code == 2


def test_a_list_without_quotes_shows_how_to_quote(tahr):
    result = tahr("tasks", "instructions", "--args", "kinds=[punctuation:no_comma, ratio]")
    assert result.code == 2
    assert """--args 'kinds=["punctuation:no_comma", "ratio"]'""" in result.err


def test_what_can_not_be_drawn_says_why(tahr):
    result = tahr("tasks", "instructions", "--args", 'kinds=["punctuation:no_comma"]')
    assert result.code == 2
    assert "an answer of nothing would keep all instructions" in result.err
