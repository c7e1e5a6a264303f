"""Effective sample size per CPU second of `elo_bayes` and `steepness_bayes`, nutpie and Stan.

915 contests among 44 individuals (simulated for each seed, and those of female chimpanzees if the
file is available); 4 chains of 2000 draws, of which peckorder uses 500 for warmup and the others
1000, their default. The efficiency is the smallest bulk effective sample size (ESS) of k, σ and
the starting scores (centered in every draw), divided by CPU seconds (user and system, children
included). Samplers alternate, seed by seed; medians, with the range in brackets. "peckorder" is
sampling alone, as for the others; "whole call" includes diagnostics, final ratings and the Bayes
factor for k = 0. "ratio" is the ESS per CPU second of peckorder divided by that of the sampler;
"difference" is the largest difference of the posterior means of k and σ from peckorder's, in Monte
Carlo standard errors. Then the steepness of 20 random orders of 200 contests among 10 individuals:
the 20 fits of peckorder (the whole call) and the joint Stan program, with the smallest ESS of the
steepness of an order.

Finally: microseconds per gradient; CPU seconds of a fresh process up to the first draw, with and
without cached compiled code; seconds of `elo_ml`.
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
    note,
    print_table,
    with_bytecode_in,
)
from shell import run

import peckorder as po
from peckorder.kernels.posterior import log_density, workplace
from peckorder.ratings.elo_bayes import model_of
from peckorder.ratings.likelihood import observe
from peckorder.ratings.sampler import Sampler, bulk_ess, first_position, mcse, parameters, rhat

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
PRIORS = {"prior_sigma": 1.0, "prior_k": 1.0, "prior_nu": 1.0, "prior_home": 1.0}
SIZES = ((10, 500), (44, 915), (50, 10_000), (500, 100_000))
FIRST_DRAW = "import peckorder as po; po.elo_bayes(po.datasets.adv(), warmup=1, samples=1, seed=1)"

Sampling = Callable[[int], tuple[np.ndarray, float]]


def combined(draws: dict[str, np.ndarray]) -> np.ndarray:
    """k, σ and the starting scores, centered in every draw: (chains, samples, parameters)."""
    start = draws["start"]
    single = [np.reshape(draws[name], (*start.shape[:2], 1)) for name in ("k", "sigma")]
    return np.concatenate([*single, start - start.mean(axis=-1, keepdims=True)], axis=-1)


def ours(warmup: int, samples: int) -> dict[str, int]:
    """The same total number of draws, a quarter of them for warmup."""
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
        return combined(parameters(model, positions)), seconds

    def whole_call(seed: int) -> tuple[np.ndarray, float]:
        data = as_data(*contests(seed)[:2])
        before = cpu_seconds()
        draws = po.elo_bayes(data, seed=seed, **own).samples
        return combined(draws), cpu_seconds() - before

    def by_nutpie(seed: int) -> tuple[np.ndarray, float]:
        winner, loser, presence = contests(seed)
        found = peers.nutpie_posterior(winner, loser, presence.shape[1], seed=seed, **size)
        return combined(found[0]), found[1]

    def by_stan(seed: int) -> tuple[np.ndarray, float]:
        draws, seconds = peers.stan_posterior(*contests(seed), seed=seed, **size)
        return combined(draws), seconds

    calls: dict[str, Sampling] = {"peckorder": by_us, "peckorder, whole call": whole_call}
    calls |= {"nutpie": by_nutpie} if here["nutpie"] else {}
    return calls | ({"Stan, as printed": by_stan} if here["pystan"] else {})


def steepness_samplers(here: dict[str, bool], orders: int, **size: int) -> dict[str, Sampling]:
    def by_us(seed: int) -> tuple[np.ndarray, float]:
        data = as_data(*peers.simulated(seed, 10, 200))
        before = cpu_seconds()
        found = po.steepness_bayes(
            data, preset="EloSteepness", orders=orders, chains=4, seed=seed, **ours(**size)
        )
        seconds = cpu_seconds() - before
        return np.moveaxis(found.samples.reshape(orders, 4, -1), 0, -1), seconds

    def by_stan(seed: int) -> tuple[np.ndarray, float]:
        contests = peers.simulated(seed, 10, 200)
        draws, seconds = peers.stan_steepness(*contests, 10, orders=orders, seed=seed, **size)
        return draws["steepness"], seconds

    return {"peckorder": by_us} | ({"Stan, joint": by_stan} if here["pystan"] else {})


def efficiency(title: str, calls: dict[str, Sampling], seeds: int, compared: int) -> None:
    """Run all samplers in turn, and compare the means of the first `compared` quantities."""
    taken: dict[str, list[tuple[float, float, float, float]]] = {name: [] for name in calls}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # convergence is reported as R̂ and ESS
        for name, call in calls.items():
            if name.startswith("peckorder"):
                call(0)  # loads compiled code
        for seed in range(1, seeds + 1):
            base = None
            for name, call in calls.items():
                draws, seconds = call(seed)
                mean, error = draws.mean(axis=(0, 1)), mcse(draws)
                base = (mean, error) if base is None else base
                difference = np.abs(mean - base[0]) / np.hypot(error, base[1])
                least = float(bulk_ess(draws).min())
                worst = float(difference[:compared].max(initial=0.0))
                taken[name].append((seconds, least, float(rhat(draws).max()), worst))
    speeds = {name: [ess / seconds for seconds, ess, *_ in of] for name, of in taken.items()}
    rows = []
    for name, of in taken.items():
        seconds, least, split, difference = zip(*of, strict=True)
        ratio = [own / other for own, other in zip(speeds["peckorder"], speeds[name], strict=True)]
        rows.append(
            [
                name,
                spread(seconds, 2),
                spread(least, 0),
                spread(speeds[name], 1),
                spread(ratio, 1),
                f"{max(split):.4f}",
                f"{max(difference):.1f}" if compared and name != "peckorder" else "",
            ]
        )
    medians = {name: statistics.median(own) for name, own in speeds.items()}
    ours = medians.get("peckorder, whole call", medians["peckorder"])
    for name, speed in medians.items():
        least = TARGETS.get((title.split()[0], name.split(",")[0]))
        if not name.startswith("peckorder"):
            note(title, ours, "ESS/s", peer=(name, speed), times_peer=least)
    print(f"{title}; seeds: {seeds}")
    print_table(["", "CPU s", "min ESS", "ESS per CPU s", "ratio", "largest R̂", "difference"], rows)


def spread(values: Sequence[float], digits: int) -> str:
    middle = f"{statistics.median(values):,.{digits}f}"
    if len(values) == 1:
        return middle
    return f"{middle} [{min(values):,.{digits}f}, {max(values):,.{digits}f}]"


# How many times as many effective draws per second as another sampler a whole call should have, by
# the first word of a title.
TARGETS = {
    ("44", "Stan"): 60,
    ("Female", "Stan"): 120,
    ("Female", "nutpie"): 3,
    ("Steepness,", "Stan"): 60,
}


@numba.njit(nogil=True)
def gradients(place, x, runs):
    """Evaluate `runs` gradients with one workspace, as in a chain."""
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
        place, runs = workplace(model), max(1, (1_000_000 if quick else 10_000_000) // number)
        times = compare({"": lambda p=place, x=x, r=runs: gradients(p, x, r)}, 5)[""]
        each = times.cpu / runs
        rows.append(
            [f"{individuals} × {number:,}", f"{each * 1e6:,.1f}", f"{each / number * 1e9:.1f}"]
        )
    print("One gradient of the log posterior density, CPU time")
    print_table(["individuals × contests", "µs", "ns per contest"], rows)


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
    print("Fresh process up to the first draw, 33 contests among 7 individuals, seconds")
    times = {"compiled code cached": warm, "first run (compiles)": first}
    rows = [[name, f"{t.cpu:.2f}", f"{t.wall:.2f}"] for name, t in times.items()]
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
    print("elo_ml, contests simulated with k = 0.3, seconds")
    print_table(["individuals × contests", "wall", "CPU", "estimated k"], rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5, help="number of seeds per sampler")
    parser.add_argument(
        "--quick", action="store_true", help="one seed and few draws, for a quick check"
    )
    parser.add_argument("--data", type=Path, default=DATA, help="folder with the chimpanzee files")
    arguments = parser.parse_args()
    seeds = 1 if arguments.quick else arguments.seeds
    size = dict.fromkeys(("warmup", "samples"), 200 if arguments.quick else 1000)
    orders = 3 if arguments.quick else 20
    here = peers.installed()

    def simulated(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return *peers.simulated(seed), np.ones((915, 44))

    efficiency(
        "44 individuals, 915 contests, simulated",
        posterior_samplers(simulated, here, **size),
        seeds,
        2,
    )
    if (arguments.data / "chimpanzee_females.csv").exists():
        real = peers.chimpanzees(arguments.data)
        efficiency(
            f"Female chimpanzees ({real[2].shape[1]}), {len(real[0])} contests",
            posterior_samplers(lambda _: real, here, **size),
            seeds,
            2,
        )
    else:
        print("Chimpanzee files not found (--data): skipped.\n")
    efficiency(
        f"Steepness, 10 individuals, 200 contests, {orders} random orders",
        steepness_samplers(here, orders, **size),
        seeds,
        0,
    )
    gradient_times(arguments.quick)
    first_draw(arguments.quick)
    maximum_likelihood(arguments.quick)


if __name__ == "__main__":
    main()
