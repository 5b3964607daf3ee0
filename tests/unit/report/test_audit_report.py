"""An audit as a table, a page and JSON."""

import json
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from tahr.evaluation.audit.code.findings import CodeAudit, Honest
from tahr.evaluation.audit.findings import Audit, Example, Floor, Group, Pairs, Rate, Timing
from tahr.evaluation.statistics import mean_interval
from tahr.report.audit_page import render_audit, write_audit_json, write_audit_page
from tahr.report.audit_table import audit_tables

PASSED = Example(
    label="a rounded decimal", answer="1/3", text="<b>0.33</b>\u202e", outcome="pass", note="0.33 equals 1/3"
)
AUDIT = Audit(
    verifier="loose",
    sources=("a test",),
    num_tasks=20,
    gold=Rate(count=20, total=20),
    refused_golds=(),
    floors=(
        Floor(policy="empty", text="", reward=mean_interval([0.0] * 20), passes=Rate(count=0, total=20)),
        Floor(policy="a refusal", text="No.", reward=None, passes=Rate(count=0, total=0)),
        Floor(
            policy="best constant",
            text="0",
            reward=mean_interval([0.0] * 15 + [1.0] * 5),
            passes=Rate(count=5, total=20),
        ),
    ),
    pairs=Pairs(
        false_positives=Rate(count=1, total=20),
        false_negatives=Rate(count=0, total=40),
        num_unjudged=3,
        examples=(PASSED,),
    ),
    rephrased=(Group(name="in a sentence", agreed=Rate(count=19, total=20)),),
    spoilt=(Group(name="denied", agreed=Rate(count=18, total=20), examples=(PASSED,)),),
    hostile=Group(name="hostile texts: fail", agreed=Rate(count=120, total=120)),
    repeated=Rate(count=0, total=500),
    changed=(),
    outcomes={"pass": 60, "fail": 400, "cheat": 0, "timeout": 2, "error": 1},
    errors=(),
    timing=Timing(
        num_checks=463,
        rate=12_345.6,
        median=4e-5,
        ninety_ninth=2e-3,
        slowest=PASSED,
        slowest_seconds=0.0123,
        slowest_hostile="deep lists",
        slowest_hostile_seconds=2.5,
    ),
    faults=(),
)


def printed(audit: Audit) -> list[str]:
    output = Console(file=StringIO(), width=160, highlight=False)
    for part in audit_tables(audit):
        output.print(part)
    assert isinstance(output.file, StringIO)
    return [" ".join(line.split()) for line in output.file.getvalue().splitlines()]


def test_the_table_says_everything_once() -> None:
    lines = printed(AUDIT)
    for line in (
        "the tasks' own answers: pass 20 20 100.0% 83.9% to 100.0%",
        "right, in a sentence: pass 19 20 95.0% 76.4% to 99.1%",
        "wrong, denied: fail 18 20 90.0% 69.9% to 97.2%",
        "empty 0.000 0.000 to 0.168 0 20 0.0% 0.0% to 16.1%",
        "a refusal – – 0 0 – –",
        "best constant: 0 0.250 0.042 to 0.458 5 20 25.0% 11.2% to 46.9%",
        "false positives: wrong answers that pass 1 20 5.0% 0.9% to 23.6%",
        "false negatives: right answers that don't 0 40 0.0% 0.0% to 8.8%",
        "3 without a verdict are in neither",
        "60 400 0 2 1",
        "12,346 checks/s in one process over 463 checks; median 40 µs, 99th percentile 2.0 ms",
        "sound: passes its own answers, never fails by itself, says the same twice (500 texts)",
    ):
        assert lines.count(line) == 1, line
    assert any("slowest hostile text 2.50 s: deep lists" in line for line in lines)
    assert not any("\u202e" in line for line in lines)


