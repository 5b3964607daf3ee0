import io

from rich.console import Console

from tahr.cli.progress import LiveProgress, Pace, PlainProgress, evaluation_line, sparkline, step_line
from tahr.core.progress import Progress, SilentProgress


def play(progress: Progress) -> None:
    progress.stage("rlvr", total_steps=2)
    progress.message("run: runs/tiny")
    for step in (1, 2):
        progress.phase("sampling", total=64)
        progress.advance(64)
        progress.phase("training", total=4000)
        progress.advance()
        progress.step(step, {"reward": 0.25 * step, "loss": 0.0123, "tokens_per_second": 2150.0, "other": 1.0})
    progress.phase("evaluating (after)", total=400)
    progress.evaluation("after", 0.5)
    progress.close()
    progress.close()


def test_plain_lines_hold_one_step_each():
    output = io.StringIO()
    play(PlainProgress(Console(file=output, width=200)))
    lines = output.getvalue().splitlines()
    assert lines[0] == "rlvr: 2 steps"
    assert lines[1] == "run: runs/tiny"
    assert lines[2].startswith("rlvr 1/2  reward 0.250  loss 0.0123  tokens/s 2.1 k  left ")
    assert lines[3] == "rlvr 2/2  reward 0.500  loss 0.0123  tokens/s 2.1 k"
    assert lines[4] == "evaluating (after): 400 attempts"
    assert lines[5] == "evaluation after: mean reward 0.500"
    assert len(lines) == 6


def test_the_live_view_keeps_messages_and_clears_itself():
    output = io.StringIO()
    play(LiveProgress(Console(file=output, force_terminal=True, width=120)))
    assert "run: runs/tiny" in output.getvalue()
    assert "evaluation after: mean reward 0.500" in output.getvalue()


def test_the_live_view_shows_step_course_and_phase():
    output = io.StringIO()
    console = Console(file=output, force_terminal=True, width=120)
    progress = LiveProgress(console)
    progress.stage("rlvr", total_steps=10)
    for step, reward in ((1, 0.0), (2, 0.5), (3, 1.0)):
        progress.step(step, {"reward": reward})
    progress.phase("sampling", total=64)
    progress.advance(32)
    with console.capture() as captured:
        console.print(progress._view())
    progress.close()
    shown = captured.get()
    assert "rlvr 3/10" in shown
    assert "▁▅█" in shown
    assert "sampling" in shown
    assert "32/64" in shown


def test_an_evaluation_says_how_long_it_will_take_by_its_pace_of_late(monkeypatch):
    now = [1000.0]
    for module in ("progress", "phase"):
        monkeypatch.setattr(f"tahr.cli.{module}.monotonic", lambda: now[0])
    output = io.StringIO()
    progress = PlainProgress(Console(file=output, width=80))
    progress.phase("evaluating (bare)", total=541)
    progress.advance(200)  # from the cache, at once
    for _ in range(12):
        now[0] += 10
        progress.advance(1)
    lines = output.getvalue().splitlines()
    assert lines[0] == "evaluating (bare): 541 attempts"
    assert lines[1] == "evaluating (bare): 203/541, 50 s left"  # 30 s for 203 so far
    assert lines[4] == "evaluating (bare): 212/541, 54 min 50 s left"  # the last minute had one in 10 s
    assert len(lines) == 5
    progress.phase("training", total=3)
    now[0] += 100
    progress.advance()
    assert len(output.getvalue().splitlines()) == 5


def test_silence_is_kept(capsys):
    play(SilentProgress())
    assert capsys.readouterr().out == ""


def test_a_resumed_stage_counts_time_from_its_own_first_step(monkeypatch):
    clock = iter([100.0, 130.0])
    monkeypatch.setattr("tahr.cli.progress.monotonic", lambda: next(clock))
    pace = Pace(total_steps=10, done=4, began=100.0)
    assert pace.seconds_left is None
    pace.step(5)
    next(clock)
    pace.step(6)
    # two steps took 30 s; four are left
    assert pace.seconds_left == 60.0


def test_a_line_asked_for_by_a_signal_handler_waits_for_the_one_under_way():
    class Interrupted(io.StringIO):
        """A stream whose first write is interrupted by a handler that wants to say something."""

        progress: PlainProgress | None = None

        def write(self, text: str) -> int:
            progress, self.progress = self.progress, None
            if progress is not None:
                progress.message("stopping")
            return super().write(text)

    output = Interrupted()
    progress = PlainProgress(Console(file=output, width=80))
    output.progress = progress
    progress.message("first")
    assert output.getvalue() == "first\nstopping\n"


def test_sparklines():
    assert sparkline([]) == ""
    assert sparkline([1.0, 1.0]) == "▁▁"
    assert sparkline([0.0, 1.0, 2.0, 3.0], width=2) == "▁█"


def test_metrics_that_a_stage_does_not_have_are_left_out():
    assert step_line("sft", 1, 1, {"loss": 1.5}, None) == "sft 1/1  loss 1.500"
    assert step_line("rlvr", 1, 1, {"reward": 0.0, "tokens_per_second": 150.35}, None) == (
        "rlvr 1/1  reward 0.000  tokens/s 150"
    )
    assert evaluation_line("after", None) == "evaluation after: no attempt could be scored"


def test_a_critic_is_on_the_line_where_there_is_one():
    metrics = {"loss": 0.5, "value_loss": 0.25, "explained_variance": 0.125}
    assert step_line("rlvr", 1, 1, metrics, None) == (
        "rlvr 1/1  loss 0.500  critic loss 0.250  explained variance 0.125"
    )


def test_a_step_without_an_update_says_why():
    no_spread = step_line("rlvr", 1, 1, {"num_updates": 0.0, "num_groups_taught": 0.0}, None)
    assert no_spread == "rlvr 1/1  no update: in no group did attempts differ"
    # rewards there are, but no greedy one to compare them with
    assert "greedy rewards are absent" in step_line("rlvr", 1, 1, {"num_updates": 0.0, "num_groups_taught": 4.0}, None)
