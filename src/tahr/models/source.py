"""What a recipe's ``model.source`` means: scratch, a folder, a GGUF file or a hub id. Needs no torch."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from tahr.core.errors import InputError, UnknownNameError
from tahr.models.config import ArchitectureConfig, ModelConfig
from tahr.models.packaged import PACKAGED, PackagedModel
from tahr.store.manifest import MANIFEST_NAME

SCRATCH = "scratch"
HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*/[\w.-]+")
KINDS = "a packaged name (smollm2-135m), a folder, a finished run, a .gguf file, a hub id (owner/name), or 'scratch'"

_HOST = r"(?:localhost|[\w-]+(?:\.[\w-]+)+|[\w-]+(?=:\d))(?::\d+)?(?:/\S*)?"
_SERVER = re.compile(rf"(?:(\S*?)@)?([A-Za-z]+://)(\S+)|(\S+?)@({_HOST})")
"""``NAME@URL``, an address without a name, and a name with an address that lacks ``http://``."""

MODEL_FOLDER = "model"
"""Where a finished run keeps its trained model, inside the run folder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scratch:
    """Random weights in a given shape. Example: ``Scratch(architecture=ArchitectureConfig())``"""

    architecture: ArchitectureConfig


@dataclass(frozen=True, slots=True, kw_only=True)
class Folder:
    """An ordinary transformers folder; a finished run stands for the one inside it.

    Example: ``Folder(path=Path("runs/tiny/model"))``
    """

    path: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class GgufFile:
    """One .gguf file. Example: ``GgufFile(path=Path("SmolLM2-135M-Instruct.Q4_1.gguf"))``"""

    path: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Hub:
    """A model on the Hugging Face hub; `packaged` where it stands in for a package that isn't installed.

    Example: ``Hub(id="Qwen/Qwen3-0.6B", revision=None, packaged=None)``
    """

    id: str
    revision: str | None
    packaged: PackagedModel | None


Source = Scratch | Folder | GgufFile | Hub


def resolve(config: ModelConfig) -> Source:
    """Where the model comes from. Looks at names and paths only: nothing is read, nothing downloaded.

    Raises InputError: unknown name, missing folder or file, an architecture without ``source = "scratch"`` or the
    other way round, a revision of something that isn't on the hub.
    """
    source = _resolve(config)
    if config.architecture is not None and not isinstance(source, Scratch):
        raise InputError(
            "model.architecture describes a model made from scratch",
            received=f"model.source = {config.source!r}",
            instead="model.source = 'scratch', or remove [model.architecture]",
        )
    if config.revision is not None and not isinstance(source, Hub):
        raise InputError(
            "model.revision selects a version of a hub model",
            received=f"model.source = {config.source!r}, model.revision = {config.revision!r}",
            instead="remove model.revision, or name a hub id (owner/name)",
        )
    return source


def _resolve(config: ModelConfig) -> Source:
    name = config.source
    if name == SCRATCH:
        return Scratch(architecture=_architecture(config))
    if name in PACKAGED:
        packaged = PACKAGED[name]
        file = packaged.path()
        if file is not None:
            return GgufFile(path=file)
        return Hub(id=packaged.hub_id, revision=config.revision, packaged=packaged)
    if not name.strip():
        raise InputError("model.source is empty", instead=KINDS)
    path = Path(name).expanduser()
    if path.suffix.lower() == ".gguf":
        return _gguf(path)
    if path.is_dir():
        return Folder(path=_trained_in(path) if (path / MANIFEST_NAME).is_file() else path)
    if path.is_file():
        raise InputError("model.source is a file that is not a .gguf file", received=name, instead=KINDS)
    if HUB_ID.fullmatch(name):
        return Hub(id=name, revision=config.revision, packaged=None)
    _refuse_server(name)
    if "/" in name or "\\" in name or name.startswith((".", "~")):
        raise InputError("the model folder does not exist", received=str(path), instead=KINDS)
    raise UnknownNameError("model", name, [*PACKAGED, SCRATCH, "owner/name of a hub model", "path of a folder"])


def _refuse_server(name: str) -> None:
    """Raise InputError where a name is meant for a model behind a server: those are asked suites, and held nowhere."""
    found = _SERVER.fullmatch(name)
    if found is None:
        return
    called, scheme, address = found[1] or found[4], found[2], found[3] or found[5]
    if not called:
        raise InputError(
            "the address of a server doesn't say which of its models is meant",
            received=name,
            instead=f"NAME@{name.removeprefix('@')}",
        )
    if scheme not in ("http://", "https://"):
        raise InputError(
            "the address of a model's server begins with http:// or https://",
            received=name,
            instead=f"{called}@http://{address}",
        )
    raise InputError(
        "a model behind a server can only be asked the questions of a suite",
        received=name,
        instead=f"tahr eval {name} --suite SUITE, with a suite of `tahr suites` or a suite's file; here {KINDS}",
    )


def _trained_in(run: Path) -> Path:
    """The model that a run ended with."""
    if not (run / MODEL_FOLDER).is_dir():
        raise InputError("the run has no trained model yet", received=str(run), instead="a run that has finished")
    return run / MODEL_FOLDER


def _architecture(config: ModelConfig) -> ArchitectureConfig:
    shape = config.architecture
    if shape is None:
        raise InputError(
            "model.source = 'scratch' needs the shape of the model",
            instead="a [model.architecture] section; 'hidden_size = 256' alone is enough",
        )
    head_dim, rest = divmod(shape.hidden_size, shape.num_heads)
    if rest or head_dim % 2:
        raise InputError(
            "model.architecture.hidden_size must be an even multiple of num_heads (rotary positions need even heads)",
            received=f"hidden_size = {shape.hidden_size}, num_heads = {shape.num_heads}",
            instead=f"hidden_size = {2 * shape.num_heads * max(1, round(head_dim / 2))}",
        )
    if shape.num_heads % shape.num_kv_heads:
        divisors = [n for n in range(1, shape.num_heads + 1) if shape.num_heads % n == 0]
        raise InputError(
            "model.architecture.num_kv_heads must divide num_heads",
            received=f"num_heads = {shape.num_heads}, num_kv_heads = {shape.num_kv_heads}",
            instead=f"num_kv_heads one of {divisors}",
        )
    repeated = sorted({character for character in shape.alphabet if shape.alphabet.count(character) > 1})
    if repeated:
        raise InputError(
            "model.architecture.alphabet names characters twice", received=repeated, instead="each character once"
        )
    return shape


def _gguf(path: Path) -> GgufFile:
    if not path.is_file():
        raise InputError("the .gguf file does not exist", received=str(path), instead="the path of a file")
    with path.open("rb") as file:
        magic = file.read(4)
    if magic != b"GGUF":
        raise InputError(
            "the file does not begin with the letters GGUF: cut short, damaged, or a Git LFS pointer",
            received=f"{path} ({path.stat().st_size} bytes)",
            instead="download it again",
        )
    return GgufFile(path=path)
