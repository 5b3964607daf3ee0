"""Composed tasks: no contradictions, each with an answer that keeps it, and IFBench kept out."""

import json
from collections import Counter
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tahr.core.construct import construct
from tahr.core.errors import InputError
from tahr.core.protocols import task_sources
from tahr.core.types import Outcome, Task
from tahr.data import sources as sources  # registers the file source
from tahr.data.config import TaskSetConfig
from tahr.data.splits import build_task_sets
from tahr.verifiers.build import build_verifiers
from tahr.verifiers.instructions.composing.conflicts import TRAITS, contradiction
from tahr.verifiers.instructions.composing.groups import IFBENCH, IFEVAL, TRAINING, ids_of
from tahr.verifiers.instructions.composing.witness import can_witness, witness
from tahr.verifiers.instructions.kind import read_instructions

NUM_TASKS = (600, 2000)  # quick, and slow


def drawn(count: int, seed: int = 0, **args: Any) -> list[Task]:
    return list(construct(task_sources.get("instructions"), args, where="mine").generate(count, seed))


@pytest.fixture(scope="module", params=[NUM_TASKS[0], pytest.param(NUM_TASKS[1], marks=pytest.mark.slow)])
def tasks(request: pytest.FixtureRequest) -> list[Task]:
    made = drawn(request.param, max_instructions=4)
    assert len({task.id for task in made}) == request.param
    return made


def ids(task: Task) -> list[str]:
    return [table["id"] for table in task.answer]


@pytest.mark.slow
def test_every_drawn_set_is_kept_by_its_example(tasks: list[Task]) -> None:
    verifiers = build_verifiers({})
    for task in tasks:
        verdict = verifiers.verify(task, verifiers.gold(task))
        assert verdict.outcome is Outcome.PASS, (task.prompt[-1].content, verifiers.gold(task), verdict.note)


def test_no_drawn_set_contradicts_itself(tasks: list[Task]) -> None:
    pairs = [(one, other) for task in tasks for one, other in combinations(ids(task), 2)]
    assert len(set(pairs)) > 400
    assert [pair for pair in pairs if contradiction(*pair)] == []


def test_every_kind_and_every_size_is_drawn(tasks: list[Task]) -> None:
    counts = Counter(name for task in tasks for name in ids(task))
    assert sorted(counts) == sorted({*IFEVAL, *TRAINING})
    assert min(counts.values()) >= len(tasks) / 400
    sizes = Counter(len(task.answer) for task in tasks)
    assert sorted(sizes) == [1, 2, 3, 4]
    assert min(sizes.values()) > 0.1 * len(tasks)


def test_every_instruction_is_put_into_words(tasks: list[Task]) -> None:
    for task in tasks[:200]:
        for _, instruction in read_instructions(task.answer):
            assert instruction.describe() in task.prompt[-1].content


def test_an_answer_of_nothing_never_keeps_a_whole_set(tasks: list[Task]) -> None:
    verifiers = build_verifiers({})
    for task in tasks[:300]:
        for text in ("", ".", "a", "I can't help with that.", task.prompt[-1].content):
            assert verifiers.verify(task, text).outcome is Outcome.FAIL


def test_a_seed_is_a_stream() -> None:
    first = drawn(60, seed=3)
    assert drawn(60, seed=3) == first
    assert drawn(20, seed=3) == first[:20]
    assert drawn(20, seed=4) != first[:20]


CONTRADICTIONS = [
    ("change_case:english_capital", "change_case:english_lowercase"),
    ("change_case:english_lowercase", "change_case:capital_word_frequency"),
    ("detectable_format:json_format", "detectable_format:number_bullet_lists"),
    ("detectable_format:json_format", "startend:quotation"),
    ("language:response_language", "keywords:existence"),
    ("language:response_language", "change_case:english_lowercase"),
    ("startend:end_checker", "startend:quotation"),
    ("startend:end_checker", "last_word:last_word_answer"),
    ("startend:end_checker", "detectable_content:postscript"),
    ("length_constraints:number_paragraphs", "length_constraints:nth_paragraph_first_word"),
    ("length_constraints:number_paragraphs", "combination:two_responses"),
    ("combination:repeat_prompt", "keywords:forbidden_words"),
    ("combination:repeat_prompt", "punctuation:no_comma"),
    ("count:count_unique", "keywords:frequency"),
    ("punctuation:punctuation_dot", "detectable_content:postscript"),
    ("copy:copy", "punctuation:no_comma"),
    ("keywords:existence", "keywords:existence"),
]


