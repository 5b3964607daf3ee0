"""Tags that must be there: which, in which order, inside which."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from tahr.core.errors import InputError
from tahr.core.protocols import verifiers
from tahr.core.ranges import BINARY, PARTIAL, RewardRange
from tahr.core.types import Task, Verdict, failed, passed
from tahr.core.visible import without_blank_ends
from tahr.verifiers.example import shown_text
from tahr.verifiers.structured.fences import last_block
from tahr.verifiers.structured.per_task import check_wanted, wanted
from tahr.verifiers.structured.tag_tree import MAX_DEPTH, MalformedError, Tree, read_tags, read_xml
from tahr.verifiers.text import outside_thinking

Path = Annotated[str, Field(pattern=r"^[A-Za-z_][\w.:-]{0,63}(/[A-Za-z_][\w.:-]{0,63})*$")]


@verifiers.register("tags")
@dataclass(frozen=True, slots=True, kw_only=True)
class Tags:
    """Each of the tags is there exactly once, in order, in its place, with something in it.

    ``"answer/value"`` is a ``<value>`` straight inside ``<answer>``. With syntax "tags" they stand bare in any text;
    with "xml" the answer is one XML document (the last fenced block, else the whole text), read without entities.
    Without arguments, each task's `answer` is a table of them.
    """

    tags: Annotated[tuple[Path, ...], Field(max_length=50, description="paths, each after the one around it")] = ()
    syntax: Annotated[Literal["tags", "xml"], Field(description="bare tags in a text, or a document")] = "tags"
    ordered: Annotated[bool, Field(description="they open in the order in which they are listed")] = True
    only: Annotated[bool, Field(description="no text outside of them, and in a document no other tags")] = False
    may_be_empty: Annotated[bool, Field(description="nothing need stand in them")] = False
    partial: Annotated[bool, Field(description="what fails is worth the share of tags that are right")] = False

    def __post_init__(self) -> None:
        for place, path in enumerate(self.tags):
            around = path.rpartition("/")[0]
            if around and around not in self.tags[:place]:
                raise InputError(f"the tag {path!r} is listed without {around!r} before it", received=self.tags)
            if path in self.tags[:place] or path.count("/") >= MAX_DEPTH:
                raise InputError(f"the tag {path!r} is listed twice, or too deep", received=self.tags)
        asked = (self.syntax, self.ordered, self.only, self.may_be_empty, self.partial)
        if not self.tags and asked != ("tags", True, False, False, False):
            raise InputError("no tags are listed", instead='tags = ["reasoning", "answer"]')

    @property
    def reward_range(self) -> RewardRange:
        """Partial credit only where it is asked for, which may be up to each task."""
        return PARTIAL if self.partial or not self.tags else BINARY

    def check_task(self, task: Task) -> None:
        """Raise InputError where it isn't said what is wanted."""
        check_wanted(self, task, "tags")

    def verify(self, task: Task, text: str) -> Verdict:
        """PASS where all are as wanted; the parts are ``well_formed`` and ``right``, the share of tags that are."""
        form = wanted(self, task)
        try:
            tree = form._read(text)
        except MalformedError as error:
            return failed(str(error), parts={"well_formed": 0.0, "right": 0.0})
        faults = form._faults(tree)
        right = len(form.tags) - len(faults)
        parts = {"well_formed": 1.0, "right": right / len(form.tags)}
        fault = next(iter(faults.values()), "") or form._whole_fault(tree)
        if fault:
            # the whole counts as one more, so that right tags in a wrong order are worth less than all
            return failed(fault, value=right / (len(form.tags) + 1) if form.partial else 0.0, parts=parts)
        return passed("all tags are in their places", parts=parts)

    def gold(self, task: Task) -> str | None:
        """The task's example, or its answer where that is text; None without either."""
        return shown_text(task)

    def _read(self, text: str) -> Tree:
        names = {name for path in self.tags for name in path.split("/")}
        read = text if "think" in names else outside_thinking(text, unless=names)
        if self.syntax == "tags":
            return read_tags(read, names)
        return read_xml(without_blank_ends(last_block(read, "xml") or read))

    def _faults(self, tree: Tree) -> dict[str, str]:
        """What is wrong with each tag that is not right."""
        count = Counter(element.path for element in tree.elements)
        filled = {element.path for element in tree.elements if element.filled}
        faults: dict[str, str] = {}
        for path in self.tags:
            if count[path] != 1:
                faults[path] = f"<{path}> is there {count[path]} times, not once"
            elif path not in filled and not self.may_be_empty:
                faults[path] = f"<{path}> is empty"
        return faults

    def _whole_fault(self, tree: Tree) -> str:
        """What is wrong with the text though each tag is right."""
        found = [element.path for element in tree.elements]
        others = [path for path in found if path not in self.tags]
        if others and (self.only or self.syntax == "tags"):
            return f"<{others[0][:80]}> is in no place that was asked for"
        if self.only and tree.outside:
            return "text outside the tags"
        if self.ordered and [path for path in found if path in self.tags] != list(self.tags):
            return "the tags are in another order"
        return ""
