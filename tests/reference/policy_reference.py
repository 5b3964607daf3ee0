"""The policy loss in float64, token by token, written from the papers: what `tahr.losses` must equal.

Nothing of tahr is imported. Every function gives a value and its derivative, worked by hand: there is no automatic
differentiation here. Log-probabilities are in nats; a gradient is with respect to each token's policy log-probability.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import numpy as np

NAN = float("nan")


@dataclass(frozen=True)
class Token:
    """One token of a sequence. What a tool wrote is not `sampled`, and its numbers are never read."""

    policy: float = NAN
    sampler: float = NAN
    proximal: float = NAN
    reference: float = NAN
    entropy: float = NAN
    advantage: float = NAN
    sampled: bool = True


Old = Callable[[Token], float]
TokenGain = Callable[[float, float, Token], tuple[float, float, float]]
"""(ratio, probability before, token) -> gain, its derivative by the ratio, its derivative by log policy otherwise."""
Gain = Callable[[Sequence[Token], Old], tuple[np.ndarray, np.ndarray]]
"""A sequence of T tokens -> gains (T,), and (T, T) the derivative of gain t by the log-probability of token u."""
Estimator = Callable[[float], tuple[float, float]]
"""log policy - log reference -> estimate and its derivative."""


def by_token(gain: TokenGain) -> Gain:
    """Each token has a ratio of its own: policy over old policy."""

    def of(sequence: Sequence[Token], old: Old) -> tuple[np.ndarray, np.ndarray]:
        gains, slopes = np.zeros(len(sequence)), np.zeros((len(sequence), len(sequence)))
        for t, token in enumerate(sequence):
            ratio = math.exp(token.policy) / math.exp(old(token))
            gains[t], by_ratio, by_logprob = gain(ratio, math.exp(old(token)), token)
            slopes[t, t] = by_ratio * ratio + by_logprob
        return gains, slopes

    return of


def by_sequence(gain: TokenGain) -> Gain:
    """GSPO, equation 7: one ratio a sequence, ``(pi(y|x) / pi_old(y|x)) ** (1 / |y|)``."""

    def of(sequence: Sequence[Token], old: Old) -> tuple[np.ndarray, np.ndarray]:
        length = len(sequence)
        likelihood = math.fsum(token.policy for token in sequence) - math.fsum(old(token) for token in sequence)
        ratio = math.exp(likelihood / length)
        gains, slopes = np.zeros(length), np.zeros((length, length))
        for t, token in enumerate(sequence):
            gains[t], by_ratio, by_logprob = gain(ratio, math.exp(old(token)), token)
            for u in range(length):
                slopes[t, u] = by_ratio * ratio / length
            slopes[t, t] += by_logprob
        return gains, slopes

    return of


def clipped(low: float, high: float, dual: float = math.inf) -> TokenGain:
    """PPO, equation 7, with bounds `low` and `high` of the ratio; dual clip (Ye et al. 2020, equation 4) at `dual`."""

    def gain(ratio: float, _before: float, token: Token) -> tuple[float, float, float]:
        a = token.advantage
        if a >= 0:
            return (ratio * a, a, 0.0) if ratio <= high else (high * a, 0.0, 0.0)
        if ratio < low:
            return low * a, 0.0, 0.0
        return (ratio * a, a, 0.0) if ratio <= dual else (dual * a, 0.0, 0.0)

    return gain


def cispo(low: float, high: float) -> TokenGain:
    """MiniMax-M1, equation 4: the clipped ratio is a constant factor of ``A log pi``."""

    def gain(ratio: float, _before: float, token: Token) -> tuple[float, float, float]:
        factor = low if ratio < low else high if ratio > high else ratio
        return factor * token.advantage * token.policy, 0.0, factor * token.advantage

    return gain


def sapo(positive: float, negative: float) -> TokenGain:
    """SAPO: ``sigmoid(t (r - 1)) 4 / t A``, with a temperature for each sign of the advantage."""

    def gain(ratio: float, _before: float, token: Token) -> tuple[float, float, float]:
        temperature = positive if token.advantage > 0 else negative
        gate = 1 / (1 + math.exp(-temperature * (ratio - 1)))
        return 4 / temperature * gate * token.advantage, 4 * gate * (1 - gate) * token.advantage, 0.0

    return gain


def dppo(limit: float, divergence: str) -> TokenGain:
    """DPPO: ``r A``, or nothing where the divergence on the token passes `limit` and the ratio goes on outwards."""

    def gain(ratio: float, before: float, token: Token) -> tuple[float, float, float]:
        now, a = math.exp(token.policy), token.advantage
        if divergence == "tv":
            distance = abs(before - now)
        else:
            distance = before * math.log(before / now) + (1 - before) * math.log((1 - before) / (1 - now))
        outwards = (a > 0 and ratio > 1) or (a < 0 and ratio < 1)
        return (0.0, 0.0, 0.0) if distance > limit and outwards else (ratio * a, a, 0.0)

    return gain


def plain_ratio(ratio: float, _before: float, token: Token) -> tuple[float, float, float]:
    """``r A``."""
    return ratio * token.advantage, token.advantage, 0.0


def plain_logprob(_ratio: float, _before: float, token: Token) -> tuple[float, float, float]:
    """REINFORCE: ``A log pi``."""
    return token.advantage * token.policy, 0.0, token.advantage


def gmpo(low: float, high: float) -> Gain:
    """GMPO, equation 4: the geometric mean of the tokens' ratios, each clipped to `low`..`high` where that is worse."""

    def of(sequence: Sequence[Token], old: Old) -> tuple[np.ndarray, np.ndarray]:
        length, product = len(sequence), 1.0
        free = [True] * length
        for t, token in enumerate(sequence):
            ratio = math.exp(token.policy) / math.exp(old(token))
            free[t] = ratio <= high if token.advantage >= 0 else ratio >= low
            product *= ratio if free[t] else high if token.advantage >= 0 else low
        gains, slopes = np.zeros(length), np.zeros((length, length))
        for t, token in enumerate(sequence):
            gains[t] = product ** (1 / length) * token.advantage
            for u in range(length):
                slopes[t, u] = gains[t] / length if free[u] else 0.0
        return gains, slopes

    return of


