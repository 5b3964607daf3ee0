"""The page of an evaluation's results: what it says, and that text of models can't harm it."""

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from small_attempts import attempt, evaluation
from small_results import CONDITIONS, bare, results_run
from tahr.report.page import render
from tahr.report.questions import BLOCK, blocks_of, kind_counts, questions_of
from tahr.store.evaluations import evaluation_paths


class Page(HTMLParser):
    """Tags with their attributes, and the text; fails on a tag that is closed but not open."""

    VOID = ("meta", "input")

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self._open: list[str] = []
        self.feed(html)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data

    def classes(self, first: str) -> list[set[str]]:
        """The classes of every element whose first class is `first`."""
        found = [(attributes.get("class") or "").split() for _, attributes in self.tags]
        return [set(one) for one in found if one and one[0] == first]


def test_scores_pairs_and_conditions(tmp_path):
    html = render(results_run(tmp_path))
    page = Page(html)
    assert "small on sums, all" in page.text
    for heading in ("Scores", "Without and with", "Questions", "Conditions, and how to make this again"):
        assert f"<h2>{heading}</h2>" in html
    assert "0.625" in page.text
    assert "+0.375" in page.text  # all right with steps
    assert "1.50 million parameters" in page.text
    assert "9f86d081884c7d65" in page.text
    assert "1 min 30 s" in page.text
    assert "tahr eval org/small --suite sums.toml" in page.text


def test_a_pair_that_was_not_asked_is_not_shown(tmp_path):
    html = render(results_run(tmp_path, bare()))
    assert "Without and with" not in html and "<h2>Scores</h2>" in html


def test_an_evaluation_that_ended_before_its_first_setting_has_a_page(tmp_path):
    run = results_run(tmp_path)
    for path in evaluation_paths(run.folder):
        path.unlink()
    assert "small on sums, all" in Page(render(run)).text


def test_every_question_is_there_and_says_how_it_went(tmp_path):
    page = Page(render(results_run(tmp_path)))
    assert page.classes("question") == [
        {"question", "is-right"},
        {"question", "is-mixed", "is-differs", "is-cut"},
        {"question", "is-mixed", "is-differs"},
        {"question", "is-right", "is-absent"},
    ]
    assert re.findall(r"[✓✗]|\d/\d", page.text.split("finds what is folded, too.")[1])[:4] == ["2/2", "✓", "1/2", "✓"]
    choices = [attributes["id"] for tag, attributes in page.tags if tag == "input"]
    assert choices == ["show-all", "show-right", "show-mixed", "show-differs", "show-cut", "show-absent"]
    assert "the judge died" in page.text
    assert "read as 5" in page.text


def test_kinds_and_blocks():
    rows = [attempt(f"{n:03}", correct=float(n % 2), domain="x" if n < 60 else "w") for n in range(70)]
    questions = questions_of([evaluation(*rows)])
    assert [one.number for one in questions] == list(range(1, 71))
    assert [one.domain for one in questions][:11] == ["w"] * 10 + ["x"]
    assert [(one.domain, len(one.questions)) for one in blocks_of(questions)] == [("w", 10), ("x", BLOCK), ("x", 10)]
    assert kind_counts(questions) == {"right": 35, "wrong": 35}


def test_without_a_part_correct_the_reward_counts():
    (one,) = questions_of([evaluation(attempt("a", correct=0.5, parts={}))])
    assert (one.kinds, one.sides[0].mark) == (("wrong",), "✗")


def test_one_scored_answer_of_two_is_one_of_one():
    (one,) = questions_of([evaluation(attempt("a"), attempt("a", index=1, correct=None))])
    assert one.sides[0].mark == "1/1"


HOSTILE = "</pre><script>alert(1)</script><img src=x onerror=alert(1)> {{ 7 * 7 }} \u202egnp.exe \x1b[31m"


def test_no_text_reaches_the_page_as_markup(tmp_path):
    row = attempt(
        "a", text=HOSTILE, prompt=HOSTILE, note=HOSTILE, answer=HOSTILE, extracted=HOSTILE, domain=HOSTILE,
        cluster=HOSTILE, parts={"correct": 1.0, HOSTILE: 0.5},
    )  # fmt: skip
    conditions = replace(CONDITIONS, model=HOSTILE, suite=HOSTILE, training=HOSTILE)
    html = render(results_run(tmp_path, evaluation(row, name="bare", conditions=conditions)))
    page = Page(html)
    assert not {"script", "img", "link", "iframe"} & {tag for tag, _ in page.tags}
    assert not [name for _, attributes in page.tags for name in attributes if name.startswith("on")]
    assert "\u202e" not in html
    assert "\x1b" not in html
    assert "{{ 7 * 7 }}" in page.text
    assert not {"src", "href"} & {name for _, attributes in page.tags for name in attributes}


def test_nothing_scored_is_said(tmp_path):
    page = Page(render(results_run(tmp_path, evaluation(attempt("a", correct=None), conditions=CONDITIONS))))
    assert "nothing was scored" in page.text


@pytest.mark.parametrize(("num", "is_open"), [(20, True), (150, False)])
def test_many_questions_are_folded_at_first(tmp_path, num, is_open):
    rows = [attempt(f"{n:03}") for n in range(num)]
    page = Page(render(results_run(tmp_path, evaluation(*rows, conditions=CONDITIONS))))
    folds = [attributes for tag, attributes in page.tags if "fold" in (attributes.get("class") or "").split()]
    assert ["open" in one for one in folds] == [is_open] * len(folds)


def test_long_answers_are_cut_where_there_are_many(tmp_path, monkeypatch):
    run = results_run(tmp_path, evaluation(attempt("a", text="x" * 5_000), conditions=CONDITIONS))
    assert "x" * 5_000 in render(run)
    monkeypatch.setattr("tahr.report.results_page._MAX_OF_ALL", 1_000)
    cut = render(run)
    assert "x" * 501 not in cut
    assert "4,000 characters left out" in cut


def test_tokens_and_confidence_are_told_where_they_are_known(tmp_path):
    rows = [
        attempt(f"q{task}", index=index, correct=float(index == 0), tokens=10 + 20 * index, extracted=str(index % 2))
        for task in range(8)
        for index in range(3)
    ]
    html = render(results_run(tmp_path, evaluation(*rows, conditions=CONDITIONS)))
    section = html.split("<h2>Tokens and confidence</h2>")[1].split("</section>")[0]
    tokens, confidence = (re.findall(r"<td[^>]*>(.*?)</td>", part) for part in section.split("</table>")[:2])
    # all questions alike: the interval is Clopper and Pearson's for the share that might have spent all 64 tokens
    assert tokens == ["bare", "24", "<b>30</b>", "18.9 to 42.6", "10", "40", "0.000", "–"]
    # the first and the third attempt agree: confidences 1/2, 0 and 1/2, of which 1/2, 0 and 1/2 are right
    assert confidence[:6] == ["bare", "agreement", "24", "0.333", "0.333", "<b>0.000</b>"]
    assert confidence[8:] == ["0.750", "0.750 to 0.750"]
    assert "tahr effort" in section


def test_nothing_is_said_of_tokens_that_nobody_counted(tmp_path):
    rows = [attempt(f"q{task}", tokens=None) for task in range(3)]
    page = Page(render(results_run(tmp_path, evaluation(*rows, conditions=CONDITIONS))))
    assert "Tokens and confidence" not in page.text
    assert "pass, – tokens" in page.text
