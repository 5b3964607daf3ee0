from dataclasses import replace

import pytest

from small_results import bare, results_run, steps
from tahr.core.errors import InputError, UnknownNameError
from tahr.evaluation.exports.formats import FORMATS, export_run
from tahr.evaluation.exports.result import results_of, summary
from tahr.store.run import Run


@pytest.mark.parametrize("to", FORMATS)
def test_every_format_writes_what_it_says_it_wrote(tmp_path, to):
    run = results_run(tmp_path)
    written = export_run(run, to)
    place = run.folder / "exports" / to
    assert sorted(path for path in place.rglob("*") if path.is_file()) == sorted(written)
    assert all(path.stat().st_size > 0 for path in written)


def test_an_unknown_format_or_evaluation_is_refused(tmp_path):
    run = results_run(tmp_path)
    with pytest.raises(UnknownNameError, match="inspect"):
        export_run(run, "inspct")
    with pytest.raises(InputError, match="no evaluation called 'bear'"):
        export_run(run, "csv", only=["bear"])
    assert not (run.folder / "exports").exists()
    assert [one.name for one in results_of(run, ["steps"])] == ["sums-steps"]


def test_a_training_run_is_exported_by_stage_and_step(tmp_path):
    run = Run.create(
        tmp_path,
        "tiny",
        recipe={"stages": ["rlvr"], "model": {"source": "tiny"}, "eval": {"max_new_tokens": 8}},
        recipe_toml="",
        seed=5,
        folder=tmp_path / "tiny",
    )
    with run:
        run.write_evaluation(replace(bare(), name="before", stage="rlvr", step=0, conditions=None))
        run.write_evaluation(replace(steps(), name="after", stage="rlvr", step=9, conditions=None))
        first, last = results_of(run)
    assert (first.name, last.name) == ("rlvr-000000-before", "rlvr-000009-after")
    assert (first.model, last.model) == ("tiny, before", "tiny, after")
    assert (last.conditions.max_new_tokens, last.conditions.seed) == (8, 5)


def test_a_run_without_evaluations_says_so(tmp_path):
    run = Run.create(tmp_path, "bare", recipe={"stages": []}, recipe_toml="", seed=0)
    with run, pytest.raises(InputError, match="has no evaluation"):
        export_run(run, "csv")


def test_a_summary_has_no_infinite_number(tmp_path):
    (result,) = results_of(results_run(tmp_path, bare()))
    assert summary(result.attempts["a"], "correct")["standard_error"] is None
    assert summary(result.attempts["d"], "correct")["num_without"] == 1
    assert summary(result.attempts["a"], "only_c") is None
