"""Pairs from questions to which nobody knows an answer: models answer, a model judges."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from small_build import SMALL_BUILD, write_build_recipe
from tahr.core.errors import InputError
from tahr.core.progress import SilentProgress
from tahr.recipe.check import check
from tahr.recipe.load import load_recipe
from tahr.recipe.preferences.build import build_prefs, load_prefs
from tahr.recipe.run import run_recipe
from talking_server import Stub, completion

pytestmark = pytest.mark.slow  # two of the tests train

WORDS = ("abc", "bcd", "cde", "def", "efa", "fab", "ace", "bdf", "cea", "dfb", "eac", "fbd")
BUILD = """
prompts = { own = { path = "PROMPTS" } }
judge = { kind = "aspects", model = "judge", args = { aspects = ["helpfulness"] } }

[dpo.build.models.judge]
url = "URL"
model = "m"
"""
RECIPE = SMALL_BUILD[: SMALL_BUILD.index("[tasks.reverse]")].replace("tasks = { reverse = 1.0 }\n", "")
RECIPE = RECIPE.replace("validation_percent = 20\n\n[engine]", "validation_percent = 20" + BUILD + "\n[engine]")


@pytest.fixture(autouse=True, scope="module")
def own_cache(tmp_path_factory: pytest.TempPathFactory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TAHR_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture
def server():
    def says(body):
        draw = random.Random(f"{body['messages'][-1]['content']} {body['seed']}")
        return 200, {}, completion(f"Rating: {draw.randint(1, 5)}"), 0.0

    stub = Stub(says)
    yield stub
    stub.close()


def write(folder: Path, server: Stub, words=WORDS) -> Path:
    prompts = folder / "prompts.jsonl"
    prompts.write_text("".join(json.dumps({"prompt": f"say {word}", "source": "x"}) + "\n" for word in words))
    return write_build_recipe(folder, RECIPE.replace("PROMPTS", str(prompts)).replace("URL", server.url))


def read(path: Path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_the_command_builds_pairs_from_them(tmp_path, server):
    text = write(tmp_path, server).read_text()
    model, build = text[text.index("[model]") : text.index("[dpo]")], text[text.index("[dpo.build]") :]
    path = tmp_path / "prefs.toml"
    path.write_text('name = "own"\nseed = 3\nthreads = 1\n' + model + build.replace("[dpo.build", "[build"))
    built = build_prefs(load_prefs(path), tmp_path / "out", progress=SilentProgress())
    assert built is not None and built.num_failed == 0 and built.num_pairs >= 6
    pairs = read(built.path)
    assert {pair["prompt"][0]["content"] for pair in pairs} <= {f"say {word}" for word in WORDS}
    assert all(pair["provenance"]["judge"] == "aspects:judge:m" and pair["margin"] > 0 for pair in pairs)
    assert len(read(tmp_path / "out" / "candidates.jsonl")) == 12 * 4


def test_a_stage_learns_from_them_and_other_questions_are_asked_anew(tmp_path, server):
    runs = tmp_path / "runs"
    loaded = load_recipe(write(tmp_path, server))
    first = run_recipe(loaded, runs_root=runs, progress=SilentProgress(), reuse=True)
    assert first.status == "finished" and [row.step for row in first.metrics()] == [1, 2, 3, 4, 5, 6]
    server.bodies.clear()
    slower = load_recipe(write(tmp_path, server), ["dpo.learning_rate=1e-4"])
    assert run_recipe(slower, runs_root=runs, progress=SilentProgress(), reuse=True).manifest.reused == {
        "dpo.build": first.folder.name
    }
    assert server.bodies == []
    other = load_recipe(write(tmp_path, server, (*WORDS[:8], "aaa", "bbb")))
    run = run_recipe(other, runs_root=runs, progress=SilentProgress(), reuse=True)
    assert run.manifest.reused == {} and server.bodies
    asked = {row["prompt_id"] for row in read(run.folder / "preferences" / "candidates.jsonl")}
    assert len(asked) == 10


def test_the_check_counts_them_and_says_what_is_wrong_with_them(tmp_path, server):
    recipe = load_recipe(write(tmp_path, server)).recipe
    found = check(recipe)
    # start, user, "say abc", end, assistant
    assert (found.prompts.typical, found.prompts.longest) == (11, 11)
    (tmp_path / "prompts.jsonl").write_text('{"prompt": ""}\n')
    with pytest.raises(InputError, match=r"dpo.build.prompts.own: 1 of 1 rows can't be questions"):
        check(recipe)


def test_a_verifier_has_nothing_to_judge_them_by(tmp_path, server):
    with pytest.raises(InputError) as error:
        load_recipe(write(tmp_path, server), ["dpo.build.judge={}"])
    assert "dpo.build" in str(error.value)
    assert "the questions of prompts.own have no answer that a verifier could judge by" in str(error.value)
