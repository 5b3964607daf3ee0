"""Published test sets, read from files in their very layout."""

import json
from importlib.util import find_spec
from pathlib import Path

import pytest

from published_rows import write
from tahr.core.construct import construct
from tahr.core.errors import InputError, UnknownNameError
from tahr.core.protocols import task_sources
from tahr.core.types import Outcome
from tahr.data.sources.champ_answers import answer_of
from tahr.verifiers.build import build_verifiers


def read(folder: Path, name: str, count: int = 100, seed: int = 0, **args: object):
    place = {"path": str(folder / "champ" / "v0.json")} if name == "champ" else {"name": str(folder / name)}
    return construct(task_sources.get(name), {**place, **args}, where=name).generate(count, seed)


def asks(tasks, words: str):
    (task,) = [one for one in tasks if words in one.prompt[0].content]
    return task


def passes(task, text: str) -> bool:
    return build_verifiers({}).verify(task, text).outcome is Outcome.PASS


def test_mmlu_keeps_the_order_of_its_choices(tmp_path: Path) -> None:
    write(tmp_path, "mmlu", 10)
    task = asks(read(tmp_path, "mmlu"), "Which number follows 3?")
    assert task.prompt[0].content == (
        "Which number follows 3?\n\nA) 3\nB) 4\nC) 5\nD) 6\n\n"
        'End with a last line "Answer: LETTER", with the letter of the right choice.'
    )
    assert (task.answer, task.domain, task.meta["subject"]) == ("B", "world_religions", "world_religions")
    assert passes(task, "It is 4.\nAnswer: B")
    assert not passes(task, "It is 4.\nAnswer: A")
    assert {one.domain for one in read(tmp_path, "mmlu", subject="anatomy")} == {"anatomy"}
    with pytest.raises(UnknownNameError, match="did you mean 'anatomy'"):
        read(tmp_path, "mmlu", subject="anatomie")


def test_gpqa_shuffles_its_four_answers_by_the_seed(tmp_path: Path) -> None:
    write(tmp_path, "gpqa", 40)
    first, again, other = (read(tmp_path, "gpqa", seed=seed) for seed in (0, 0, 1))
    assert len(first) == 40
    assert first == again
    letters = [task.answer for task in first]
    assert set(letters) == set("ABCD")
    assert all(letters.count(letter) > 3 for letter in "ABCD")
    by_question = {task.meta["question"]: task.answer for task in other}
    assert any(by_question[task.meta["question"]] != task.answer for task in first)
    task = asks(first, "What is 7 squared?")
    assert f"{task.answer}) 49" in task.prompt[0].content
    assert task.domain == "physics"
    assert len(read(tmp_path, "gpqa", subset="main")) == 3


def test_truthfulqa_hides_where_the_true_choice_stood(tmp_path: Path) -> None:
    write(tmp_path, "truthfulqa", 60)
    tasks = read(tmp_path, "truthfulqa")
    assert {task.answer[0] for task in tasks} > set("ABCD")
    few, many = asks(tasks, "What is 0 plus"), asks(tasks, "What is 10 plus")
    assert few.verifier == "choice"
    assert many.verifier == "short_answer"  # thirteen choices: more than "choice" tells apart
    assert passes(few, f"Answer: {few.answer}")
    assert passes(many, f"Answer: {many.answer[0]}")
    assert passes(many, f"Answer: {many.answer[0]}) It is 10.")
    assert not passes(many, f"Answer: {chr(ord('A') + (ord(many.answer[0]) - ord('A') + 1) % 13)}")


