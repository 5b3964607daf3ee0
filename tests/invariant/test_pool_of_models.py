"""Pairs from a policy, a model in a folder and one behind a real HTTP server: whose they are, what a failure does."""

from __future__ import annotations

import asyncio
import json
import random
from collections import Counter
from pathlib import Path

import pytest

from small_build import SMALL_BUILD, write_build_recipe
from tahr.core.errors import InputError
from tahr.core.preferences import id_of_prompt
from tahr.core.progress import SilentProgress
from tahr.core.protocols import Sampling
from tahr.core.types import Message
from tahr.engines import chat as chat_module
from tahr.engines.chat import open_chat_model
from tahr.engines.config import ChatModelConfig
from tahr.engines.http import client as client_module
from tahr.models.config import ModelConfig
from tahr.models.load import load_model
from tahr.models.save import save_model
from tahr.recipe.load import load_recipe
from tahr.recipe.preferences.build import build_prefs, load_prefs
from tahr.recipe.run import run_recipe
from tahr.store.run import Run
from talking_server import Stub, completion

POOL = """on_policy_share = 0.5
judge = { kind = "verifier" }

[dpo.build.models.folder]
source = "FOLDER"
max_context = 64

[dpo.build.models.server]
url = "URL"
model = "m"
timeout_seconds = 0.4
max_retries = 1
"""
RECIPE = SMALL_BUILD.replace("validation_percent = 20", "validation_percent = 20\n" + POOL)
NUM_OWN, NUM_OTHERS = 12 * 2, 12 * 2


