"""`runs`, `show` and `report` on a small run made by hand."""

from pathlib import Path

import pytest

from small_attempts import attempt, evaluation
from small_results import results_run
from tahr.cli.show import select
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
    broken,
    failed,
    passed,
)
from tahr.store.records import Evaluation, EvaluationRow
from tahr.store.run import Run

TEXTS = ("cba", "abc", "?")


def make_task(letters: str) -> Task:
    prompt = (Message(role="user", content=f"reverse: {letters}"),)
    return Task(prompt=prompt, answer=letters[::-1], verifier="exact", domain="reverse")


def make_group(step: int, letters: str = "abc") -> Group:
    task = make_task(letters)
    verdicts = (passed("equal"), failed("not equal", value=0.25), broken("no verdict"))
    scored = []
    for index, (text, verdict) in enumerate(zip(TEXTS, verdicts, strict=True)):
        completion = Completion(
            token_ids=(5, 6), logprobs=(-0.5, -0.25), finish_reason=FinishReason.STOP, policy_version=step
        )
        turn = Turn(prompt_token_ids=(1, 2), completion=completion)
        trajectory = Trajectory(
            task_id=task.id,
            group_id=f"{step}:{task.id}",
            index=index,
            turns=(turn,),
            stop_reason=StopReason.FINISHED,
        )
        scored.append(Scored(trajectory=trajectory, text=text, verdict=verdict))
    return Group(task=task, scored=tuple(scored))


