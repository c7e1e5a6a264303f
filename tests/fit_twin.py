"""Fitted Elo written down a second time, from the formulas alone; slow and plain.

Individuals are codes 0..n−1 and scores are on the natural scale, on which the chance of winning at
the difference d is 1/(1 + exp(−d)). Nothing is shared with the package.
"""

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from numbers import Real
from statistics import NormalDist

Numbers = Sequence[float]


# The likelihood (Foerster et al. 2016; Goffe et al. 2018; draws after Davidson 1970)


def chance(d: float) -> float:
    """The chance of winning at the score difference d."""
    if d >= 0:
        return 1 / (1 + math.exp(-d))
    return math.exp(d) / (1 + math.exp(d))


def log_chance(d: float) -> float:
    """The logarithm of `chance`, exact where the chance itself would be 0 or 1."""
    return min(d, 0.0) - math.log1p(math.exp(-abs(d)))


def centred(scores: Numbers, present: Collection[int]) -> list[float]:
    """The mean of those present taken from those present; the absent keep their score."""
    middle = math.fsum(scores[i] for i in present) / len(present)
    return [s - middle if i in present else s for i, s in enumerate(scores)]


def walk(
    winner: Sequence[int],
    loser: Sequence[int],
    start: Numbers,
    k: float | Numbers,
    *,
    draw: Sequence[bool] | None = None,
    home: Numbers | None = None,
    home_advantage: float = 0.0,
    home_in_update: bool = False,
    present: Sequence[Collection[int]] | None = None,
    first: int = 0,
    burn_k: float | None = None,
) -> Iterator[tuple[list[float], float, bool, list[float]]]:
    """Per contest: the scores before it, the difference it is predicted from, draw?, scores after.

    The scores before are those after centring for this contest.
    """
    scores = [float(s) for s in start]
    for j, (a, b) in enumerate(zip(winner, loser, strict=True)):
        if present is not None:
            if a not in present[j] or b not in present[j]:
                raise ValueError(f"contest {j}: a contestant is absent")
            scores = centred(scores, present[j])
        before = list(scores)

        d = scores[a] - scores[b]
        v = d if home is None else d + home_advantage * home[j]
        u = v if home_in_update else d

        if j < first and burn_k is not None:
            step = burn_k
        else:
            step = k if isinstance(k, Real) else k[j]
        tied = draw is not None and bool(draw[j])
        # 1 − chance(u) has no correct digit left at large u; chance(−u) has all of them.
        gain = step * (0.5 - chance(u) if tied else chance(-u))
        scores[a] += gain
        scores[b] -= gain
        yield before, v, tied, list(scores)


def contest_term(v: float, tied: bool, nu: float | None) -> float:
    """The log-likelihood of one contest, predicted from the difference v."""
    if nu is None:
        if tied:
            raise ValueError("a draw has no likelihood without nu")
        return log_chance(v)
    log_p, log_q = log_chance(v), log_chance(-v)
    log_r = (log_p + log_q) / 2
    log_total = math.log1p(nu * math.exp(log_r))
    if not tied:
        return log_p - log_total
    return math.log(nu) + log_r - log_total if nu > 0 else -math.inf


def log_likelihood(
    winner: Sequence[int],
    loser: Sequence[int],
    start: Numbers,
    k: float | Numbers,
    *,
    draw: Sequence[bool] | None = None,
    nu: float | None = None,
    home: Numbers | None = None,
    home_advantage: float = 0.0,
    home_in_update: bool = False,
    present: Sequence[Collection[int]] | None = None,
    first: int = 0,
    burn_k: float | None = None,
    each: bool = False,
) -> float | list[float]:
    """The log-likelihood of the contests from index `first` on, or with `each` its terms.

    `k` is one number or a list with one per contest; `home` is +1 where the winner is at home, −1
    where the loser is, 0 on neutral ground; `present` are the sets of those present at each
    contest, and giving it asks for centring on them. Contests before `first` move the scores by
    `burn_k` (by `k` if that is None) and are not counted.
    """
    contests = walk(
        winner,
        loser,
        start,
        k,
        draw=draw,
        home=home,
        home_advantage=home_advantage,
        home_in_update=home_in_update,
        present=present,
        first=first,
        burn_k=burn_k,
    )
    terms = [contest_term(v, tied, nu) for j, (_, v, tied, _) in enumerate(contests) if j >= first]
    return terms if each else math.fsum(terms)


