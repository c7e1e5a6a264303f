"""Bayesian Elo with Stan (PyStan 3) and nutpie, for comparison in `bayes.py`.

The model is that of Goffe, Fischer & Sennhenn-Reulen (2018): starting scores ~ N(0, σ), σ and k
half-normal(0, 1), and the recursion of Elo with the logistic curve of scale 1. `PRINTED` follows
the program described there: centered parameters, and before each contest the mean score of the
individuals present is subtracted. `STEEPNESS` is the joint model of Neumann & Fischer (2023), with
σ = 1: each random order of the contests has its own k and starting scores. It also subtracts the
mean, as the programs of this family do: this changes no probability, and without it Stan would need
less than half the time. nutpie samples the first model with start = σz and log scales, as peckorder
does, with a hand-written gradient.

Each sampler returns its draws, (chains, samples, …), and the CPU seconds (user and system, worker
processes included) of sampling without compilation.
"""

from __future__ import annotations

import contextlib
import csv
import importlib.util
import io
import math
import multiprocessing
import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numba
import numpy as np
from common import cpu_seconds

Draws = dict[str, np.ndarray]

PRINTED = """
functions {
  vector win_chances(vector start, real k, matrix presence, array[] int winner, array[] int loser) {
    int N = size(winner);
    vector[N] result;
    vector[num_elements(start)] score = start;
    for (i in 1:N) {
      real step;
      score = score - dot_product(row(presence, i), score) / sum(row(presence, i));
      result[i] = 1 / (1 + exp(score[loser[i]] - score[winner[i]]));
      step = k * (1 - result[i]);
      score[winner[i]] = score[winner[i]] + step;
      score[loser[i]] = score[loser[i]] - step;
    }
    return result;
  }
}
data {
  int<lower=1> N;
  int<lower=1> K;
  array[N] int<lower=1, upper=K> winner;
  array[N] int<lower=1, upper=K> loser;
  matrix[N, K] presence;
  array[N] int<lower=0, upper=1> y;
}
parameters {
  vector[K] start;
  real<lower=0> k;
  real<lower=0> sigma;
}
model {
  k ~ normal(0, 1);
  sigma ~ normal(0, 1);
  start ~ normal(0, sigma);
  y ~ bernoulli(win_chances(start, k, presence, winner, loser));
}
"""

STEEPNESS = """
functions {
  // Probability of each outcome, followed by the final scores.
  vector chances_and_scores(
      vector start, real k, matrix presence, array[] int winner, array[] int loser) {
    int N = size(winner);
    vector[N] result;
    vector[num_elements(start)] score = start;
    for (i in 1:N) {
      real step;
      score = score - dot_product(row(presence, i), score) / sum(row(presence, i));
      result[i] = inv_logit(score[winner[i]] - score[loser[i]]);
      step = k * (1 - result[i]);
      score[winner[i]] = score[winner[i]] + step;
      score[loser[i]] = score[loser[i]] - step;
    }
    return append_row(result, score);
  }
  // Slope of the sorted expected numbers of individuals beaten on ranks.
  real steepness_of(vector score) {
    int K = num_elements(score);
    vector[K] beaten;
    vector[K] rank = linspaced_vector(K, 1, K) - (K + 1) / 2.0;
    for (i in 1:K) {
      beaten[i] = sum(inv_logit(score[i] - score)) - 0.5;
    }
    return dot_product(rank, sort_asc(beaten)) / dot_self(rank);
  }
}
data {
  int<lower=1> R;
  int<lower=1> N;
  int<lower=1> K;
  array[R, N] int<lower=1, upper=K> winner;
  array[R, N] int<lower=1, upper=K> loser;
  matrix[N, K] presence;
  array[N] int<lower=0, upper=1> y;
}
parameters {
  array[R] vector[K] start;
  vector<lower=0>[R] k;
}
model {
  k ~ normal(0, 1);
  for (r in 1:R) {
    start[r] ~ normal(0, 1);
    y ~ bernoulli(head(chances_and_scores(start[r], k[r], presence, winner[r], loser[r]), N));
  }
}
generated quantities {
  vector[R] steepness;
  for (r in 1:R) {
    steepness[r] = steepness_of(
      tail(chances_and_scores(start[r], k[r], presence, winner[r], loser[r]), K));
  }
}
"""


