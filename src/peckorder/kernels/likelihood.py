"""The likelihood of an Elo model and its gradient by the adjoint, in time linear in contests.

Forward, contest by contest: d = s_a − s_b, p = 1/(1 + e^(−d)); the log-likelihood grows by log p
and the scores move by k(S − p). Backward, with λ = ∂/∂s after the contest and g = λ_a − λ_b:
∂/∂k grows by g(S − p), and ∂/∂d = (slope of the log-likelihood) − k g p(1 − p) goes to both sides.

All scores are on the natural scale, where a difference of d wins with chance 1/(1 + e^(−d)).
"""

import math
from typing import NamedTuple

import numpy as np

from peckorder.kernels import compiled, part

ENTER, LEAVE, CENTER = 0, 1, 2
SMALL_PRODUCT = 1e-150  # below it the logarithm is taken
HIGHEST = 700.0  # beyond it e^d overflows, and 1/(1 + e^d) is 0 for all purposes
FAR_BEHIND = -300.0  # beyond it log p = d to the last bit, and e^d would underflow soon
SLOTS = 4  # numbers that the forward pass keeps of each contest


class ContestArrays(NamedTuple):
    """Contests as the likelihood sees them; an array of length 0 means that all are alike."""

    first: np.ndarray  # int32 codes of the winners
    second: np.ndarray  # int32 codes of the losers
    draw: np.ndarray  # bool
    home: np.ndarray  # float: 1 where the winner is at home, −1 where the loser is
    home_in_update: bool
    k_of: np.ndarray  # int32: which k serves a contest
    counted: int  # contests before this one move the scores but are not in the likelihood
    event_at: np.ndarray  # comings and goings, by the contest they come before
    event_kind: np.ndarray
    event_who: np.ndarray
    event_hall: np.ndarray  # which group of individuals they belong to


@part
def is_plain(contests, nu):
    """Whether nothing but who beat whom matters, so that the short loops serve."""
    special = contests.draw.size + contests.home.size + contests.k_of.size + contests.counted
    return special == 0 and nu == 0.0


@part
def groups(contests):
    """Number of groups that come and go on their own."""
    number = 1
    for hall in contests.event_hall:
        number = max(number, hall + 1)
    return number


@part
def forward_plainly(contests, begin, stop, k, score, kept, product, total):
    """Scores and log-likelihood where nothing but who beat whom matters."""
    first = contests.first
    second = contests.second
    surprise = kept[0]
    for j in range(begin, stop):
        a = first[j]
        b = second[j]
        d = score[a] - score[b]
        odds = math.exp(min(d, HIGHEST))
        q = 1.0 / (1.0 + odds)  # nothing but this lies between two contests of one individual
        p = odds * q
        surprise[j] = q
        step = k * q
        score[a] += step
        score[b] -= step
        if d < FAR_BEHIND:
            total += d
        else:
            product *= p
            if product < SMALL_PRODUCT:
                total += math.log(product)
                product = 1.0
    return product, total


@part
def backward_plainly(contests, begin, stop, k, kept, adjoint):
    """Carry the adjoint back over plain contests; returns their part of ∂/∂k."""
    first = contests.first
    second = contests.second
    surprise = kept[0]
    by_k = 0.0
    for j in range(stop - 1, begin - 1, -1):
        a = first[j]
        b = second[j]
        g = adjoint[a] - adjoint[b]
        q = surprise[j]
        by_k += g * q
        slope = q * (1.0 - k * g * (1.0 - q))
        adjoint[a] += slope
        adjoint[b] -= slope
    return by_k


@part
def chances(d):
    """Chance of winning and of losing when ahead by d, both exact near 0."""
    small = math.exp(-abs(d))
    share = 1.0 / (1.0 + small)
    if d >= 0.0:
        return share, small * share
    return small * share, share


