"""Every format is recognised, read to literal pairs, and written so that it reads back."""

import json
from pathlib import Path
from typing import Any

import pytest

from tahr.core.errors import InputError, UnknownNameError
from tahr.core.preferences import Pair
from tahr.core.types import Message
from tahr.data.preferences.files import read_pairs, write_pairs
from tahr.data.preferences.formats import ReadOptions
from tahr.data.preferences.states import RowState


def user(text: str) -> Message:
    return Message(role="user", content=text)


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def said(*texts: str) -> list[dict[str, str]]:
    return [{"role": "user" if index % 2 == 0 else "assistant", "content": text} for index, text in enumerate(texts)]


def aspects(*ratings: str) -> dict[str, Any]:
    names = ("helpfulness", "honesty", "instruction_following", "truthfulness")
    return {name: {"Rating": rating, "Rationale": "because"} for name, rating in zip(names, ratings, strict=True)}


RAW = {
    "source": "evol_instruct",
    "instruction": "Capital of France?",
    "models": ["a", "b", "c"],
    "completions": [
        {"model": "a", "response": "Rome.", "annotations": aspects("1", "1", "2", "1")},
        {"model": "b", "response": "Paris.", "annotations": aspects("5", "5", "4", "5")},
        {"model": "c", "response": "Perhaps Paris.", "annotations": aspects("5", "5", "5", "N/A")},
    ],
}

ROWS: dict[str, dict[str, Any]] = {
    "tahr": {
        "id": "x",
        "prompt": said("Capital of France?"),
        "chosen": "Paris.",
        "rejected": "Rome.",
        "margin": 3.5,
        "provenance": {"judge": "exact"},
    },
    "ultrafeedback_raw": RAW,
    "ultrafeedback": {
        "prompt": "Capital of France?",
        "prompt_id": "f00",
        "chosen": said("Capital of France?", "Paris."),
        "rejected": said("Capital of France?", "Rome."),
        "messages": said("Capital of France?", "Paris."),
        "score_chosen": 4.75,
        "score_rejected": 1.25,
    },
    "tulu": {
        "id": "t1",
        "source": "flan",
        "prompt": "Capital of France?",
        "chosen": said("Capital of France?", "Paris."),
        "rejected": said("Capital of France?", "Rome."),
        "chosen_rating": 4.75,
        "rejected_rating": 1.25,
        "chosen_model": "b",
    },
    "hh": {
        "chosen": "\n\nHuman: Capital of France?\n\nAssistant: Paris.",
        "rejected": "\n\nHuman: Capital of France?\n\nAssistant: Rome.",
    },
    "plain": {"prompt": "Capital of France?", "chosen": "Paris.", "rejected": "Rome."},
}


@pytest.mark.parametrize("name", ROWS)
def test_a_format_is_recognised_and_read(name: str, tmp_path: Path) -> None:
    read = read_pairs(write(tmp_path / "pairs.jsonl", [ROWS[name]]))
    assert read.format == name
    (pair,) = read.pairs
    assert (pair.prompt, pair.chosen, pair.rejected) == ((user("Capital of France?"),), "Paris.", "Rome.")
    assert pair.margin == (None if name in {"hh", "plain"} else 3.5)


@pytest.mark.parametrize("name", ["tahr", "ultrafeedback", "tulu", "hh", "plain"])
def test_what_is_written_reads_back(name: str, tmp_path: Path) -> None:
    provenance = {"chosen_model": "b", "rejected_model": "a", "chosen_rating": 4.75, "rejected_rating": 1.25}
    talk = (user(" Hi\n\n there "), Message(role="assistant", content="Hello!"), user("Capital of\u2028France?"))
    pairs = [
        Pair(prompt=talk, chosen="Paris.\n", rejected="Assistant: Rome", margin=3.5, provenance=provenance),
        Pair(prompt=(user("One?"),), chosen="1", rejected="2", margin=3.5, provenance=provenance),
    ]
    assert write_pairs(tmp_path / "out.jsonl", pairs, name) == 2
    read = read_pairs(tmp_path / "out.jsonl")
    assert read.format == name
    assert [(one.prompt, one.chosen, one.rejected, one.id) for one in read.pairs] == [
        (one.prompt, one.chosen, one.rejected, one.id) for one in pairs
    ]
    if name != "hh":  # transcripts have no room for a margin
        assert [one.margin for one in read.pairs] == [3.5, 3.5]
    if name == "tahr":
        assert list(read.pairs) == pairs
    if name in {"tulu", "ultrafeedback"}:
        assert provenance.items() <= dict(read.pairs[0].provenance).items()


