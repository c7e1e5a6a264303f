"""CPU seconds of a leaderboard with bootstrap intervals (`bradley_terry`).

A million votes among 200 candidates with 200 resamples: of votes, of voters, and with covariates.
Compared with evalica's bootstrap, if it is installed, which is timed with 5 resamples.

With --styles: one fit of 150,000 votes with two continuous covariates, compared with the newton-cg
of scikit-learn on the same sparse design, in turn; and abilities of choix and evalica.
"""

from __future__ import annotations

import argparse
import importlib.util
import time
from typing import Any

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


def styles(number: int, candidates: int, repeats: int) -> None:
    """Print CPU seconds of a fit with two style features, and how far the packages agree."""
    from scipy.sparse import csr_array
    from sklearn.linear_model import LogisticRegression

    random = np.random.default_rng(2)
    ability = random.normal(0, 1, candidates)
    a = random.integers(candidates, size=number)
    b = (a + random.integers(1, candidates, size=number)) % candidates
    style = random.normal(size=(number, 2))
    won = random.random(number) < 1 / (
        1 + np.exp(ability[b] - ability[a] - style @ np.array([0.3, -0.1]))
    )
    names = pl.Series([f"model {i}" for i in range(candidates)])
    frame = pl.DataFrame(
        {
            "a": names.gather(pl.Series(a)),
            "b": names.gather(pl.Series(b)),
            "winner": np.where(won, "a", "b"),
            "length": style[:, 0],
            "lists": style[:, 1],
        }
    )
    data = po.read(frame)

    def ours() -> Any:
        return po.bradley_terry(data, covariates=["length", "lists"], errors=False)

    def theirs(tolerance: float = 1e-6) -> Any:
        row = np.arange(number)
        entries = np.concatenate([np.ones(number), -np.ones(number), *style.T])
        columns = np.concatenate([a, b, np.repeat([candidates, candidates + 1], number)])
        design = csr_array((entries, (np.tile(row, 4), columns)))
        model = LogisticRegression(C=np.inf, solver="newton-cg", fit_intercept=False, tol=tolerance)
        return model.fit(design, won)

    ours(), theirs()
    calls = {"peckorder": ours, "scikit-learn": theirs, "exactly": lambda: theirs(1e-10)}
    taken: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(repeats):
        for name, call in calls.items():
            begin = time.process_time()
            call()
            taken[name].append(time.process_time() - begin)
    one, other, exact = (float(np.median(taken[name])) for name in taken)
    note("150,000 votes, two style features: scikit-learn ÷ peckorder", other / one, "×", least=1)
    board, model = ours(), theirs().coef_[0]
    order = [f"model {i}" for i in range(candidates)]
    own = dict(zip(board.individuals, board.ability, strict=True))
    own = np.array([own[name] for name in order])
    away = np.abs(own - (model[:-2] - model[:-2].mean())).max()
    effects = np.abs(board.coefficients["estimate"].to_numpy() - model[-2:]).max()
    print(
        f"{number:,} votes, {candidates} candidates, two style features: peckorder {one:.3f} CPU "
        f"s, scikit-learn {other:.3f} ({other / one:.2f} ×); abilities differ by {away:.1g}, "
        f"coefficients by {effects:.1g}; scikit-learn with a tolerance of 1e-10: {exact:.3f} "
        f"({exact / one:.2f} ×)"
    )
    agreement(a, b, won, candidates)


def agreement(a: np.ndarray, b: np.ndarray, won: np.ndarray, candidates: int) -> None:
    """Largest differences of abilities without covariates from those of choix and evalica."""
    import choix
    import evalica

    winner, loser = np.where(won, a, b), np.where(won, b, a)
    pairs = list(zip(winner.tolist(), loser.tolist(), strict=True))
    label = np.array([str(i) for i in range(candidates)])
    board = po.bradley_terry(po.read({"winner": label[winner], "loser": label[loser]}))
    own = dict(zip(board.individuals, board.ability, strict=True))
    ours = np.array([own[name] for name in label])
    found = {"choix": choix.ilsr_pairwise(candidates, pairs, max_iter=1000, tol=1e-12)}
    sides = [evalica.Winner.X if one else evalica.Winner.Y for one in won]
    both = label[a].tolist(), label[b].tolist()
    scores = evalica.bradley_terry(*both, sides, tolerance=1e-13, limit=10_000).scores
    found["evalica"] = np.log(np.array([scores[name] for name in label]))
    for name, theirs in found.items():
        print(f"{name}: abilities differ by {np.abs(ours - theirs + theirs.mean()).max():.1g}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, for a quick check")
    parser.add_argument("--styles", action="store_true", help="fit with two style features")
    if parser.parse_args().styles:
        styles(150_000, 150, 5)
    else:
        speed(*((20_000, 20, 20) if parser.parse_args().quick else (1_000_000, 200, 200)))


if __name__ == "__main__":
    main()
