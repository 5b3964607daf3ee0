"""Run untrusted programs: a fork server kept apart from every answer, namespaces, limits, and honest reports."""

from tahr.sandbox.levels import LEVELS, Probe, best, probe
from tahr.sandbox.local import LocalSandbox
from tahr.sandbox.protocol import Call, CallResult, Claim, Command, Limits, Reason, RunResult, Sandbox, Script
from tahr.sandbox.remote import HttpSandbox

__all__ = [
    "LEVELS",
    "Call",
    "CallResult",
    "Claim",
    "Command",
    "HttpSandbox",
    "Limits",
    "LocalSandbox",
    "Probe",
    "Reason",
    "RunResult",
    "Sandbox",
    "Script",
    "best",
    "probe",
]
