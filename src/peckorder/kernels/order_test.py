"""Did strengths change during a record? Loops of a test of the order of contests.

The statistic is the log evidence of drift: strengths r_i ~ N(0, σ²) that take a normal step before
every contest, P(a beats b) = 1/(1 + e^(r_b − r_a)), summed over a grid of σ and step sizes. It is
computed by moment matching: the state stays N(m, P), and each contest multiplies it by a logistic
likelihood whose normal integral Z and its two derivatives are known. State 0 is g, the level at
which newcomers enter relative to the mean of those present; state i + 1 is individual i.

Under a static Bradley–Terry model all outcomes of a schedule that give everybody the same number of
wins are equally likely. Reversing a directed cycle (a beat b, b beat c, c beat a) keeps all wins.
A random walk along wins that ends where it meets itself finds a cycle with the same probability in
either direction, so reversals form a symmetric Markov chain that reaches every such outcome. From a
hub reached by the chain, further chains give records that are exchangeable with the observed one
(Besag & Clifford 1989). Outcomes that permute within dyads need no chain.

A record is a schedule of pairs (first, second) and, for each contest, whether the first won.
"""

import math
from typing import NamedTuple

import numpy as np

from peckorder.kernels import compiled
from peckorder.kernels.filters import mixture_moments, quadrature_moments
from peckorder.kernels.random import begin, below, normal, shuffle, uniform

STRENGTHS, DYADS = 0, 1
STEPS_PER_CONTEST = 6
ENTRY_SPREAD = 1.5  # standard deviation of g in units of σ
AS_LARGE = 1e-9
QUADRATURE_BELOW = 1.0  # variance of a difference
NEAR_BEST = 2.3  # a tenth of the highest posterior density of σ


class Schedule(NamedTuple):
    """Who met whom, in order, and who was in the group."""

    first: np.ndarray  # codes of the two sides, one pair a contest
    second: np.ndarray
    enter: np.ndarray  # contest before which an individual entered, −1 for founders
    there: np.ndarray  # (contests, individuals): in the group before this contest and still at it
    entry: np.ndarray  # whether anybody enters before this contest
    by_dyad: np.ndarray  # contests dyad by dyad; those of one have the same first side
    bounds: np.ndarray  # where each dyad begins in by_dyad, and the end


class Grid(NamedTuple):
    """Static spreads with their log prior, and the variances of a step."""

    sigma: np.ndarray
    log_prior: np.ndarray
    step: np.ndarray


class Chances(NamedTuple):
    """Posterior of static strengths: a mixture of normal distributions."""

    weight: np.ndarray  # cumulative
    mean: np.ndarray
    root: np.ndarray  # lower triangular roots of the covariances


@compiled
def found(mean, cov, sigma, enter):
    """The state before the first contest: founders, and the level of newcomers."""
    mean[:] = 0.0
    cov[:] = 0.0
    cov[0, 0] = (ENTRY_SPREAD * sigma) ** 2
    for i in range(enter.size):
        if enter[i] < 0:
            cov[i + 1, i + 1] = sigma * sigma


@compiled
def admit(mean, cov, work, sigma, t, schedule):
    """Newcomers before contest t: mean of those present + g + N(0, σ²), exactly."""
    enter, there = schedule.enter, schedule.there[t]
    size = enter.size
    work[:] = cov[0]
    level, present = 0.0, 0
    for i in range(size):
        if there[i]:
            present += 1
    for i in range(size):
        if there[i]:
            level += mean[i + 1] / present
            for j in range(size + 1):
                work[j] += cov[i + 1, j] / present
    shared = work[0]
    for i in range(size):
        if there[i]:
            shared += work[i + 1] / present
    for i in range(size):
        if enter[i] == t:
            mean[i + 1] = level + mean[0]
            cov[i + 1, 0] = cov[0, i + 1] = work[0]
            for j in range(size):
                if enter[j] < t:
                    cov[i + 1, j + 1] = cov[j + 1, i + 1] = work[j + 1]
                elif enter[j] == t:
                    cov[i + 1, j + 1] = shared + (sigma * sigma if i == j else 0.0)


@compiled
def condition(mean, cov, work, winner, loser):
    """Take in one outcome; returns its probability before the contest."""
    size = mean.size
    a, b = winner + 1, loser + 1
    for i in range(size):
        work[i] = cov[a, i] - cov[b, i]
    variance = max(work[a] - work[b], 0.0)
    if variance < QUADRATURE_BELOW:
        z, z1, z2 = quadrature_moments(mean[a] - mean[b], variance)
    else:
        z, z1, z2 = mixture_moments(mean[a] - mean[b], variance)
    g1 = z1 / z
    g2 = z2 / z - g1 * g1
    for i in range(size):
        mean[i] += g1 * work[i]
        f = g2 * work[i]
        for j in range(size):
            cov[i, j] += f * work[j]
    return z


