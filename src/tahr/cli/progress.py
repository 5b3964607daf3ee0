"""What a run looks like while it runs: a live view in a terminal, one plain line for each step elsewhere."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from time import monotonic

from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from tahr.cli.console import console, count_text, time_text
from tahr.cli.phase import PhasePace
from tahr.core.progress import Progress

BLOCKS = "▁▂▃▄▅▆▇█"
SPARK_WIDTH = 40

SHOWN = {
    "reward": "reward",
    "correct": "correct",
    "canary_pass_share": "canaries passed",
    "pass_rate": "pass",
    "kept_share": "kept",
    "loss": "loss",
    "validation_loss": "held out",
    "accuracy": "accuracy",
    "margin": "margin",
    "chosen_drift": "chosen drift",
    "value_loss": "critic loss",
    "explained_variance": "explained variance",
    "approx_kl": "kl",
    "kl_teacher": "kl to teacher",
    "entropy": "entropy",
    "grad_norm": "grad",
    "tokens_per_second": "tokens/s",
}
"""Metrics on a step's line, by the names that stages log, with the words that stand for them."""


def watch() -> Progress:
    """The listener that suits standard output."""
    output = console()
    return LiveProgress(output) if output.is_terminal else PlainProgress(output)


def sparkline(values: list[float], width: int = SPARK_WIDTH) -> str:
    """The last `width` values as blocks between the lowest and the highest of them.

    >>> sparkline([0.0, 0.5, 1.0])
    '▁▅█'
    """
    recent = values[-width:]
    if not recent:
        return ""
    low, high = min(recent), max(recent)
    spread = high - low
    top = len(BLOCKS) - 1
    return "".join(BLOCKS[round((value - low) / spread * top) if spread > 0 else 0] for value in recent)


@dataclass(slots=True)
class Pace:
    """How fast a stage goes: the time of its steps since the stage, or the resumed part of it, began."""

    total_steps: int = 0
    done: int = 0
    began: float = field(default_factory=monotonic)
    steps_timed: int = 0

    def step(self, step: int) -> None:
        """Step `step` has ended."""
        self.done = step
        self.steps_timed += 1

    @property
    def seconds_left(self) -> float | None:
        """At the mean pace so far; None before the first step has ended."""
        if not self.steps_timed:
            return None
        return (monotonic() - self.began) / self.steps_timed * (self.total_steps - self.done)


def step_line(stage: str, step: int, total: int, metrics: Mapping[str, float], seconds_left: float | None) -> str:
    """One step in words, such as ``rlvr 3/12  reward 0.412  loss 0.013  8 s  left 1 min 12 s``."""
    words = [f"{stage} {step}/{total}"]
    words += [f"{label} {_number(metrics[name])}" for name, label in SHOWN.items() if name in metrics]
    if metrics.get("num_updates") == 0:
        words.append(f"no update: {_why_idle(metrics)}")
    if seconds_left is not None and step < total:
        words.append(f"left {time_text(seconds_left)}")
    return "  ".join(words)


def _why_idle(metrics: Mapping[str, float]) -> str:
    """Why a step had nothing to learn from."""
    if not metrics.get("num_groups_taught"):
        return "in no group did attempts differ"
    return "no attempt has an advantage (greedy rewards are absent) or every one that has was cut off"


def _number(value: float) -> str:
    size = abs(value)
    if size < 1e-7:  # rounding, as the KL of a policy from itself
        return "0.000"
    if size >= 1000:
        return count_text(value)
    if size >= 100:
        return f"{value:.0f}"
    return f"{value:.3f}" if size >= 0.1 else f"{value:.3g}"


class Lines:
    """Prints whole lines. A signal handler may want one printed while another is on its way out: it waits its turn,
    since a rich console that is entered twice prints what it holds twice."""

    def __init__(self, output: Console) -> None:
        self._output = output
        self._waiting: deque[str] = deque()
        self._printing = False

    def print(self, text: str) -> None:
        """Print `text`, and what came in between."""
        self._waiting.append(text)
        if self._printing:
            return
        self._printing = True
        try:
            while self._waiting:
                self._output.print(self._waiting.popleft(), markup=False, highlight=False, soft_wrap=True)
            self._output.file.flush()
        finally:
            self._printing = False


