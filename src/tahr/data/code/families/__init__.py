"""All families by name."""

from __future__ import annotations

from tahr.data.code.families import algorithms, lists, one_liners, records, scans, texts
from tahr.data.code.family import Family

FAMILIES: dict[str, Family] = {
    family.name: family for part in (one_liners, lists, texts, records, scans, algorithms) for family in part.FAMILIES
}