def test_a_margin_alone_is_kept(tmp_path: Path) -> None:
    pair = Pair(prompt=(user("One?"),), chosen="1", rejected="2", margin=0.5)
    for name in ("ultrafeedback", "tulu", "plain"):
        write_pairs(tmp_path / "out.jsonl", [pair], name)
        assert read_pairs(tmp_path / "out.jsonl", name).pairs[0].margin == 0.5


def test_the_system_message_has_no_place_in_a_transcript(tmp_path: Path) -> None:
    pair = Pair(prompt=(Message(role="system", content="Be kind."), user("Hi")), chosen="1", rejected="2")
    with pytest.raises(InputError, match="can't be told as a transcript"):
        write_pairs(tmp_path / "out.jsonl", [pair], "hh")
    assert not (tmp_path / "out.jsonl").exists()


def test_a_text_that_looks_like_a_speaker_is_not_written_as_a_transcript(tmp_path: Path) -> None:
    pair = Pair(prompt=(user("Hi"),), chosen="yes\n\nHuman: and now?", rejected="2")
    with pytest.raises(InputError, match="can't be told as a transcript"):
        write_pairs(tmp_path / "out.jsonl", [pair], "hh")


def test_raw_ultrafeedback_is_read_only_and_unknown_formats_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="can only be read"):
        write_pairs(tmp_path / "out.jsonl", [], "ultrafeedback_raw")
    with pytest.raises(UnknownNameError, match="did you mean 'tulu'"):
        write_pairs(tmp_path / "out.jsonl", [], "tulo")


def test_columns_under_other_names(tmp_path: Path) -> None:
    rows = [{"question": "One?", "better": "1", "worse": "2"}]
    path = write(tmp_path / "p.jsonl", rows)
    with pytest.raises(InputError, match="no known format"):
        read_pairs(path)
    read = read_pairs(path, columns={"prompt": "question", "chosen": "better", "rejected": "worse"})
    assert (read.pairs[0].chosen, read.pairs[0].rejected, read.format) == ("1", "2", "plain")
    with pytest.raises(InputError, match="no column 'best'"):
        read_pairs(path, columns={"chosen": "best"})


def test_shards_folders_and_parquet(tmp_path: Path) -> None:
    import pyarrow as arrow
    import pyarrow.parquet as parquet

    (tmp_path / "data").mkdir()
    for number, name in enumerate(("train-00000-of-00002", "train-00001-of-00002", "test-00000-of-00001")):
        row = {**ROWS["tulu"], "chosen": said(f"{number}?", "Paris."), "rejected": said(f"{number}?", "Rome.")}
        parquet.write_table(arrow.Table.from_pylist([row]), tmp_path / "data" / f"{name}.parquet")
    assert [pair.prompt[0].content for pair in read_pairs(tmp_path).pairs] == ["0?", "1?"]
    assert [pair.prompt[0].content for pair in read_pairs(tmp_path, split="test").pairs] == ["2?"]
    assert len(read_pairs(f"{tmp_path}/data/train-*.parquet").pairs) == 2
    with pytest.raises(InputError, match="no file is like"):
        read_pairs(f"{tmp_path}/data/valid-*.parquet")


def test_conversations_that_part_early_give_no_pair(tmp_path: Path) -> None:
    rows = [
        {"chosen": "\n\nHuman: a\n\nAssistant: b", "rejected": "\n\nHuman: c\n\nAssistant: d"},
        {"chosen": "\n\nHuman: a\n\nAssistant: b", "rejected": "\n\nHuman: a\n\nAssistant: b"},
        {"chosen": "\n\nHuman: a\n\nAssistant: b", "rejected": "\n\nHuman: a\n\nAssistant:"},
        {"chosen": "\n\nHuman: a\n\nAssistant: b", "rejected": "\n\nHuman: a\n\nAssistant: c"},
        {"chosen": "\n\nHuman: a\n\nAssistant: b", "rejected": "\n\nHuman: a\n\nAssistant: c"},
    ]
    read = read_pairs(write(tmp_path / "p.jsonl", rows))
    assert read.counts == {
        RowState.DIFFERENT_PROMPTS: 1,
        RowState.IDENTICAL: 1,
        RowState.UNREADABLE: 1,
        RowState.PAIR: 1,
        RowState.DUPLICATE: 1,
    }
    assert len(read.pairs) == 1


