"""Revision and budget forcing with an engine that follows a script; one token is one character."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import pytest

from tahr.core.errors import EngineError, InputError
from tahr.core.judging import Reply
from tahr.core.protocols import GenerationRequest, Sampling
from tahr.core.types import (
    Completion,
    FinishReason,
    Group,
    Message,
    Scored,
    StopReason,
    Task,
    Trajectory,
    Turn,
    failed,
    passed,
)
from tahr.evaluation.runner import evaluation_row
from tahr.evaluation.scaling.ask import Answered, Asker
from tahr.evaluation.scaling.chat_revision import ChatReviser
from tahr.evaluation.scaling.config import ScalingConfig
from tahr.evaluation.scaling.forcing import force
from tahr.evaluation.scaling.revision import revise
from tahr.evaluation.scaling.samples import read_questions
from tahr.evaluation.scaling.selection import Selection
from tahr.store.records import Evaluation
from tahr.verifiers.build import build_verifiers
from tahr.verifiers.config import VerifierConfig

END = ord("|")
TASK = Task(prompt=(Message(role="user", content="2+3?"),), answer="5", verifier="exact", domain="sums")
CONFIG = ScalingConfig(
    samples=8,
    chains=1,
    rounds=2,
    revise_text="sure?",
    budgets=(0, 4, 10),
    wait_text=" wait",
    answer_text=" so:",
    answer_tokens=3,
)


class Characters:
    """A template that writes messages one after another, each after its role's first letter."""

    stop_token_ids = (END,)

    def encode(self, text: str) -> tuple[int, ...]:
        return tuple(map(ord, text))

    def decode(self, token_ids: Sequence[int]) -> str:
        return "".join(map(chr, token_ids)).replace("|", "")

    def render(self, messages: Sequence[Message]) -> tuple[int, ...]:
        return self.encode("".join(f"{one.role[0]}:{one.content}|" for one in messages) + "a:")

    def extend(
        self, previous_ids: Sequence[int], messages: Sequence[Message], *, history: Sequence[Message] = ()
    ) -> tuple[int, ...] | None:
        return (*previous_ids, *self.render(messages))


@dataclass
class Script:
    """Answers requests in turn; what is longer than asked for is cut."""

    answers: list[str]
    max_context: int = 200
    policy_version: int = 0
    asked: list[GenerationRequest] = field(default_factory=list)

    def load_weights(self, policy: object, version: int) -> None:
        raise AssertionError

    async def complete(self, request: GenerationRequest) -> Completion:
        self.asked.append(request)
        text = self.answers.pop(0)
        if text == "broken":
            raise EngineError("the engine broke")
        ids = tuple(map(ord, text))[: request.sampling.max_new_tokens]
        reason = FinishReason.STOP if ids and ids[-1] == END else FinishReason.LENGTH
        return Completion(token_ids=ids, logprobs=(-1.0,) * len(ids), finish_reason=reason, policy_version=0)


class Exact:
    def verify(self, task: Task, text: str):
        return (passed if text.strip() == task.answer else failed)("", extracted=text.strip())


def asker(script: Script) -> Asker:
    return Asker(engine=script, renderer=Characters(), verifiers=Exact(), sampling=Sampling(max_new_tokens=20), seed=0)


def group(text: str, num: int = 1) -> Group:
    ids = tuple(map(ord, text))
    completion = Completion(
        token_ids=ids, logprobs=(-1.0,) * len(ids), finish_reason=FinishReason.STOP, policy_version=0
    )
    turn = Turn(prompt_token_ids=Characters().render(TASK.prompt), completion=completion)
    trajectory = Trajectory(task_id=TASK.id, group_id="g", index=0, turns=(turn,), stop_reason=StopReason.FINISHED)
    answer = text.rstrip("|")
    verdict = Exact().verify(TASK, answer)
    return Group(task=TASK, scored=(Scored(trajectory=trajectory, text=answer, verdict=verdict),) * num)


def revised(script: Script, text: str = "6|"):
    (scored,) = group(text).scored
    answer = Answered(task=TASK, scored=scored, row=evaluation_row(TASK, scored))
    return asyncio.run(revise(asker(script), [answer], CONFIG, lambda: None))


def test_each_round_reads_what_is_new_and_adds_what_it_samples():
    script = Script(["5|", "4|"])
    rounds = revised(script)
    assert {number: rows[0].text for number, rows in rounds.items()} == {0: "6", 1: "5", 2: "4"}
    assert [rounds[number][0].parts["correct"] for number in range(3)] == [0.0, 1.0, 0.0]
    assert [rounds[number][0].num_tokens for number in range(3)] == [2, 4, 6]
    # "u:2+3?|a:" is read first, "u:sure?|a:" before each revision
    assert [rounds[number][0].num_prompt_tokens for number in range(3)] == [9, 19, 29]
    assert Characters().decode(script.asked[1].prompt_token_ids) == "u:2+3?a:6u:sure?a:5u:sure?a:"


def test_rounds_that_no_answer_leaves_room_for_are_not_there():
    rounds = revised(Script(["5|"], max_context=25))
    assert sorted(rounds) == [0, 1]


def test_an_engine_that_breaks_loses_the_rest_of_the_chain_and_scores_none_of_it():
    rounds = revised(Script(["5|", *["broken"] * 3]))
    assert [rounds[number][0].score for number in range(3)] == [0.0, 1.0, None]


