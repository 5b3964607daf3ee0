"""Sets of conversations from files as they come."""

import csv
import json
from pathlib import Path
from typing import Any

import pyarrow as arrow
import pyarrow.parquet as parquet
import pytest

from tahr.core.errors import InputError
from tahr.data.chats.config import ChatSetConfig
from tahr.data.chats.read import ChatSet, read_chats


def row(question: str, *answers: str) -> dict[str, Any]:
    turns: list[dict[str, str]] = []
    for answer in answers:
        turns += [{"role": "user", "content": question}, {"role": "assistant", "content": answer}]
    return {"messages": turns or [{"role": "user", "content": question}]}


def write(path: Path, rows: list[Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(one) + "\n" for one in rows), encoding="utf-8")
    return path


def read(source: Path, **settings: Any) -> ChatSet:
    found = read_chats("talk", ChatSetConfig(source=str(source), **settings))
    assert found is not None
    return found


def questions(chats: ChatSet) -> list[str]:
    return sorted(chat.messages[0].content for chat in chats.train)


def test_a_file_gives_its_rows_shuffled_by_the_seed(tmp_path: Path) -> None:
    path = write(tmp_path / "talk.jsonl", [row(f"q{number}", "a") for number in range(20)])
    first, again, other = read(path), read(path), read(path, seed=1)
    assert first == again
    assert first.format == "messages"
    assert [chat.place for chat in first.train] != [chat.place for chat in other.train]
    assert questions(first) == questions(other) == sorted(f"q{number}" for number in range(20))
    assert first.tally.text() == "20 rows"


def test_a_pattern_stands_for_the_files_that_are_like_it(tmp_path: Path) -> None:
    for name in ("a-1", "a-2", "b-1", "a[1]"):
        write(tmp_path / f"{name}.jsonl", [row(name, "a")])
    (tmp_path / "a-3.jsonl").mkdir()
    assert questions(read(tmp_path / "a-*.jsonl")) == ["a-1", "a-2"]
    assert questions(read(tmp_path / "a[1].jsonl")) == ["a[1]"]  # a file of that very name comes first
    with pytest.raises(InputError, match="no file is like"):
        read(tmp_path / "c-*.jsonl")


def test_the_same_rows_from_jsonl_parquet_and_csv(tmp_path: Path) -> None:
    rows = [row("q1", "a", "b"), row("q2", "c")]
    parquet.write_table(arrow.Table.from_pylist(rows), tmp_path / "t.parquet")
    with (tmp_path / "t.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerows([["messages"], *([json.dumps(one["messages"])] for one in rows)])
    expected = {chat.messages for chat in read(write(tmp_path / "t.jsonl", rows)).train}
    assert len(expected) == 2
    assert {chat.messages for chat in read(tmp_path / "t.parquet").train} == expected
    assert {chat.messages for chat in read(tmp_path / "t.csv").train} == expected


def test_a_folder_laid_out_as_on_the_hub(tmp_path: Path) -> None:
    write(tmp_path / "data" / "train-00000-of-00002.jsonl", [row("q1", "a")])
    write(tmp_path / "data" / "train-00001-of-00002.jsonl", [row("q2", "a")])
    write(tmp_path / "data" / "test-00000-of-00001.jsonl", [row("q3", "a")])
    write(tmp_path / "more" / "train.jsonl", [row("q4", "a")])
    assert questions(read(tmp_path, config="default")) == ["q1", "q2"]
    assert questions(read(tmp_path, config="default", split="test")) == ["q3"]
    assert questions(read(tmp_path, config="more")) == ["q4"]
    with pytest.raises(InputError, match="several configurations"):
        read(tmp_path)


def test_a_hub_name_that_is_not_cached_is_not_downloaded_unasked(tmp_path: Path, monkeypatch: Any) -> None:
    import huggingface_hub.constants

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path))
    assert read_chats("talk", ChatSetConfig(source="nobody/nothing"), download=False) is None


@pytest.mark.parametrize(("source", "wrong"), [("gone.jsonl", "no file or folder"), ("a/b/c", "no file or folder")])
def test_a_source_that_is_not_there(source: str, wrong: str) -> None:
    with pytest.raises(InputError, match=wrong):
        read_chats("talk", ChatSetConfig(source=source))