def installed() -> dict[str, bool]:
    """Whether each package is installed; prints those that are missing."""
    found = {}
    for package, module in (("pystan", "stan"), ("nutpie", "nutpie")):
        found[package] = importlib.util.find_spec(module) is not None
        if not found[package]:
            print(f"{package} is not installed: skipped.\n")
    return found


def stan_posterior(
    winner: np.ndarray,
    loser: np.ndarray,
    presence: np.ndarray,
    *,
    chains: int = 4,
    warmup: int,
    samples: int,
    seed: int,
) -> tuple[Draws, float]:
    """Draws of start, k and sigma by the printed program; presence is contests × individuals."""
    data = {
        "N": len(winner),
        "K": presence.shape[1],
        "winner": (winner + 1).tolist(),
        "loser": (loser + 1).tolist(),
        "presence": presence.astype(float).tolist(),
        "y": [1] * len(winner),
    }
    return _stan(PRINTED, data, chains, warmup, samples, seed)


def stan_steepness(
    winner: np.ndarray,
    loser: np.ndarray,
    individuals: int,
    *,
    orders: int,
    chains: int = 4,
    warmup: int,
    samples: int,
    seed: int,
) -> tuple[Draws, float]:
    """Draws of start, k and steepness for random orders of the contests, sampled jointly."""
    random = np.random.default_rng(seed)
    order = np.array([random.permutation(len(winner)) for _ in range(orders)])
    data = {
        "R": orders,
        "N": len(winner),
        "K": individuals,
        "winner": (winner[order] + 1).tolist(),
        "loser": (loser[order] + 1).tolist(),
        "presence": np.ones((len(winner), individuals)).tolist(),
        "y": [1] * len(winner),
    }
    return _stan(STEEPNESS, data, chains, warmup, samples, seed)


def _stan(
    program: str, data: dict[str, Any], chains: int, warmup: int, samples: int, seed: int
) -> tuple[Draws, float]:
    """Draws by PyStan 3, which samples in a process pool of httpstan.

    `os.times` counts a process only after it has ended, so the pool is created anew and closed.
    httpstan caches finished fits by program, data and seed; they are removed first.
    """
    import httpstan.cache
    import httpstan.services_stub
    import stan

    with _silence():
        model = stan.build(program, data=data, random_seed=seed)
        for kept in httpstan.cache.model_directory(model.model_name).rglob("*.jsonlines.gz"):
            kept.unlink()
        httpstan.services_stub.executor.shutdown()
        before = cpu_seconds()
        httpstan.services_stub.executor = ProcessPoolExecutor(
            mp_context=multiprocessing.get_context("fork"),
            initializer=httpstan.services_stub.init_worker,
        )
        fit = model.sample(num_chains=chains, num_warmup=warmup, num_samples=samples)
        httpstan.services_stub.executor.shutdown()
        seconds = cpu_seconds() - before
    draws = {}
    for name, shape in zip(fit.param_names, fit.dims, strict=True):
        values = fit[name].reshape(*shape, samples, chains)  # the chain index varies fastest
        draws[name] = np.moveaxis(values, (-1, -2), (0, 1))
    return draws, seconds


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """Suppress progress, messages about rejected initial steps, and compiler output."""
    captured = io.StringIO()
    kept = os.dup(2)
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 2)
    try:
        with contextlib.redirect_stdout(captured), contextlib.redirect_stderr(captured):
            yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


@numba.njit(nogil=True)
def log_density(x: np.ndarray, winner: np.ndarray, loser: np.ndarray) -> tuple[float, np.ndarray]:
    """Log posterior density of (log k, log σ, z), start = σz, and its gradient.

    Forward, with d the difference of scores, p = 1/(1 + e^−d) and q = 1 − p: log p is added, and
    kq is transferred from loser to winner. Backward, with λ the derivative with respect to the
    scores and g the difference of its two entries: g_k += g·q, and λ changes by q(1 − k·g·(1 − q)).
    """
    k, sigma, z = math.exp(x[0]), math.exp(x[1]), x[2:]
    score = sigma * z
    lost = np.empty(len(winner))
    value, product = 0.0, 1.0  # one logarithm for many probabilities
    for j in range(len(winner)):
        a, b = winner[j], loser[j]
        d = score[a] - score[b]
        small = math.exp(-abs(d))
        q = small / (1.0 + small) if d > 0 else 1.0 / (1.0 + small)
        if d < -300.0:
            value += d
        else:
            product *= 1.0 / (1.0 + small) if d > 0 else small / (1.0 + small)
            if product < 1e-150:
                value += math.log(product)
                product = 1.0
        lost[j] = q
        score[a] += k * q
        score[b] -= k * q
    value += math.log(product)

    slope = np.zeros(len(z))
    slope_k = 0.0
    for j in range(len(winner) - 1, -1, -1):
        a, b, q = winner[j], loser[j], lost[j]
        g = slope[a] - slope[b]
        slope_k += g * q
        change = q * (1.0 - k * g * (1.0 - q))
        slope[a] += change
        slope[b] -= change

    value += x[0] + x[1] - 0.5 * (k * k + sigma * sigma + np.dot(z, z))
    gradient = np.empty(len(x))
    gradient[0] = k * slope_k + 1.0 - k * k
    gradient[1] = sigma * np.dot(z, slope) + 1.0 - sigma * sigma
    gradient[2:] = sigma * slope - z
    return value, gradient


