"""The formula that a setting of the policy loss stands for, with its numbers put in."""

from __future__ import annotations

from tahr.losses.config import AdvantageConfig, PolicyLossConfig

_BASELINES = {
    "group_mean": "mean(rewards of the group)",
    "leave_one_out": "mean(rewards of the group's others)",
    "batch_mean": "mean(rewards of the batch)",
    "greedy": "reward of a greedy attempt at the task",
    "none": "0",
}
_SCALES = {
    "group": "deviation(rewards of the group)",
    "domain": "deviation(rewards of the domain)",
    "batch": "deviation(rewards of the batch)",
    "advantages": "deviation(advantages of the batch)",
    "group_mean": "mean(rewards of the group)",
}
_WEIGHTS = {
    "token_mean": "1 / (tokens of the update)",
    "sequence_mean": "1 / (sequences x tokens of the sequence)",
    "sequence_sum": "1 / sequences",
    "constant": "1 / (sequences x max_new_tokens)",
}


def explain(advantage: AdvantageConfig, loss: PolicyLossConfig) -> list[str]:
    """Lines of plain text, from the reward to the sum over tokens."""
    return [*_advantage(advantage, loss), *_ratio(loss), *_gain(loss), *_total(loss)]


def _advantage(config: AdvantageConfig, loss: PolicyLossConfig) -> list[str]:
    lines: list[str] = []
    taken = ""
    if config.overlong_share:
        begin, length = f"{1 - config.overlong_share:g} x max_new_tokens", f"{config.overlong_share:g} x max_new_tokens"
        lines.append(f"late  = {config.overlong_penalty:g} x clip((tokens - {begin}) / ({length}), 0, 1)")
        taken += " - late"
    if loss.kl.coefficient and loss.kl.place == "reward":
        lines.append(f"kl    = {loss.kl.coefficient:g} x sum over tokens of {_kl(loss.kl.estimator, 'sampler')}")
        taken += " - kl"
    if config.baseline == "critic":
        lines.append(f"A     = GAE(reward{taken}, V; discount {config.discount:g}, lambda {config.gae_lambda:g})")
        return lines + (["        whitened over the step's tokens"] if config.scale == "batch" else [])
    centred = f"reward{taken}" if config.baseline == "none" else f"(reward{taken} - {_BASELINES[config.baseline]})"
    return [*lines, f"A     = {centred}" + (f" / {_SCALES[config.scale]}" if config.scale in _SCALES else "")]


def _ratio(loss: PolicyLossConfig) -> list[str]:
    if loss.surrogate == "logprob":
        return []
    below = "sampler" if loss.proximal == "sampler" else "policy at the start of the step"
    ratio = f"policy / {below}"
    if loss.ratio == "sequence" or loss.surrogate == "gmpo":
        what = "of each token, its logarithm clipped, then" if loss.surrogate == "gmpo" else "of each token, then"
        return [f"r     = {ratio} {what} the geometric mean over the sequence"]
    return [f"r     = {ratio}"]


def _gain(loss: PolicyLossConfig) -> list[str]:
    low, high = 1 - loss.clip_low, 1 + loss.clip_high
    gains = {
        "clip": f"min(r A, clip(r, {low:g}, {high:g}) A)",
        "cispo": f"stop_gradient(clip(r, {max(low, 0.0):g}, {high:g})) A log policy",
        "sapo": f"4 / t x sigmoid(t (r - 1)) A, t = {loss.gates[0]:g} where A > 0, else {loss.gates[1]:g}",
        "gmpo": f"r A, log r of each token clipped to {-loss.clip_low:g}..{loss.clip_high:g} where that is worse",
        "dppo": f"r A, or 0 where D_{loss.divergence} > {loss.max_divergence:g} and r moves away from 1",
        "ratio": "r A",
        "logprob": "A log policy",
    }
    lines = [f"gain  = {gains[loss.surrogate]}"]
    if loss.surrogate == "clip" and loss.dual_clip:
        lines.append(f"        at least {loss.dual_clip:g} A where A < 0")
    correction = loss.correction
    if correction.form != "none":
        bounds = {
            "truncate": f"at most {correction.high:g}",
            "clamp": f"clamped to {correction.low:g}..{correction.high:g}",
            "mask": f"0 outside {correction.low:g}..{correction.high:g}",
        }
        lines.append(
            f"gain *= policy at the start of the step / sampler, by {correction.level}, {bounds[correction.form]}"
        )
    if loss.entropy.top_share < 1:
        lines.append(f"gain  = 0 but for the {loss.entropy.top_share:.0%} of tokens with the highest entropy")
    if loss.covariance.form == "clip":
        lines.append(
            f"gain  = 0 for {loss.covariance.share:g} of the tokens, drawn from those whose covariance of log policy "
            f"and A is in {loss.covariance.low:g}..{loss.covariance.high:g}"
        )
    return lines


def _total(loss: PolicyLossConfig) -> list[str]:
    terms = "-gain"
    if loss.kl.coefficient and loss.kl.place == "loss":
        terms += f" + {loss.kl.coefficient:g} x {_kl(loss.kl.estimator, 'policy')}"
    if loss.covariance.form == "kl":
        terms += (
            f" + {loss.covariance.coefficient:g} x k3(KL(proximal || policy)) for the {loss.covariance.share:g} of "
            "tokens with the highest covariance"
        )
    if loss.entropy.bonus:
        terms += f" - {loss.entropy.bonus:g} x entropy"
    balanced = ", scaled so that every domain has the same total" if loss.balance_domains else ""
    return [f"loss  = sum over tokens of w x ({terms})", f"w     = {_WEIGHTS[loss.aggregation]}{balanced}"]


def _kl(estimator: str, who: str) -> str:
    return f"{estimator}(KL({who} || first policy))"
