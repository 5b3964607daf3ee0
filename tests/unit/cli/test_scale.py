import json

import pytest

from tahr.store.run import Run
from talking_server import Stub, completion

SUITE = """
[tasks.words]
source = "reverse_text"
args = { min_length = 1, max_length = 1 }
num_tasks = 6
"""
SMALL = "{hidden_size = 16, num_layers = 1, num_heads = 2, num_kv_heads = 1, intermediate_size = 16}"


@pytest.fixture
def study(tahr, tmp_path):
    """Sample a study of an untrained model on six questions: what was printed."""
    suite = tmp_path / "letters.toml"
    suite.write_text(SUITE)

    def run(*arguments):
        settings = [
            f"model.architecture={SMALL}",
            "model.max_context=160",
            "scaling.rounds=1",
            "scaling.budgets=[0, 2]",
        ]
        shown = [word for setting in settings for word in ("--set", setting)]
        return tahr(
            "scale", "scratch", "--suite", suite, "--samples", "8", "--max-new-tokens", "4", *shown,
            "--set", "scaling.chains=1", "--runs", tmp_path / "runs", *arguments,
        )  # fmt: skip

    return run


@pytest.mark.slow
def test_a_study_leaves_a_picture_its_figures_and_its_attempts(study, tmp_path, tahr):
    result = study()
    assert result.code == 0, result.err
    (folder,) = sorted((tmp_path / "runs").glob("scale-letters-scratch-*"))
    names = [one.name for one in Run.open(folder).evaluations()]
    assert sorted(names) == [
        "attempts",
        "attempts-again",
        "revision-000",
        "revision-001",
        "thinking-000",
        "thinking-002",
    ]
    assert (folder / "scaling.png").read_bytes()[:4] == b"\x89PNG"
    values = json.loads((folder / "scaling.json").read_text())
    assert len(values["questions"]) == 6
    assert values["curves"][0]["points"][-1]["knob"] == 2
    for word in ("majority", "best by likelihood", "oracle", "random verifier", "revision", "forced budget"):
        assert word in result.out
    (folder / "scaling.png").unlink()
    again = tahr("scale", folder.name, "--runs", tmp_path / "runs")
    assert again.code == 0
    assert (folder / "scaling.png").exists()
    assert values == json.loads((folder / "scaling.json").read_text())

    # nothing is sampled twice, and the same attempts are not counted twice
    assert study().code == 0
    later = sorted((tmp_path / "runs").glob("scale-letters-scratch-*"))[-1]
    conditions = {one.name: one.conditions for one in Run.open(later).evaluations()}
    assert conditions["attempts"].num_cached == 48
    assert conditions["attempts-again"].num_cached == 48
    result = tahr("scale", folder, later)
    assert result.code == 2
    assert "come twice" in result.err


@pytest.mark.slow
def test_points_of_other_weights_are_refused(study, tmp_path, tahr):
    wide = SMALL.replace("intermediate_size = 16", "intermediate_size = 32")
    assert study("--set", "scaling.placebo=false").code == 0
    assert study("--set", "scaling.placebo=false", "--seed", "1", "--set", f"model.architecture={wide}").code == 0
    result = tahr("scale", *sorted((tmp_path / "runs").glob("scale-*")))
    assert result.code == 2
    assert "points of different weights can't be on one curve" in result.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--setting", "harness"], "harness"),
        (["--select", "exact"], "oracle"),
        (["--select", "nonsense"], "nonsense"),
        (["--set", "scaling.samples=4"], "samples"),
    ],
)
def test_what_can_not_be_is_refused_before_a_folder_is_made(study, tmp_path, arguments, said):
    result = study(*arguments)
    assert result.code == 2
    assert said in result.err
    assert not list((tmp_path / "runs").glob("scale-*"))


def test_a_study_is_of_one_model(tahr):
    result = tahr("scale", "one", "two", "--suite", "arithmetic")
    assert result.code == 2
    assert "a study is of one model" in result.err


@pytest.fixture
def server():
    """Answers right with every third seed, and with each revision."""

    def says(body):
        right = len(body["messages"]) > 1 or body["seed"] % 3 == 0
        return 200, {}, completion(body["messages"][0]["content"][-1] if right else "no"), 0.0

    stub = Stub(says)
    yield stub
    stub.close()


@pytest.mark.slow
def test_a_model_behind_a_server_is_studied_by_what_it_says(server, tahr, tmp_path):
    suite = tmp_path / "letters.toml"
    suite.write_text(SUITE)

    def study(*arguments):
        return tahr(
            "scale", f"m@{server.url}", "--suite", suite, "--samples", "8", "--set", "scaling.rounds=1",
            "--set", "scaling.chains=2", "--runs", tmp_path / "runs", *arguments,
        )  # fmt: skip

    result = study()
    assert result.code == 0, result.err
    assert "no curve of thinking tokens" in result.out + result.err
    assert "on the model that one server calls by this name" in " ".join(result.out.split())
    assert "likelihood" not in result.out
    for word in ("majority", "oracle", "random verifier", "revision"):
        assert word in result.out
    (folder,) = sorted((tmp_path / "runs").glob("scale-letters-*"))
    names = [one.name for one in Run.open(folder).evaluations()]
    assert sorted(names) == ["attempts", "attempts-again", "revision-000", "revision-001"]
    (last,) = [one for one in Run.open(folder).evaluations() if one.name == "revision-001"]
    assert {(row.num_tokens, row.num_prompt_tokens) for row in last.rows} == {(6, 12)}
    num_asked = len(server.bodies)
    assert num_asked == 6 * (8 + 8 + 2)
    assert study().code == 0
    assert len(server.bodies) == num_asked  # all of it came from the cache
    refused = study("--set", "scaling.budgets=[0, 4]")
    assert refused.code == 2
    assert "a server's chat doesn't let it" in refused.err
