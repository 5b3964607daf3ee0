"""Responses that keep each of the 58 IFBench instructions, and responses that break it, by family.

A case is (id, arguments, responses that keep it, responses that break it).
"""

from typing import Any

Case = tuple[str, dict[str, Any], list[str], list[str]]
