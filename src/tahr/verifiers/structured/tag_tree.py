"""Tags in a text as a flat list of elements with their places: from loose tags, or from strict XML."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any
from xml.parsers import expat

from tahr.core.visible import says_nothing

MAX_DEPTH = 32
MAX_TAGS = 10_000
MAX_XML_CHARS = 100_000
_NO_TAGS = r"<!--(?:-?>|.*?(?:--!?>|\Z))|<!\[CDATA\[(?P<cdata>.*?)(?:\]\]>|\Z)|<\?.*?(?:\?>|\Z)"


class MalformedError(Exception):
    """The tags don't nest, or the text is no XML that is read here; the message says why."""


@dataclass(slots=True, kw_only=True)
class Element:
    """One pair of tags: its path from the outermost, and whether a reader sees anything in it.

    Example: ``Element(path="answer/value", filled=True)``
    """

    path: str
    filled: bool = False


@dataclass(slots=True)
class Tree:
    """Elements in the order in which they open; `outside` says whether text stands outside all of them."""

    elements: list[Element] = field(default_factory=list[Element])
    outside: bool = False
    _open: list[tuple[str, Element]] = field(default_factory=list[tuple[str, Element]])

    def opens(self, name: str) -> None:
        """Go into a new element. Raises MalformedError beyond the bounds."""
        if len(self._open) >= MAX_DEPTH or len(self.elements) >= MAX_TAGS:
            raise MalformedError(f"more than {MAX_TAGS} tags, or nested more than {MAX_DEPTH} deep")
        path = f"{self._open[-1][1].path}/{name}" if self._open else name
        for _, around in self._open:
            around.filled = True
        element = Element(path=path)
        self.elements.append(element)
        self._open.append((name, element))

    def closes(self, name: str) -> None:
        """Leave the innermost element. Raises MalformedError where it has another name."""
        if not self._open or self._open[-1][0] != name:
            within = f"inside <{self._open[-1][0]}>" if self._open else "and was never opened"
            raise MalformedError(f"</{name}> stands {within}")
        self._open.pop()

    def says(self, text: str) -> None:
        """Text between two tags."""
        if says_nothing(text):
            return
        self.outside = self.outside or not self._open
        for _, around in self._open:
            around.filled = True

    def hides(self) -> None:
        """Something that no reader sees: it fills no element."""
        self.outside = self.outside or not self._open

    def ends(self) -> None:
        """Raise MalformedError where an element is still open."""
        if self._open:
            raise MalformedError(f"<{self._open[-1][0]}> is never closed")


def read_tags(text: str, names: Iterable[str]) -> Tree:
    """The elements of these names; all other text, other tags among it, is content. Raises MalformedError.

    Tags in a comment, a CDATA section or a processing instruction are none. A CDATA section is content; the others
    are content of no element, and outside of all elements they stand for text.
    """
    tree, position = Tree(), 0
    tag = re.compile(f"{_NO_TAGS}|<(/?)({'|'.join(map(re.escape, sorted(names, reverse=True)))})>", re.DOTALL)
    for found in tag.finditer(text):
        tree.says(text[position : found.start()])
        position = found.end()
        if found["cdata"] is not None:
            tree.says(found["cdata"])
        elif found[0].startswith(("<!", "<?")):
            tree.hides()
        else:
            (tree.closes if found[2] else tree.opens)(found[3])
    tree.says(text[position:])
    tree.ends()
    return tree


def read_xml(text: str) -> Tree:
    """The elements of an XML document. Raises MalformedError, whatever the text is.

    A document type is refused before anything in it is read: no entity is ever declared, expanded or fetched.
    """
    if len(text) > MAX_XML_CHARS:
        raise MalformedError(f"longer than {MAX_XML_CHARS} characters")
    tree = Tree()
    parser: Any = expat.ParserCreate()
    parser.buffer_text = True

    def refuse(*_: object) -> None:
        raise MalformedError("document types and entities are not read")

    def opens(name: str, _attributes: object) -> None:
        tree.opens(name)

    parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = parser.ExternalEntityRefHandler = refuse
    parser.StartElementHandler = opens
    parser.EndElementHandler = tree.closes
    parser.CharacterDataHandler = tree.says
    try:
        parser.Parse(text, True)
    except (expat.ExpatError, ValueError) as error:
        raise MalformedError(f"not XML: {str(error)[:200]}") from None
    return tree
