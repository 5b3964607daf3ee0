from pathlib import Path

import pytest

from tahr.core.errors import InputError
from tahr.core.registry import Registry


@pytest.mark.parametrize("text", ["raise RuntimeError('no licence')", "def broken(:", "import sys; sys.modules['x'].y"])
def test_a_module_that_fails_on_import_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    (tmp_path / "failing_part.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    parts: Registry[type] = Registry("shape")
    with pytest.raises(InputError, match="the shape 'failing_part:Square' could not be imported"):
        parts.get("failing_part:Square")
