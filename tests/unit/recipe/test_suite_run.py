"""A suite asked of a model, end to end: held here or behind a server, in all settings, nothing sampled twice."""

from __future__ import annotations

import string
from pathlib import Path

import pytest

from tahr.core.errors import InputError, ResourceError, UnknownNameError
from tahr.core.progress import SilentProgress
from tahr.recipe.evaluation_plan import Wishes
from tahr.recipe.suite_run import plan_suite, run_suite
from tahr.store.journal import unfinished_evaluations
from tahr.store.records import Evaluation
from tahr.store.run import Run
from talking_server import Stub, completion

SUITE = """
pairs = [["bare", "steps"]]
verifiers = { near = { verifier = "numeric", args = { tolerance = 0.5 } } }

[tasks.sums]
source = "arithmetic"
num_tasks = 6
verifier = "near"
cluster = "level"

[settings.bare]

[settings.steps]
system = "Be brief."
template = "{question} Step by step."
max_new_tokens = 5

[sampling]
samples_per_task = 2
temperature = 1.0
max_new_tokens = 4
seed = 3
"""
ALPHABET = string.ascii_letters + string.digits + " .,?!+-*/=()'\\n"
SMALL = (
    "model.architecture={hidden_size=32, num_layers=2, num_heads=4, num_kv_heads=2, intermediate_size=48, "
    f'alphabet="{ALPHABET}"}}',
    "model.max_context=512",
)


@pytest.fixture
def suite(tmp_path: Path) -> str:
    path = tmp_path / "sums.toml"
    path.write_text(SUITE)
    return str(path)


def asked(suite: str, root: Path, model: str = "scratch", progress: SilentProgress | None = None, **more) -> Run:
    overrides = SMALL if model == "scratch" else ()
    plan = plan_suite(model, suite, overrides, more.pop("wishes", Wishes()), split=more.pop("split", "all"), **more)
    return Run.open(run_suite(plan, root, progress=progress or SilentProgress()))


def parts(run: Run) -> dict[str, Evaluation]:
    return {one.name: one for one in run.evaluations()}


def test_every_question_in_every_setting_and_a_second_time_from_the_cache(suite, tmp_path):
    first = parts(asked(suite, tmp_path))
    assert list(first) == ["bare", "steps"]
    bare, steps = first["bare"], first["steps"]
    assert [row.task_id for row in bare.rows] == [row.task_id for row in steps.rows]
    assert len({row.task_id for row in bare.rows}) == 6 and len(bare.rows) == 12
    assert all(row.cluster.startswith("sums: ") for row in bare.rows)
    assert all("Step by step." in row.prompt and "Be brief." in row.prompt for row in steps.rows)
    assert {row.num_tokens for row in bare.rows} <= {1, 2, 3, 4} and max(row.num_tokens for row in steps.rows) == 5
    about = bare.conditions
    assert about is not None and steps.conditions is not None
    assert (about.suite, about.setting, about.model, about.training) == ("sums", "bare", "scratch", "scratch")
    assert (about.seed, about.temperature, about.samples_per_task, about.num_cached) == (3, 1.0, 2, 0)
    assert (about.max_new_tokens, steps.conditions.max_new_tokens) == (4, 5)
    assert len(about.weights) == 16 and about.num_bytes == 4 * about.num_parameters > 0

    again = asked(suite, tmp_path)
    second = parts(again)
    assert (again.status, again.manifest.stages) == ("finished", ())
    for name, one in second.items():
        assert one.rows == first[name].rows
        assert one.conditions is not None and one.conditions.num_cached == 12


def test_the_sides_of_the_split_are_whole(suite, tmp_path):
    ids = {
        split: {row.task_id for row in parts(asked(suite, tmp_path, split=split, only=("bare",)))["bare"].rows}
        for split in ("dev", "unseen", "all")
    }
    assert ids["dev"] and ids["unseen"] and not ids["dev"] & ids["unseen"]
    assert ids["dev"] | ids["unseen"] == ids["all"]


class Interrupted(SilentProgress):
    """Ctrl-C after nine attempts."""

    done = 0

    def advance(self, count: int = 1) -> None:
        self.done += count
        if self.done == 9:
            raise KeyboardInterrupt


def test_an_evaluation_that_is_interrupted_loses_no_answer(suite, tmp_path):
    with pytest.raises(KeyboardInterrupt):
        asked(suite, tmp_path, progress=Interrupted())
    [folder] = tmp_path.glob("eval-sums-scratch-*")
    assert Run.open(folder).status == "interrupted"
    [left] = unfinished_evaluations(folder)
    assert left.name == "bare" and len(left.rows) <= 9
    bare = parts(asked(suite, tmp_path))["bare"]
    assert bare.conditions is not None and bare.conditions.num_cached >= 9
    alone = parts(asked(suite, tmp_path / "alone"))["bare"]
    assert bare.rows == alone.rows