def test_a_file_without_any_pair_is_an_error_that_says_why(tmp_path: Path) -> None:
    path = write(tmp_path / "p.jsonl", [{**ROWS["tulu"], "chosen_rating": 1.25}])
    with pytest.raises(InputError, match=r"line 1: tie: rated 1.25 and 1.25"):
        read_pairs(path)


def test_the_margin_asked_for_holds_in_every_format(tmp_path: Path) -> None:
    rows = [ROWS["tulu"], {**ROWS["tulu"], "chosen": said("Capital of France?", "P."), "rejected_rating": 4.5}]
    read = read_pairs(write(tmp_path / "p.jsonl", rows), options=ReadOptions(min_margin=0.5))
    assert read.counts == {RowState.PAIR: 1, RowState.BELOW_MARGIN: 1}


@pytest.mark.parametrize("name", ROWS)
def test_half_of_a_character_makes_a_row_unreadable(tmp_path: Path, name: str) -> None:
    halved = json.loads(json.dumps(ROWS[name]).replace("Paris.", "Paris\\ud800."))
    path = write(tmp_path / "pairs.jsonl", [halved, ROWS[name]])
    found = read_pairs(path, options=ReadOptions(choice="best_vs_worst"))
    assert found.counts == {RowState.PAIR: 1, RowState.UNREADABLE: 1}
    assert found.notes == (f"{path}, line 1: unreadable: a text holds half of a character (a lone surrogate)",)
    assert write_pairs(tmp_path / "again.jsonl", found.pairs) == 1


def test_a_pair_of_which_only_the_origin_is_halved_is_unreadable_too(tmp_path: Path) -> None:
    path = write(tmp_path / "pairs.jsonl", [ROWS["plain"], {**ROWS["plain"], "chosen": "Yes.", "source": "\udfff"}])
    assert read_pairs(path).counts == {RowState.PAIR: 1, RowState.UNREADABLE: 1}


def test_halves_that_another_made_are_refused_in_words(tmp_path: Path) -> None:
    pair = Pair(prompt=(user("q"),), chosen="a\ud800", rejected="b")
    with pytest.raises(InputError, match="half of a character"):
        write_pairs(tmp_path / "pairs.jsonl", [pair])
    assert list(tmp_path.iterdir()) == []


def test_a_system_message_that_is_no_text_is_not_passed_over(tmp_path: Path) -> None:
    rows = [{**ROWS["plain"], "system": system} for system in (7, None, float("nan"), "Be brief.")]
    found = read_pairs(write(tmp_path / "pairs.jsonl", rows))
    assert found.counts == {RowState.UNREADABLE: 1, RowState.PAIR: 2, RowState.DUPLICATE: 1}
    assert "line 1: unreadable: 'system' holds no text but int: 7" in found.notes[0]


def test_a_file_without_a_pair_says_what_its_rows_were(tmp_path: Path) -> None:
    empty = write(tmp_path / "empty.jsonl", [])
    with pytest.raises(InputError) as caught:
        read_pairs(empty)
    assert str(caught.value) == f"{empty} gives no pair\n  received: no row read\n  instead:  rows of pairs"
    same = {**ROWS["plain"], "rejected": ROWS["plain"]["chosen"]}
    path = write(tmp_path / "p.jsonl", [same, same, {**ROWS["plain"], "chosen": 7}])
    with pytest.raises(InputError) as caught:
        read_pairs(path)
    assert str(caught.value).startswith(f"{path} gives no pair\n  received: 3 rows read: 2 identical, 1 unreadable\n")
    assert f"{path}, line 3: unreadable: no answer in 'chosen'" in str(caught.value)