def course(
    winner: Sequence[int],
    loser: Sequence[int],
    start: Numbers,
    k: float | Numbers,
    *,
    draw: Sequence[bool] | None = None,
    nu: float | None = None,
    home: Numbers | None = None,
    home_advantage: float = 0.0,
    home_in_update: bool = False,
    present: Sequence[Collection[int]] | None = None,
    first: int = 0,
    burn_k: float | None = None,
) -> list[list[float]]:
    """The scores before the first contest (centred for it) and after every contest.

    Under centring the entry after contest j − 1 is not what contest j is predicted from where
    somebody came or left in between. `nu` changes no score; it is taken so that the arguments of
    `log_likelihood` fit.
    """
    contests = list(
        walk(
            winner,
            loser,
            start,
            k,
            draw=draw,
            home=home,
            home_advantage=home_advantage,
            home_in_update=home_in_update,
            present=present,
            first=first,
            burn_k=burn_k,
        )
    )
    if not contests:
        return [[float(s) for s in start]]
    return [contests[0][0]] + [after for *_, after in contests]


# The priors


def log_normal_density(x: float, sd: float) -> float:
    """The log density of N(0, sd) at x."""
    return -0.5 * (x / sd) ** 2 - math.log(sd) - 0.5 * math.log(2 * math.pi)


def log_half_normal_density(x: float, sd: float) -> float:
    """The log density of N⁺(0, sd) at x."""
    return math.log(2) + log_normal_density(x, sd) if x >= 0 else -math.inf


def log_prior(
    start: Numbers,
    sigma: float,
    k: float | Numbers | None,
    *,
    prior_sigma: float = 1.0,
    prior_k: float = 1.0,
) -> float:
    """The log prior density at the starts, σ and k (one, one per context, or None where fixed).

    It is a density in (start, σ, k): for z = start/σ add n log σ, for log σ and log k add log σ and
    log k.
    """
    if sigma <= 0:
        return -math.inf
    ks = [] if k is None else [k] if isinstance(k, Real) else list(k)
    terms = [log_normal_density(s, sigma) for s in start]
    terms.append(log_half_normal_density(sigma, prior_sigma))
    terms.extend(log_half_normal_density(one, prior_k) for one in ks)
    return math.fsum(terms)


def numeric_gradient(
    function: Callable[[list[float]], float], x: Numbers, step: float = 1e-6
) -> list[float]:
    """The gradient of the function at x by central differences."""
    gradient = []
    for i in range(len(x)):
        up, down = [float(value) for value in x], [float(value) for value in x]
        up[i] += step
        down[i] -= step
        # What was added is a rounded number; divide by the distance really gone.
        gradient.append((function(up) - function(down)) / (up[i] - down[i]))
    return gradient


# Steepness of one draw of scores (Neumann & Fischer 2023)


def average_ranks(values: Numbers) -> list[float]:
    """Ascending ranks from 1, equal values sharing the mean of theirs."""
    order = sorted(range(len(values)), key=lambda i: values[i])
    ranks = [0.0] * len(values)
    begin = 0
    while begin < len(order):
        end = begin
        while end < len(order) and values[order[end]] == values[order[begin]]:
            end += 1
        for i in order[begin:end]:
            ranks[i] = (begin + 1 + end) / 2
        begin = end
    return ranks


def steepness(scores: Numbers) -> float:
    """The slope of the expected number beaten on its rank; nan where all are equal."""
    n = len(scores)
    # fsum: equal scores have to give equal sums, whatever the order of the terms.
    beaten = [
        math.fsum(chance(scores[i] - scores[j]) for j in range(n) if j != i) for i in range(n)
    ]
    ranks = average_ranks(beaten)
    mean_rank = math.fsum(ranks) / n
    mean_beaten = math.fsum(beaten) / n
    square = math.fsum((r - mean_rank) ** 2 for r in ranks)
    cross = math.fsum(
        (r - mean_rank) * (b - mean_beaten) for r, b in zip(ranks, beaten, strict=True)
    )
    return cross / square if square > 0 else math.nan