def test_bbh_judges_each_kind_of_answer(tmp_path: Path) -> None:
    write(tmp_path, "bbh", 12)
    tasks = read(tmp_path, "bbh", subtasks=["boolean_expressions", "penguins_in_a_table", "dyck_languages"])
    by_question = {task.meta["question"].splitlines()[0]: task for task in tasks}
    words, letter, signs = (by_question[one] for one in ("not not True is", "Which penguin is 2?", "Close: [ {"))
    assert [task.verifier for task in (words, letter, signs)] == ["short_answer", "choice", "short_answer"]
    assert [task.answer for task in (words, letter, signs)] == ["True", "B", "} ]"]
    assert passes(letter, "Answer: (B)")
    assert passes(signs, "The brace first.\nAnswer: }]")
    assert not passes(signs, "Answer: ] }")
    assert {task.domain for task in tasks} == {"boolean_expressions", "penguins_in_a_table", "dyck_languages"}
    with pytest.raises(InputError, match="did you mean 'word_sorting'"):
        read(tmp_path, "bbh", subtasks=["word_sort"])


def test_drop_takes_any_annotators_answer_and_all_of_its_spans(tmp_path: Path) -> None:
    write(tmp_path, "drop", 9)
    task = asks(read(tmp_path, "drop"), "Player 4 and Player 5")
    assert task.answer == {"any": ["Player 4, Player 5", "3 May 1815", "4"], "unordered": True}
    assert (task.domain, task.meta["passage"]) == ("nfl", "nfl_1")
    assert passes(task, "Answer: Player 5 and Player 4")
    assert passes(task, "Answer: 3 May 1815")
    assert not passes(task, "Answer: Player 4")


SPANS = {
    ("number", "number"): (["7", "7"], ["7"]),
    ("span", "span", "span", "span"): (["Ann", "Bo", "Ann", "Bo"], ["Ann, Bo"]),
    ("span", "span"): (["Ann", "Ann"], ["Ann"]),
    ("span", "span", "span"): (["Ann", "Bo", "Ann"], ["Ann, Bo"]),  # one said both, or two disagree: both are needed
    ("span", "number", "date", "span"): (["Ann", "2", "3 May 1815", "Bo"], ["Ann", "2", "3 May 1815", "Bo"]),
}


@pytest.mark.parametrize("types", SPANS)
def test_drop_is_read_in_the_layout_that_runs_annotators_together(tmp_path: Path, types: tuple[str, ...]) -> None:
    spans, answers = SPANS[types]
    row = {"section_id": "wiki_7", "query_id": "q", "passage": "Ann and Bo came.", "question": "Who came?"}
    row |= {"answers_spans": {"spans": spans, "types": list(types)}}
    (tmp_path / "drop").mkdir()
    (tmp_path / "drop" / "validation.jsonl").write_text(json.dumps(row))
    [task] = read(tmp_path, "drop")
    assert task.answer == {"any": answers, "unordered": True}
    assert (task.domain, task.meta["passage"], task.meta["id"]) == ("wiki", "wiki_7", "q")
    assert passes(task, f"Answer: {answers[0]}")


def test_popqa_takes_any_alias(tmp_path: Path) -> None:
    write(tmp_path, "popqa", 9)
    task = asks(read(tmp_path, "popqa"), "Author 3's")
    assert (task.domain, task.meta["subject"], task.meta["popularity"]) == ("occupation", "Author 3", "30")
    assert passes(task, "Answer: an ecrivain")
    assert not passes(task, "Answer: writer, author, painter")


def test_simpleqa_reads_its_topic(tmp_path: Path) -> None:
    write(tmp_path, "simpleqa", 9)
    task = asks(read(tmp_path, "simpleqa"), "picture 4 ")
    assert (task.answer, task.domain, task.meta["answer_type"]) == ("5 May 1815", "art", "Date")


def test_champ_with_and_without_what_helps(tmp_path: Path) -> None:
    write(tmp_path, "champ", 5)
    bare = asks(read(tmp_path, "champ"), "limit of 3 ")
    helped = asks(read(tmp_path, "champ", given=["hints"]), "limit of 3 ")
    assert (bare.answer, bare.verifier, bare.domain) == ("3", "math", "number_theory")
    assert "What may help:\n- Let n grow.\n" in helped.prompt[0].content
    assert "1/n tends to 0." not in helped.prompt[0].content
    assert helped.meta["question"] == bare.meta["question"] == "What is the limit of 3 + 1/n?"


