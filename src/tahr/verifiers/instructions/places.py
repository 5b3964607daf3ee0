"""The capitals of Europe north of 45 degrees and the countries of Africa, with the names that people use for them."""

from __future__ import annotations

from functools import lru_cache

from tahr.verifiers.instructions.letters import plain

_CAPITALS = """Reykjavik; Helsinki; Oslo; Tallinn; Stockholm; Riga; Moscow; Copenhagen; Vilnius; Minsk; Dublin; Berlin;
    Amsterdam; Warsaw; London; Brussels; Kyiv = Kiev; Prague; Luxembourg = Luxembourg City; Paris; Vienna; Bratislava;
    Budapest; Vaduz; Chisinau; Bern = Berne; Ljubljana; Zagreb"""
"""From north to south; latitudes between 64.1 (Reykjavik) and 45.8 (Zagreb) degrees."""

_COUNTRIES = """Algeria; Angola; Benin; Botswana; Burkina Faso; Burundi; Cameroon; Cape Verde = Cabo Verde;
    Central African Republic; Chad; Comoros = Union of the Comoros;
    Democratic Republic of the Congo = Democratic Republic of Congo = DR Congo = DRC = Congo Kinshasa =
    Congo Democratic Republic of the = Congo Democratic Republic = Congo DRC = Congo DR = Congo Democratic Republic of =
    Democratic Republic of the Congo DRC = Democratic Republic of the Congo DR Congo;
    Republic of the Congo = Republic of Congo = Congo = Congo Brazzaville = Congo Republic of the = Congo Republic =
    Congo Republic of = Republic of the Congo Congo Brazzaville = Republic of the Congo Brazzaville;
    Djibouti; Egypt; Equatorial Guinea; Eritrea; Eswatini = Swaziland = Eswatini Swaziland =
    Eswatini formerly Swaziland; Ethiopia; Gabon; Gambia; Ghana; Guinea; Guinea Bissau;
    Ivory Coast = Cote d Ivoire = Cote d Ivoire Ivory Coast = Ivory Coast Cote d Ivoire; Kenya; Lesotho; Liberia; Libya;
    Madagascar; Malawi; Mali; Mauritania; Mauritius; Morocco; Mozambique; Namibia; Niger; Nigeria; Rwanda;
    Sao Tome and Principe; Senegal; Seychelles; Sierra Leone; Somalia; South Africa; South Sudan; Sudan;
    Tanzania = United Republic of Tanzania; Togo; Tunisia; Uganda; Zambia; Zimbabwe"""

OPTIONAL_CAPITAL = "astana"
"""Kazakhstan lies partly in Europe; its capital (51.1 degrees) may be listed between London and Brussels."""

OPTIONAL_COUNTRIES = frozenset({"western sahara", "sahrawi arab democratic republic", "somaliland"})
"""Territories whose standing is disputed may be listed."""


def place_key(name: str) -> str:
    """A name as it is looked up and sorted: case-folded, without accents, marks and a leading "the".

    >>> place_key("The Gambia"), place_key("Côte d’Ivoire")
    ('gambia', 'cote d ivoire')
    """
    words = "".join(mark if mark.isalnum() else " " for mark in plain(name)).split()
    if words[-1:] == ["the"] and "of" not in words:
        words = words[:-1]
    return " ".join(words[1:] if words[:1] == ["the"] else words)


def _read(table: str) -> list[list[str]]:
    return [[place_key(name) for name in entry.split("=")] for entry in table.split(";")]


@lru_cache(maxsize=1)
def capitals() -> tuple[tuple[str, ...], ...]:
    """Keys of the names of each capital, from north to south."""
    return tuple(tuple(names) for names in _read(_CAPITALS))


@lru_cache(maxsize=1)
def countries() -> dict[str, str]:
    """The key of each name of a country to the key of its first name."""
    return {name: names[0] for names in _read(_COUNTRIES) for name in names}