@pytest.mark.parametrize(("one", "other"), CONTRADICTIONS)
def test_contradictions_of_the_table(one: str, other: str) -> None:
    assert contradiction(one, other)
    assert contradiction(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("punctuation:no_comma", "change_case:english_lowercase"),
        ("keywords:existence", "keywords:forbidden_words"),
        ("startend:quotation", "length_constraints:number_words"),
        ("detectable_format:title", "detectable_format:number_bullet_lists"),
    ],
)
def test_what_goes_together(one: str, other: str) -> None:
    assert contradiction(one, other) == ""


def test_every_kind_for_training_has_traits_and_a_plan() -> None:
    assert sorted(TRAITS) == sorted({*IFEVAL, *TRAINING})
    assert [name for name in (*IFEVAL, *TRAINING) if not can_witness(name)] == []


def test_no_witness_is_found_where_there_is_none() -> None:
    impossible = [
        {"id": "length_constraints:number_words", "args": {"num_words": 5, "relation": "less than"}},
        {"id": "length_constraints:number_sentences", "args": {"num_sentences": 9, "relation": "at least"}},
    ]
    named = read_instructions(impossible)
    assert witness(named, request="Go on.", prompt="Go on.", topic="the sea", random=Random(0)) is None


def test_ifbench_is_kept_out() -> None:
    for kinds in (["ifbench"], ["count:numbers"], ["ifeval", "words:vowel"]):
        with pytest.raises(InputError, match="measure what was never trained on"):
            drawn(1, kinds=kinds, proven=False)
    assert set(ids_of(["count", "keywords"])).isdisjoint(IFBENCH)
    assert (len(IFEVAL), len(TRAINING), len(IFBENCH)) == (25, 29, 58)


def test_kinds_and_numbers_are_obeyed() -> None:
    some = drawn(50, kinds=["keywords", "punctuation:no_comma"], without=["keywords:palindrome"], min_instructions=2)
    allowed = {*ids_of(["keywords"]), "punctuation:no_comma"} - {"keywords:palindrome"}
    assert {name for task in some for name in ids(task)} <= allowed
    assert {len(task.answer) for task in some} == {2, 3}


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ({"kinds": ["keyword"]}, "did you mean 'keywords'"),
        ({"min_instructions": 3, "max_instructions": 2}, "min_instructions must not be above"),
        ({"kinds": ["keywords"], "without": ["keywords"]}, "no kind of instruction is left"),
        ({"max_words": 10}, "max_words"),
    ],
)
def test_wrong_arguments_are_refused(args: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        drawn(1, **args)


@pytest.mark.parametrize(
    ("prompts", "message"),
    [
        ({"path": "x"}, "prompts needs a source"),
        ({"source": "fil"}, "unknown task source 'fil'"),
        ({"source": "ifeval", "args": {"path": "nowhere"}}, "is a benchmark"),
    ],
)
def test_wrong_prompts_are_refused(prompts: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        drawn(1, prompts=prompts)


def test_prompts_of_another_source(tmp_path: Path) -> None:
    rows = [{"prompt": f"Please explain number {number} to me."} for number in range(30)]
    path = tmp_path / "prompts.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    args = {"kinds": ["ifeval"], "prompts": {"source": "file", "args": {"path": str(path)}}}
    some = drawn(40, **args)
    verifiers = build_verifiers({})
    assert len(some) == 40
    for task in some:
        assert task.prompt[-1].content.startswith("Please explain number ")
        assert verifiers.get("instructions").gold(task) is None  # its witness is about something else
        assert verifiers.verify(task, task.meta["witness"]).outcome is Outcome.PASS
    sets = build_task_sets({"mine": TaskSetConfig(source="instructions", args=args, num_tasks=40)}, verifiers)
    assert sets["mine"].num_without_gold == 40
    assert len(sets["mine"].train) > 20
