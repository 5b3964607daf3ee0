"""The table of a reward model's evaluation says what its lines are, and what can't be reached."""

from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console

from tahr.core.types import Message
from tahr.evaluation.preferences.contest import REWARD_BENCH, Contest
from tahr.evaluation.preferences.judged import judge
from tahr.evaluation.preferences.scored import ScoredContest
from tahr.report.reward_table import reward_table


def shown(*rows: tuple[str, str]) -> str:
    """The table of rows (domain, id), in each of which the chosen answer wins."""
    contests = [
        ScoredContest(
            contest=Contest(
                id=name, domain=domain, prompt=(Message(role="user", content="?"),), chosen=("a",), rejected=("b",)
            ),
            scores=(1.0, 0.5),
            lengths=(2, 2),
        )
        for domain, name in rows
    ]
    text = StringIO()
    Console(file=text, width=200).print(reward_table(judge("x.jsonl", REWARD_BENCH, contests, num_excluded=0, seed=0)))
    return text.getvalue()


def test_rows_without_a_subset_are_not_called_a_mean() -> None:
    text = shown(("", "1"), ("", "2"))
    assert [text.count(words) for words in ("no subset named", "mean of 1 domain", "domains")] == [1, 1, 0]


def test_the_mean_over_some_domains_says_of_how_many() -> None:
    text = shown(("Math", "1"), ("", "2"))
    assert [text.count(words) for words in ("Math", "no subset named", "mean of 2 domains")] == [1, 1, 1]


@pytest.mark.parametrize(
    ("ids", "words"),
    [
        (("ref:0", "ref:1"), "the Ties have no tied:N rows: their score can reach 0.3 at most"),
        (("tied:0",), "the Ties have no ref:N rows: their score can reach 0.3 at most"),
        (("ref:0", "tied:1"), "the Ties have no prompts in both rows: their score can reach 0.6 at most"),
    ],
)
def test_ties_that_lack_rows_say_what_they_can_reach(ids: tuple[str, ...], words: str) -> None:
    assert words in " ".join(shown(*(("Ties", one) for one in ids)).split())


def test_whole_ties_say_nothing() -> None:
    assert "can reach" not in shown(("Ties", "ref:0"), ("Ties", "tied:0"), ("Ties", "ref:1"))
