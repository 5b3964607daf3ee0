"""Signs of cheating, each with its evidence. None of them decides alone whether a program is right: tests do that."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tahr.sandbox import CallResult, Claim, Reason, RunResult
from tahr.verifiers.code.grade import TestResult
from tahr.verifiers.code.source_signs import signs_in


@dataclass(frozen=True, slots=True, kw_only=True)
class Flag:
    """One sign of cheating.

    Example: ``Flag(name="exit", evidence="ended with status 0 before it returned")``
    """

    name: str
    evidence: str


_RUN_LATER = r"\.(?:py|pth|pyc|so)|(?:^|[/'])(?:setup\.cfg|(?:pytest|tox)\.ini|pyproject\.toml)"
"""Names of files that a later run would execute, or take its tests' settings from."""

_OF_THE_MACHINE = "os-release|localtime|timezone|mime.types"
"""Files that the standard library looks into for its own questions."""

_EVENTS: tuple[tuple[str, str], ...] = (
    ("network", r"socket\.(?:connect|bind|getaddrinfo|gethostbyname|sendto)"),
    (
        "processes",
        r"os\.(?:fork|forkpty|posix_spawn|exec|system|kill|killpg)|subprocess\.Popen|pty\.spawn|signal\.pthread_kill",
    ),
    ("grader", r"gc\.get_(?:objects|referrers|referents)|sys\._(?:getframe|current_frames|getframemodulename)"),
    ("grader", rf"(?:open|os\.(?:symlink|link)) '(?:/(?:proc\b|root\b|home\b|etc/(?!{_OF_THE_MACHINE})|sys\b)|\.\./)"),
    ("grader", r"(?:os\.(?:listdir|scandir)|glob\.glob)(?: .*)?"),
    (
        "tampering",
        r"sys\.(?:settrace|setprofile|addaudithook)|code\.__new__|function\.__new__"
        r"|resource\.(?:setrlimit|prlimit)(?! 3 )",  # a larger stack is an honest wish
    ),
    ("tampering", r"ctypes\.(?:string_at|cdata)"),
    ("editing", rf"open '[^']*(?:{_RUN_LATER})' [wax+]"),
)
"""What the sandbox saw, by the flag that it raises; patterns match the beginning of an event."""
_PATTERNS = tuple((name, re.compile(pattern)) for name, pattern in _EVENTS)
_EDITED = re.compile(rf"(?:{_RUN_LATER})$")


def flags_of(source: str, results: Sequence[TestResult], *, stdio: bool) -> list[Flag]:
    """The signs in a program's source and in what its runs did; one of each name, the first evidence."""
    runs = {id(run): run for result in results for run in result.runs}.values()
    found = [*signs_in(source), *(sign for run in runs for sign in _signs_of(run, stdio))]
    return [Flag(name=name, evidence=evidence[:300]) for name, evidence in dict(reversed(found)).items()]


def _signs_of(result: CallResult | RunResult, stdio: bool) -> Iterable[tuple[str, str]]:
    run = result if isinstance(result, RunResult) else result.run
    for event in run.events:
        yield from ((name, event) for name, pattern in _PATTERNS if pattern.match(event))
    if run.survivors:
        yield "survivors", f"{run.survivors} processes outlived the program"
    if edited := [name for name in run.written if _EDITED.search(name)]:
        yield "editing", f"wrote {', '.join(edited)}"
    if not stdio and isinstance(result, CallResult):
        yield from _endings(result)


def _endings(result: CallResult) -> Iterable[tuple[str, str]]:
    """A call that ends the program as if all were well, or says what only the machinery says."""
    run = result.run
    if result.claim is Claim.FORGED:
        yield "forged", run.error or "wrote to the private pipe"
    elif result.claim is Claim.MISSING and run.reason is Reason.FINISHED and run.status == 0:
        yield "exit", "ended with status 0 before it returned"
    elif result.claim is Claim.RAISED and ": SystemExit" in run.error and run.status == 0:
        yield "exit", "left by SystemExit before it returned"
    elif result.claim is Claim.RAISED and ": SkipTest" in run.error:
        yield "exit", "asked for the test to be skipped"
