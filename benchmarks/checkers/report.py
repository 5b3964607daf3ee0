"""Disagreements as rows and as a page that a person can read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from checkers.causes import CAUSES, cause_of
from checkers.disagreement import Disagreement

EXCERPT = 160
IN_TABLE = 90
EXAMPLES = 3
HEAD = """# Where our instruction checks and the reference checkers disagree

Written by `benchmarks/instruction_checkers.py`, whose head says what is compared. Each disagreement is a row of
`benchmarks/results/instruction_disagreements.jsonl`: the instruction, its arguments, an excerpt of the response,
both verdicts, who is right by the words of the instruction and the cause. Here they are grouped by cause, with a few
of each. "Open" means that the words of the instruction allow both readings. "?" is our verdict where nothing can be
decided. Where the references were right, ours were changed, so that no such cause is left.

"""


def rows_of(found: Sequence[Disagreement]) -> list[dict[str, Any]]:
    """One row a disagreement."""
    return [_row(one) for one in found]


def _row(found: Disagreement) -> dict[str, Any]:
    cause = cause_of(found)
    return {
        "instruction": found.name,
        "args": {key: _cut(value, EXCERPT) for key, value in found.args.items()},
        "origin": found.origin,
        "response": _cut(found.text, EXCERPT),
        "mode": found.mode,
        "ours": found.ours,
        "theirs": found.theirs,
        "note": found.note,
        "right": cause.right if cause else None,
        "cause": cause.title if cause else None,
    }


def _cut(value: Any, limit: int) -> Any:
    """Long texts without their middle."""
    if not isinstance(value, str) or len(value) <= limit:
        return value
    half = limit // 2
    return f"{value[:half]} … {value[-half:]}"


def page(rows: Sequence[Mapping[str, Any]], summary: Mapping[str, Any]) -> str:
    """The Markdown page."""
    grouped: dict[tuple[Any, Any], list[Mapping[str, Any]]] = defaultdict(list)
    for row in rows:
        grouped[row["instruction"], row["cause"]].append(row)
    return "\n".join([HEAD + _overview(summary), *_sections(grouped)])


def _overview(summary: Mapping[str, Any]) -> str:
    counts = summary["by_right"]
    nothing = summary["kept_by_answers_of_nothing"]
    origins = ", ".join(f"{number} {name}" for name, number in summary["responses"].items())
    return (
        f"{sum(summary['responses'].values())} responses ({origins}), {summary['checks']} checks, "
        f"{summary['disagreements']} disagreements: ours right {counts.get('ours', 0)}, "
        f"theirs right {counts.get('theirs', 0)}, open {counts.get('open', 0)}, "
        f"unexplained {counts.get('unexplained', 0)}. Of {nothing.get('checks', 0)} checks of an answer of nothing "
        f'(".", "a", a refusal, the prompt said back), theirs pass {nothing.get("theirs", 0)} and ours '
        f'{nothing.get("ours", 0)}; the "instructions" verifier refuses such answers first. The two packages\' '
        f"IFEval checkers differ in {summary['the_two_ifeval_packages_differ']} checks.\n"
    )


def _sections(grouped: Mapping[tuple[Any, Any], Sequence[Mapping[str, Any]]]) -> list[str]:
    lines: list[str] = []
    why = {(name, cause.title): cause.why for cause in CAUSES for name in cause.names}
    for name in sorted({name for name, _ in grouped}):
        lines.append(f"## {name}\n")
        for (other, title), rows in grouped.items():
            if other == name:
                lines += [_heading(title, rows), why.get((name, title), ""), "", *_table(rows), ""]
    return lines


def _heading(title: str | None, rows: Sequence[Mapping[str, Any]]) -> str:
    right = rows[0]["right"]
    said = {"ours": "ours is right", "theirs": "theirs is right", "open": "open"}.get(right, "unexplained")
    return f"**{title or 'no known cause'}**: {said} ({len(rows)})\n"


def _table(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    real = [row for row in rows if row["origin"] not in {"made", "nothing"}]
    chosen = list({row["response"]: row for row in [*real, *rows]}.values())[:EXAMPLES]
    lines = ["| arguments | response | ours | theirs |", "|---|---|---|---|"]
    for row in chosen:
        args = ", ".join(f"{key}={_cut(str(value), 40)}" for key, value in row["args"].items())
        mode = " (loose)" if row["mode"] == "loose" else ""
        text = f"`{_cell(_cut(row['response'], IN_TABLE))}` ({row['origin']})"
        lines.append(f"| {_cell(args)} | {text} | {_verdict(row['ours'])}{mode} | {_verdict(row['theirs'])} |")
    return lines


def _cell(text: str) -> str:
    return (
        text.replace("\n", "⏎").replace("|", "¦").replace("`", "'").replace("<", "‹").replace(">", "›").strip() or " "
    )


def _verdict(verdict: bool | str | None) -> str:
    return {True: "kept", False: "broken", None: "?"}.get(verdict, str(verdict))
