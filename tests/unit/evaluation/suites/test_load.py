import pytest

from tahr.core.errors import InputError, UnknownNameError
from tahr.core.types import Message, Task
from tahr.evaluation.suites.config import SuiteConfig, SuiteSetting
from tahr.evaluation.suites.load import (
    is_suite,
    load_suite,
    parse_suite,
    read_suite,
    side_of,
    suite_names,
    suite_tasks,
)
from tahr.verifiers.build import build_verifiers

SUMS = {"sums": {"source": "arithmetic", "args": {"levels": [2]}, "num_tasks": 60, "cluster": "level"}}


def suite_of(**values):
    return parse_suite({"tasks": SUMS, **values}, origin="a test")


def test_a_suite_without_settings_asks_the_bare_question():
    suite = suite_of()
    assert suite.settings == {"bare": SuiteSetting()}
    assert suite.unseen_percent == 50
    assert suite.sampling.samples_per_task == 1


def test_the_two_sides_share_no_question_and_make_up_the_whole():
    suite, verifiers = suite_of(), build_verifiers({})
    dev, unseen = (suite_tasks(suite, verifiers, split) for split in ("dev", "unseen"))
    whole = suite_tasks(suite, verifiers)
    assert len(whole) == 60
    assert 15 < len(dev) < 45
    assert sorted(task.id for task in whole) == sorted(task.id for task in [*dev, *unseen])
    assert {side_of(task, 50) for task in dev} == {"dev"}


def test_a_question_stays_on_its_side_whatever_the_number_of_tasks():
    verifiers = build_verifiers({})
    few = suite_tasks(suite_of(tasks={"sums": {**SUMS["sums"], "num_tasks": 20}}), verifiers, "unseen")
    many = suite_tasks(suite_of(), verifiers, "unseen")
    assert {task.id for task in few} <= {task.id for task in many}


def test_domain_and_cluster_are_set():
    (task, *_) = suite_tasks(suite_of(), build_verifiers({}))
    assert task.domain == "sums"
    assert task.meta["cluster"] == "sums: 2"


def test_the_first_few_of_each_set():
    suite = suite_of(tasks={**SUMS, "words": {"source": "reverse_text", "num_tasks": 30}})
    tasks = suite_tasks(suite, build_verifiers({}), num_tasks=5)
    assert [task.domain for task in tasks] == ["sums"] * 5 + ["words"] * 5
    assert [task.id for task in tasks] == [
        task.id
        for name in ("sums", "words")
        for task in [one for one in suite_tasks(suite, build_verifiers({})) if one.domain == name][:5]
    ]


def test_a_task_in_two_sets_is_asked_once():
    suite = suite_of(tasks={**SUMS, "again": SUMS["sums"]})
    assert len(suite_tasks(suite, build_verifiers({}))) == 60


def test_unseen_of_twenty_percent_is_what_recipes_hold_out_by_default():
    from tahr.data.config import TaskSetConfig
    from tahr.data.splits import build_task_sets

    verifiers = build_verifiers({})
    config = TaskSetConfig(source="arithmetic", args={"levels": [2]}, num_tasks=60)
    held_out = build_task_sets({"sums": config}, verifiers)["sums"]
    unseen = suite_tasks(suite_of(unseen_percent=20), verifiers, "unseen")
    assert {task.id for task in unseen} == {task.id for task in (*held_out.test, *held_out.validation)}


@pytest.mark.parametrize("name", suite_names())
def test_every_built_in_suite_loads_and_says_what_it_is(name):
    suite = load_suite(name)
    assert isinstance(suite, SuiteConfig)
    assert len(suite.description) > 20
    assert is_suite(name)


def test_an_unknown_suite_is_answered_with_the_nearest():
    with pytest.raises(UnknownNameError, match="did you mean 'ifeval'"):
        load_suite("ifevl")


def test_a_suite_of_ones_own(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text('[tasks.sums]\nsource = "arithmetic"\nnum_tasks = 5\n')
    assert is_suite(str(path))
    assert load_suite(str(path)).tasks["sums"].num_tasks == 5


def test_a_recipe_is_no_suite(tmp_path):
    path = tmp_path / "recipe.toml"
    path.write_text('[tasks.sums]\nsource = "arithmetic"\n[eval]\ntasks = ["sums"]\n')
    assert not is_suite(str(path))
    assert not is_suite("arithmetic.txt")


def test_what_cannot_be_read(tmp_path):
    path = tmp_path / "broken.toml"
    path.write_text("tasks = [")
    with pytest.raises(InputError, match="is not TOML"):
        read_suite(str(path))
    with pytest.raises(InputError, match="No such file"):
        read_suite(str(tmp_path / "none.toml"))


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"settings": {}}, "settings"),
        ({"settings": {"steps": {"template": "think"}}}, "needs {question}"),
        ({"pairs": [["bare", "tools"]]}, "pairs name the setting 'tools'; there are bare"),
        ({"pairs": [["bare", "bare"]]}, "twice"),
        ({"unseen_percent": 101}, "unseen_percent"),
        ({"unseen_percent": "50"}, "unseen_percent"),
        ({"sampling": {"temprature": 1.0}}, "did you mean 'temperature'"),
    ],
)
def test_faults_are_said(values, said):
    with pytest.raises(InputError, match=said):
        suite_of(**values)


def test_a_source_without_end_needs_a_number():
    suite = suite_of(tasks={"sums": {"source": "arithmetic"}})
    with pytest.raises(InputError, match="goes on for ever"):
        suite_tasks(suite, build_verifiers({}))


def test_a_cluster_that_tasks_do_not_have():
    suite = suite_of(tasks={"sums": {**SUMS["sums"], "cluster": "passage"}})
    with pytest.raises(InputError, match="no 'passage' in its meta"):
        suite_tasks(suite, build_verifiers({}))


def test_an_empty_side():
    with pytest.raises(InputError, match="no unseen questions"):
        suite_tasks(suite_of(unseen_percent=0), build_verifiers({}), "unseen")


def test_the_side_follows_from_the_words_and_not_from_the_spaces():
    texts = ("What is 2 + 3?", " What  is 2 + 3?\n")
    prompts = [(Message(role="user", content=text),) for text in texts]
    one, other = (Task(prompt=prompt, answer="5", verifier="numeric") for prompt in prompts)
    assert side_of(one, 50) == side_of(other, 50)


def test_the_side_is_the_published_questions_whatever_is_said_around_it():
    tasks = [
        Task(
            prompt=(Message(role="user", content=f"{text} {wording}"),),
            answer="5",
            verifier="numeric",
            meta={"question": text},
        )
        for text in (f"What is 2 + {number}?" for number in range(20))
        for wording in ("", "Think.", "Be short.")
    ]
    sides = [side_of(task, 50) for task in tasks]
    assert sides[::3] == sides[1::3] == sides[2::3]
    assert set(sides) == {"dev", "unseen"}