def nutpie_posterior(
    winner: np.ndarray,
    loser: np.ndarray,
    individuals: int,
    *,
    chains: int = 4,
    warmup: int,
    samples: int,
    seed: int,
) -> tuple[Draws, float]:
    """Draws of start, k and sigma by nutpie.

    Its threads wait for each other in Python at each gradient, so one core uses the least CPU time.
    """
    import nutpie
    from nutpie.compiled_pyfunc import from_pyfunc

    winner, loser = (np.ascontiguousarray(codes, np.int64) for codes in (winner, loser))
    log_density(np.zeros(individuals + 2), winner, loser)

    def gradient() -> Any:
        return lambda x: log_density(x, winner, loser)

    def expand(*_: Any) -> Any:
        return lambda x: {"x": x.copy()}

    size = individuals + 2
    model = from_pyfunc(size, gradient, expand, [np.dtype(float)], [(size,)], ["x"])
    before = cpu_seconds()
    trace = nutpie.sample(
        model,
        draws=samples,
        tune=warmup,
        chains=chains,
        cores=1,
        seed=seed,
        save_warmup=False,
        progress_bar=False,
    )
    seconds = cpu_seconds() - before
    x = np.asarray(trace.posterior["x"])
    k, sigma = np.exp(x[..., 0]), np.exp(x[..., 1])
    return {"start": sigma[..., None] * x[..., 2:], "k": k, "sigma": sigma}, seconds


def simulated(
    seed: int, individuals: int = 44, contests: int = 915
) -> tuple[np.ndarray, np.ndarray]:
    """Winners and losers in a static hierarchy, following the first scenario of Goffe et al.

    Scores ~ N(0, 2.62²). Individuals with higher scores initiate contests more often (in proportion
    to individuals + 1 − rank), against an opponent drawn with probability proportional to
    1/(1 + difference of scores). Without the 1, nearly all would meet only their nearest neighbor,
    and the spread would not be identifiable.
    """
    random = np.random.default_rng(seed)
    score = np.sort(random.normal(0, 2.62, individuals))[::-1]
    weight = np.arange(individuals, 0, -1.0)
    closeness = 1 / (1 + np.abs(score[:, None] - score[None, :]))
    np.fill_diagonal(closeness, 0)
    closeness /= closeness.sum(axis=1, keepdims=True)
    a = random.choice(individuals, contests, p=weight / weight.sum())
    b = np.array([random.choice(individuals, p=closeness[i]) for i in a])
    won = random.random(contests) < 1 / (1 + np.exp(score[b] - score[a]))
    return np.where(won, a, b), np.where(won, b, a)


def chimpanzees(folder: Path, dropped: int = 100) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Winners, losers and presence (contests × individuals), coded in order of appearance.

    The female chimpanzees of Foerster et al. (2016), without the first contests.
    """
    with open(folder / "chimpanzee_females.csv", newline="") as file:
        rows = list(csv.DictReader(file))[dropped:]
    with open(folder / "chimpanzee_females_presence.csv", newline="") as file:
        spans = {row["id"]: (row["start_date"], row["end_date"]) for row in csv.DictReader(file)}
    names = list(dict.fromkeys(row[side] for row in rows for side in ("Winner", "Loser")))
    code = {name: i for i, name in enumerate(names)}
    winner, loser = (np.array([code[row[side]] for row in rows]) for side in ("Winner", "Loser"))
    present = [[spans[name][0] <= row["Date"] <= spans[name][1] for name in names] for row in rows]
    return winner, loser, np.array(present)
