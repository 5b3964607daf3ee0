"""What a build is refused for where its section is read, in a recipe as in a file of its own."""

import pytest

from tahr.core.errors import InputError
from tahr.preference.config import BuildConfig

POOL = {"one": {"source": "a"}, "two": {"source": "b"}}


def read(**values):
    return BuildConfig.read({"tasks": {"some": 1.0}, **values}, where="dpo.build")


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"sampling": {"temperature": 0}}, "gives the same answer twice"),
        ({"sampling": {"temperature": 0}, "models": POOL, "on_policy_share": 0.0}, "gives the same answer twice"),
        ({"tasks": {}}, "questions come from tasks, from [dpo.build.prompts.NAME], or from both; there is neither"),
        ({"tasks": {}, "prompts": {"own": {"path": "p.jsonl"}}}, "the questions of prompts.own have no answer that a"),
        (
            {"prompts": {"some": {"path": "p.jsonl"}}, "judge": {"kind": "pairwise", "model": "one"}, "models": POOL},
            "'some' names a set of tasks and a set of prompts",
        ),
        ({"tasks": {"some": 0.0}}, "the weight of tasks.some must be above 0"),
        ({"on_policy_share": 0.5}, "no model besides the judge's is named"),
        ({"answering": ["three"], "models": POOL}, "answering names 'three', but models has one, two"),
    ],
)
def test_what_can_give_no_pairs_is_refused(values, told):
    with pytest.raises(InputError) as error:
        read(**values)
    assert told in str(error.value) and "dpo.build" in str(error.value)


def test_models_that_answer_once_each_may_be_greedy():
    greedy = read(sampling={"temperature": 0}, models=POOL, on_policy_share=0.0, samples_per_prompt=2)
    assert (greedy.num_own, greedy.num_others) == (0, 2)
    own = read(sampling={"temperature": 0}, models=POOL, on_policy_share=0.34, samples_per_prompt=3)
    assert (own.num_own, own.num_others) == (1, 2)