@part
def outcome(d, drawn, nu):
    """Chance of a win or a draw (Davidson 1970), the slope of its log in d, and more.

    Further the chance of a draw νr/(1 + νr), r = √(pq), which is 0 where ν is, and p and q.
    """
    p, q = chances(d)
    if nu == 0.0:
        return p, q, 0.0, p, q
    odds = nu * math.sqrt(p * q)
    share = 1.0 / (1.0 + odds)
    tie = odds * share
    bend = 0.5 * tie * (q - p)
    if drawn:
        return tie, 0.5 * (q - p) - bend, tie, p, q
    return p * share, q - bend, tie, p, q


@part
def log_outcome(d, drawn, nu):
    """The log of that chance, where the chance itself would be too small to hold."""
    log_p = min(d, 0.0) - math.log1p(math.exp(-abs(d)))
    if nu == 0.0:
        return log_p
    log_odds = math.log(nu) - 0.5 * abs(d) - math.log1p(math.exp(-abs(d)))
    return (log_odds if drawn else log_p) - math.log1p(math.exp(log_odds))


@part
def one_contest(contests, j, k, nu, home_advantage, score):
    """Rate one contest: its chance, slope, draw weight, surprise, p(1 − p), and how far ahead."""
    a = contests.first[j]
    b = contests.second[j]
    d = score[a] - score[b]
    drawn = contests.draw.size > 0 and contests.draw[j]
    ahead = d
    if contests.home.size > 0:
        ahead += home_advantage * contests.home[j]
    chance, slope, tie, p, q = outcome(ahead, drawn, nu)
    if contests.home.size > 0 and not contests.home_in_update:
        p, q = chances(d)
    surprise = 0.5 * (q - p) if drawn else q
    step = k[contests.k_of[j] if contests.k_of.size > 0 else 0] * surprise
    score[a] += step
    score[b] -= step
    return chance, slope, tie, surprise, p * q, ahead


@part
def log_of(chance, ahead, drawn, nu):
    """Logarithm of the chance of an outcome."""
    return math.log(chance) if chance > SMALL_PRODUCT else log_outcome(ahead, drawn, nu)


@part
def forward_fully(contests, begin, stop, k, nu, home_advantage, score, kept, product, total):
    """Replay contests from begin to stop and keep what the backward pass needs."""
    for j in range(begin, stop):
        chance, slope, tie, surprise, spread, ahead = one_contest(
            contests, j, k, nu, home_advantage, score
        )
        counts = j >= contests.counted
        kept[0, j] = surprise
        kept[1, j] = slope if counts else 0.0
        kept[2, j] = spread
        kept[3, j] = tie
        if not counts:
            continue
        if chance > SMALL_PRODUCT:
            product *= chance
            if product < SMALL_PRODUCT:
                total += math.log(product)
                product = 1.0
        else:
            total += log_outcome(ahead, contests.draw.size > 0 and contests.draw[j], nu)
    return product, total


@part
def backward_fully(contests, begin, stop, k, nu, kept, adjoint, by_k):
    """Carry the adjoint back; fills `by_k`, returns the parts of ∂/∂ log ν and ∂/∂ home."""
    by_log_nu = 0.0
    by_home = 0.0
    for j in range(stop - 1, begin - 1, -1):
        a = contests.first[j]
        b = contests.second[j]
        which = contests.k_of[j] if contests.k_of.size > 0 else 0
        g = adjoint[a] - adjoint[b]
        by_k[which] += g * kept[0, j]
        through_update = -k[which] * g * kept[2, j]
        if contests.home.size > 0:
            by_home += contests.home[j] * kept[1, j]
            if contests.home_in_update:
                by_home += contests.home[j] * through_update
        if nu > 0.0 and j >= contests.counted:
            drawn = contests.draw.size > 0 and contests.draw[j]
            by_log_nu += (1.0 if drawn else 0.0) - kept[3, j]
        slope = kept[1, j] + through_update
        adjoint[a] += slope
        adjoint[b] -= slope
    return by_log_nu, by_home


