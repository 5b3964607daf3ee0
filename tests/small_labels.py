"""Pairs to label, hostile ones among them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

from tahr.core.preferences import Pair
from tahr.core.types import Message
from tahr.data.labels.files import LabelFile
from tahr.data.labels.label import comparisons_of
from tahr.labelling.desk import Desk
from tahr.labelling.server import LabelServer

HOSTILE = "<script>document.title='taken'</script><img src=x onerror=\"document.title='taken'\"><b>bold</b> &amp;"


def pair(prompt: str, chosen: str, rejected: str, **provenance: object) -> Pair:
    return Pair(prompt=(Message(role="user", content=prompt),), chosen=chosen, rejected=rejected, provenance=provenance)


def pairs(count: int = 4) -> list[Pair]:
    return [pair(f"What is {n} + {n}?", f"{2 * n}", f"{2 * n + 1}", chosen_model="secret-7b") for n in range(count)]


def desk(path: Path, of: list[Pair], who: str = "ada", seed: int = 0) -> Desk:
    return Desk(list(comparisons_of(of).values()), LabelFile(path), who=who, seed=seed)


@contextmanager
def serving(of: Desk) -> Iterator[LabelServer]:
    with LabelServer(of) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
