"""Run untrusted programs: a fork server kept apart from every answer, namespaces, limits, and honest reports."""

from tahr.sandbox.levels import LEVELS, Probe, best, probe
from tahr.sandbox.local import LocalSandbox
from tahr.sandbox.protocol import Call, CallResult, Claim, Command, Limits, Reason, RunResult, Sandbox, Script
from tahr.sandbox.remote import HttpSandbox
from tahr.sandbox.session import CellResult, LocalSession, Session

__all__ = [
    "LEVELS",
    "Call",
    "CallResult",
    "CellResult",
    "Claim",
    "Command",
    "HttpSandbox",
    "Limits",
    "LocalSandbox",
    "LocalSession",
    "Probe",
    "Reason",
    "RunResult",
    "Sandbox",
    "Script",
    "Session",
    "best",
    "probe",
]
