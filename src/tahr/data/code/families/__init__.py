"""All families by name."""

from __future__ import annotations

from tahr.data.code.families import algorithms, lists, texts
from tahr.data.code.family import Family

FAMILIES: dict[str, Family] = {
    family.name: family for family in (*lists.FAMILIES, *texts.FAMILIES, *algorithms.FAMILIES)
}
