"""The stage distillation: the student becomes its teacher, and the stage ends the same when it is interrupted."""

from __future__ import annotations

import pytest
import torch
from safetensors.torch import load_file

from small_distillation import STUDENT, make_teacher, write_student
from small_recipes import CrashAfter, CrashError
from tahr.core.errors import InputError
from tahr.core.progress import SilentProgress
from tahr.recipe.load import load_recipe
from tahr.recipe.run import run_recipe
from tahr.store.metrics import is_timing
from tahr.store.query import sql
from tahr.store.run import Run

pytestmark = pytest.mark.slow  # every test trains


@pytest.fixture(scope="module")
def teacher(tmp_path_factory):
    return make_teacher(tmp_path_factory.mktemp("teacher"))


def train(folder, teacher, *overrides, progress=None, text=STUDENT, **places):
    loaded = load_recipe(write_student(folder, teacher, text), overrides)
    places = places or {"folder": folder / "run"}
    return run_recipe(loaded, runs_root=folder, progress=progress or SilentProgress(), **places)


def results(run: Run):
    metrics = [(row.step, {k: v for k, v in row.metrics.items() if not is_timing(k)}) for row in run.metrics()]
    return metrics, load_file(run.folder / "model" / "model.safetensors")


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory, teacher):
    return train(tmp_path_factory.mktemp("unbroken"), teacher)


@pytest.mark.parametrize("count", [1, 3, 4])
def test_B1_a_run_that_fails_after_any_step_and_goes_on_ends_equal(count, unbroken, teacher, tmp_path):
    with pytest.raises(CrashError):
        train(tmp_path, teacher, progress=CrashAfter(count))
    left, right = results(unbroken), results(train(tmp_path, teacher, resume=tmp_path / "run"))
    assert left[0] == right[0]
    assert all(torch.equal(right[1][name], weight) for name, weight in left[1].items())


def test_the_teacher_answers_its_share(unbroken):
    found = sql(unbroken.folder, "SELECT group_id FROM rollouts WHERE group_id LIKE '%/teacher/%'", ()).rows
    assert len(found) == 6 * 2 * 2  # two of eight tasks a step, two answers each


def test_how_a_step_is_cut_does_not_matter(unbroken, teacher, tmp_path):
    whole = train(tmp_path, teacher, "distillation.micro_batch_tokens=100000", "distillation.steps=1")
    first, uncut = unbroken.metrics()[0].metrics, whole.metrics()[0].metrics
    for name in ("loss", "grad_norm", "kl_teacher", "entropy"):
        assert uncut[name] == pytest.approx(first[name], rel=1e-4)


LOSSES = {
    "reverse": (),
    "jsd": ("distillation.loss.divergence=jsd", "distillation.loss.beta=0.3"),
    "forward": ("distillation.loss.divergence=forward_kl",),
    "sampled": ("distillation.loss.estimate=sampled", "distillation.groups_per_step=32"),
}


@pytest.mark.parametrize("name", LOSSES)
def test_a_student_becomes_its_teacher(name, teacher, tmp_path):
    run = train(tmp_path, teacher, "distillation.steps=40", "distillation.teacher_share=0", *LOSSES[name])
    divergences = [row.metrics["kl_teacher"] for row in run.metrics()]
    assert divergences[0] > 1.0
    assert divergences[-1] < 0.25 * divergences[0], divergences


def test_the_loss_is_the_divergence_from_the_teacher(unbroken):
    for row in unbroken.metrics():
        assert row.metrics["loss"] == pytest.approx(row.metrics["kl_teacher"], rel=1e-4)


def test_a_teacher_that_reads_other_tokens_is_refused(teacher, tmp_path):
    other = STUDENT.replace("[tasks.reverse]", 'alphabet = "abcdefghijklmnopqrstuvwxyz:, "\n\n[tasks.reverse]')
    with pytest.raises(InputError, match="the vocabularies differ"):
        train(tmp_path, teacher, text=other)


def test_a_resumed_run_needs_the_teacher_it_began_with(teacher, tmp_path):
    with pytest.raises(CrashError):
        train(tmp_path, teacher, progress=CrashAfter(4))
    path = teacher / "model" / "model.safetensors"
    kept = path.read_bytes()
    try:
        path.write_bytes(kept[:-4] + b"\0\0\1\0")
        with pytest.raises(InputError, match="distillation would go on with other data"):
            train(tmp_path, teacher, resume=tmp_path / "run")
    finally:
        path.write_bytes(kept)


def test_a_student_that_is_its_teacher_has_nothing_to_learn(teacher, tmp_path):
    """Adapters begin as nothing: the student computes what its teacher does, by the same code."""
    before, _, rest = STUDENT.partition("[model]")
    tasks = rest.partition("[tasks.reverse]")[2]
    model = f'[model]\nsource = "{teacher}"\nmax_context = 48\nlora = {{ rank = 2, targets = ["q_proj"] }}\n\n'
    run = train(tmp_path, teacher, "distillation.steps=1", text=f"{before}{model}[tasks.reverse]{tasks}")
    (row,) = run.metrics()
    assert abs(row.metrics["kl_teacher"]) < 1e-6
    assert row.metrics["grad_norm"] < 1e-4
    assert row.metrics["entropy"] > 1e-3


def test_a_teacher_that_can_not_be_had_ends_the_run_before_its_first_stage(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(InputError, match="nobody/nothing"):
        train(tmp_path, "nobody/nothing")
    assert Run.open(tmp_path / "run").evaluations() == []