@pytest.mark.parametrize(
    ("raw", "verifier", "answer"),
    [
        ("239", "math", "239"),
        ("@@C(10, 5)@@, or equivalently @@252@@", "math", "C(10, 5)"),
        ("@@5/14@@, or approximately 35.7%", "math", "5/14"),
        ("100 (i.e., all values)", "math", "100"),
        ("0 (no such selection is possible)", "math", "0"),
        ("At most 0 integer-valued roots (i.e., no integer roots)", "math", "0"),
        ("At least 1 number", "math", "1"),
        ("@@n@@ times", "math", "n"),
        ("0 pairs", "math", "0"),
        ("98 values", "math", "98"),
        ("2 inequalities", "math", "2"),
        ("3 is the only possible value", "math", "3"),
        ("The limit exists and is equal to @@(a+3b)/2@@", "math", "(a+3b)/2"),
        ("Exactly one sequence", "math", "1"),
        ("@@x=1, y=1@@ and @@x=3, y=2@@", "math", "x=1, y=1, x=3, y=2"),
        ("1, 4 and 9", "math", "1, 4, 9"),
        ("No", "short_answer", ["No"]),
    ],
)
def test_champs_answers(raw: str, verifier: str, answer: object) -> None:
    assert answer_of(raw) == (verifier, answer)


@pytest.mark.integration
@pytest.mark.skipif(find_spec("champ_dataset") is None, reason="needs the package of champ_dataset")
def test_every_problem_of_champ_passes_its_own_answer() -> None:
    verifiers = build_verifiers({})
    tasks = construct(task_sources.get("champ"), {}, where="champ").generate(1000, 0)
    assert len(tasks) == 270
    for task in tasks:
        verifiers.get(task.verifier).check_task(task)
        assert passes(task, verifiers.get(task.verifier).gold(task)), task


@pytest.mark.parametrize(
    ("name", "file", "rows", "said"),
    [
        (
            "mmlu",
            "all/test.jsonl",
            [{"question": "?", "subject": "s", "choices": ["a", "b"], "answer": 2}],
            "2 choices",
        ),
        ("mmlu", "all/test.jsonl", [{"question": "?", "subject": "s", "choices": [], "answer": 0}], "list of texts"),
        ("drop", "validation.jsonl", [{"section_id": "s", "passage": "p", "question": "?"}], "no number, date or span"),
        (
            "drop",
            "validation.jsonl",
            [{"section_id": "s", "passage": "p", "question": "?", "answers_spans": {"spans": ["a"], "types": []}}],
            "1 spans and 0 types",
        ),
        ("popqa", "test.jsonl", [{"question": "?", "possible_answers": "writer"}], "is not JSON"),
        ("simpleqa", "test.jsonl", [{"problem": "?", "answer": "", "metadata": "{}"}], "no text in column 'answer'"),
        ("simpleqa", "test.jsonl", [{"problem": "?", "answer": "a", "metadata": "open('x')"}], "is no table"),
        (
            "truthfulqa",
            "multiple_choice/validation.jsonl",
            [{"question": "?", "mc1_targets": {"choices": ["a", "b"], "labels": [1, 1]}}],
            "one choice of mc1_targets must be true",
        ),
    ],
)
def test_faulty_rows_are_named(tmp_path: Path, name: str, file: str, rows: list[dict], said: str) -> None:
    path = tmp_path / name / file
    path.parent.mkdir(parents=True)
    path.write_text("\n".join(map(json.dumps, rows)))
    with pytest.raises(InputError, match=rf"(?s)line 1.*{said}|{said}"):
        read(tmp_path, name)


def test_a_file_of_bbh_belongs_to_one_subtask(tmp_path: Path) -> None:
    (tmp_path / "bbh").write_text("")
    with pytest.raises(InputError, match="doesn't say which subtask"):
        read(tmp_path, "bbh")


def test_benchmarks_give_nothing_to_train_on() -> None:
    for name in ("bbh", "champ", "drop", "gpqa", "mmlu", "popqa", "simpleqa", "truthfulqa"):
        assert task_sources.get(name).evaluation_only is True
