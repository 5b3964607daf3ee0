import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet
import pytest

from tahr.core.errors import InputError, MissingExtraError, ResourceError
from tahr.core.types import Group
from tahr.store import files
from tahr.store.evaluations import write_evaluation
from tahr.store.records import Conditions, Evaluation
from tahr.store.run import Run
from tahr.store.tables import read_table

STAGES = ("sft", "rlvr")
NewRun = Callable[..., Run]
NewEvaluation = Callable[..., Evaluation]


def names(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_a_new_run_says_what_it_is(run: Run) -> None:
    assert names(run.folder) == [".lock", "manifest.json", "recipe.json", "recipe.toml"]
    manifest = json.loads((run.folder / "manifest.json").read_text())
    assert (manifest["name"], manifest["seed"], manifest["status"], manifest["stages"]) == (
        "tiny",
        7,
        "running",
        ["sft", "rlvr"],
    )
    assert manifest["versions"]["python"] == sys.version.split()[0]
    assert {"torch", "transformers", "tahr"} <= manifest["versions"].keys()
    assert len(manifest["recipe_hash"]) == 64
    assert (run.folder / "recipe.toml").read_text() == 'name = "tiny"\n'
    assert run.recipe["description"] == "a small run"
    assert Run.open(run.folder).manifest == run.manifest


def test_the_recipes_hash_ignores_the_order_of_keys(new_run: NewRun) -> None:
    first = new_run(model={"a": 1, "b": 2})
    second = new_run(model={"b": 2, "a": 1})
    third = new_run(model={"a": 1, "b": 3})
    assert first.manifest.recipe_hash == second.manifest.recipe_hash != third.manifest.recipe_hash


def test_runs_of_one_second_get_different_folders(new_run: NewRun) -> None:
    folders = {new_run().folder for _ in range(5)}
    assert len(folders) == 5
    assert all(folder.name.startswith("tiny-2") for folder in folders)


def test_a_folder_that_exists_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years of work")
    with pytest.raises(InputError) as caught:
        Run.create(tmp_path, "x", recipe={}, recipe_toml="", seed=0, folder=tmp_path / "mine")
    assert "exists already" in str(caught.value)
    assert "--resume" in str(caught.value)
    assert names(tmp_path) == ["mine/thesis.txt"]


def test_a_command_that_the_locale_could_not_decode_is_kept_as_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", ["tahr", os.fsdecode("日本.toml".encode()), os.fsdecode(b"\xff.toml")])
    Run.create(tmp_path, "small", recipe={}, recipe_toml="", seed=1).close()
    folder = next(tmp_path.iterdir())
    assert Run.open(folder).manifest.command == ("tahr", "日本.toml", "\ufffd.toml")


def test_full_disk_leaves_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.os, "replace", full)
    with pytest.raises(ResourceError):
        Run.create(tmp_path, "x", recipe={}, recipe_toml="", seed=0)
    assert list(tmp_path.iterdir()) == []


def test_a_missing_sink_leaves_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tahr.store.sinks.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"pip install 'tahr\[wandb\]'"):
        Run.create(tmp_path, "x", recipe={"log_to": ["wandb"]}, recipe_toml="", seed=0)
    assert list(tmp_path.iterdir()) == []


def test_one_process_writes_and_others_read(run: Run) -> None:
    with pytest.raises(InputError, match="another process is writing"):
        Run.open(run.folder, write=True)
    reader = Run.open(run.folder)
    assert reader.status == "running"
    with pytest.raises(InputError, match="reading only"):
        reader.log("sft", 1, {"loss": 1.0})
    run.close()
    assert reader.status == "interrupted"
    with Run.open(run.folder, write=True) as again:
        again.resume()
        assert again.status == "running"
        assert len(again.manifest.resumed) == 1


def test_a_run_that_is_only_opened_keeps_its_status(run: Run) -> None:
    run.finish("failed", error="out of memory")
    Run.open(run.folder, write=True).close()
    manifest = Run.open(run.folder).manifest
    assert (manifest.status, manifest.error, manifest.resumed) == ("failed", "out of memory", ())


def test_how_it_ended(run: Run) -> None:
    run.record(model_hash="abc")
    run.finish("failed", error="out of memory")
    manifest = Run.open(run.folder).manifest
    assert (manifest.status, manifest.error, manifest.model_hash) == ("failed", "out of memory", "abc")
    assert manifest.finished >= manifest.created
    with pytest.raises(InputError, match="reading only"):
        run.log("sft", 1, {})


