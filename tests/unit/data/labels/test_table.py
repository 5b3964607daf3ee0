"""Labels from elsewhere are joined by id; what can't be joined is refused and counted."""

import json
from pathlib import Path

import pytest

from small_labels import pair
from tahr.core.errors import InputError
from tahr.core.preferences import content_id
from tahr.data.labels.table import import_labels

PAIRS = [pair(f"q{n}", f"good {n}", f"bad {n}", source_id=f"row-{n // 4 if n > 3 else n}") for n in range(5)]
# row-1 is the source's id of two pairs


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_rows_are_joined_by_either_id_and_read_with_the_tables_own_words(tmp_path: Path) -> None:
    lines = [f"B,{PAIRS[2].id},ada", "A,row-0,ada", "same,row-3,ada", "skip,row-3,bob"]
    table = write(tmp_path / "people.csv", "verdict,pair,rater\n" + "\n".join(lines))
    found = import_labels(
        table,
        PAIRS,
        columns={"id": "pair", "label": "verdict", "who": "rater"},
        words={"A": "chosen", "B": "rejected", "same": "tie", "skip": "not_applicable"},
    )
    texts = {content_id(one.prompt_id, text): text for one in PAIRS for text in (one.chosen, one.rejected)}
    said = [(one.who, str(one.judgment.state), texts.get(one.judgment.preferred or "")) for one in found.labels]
    assert said == [
        ("ada", "judged", "bad 2"),
        ("ada", "judged", "good 0"),
        ("ada", "tie", None),
        ("bob", "not_applicable", None),
    ]
    assert found.refused == {}


def test_what_cannot_be_joined_is_counted(tmp_path: Path) -> None:
    rows = ["nobody,chosen", "row-0,chosen", "row-1,chosen", "row-2,both", "row-3,tie", "row-3,chosen", "row-0,chosen"]
    table = write(tmp_path / "people.csv", "id,label\n" + "\n".join(rows))
    found = import_labels(table, PAIRS, who="ada")
    assert len(found.labels) == 1
    assert found.refused == {"unknown id": 1, "ambiguous id": 1, "unknown label": 1, "contradicted": 1}
    assert "line 2" in found.notes[0] and "'nobody'" in found.notes[0]


@pytest.mark.parametrize(
    ("text", "how", "words"),
    [
        ("id,label\nx,chosen\n", {"who": "ada"}, "no row of"),
        ("id,label\nrow-0,chosen\n", {}, "nobody is named"),
        ("id,verdict\nrow-0,chosen\n", {"who": "ada"}, "unknown column"),
        ("id,label\nrow-0,chosen\n", {"who": "ada", "words": {"A": "left"}}, "unknown label 'left'"),
        ("id,label\nrow-0,chosen\n", {"who": "ada", "columns": {"name": "id"}}, "unknown column 'name'"),
    ],
)
def test_a_table_that_gives_nothing_is_refused(tmp_path: Path, text: str, how: dict, words: str) -> None:
    with pytest.raises(InputError, match=words):
        import_labels(write(tmp_path / "people.csv", text), PAIRS, **how)


def test_a_rater_whose_name_no_terminal_can_show_is_refused(tmp_path: Path) -> None:
    rows = [{"id": "row-0", "label": "chosen", "who": name} for name in ("ada", "bob\ud800")]
    table = write(tmp_path / "people.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    found = import_labels(table, PAIRS)
    assert [label.who for label in found.labels] == ["ada"]
    assert found.refused == {"unreadable name": 1}


def test_the_nan_of_a_table_names_nobody(tmp_path: Path) -> None:
    table = write(tmp_path / "people.jsonl", '{"id": "row-0", "label": "chosen", "who": NaN}')
    with pytest.raises(InputError, match="line 1: nobody is named"):
        import_labels(table, PAIRS)
