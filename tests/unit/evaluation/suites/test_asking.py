from tahr.core.types import Message, Task
from tahr.evaluation.suites.asking import asked_in
from tahr.evaluation.suites.config import SuiteSetting

TASK = Task(prompt=(Message(role="user", content="2 + 3?"),), answer="5", verifier="numeric", meta={"level": 1})


def test_the_bare_question_stays_as_it_is():
    assert asked_in(TASK, SuiteSetting(thinking=True, max_new_tokens=5)) == TASK


def test_words_before_and_around():
    asked = asked_in(TASK, SuiteSetting(system="Be exact.", template="Think. {question} Say {x}."))
    assert asked.prompt == (
        Message(role="system", content="Be exact."),
        Message(role="user", content="Think. 2 + 3? Say {x}."),
    )
    assert (asked.answer, asked.meta, asked.environment) == ("5", {"level": 1}, "single_turn")
    assert asked.id != TASK.id


def test_a_system_message_takes_the_place_of_the_tasks_own():
    task = Task(prompt=(Message(role="system", content="Be brief."), *TASK.prompt), answer="5", verifier="numeric")
    asked = asked_in(task, SuiteSetting(system="Be exact.", environment="tools"))
    assert [message.content for message in asked.prompt] == ["Be exact.", "2 + 3?"]
    assert asked.environment == "tools"
