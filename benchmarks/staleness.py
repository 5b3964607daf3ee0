"""Staleness: held-out reward against how far the sampler runs behind the trainer, for four losses.

    .venv/bin/python benchmarks/staleness.py            # lags 0, 1, 4, 8, three seeds; about 40 minutes on 2 cores
    .venv/bin/python benchmarks/staleness.py --quick    # lags 0 and 8, two seeds; about 12 minutes

A small model learns to reverse text, first from examples, then from rewards. The sampler's policy is exactly `lag`
steps old (`rlvr.schedule.max_policy_lag`); learning rate, tasks and steps are the same for all. "naive" takes stale
samples for the policy's own (surrogate "logprob"), "clipped" divides by the sampler's probability and clips (GRPO),
"decoupled" and "truncated" (the preset tis) clip against the policy at the start of the step and correct by truncated
importance weights. Learning rate and number of steps are such that the clipped loss learns at every lag. Intervals are
t intervals over seeds. A picture is written beside the JSON.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from measure import RESULTS, save
from tahr.core.progress import SilentProgress
from tahr.evaluation.statistics import mean_interval, mean_score
from tahr.recipe.load import load_recipe
from tahr.recipe.run import run_recipe

TINY = Path(__file__).resolve().parents[1] / "recipes" / "tiny.toml"
LOSSES: Mapping[str, Sequence[str]] = {
    "naive": ["rlvr.loss.surrogate=logprob"],
    "clipped": ["rlvr.algorithm=grpo"],
    "decoupled": ["rlvr.algorithm=decoupled"],
    "truncated": ["rlvr.algorithm=tis"],
}
SIZES = {
    "full": {"lags": (0, 1, 4, 8), "seeds": (1, 2, 3), "steps": 100},
    "quick": {"lags": (0, 8), "seeds": (1, 2), "steps": 100},
    "smoke": {"lags": (0, 2), "seeds": (1,), "steps": 2},
}


def warm_up(folder: Path, *, steps: int) -> Path:
    """A model that gets some words right: the tiny recipe's, after a short supervised stage."""
    overrides = [
        'stages=["sft"]',
        "rlvr=",
        "model.max_context=256",
        f"sft.steps={steps}",
        f"sft.optimizer.warmup_steps={min(20, steps - 1)}",
    ]
    run = run_recipe(
        load_recipe(TINY, overrides), runs_root=folder, folder=folder / "warm-up", progress=SilentProgress()
    )
    return run.folder / "model"


def rewards_around(folder: Path, model: Path, loss: str, lag: int, seed: int, steps: int) -> tuple[float, float]:
    """Held-out reward before and after `steps` steps behind by `lag`."""
    overrides = [
        'stages=["rlvr"]',
        "sft=",
        f"seed={seed}",
        f"model.source={model}",
        "model.architecture=",
        f"rlvr.steps={steps}",
        "rlvr.learning_rate=3e-4",
        "rlvr.evaluate_every=0",
        "rlvr.checkpoint_every=100000",
        f"rlvr.schedule.max_policy_lag={lag}",
        *LOSSES[loss],
    ]
    run = run_recipe(
        load_recipe(TINY, overrides),
        runs_root=folder,
        folder=folder / f"{loss}-{lag}-{seed}",
        progress=SilentProgress(),
    )
    means = {one.name: mean_score(one).mean for one in run.evaluations()}
    return means["before"], means["after"]


def draw(curves: Mapping[str, Mapping[int, Sequence[float]]], before: float, path: Path) -> None:
    """Reward against lag, a line a loss, with intervals over seeds; the reward before training is dotted."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6.4, 3.6), layout="constrained")
    for name, by_lag in curves.items():
        means = [mean_interval(values) for values in by_lag.values()]
        spread = [[one.mean - one.low for one in means], [one.high - one.mean for one in means]]
        axes.errorbar(list(by_lag), [one.mean for one in means], yerr=spread, marker="o", capsize=3, label=name)
    axes.axhline(before, color="0.4", linestyle=":", label="before")
    axes.set(xlabel="lag of the sampler, in steps", ylabel="held-out reward", ylim=(0, 1.02))
    axes.grid(alpha=0.3)
    axes.legend(frameon=False)
    figure.savefig(path)
    pyplot.close(figure)


def main() -> None:
    """Measure, print, draw and save."""
    parser = argparse.ArgumentParser(description="held-out reward against policy lag")
    parser.add_argument("--quick", action="store_true", help="fewer lags, seeds and steps")
    parser.add_argument("--smoke", action="store_true", help="only that it runs")
    options = parser.parse_args()
    size: dict[str, Any] = SIZES["smoke" if options.smoke else "quick" if options.quick else "full"]
    curves: dict[str, dict[int, list[float]]] = {name: {} for name in LOSSES}
    before = 0.0
    with tempfile.TemporaryDirectory(prefix="tahr-benchmark-") as name:
        model = warm_up(Path(name), steps=10 if options.smoke else 90)
        for lag in size["lags"]:
            for loss in LOSSES:
                runs = [rewards_around(Path(name), model, loss, lag, seed, size["steps"]) for seed in size["seeds"]]
                before, curves[loss][lag] = runs[0][0], [after for _, after in runs]
                one = mean_interval(curves[loss][lag])
                print(f"  lag {lag}  {loss:<10} {one.mean:.3f}  (95% {one.low:.3f} to {one.high:.3f})", flush=True)
    print(
        f"\nheld-out reward; before training {before:.3f}\n{'lag':<12}" + "".join(f"{lag:>8}" for lag in size["lags"])
    )
    for loss, by_lag in curves.items():
        print(f"{loss:<12}" + "".join(f"{mean_interval(values).mean:>8.3f}" for values in by_lag.values()))
    if not options.smoke:
        RESULTS.mkdir(exist_ok=True)
        draw(curves, before, RESULTS / "staleness.svg")
    save(
        "staleness",
        {"steps": size["steps"], "seeds": size["seeds"], "before": before, "rewards": curves},
        smoke=options.smoke,
    )


if __name__ == "__main__":
    main()