def test_a_model_behind_a_server(suite, tmp_path):
    stub = Stub(says=lambda body: (200, {}, completion("7" if len(body["messages"]) == 1 else "8"), 0.0))
    try:
        model = f"qwen3@{stub.url}"
        first = parts(asked(suite, tmp_path, model))
        num_asked = len(stub.bodies)
        second = parts(asked(suite, tmp_path, model))
    finally:
        stub.close()
    assert num_asked == 24 == len(stub.bodies)  # the second time nobody was asked
    assert {row.text for row in first["bare"].rows} == {"7"} and {row.text for row in first["steps"].rows} == {"8"}
    about = first["bare"].conditions
    assert about is not None
    assert (about.model, about.weights, about.num_parameters, about.num_cached) == (model, "", 0, 0)
    for name, one in second.items():
        assert one.rows == first[name].rows
        assert one.conditions is not None and one.conditions.num_cached == 12
    assert [path.name.startswith("eval-sums-qwen3-") for path in tmp_path.glob("eval-*")] == [True, True]


def test_what_cant_be_asked_is_said_before_anything_is(suite, tmp_path):
    Path(suite).write_text(SUITE.replace("max_new_tokens = 5", "thinking = true"))
    with pytest.raises(InputError, match="no switch for thinking"):
        asked(suite, tmp_path)
    assert not list(tmp_path.glob("eval-*"))
    with pytest.raises(UnknownNameError, match="did you mean 'bare'"):
        asked(suite, tmp_path, only=("baer",))
    with pytest.raises(InputError, match=r"server\.timeout"):
        plan = plan_suite("m@http://127.0.0.1:1/v1", suite, ["server.timeout=3"], Wishes(), split="all", only=("bare",))
        run_suite(plan, tmp_path, progress=SilentProgress())


def test_nothing_measured_is_no_result(suite, tmp_path):
    with pytest.raises(ResourceError, match="none of the 12 attempts in the setting 'bare' has a reward") as error:
        plan = plan_suite("m@http://127.0.0.1:1/v1", suite, ["server.max_retries=0"], Wishes(), split="all")
        run_suite(plan, tmp_path, progress=SilentProgress())
    assert str(error.value.received).startswith("12 times: m: no answer from http://127.0.0.1:1/v1 in 1 try (Connect")
    assert str(error.value).count("instead:") == str(error.value).count("received:") == 1
    [folder] = tmp_path.glob("eval-sums-m-*")
    run = Run.open(folder)
    assert run.status == "failed" and len(run.evaluations()[0].rows) == 12  # to be read
    Path(suite).write_text(SUITE.replace("max_new_tokens = 5", 'environment = "nope"'))
    with pytest.raises(UnknownNameError, match="unknown environment 'nope'"):
        asked(suite, tmp_path / "other")
    assert not list((tmp_path / "other").glob("eval-*"))


@pytest.mark.parametrize("prefix", ["", "suite."])
def test_what_is_in_a_suites_file_is_set_with_or_without_its_name(suite, prefix):
    overrides = [*SMALL, f"{prefix}tasks.sums.num_tasks=2", f"{prefix}sampling.top_p=0.5", "engine.max_batch_size=3"]
    settings = plan_suite("scratch", suite, overrides, Wishes(), split="all").settings
    assert (settings.suite.tasks["sums"].num_tasks, settings.suite.sampling.top_p) == (2, 0.5)
    assert settings.engine.max_batch_size == 3
    with pytest.raises(InputError, match=r"suite\.tasks\.sum\.num_tasks"):
        plan_suite("scratch", suite, [f"{prefix}tasks.sum.num_tasks=2"], Wishes(), split="all")


def test_options_go_before_the_suite(suite):
    plan = plan_suite("scratch", suite, SMALL, Wishes(max_new_tokens=9, samples_per_task=3, seed=5), split="dev")
    of_suite = plan.settings.suite
    assert (of_suite.sampling.max_new_tokens, of_suite.sampling.samples_per_task, of_suite.sampling.seed) == (9, 3, 5)
    assert all(setting.max_new_tokens is None for setting in of_suite.settings.values())
    greedy = plan_suite("scratch", "ifeval", SMALL, Wishes(samples_per_task=2), split="dev")
    assert greedy.settings.suite.sampling.temperature == 1.0
    with pytest.raises(InputError, match="all alike"):
        plan_suite("scratch", suite, SMALL, Wishes(samples_per_task=4, temperature=0.0), split="dev")
    judged = plan_suite("scratch", suite, SMALL, Wishes(verifier="exact"), split="dev")
    assert judged.settings.suite.tasks["sums"].verifier == "exact"
