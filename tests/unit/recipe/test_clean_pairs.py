"""Pairs that hold a question of the evaluation are left out, in both splits, whatever part of them holds it."""

from tahr.core.preferences import Pair
from tahr.core.types import Message
from tahr.data.decontaminate import QuestionIndex
from tahr.data.preferences.files import PairFile
from tahr.data.preferences.sets import PairSet
from tahr.recipe.stages.clean_pairs import clean_pairs

QUESTION = "How many apples are left when six of nine are eaten?"


class Questions:
    """What a session does about rows, with one question."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []

    def without_questions(self, kind, name, rows, *, text, place):
        index = QuestionIndex([("q", QUESTION)])
        self.asked.append((kind, name))
        assert all(place(row).startswith("pair ") for row in rows)
        return [row for row in rows if not index.find(text(row))]


def pair(prompt: str, chosen: str, rejected: str) -> Pair:
    return Pair(prompt=(Message(role="user", content=prompt),), chosen=chosen, rejected=rejected)


def test_a_pair_is_contaminated_by_its_prompt_or_either_answer() -> None:
    clean = [pair("Hello", "Ho", "Hi"), pair("Why?", "Because", "No")]
    tainted = [pair(QUESTION, "3", "4"), pair("a", QUESTION, "c"), pair("a", "b", f"So: {QUESTION.upper()}")]
    given = PairSet(
        name="p",
        train=(*tainted[:2], clean[0]),
        validation=(clean[1], tainted[2]),
        weight=1.0,
        read=PairFile(pairs=(), format="tahr", counts={}),
    )
    session = Questions()
    found = clean_pairs(session, {"p": given}, stage="dpo")["p"]  # pyright: ignore[reportArgumentType]
    assert (found.train, found.validation) == ((clean[0],), (clean[1],))
    clean_pairs(session, {"build": given}, stage="dpo", built="build")  # pyright: ignore[reportArgumentType]
    assert session.asked == [("pairs", "dpo.p"), ("built", "dpo.build")]  # what is built asks the run's own tasks