@compiled
def log_evidence(schedule, won, sigma, step, mean, cov, work):
    """Log probability of all outcomes; `mean` and `cov` are left as after the last contest."""
    found(mean, cov, sigma, schedule.enter)
    total = 0.0
    for t in range(won.size):
        if t > 0 and step > 0.0:
            for i in range(schedule.enter.size):
                if schedule.there[t, i]:
                    cov[i + 1, i + 1] += step
        if schedule.entry[t]:
            admit(mean, cov, work, sigma, t, schedule)
        if won[t]:
            total += math.log(condition(mean, cov, work, schedule.first[t], schedule.second[t]))
        else:
            total += math.log(condition(mean, cov, work, schedule.second[t], schedule.first[t]))
    return total


@compiled
def static_posterior(schedule, won, grid, means, covs):
    """Log prior plus log evidence of every static spread; the state at the end of each."""
    out = np.empty(grid.sigma.size)
    work = np.empty(means.shape[1])
    for s in range(grid.sigma.size):
        fit = log_evidence(schedule, won, grid.sigma[s], 0.0, means[s], covs[s], work)
        out[s] = grid.log_prior[s] + fit
    return out


@compiled
def statistic(schedule, won, grid, means, covs):
    """Log of the evidence summed over all steps, and over the spreads near the best static one.

    The spreads are chosen anew for each record, so that the statistic is the same function of all.
    """
    static = static_posterior(schedule, won, grid, means, covs)
    least = static.max() - NEAR_BEST
    work = np.empty(means.shape[1])
    highest, total = -np.inf, 0.0
    for s in range(grid.sigma.size):
        if static[s] <= least:
            continue
        for q in range(grid.step.size):
            x = grid.log_prior[s] + log_evidence(
                schedule, won, grid.sigma[s], grid.step[q], means[s], covs[s], work
            )
            if x > highest:
                total = total * math.exp(highest - x) + 1.0
                highest = x
            else:
                total += math.exp(x - highest)
    return highest + math.log(total)


@compiled
def held_by_winners(schedule, won, start, held):
    """Contests by their winner: those of i stand from start[i] to start[i + 1]."""
    size = schedule.enter.size
    start[:] = 0
    for t in range(won.size):
        winner = schedule.first[t] if won[t] else schedule.second[t]
        start[winner + 1] += 1
    for i in range(size):
        start[i + 1] += start[i]
    fill = start[:-1].copy()
    for t in range(won.size):
        winner = schedule.first[t] if won[t] else schedule.second[t]
        held[fill[winner]] = t
        fill[winner] += 1


@compiled
def reverse_cycles(random, steps, schedule, won, start, held):
    """Walk along random wins to the first repeated individual, and reverse that cycle; so often.

    A walk that meets somebody without a win changes nothing.
    """
    size = schedule.enter.size
    place, slot, at = np.empty(size, np.int64), np.empty(size, np.int64), np.full(size, -1)
    for _ in range(steps):
        x = below(random, size)
        length = 0
        while at[x] < 0 and start[x + 1] > start[x]:
            at[x] = length
            place[length] = x
            slot[length] = start[x] + below(random, start[x + 1] - start[x])
            t = held[slot[length]]
            x = schedule.second[t] if won[t] else schedule.first[t]
            length += 1
        entered = at[x]
        for i in range(length):
            at[place[i]] = -1
        if entered < 0:
            continue
        # Each now holds the contest that it had lost to the one before it in the cycle.
        last = held[slot[length - 1]]
        for i in range(length - 1, entered, -1):
            held[slot[i]] = held[slot[i - 1]]
        held[slot[entered]] = last
        for i in range(entered, length):
            won[held[slot[i]]] = not won[held[slot[i]]]


@compiled
def permute_in_dyads(random, schedule, won):
    """Bring the outcomes of each dyad into a random order; `first` is the same throughout it."""
    by_dyad, bounds = schedule.by_dyad, schedule.bounds
    outcome = np.empty(won.size, np.bool_)
    for d in range(bounds.size - 1):
        number = bounds[d + 1] - bounds[d]
        for i in range(number):
            outcome[i] = won[by_dyad[bounds[d] + i]]
        shuffle(random, outcome, number)
        for i in range(number):
            won[by_dyad[bounds[d] + i]] = outcome[i]


@compiled
def randomize(random, null, schedule, won, start, held):
    """Another record that is as likely under the null."""
    if null == STRENGTHS:
        reverse_cycles(random, STEPS_PER_CONTEST * won.size, schedule, won, start, held)
    else:
        permute_in_dyads(random, schedule, won)