def test_what_is_left_out_is_counted_with_the_first_place(tmp_path: Path) -> None:
    rows = [
        row("q1", "a"),
        row("q1", "a"),
        row("q2"),
        row("q3", "a", " "),
        {"messages": [{"role": "assistant", "content": "Hello"}]},
        {"messages": [{"role": "system", "content": "s"}, {"role": "assistant", "content": "Hello"}]},
        row("q4", "b"),
    ]
    found = read(write(tmp_path / "t.jsonl", rows))
    assert questions(found) == ["q1", "q4"]
    assert found.tally.refused == {"no turn to learn": 1, "empty answer": 1, "begins with an answer": 2}
    assert found.tally.first["begins with an answer"].endswith("t.jsonl, line 5")
    assert found.tally.num_duplicates == 1
    assert "7 rows, 4 refused (2 begins with an answer, the first at" in found.tally.text()


def test_malformed_rows_stop_the_reading_and_are_named_unless_they_are_skipped(tmp_path: Path) -> None:
    path = write(tmp_path / "t.jsonl", [row("q1", "a"), {"messages": "x"}, {"other": 1}, row("q2", "a")])
    with pytest.raises(InputError, match=r"2 of 4 rows") as caught:
        read(path)
    assert "t.jsonl, line 2: no list of turns in column 'messages'" in str(caught.value)
    assert "t.jsonl, line 3" in str(caught.value)
    assert "skip_bad_rows" in caught.value.instead
    found = read(path, skip_bad_rows=True)
    assert questions(found) == ["q1", "q2"]
    assert found.tally.num_bad == 2
    assert found.tally.text() == "4 rows, 2 malformed"


def test_a_file_without_a_row_to_learn_from(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no row of .* can be learnt from"):
        read(write(tmp_path / "t.jsonl", [row("q1")]))
    with pytest.raises(InputError, match=r"no row of .* can be learnt from"):
        read(write(tmp_path / "empty.jsonl", []))


def test_a_format_that_the_columns_lack_is_said_with_the_columns(tmp_path: Path) -> None:
    path = write(tmp_path / "t.jsonl", [row("q1", "a")])
    with pytest.raises(InputError, match="no column 'instruction' for the format 'alpaca'") as caught:
        read(path, format="alpaca")
    assert caught.value.received == "columns messages"


def test_only_the_last_turn(tmp_path: Path) -> None:
    path = write(tmp_path / "t.jsonl", [row("q1", "a", "b", "c")])
    assert read(path).train[0].taught == (1, 3, 5)
    assert read(path, train_on="last").train[0].taught == (5,)


def test_held_out_rows_share_no_question_with_the_others_and_stay_put(tmp_path: Path) -> None:
    rows = [row(f"q{number % 200}", f"a{number}") for number in range(400)]
    found = read(write(tmp_path / "t.jsonl", rows), validation_percent=25)
    train, held_out = ({chat.question for chat in part} for part in (found.train, found.validation))
    assert not train & held_out
    assert len(found.train) + len(found.validation) == 400
    assert 60 <= len(found.validation) <= 140
    fewer = read(write(tmp_path / "t.jsonl", rows[:100]), validation_percent=25, seed=5)
    assert {chat.question for chat in fewer.validation} <= held_out


def test_what_a_table_holds_in_place_of_a_text_is_named_with_its_row(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    turns = [{"role": "user", "content": "q"}, {"role": "assistant", "content": None}]
    parquet.write_table(arrow.Table.from_pylist([row("q1", "a"), {"messages": turns}]), path)
    with pytest.raises(InputError, match=r"1 of 2 rows") as caught:
        read(path)
    assert "t.parquet, row 2: a turn of assistant has no content" in str(caught.value)
    parquet.write_table(arrow.table({"prompt": ["a", "b", "c"], "completion": [1.5, float("nan"), None]}), path)
    with pytest.raises(InputError, match=r"3 of 3 rows") as caught:
        read(path)
    assert "t.parquet, row 1: 'completion' holds no text but float: 1.5" in str(caught.value)
    assert "t.parquet, row 2: 'completion' holds no text but float: nan" in str(caught.value)
    assert "t.parquet, row 3: nothing in column 'completion'" in str(caught.value)


def test_numbers_in_json_lines_are_no_answers(tmp_path: Path) -> None:
    turns = [{"role": "user", "content": "q"}, {"role": "assistant", "content": 5}]
    path = write(tmp_path / "t.jsonl", [row("q1", "a"), {"messages": turns}])
    with pytest.raises(InputError, match="1 of 2 rows") as caught:
        read(path)
    assert "t.jsonl, line 2: 'content' holds no text but int: 5" in str(caught.value)
    assert read(path, skip_bad_rows=True).tally.text() == "2 rows, 1 malformed"
