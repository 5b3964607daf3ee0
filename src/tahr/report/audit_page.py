"""An audit as a file: JSON, and one HTML page that needs no network and no script."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from tahr.evaluation.audit.code.findings import CodeAudit
from tahr.evaluation.audit.findings import Audit, Rate
from tahr.report.audit_table import floor_name, rate_cells, seconds_text
from tahr.report.template import environment, style, whisker
from tahr.store.files import write_file


def write_audit_json(path: Path, audit: Audit, code: CodeAudit | None = None) -> None:
    """Write every finding; rates gain their share and interval. What was found about a verifier of programs beyond that
    is the table ``code``. Raises ResourceError and InputError as writing does."""
    content = {**_plain(audit), "sound": audit.is_sound and not (code and code.faults)}
    if code is not None:
        content["code"] = {**_plain(code), "rewarded": _plain(code.rewarded), "faults": list(code.faults)}
    write_file(path, json.dumps(content, indent=2).encode() + b"\n")


def write_audit_page(path: Path, audit: Audit, code: CodeAudit | None = None) -> None:
    """Write the page. Raises ResourceError on a full disk, InputError where the folder can't be written."""
    write_file(path, render_audit(audit, code).encode("utf-8", "replace"))


def render_audit(audit: Audit, code: CodeAudit | None = None) -> str:
    """The page's HTML; `code` is what was found about a verifier of programs beyond any verifier's audit."""
    template = environment().get_template("audit.html")
    return template.render(
        audit=audit,
        code=code,
        is_sound=audit.is_sound and not (code and code.faults),
        style=style("page.css"),
        rate_cells=rate_cells,
        seconds_text=seconds_text,
        floor_name=floor_name,
        place=_place,
    )


def _place(rate: Rate) -> dict[str, float]:
    """Where a rate and its interval stand on a scale from 0 to 1, in percent."""
    low, high = rate.interval
    return whisker(low, rate.share or 0.0, high, (0.0, 1.0))


def _plain(value: Any) -> Any:
    """A finding as JSON values."""
    if isinstance(value, Rate):
        low, high = value.interval
        return {"count": value.count, "total": value.total, "share": value.share, "low": low, "high": high}
    if hasattr(value, "__dataclass_fields__"):
        return {name: _plain(getattr(value, name)) for name in value.__dataclass_fields__}
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
