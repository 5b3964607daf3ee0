"""Which charts a stage gets: the known metrics in named panels, all others one by one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from tahr.evaluation.statistics import Mean, mean_interval, mean_score, task_scores
from tahr.report.chart import WIDE, Chart, Point, Series, layout, plain
from tahr.report.gain import steps_up
from tahr.store.metrics import MetricsRow
from tahr.store.query import sql
from tahr.store.records import Evaluation
from tahr.store.run import Run


@dataclass(frozen=True, slots=True, kw_only=True)
class StageCharts:
    """The charts of one stage: `main` for everybody, `other` for who looks deeper.

    Example: ``StageCharts(stage="rlvr", num_steps=40, main=(reward_chart,), other=(ratio_chart,))``
    """

    stage: str
    num_steps: int
    main: tuple[Chart, ...]
    other: tuple[Chart, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Panel:
    title: str
    note: str
    lines: tuple[tuple[str, str], ...]  # metric, label
    noise: float = -1.0  # a panel with nothing above it says nothing, and stands among the others


_MAIN = (
    _Panel(title="Loss", note="", lines=(("loss", "loss"),)),
    _Panel(
        title="Validation loss",
        note="nats a token, on held-out conversations",
        lines=(("validation_loss", "after the step"), ("validation_loss_before", "before the first")),
    ),
    _Panel(
        title="Accuracy on pairs",
        note="share whose chosen answer has the higher implicit reward, a tie counting half",
        lines=(
            ("accuracy", "training"),
            ("validation_accuracy", "held out"),
            ("validation_accuracy_before", "held out, before"),
        ),
    ),
    _Panel(
        title="Implicit rewards",
        note="in the loss's own units",
        lines=(("chosen_reward", "chosen"), ("rejected_reward", "rejected"), ("margin", "margin")),
    ),
    _Panel(
        title="Drift from the reference",
        note="nats an answer; below 0 the policy gives the answer up",
        lines=(
            ("chosen_drift", "chosen"),
            ("rejected_drift", "rejected"),
            ("validation_chosen_drift", "chosen, held out"),
        ),
    ),
    _Panel(
        title="Attempts that pass and are kept",
        note="shares of a round's attempts",
        lines=(("pass_rate", "pass"), ("kept_share", "kept"), ("duplicate_share", "say what was said")),
    ),
    _Panel(
        title="Tasks of a round",
        note="shares",
        lines=(("tasks_taught", "with kept attempts"), ("tasks_without_pass", "without any that passes")),
    ),
    _Panel(
        title="KL from the teacher",
        note="nats a token, over all that was sampled",
        lines=(("kl_teacher", "student to teacher"),),
    ),
    _Panel(
        title="Completion length",
        note="tokens",
        lines=(
            ("completion_length", "all"),
            ("completion_length_kept", "kept"),
            ("completion_length_correct", "right answers"),
            ("completion_length_wrong", "wrong answers"),
        ),
    ),
    _Panel(title="Entropy", note="nats a token", lines=(("entropy", "entropy"),)),
    _Panel(title="KL from the sampling policy", note="nats a token", lines=(("approx_kl", "approx_kl"),), noise=1e-7),
    _Panel(
        title="Clipped tokens",
        note="share",
        lines=(("clipfrac_low", "below"), ("clipfrac_high", "above")),
        noise=0.0,
    ),
    _Panel(title="Gradient norm", note="before clipping", lines=(("grad_norm", "norm"),)),
    _Panel(
        title="Groups without spread",
        note="share whose attempts are all equally correct, or equally rewarded with spread_in = 'reward'",
        lines=(("zero_spread_share", "share"),),
    ),
    _Panel(
        title="Attempts dropped, by cause",
        note="count",
        lines=(
            ("dropped_infrastructure", "infrastructure"),
            ("dropped_timeout", "verifier too slow"),
            ("dropped_error", "verifier failed"),
        ),
        noise=0.0,
    ),
    _Panel(
        title="Attempts that cheat",
        note="share, as the verifiers see it; of attempts at impossible tasks, those that pass",
        lines=(("cheat_share", "all"), ("canary_pass_share", "impossible tasks passed")),
        noise=0.0,
    ),
    _Panel(title="Speed", note="tokens a second", lines=(("tokens_per_second", "tokens/s"),)),
)
_OTHER = (
    _Panel(title="Learning rate", note="", lines=(("learning_rate", "rate"),)),
    _Panel(
        title="Sampler against trainer",
        note="gap of log-probabilities, nats",
        lines=(("logprob_gap_mean", "mean"), ("logprob_gap_p99", "99%"), ("logprob_gap_max", "largest")),
    ),
    _Panel(title="Effective samples", note="share of the tokens", lines=(("effective_sample_share", "share"),)),
    _Panel(title="Lag of the sampler", note="updates", lines=(("policy_lag", "mean"),)),
    _Panel(
        title="KL from the first policy",
        note="nats a token; off the reward, an attempt",
        lines=(("kl_reference", "in the loss"), ("kl_penalty", "off the reward")),
    ),
    _Panel(title="Critic", note="", lines=(("explained_variance", "explained variance"), ("value_loss", "loss"))),
    _Panel(
        title="Log-probability of the answers",
        note="nats an answer",
        lines=(("chosen_logprob", "chosen"), ("rejected_logprob", "rejected")),
    ),
    _Panel(
        title="Length of the answers",
        note="tokens",
        lines=(("chosen_length", "chosen"), ("rejected_length", "rejected")),
    ),
    _Panel(title="Ties of implicit rewards", note="share of the pairs", lines=(("ties", "share"),)),
    _Panel(title="Scores", note="of a step's answers", lines=(("score_mean", "mean"), ("score_std", "deviation"))),
    _Panel(
        title="Score and length",
        note="correlation over answers",
        lines=(("length_correlation", "training"), ("validation_length_correlation", "held out")),
    ),
    _Panel(title="Importance ratio", note="", lines=(("ratio_mean", "mean"), ("ratio_max", "largest"))),
    _Panel(title="Cut off by the token budget", note="share of attempts", lines=(("truncated_share", "share"),)),
    _Panel(
        title="Attempts dropped, groups resampled",
        note="count",
        lines=(("dropped_attempts", "dropped"), ("resampled_groups", "resampled")),
    ),
    _Panel(
        title="Tokens a step",
        note="",
        lines=(
            ("num_tokens_sampled", "sampled"),
            ("num_kept_tokens", "kept"),
            ("num_tokens_trained", "trained on"),
        ),
    ),
    _Panel(
        title="Seconds a step",
        note="",
        lines=(
            ("seconds_sampling", "sampling"),
            ("seconds_verifying", "verifying"),
            ("seconds_training", "training"),
            ("seconds_step", "whole step"),
        ),
    ),
)


def stage_charts(run: Run, evaluations: Sequence[Evaluation]) -> list[StageCharts]:
    """The charts of every stage that logged something, in the order of logging."""
    by_stage: defaultdict[str, list[MetricsRow]] = defaultdict(list)
    for row in run.metrics():
        by_stage[row.stage].append(row)
    return [_charts(run, stage, rows, evaluations) for stage, rows in by_stage.items()]


def _charts(run: Run, stage: str, rows: Sequence[MetricsRow], evaluations: Sequence[Evaluation]) -> StageCharts:
    names = list(dict.fromkeys(name for row in rows for name in row.metrics))
    rewards = _reward_charts(run, stage, rows, evaluations, names)
    quiet = [panel for panel in _MAIN if _is_quiet(panel, rows)]
    main = [layout(one.title, _lines(rows, one.lines), note=one.note) for one in _MAIN if one not in quiet]
    other = [layout(one.title, _lines(rows, one.lines), note=one.note) for one in (*quiet, *_OTHER)]
    shares = [(name, name.partition("/")[2]) for name in names if name.startswith("grad_share/")]
    other.append(layout("Gradient by domain", _lines(rows, shares), note="share of its norm"))
    shown = {name for panel in (*_MAIN, *_OTHER) for name, _ in panel.lines}
    rest = [name for name in names if name not in shown and name not in ("reward", "correct") and "/" not in name]
    other += [layout(name, _lines(rows, ((name, name),))) for name in rest]
    return StageCharts(
        stage=stage,
        num_steps=len(rows),
        main=tuple(chart for chart in (*rewards, *main) if chart),
        other=tuple(chart for chart in other if chart),
    )


def _reward_charts(
    run: Run, stage: str, rows: Sequence[MetricsRow], evaluations: Sequence[Evaluation], names: Sequence[str]
) -> list[Chart | None]:
    """Reward with its interval and the evaluations made in this stage; then by part; then by domain."""
    points = reward_points(run, stage)
    held_out = _held_out(stage, evaluations)
    domains = set(run.recipe.get("tasks", {})) | {row.domain for one in evaluations for row in one.rows}
    detail = [(name, name.partition("/")[2]) for name in names if name.startswith("reward/")]
    by_domain = [(name, label) for name, label in detail if label in domains]
    by_part = [pair for pair in detail if pair not in by_domain]
    return [
        layout(
            "Reward", [Series(label="training", points=points), *held_out], note="95% intervals over tasks", width=WIDE
        )
        if points
        else None,
        layout("Parts of the reward", _lines(rows, (("correct", "correct"), *by_part))),
        layout("Reward by domain", _lines(rows, by_domain)) if len(by_domain) > 1 else None,
    ]


def _is_quiet(panel: _Panel, rows: Sequence[MetricsRow]) -> bool:
    """Whether all that the panel would show is rounding: an on-policy update has a KL of 0 and clips nothing."""
    return all(abs(row.metrics.get(name, 0.0)) <= panel.noise for row in rows for name, _ in panel.lines)


def _lines(rows: Sequence[MetricsRow], lines: Sequence[tuple[str, str]]) -> list[Series]:
    series = [
        Series(label=label, points=tuple(plain(row.step, row.metrics[name]) for row in rows if name in row.metrics))
        for name, label in lines
    ]
    return [one for one in series if one.points]


def reward_points(run: Run, stage: str) -> tuple[Point, ...]:
    """Each step's logged mean reward, with its 95% interval over the step's groups where their rollouts are kept."""
    rows = [row for row in run.metrics() if row.stage == stage and "reward" in row.metrics]
    intervals = _reward_intervals(run, stage) if rows else {}
    return tuple(
        Point(
            x=row.step,
            y=row.metrics["reward"],
            low=min(row.metrics["reward"], intervals[row.step].low),
            high=max(row.metrics["reward"], intervals[row.step].high),
        )
        if row.step in intervals
        else plain(row.step, row.metrics["reward"])
        for row in rows
    )


def _reward_intervals(run: Run, stage: str) -> dict[int, Mean]:
    """The 95% interval of each step's mean reward, over the groups whose rollouts are kept."""
    query = "SELECT step, avg(reward) FROM rollouts WHERE stage = ? AND reward IS NOT NULL GROUP BY step, group_id"
    means: defaultdict[int, list[float]] = defaultdict(list)
    for step, mean in sql(run.folder, query, (stage,)).rows:
        means[step].append(mean)
    bounds = [value for values in means.values() for value in values]
    return {
        step: mean_interval(values, bounds=(min(0.0, *bounds), max(1.0, *bounds)))
        for step, values in means.items()
        if len(values) > 1
    }


def _held_out(stage: str, evaluations: Sequence[Evaluation]) -> list[Series]:
    """One series of marks per split, of the evaluations made in this stage and of the one just before it, at step 0."""
    splits: defaultdict[str, list[Point]] = defaultdict(list)
    for evaluation in _start(stage, evaluations) + [one for one in evaluations if one.stage == stage]:
        if evaluation.conditions is not None:
            continue  # a suite's questions are others
        if task_scores(evaluation):
            mean = mean_score(evaluation)
            step = evaluation.step if evaluation.stage == stage else 0
            splits[evaluation.split].append(Point(x=step, y=mean.mean, low=mean.low, high=mean.high))
    return [Series(label=f"held out ({split})", points=tuple(points), marks=True) for split, points in splits.items()]


def _start(stage: str, evaluations: Sequence[Evaluation]) -> list[Evaluation]:
    """The evaluation after the stage before this one, where there is such a stage."""
    return [below for below, above in steps_up(evaluations) if above.stage == stage != below.stage]