@dataclass
class Talk:
    """A chat model that follows a script of (text, tokens of the prompt, tokens of the answer)."""

    replies: list[tuple[str, int | None, int | None]]
    heard: list[list[str]] = field(default_factory=list)
    name: str = "talk"

    async def chat(self, messages: Sequence[Message], sampling: Sampling, seed: int) -> Reply:
        self.heard.append([message.content for message in messages])
        text, read, sampled = self.replies.pop(0)
        if text == "broken":
            raise EngineError("the server broke")
        return Reply(text=text, finish_reason=FinishReason.STOP, num_prompt_tokens=read, num_tokens=sampled)


def revised_in_messages(talk: Talk, read: int | None = 9, sampled: int | None = 2):
    (scored,) = group("6|").scored
    row = replace(evaluation_row(TASK, scored), num_prompt_tokens=read, num_tokens=sampled)
    reviser = ChatReviser(chat=talk, verifiers=Exact(), sampling=Sampling(max_new_tokens=20), seed=0)
    return asyncio.run(reviser.revise([Answered(task=TASK, scored=scored, row=row)], CONFIG, lambda: None))


def test_a_chat_model_hears_its_answers_and_pays_for_what_is_new():
    talk = Talk([("5", 21, 2), ("4", 33, 2)])
    rounds = revised_in_messages(talk)
    assert talk.heard == [["2+3?", "6", "sure?"], ["2+3?", "6", "sure?", "5", "sure?"]]
    assert [rounds[number][0].text for number in range(3)] == ["6", "5", "4"]
    assert [rounds[number][0].parts["correct"] for number in range(3)] == [0.0, 1.0, 0.0]
    assert [rounds[number][0].num_tokens for number in range(3)] == [2, 4, 6]
    # 9 at first; of 21 all but 9 + 2; of 33 all but 21 + 2
    assert [rounds[number][0].num_prompt_tokens for number in range(3)] == [9, 19, 29]


def test_what_a_server_does_not_count_stays_unknown():
    rounds = revised_in_messages(Talk([("5", None, 2), ("4", 33, None)]))
    assert [rounds[number][0].num_prompt_tokens for number in range(3)] == [9, None, None]
    assert [rounds[number][0].num_tokens for number in range(3)] == [2, 4, None]


def test_a_server_that_breaks_loses_the_rest_of_the_chain():
    rounds = revised_in_messages(Talk([("5", 21, 2), ("broken", None, None)]))
    assert [rounds[number][0].score for number in range(3)] == [0.0, 1.0, None]


def forced(script: Script):
    return asyncio.run(force(asker(script), [TASK], (0, 4, 10), CONFIG, lambda: None))


def test_the_budgets_cut_the_same_thinking_at_different_places():
    # thinking ends after 3 tokens, is told to wait (5 more), and goes on for the last 2
    script = Script(["abc|", "defg", "6|", "5|", "5|"])
    rows = forced(script)
    shown = [Characters().decode(one.prompt_token_ids).removeprefix("u:2+3?a:") for one in script.asked]
    assert shown == ["", "abc wait", " so:", "abc  so:", "abc waitde so:"]
    assert [rows[budget][0].text for budget in (0, 4, 10)] == ["6", "5", "5"]
    assert [rows[budget][0].score for budget in (0, 4, 10)] == [0.0, 1.0, 1.0]


def test_every_token_of_a_forced_answer_is_paid_once():
    rows = forced(Script(["abc|", "defg", "6|", "5|", "5|"]))
    # the answer; abc and the end that " wait" replaced; "de"
    assert [rows[budget][0].num_tokens for budget in (0, 4, 10)] == [2, 2 + 4, 2 + 4 + 2]
    # the prompt and " so:"; one token of " wait"; all five
    assert [rows[budget][0].num_prompt_tokens for budget in (0, 4, 10)] == [13, 13 + 1, 13 + 5]


def test_an_open_thought_is_closed_before_the_answer():
    script = Script(["<think>abcdef", "5|", "5|", "5|"])
    forced(script)
    shown = [Characters().decode(one.prompt_token_ids) for one in script.asked]
    assert shown[2].endswith("a:<thi so:")
    assert shown[3].endswith("a:<think>abc\n</think>\n so:")


def test_a_selector_scores_every_attempt_beside_the_truth():
    verifiers = build_verifiers({"short": VerifierConfig(verifier="regex", args={"pattern": "[0-9]"})})
    selection = Selection(verifiers=verifiers, names=("short",))
    rows = asyncio.run(selection.rows(group("6|", num=8)))
    assert rows[0].parts == {"correct": 0.0, "score by short": 1.0, "tokens of short": 0.0}
    questions, _ = read_questions(
        Evaluation(name="attempts", stage="eval", step=0, split="all", rows=tuple(rows)), fewest=2
    )
    assert questions[0].attempts[0].scores == {"short": 1.0, "likelihood": -1.0}


def test_the_truth_is_no_selector():
    with pytest.raises(InputError, match="oracle"):
        Selection(verifiers=build_verifiers({}), names=("exact",)).check([TASK])
    with pytest.raises(InputError, match="always selects"):
        Selection(verifiers=build_verifiers({}), names=("likelihood",)).check([TASK])