# Convergence (Vehtari, Gelman, Simpson, Carpenter & Bürkner 2021)

Chains = Sequence[Numbers]


def mean(values: Numbers) -> float:
    """The mean."""
    return math.fsum(values) / len(values)


def variance(values: Numbers) -> float:
    """The variance with the divisor n − 1."""
    centre = mean(values)
    return math.fsum((x - centre) ** 2 for x in values) / (len(values) - 1)


def split(draws: Chains) -> list[list[float]]:
    """Every chain in halves; the middle draw of an odd number is left out."""
    half = len(draws[0]) // 2
    firsts = [[float(x) for x in chain[:half]] for chain in draws]
    lasts = [[float(x) for x in chain[len(chain) - half :]] for chain in draws]
    return firsts + lasts


def rank_normalised(chains: Chains) -> list[list[float]]:
    """Every draw replaced by the normal score of its rank among all draws (equation 14)."""
    ranks = average_ranks([x for chain in chains for x in chain])
    scores = [NormalDist().inv_cdf((rank - 3 / 8) / (len(ranks) + 1 / 4)) for rank in ranks]
    length = len(chains[0])
    return [scores[m * length : (m + 1) * length] for m in range(len(chains))]


def folded(chains: Chains) -> list[list[float]]:
    """The distances from the median of all draws."""
    everything = sorted(x for chain in chains for x in chain)
    n = len(everything)
    median = (everything[(n - 1) // 2] + everything[n // 2]) / 2
    return [[abs(x - median) for x in chain] for chain in chains]


def plain_rhat(chains: Chains) -> float:
    """√(var⁺/W) (equations 1 to 4)."""
    n = len(chains[0])
    between = n * variance([mean(chain) for chain in chains])
    within = mean([variance(chain) for chain in chains])
    if within == 0:
        return math.inf if between > 0 else math.nan
    return math.sqrt(((n - 1) / n * within + between / n) / within)


def rhat(draws: Chains) -> float:
    """The rank-normalised split R̂ of (chains, draws), the larger of bulk and folded."""
    halves = split(draws)
    bulk = plain_rhat(rank_normalised(halves))
    tail = plain_rhat(rank_normalised(folded(halves)))
    return tail if math.isnan(bulk) or tail > bulk else bulk


def autocovariance(chain: Numbers, lag: int) -> float:
    """The autocovariance at a lag with the divisor n."""
    centre = mean(chain)
    n = len(chain)
    return math.fsum((chain[t] - centre) * (chain[t + lag] - centre) for t in range(n - lag)) / n


def plain_ess(chains: Chains) -> float:
    """The effective number of draws by Geyer's initial monotone sequence (equations 10 to 13).

    Never more than S·log10(S), S being the number of draws.
    """
    n = len(chains[0])
    total = n * len(chains)
    everything = [x for chain in chains for x in chain]
    if max(everything) == min(everything):
        return float(total)
    within = mean([variance(chain) for chain in chains])
    plus = within * (n - 1) / n
    if len(chains) > 1:
        plus += variance([mean(chain) for chain in chains])

    def correlation(lag: int) -> float:
        return 1 - (within - mean([autocovariance(chain, lag) for chain in chains])) / plus

    # Initial positive sequence: pairs of lags (0, 1), (2, 3), … up to the first without a positive
    # sum, or to the end of the chain.
    last = (1.0, correlation(1))
    kept = []
    while 2 * len(kept) + 1 < n - 3 and sum(last) > 0:
        kept.append(last)
        lag = 2 * len(kept)
        last = (correlation(lag), correlation(lag + 1))
    # Initial monotone sequence: no pair has a larger sum than the pair before it.
    sums = [even + odd for even, odd in kept]
    for i in range(1, len(sums)):
        sums[i] = min(sums[i], sums[i - 1])
    # The pair that ended the sequence lends its even lag, once, if that is positive.
    over = last[0] if last[0] > 0 or sum(last) >= 0 else 0.0
    tau = -1 + 2 * math.fsum(sums) + over
    return total / max(tau, 1 / math.log10(total))


def bulk_ess(draws: Chains) -> float:
    """The effective number of draws of the rank-normalised split chains."""
    return plain_ess(rank_normalised(split(draws)))


# Leave-one-out (Vehtari, Gelman & Gabry 2017; Vehtari et al. 2024; Zhang & Stephens 2009)


def log_sum_exp(values: Numbers) -> float:
    """The logarithm of the sum of the exponentials."""
    top = max(values)
    return top + math.log(math.fsum(math.exp(x - top) for x in values))


def pareto_fit(x: Numbers) -> tuple[float, float]:
    """Shape k and scale of the generalised Pareto distribution; x ascending and positive.

    The posterior mean of θ = −k/scale on Zhang & Stephens' grid; k alone is then drawn towards ½
    with the weight of ten observations.
    """
    n = len(x)
    points = 30 + int(math.sqrt(n))
    quartile = x[int(n / 4 + 0.5) - 1]

    def shape(theta: float) -> float:
        return mean([math.log1p(-theta * value) for value in x])

    thetas = [
        1 / x[-1] + (1 - math.sqrt(points / (i - 0.5))) / (3 * quartile)
        for i in range(1, points + 1)
    ]
    profile = []
    for theta in thetas:
        k = shape(theta)
        profile.append(n * (math.log(-theta / k) - k - 1))
    norm = log_sum_exp(profile)
    theta = math.fsum(t * math.exp(p - norm) for t, p in zip(thetas, profile, strict=True))
    k = shape(theta)
    return (n * k + 10 * 0.5) / (n + 10), -k / theta


def pareto_quantile(p: float, k: float, scale: float) -> float:
    """The p-quantile of the generalised Pareto distribution."""
    if abs(k) < 1e-15:
        return -scale * math.log1p(-p)
    return scale * math.expm1(-k * math.log1p(-p)) / k


def smoothed_log_weights(log_weights: Numbers) -> tuple[list[float], float]:
    """The Pareto-smoothed log weights, normalised to sum 1, and the shape k of their tail.

    k is infinite, and nothing smoothed, where fewer than five weights lie above the cutoff.
    """
    top = max(log_weights)
    x = [value - top for value in log_weights]
    size = len(x)
    tail_length = math.ceil(min(0.2 * size, 3 * math.sqrt(size)))
    order = sorted(range(size), key=lambda s: x[s])
    # Below the smallest positive number the weights themselves would be 0.
    cutoff = max(x[order[size - tail_length - 1]], math.log(2.0**-1022))
    tail = [s for s in order if x[s] > cutoff]
    k = math.inf
    if len(tail) > 4:
        # exp(a) − exp(b) loses all digits, even to 0, where the weights hardly differ.
        k, scale = pareto_fit([math.exp(cutoff) * math.expm1(x[s] - cutoff) for s in tail])
        for z, s in enumerate(tail):
            value = pareto_quantile((z + 0.5) / len(tail), k, scale)
            # No weight may become larger than the largest raw one.
            x[s] = min(math.log(math.exp(cutoff) + value), 0.0)
    norm = log_sum_exp(x)
    return [value - norm for value in x], k


def psis_loo(log_lik: Sequence[Numbers]) -> tuple[list[float], list[float]]:
    """Expected log predictive density and Pareto k of every contest, from (draws, contests).

    The relative efficiency of the draws is taken to be 1.
    """
    elpd, shapes = [], []
    for j in range(len(log_lik[0])):
        terms = [float(draw[j]) for draw in log_lik]
        weights, k = smoothed_log_weights([-term for term in terms])
        elpd.append(log_sum_exp([w + term for w, term in zip(weights, terms, strict=True)]))
        shapes.append(k)
    return elpd, shapes
