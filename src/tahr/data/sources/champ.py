"""CHAMP: 270 competition problems with concepts and hints (Mao, Kim, Zhou 2024, arXiv:2401.06961); for evaluation."""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, cast

from pydantic import Field

from tahr.core.errors import InputError, MissingExtraError
from tahr.core.protocols import task_sources
from tahr.core.seeding import stream
from tahr.core.types import Task
from tahr.data.columns import Column, RowError, tasks_of
from tahr.data.rows import Row
from tahr.data.sources.champ_answers import answer_of
from tahr.data.sources.published import ASK_ANSWER, text_in
from tahr.data.sources.stream import question

PACKAGE = "champ-dataset"
PACKAGED = "champ_dataset/dataset_files/v0.json"

Help = Literal["concepts", "hints"]


@task_sources.register("champ")
@dataclass(frozen=True, slots=True, kw_only=True)
class Champ:
    """CHAMP's 270 competition problems, alone or with the concepts and hints that belong to them; for evaluation.

    Domains are its categories. No code of the package is run.
    """

    evaluation_only: ClassVar[bool] = True
    finite: ClassVar[bool] = True
    packaged: ClassVar[str] = PACKAGED

    path: Annotated[Column, Field(description="the data set's own JSON file, instead of the package's")] = None
    given: Annotated[tuple[Help, ...], Field(description="what stands behind the problem")] = ()

    def generate(self, count: int, seed: int) -> list[Task]:
        """`count` tasks in a seeded order. Raises MissingExtraError, or InputError for a file that is not CHAMP's."""
        path = Path(self.path).expanduser() if self.path is not None else _packaged()
        try:
            tables: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            rows = [
                Row(place=f"{path.name}, {name}", values=values)
                for name, values in cast("dict[str, dict[str, Any]]", tables["problems"]).items()
            ]
            texts = {
                name: str(entry["_text"])
                for kind in ("concepts", "hints")
                for name, entry in cast("dict[str, dict[str, Any]]", tables[kind]).items()
            }
        except OSError as error:
            raise InputError(f"{path} can't be read: {error.strerror}", received=path) from None
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise InputError(
                f"{path} is not CHAMP's file: {type(error).__name__}: {error}",
                instead="a JSON table with problems, concepts and hints",
            ) from None
        tasks = tasks_of(rows, lambda row: self._task(row, texts))
        stream(seed, "tasks.champ").shuffle(tasks)
        return tasks[:count]

    def _task(self, row: Row, texts: dict[str, str]) -> Task:
        """One problem. Raises RowError."""
        verifier, answer = answer_of(text_in(row, "_raw_answer"))
        asked, category = text_in(row, "_text"), text_in(row, "category")
        return Task(
            prompt=question("\n\n".join([asked, *self._help(row, texts), ASK_ANSWER])),
            answer=answer,
            verifier=verifier,
            domain=category.lower().replace("-", "_"),
            meta={"row": row.place, "question": asked, "id": text_in(row, "identifier"), "category": category},
        )

    def _help(self, row: Row, texts: dict[str, str]) -> list[str]:
        """The texts that stand behind the problem: H_ names hints, C_ concepts."""
        names = cast("list[str]", row.values.get("ch_list") or [])
        if unknown := [name for name in names if name not in texts]:
            raise RowError(f"no concept or hint is called {unknown[0]!r}")
        wanted = tuple({"concepts": "C_", "hints": "H_"}[kind] for kind in self.given)
        listed = [f"- {texts[name]}" for name in dict.fromkeys(names) if wanted and name.startswith(wanted)]
        return ["\n".join(["What may help:", *listed])] if listed else []


def _packaged() -> Path:
    try:
        return Path(str(distribution(PACKAGE).locate_file(PACKAGED)))
    except PackageNotFoundError:
        raise MissingExtraError(PACKAGE, extra="champ", needed_for="the task source 'champ'") from None
