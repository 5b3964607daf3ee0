"""Two sources of labels teach one small model in opposite ways, and the experiment tells."""

import json
from pathlib import Path

import pytest

from small_labels import pair
from small_pairs import SMALL_DPO
from tahr.cli.app import main
from tahr.core.errors import InputError
from tahr.core.progress import SilentProgress
from tahr.data.preferences.files import write_pairs
from tahr.recipe.feedback.run import load_feedback, run_feedback

EVAL = """
[tasks.reverse]
source = "reverse_text"
args = { min_length = 2, max_length = 3 }
num_tasks = 100
verifier = "small_recipes:EvenLength"

[eval]
tasks = ["reverse"]
num_tasks = 8
max_new_tokens = 6
"""

EXPERIMENT = """
name = "who"
recipe = "dpo.toml"
pairs = "pairs.jsonl"

[labels]
people = "people.jsonl"
judge = "judge.jsonl"
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    good = [pair(f"say {n}", f"{n}{n}", f"{n}x") for n in range(40)]
    turned = [pair(f"say {n}", f"{n}x", f"{n}{n}") if n % 4 == 0 else one for n, one in enumerate(good)]
    for name, pairs in (("pairs", good), ("people", good[:30]), ("judge", turned)):
        write_pairs(tmp_path / f"{name}.jsonl", pairs)
    (tmp_path / "dpo.toml").write_text(SMALL_DPO.replace("PAIRS", "nowhere.jsonl") + EVAL)
    (tmp_path / "who.toml").write_text(EXPERIMENT)
    return tmp_path


@pytest.mark.slow
def test_an_experiment_from_labels_to_two_models(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["prefs", "experiment", "who.toml"])
    assert ended.value.code in (0, None)
    said = capsys.readouterr().out
    assert "40 pairs, 30 trained on for both people and judge, of which 8 the other way round" in said
    found = json.loads((folder / "runs" / "who" / "feedback.json").read_text())
    assert found["agreement"][0]["raw"]["value"] == pytest.approx(22 / 30)
    assert found["win_rate"]["people"]["mean"] == 1.0
    assert found["win_rate"]["predicted"]["mean"] == pytest.approx(0.75)
    # both started alike; the gains and the difference between the models are of one evaluation each
    people, judge = (found["gains"][name]["reward"] for name in ("people", "judge"))
    assert people["before"] == judge["before"]
    between = found["between"]["reward"]
    assert between["difference"] == pytest.approx(judge["difference"] - people["difference"])
    assert (folder / "runs" / "who" / "feedback.txt").read_text().count("judge − people") == len(found["between"])
    # again: nothing is trained anew, and the numbers are the same
    runs = sorted((folder / "runs" / "who").iterdir())
    again = run_feedback(load_feedback(folder / "who.toml"), root=folder / "runs", progress=SilentProgress())
    assert sorted((folder / "runs" / "who").iterdir()) == runs
    assert again.between["reward"].difference == between["difference"]
    # once what decides a weight has changed, the models of before are no answer
    monkeypatch.setattr("tahr.recipe.stage_keys.code_hash", lambda: "another")
    run_feedback(load_feedback(folder / "who.toml"), root=folder / "runs", progress=SilentProgress())
    made = {path for path in (folder / "runs" / "who").iterdir() if path.is_dir()} - set(runs)
    assert {path.name.split("-")[1] for path in made} == {"people", "judge"}


def test_an_experiment_that_could_tell_nothing_is_refused_before_training(folder: Path) -> None:
    config = load_feedback(folder / "who.toml")
    (folder / "dpo.toml").write_text(SMALL_DPO.replace("PAIRS", "nowhere.jsonl"))
    with pytest.raises(InputError, match="eval"):
        run_feedback(config, root=folder / "runs", progress=SilentProgress())
    write_pairs(folder / "people.jsonl", [pair("another", "a", "b")])
    with pytest.raises(InputError, match="no comparison was decided by two"):
        run_feedback(config, root=folder / "runs", progress=SilentProgress())
    (folder / "who.toml").write_text(EXPERIMENT.replace("judge = ", '"../judge" = '))
    with pytest.raises(InputError, match="labels"):
        load_feedback(folder / "who.toml")
