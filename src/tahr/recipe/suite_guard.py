"""What is kept out of training: every question of the suites in ``[eval] suites``, dev and unseen alike, and the unseen
ones of the suites that tahr keeps out in any case (`tahr.recipe.unseen_guard`).

Training tasks with a question's very words are left out of every set, whatever generated them; training rows, and tasks
that repeat a published question, are found by their n-grams as `tahr.data.decontaminate` does, with the lengths and
shares of ``[eval.decontaminate]``. Tasks of one generator share their wording, so that among these only the same words
count.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from tahr.core.errors import InputError
from tahr.core.types import Task
from tahr.data.config import DecontaminateConfig
from tahr.data.decontaminate import QuestionIndex, question_text
from tahr.data.normalised import folded
from tahr.data.splits import TaskSet
from tahr.evaluation.suites.asking import asked_in
from tahr.evaluation.suites.config import SuiteConfig, SuiteSetting
from tahr.evaluation.suites.load import is_finite, load_suite, published_text, set_tasks, suite_tasks
from tahr.recipe.schema import Recipe
from tahr.recipe.unseen_guard import SuiteQuestion, guarded_suites
from tahr.verifiers.build import build_verifiers


@lru_cache(maxsize=4)
def suite_questions(suites: tuple[str, ...]) -> tuple[SuiteQuestion, ...]:
    """Every question of the suites. Raises InputError as loading does: what can't be read can't be kept out."""
    return tuple(question for name in suites for question in _questions(name))


def first_setting(suite: SuiteConfig, name: str) -> tuple[str, SuiteSetting]:
    """The setting that a training run asks in: the first. Raises InputError where it needs more than words, or nothing
    may be asked."""
    if suite.unseen_percent == 100:
        raise InputError(
            f"eval.suites: all of {name!r} is unseen, and a training run sees its dev side alone",
            received="unseen_percent = 100",
            instead="another suite here, and tahr eval on this one in the end",
        )
    setting_name, setting = next(iter(suite.settings.items()))
    if setting.thinking is not None:
        raise InputError(
            f"eval.suites: the first setting of {name!r} turns the chat template's switch for thinking",
            received=f"settings.{setting_name}.thinking",
            instead="a first setting without it; tahr eval asks in every setting",
        )
    return setting_name, setting


def dev_questions(name: str, num_tasks: int) -> tuple[list[Task], int]:
    """What a run asks of a suite, at most `num_tasks` of each set, and the most tokens of one answer. Raises InputError
    as loading the suite does."""
    suite = load_suite(name)
    _, setting = first_setting(suite, name)
    tasks = suite_tasks(suite, build_verifiers(suite.verifiers), "dev", num_tasks)
    return [asked_in(task, setting) for task in tasks], setting.max_new_tokens or suite.sampling.max_new_tokens


def keep_out(recipe: Recipe, sets: Mapping[str, TaskSet]) -> dict[str, TaskSet]:
    """The task sets without training tasks that are questions kept out; these are counted as moved.

    A set with ``train_on_benchmark`` is looked through for the suites in ``eval.suites`` alone. Raises InputError where
    there are some and the recipe refuses them.
    """
    config = decontamination_of(recipe)
    named = list(_named(recipe))
    every = _Wanted.of([*named, *_unseen(recipe)], config)
    stated = _Wanted.of(named, config)
    kept: dict[str, TaskSet] = {}
    for name, tasks in sets.items():
        wanted = stated if recipe.tasks[name].train_on_benchmark else every
        train = [task for task in tasks.train if not wanted.holds(task)]
        num_found = len(tasks.train) - len(train)
        if num_found and config.action == "refuse":
            raise InputError(
                f"tasks.{name}: {num_found} training tasks are questions of the suites that are kept out of training",
                received=", ".join(sorted({*(recipe.eval.suites if recipe.eval else ()), *guarded_suites(recipe)})),
                instead="other tasks, or eval.decontaminate.action = 'remove'",
            )
        if num_found:
            tasks = replace(tasks, train=tuple(train), num_moved=tasks.num_moved + num_found)
        kept[name] = tasks
    return kept


def guarded_questions(recipe: Recipe, *, published: bool = False) -> Iterator[tuple[str, str]]:
    """The questions kept out as `QuestionIndex` takes them, to be looked for in chats and pairs; of the suites that are
    generated none where only the `published` ones are wanted."""
    for one in (*_named(recipe), *_unseen(recipe)):
        if one.is_published or not published:
            yield one.id, one.published


def suite_label(name_or_path: str) -> str:
    """A suite's name for people: its own, or its file's."""
    return Path(name_or_path).stem


def _questions(name: str) -> Iterator[SuiteQuestion]:
    suite = load_suite(name)
    verifiers = build_verifiers(suite.verifiers)
    for set_name, config in suite.tasks.items():
        for task in set_tasks(set_name, config, verifiers):
            yield SuiteQuestion(
                id=f"{suite_label(name)} {task.id}",
                asked=question_text(task.prompt),
                published=published_text(task),
                is_published=is_finite(config),
            )


def _named(recipe: Recipe) -> tuple[SuiteQuestion, ...]:
    return suite_questions(recipe.eval.suites) if recipe.eval is not None and recipe.eval.suites else ()


def _unseen(recipe: Recipe) -> Iterator[SuiteQuestion]:
    """The unseen questions of suites that the recipe doesn't name, each once: champ-hints asks what champ does."""
    named = recipe.eval.suites if recipe.eval is not None else ()
    texts: set[str] = set()
    for name, questions in guarded_suites(recipe).items():
        for one in questions if name not in named else ():
            if one.published not in texts:
                texts.add(one.published)
                yield one


def decontamination_of(recipe: Recipe) -> DecontaminateConfig:
    """How questions are looked for: as ``[eval.decontaminate]`` says, or by its defaults."""
    return recipe.eval.decontaminate if recipe.eval is not None else DecontaminateConfig()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wanted:
    """Questions to be kept out: the very words of all, and the published ones as they are looked for in others."""

    same: frozenset[str]
    index: QuestionIndex

    @classmethod
    def of(cls, questions: Sequence[SuiteQuestion], config: DecontaminateConfig) -> _Wanted:
        index = QuestionIndex(
            ((one.id, one.published) for one in questions if one.is_published),
            ngram=config.ngram,
            share=config.share,
            measure=config.measure,
        )
        return cls(
            same=frozenset(_plain(text) for one in questions for text in (one.asked, one.published)), index=index
        )

    def holds(self, task: Task) -> bool:
        """Whether a task is one of the questions, or holds one anywhere: in its prompt, the system's message included,
        in the question that it says it is, in its answer."""
        if not self.same:
            return False
        asked, published = question_text(task.prompt), published_text(task)
        if _plain(asked) in self.same or _plain(published) in self.same:
            return True
        texts = [message.content for message in task.prompt]
        texts += [text for text in (published, task.answer) if isinstance(text, str) and text not in asked]
        return len(self.index) > 0 and bool(self.index.find("\n".join(texts)))


def _plain(text: str) -> str:
    return " ".join(folded(text).split())