@part
def come_and_go(contests, event, score, halls):
    """Somebody comes or goes, or those present are centered on their mean.

    The score of somebody present is stored with its group's shift C added; `halls` holds, for
    each group, the sum of stored scores, C and the number present. So centering costs one step.
    """
    who = contests.event_who[event]
    hall = halls[contests.event_hall[event]]
    kind = contests.event_kind[event]
    if kind == ENTER:
        score[who] += hall[1]
        hall[0] += score[who]
        hall[2] += 1.0
    elif kind == LEAVE:
        hall[0] -= score[who]
        score[who] -= hall[1]
        hall[2] -= 1.0
    elif hall[2] > 0.0:
        hall[1] = hall[0] / hall[2]


@part
def come_and_go_back(contests, event, adjoint, halls, bars):
    """The adjoint of `come_and_go`; `bars` holds the adjoints of sum and shift of each group."""
    who = contests.event_who[event]
    hall = halls[contests.event_hall[event]]
    bar = bars[contests.event_hall[event]]
    kind = contests.event_kind[event]
    if kind == ENTER:
        adjoint[who] += bar[0]
        bar[1] += adjoint[who]
        hall[2] -= 1.0
    elif kind == LEAVE:
        bar[1] -= adjoint[who]
        adjoint[who] -= bar[0]
        hall[2] += 1.0
    elif hall[2] > 0.0:
        bar[0] += bar[1] / hall[2]
        bar[1] = 0.0


@part
def clear(halls):
    """Nobody is present in any group yet."""
    for h in range(halls.shape[0]):
        for i in range(halls.shape[1]):
            halls[h, i] = 0.0


@part
def log_likelihood(contests, k, nu, home_advantage, score, kept, halls):
    """Log-likelihood; `score` goes from starting to final scores, `kept` is for the way back."""
    plain = is_plain(contests, nu)
    clear(halls)
    product = 1.0
    total = 0.0
    for event in range(contests.event_at.size + 1):
        last = event == contests.event_at.size
        begin = contests.event_at[event - 1] if event > 0 else 0
        stop = contests.first.size if last else contests.event_at[event]
        if plain:
            product, total = forward_plainly(
                contests, begin, stop, k[0], score, kept, product, total
            )
        else:
            product, total = forward_fully(
                contests, begin, stop, k, nu, home_advantage, score, kept, product, total
            )
        if not last:
            come_and_go(contests, event, score, halls)
    return total + math.log(product)


@part
def gradient(contests, k, nu, kept, halls, bars, adjoint, by_k):
    """Fill ∂/∂ starting scores and ∂/∂k after `log_likelihood`; returns ∂/∂ log ν and ∂/∂ home."""
    plain = is_plain(contests, nu)
    for i in range(adjoint.size):
        adjoint[i] = 0.0
    for c in range(by_k.size):
        by_k[c] = 0.0
    clear(bars)
    by_log_nu = 0.0
    by_home = 0.0
    stop = contests.first.size
    for event in range(contests.event_at.size - 1, -2, -1):
        begin = contests.event_at[event] if event >= 0 else 0
        if plain:
            by_k[0] += backward_plainly(contests, begin, stop, k[0], kept, adjoint)
        else:
            more, home = backward_fully(contests, begin, stop, k, nu, kept, adjoint, by_k)
            by_log_nu += more
            by_home += home
        stop = begin
        if event >= 0:
            come_and_go_back(contests, event, adjoint, halls, bars)
    return by_log_nu, by_home


@compiled
def evaluate(contests, start, k, nu, home_advantage, kept, halls, bars, adjoint, by_k):
    """Log-likelihood and all its derivatives: value, ∂/∂ log ν, ∂/∂ home; the rest in arrays."""
    score = start.copy()
    value = log_likelihood(contests, k, nu, home_advantage, score, kept, halls)
    by_log_nu, by_home = gradient(contests, k, nu, kept, halls, bars, adjoint, by_k)
    return value, by_log_nu, by_home
