"""An evaluation under way on disk: rows as they come, the file of all in order, what is left by an interruption."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest

from small_attempts import attempt
from small_results import CONDITIONS
from tahr.core.errors import InputError
from tahr.store.evaluations import evaluation_paths, read_evaluation
from tahr.store.journal import EvaluationJournal, unfinished_evaluations
from tahr.store.records import Evaluation, EvaluationRow


def journal(folder: Path) -> EvaluationJournal:
    return EvaluationJournal(folder, name="bare", stage="eval", step=0, split="all")


def row(place: int, index: int = 0) -> EvaluationRow:
    parts = {"correct": 1.0, "z": 0.5, "a": 0.25}
    return attempt(f"task{place}", index=index, text=f"answer {place}\n\ud800", parts=parts, extracted="é")


def test_rows_that_come_in_any_order_are_kept_in_that_of_their_questions(tmp_path):
    with journal(tmp_path) as under_way:
        for place in (2, 0, 1):
            under_way.add(place, [row(place, 0), row(place, 1)])
        assert not evaluation_paths(tmp_path)  # not before it is whole
        path = under_way.finish(CONDITIONS)
    found = read_evaluation(path)
    assert [(one.task_id, one.index) for one in found.rows] == [(f"task{n}", i) for n in range(3) for i in range(2)]
    assert found.rows[0].text == "answer 0\n?" and found.rows[0].parts == {"correct": 1.0, "z": 0.5, "a": 0.25}
    assert found.conditions == CONDITIONS
    assert evaluation_paths(tmp_path) == [path] and not unfinished_evaluations(tmp_path)


def test_what_was_written_before_an_interruption_can_be_read_and_is_begun_anew(tmp_path):
    with journal(tmp_path) as under_way:
        under_way.add(7, [row(7)])
        under_way.add(3, [row(3)])
    with under_way.path.open("ab") as file:
        file.write(b'{"place": 4, "ro')  # a line that a crash cut
    [left] = unfinished_evaluations(tmp_path)
    assert [one.task_id for one in left.rows] == ["task7", "task3"] and left.name == "bare"
    with journal(tmp_path) as again:
        again.add(0, [row(0)])
        again.finish(None)
    [path] = evaluation_paths(tmp_path)
    assert [one.task_id for one in read_evaluation(path).rows] == ["task0"]


def test_an_evaluation_of_nothing_says_which_it_is(tmp_path):
    with journal(tmp_path) as under_way:
        path = under_way.finish(None)
    assert read_evaluation(path) == Evaluation(name="bare", stage="eval", step=0, split="all", rows=())


def test_another_file_is_no_journal(tmp_path):
    folder = tmp_path / "evaluations"
    folder.mkdir()
    (folder / "x.partial.jsonl").write_text("[1]\n")
    with pytest.raises(InputError, match="can't be read as an evaluation under way"):
        unfinished_evaluations(tmp_path)


@pytest.mark.slow
def test_memory_does_not_grow_with_the_number_of_rows(tmp_path):
    text = "x" * 4000

    def peak(num_rows: int) -> int:
        tracemalloc.start()
        with journal(tmp_path) as under_way:
            for place in range(num_rows):
                under_way.add(place, [attempt(f"task{place}", text=text)])
            under_way.finish(None)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    few, many = peak(600), peak(4800)
    assert many < few + 4200 * 1000  # an offset a question, not its 4,000 characters