def test_the_lock_goes_even_where_the_end_cannot_be_written(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(files.os, "fsync", full)
        with pytest.raises(ResourceError):
            run.finish("failed")
    assert Run.open(run.folder).status == "interrupted"
    Run.open(run.folder, write=True).close()


@pytest.mark.parametrize("content", ["", "{", "[]", '{"format": 1}', '{"format": 1, "status": "odd"}', "null"])
def test_a_damaged_manifest_is_named(tmp_path: Path, content: str) -> None:
    (tmp_path / "manifest.json").write_text(content)
    with pytest.raises(InputError, match="is not a complete run folder"):
        Run.open(tmp_path)


def test_a_newer_format_is_refused(run: Run) -> None:
    path = run.folder / "manifest.json"
    path.write_text(path.read_text().replace('"format": 1', '"format": 2'))
    with pytest.raises(InputError, match="newer tahr"):
        Run.open(run.folder)


@pytest.mark.parametrize("content", [None, "", "{", "[1]", "3"])
def test_a_damaged_recipe_is_named(run: Run, content: str | None) -> None:
    run.close()
    path = run.folder / "recipe.json"
    path.unlink() if content is None else path.write_text(content)
    with pytest.raises(InputError, match=r"recipe\.json is missing or damaged"):
        Run.open(run.folder, write=True)
    with pytest.raises(InputError, match=r"recipe\.json is missing or damaged"):
        _ = run.recipe


def test_no_run_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not a complete run folder"):
        Run.open(tmp_path / "absent")


def test_evaluations_come_back_in_order(run: Run, evaluation: NewEvaluation) -> None:
    written = [
        evaluation("before", "sft", 0),
        evaluation("step-000010", "rlvr", 10),
        evaluation("validation", "rlvr", 40),
        evaluation("after", "rlvr", 40, scores=()),
    ]
    for one in reversed(written):
        run.write_evaluation(one)
    assert run.evaluations() == written
    run.write_evaluation(evaluation("before", "sft", 0, scores=(0.5,)))
    assert [row.score for row in run.evaluations()[0].rows] == [0.5]
    assert len(run.evaluations()) == 4


def test_the_name_of_an_evaluation_cannot_leave_the_folder(run: Run, evaluation: NewEvaluation) -> None:
    run.write_evaluation(evaluation("../../escape", "sft", 1))
    assert [one.name for one in run.evaluations()] == ["../../escape"]
    assert "evaluations/sft-000001-.._.._escape.parquet" in names(run.folder)


def write_steps(run: Run, group: Group, evaluation: NewEvaluation) -> None:
    """Two steps of sft and three of rlvr, with a checkpoint after rlvr's second."""
    run.write_evaluation(evaluation("before", "sft", 0))
    for step in (1, 2):
        run.log("sft", step, {"loss": 1.0 / step})
    for step in (1, 2, 3):
        run.write_rollouts("rlvr", step, [group], [[1.0, -1.0, None]])
        run.log("rlvr", step, {"reward": step / 10})
        if step == 2:
            with run.checkpoint("rlvr", step) as folder:
                (folder / "weights").write_text("w")
        run.write_evaluation(evaluation(f"step-{step:06d}", "rlvr", step))


def test_rewinding_drops_what_came_after_the_checkpoint(run: Run, group: Group, evaluation: NewEvaluation) -> None:
    write_steps(run, group, evaluation)
    run.rewind(STAGES, run.latest_checkpoint())
    assert [(row.stage, row.step) for row in run.metrics()] == [("sft", 1), ("sft", 2), ("rlvr", 1), ("rlvr", 2)]
    assert [one.name for one in run.evaluations()] == ["before", "step-000001", "step-000002"]
    assert sorted(path.name for path in (run.folder / "rollouts").iterdir()) == [
        "rlvr-000001.parquet",
        "rlvr-000002.parquet",
    ]


def test_rewinding_to_an_older_checkpoint_drops_the_newer_one(
    run: Run, group: Group, evaluation: NewEvaluation
) -> None:
    write_steps(run, group, evaluation)
    older = run.latest_checkpoint()
    with run.checkpoint("rlvr", 3):
        pass
    run.rewind(STAGES, older)
    assert run.latest_checkpoint() == older


def test_rewinding_to_the_start_keeps_what_was_measured_before_it(
    run: Run, group: Group, evaluation: NewEvaluation
) -> None:
    write_steps(run, group, evaluation)
    run.rewind(STAGES, None)
    assert names(run.folder) == [
        ".lock",
        "evaluations/sft-000000-before.parquet",
        "manifest.json",
        "metrics.jsonl",
        "recipe.json",
        "recipe.toml",
    ]
    assert run.metrics() == []


def test_a_stage_that_the_recipe_lacks(run: Run) -> None:
    run.log("dpo", 1, {})
    with pytest.raises(InputError, match="stage 'dpo'"):
        run.rewind(STAGES, None)


def test_opening_to_write_clears_what_a_crash_left(run: Run, group: Group) -> None:
    run.write_rollouts("rlvr", 1, [group], [[1.0, 1.0, None]])
    run.log("rlvr", 1, {"reward": 1.0})
    run.close()
    whole = names(run.folder)
    for folder in ("", "rollouts"):
        (run.folder / folder / ".tmp-x.parquet").write_text("half")
    (run.folder / "checkpoints" / ".tmp-rlvr-000001").mkdir(parents=True)
    with (run.folder / "metrics.jsonl").open("a") as file:
        file.write('{"stage": "rlvr", "st')
    with Run.open(run.folder, write=True):
        assert names(run.folder) == whole
        assert (run.folder / "metrics.jsonl").read_bytes().endswith(b"}}\n")
        assert list((run.folder / "checkpoints").iterdir()) == []


def test_the_store_loads_neither_torch_nor_arrow(tmp_path: Path) -> None:
    program = "import sys, tahr.store.run, tahr.store.query, tahr.store.summary, tahr.evaluation.runner, "
    program += "tahr.evaluation.statistics, tahr.report.table, tahr.report.page; "
    program += "print([m for m in ('torch', 'pyarrow', 'duckdb', 'numpy', 'scipy', 'matplotlib') if m in sys.modules])"
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[]"


def test_git_absent_is_no_revision(monkeypatch: pytest.MonkeyPatch) -> None:
    from tahr.store import manifest

    def absent(*_: object, **__: object) -> None:
        raise FileNotFoundError("git")

    monkeypatch.setattr(manifest.subprocess, "run", absent)
    about = manifest.describe_machine()
    assert (about["git_revision"], about["git_dirty"]) == ("", False)


CONDITIONS = Conditions(
    suite="sums",
    setting="bare",
    model="scratch",
    training="runs/one, rlvr 40",
    weights="9f86d081884c7d65",
    num_parameters=10,
    num_bytes=40,
    seed=0,
    temperature=0.5,
    max_new_tokens=8,
    samples_per_task=2,
    seconds=1.5,
    num_cached=3,
)


def test_an_evaluation_keeps_its_conditions_and_what_was_extracted(run: Run, evaluation: NewEvaluation) -> None:
    one = evaluation("suite", "rlvr", 40)
    rows = tuple(
        replace(
            row, extracted=extracted, logprob=-0.5, num_prompt_tokens=9, num_tokens_to_answer=4, cluster="passage 1"
        )
        for row, extracted in zip(one.rows, ("5", None, *["7"] * len(one.rows)), strict=False)
    )
    one = replace(one, rows=rows, conditions=CONDITIONS)
    run.write_evaluation(one)
    assert run.evaluations() == [one]


def test_zero_read_tokens_of_an_earlier_version_are_unknown(run: Run, evaluation: NewEvaluation) -> None:
    one = evaluation("served", "eval", 0)
    ends = ("stop", "out_of_budget")  # the latter never began: it sampled none, and that is known
    rows = tuple(replace(one.rows[0], num_tokens=0, num_prompt_tokens=0, finish_reason=end) for end in ends)
    run.write_evaluation(replace(one, rows=rows))
    assert [(row.num_tokens, row.num_prompt_tokens) for row in run.evaluations()[0].rows] == [(None, None), (0, 0)]


def test_an_evaluation_from_before_a_column_existed_is_read(run: Run, evaluation: NewEvaluation) -> None:
    one = evaluation("before", "sft", 0)
    path = write_evaluation(run.folder, one)
    table = read_table(path).drop_columns(["extracted", "logprob", "num_prompt_tokens", "cluster"])
    pyarrow.parquet.write_table(table, path)
    assert run.evaluations() == [one]
