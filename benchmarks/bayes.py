"""Effective draws per CPU second of `elo_bayes` and `steepness_bayes`, beside nutpie and Stan.

Contests among 44 (915, simulated anew for each seed; and those of female chimpanzees where the file
is at hand), 4 chains of 2000 draws, of which ours warms up with 500 and the others with 1000, as
they do by default: the smallest bulk effective sample size of k, σ and the
starting scores (centred in every draw), divided by CPU seconds (user and system, children
included). All samplers in turn, seed by seed; medians, and the range in brackets. Like theirs, ours
is the sampling alone; below it the whole call, with diagnostics, final ratings and the evidence for
k = 0. "Ours ÷" is the ratio of effective draws per CPU second; "apart" the largest difference of
the posterior means of k and σ from ours, in Monte Carlo standard errors of the difference. Then the
steepness of 20 random orders of 200 contests among 10: our 20 fits (the whole call) beside the
joint program, the smallest effective size of the steepness of an order.

Further: microseconds per gradient; CPU seconds of a fresh process from nothing to the first draw,
with compiled code in place and without; seconds of `elo_ml`.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

import numba
import numpy as np
import stan_programs as peers
from common import (
    as_data,
    compare,
    cpu_seconds,
    elo_contests,
    median,
    print_table,
    with_bytecode_in,
)
from shell import run

import peckorder as po
from peckorder.kernels.posterior import log_density, workplace
from peckorder.likelihood.contests import observe
from peckorder.posterior.diagnostics import bulk_ess, mcse, rhat
from peckorder.posterior.elo_bayes import model_of
from peckorder.posterior.sampler import Sampler, first_position, parameters

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
PRIORS = {"prior_sigma": 1.0, "prior_k": 1.0, "prior_nu": 1.0, "prior_home": 1.0}
SIZES = ((10, 500), (44, 915), (50, 10_000), (500, 100_000))
FIRST_DRAW = "import peckorder as po; po.elo_bayes(po.datasets.adv(), warmup=1, samples=1, seed=1)"

Sampling = Callable[[int], tuple[np.ndarray, float]]


def together(draws: dict[str, np.ndarray]) -> np.ndarray:
    """k, σ and the starting scores, centred in every draw: (chains, samples, parameters)."""
    start = draws["start"]
    single = [np.reshape(draws[name], (*start.shape[:2], 1)) for name in ("k", "sigma")]
    return np.concatenate([*single, start - start.mean(axis=-1, keepdims=True)], axis=-1)


def ours(warmup: int, samples: int) -> dict[str, int]:
    """As many draws in all, a quarter of them to warm up with."""
    return {"warmup": (warmup + samples) // 4, "samples": (warmup + samples) * 3 // 4}


def posterior_samplers(
    contests: Callable[[int], tuple[np.ndarray, np.ndarray, np.ndarray]],
    here: dict[str, bool],
    **size: int,
) -> dict[str, Sampling]:
    own = ours(**size)

    def by_us(seed: int) -> tuple[np.ndarray, float]:
        model = model_of([observe(as_data(*contests(seed)[:2]))], priors=PRIORS)
        sampler = Sampler.of(4, own["warmup"], own["samples"], seed, None, None)
        before = cpu_seconds()
        positions, _ = sampler.run([model])[0]
        seconds = cpu_seconds() - before
        return together(parameters(model, positions)), seconds

    def whole_call(seed: int) -> tuple[np.ndarray, float]:
        data = as_data(*contests(seed)[:2])
        before = cpu_seconds()
        draws = po.elo_bayes(data, seed=seed, **own).draws
        return together(draws), cpu_seconds() - before

    def by_nutpie(seed: int) -> tuple[np.ndarray, float]:
        winner, loser, presence = contests(seed)
        found = peers.nutpie_posterior(winner, loser, presence.shape[1], seed=seed, **size)
        return together(found[0]), found[1]

    def by_stan(seed: int) -> tuple[np.ndarray, float]:
        draws, seconds = peers.stan_posterior(*contests(seed), seed=seed, **size)
        return together(draws), seconds

    calls: dict[str, Sampling] = {"peckorder": by_us, "peckorder, whole call": whole_call}
    calls |= {"nutpie": by_nutpie} if here["nutpie"] else {}
    return calls | ({"Stan, as printed": by_stan} if here["pystan"] else {})


def steepness_samplers(here: dict[str, bool], orders: int, **size: int) -> dict[str, Sampling]:
    def by_us(seed: int) -> tuple[np.ndarray, float]:
        data = as_data(*peers.simulated(seed, 10, 200))
        before = cpu_seconds()
        found = po.steepness_bayes(data, orders=orders, chains=4, seed=seed, **ours(**size))
        seconds = cpu_seconds() - before
        return np.moveaxis(found.draws["steepness"].reshape(orders, 4, -1), 0, -1), seconds

    def by_stan(seed: int) -> tuple[np.ndarray, float]:
        contests = peers.simulated(seed, 10, 200)
        draws, seconds = peers.stan_steepness(*contests, 10, orders=orders, seed=seed, **size)
        return draws["steepness"], seconds

    return {"peckorder": by_us} | ({"Stan, joint": by_stan} if here["pystan"] else {})


def efficiency(title: str, calls: dict[str, Sampling], seeds: int, compared: int) -> None:
    """Run all samplers in turn; the means of the first `compared` quantities are held together."""
    taken: dict[str, list[tuple[float, float, float, float]]] = {name: [] for name in calls}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # limits of convergence: R̂ and effective size are told
        for name, call in calls.items():
            if name.startswith("peckorder"):
                call(0)  # loads compiled code
        for seed in range(1, seeds + 1):
            base = None
            for name, call in calls.items():
                draws, seconds = call(seed)
                mean, error = draws.mean(axis=(0, 1)), mcse(draws)
                base = (mean, error) if base is None else base
                apart = np.abs(mean - base[0]) / np.hypot(error, base[1])
                least = float(bulk_ess(draws).min())
                worst = float(apart[:compared].max(initial=0.0))
                taken[name].append((seconds, least, float(rhat(draws).max()), worst))
    speeds = {name: [ess / seconds for seconds, ess, *_ in of] for name, of in taken.items()}
    rows = []
    for name, of in taken.items():
        seconds, least, split, apart = zip(*of, strict=True)
        ratio = [own / other for own, other in zip(speeds["peckorder"], speeds[name], strict=True)]
        rows.append(
            [
                name,
                spread(seconds, 2),
                spread(least, 0),
                spread(speeds[name], 1),
                spread(ratio, 1),
                f"{max(split):.4f}",
                f"{max(apart):.1f}" if compared and name != "peckorder" else "",
            ]
        )
    print(f"{title}; seeds: {seeds}")
    print_table(["", "CPU s", "min ESS", "ESS per CPU s", "ours ÷", "largest R̂", "apart"], rows)


def spread(values: Sequence[float], digits: int) -> str:
    told = f"{statistics.median(values):,.{digits}f}"
    if len(values) == 1:
        return told
    return f"{told} [{min(values):,.{digits}f}, {max(values):,.{digits}f}]"


@numba.njit(nogil=True)
def gradients(model, x, runs):
    """So many gradients at one workplace, as a chain takes them."""
    place = workplace(model)
    slope = np.zeros(x.size)
    total = 0.0
    for _ in range(runs):
        total += log_density(x, slope, place)
    return total


def gradient_times(quick: bool) -> None:
    rows = []
    for individuals, number in SIZES:
        random = np.random.default_rng(individuals)
        data = as_data(*elo_contests(number, individuals, 0.3, 2.0, random)[:2])
        model = model_of([observe(data)], priors=PRIORS)
        x = first_position(model)
        x[:individuals] = random.normal(size=individuals)
        runs = max(1, (1_000_000 if quick else 10_000_000) // number)
        times = compare({"": lambda m=model, x=x, r=runs: gradients(m, x, r)}, 5)[""]
        each = times.cpu / runs
        rows.append(
            [f"{individuals} × {number:,}", f"{each * 1e6:,.1f}", f"{each / number * 1e9:.1f}"]
        )
    print("One gradient of the log posterior density, CPU time")
    print_table(["individuals × contests", "µs", "ns a contest"], rows)


def first_draw(quick: bool) -> None:
    command = [sys.executable, "-W", "ignore", "-c", FIRST_DRAW]
    with tempfile.TemporaryDirectory() as folder:
        run(
            [sys.executable, "-c", "import peckorder, numba, polars, scipy"],
            with_bytecode_in(folder),
        )
        environment = with_bytecode_in(folder) | {"NUMBA_CACHE_DIR": str(Path(folder) / "compiled")}
        first = run(command, environment)
        warm = median([run(command, environment) for _ in range(2 if quick else 7)])
    print("A fresh process to its first draw, 33 contests among 7, seconds")
    told = {"compiled code in place": warm, "for the first time ever": first}
    rows = [[name, f"{t.cpu:.2f}", f"{t.wall:.2f}"] for name, t in told.items()]
    print_table(["", "CPU", "wall"], rows)


def maximum_likelihood(quick: bool) -> None:
    rows = []
    for individuals, number in SIZES[1:2] if quick else SIZES[1::2]:
        random = np.random.default_rng(individuals)
        data = as_data(*elo_contests(number, individuals, 0.3, 2.0, random)[:2])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fit = po.elo_ml(data)
            times = compare({"": lambda d=data: po.elo_ml(d)}, 1 if quick else 3)[""]
        size = f"{individuals} × {number:,}"
        rows.append([size, f"{times.wall:.2f}", f"{times.cpu:.2f}", f"{fit.k:.3f}"])
    print("elo_ml of contests with k = 0.3, seconds")
    print_table(["individuals × contests", "wall", "CPU", "k found"], rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5, help="runs of each sampler")
    parser.add_argument("--quick", action="store_true", help="one seed and few draws, to try it")
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the chimpanzee files")
    asked = parser.parse_args()
    seeds = 1 if asked.quick else asked.seeds
    size = dict.fromkeys(("warmup", "samples"), 200 if asked.quick else 1000)
    orders = 3 if asked.quick else 20
    here = peers.installed()

    def simulated(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return *peers.simulated(seed), np.ones((915, 44))

    efficiency(
        "44 individuals, 915 contests, simulated",
        posterior_samplers(simulated, here, **size),
        seeds,
        2,
    )
    if (asked.data / "chimpanzee_females.csv").exists():
        real = peers.chimpanzees(asked.data)
        efficiency(
            f"{real[2].shape[1]} female chimpanzees, {len(real[0])} contests",
            posterior_samplers(lambda _: real, here, **size),
            seeds,
            2,
        )
    else:
        print("The chimpanzee files are not here (--data): left out.\n")
    efficiency(
        f"Steepness, 10 individuals, 200 contests, {orders} random orders",
        steepness_samplers(here, orders, **size),
        seeds,
        0,
    )
    gradient_times(asked.quick)
    first_draw(asked.quick)
    maximum_likelihood(asked.quick)


if __name__ == "__main__":
    main()