def make_evaluation(name: str, step: int, scores: tuple[float, ...]) -> Evaluation:
    rows = tuple(
        EvaluationRow(
            task_id=f"task{number}",
            domain="reverse",
            index=0,
            prompt="reverse: abc",
            answer="cba",
            text="cba",
            score=score,
            parts={"correct": score},
            outcome="pass" if score else "fail",
            note="",
            num_tokens=3,
            finish_reason="stop",
        )
        for number, score in enumerate(scores)
    )
    return Evaluation(name=name, stage="rlvr", step=step, split="test", rows=rows)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder with one finished run called tiny-one."""
    root = tmp_path / "runs"
    recipe = {"name": "tiny", "stages": ["rlvr"]}
    toml = 'name = "tiny"\nstages = ["rlvr"]\n'
    run = Run.create(root, "tiny", recipe=recipe, recipe_toml=toml, seed=1, folder=root / "tiny-one")
    run.write_evaluation(make_evaluation("before", 0, (0.0, 0.0, 1.0, 0.0)))
    for step in (1, 2):
        run.log("rlvr", step, {"reward": 0.25 * step, "loss": 0.5})
        run.write_rollouts("rlvr", step, [make_group(step), make_group(step, "xyz")], [[1.5, -0.5, None]] * 2)
    run.write_evaluation(make_evaluation("after", 2, (1.0, 1.0, 1.0, 0.0)))
    run.finish("finished")
    return root


def test_runs_are_listed_with_their_scores(tahr, root):
    result = tahr("runs", "--runs", root)
    assert result.code == 0
    line = next(line for line in result.out.splitlines() if line.startswith("tiny-one"))
    assert line.split()[:7] == ["tiny-one", "finished", "rlvr", "2", "0.500", "0.250", "0.750"]


def test_a_folder_without_runs_says_how_to_make_one(tahr, tmp_path):
    result = tahr("runs", "--runs", tmp_path)
    assert (result.code, "tahr train recipes/tiny.toml" in result.out) == (0, True)


def test_a_damaged_run_does_not_hide_the_others(tahr, root):
    damaged = root / "damaged"
    damaged.mkdir()
    (damaged / "manifest.json").write_text("{")
    result = tahr("runs", "--runs", root)
    assert "tiny-one" in result.out
    assert "damaged is not a complete run folder" in result.err


def test_the_last_step_is_shown_in_order_of_sampling(tahr, root):
    result = tahr("show", "tiny-one", "--runs", root, "--count", "3")
    assert result.code == 0
    assert result.out.count("reverse: abc") == 3
    assert "reward 1.000 (correct 1)  advantage +1.500" in result.out
    assert "reward 0.250 (correct 0)  advantage -0.500" in result.out
    assert "reward none ()  advantage none" in result.out
    assert "fail: not equal  answer: cba" in result.out
    assert result.out.endswith("3 of 6 attempts of rlvr-000002\n")


def test_worst_and_best_come_first_and_absent_rewards_last():
    rows = [{"task_id": "t", "domain": "d", "reward": reward} for reward in (0.5, None, 1.0, 0.0)]
    assert [row["reward"] for row in select(rows, task="", best=True, worst=False)] == [1.0, 0.5, 0.0, None]
    assert [row["reward"] for row in select(rows, task="", best=False, worst=True)] == [0.0, 0.5, 1.0, None]


def test_a_step_and_a_task_can_be_chosen(tahr, root):
    result = tahr("show", root / "tiny-one", "--step", "1", "--task", make_task("xyz").id[:6], "--worst", "-n", "1")
    assert result.code == 0
    assert "reverse: xyz" in result.out
    assert "reward 0.250" in result.out
    assert result.out.endswith("1 of 3 attempts of rlvr-000001\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--step", "7"], "there are no rollouts of step 7"),
        (["--stage", "sft"], "has no rollouts of the stage 'sft'"),
        (["--task", "nothing"], "no attempt of rlvr-000002 matches"),
        (["--best", "--worst"], "--best and --worst contradict each other"),
    ],
)
def test_what_is_not_there_is_said(tahr, root, arguments, message):
    result = tahr("show", "tiny-one", "--runs", root, *arguments)
    assert (result.code, message in result.err) == (2, True)


def test_a_run_is_found_by_the_beginning_of_its_name(tahr, root):
    assert tahr("show", "tiny", "--runs", root).code == 0


def test_an_unknown_run_names_the_nearest(tahr, root):
    result = tahr("show", "tini-one", "--runs", root)
    assert result.code == 2
    assert "there is no such run" in result.err
    assert "did you mean tiny-one?" in result.err


def test_a_report_is_written_into_the_run(tahr, root):
    result = tahr("report", "tiny-one", "--runs", root)
    assert result.code == 0
    assert result.out == f"{root / 'tiny-one' / 'report.html'}\n"
    assert (root / "tiny-one" / "report.html").is_file()


def test_a_picture_of_the_gain_is_drawn_on_demand(tahr, root, tmp_path):
    picture = tmp_path / "gain.png"
    result = tahr("report", "tiny-one", "--runs", root, "--picture", picture)
    assert result.code == 0
    assert result.out.splitlines() == [str(picture), str(root / "tiny-one" / "report.html")]
    assert picture.read_bytes().startswith(b"\x89PNG")
    refused = tahr("report", "tiny-one", "--runs", root, "--picture", tmp_path / "gain.gif")
    assert refused.code == 2
    assert "picture format" in refused.err


def test_evaluations_are_listed_with_score_interval_and_time(tahr, root):
    results_run(root)
    result = tahr("runs", "--runs", root)
    assert result.code == 0
    lines = result.out.splitlines()
    place = next(place for place, line in enumerate(lines) if line.startswith("eval-sums"))
    first = lines[place].split()
    assert first[:8] == ["eval-sums", "finished", "sums", "bare", "0.625", "0.258", "to", "0.889"]
    assert "1 min 30 s, 1 from the cache" in lines[place]
    assert lines[place + 1].split()[:3] == ["sums", "steps", "1.000"]
    assert any(line.startswith("tiny-one") for line in lines[:place])


def test_a_run_of_many_evaluations_is_listed_in_a_few_lines(tahr, tmp_path):
    many = [evaluation(attempt("a"), attempt("b", correct=0.0), name=f"revision-{n:03}") for n in range(9)]
    results_run(tmp_path, *many)
    result = tahr("runs", "--runs", tmp_path)
    assert result.out.count("revision-") == 4 and "and 5 more" in result.out


def test_an_evaluation_is_shown_question_by_question(tahr, tmp_path):
    results_run(tmp_path)
    result = tahr("show", "eval-sums", "--runs", tmp_path, "--worst", "-n", "1")
    assert result.code == 0
    assert "0.625" in result.out  # the score stands above
    assert "bare 0/2, steps ✓" in result.out  # the question that went worst
    assert "✗ bare, answer 1" in result.out and "✓ steps, answer 1" in result.out
    assert "(nothing)" in result.out and "reward 0.000 (correct 0, only_c 0.25)" in result.out
    assert result.out.splitlines()[-1].startswith("1 of 4 questions: 2 all right, 2 partly right")


def test_questions_are_chosen_by_how_they_went(tahr, tmp_path):
    results_run(tmp_path)
    absent = tahr("show", "eval-sums", "--runs", tmp_path, "--kind", "absent")
    assert "no reward; error: the judge died" in absent.out and absent.out.count("right: 5") == 1
    bare = tahr("show", "eval-sums", "--runs", tmp_path, "--only", "bare", "--kind", "wrong")
    assert bare.out.splitlines()[-1].startswith("1 of 1 questions: 1 all wrong")
    unknown = tahr("show", "eval-sums", "--runs", tmp_path, "--kind", "wrnog")
    assert (unknown.code, "did you mean 'wrong'" in unknown.err) == (2, True)
    nothing = tahr("show", "eval-sums", "--runs", tmp_path, "--task", "zz")
    assert (nothing.code, "no question matches" in nothing.err) == (2, True)
    steps = tahr("show", "eval-sums", "--runs", tmp_path, "--step", "1")
    assert (steps.code, "choose rollouts of a training run" in steps.err) == (2, True)


def test_a_training_runs_evaluation_is_shown_by_its_name(tahr, root):
    result = tahr("show", "tiny-one", "--runs", root, "--only", "before", "--best", "-n", "1")
    assert result.code == 0 and "before ✓" in result.out


def test_texts_of_an_answer_cant_steer_the_terminal(tahr, tmp_path):
    results_run(tmp_path, evaluation(attempt("a", text="\x1b[2J[bold]x", prompt="\x1b]0;t\x07", note="\x1b[0m")))
    result = tahr("show", "eval-sums", "--runs", tmp_path)
    assert "\x1b" not in result.out and "\x07" not in result.out and "[bold]x" in result.out


def test_a_run_of_which_nothing_was_answered_says_so(tahr, tmp_path):
    with Run.create(tmp_path, "eval-x", recipe={"stages": []}, recipe_toml="", seed=0, folder=tmp_path / "run") as run:
        run.finish("interrupted")
    result = tahr("show", tmp_path / "run")
    assert result.code == 2
    assert "--task" not in result.err
    assert "instead:" in result.err