@compiled
def hub_of(key, null, schedule, won):
    """A record from which all others are drawn: outcomes, and contests by their winner."""
    random = np.empty(4, np.uint64)
    begin(random, key, 0)
    hub = won.copy()
    start, held = np.empty(schedule.enter.size + 1, np.int64), np.empty(won.size, np.int64)
    held_by_winners(schedule, hub, start, held)
    randomize(random, null, schedule, hub, start, held)
    return hub, start, held


@compiled
def null_statistics(key, first_run, null, schedule, hub, grid, out):
    """The statistic of records drawn from the hub, one stream of random numbers each."""
    random = np.empty(4, np.uint64)
    hub_won, start, hub_held = hub
    spreads, size = grid.sigma.size, schedule.enter.size + 1
    means, covs = np.empty((spreads, size)), np.empty((spreads, size, size))
    won, held = np.empty_like(hub_won), np.empty_like(hub_held)
    for run in range(out.size):
        begin(random, key, first_run + run)
        won[:] = hub_won
        held[:] = hub_held
        randomize(random, null, schedule, won, start, held)
        out[run] = statistic(schedule, won, grid, means, covs)


@compiled
def misfit(schedule, won, chance):
    """How much wins of dyads deviate from their chances (of the first side): a score statistic.

    It is the penalized gain in likelihood if each dyad had a deviation of its own; e²/v alone would
    give dyads that nearly always have the same winner too much weight.
    """
    by_dyad, bounds = schedule.by_dyad, schedule.bounds
    total = 0.0
    for d in range(bounds.size - 1):
        number = bounds[d + 1] - bounds[d]
        wins = 0
        for i in range(bounds[d], bounds[d + 1]):
            if won[by_dyad[i]]:
                wins += 1
        e = wins - number * chance[d]
        v = number * chance[d] * (1.0 - chance[d])
        total += (e * e - v) / (1.0 + v)
    return total


@compiled
def null_misfits(key, schedule, hub, chance, out):
    """The misfit of records drawn from the hub, which give everybody the same number of wins."""
    random = np.empty(4, np.uint64)
    hub_won, start, hub_held = hub
    won, held = np.empty_like(hub_won), np.empty_like(hub_held)
    for run in range(out.size):
        begin(random, key, run)
        won[:] = hub_won
        held[:] = hub_held
        randomize(random, STRENGTHS, schedule, won, start, held)
        out[run] = misfit(schedule, won, chance)


@compiled
def rejected(keys, null, schedule, won, grid, runs, most):
    """Whether at most so many of the runs reach the statistic of the record.

    Ends once more have done so: the verdict is that of all runs (Besag & Clifford 1991).
    """
    spreads, size = grid.sigma.size, schedule.enter.size + 1
    means, covs = np.empty((spreads, size)), np.empty((spreads, size, size))
    observed = statistic(schedule, won, grid, means, covs)
    hub = hub_of(keys[0], null, schedule, won)
    out, count = np.empty(1), 0
    for run in range(runs):
        null_statistics(keys[1], run, null, schedule, hub, grid, out)
        if out[0] >= observed - AS_LARGE:
            count += 1
            if count > most:
                return False
    return True


@compiled
def draw_takeover(random, schedule, chances, seen, won):
    """Outcomes with the top and a member of the bottom third changing places in the middle.

    Strengths are a draw from the posterior; only individuals `seen` before and after the middle
    change places.
    """
    size = schedule.enter.size
    u, s = uniform(random), 0
    while s < chances.weight.size - 1 and u >= chances.weight[s]:
        s += 1
    strength = chances.mean[s].copy()
    for j in range(size):
        z = normal(random)
        for i in range(j, size):
            strength[i] += chances.root[s, i, j] * z
    ranked = seen[np.argsort(-strength[seen])]
    top = ranked[0]
    low = ranked[seen.size - 1 - below(random, max(seen.size // 3, 1))]
    for t in range(won.size):
        if t == won.size // 2:
            strength[top], strength[low] = strength[low], strength[top]
        ahead = strength[schedule.first[t]] - strength[schedule.second[t]]
        won[t] = uniform(random) < 1.0 / (1.0 + math.exp(-ahead))


@compiled
def takeovers_detected(keys, first_run, null, schedule, chances, seen, grid, runs, most, out):
    """Whether the test rejects in records with a takeover, each simulated from its own stream."""
    random = np.empty(4, np.uint64)
    won = np.empty(schedule.first.size, np.bool_)
    inner = np.empty(2, np.uint64)
    for run in range(out.size):
        begin(random, keys[0], first_run + run)
        draw_takeover(random, schedule, chances, seen, won)
        inner[0] = keys[1] + np.uint64(first_run + run)
        inner[1] = keys[2] + np.uint64(first_run + run)
        out[run] = rejected(inner, null, schedule, won, grid, runs, most)
