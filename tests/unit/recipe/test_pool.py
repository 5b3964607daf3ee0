"""The pool of a build: what can be known of its models is known before anything is trained or asked."""

from __future__ import annotations

from pathlib import Path

import huggingface_hub
import pytest
from huggingface_hub import errors

from small_build import SMALL_BUILD, write_build_recipe
from tahr.core.errors import InputError
from tahr.core.progress import SilentProgress
from tahr.preference.config import BuildConfig
from tahr.recipe.load import load_recipe
from tahr.recipe.preferences.build import build_prefs, load_prefs
from tahr.recipe.preferences.pool import fetch_pool, wanted_models
from tahr.recipe.run import run_recipe
from tahr.store.run import Run

HUB = '\n[dpo.build.models.far]\nsource = "me/far"\n'
SERVER = '\n[dpo.build.models.far]\nurl = "http://127.0.0.1:1/v1"\nmodel = "m"\napi_key_env = "TAHR_NO_SUCH_KEY"\n'
HALF = SMALL_BUILD.replace("samples_per_prompt = 4", "samples_per_prompt = 4\non_policy_share = 0.5")


class Steps(SilentProgress):
    """Remembers what was begun."""

    def __init__(self) -> None:
        self.begun: list[str] = []

    def phase(self, name: str, *, total: int) -> None:
        self.begun.append(name)

    def stage(self, name: str, *, total_steps: int, first_step: int) -> None:
        self.begun.append(name)


@pytest.fixture
def no_hub(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names that were asked for at a hub that is out of reach."""
    asked: list[str] = []

    def snapshot_download(name: str, **_: object) -> str:
        asked.append(name)
        raise errors.LocalEntryNotFoundError("Name or service not known")

    monkeypatch.setattr(huggingface_hub, "snapshot_download", snapshot_download)
    return asked


@pytest.mark.parametrize(
    ("model", "told"),
    [(HUB, "dpo.build.models.far: the model hub can't be reached"), (SERVER, "dpo.build.models.far: the server's key")],
)
def test_a_model_that_can_not_be_had_ends_a_run_before_anything_is_trained(tmp_path: Path, no_hub, model, told):
    heard = Steps()
    evaluated = '\n[eval]\ntasks = ["reverse"]\nnum_tasks = 4\nmax_new_tokens = 4\n'
    loaded = load_recipe(write_build_recipe(tmp_path, HALF + model + evaluated))
    with pytest.raises(InputError) as error:
        run_recipe(loaded, runs_root=tmp_path, folder=tmp_path / "run", progress=heard)
    assert error.value.wrong.startswith(told)
    assert heard.begun == [] and Run.open(tmp_path / "run").status == "failed"


def test_the_command_knows_before_its_policy_is_loaded(tmp_path: Path, no_hub):
    heard = Steps()
    heard.message = heard.begun.append
    path = tmp_path / "prefs.toml"
    build = HALF.split("[dpo.build]")[1].split("[engine]")[0] + HUB + HALF[HALF.index("[tasks.reverse]") :]
    path.write_text('name = "prefs"\n[model]\nsource = "me/policy"\n[build]' + build.replace("[dpo.build", "[build"))
    with pytest.raises(InputError) as error:
        build_prefs(load_prefs(path), tmp_path / "out", progress=heard)
    assert error.value.wrong.startswith("build.models.far: the model hub can't be reached")
    assert no_hub == ["me/far"] and heard.begun == [] and not (tmp_path / "out").exists()


def test_only_who_is_asked_is_fetched(no_hub):
    named = {
        "used": {"source": "smollm2-135m"},
        "idle": {"source": "me/idle"},
        "says": {"url": "http://h", "model": "m"},
    }
    values = {"tasks": {"some": 1.0}, "models": named, "answering": ["used"], "on_policy_share": 0.5}
    judged = BuildConfig.model_validate({**values, "judge": {"kind": "pairwise", "model": "says"}})
    assert wanted_models(judged) == ("says", "used")
    assert wanted_models(judged.model_copy(update={"on_policy_share": 1.0})) == ("says",)
    fetch_pool(judged, where="build")
    scored = {"kind": "reward_model", "args": {"source": "me/scores"}}
    with pytest.raises(InputError, match="the model hub can't be reached"):
        fetch_pool(BuildConfig.model_validate({**values, "on_policy_share": 1.0, "judge": scored}), where="build")
    assert no_hub == ["me/scores"]


def test_pairs_without_a_run_have_no_reward_model_of_their_own(tmp_path: Path):
    path = tmp_path / "prefs.toml"
    path.write_text(
        'name = "pairs"\n[model]\nsource = "scratch"\n[tasks.sums]\nsource = "arithmetic"\n'
        '[build]\ntasks = { sums = 1.0 }\njudge = { kind = "reward_model", args = { source = "run" } }\n'
    )
    with pytest.raises(InputError, match="names the reward model of a run, and this is none"):
        load_prefs(path)
