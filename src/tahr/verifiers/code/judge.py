"""Assertions, judged where the candidate never runs.

`judge` is run in a sandbox of its own, which holds the tests and their expected values and no candidate. The function
that the tests call is a stand-in there: it answers from a table of what the candidate returned elsewhere, and notes the
calls that are not in the table yet. So the tests are run again and again, with a fuller table each time, until nothing
is open.
"""

from __future__ import annotations

import inspect

from tahr.verifiers.code import inside_judge

SOURCE = inspect.getsource(inside_judge)
"""The program that the judge's sandbox is given."""

MAX_PASSES = 60
"""Times that the tests are run; each must answer at least one call."""