def k1(x: float) -> tuple[float, float]:
    """The log-ratio."""
    return x, 1.0


def k2(x: float) -> tuple[float, float]:
    """Half its square."""
    return x * x / 2, x


def k3(x: float) -> tuple[float, float]:
    """``1 / r - 1 + log r``."""
    return math.exp(-x) - 1 + x, 1 - math.exp(-x)


def with_right_gradient(estimator: Estimator) -> Estimator:
    """The estimate itself, with the score-function gradient of KL(policy || reference): ``x grad log pi``."""
    return lambda x: (estimator(x)[0], x)


def importance(sequence: Sequence[Token], level: str) -> list[float]:
    """Proximal policy over sampler: each token's, their product, or its root of the length."""
    ratios = [math.exp(token.proximal) / math.exp(token.sampler) for token in sequence]
    if level == "token":
        return ratios
    product = math.prod(ratios)
    return [product if level == "sequence" else product ** (1 / len(sequence))] * len(sequence)


def bounded(weight: float, form: str, low: float, high: float) -> float:
    """An importance weight truncated, clamped or masked."""
    if form == "truncate":
        return high if weight > high else weight
    if form == "clamp":
        return low if weight < low else high if weight > high else weight
    return weight if low <= weight <= high else 0.0


def divisors(lengths: Sequence[int], aggregation: str, max_new_tokens: int) -> list[float]:
    """What each sequence's tokens are divided by; sequences without a token count nowhere."""
    num_tokens, num_sequences = 0, 0
    for length in lengths:
        num_tokens += length
        num_sequences += 1 if length else 0
    return [
        {
            "token_mean": num_tokens,
            "sequence_mean": num_sequences * length,
            "sequence_sum": num_sequences,
            "constant": num_sequences * max_new_tokens,
        }[aggregation]
        for length in lengths
    ]


@dataclass(frozen=True)
class Algorithm:
    """A published loss in the words of this file."""

    gain: Gain
    aggregation: str
    recomputed: bool = False
    correction: tuple[str, str, float, float] | None = None  # level, form, low, high
    kl: tuple[float, Estimator] | None = None
    hold: float = 0.0

    def old(self, token: Token) -> float:
        """The log-probability below the ratio's line."""
        return token.proximal if self.recomputed else token.sampler


Place = tuple[int, int]
"""Number of a sequence, and of a sampled token in it."""


def loss_and_gradient(
    sequences: Sequence[Sequence[Token]],
    algorithm: Algorithm,
    *,
    max_new_tokens: int,
    left_out: Collection[Place] = (),
    held: Collection[Place] = (),
) -> tuple[float, list[float]]:
    """The loss of one update, and its derivative by every sampled token's log-probability, in order.

    Tokens `left_out` have no gain; those `held` pay ``hold * (r - 1 - log r)``, k3 of KL(old policy || policy).
    """
    taught = [[token for token in sequence if token.sampled] for sequence in sequences]
    below = divisors([len(sequence) for sequence in taught], algorithm.aggregation, max_new_tokens)
    loss, gradient = 0.0, []
    for number, sequence in enumerate(taught):
        of_sequence = np.zeros(len(sequence))
        gains, slopes = algorithm.gain(sequence, algorithm.old)
        factors = [1.0] * len(sequence)
        if algorithm.correction and sequence:
            level, form, low, high = algorithm.correction
            factors = [bounded(weight, form, low, high) for weight in importance(sequence, level)]
        for t, token in enumerate(sequence):
            if (number, t) not in left_out:
                loss -= factors[t] * gains[t] / below[number]
                for u in range(len(sequence)):
                    of_sequence[u] -= factors[t] * slopes[t, u] / below[number]
            if algorithm.kl:
                estimate, slope = algorithm.kl[1](token.policy - token.reference)
                loss += algorithm.kl[0] * estimate / below[number]
                of_sequence[t] += algorithm.kl[0] * slope / below[number]
            if (number, t) in held:
                ratio = math.exp(token.policy - algorithm.old(token))
                loss += algorithm.hold * (ratio - 1 - math.log(ratio)) / below[number]
                of_sequence[t] += algorithm.hold * (ratio - 1) / below[number]
        gradient.extend(float(slope) for slope in of_sequence)
    return loss, gradient
