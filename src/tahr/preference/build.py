"""Pairs of one's own: every question is answered by a pool of models, the answers are judged, and pairs are chosen.

Answers and judgments are kept as they come, each under a hash of all that it depends on; the pairs are made of them at
the end, in the questions' order. So a build that was killed goes on where it was, and ends with the same pairs.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tahr.core.errors import EngineError, InputError
from tahr.core.judging import ChatModel, DependsOnMore, Judge, Question
from tahr.core.preferences import Candidate, Judgment, JudgmentState, Pair, content_id
from tahr.core.protocols import Sampling
from tahr.core.seeding import derive_seed
from tahr.data.preferences.files import write_pairs
from tahr.data.preferences.states import Reading, RowState
from tahr.preference.choose import choose_pairs
from tahr.preference.config import BuildConfig
from tahr.preference.journal import Journal
from tahr.preference.records import candidate_key, from_judgment, judgment_key, sampled, to_candidate, to_judgment

PAIRS, CANDIDATES, JUDGMENTS = "pairs.jsonl", "candidates.jsonl", "judgments.jsonl"

MAX_FAILED = 0.5
"""Where more answers than this did not come at all, the build is at fault and not its questions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """What a build came to: questions by state, and the answers that didn't come (`num_failed`) or came twice.

    `failures` says of each model whose answers failed how many did, and why the first one did.

    Example: ``Built(path=folder / "pairs.jsonl", num_pairs=90, counts={RowState.PAIR: 90, RowState.TIE: 38})``
    """

    path: Path
    num_pairs: int
    counts: Mapping[RowState, int]
    num_failed: int = 0
    num_repeated: int = 0
    failures: tuple[str, ...] = ()

    def __str__(self) -> str:
        """One line for people."""
        others = [f"{count} {state}" for state, count in sorted(self.counts.items()) if state is not RowState.PAIR]
        told = [f"{self.num_pairs} pairs of {sum(self.counts.values())} questions", *others]
        told += [f"{self.num_failed} answers failed ({'; '.join(self.failures)})"] if self.num_failed else []
        return ", ".join(told + ([f"{self.num_repeated} answers repeated others"] if self.num_repeated else []))


