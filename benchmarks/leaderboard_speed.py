"""CPU seconds of a leaderboard with bootstrap intervals (`bradley_terry`).

A million votes among 200 candidates with 200 resamples: of votes, of voters, and with covariates.
Compared with evalica's bootstrap, if it is installed, which is timed with 5 resamples.
"""

from __future__ import annotations

import argparse
import importlib.util
import time

import numpy as np
import polars as pl
from common import note, print_table, verdict

import peckorder as po

MOST = 10.0  # CPU seconds
FEW = 5  # resamples of evalica


def speed(number: int, candidates: int, resamples: int) -> None:
    """Print CPU seconds from a frame of names to a leaderboard with intervals."""
    random = np.random.default_rng(1)
    ability = random.normal(0, 1, candidates)
    a = random.integers(candidates, size=number)
    b = (a + random.integers(1, candidates, size=number)) % candidates
    style, length = random.integers(-1, 2, size=number), random.normal(size=number)
    won = random.random(number) < 1 / (
        1 + np.exp(ability[b] - ability[a] - 0.3 * style - 0.1 * length)
    )
    names = pl.Series([f"model {i}" for i in range(candidates)])
    frame = pl.DataFrame(
        {
            "a": names.gather(pl.Series(a)),
            "b": names.gather(pl.Series(b)),
            "winner": np.where(won, "a", "b"),
            "style": style,
            "length": length,
            "voter": random.integers(max(number // 50, 2), size=number),
        }
    )
    kinds = {
        "votes": {},
        "voters": {"cluster": "voter"},
        "votes, style (3 values)": {"covariates": ["style"]},
        "votes, length (continuous)": {"covariates": ["length"]},
    }
    few = pl.DataFrame({"a": ["x", "y"] * 20, "b": ["y", "x"] * 20, "winner": ["a"] * 40})
    po.bradley_terry(po.read(few), bootstrap=20, seed=1)  # compiles
    print(f"{number:,} votes, {candidates} candidates, {resamples} resamples")
    rows = []
    for label, settings in kinds.items():
        begin = time.process_time()
        po.bradley_terry(po.read(frame), bootstrap=resamples, seed=1, threads=1, **settings)
        taken = time.process_time() - begin
        rows.append([label, f"{taken:.1f} CPU s", verdict(taken <= MOST)])
        note(f"leaderboard, {resamples} resamples, {label}", taken, "CPU s", most=MOST)
    print_table(["resampled", "from names to intervals", f"≤ {MOST:g} CPU s"], rows)
    beside_evalica(frame, resamples)


def beside_evalica(frame: pl.DataFrame, resamples: int) -> None:
    """Print the time of evalica, which resamples by fitting the votes again."""
    if importlib.util.find_spec("evalica") is None:
        print("evalica is not installed.")
        return
    import evalica

    first, second = frame["a"].to_list(), frame["b"].to_list()
    sides = {"a": evalica.Winner.X, "b": evalica.Winner.Y}
    winners = [sides[side] for side in frame["winner"]]
    begin = time.process_time()
    evalica.bradley_terry(first, second, winners)
    once = time.process_time() - begin
    begin = time.process_time()
    evalica.bootstrap(
        evalica.bradley_terry,
        first,
        second,
        winners,
        n_resamples=FEW,
        bootstrap_method="percentile",
        random_state=1,
    )
    each = (time.process_time() - begin) / FEW
    print(
        f"evalica: one fit {once:.1f} CPU s; a resample {each:.1f} CPU s, "
        f"{resamples} would take {resamples * each:.0f} CPU s"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, for a quick check")
    speed(*((20_000, 20, 20) if parser.parse_args().quick else (1_000_000, 200, 200)))


if __name__ == "__main__":
    main()
