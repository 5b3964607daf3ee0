"""What ``[eval] suites`` keeps out of training: every question of the named suites, dev and unseen alike.

There is no setting for less. Training tasks with a suite's very words are left out of every set, whatever generated
them; training rows, and tasks that repeat a published question, are found by their n-grams as `tahr.data.decontaminate`
does, with the lengths and shares of ``[eval.decontaminate]``. Tasks of one generator share their wording, so that
among these only the same words count.
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
from tahr.verifiers.build import build_verifiers


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteQuestion:
    """One question of a suite: an id for people, its words as asked and as published, and whether its set is finite.

    Example: ``SuiteQuestion(id="gsm8k 9f86d081884c7d65", asked="How many? Think step by step.", published="How many?",
    is_published=True)``
    """

    id: str
    asked: str
    published: str
    is_published: bool


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
    """The task sets without training tasks that are questions of the recipe's suites; these are counted as moved.

    Raises InputError where there are some and the recipe refuses them.
    """
    if recipe.eval is None or not recipe.eval.suites:
        return dict(sets)
    questions = suite_questions(recipe.eval.suites)
    same = {words: one.id for one in questions for words in (_plain(one.asked), _plain(one.published))}
    index = question_index_of([one for one in questions if one.is_published], recipe.eval.decontaminate)
    kept: dict[str, TaskSet] = {}
    for name, tasks in sets.items():
        train = [task for task in tasks.train if not _is_asked(task, same, index)]
        num_found = len(tasks.train) - len(train)
        if num_found and recipe.eval.decontaminate.action == "refuse":
            raise InputError(
                f"tasks.{name}: {num_found} training tasks are questions of the suites in eval.suites",
                received=", ".join(recipe.eval.suites),
                instead="other tasks, or eval.decontaminate.action = 'remove'",
            )
        kept[name] = replace(tasks, train=tuple(train), num_moved=tasks.num_moved + num_found)
    return kept


def guarded_questions(recipe: Recipe) -> Iterator[tuple[str, str]]:
    """The questions of the recipe's suites as `QuestionIndex` takes them, to be looked for in chats and pairs."""
    for one in suite_questions(recipe.eval.suites) if recipe.eval is not None else ():
        yield one.id, one.published


def question_index_of(questions: Sequence[SuiteQuestion], config: DecontaminateConfig) -> QuestionIndex:
    """The published questions, as they are looked for."""
    pairs = ((one.id, one.published) for one in questions)
    return QuestionIndex(pairs, ngram=config.ngram, share=config.share, measure=config.measure)


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


def _is_asked(task: Task, same: Mapping[str, str], index: QuestionIndex) -> bool:
    asked, published = question_text(task.prompt), published_text(task)
    if _plain(asked) in same or _plain(published) in same:
        return True
    return len(index) > 0 and bool(index.find(published))


def _plain(text: str) -> str:
    return " ".join(folded(text).split())
