import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tahr.core.errors import InputError
from tahr.core.types import Group
from tahr.store.query import find_rollouts, list_runs, sql
from tahr.store.records import Evaluation
from tahr.store.run import Run

NewRun = Callable[..., Run]
NewEvaluation = Callable[..., Evaluation]


@pytest.fixture
def runs(tmp_path: Path, new_run: NewRun, group: Group, evaluation: NewEvaluation) -> Path:
    """A finished run of two steps, a bare one, and folders that are broken or no runs."""
    root = tmp_path / "runs"
    run = new_run("full")
    for step in (1, 2):
        run.log("rlvr", step, {"reward": step / 4, "loss": float("nan")})
        run.write_rollouts("rlvr", step, [group], [[1.0, -1.0, None]])
    run.write_evaluation(evaluation("before", "sft", 0, scores=(0.0, 0.5, None, 1.0)))
    run.write_evaluation(evaluation("after", "rlvr", 2, scores=(1.0, 1.0, 1.0)))
    run.finish("finished")
    new_run("bare").close()
    (root / "broken").mkdir()
    (root / "broken" / "manifest.json").write_text("{")
    (root / "notes").mkdir()
    (root / "readme.txt").write_text("not a run")
    return root


def test_every_run_in_a_line(runs: Path) -> None:
    found = {re.sub(r"-\d{8}-\d{6}$", "", one.name): one for one in list_runs(runs)}
    assert found.keys() == {"full", "bare", "broken"}
    full, bare, broken = found["full"], found["bare"], found["broken"]
    assert (full.status, full.stage, full.step, full.reward) == ("finished", "rlvr", 2, 0.5)
    assert full.difference == 0.75  # tasks 0 and 1 were scored on both sides: (1.0 + 0.5) / 2
    assert (bare.status, bare.step, bare.reward, bare.difference) == ("interrupted", 0, None, None)
    assert broken.status == "broken"
    assert "not a complete run folder" in broken.problem
    assert list_runs(runs)[-1].name == "broken"


def test_no_folder_of_runs_is_no_runs(tmp_path: Path) -> None:
    assert list_runs(tmp_path / "absent") == []


def test_rollouts_by_rank(runs: Path) -> None:
    best = find_rollouts(runs, order="best")
    assert [row["reward"] for row in best] == [1.0, 1.0, 0.25, 0.25, None, None]
    worst = find_rollouts(runs, order="worst", step=2, limit=2)
    assert [(row["step"], row["reward"]) for row in worst] == [(2, 0.25), (2, 1.0)]
    assert worst[0]["parts"] == {"correct": 0.0, "format": 1.0}
    assert worst[0]["run"].startswith("full-")
    assert "filename" not in worst[0]
    assert [row["index"] for row in find_rollouts(runs, step=-1, limit=None)] == [0, 1, 2]


def test_rollouts_of_a_task(runs: Path, group: Group) -> None:
    assert len(find_rollouts(runs, task=group.task.id[:6])) == 6
    assert len(find_rollouts(runs, task="arithmetic", step=1)) == 3
    assert find_rollouts(runs, task="'; DROP VIEW rollouts; --") == []
    assert find_rollouts(runs, stage="sft") == []


def test_sql_over_many_runs(runs: Path) -> None:
    assert sql(runs, "SELECT status, reward FROM runs ORDER BY run").rows == (
        ("interrupted", None),
        ("broken", None),
        ("finished", 0.5),
    )
    assert sql(runs, "SELECT step, value FROM metrics WHERE name = 'reward' ORDER BY step").rows == (
        (1, 0.25),
        (2, 0.5),
    )
    assert sql(runs, "SELECT name, count(*), count(score) FROM evaluations GROUP BY name ORDER BY name").rows == (
        ("after", 3, 3),
        ("before", 4, 3),
    )
    answer = sql(runs, "SELECT avg(reward) AS mean FROM rollouts WHERE step = ?", (2,))
    assert (answer.columns, answer.rows) == (("mean",), ((0.625,),))


def test_the_logged_reward_can_be_recomputed_from_the_rollouts(new_run: NewRun, group: Group) -> None:
    run = new_run()
    rewards = [reward for reward in group.rewards if reward is not None]
    run.log("rlvr", 1, {"reward": sum(rewards) / len(rewards)})
    run.write_rollouts("rlvr", 1, [group], [[0.0, 0.0, None]])
    query = "SELECT m.value, r.mean FROM metrics m, (SELECT step, avg(reward) AS mean FROM rollouts GROUP BY step) r "
    ((logged, recomputed),) = sql(run.folder, query + "WHERE m.step = r.step AND m.name = 'reward'").rows
    assert logged == recomputed == 0.625


def test_a_damaged_file_is_left_out(runs: Path) -> None:
    full = next(runs.glob("full-*"))
    (full / "rollouts" / "rlvr-000001.parquet").write_bytes(b"PAR1 nonsense")
    assert {row["step"] for row in find_rollouts(runs, limit=None)} == {2}
    (full / "evaluations" / "sft-000000-before.parquet").write_bytes(b"")
    assert sql(runs, "SELECT DISTINCT name FROM evaluations").rows == (("after",),)
    assert next(one for one in list_runs(runs) if one.folder == full).status == "broken"


@pytest.mark.parametrize("name", ["it's [a] test", "st*r?", "a--b", "ü"])
def test_odd_folder_names(tmp_path: Path, group: Group, name: str) -> None:
    for folder in (name, "other"):
        run = Run.create(tmp_path, "x", recipe={}, recipe_toml="", seed=0, folder=tmp_path / folder / "run")
        run.write_rollouts("rlvr", 1, [group], [[0.0, 0.0, None]])
        run.close()
    assert len(find_rollouts(tmp_path / name)) == 3


def test_a_bad_query_is_told(runs: Path) -> None:
    with pytest.raises(InputError, match="the query failed: Catalog Error"):
        sql(runs, "SELECT * FROM nothing")
    with pytest.raises(InputError, match="there is no folder"):
        sql(runs / "absent", "SELECT 1")


def test_a_run_without_rollouts(new_run: NewRun) -> None:
    run = new_run()
    assert find_rollouts(run.folder) == []
    assert find_rollouts(run.folder, step=-1) == []
    assert sql(run.folder, "SELECT * FROM evaluations").rows == ()
