"""All families by name."""

from __future__ import annotations

from tahr.data.code.families import algorithms, lists, one_liners, records, texts
from tahr.data.code.family import Family

FAMILIES: dict[str, Family] = {
    family.name: family
    for family in (*one_liners.FAMILIES, *lists.FAMILIES, *texts.FAMILIES, *records.FAMILIES, *algorithms.FAMILIES)
}