def test_a_broken_verifier_is_called_broken() -> None:
    broken = replace(AUDIT, faults=("it failed on 7 of 463 checks instead of giving a verdict",), errors=(PASSED,))
    lines = printed(broken)
    assert "broken: it failed on 7 of 463 checks instead of giving a verdict" in lines
    assert not any(line.startswith("sound") for line in lines)
    assert "<b>Broken:</b> it failed on 7 of 463 checks" in render_audit(broken)


def test_no_balanced_score_is_shown() -> None:
    page = render_audit(AUDIT).lower()
    assert not any(word in page for word in ("balanced", "f1", "accuracy"))


def test_the_page_holds_hostile_text_as_text(tmp_path: Path) -> None:
    path = tmp_path / "audit.html"
    write_audit_page(path, AUDIT)
    page = path.read_text(encoding="utf-8")
    assert "&lt;b&gt;0.33&lt;/b&gt;\\u202e" in page
    assert "<b>0.33" not in page
    assert "5.0%" in page
    assert "script-src" not in page
    assert "default-src 'none'" in page


def test_the_json_holds_every_number(tmp_path: Path) -> None:
    path = tmp_path / "audit.json"
    write_audit_json(path, AUDIT)
    found = json.loads(path.read_text(encoding="utf-8"))
    assert found["sound"] is True
    positives = found["pairs"]["false_positives"]
    assert (positives["count"], positives["total"], positives["share"]) == (1, 20, 0.05)
    assert (positives["low"], positives["high"]) == pytest.approx((0.0089, 0.2361), abs=1e-4)
    assert found["floors"][1]["reward"] is None
    assert found["floors"][2]["text"] == "0"
    assert found["outcomes"] == {"pass": 60, "fail": 400, "cheat": 0, "timeout": 2, "error": 1}


def test_the_page_and_the_json_hold_what_programs_were_found_out_too(tmp_path: Path) -> None:
    example = Example(label="exit", answer="reward0", text="<os._exit(0)>", outcome="pass", note="")
    honest = Honest(name="solutions", passed=Rate(count=164, total=164), flagged=Rate(count=0, total=164))
    mutants = Honest(name="of HumanEval", passed=Rate(count=3, total=50), flagged=Rate(count=0, total=50))
    beaten = Group(name="early end", agreed=Rate(count=9, total=9))
    sound = CodeAudit(exploits=(beaten,), honest=(honest,), mistakes=(mutants,), rates={"tahr": 50.0, "python": 5.0})
    lost = Group(name="early end", agreed=Rate(count=8, total=9), examples=(example,))
    broken = replace(sound, exploits=(lost,))
    page = render_audit(AUDIT, broken)
    assert "1 of 9 exploits are not beaten: exit" in page
    assert '<span class="pill failed">broken</span>' in page
    assert "<td>solutions</td>" in page
    assert "<td>mutants of HumanEval</td>" in page
    assert "<td>tahr</td>" in page
    assert "&lt;os._exit(0)&gt;" in page
    assert "Programs that cheat" not in render_audit(AUDIT)
    write_audit_json(tmp_path / "audit.json", AUDIT, broken)
    written = json.loads((tmp_path / "audit.json").read_text())
    assert written["sound"] is False
    assert (written["code"]["rewarded"]["count"], written["code"]["rewarded"]["total"]) == (1, 9)
    assert written["code"]["mistakes"][0]["passed"]["count"] == 3
    assert written["code"]["rates"] == {"tahr": 50.0, "python": 5.0}
    write_audit_json(tmp_path / "audit.json", AUDIT, sound)
    assert json.loads((tmp_path / "audit.json").read_text())["sound"] is True


def test_a_reason_is_whole_on_a_narrow_terminal() -> None:
    note = "breaks " + " ".join(f"keywords:existence_{number}" for number in range(12))
    broken = replace(AUDIT, faults=("it failed on 7 of 463 checks",), errors=(replace(PASSED, note=note),))
    output = Console(file=StringIO(), width=60, highlight=False)
    for part in audit_tables(broken):
        output.print(part)
    assert isinstance(output.file, StringIO)
    assert note in " ".join(output.file.getvalue().split())
