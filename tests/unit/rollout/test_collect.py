from __future__ import annotations

import pytest

from small_rollouts import Scripted, collect, make_task
from tahr.core.protocols import Sampling


def test_the_judged_text_ends_before_the_stop_string():
    groups = collect(
        Scripted("yes;no"), [make_task()], group_size=1, sampling=Sampling(max_new_tokens=8, stop=(";", "no"))
    )
    assert groups[0].scored[0].text == "yes"
    assert groups[0].rewards == (1.0,)


def test_the_renderers_stop_ids_end_a_turn():
    engine = Scripted()
    collect(engine, [make_task()], sampling=Sampling(max_new_tokens=8, stop_token_ids=(7, 0)))
    assert engine.requests[0].sampling.stop_token_ids == (7, 0)


def test_another_exception_passes_through():
    class Broken(Scripted):
        async def complete(self, request):
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        collect(Broken(), [make_task()])