class PlainProgress:
    """One line for each step; flushed, so that a log file is never behind."""

    def __init__(self, output: Console) -> None:
        self._lines = Lines(output)
        self._stage = ""
        self._pace = Pace()
        self._phase, self._of_phase = "", PhasePace()

    def stage(self, name: str, *, total_steps: int, first_step: int = 1) -> None:
        """Say that a stage begins."""
        self._stage, self._pace = name, Pace(total_steps=total_steps, done=first_step - 1)
        begun = "" if first_step == 1 else f", from step {first_step}"
        self.message(f"{name}: {total_steps} steps{begun}")

    def phase(self, name: str, *, total: int) -> None:
        """Say that an evaluation begins, since it can take minutes; a step's own phases are not shown."""
        self._phase, self._of_phase = name if name.startswith("evaluating") else "", PhasePace(total=total)
        if self._phase:
            self.message(f"{name}: {total} attempts")

    def advance(self, count: int = 1) -> None:
        """Say now and then how far an evaluation is, and how long it will take."""
        if not self._phase:
            return
        self._of_phase.advance(count)
        left = self._of_phase.seconds_left
        if left is not None and self._of_phase.is_due:
            self.message(f"{self._phase}: {self._of_phase.done}/{self._of_phase.total}, {time_text(left)} left")

    def step(self, step: int, metrics: Mapping[str, float]) -> None:
        """Print the step's line."""
        self._pace.step(step)
        self.message(step_line(self._stage, step, self._pace.total_steps, metrics, self._pace.seconds_left))

    def evaluation(self, name: str, score: float | None) -> None:
        """Print the evaluation's score."""
        self.message(evaluation_line(name, score))

    def message(self, text: str) -> None:
        """Print one line."""
        self._lines.print(text)

    def close(self) -> None:
        """Nothing to give back."""


def evaluation_line(name: str, score: float | None) -> str:
    """An evaluation in words."""
    return f"evaluation {name}: {'no attempt could be scored' if score is None else f'mean reward {score:.3f}'}"


class LiveProgress:
    """Stage, step, reward with its course, speed, time left, and a bar for the phase under way."""

    def __init__(self, output: Console) -> None:
        self._stage, self._phase = "", ""
        self._pace = Pace()
        self._metrics: Mapping[str, float] = {}
        self._rewards: list[float] = []
        self._of_phase = PhasePace()
        self._live = Live(console=output, get_renderable=self._view, refresh_per_second=4, transient=True)
        self._lines = Lines(output)
        self._live.start()

    def stage(self, name: str, *, total_steps: int, first_step: int = 1) -> None:
        """A stage begins; the course of the reward starts anew."""
        self._stage, self._pace = name, Pace(total_steps=total_steps, done=first_step - 1)
        self._metrics, self._rewards = {}, []

    def phase(self, name: str, *, total: int) -> None:
        """The bar starts anew."""
        self._phase, self._of_phase = name, PhasePace(total=total)

    def advance(self, count: int = 1) -> None:
        """The bar moves on."""
        self._of_phase.advance(count)

    def step(self, step: int, metrics: Mapping[str, float]) -> None:
        """Keep the step's metrics in view."""
        self._pace.step(step)
        self._metrics = dict(metrics)
        if "reward" in metrics:
            self._rewards.append(metrics["reward"])

    def evaluation(self, name: str, score: float | None) -> None:
        """Leave the score above the view."""
        self.message(evaluation_line(name, score))

    def message(self, text: str) -> None:
        """Leave one line above the view."""
        self._lines.print(text)

    def close(self) -> None:
        """Stop drawing; doing so twice is harmless."""
        self._live.stop()

    def _view(self) -> Group:
        if not self._stage:
            return Group(*([self._bar()] if self._phase else []))
        left = self._pace.seconds_left
        line = step_line(self._stage, self._pace.done, self._pace.total_steps, self._metrics, left)
        parts = [Text(line, style="bold")]
        if self._rewards:
            shown = self._rewards[-SPARK_WIDTH:]
            parts.append(Text(f"reward {sparkline(self._rewards)} {min(shown):.2f} to {max(shown):.2f}", style="green"))
        return Group(*parts, self._bar())

    def _bar(self) -> Table:
        row = Table.grid(padding=(0, 1))
        phase = self._of_phase
        total = max(phase.total, 1)
        bar = ProgressBar(total=total, completed=min(phase.done, total), width=40)
        times = time_text(monotonic() - phase.began)
        if phase.seconds_left is not None:
            times += f", {time_text(phase.seconds_left)} left"
        row.add_row(self._phase, bar, f"{count_text(phase.done)}/{count_text(phase.total)}", times)
        return row
