"""Labels are joined by what they compare, survive crashes, and are read as they were meant."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from small_labels import pair, pairs
from tahr.core.errors import InputError
from tahr.core.preferences import JudgmentState, content_id
from tahr.data.labels.files import LabelFile, read_labels
from tahr.data.labels.label import Comparison, Label, label_of_pair, make_label, relabelled
from tahr.data.preferences.files import write_pairs


def judged(comparison: Comparison, who: str = "ada", *, second: bool = False) -> Label:
    better = comparison.second if second else comparison.first
    return make_label(comparison, who, JudgmentState.JUDGED, preferred=better[0])


def test_a_comparison_does_not_depend_on_which_answer_a_file_chose() -> None:
    one, other = pair("q", "a", "b"), pair("q", "b", "a")
    assert one.id != other.id
    assert Comparison.of(one) == Comparison.of(other)
    assert {label_of_pair(one, "x").verdict, label_of_pair(other, "x").verdict} == {"first", "second"}


def test_the_newest_label_counts_and_a_revocation_leaves_none(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    first, second = (Comparison.of(one) for one in pairs(2))
    book = LabelFile(path)
    book.add(judged(first))
    book.add(judged(second))
    book.add(judged(first, second=True))
    book.add(judged(first, "bob"))
    book.revoke("ada", second.id)
    for current in (book, LabelFile(path)):
        assert {name: label.verdict for name, label in current.of("ada").items()} == {first.id: "second"}
        assert {name: label.verdict for name, label in current.of("bob").items()} == {first.id: "first"}
    assert len(path.read_text().splitlines()) == 5  # nothing was rewritten
    with pytest.raises(KeyError):
        book.revoke("ada", second.id)


def test_what_a_crash_cut_off_is_no_label_and_spoils_none(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    first, second, third = (Comparison.of(one) for one in pairs(3))
    LabelFile(path).add(judged(first))
    LabelFile(path).add(judged(second))
    path.write_bytes(path.read_bytes()[:-20])
    book = LabelFile(path)
    assert list(book.of("ada")) == [first.id]
    book.add(judged(third))
    assert list(LabelFile(path).of("ada")) == [first.id, third.id]


def test_two_writers_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    one, other = LabelFile(path), LabelFile(path)
    for number, compared in enumerate(map(Comparison.of, pairs(6))):
        (one if number % 2 else other).add(judged(compared, "ada" if number % 2 else "bob"))
    assert (len(LabelFile(path).of("ada")), len(LabelFile(path).of("bob"))) == (3, 3)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('{"comparison": "x", "who": "ada"', "not JSON"),
        ('{"comparison": "x", "who": "ada", "id": "1"}', "is no label"),
        ('{"comparison": "x", "who": "ada", "id": "1", "state": "judged", "shown": ["a", "b"], "preferred": "c"}', "l"),
    ],
)
def test_a_line_that_is_no_label_is_named(tmp_path: Path, line: str, words: str) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_text(line + "\n")
    with pytest.raises(InputError, match=words) as raised:
        read_labels(path)
    assert "line 1" in str(raised.value)


def test_a_file_of_pairs_is_read_as_its_own_preference(tmp_path: Path) -> None:
    write_pairs(tmp_path / "judge.jsonl", pairs(2))
    labels = read_labels(tmp_path / "judge.jsonl")
    assert {label.who for label in labels} == {"judge"}
    chosen = [label.judgment.preferred for label in labels]
    assert chosen == [content_id(one.prompt_id, one.chosen) for one in pairs(2)]


def test_pairs_are_turned_as_their_labels_say() -> None:
    kept, turned, tied, unlabelled = pairs(4)
    turned = replace(turned, margin=2.0, provenance={"chosen_model": "a", "rejected_model": "b", "seed": 1})
    labels = [
        label_of_pair(kept, "ada"),
        label_of_pair(pair("What is 1 + 1?", "3", "2"), "ada"),
        make_label(Comparison.of(tied), "ada", JudgmentState.TIE),
    ]
    found = relabelled([kept, turned, tied, unlabelled], labels)
    assert [(one.chosen, one.rejected) for one in found] == [("0", "1"), ("3", "2")]
    assert found[1].margin is None
    assert found[1].provenance == {"rejected_model": "a", "chosen_model": "b", "seed": 1, "judge": "ada"}


def test_lone_surrogates_in_a_name_do_not_lose_a_label(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    LabelFile(path).add(judged(Comparison.of(pairs(1)[0]), "a\ud800"))
    assert json.loads(path.read_text())["who"] == "a\ud800"


def test_a_name_of_half_a_character_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    LabelFile(path).add(judged(Comparison.of(pair("q", "a", "b")), "ada\ud800"))
    with pytest.raises(InputError, match=r"line 1 is no label: ValueError: a name holds half of a character"):
        read_labels(path)


def test_a_file_of_pairs_that_prefers_both_answers_is_no_rater(tmp_path: Path) -> None:
    path = tmp_path / "both.jsonl"
    rows = [{"prompt": "q", "chosen": one, "rejected": other} for one, other in (("a", "b"), ("b", "a"))]
    path.write_text("\n".join(map(json.dumps, rows)))
    with pytest.raises(InputError, match="prefers both answers of 1 comparisons"):
        read_labels(path)


@pytest.mark.parametrize("place", [".", "file/labels.jsonl"])
def test_a_place_that_can_not_be_written_is_refused_at_once(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="labels can't be written to"):
        LabelFile(tmp_path / place)


@pytest.mark.parametrize("then", ["deleted", "emptied", "another", "replaced by itself"])
def test_labels_of_a_file_that_went_away_are_written_again(tmp_path: Path, then: str) -> None:
    path = tmp_path / "labels.jsonl"
    first, second, third = (Comparison.of(one) for one in pairs(3))
    book = LabelFile(path)
    book.add(judged(first))
    book.add(judged(second))
    kept = path.read_text()
    if then == "emptied":
        path.write_text("")
    else:
        path.rename(tmp_path / "moved.jsonl")
    if then == "another":
        LabelFile(path).add(judged(first, "bob"))
    elif then == "replaced by itself":
        path.write_text(kept)
    book.add(judged(third))
    assert sorted(LabelFile(path).of("ada")) == sorted([first.id, second.id, third.id])
    assert len(path.read_text().splitlines()) == 3 + (then == "another")
    book.revoke("ada", first.id)
    assert sorted(LabelFile(path).of("ada")) == sorted([second.id, third.id])


def test_what_is_missing_at_the_end_is_written_too_and_only_that(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "labels.jsonl"
    book = LabelFile(path)
    book.add(judged(Comparison.of(pairs(1)[0])))
    assert book.write_missing() == 0
    path.unlink()
    assert (book.write_missing(), book.write_missing()) == (1, 0)
    path.unlink()
    path.parent.rmdir()
    assert (book.write_missing(), book.write_missing()) == (1, 0)
    path.write_text("something else\n")
    with pytest.raises(InputError, match="not JSON"):
        book.write_missing()
    assert path.read_text() == "something else\n"
