"""What a journal keeps, and what a kill takes."""

from __future__ import annotations

from tahr.preference import journal as journal_module
from tahr.preference.journal import Journal


def test_a_last_line_that_was_cut_off_is_taken_off_and_what_follows_stands_whole(tmp_path):
    path = tmp_path / "sub" / "journal.jsonl"
    with Journal(path) as journal:
        journal.add("a", {"text": "one"})
    with path.open("ab") as file:
        file.write(b'{"key": "b", "te')
    with Journal(path) as journal:
        assert (len(journal), "b" in journal, journal.get("b")) == (1, False, None)
        journal.add("b", {"text": "zwei \ud800"})
        assert journal.get("b") == {"key": "b", "text": "zwei \ud800"}
    with Journal(path) as journal:
        assert [journal.get(key) for key in "ab"] == [{"key": "a", "text": "one"}, {"key": "b", "text": "zwei \ud800"}]
    assert path.read_bytes().count(b"\n") == 2


def test_the_last_record_of_a_key_counts_and_an_unreadable_line_loses_nothing_after_it(tmp_path):
    path = tmp_path / "journal.jsonl"
    with Journal(path) as journal:
        journal.add("a", {"n": 1})
    with path.open("ab") as file:
        file.write(b"\0\0\0\n")
    with Journal(path) as journal:
        journal.add("a", {"n": 2})
        journal.add("b", {"n": 3})
    with Journal(path) as journal:
        assert (len(journal), journal.get("a"), journal.get("b")) == (2, {"key": "a", "n": 2}, {"key": "b", "n": 3})


def test_records_reach_the_disk_every_few_seconds(tmp_path, monkeypatch):
    synced, now = [], [0.0]
    monkeypatch.setattr(journal_module.os, "fsync", synced.append)
    monkeypatch.setattr(journal_module.time, "monotonic", lambda: now[0])
    with Journal(tmp_path / "journal.jsonl") as journal:
        for second in (1.0, 4.0, 5.0, 6.0, 9.0, 10.0):
            now[0] = second
            journal.add(str(second), {})
        assert len(synced) == 2
    assert len(synced) == 3