@dataclass(slots=True, kw_only=True)
class Builder:
    """The parts of a build. `policy` may be missing where no answer is its own; `models` holds the others by name.

    Example: ``asyncio.run(Builder(config=config, judge=judge, policy=policy, folder=folder).build(questions))``
    """

    config: BuildConfig
    judge: Judge
    folder: Path
    policy: ChatModel | None = None
    models: Mapping[str, ChatModel] = field(default_factory=dict[str, ChatModel])
    advance: Callable[[], None] = lambda: None
    stopping: Callable[[], bool] = lambda: False
    _failed: dict[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]], init=False)
    _repeated: int = field(default=0, init=False)

    async def build(self, questions: Sequence[Question]) -> Built | None:
        """Ask, judge and write the pairs. `advance` is called for each question that is done.

        None where `stopping` said so before the end. Raises InputError where most answers failed, or no
        question gives a pair.
        """
        with Journal(self.folder / CANDIDATES) as candidates, Journal(self.folder / JUDGMENTS) as judgments:
            await self._go_through(questions, candidates, judgments)
            if self.stopping():
                return None
            counts = Counter[RowState]()
            path = self.folder / PAIRS
            written = write_pairs(path, self._pairs(questions, candidates, judgments, counts))
        return Built(
            path=path,
            num_pairs=written,
            counts=dict(counts),
            num_failed=len(self._failed),
            num_repeated=self._repeated,
            failures=self._failures,
        )

    async def _go_through(self, questions: Iterable[Question], candidates: Journal, judgments: Journal) -> None:
        """`max_concurrency` questions at a time; the first fault ends all of them."""
        waiting, asked = iter(questions), 0

        async def worker() -> None:
            nonlocal asked
            for question in waiting:
                if self.stopping():
                    return
                answers = await self._answers(question, candidates)
                await self._judgments(question, answers, judgments)
                asked += self.config.samples_per_prompt
                if asked >= 20 and len(self._failed) > MAX_FAILED * asked:
                    raise InputError(
                        "most answers did not come",
                        received=f"{len(self._failed)} of {asked} failed: {'; '.join(self._failures)}",
                        instead="the models as they should be, and the same command again",
                    )
                self.advance()

        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(self.config.max_concurrency):
                    group.create_task(worker())
        except BaseExceptionGroup as faults:
            raise faults.exceptions[0] from None  # the others are consequences, or the same again

    async def _answers(self, question: Question, candidates: Journal) -> list[Candidate]:
        """Every different answer to the question that came."""
        await asyncio.gather(*(self._ask(question, model, seed, candidates) for model, seed in self._plan(question)))
        return self._kept(question, candidates)

    async def _ask(self, question: Question, model: ChatModel, seed: int, candidates: Journal) -> None:
        key = candidate_key(question.id, model.name, self._sampling, seed)
        if key in candidates:
            return
        try:
            reply = await model.chat(question.prompt, self._sampling, seed)
        except EngineError as error:
            self._failed[key] = model.name, str(error)  # counted, and asked for again where the build is resumed
            return
        candidates.add(key, sampled(question.id, model.name, self._sampling, seed, reply))

    def _kept(self, question: Question, candidates: Journal) -> list[Candidate]:
        """The different answers to the question that are in the journal, in the order of the plan."""
        found: dict[str, Candidate] = {}
        for model, seed in self._plan(question):
            record = candidates.get(candidate_key(question.id, model.name, self._sampling, seed))
            if record is not None:
                candidate = to_candidate(record)
                found.setdefault(candidate.id, candidate)
        return list(found.values())

    async def _judgments(self, question: Question, answers: Sequence[Candidate], judgments: Journal) -> None:
        key = self._judgment_key(question, answers)
        if len(answers) < 2:
            return
        kept = judgments.get(key)
        # what failed for reasons outside the answers is tried again where a build is resumed
        if kept is None or any(one["state"] == JudgmentState.FAILED for one in kept["judgments"]):
            found = await self.judge.judge(question, answers)
            judgments.add(key, {"question": question.id, "judgments": [from_judgment(one) for one in found]})

    def _pairs(
        self, questions: Iterable[Question], candidates: Journal, judgments: Journal, counts: Counter[RowState]
    ) -> Iterator[Pair]:
        """The pairs of all questions; `counts` gets each question's state."""
        for question in questions:
            reading = self._read(question, candidates, judgments)
            counts[reading.state] += 1
            yield from reading.pairs
        if not counts[RowState.PAIR]:
            told = ", ".join(f"{count} {state}" for state, count in sorted(counts.items()))
            failed = f"; {len(self._failed)} answers failed: {'; '.join(self._failures)}" if self._failed else ""
            raise InputError(
                "no question gives a pair to learn from",
                received=told + failed,
                instead="the models as they should be, and the same command again"
                if failed
                else "other questions, more answers, or another judge",
            )

    def _read(self, question: Question, candidates: Journal, judgments: Journal) -> Reading:
        answers = self._kept(question, candidates)
        came = sum(
            candidate_key(question.id, model.name, self._sampling, seed) in candidates
            for model, seed in self._plan(question)
        )
        self._repeated += came - len(answers)
        record = judgments.get(self._judgment_key(question, answers))
        found: list[Judgment] = [to_judgment(one) for one in record["judgments"]] if record else []
        config = self.config
        return choose_pairs(
            question, answers, found, choice=config.choice, min_margin=config.min_margin, seed=config.seed
        )

    def _plan(self, question: Question) -> Iterator[tuple[ChatModel, int]]:
        """Who answers the question, and with what seed: by the question's content, never by its place."""
        config = self.config
        for index in range(config.samples_per_prompt):
            if index < config.num_own:
                assert self.policy is not None  # who makes a builder sees to it
                model = self.policy
            else:
                # which models answer goes round with the question, so that all of them have their part
                turn = int(question.id, 16) + index - config.num_own
                model = self.models[config.others[turn % len(config.others)]]
            yield model, derive_seed(config.seed, f"prefs.answer.{question.id}", index=index)

    @property
    def _failures(self) -> tuple[str, ...]:
        """Of each model whose answers failed: how many, and the first one's reason, in the order of the first ones."""
        counts = Counter(model for model, _ in self._failed.values())
        first = dict(reversed(self._failed.values()))
        return tuple(f"{count} of {model}, first: {' '.join(first[model].split())}" for model, count in counts.items())

    @property
    def _sampling(self) -> Sampling:
        return self.config.sampling.to_sampling()

    def _judgment_key(self, question: Question, answers: Sequence[Candidate]) -> str:
        """The judge with all that it is set to and what else decides: another setting judges anew."""
        depends_on = self.judge.depends_on(question) if isinstance(self.judge, DependsOnMore) else ""
        return judgment_key(self._judge_name, question, answers, depends_on)

    @property
    def _judge_name(self) -> str:
        return content_id(self.judge.name, self.config.judge.model_dump_json(), str(self.config.seed))