@pytest.fixture(autouse=True, scope="module")
def own_cache(tmp_path_factory: pytest.TempPathFactory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TAHR_CACHE", str(tmp_path_factory.mktemp("cache")))
        patch.setattr(client_module, "FIRST_PAUSE_SECONDS", 0.001)
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of its own weights in an ordinary folder."""
    shape = {"hidden_size": 24, "num_layers": 1, "num_heads": 2, "num_kv_heads": 1, "intermediate_size": 32}
    config = ModelConfig.model_validate({"source": "scratch", "max_context": 64, "architecture": shape})
    loaded = load_model(config, seed=77)
    place = tmp_path_factory.mktemp("pool") / "other"
    save_model(loaded.model, loaded.tokenizer, place)
    return place


def says(body) -> str:
    """What the server answers: other letters for another question or seed, an even number of them or an odd one."""
    draw = random.Random(f"{body['messages'][-1]['content']} {body['seed']}")
    return "".join(draw.choice("abcdef") for _ in range(draw.randint(1, 9)))


def well(body):
    return 200, {}, completion(says(body)), 0.0


@pytest.fixture
def server():
    stub = Stub(well)
    yield stub
    stub.close()


def write(tmp_path: Path, folder: Path, server: Stub) -> Path:
    text = RECIPE.replace("FOLDER", str(folder)).replace("URL", server.url)
    return write_build_recipe(tmp_path, text)


def write_prefs(tmp_path: Path, folder: Path, server: Stub) -> Path:
    """The same build as a file of its own."""
    text = write(tmp_path, folder, server).read_text()
    model, tasks = text[text.index("[model]") : text.index("[dpo]")], text[text.index("[engine]") :]
    build = text[text.index("[dpo.build]") : text.index("[engine]")].replace("[dpo.build", "[build")
    path = tmp_path / "prefs.toml"
    path.write_text('name = "pool"\nseed = 3\nthreads = 1\n' + model + build + tasks)
    return path


def read(path: Path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def assert_pairs_say_who_wrote_them(place: Path, folder: Path) -> None:
    """Each answer of each pair is the one that the named model gives to that question under that seed."""
    candidates = {(row["prompt_id"], row["model"], row["text"]): row for row in read(place / "candidates.jsonl")}
    pairs = read(place / "pairs.jsonl")
    held = open_chat_model("folder", ChatModelConfig(source=str(folder), max_context=64))
    sampling = Sampling(max_new_tokens=12, temperature=1.0)
    seen = Counter[str]()
    for pair in pairs:
        messages = [Message(**message) for message in pair["prompt"]]
        assert pair["provenance"]["chosen_rating"] == 1.0 and pair["provenance"]["rejected_rating"] == 0.0
        for side, remainder in (("chosen", 0), ("rejected", 1)):
            text, model = pair[side], pair["provenance"][f"{side}_model"]
            drawn = pair["provenance"][f"{side}_sampling"]
            assert len(text) % 2 == remainder or not text
            row = candidates[id_of_prompt(tuple(messages)), model, text]
            assert row["provenance"] == drawn and drawn["max_new_tokens"] == 12
            if model == "server:m":
                asked = {"messages": [{"content": messages[-1].content}], "seed": drawn["seed"] % 2**31}
                assert text == says(asked) and drawn["num_tokens"] == 3
            elif model == held.name:
                assert text == asyncio.run(held.chat(messages, sampling, drawn["seed"])).text
            seen[model.partition(":")[0]] += 1
    assert set(seen) == {"policy", "folder", "server"} and len(pairs) >= 6


def test_a_pool_answers_and_every_pair_says_whose_it_is(tmp_path, folder, server):
    built = build_prefs(load_prefs(write_prefs(tmp_path, folder, server)), tmp_path / "out", progress=SilentProgress())
    assert built is not None and built.num_failed == 0
    assert_pairs_say_who_wrote_them(tmp_path / "out", folder)
    models = Counter(row["model"].partition(":")[0] for row in read(tmp_path / "out" / "candidates.jsonl"))
    assert models == {"policy": NUM_OWN, "folder": 12, "server": 12}
    assert len(server.bodies) == 12 and {body["model"] for body in server.bodies} == {"m"}


def failing(after: int):
    """A server that answers `after` requests, then fails in one way after another for ever."""
    ways = [
        (500, {}, b"overloaded", 0.0),
        (200, {}, completion("late"), 0.9),
        (200, {}, b'{"choices": [{"mess', 0.0),
        (200, {}, b'{"choices": []}', 0.0),
    ]
    seen = Counter[str]()

    def answer(body):
        key = f"{body['messages'][-1]['content']} {body['seed']}"
        order = list(seen)
        seen[key] += 1
        place = order.index(key) if key in order else len(order)
        return well(body) if place < after else ways[(place - after) % len(ways)]

    return answer


def test_a_server_that_fails_half_way_is_counted_and_asked_again(tmp_path, folder, server):
    path, out = write_prefs(tmp_path, folder, server), tmp_path / "out"
    server.says = failing(6)
    first = build_prefs(load_prefs(path), out, progress=SilentProgress())
    assert first is not None and first.num_failed == 6 and "6 answers failed" in str(first)
    # 6 answers; 500s and silence are tried twice, nonsense is not
    assert len(server.bodies) == 6 + 2 * 2 + 2 * 2 + 1 + 1
    kept = read(out / "candidates.jsonl")
    assert Counter(row["model"].partition(":")[0] for row in kept)["server"] == 6
    assert not {"late", "overloaded", ""} & {row["text"] for row in kept if row["model"] == "server:m"}
    assert_pairs_say_who_wrote_them(out, folder)
    server.says = well
    server.bodies.clear()
    second = build_prefs(load_prefs(path), out, progress=SilentProgress())
    assert second is not None and second.num_failed == 0 and second.num_pairs >= first.num_pairs
    assert len(server.bodies) == 6
    assert read(out / "candidates.jsonl")[: len(kept)] == kept
    whole = build_prefs(load_prefs(path), tmp_path / "whole", progress=SilentProgress())
    assert whole is not None and (out / "pairs.jsonl").read_bytes() == whole.path.read_bytes()


def test_the_stage_learns_from_the_pool_and_goes_on_where_its_server_failed(tmp_path, folder, server):
    alone = ["dpo.build.on_policy_share=0.0", 'dpo.build.answering=["server"]', "dpo.build.samples_per_prompt=2"]
    loaded = load_recipe(write(tmp_path, folder, server), alone)
    server.says = failing(8)
    with pytest.raises(InputError, match=r"most answers did not come[\s\S]*of server:m, first: .*"):
        run_recipe(loaded, runs_root=tmp_path, folder=tmp_path / "run", progress=SilentProgress())
    assert Run.open(tmp_path / "run").status == "failed"
    kept = read(tmp_path / "run" / "preferences" / "candidates.jsonl")
    assert len(kept) == 8 and {row["model"] for row in kept} == {"server:m"}
    server.says = well
    server.bodies.clear()
    run = run_recipe(loaded, runs_root=tmp_path, resume=tmp_path / "run", progress=SilentProgress())
    assert run.status == "finished" and [row.step for row in run.metrics()] == [1, 2, 3, 4, 5, 6]
    assert len(server.bodies) == 24 - 8
    assert {pair["provenance"]["chosen_model"] for pair in read(run.folder / "preferences" / "pairs.jsonl")} == {
        "server:m"
    }


def test_the_stage_learns_from_all_three(tmp_path, folder, server):
    loaded = load_recipe(write(tmp_path, folder, server))
    run = run_recipe(loaded, runs_root=tmp_path, folder=tmp_path / "run", progress=SilentProgress())
    assert run.status == "finished" and [row.step for row in run.metrics()] == [1, 2, 3, 4, 5, 6]
    assert_pairs_say_who_wrote_them(run.folder / "preferences", folder)


def test_a_pool_that_has_nothing_left_to_say_is_not_loaded(tmp_path, folder, server, monkeypatch):
    path = write(tmp_path, folder, server)
    first = run_recipe(load_recipe(path), runs_root=tmp_path, folder=tmp_path / "run", progress=SilentProgress())
    loads = []
    monkeypatch.setattr(chat_module, "_load", lambda name, *_: loads.append(name))
    other = load_recipe(path, ["dpo.learning_rate=2e-3"])
    second = run_recipe(other, runs_root=tmp_path, folder=tmp_path / "more", progress=SilentProgress(), reuse=True)
    assert second.manifest.reused == {"dpo.build": "run"}
    assert loads == []
    pairs = [one.folder / "preferences" / "pairs.jsonl" for one in (first, second)]
    assert pairs[0].read_bytes() == pairs[1].read_bytes()
