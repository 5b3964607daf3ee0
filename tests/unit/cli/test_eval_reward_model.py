"""``tahr eval --reward-model``: the tables, the JSON, and what it refuses."""

import json

import pytest
from typer.testing import CliRunner

from tahr.cli.app import app
from tahr.core.errors import InputError
from tahr.models.config import ArchitectureConfig, ModelConfig
from tahr.models.load import load_model
from tahr.models.reward import RewardModel

ROW = {"prompt": "2 + 3?", "chosen": ["5"], "rejected": ["6", "4", "70"]}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("reward")
    config = ModelConfig(
        source="scratch", max_context=64, architecture=ArchitectureConfig(hidden_size=16, num_layers=1)
    )
    RewardModel.on(load_model(config), max_context=64, seed=0).save(path / "model")
    pairs = [{"prompt": f"{n} + 1?", "chosen": f"{n + 1}", "rejected": f"{2 * n}"} for n in range(3, 9)]
    (path / "pairs.jsonl").write_text("".join(json.dumps(one) + "\n" for one in pairs))
    rows = [{**ROW, "id": f"{n}", "subset": subset} for n, subset in enumerate(("Math", "Math", "Safety"))]
    (path / "bench.jsonl").write_text("".join(json.dumps(one) + "\n" for one in rows))
    return path


def run(*arguments):
    return CliRunner().invoke(app, ["eval", *map(str, arguments)], catch_exceptions=False, env={"COLUMNS": "140"})


def test_every_set_gets_a_table_and_the_figures_are_written(folder, tmp_path):
    out = tmp_path / "scores.json"
    found = run("--reward-model", folder / "model", folder / "pairs.jsonl", folder / "bench.jsonl", "--json", out)
    assert found.exit_code == 0, found.output
    for words in ("accuracy", "Brier score", "expected calibration error", "Math", "Safety", "mean of 2 domains"):
        assert words in found.output
    pairs, bench = json.loads(out.read_text())["sets"]
    assert pairs["accuracy"]["num_contests"] == 6
    assert bench["format"] == "rewardbench2"
    assert [one["name"] for one in bench["domains"]] == ["Math", "Safety", ""]
    row = bench["rows"][0]
    best = max(row["chosen"] + row["rejected"])
    assert bench["domains"][0]["score"] in {0.0, 1.0}
    assert (bench["domains"][0]["score"] == 1.0) == (row["chosen"] == [best])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--reward-model", "MODEL", "PAIRS", "--suite", "arithmetic"], "not on a suite"),
        (["smollm2-135m"], "one MODEL and a --suite"),
        (["a", "b", "--suite", "arithmetic"], "one MODEL and a --suite"),
        (["--reward-model", "PAIRS", "PAIRS"], "is a file"),
    ],
)
def test_what_it_refuses(folder, arguments, words):
    places = {"MODEL": str(folder / "model"), "PAIRS": str(folder / "pairs.jsonl")}
    with pytest.raises(InputError, match=words):
        run(*(places.get(one, one) for one in arguments))
