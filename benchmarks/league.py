"""A league of raters: which one predicts the next contest best, over many records?

Contests are taken in order; before each, a rater sees the contests before it and gives the chance
of the winner. The first 30% are not scored. For each record: log loss, Brier score and share of
favorites that won, and the difference of each rater from the first one, with a 95% interval by a
paired bootstrap of blocks (the code of `compare_models`). Over records: mean scores, mean
differences with intervals by resampling records, and in how many records a rater was clearly better
or worse, for all records and by their length.

Records are the files of a folder (anything that `po.read` reads), or simulated worlds: constant
strengths, drift, a takeover, winner effects, and equal individuals. A rater of one's own is a
function of the data that returns ratings, or the probability of each winner as an array.

Usage: python benchmarks/league.py [FOLDER] [--raters elo,glicko,adaptive] [--own FILE.py:FUNCTION]
       python benchmarks/league.py [--sets 10] [--worlds "drift; takeover"]
"""

import argparse
import importlib.util
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from adaptive import data_of, world
from common import print_table

import peckorder as po
from peckorder.evaluation.compare_models import model_scores
from peckorder.evaluation.external_forecast import forecast_of
from peckorder.evaluation.order_forecast import with_chances
from peckorder.evaluation.scoring import all_differences
from peckorder.random_runs import Runs
from peckorder.results.chances import Chances

WORLDS = ("static", "drift", "takeover", "winner effects", "equal")
SKIPPED = 0.3
CLASSES = (("under 200 contests", 0, 200), ("200–999", 200, 1000), ("1,000 or more", 1000, 10**9))
MEASURES = ("log_loss", "brier", "correct")
FEWEST = 20  # contests of a record
RUNS, LEVEL = 500, 0.95
Rater = Callable[[po.Contests], Any]


def glicko_tuned(data: po.Contests) -> po.Ratings:
    """Glicko with settings chosen on the first contests, which are not scored."""
    with warnings.catch_warnings(action="ignore"):  # about gains that are not significant
        found = po.tune(data, rater="glicko", test_from=int(SKIPPED * len(data)) + 1, runs=10)
    return po.sport.glicko(data, **found.values["settings"])


RATERS: dict[str, Rater] = {
    "elo": lambda data: po.elo(data),
    "elo tuned": lambda data: po.elo(data, k="tuned"),
    "glicko": lambda data: po.sport.glicko(data),
    "glicko tuned": glicko_tuned,
    "glicko2": lambda data: po.sport.glicko2(data),
    "dynamic": lambda data: po.dynamic(data, samples=50, seed=1),
    "adaptive": lambda data: po.adaptive(data, samples=50, seed=1),
    "bradley_terry": lambda data: po.bradley_terry(data, penalized=True),
    "davids_score": lambda data: po.davids_score(data),
}


@dataclass(frozen=True)
class Result:
    """Scores of all raters on one record."""

    record: str
    contests: int
    means: dict[str, dict[str, float]]  # of each rater and measure
    difference: dict[str, float]  # of log losses per contest, from the first rater
    verdict: dict[str, int]  # 1 clearly better than the first rater, −1 clearly worse, 0 neither


def rated(rater: Rater, data: po.Contests) -> Any:
    """What a rater predicts, as ratings."""
    found = with_chances(rater(data))
    if not isinstance(found, np.ndarray | list | tuple):
        return found
    win = np.asarray(found, float)
    if win.shape != (len(data),) or not ((win > 0) & (win < 1)).all():
        raise SystemExit("A rater must return ratings, or one probability per winner.")
    return forecast_of(data, Chances.decided(win, win - 0.5))


def played(name: str, data: po.Contests, raters: dict[str, Rater]) -> Result:
    """All raters on one record."""
    found = model_scores({rater: rated(call, data) for rater, call in raters.items()})
    first = int(SKIPPED * len(data))
    means: dict[str, dict[str, float]] = {rater: {} for rater in raters}
    for measure in MEASURES:
        for rater, values in found.points(measure, first).items():
            means[rater][measure] = float(abs(values.mean()))
    points = np.column_stack(list(found.points("log_loss", first).values()))
    differences = all_differences(points, Runs.of(RUNS, 0, 1, None))
    gap, verdict = {}, {}
    for i, rater in enumerate(raters):
        low, high = differences.limits(0, i, LEVEL)
        gap[rater] = means[rater]["log_loss"] - means[next(iter(raters))]["log_loss"]
        verdict[rater] = int(low > 0) - int(high < 0)
    return Result(name, len(data), means, gap, verdict)


def interval(values: np.ndarray) -> str:
    """Mean with an interval by resampling records."""
    if len(values) < 2:
        return f"{values.mean():+.4f}"
    random = np.random.default_rng(0)
    again = random.choice(values, (RUNS, len(values))).mean(axis=1)
    low, high = np.quantile(again, [0.025, 0.975])
    return f"{values.mean():+.4f} [{low:+.4f}, {high:+.4f}]"


def standings(results: list[Result]) -> list[tuple[str, ...]]:
    """One line per rater: mean scores, differences, and records clearly better or worse."""
    first, rows = next(iter(results[0].means)), []
    for rater in results[0].means:
        scores = (np.mean([one.means[rater][measure] for one in results]) for measure in MEASURES)
        verdicts = [one.verdict[rater] for one in results]
        gaps = np.array([one.difference[rater] for one in results])
        better, worse = verdicts.count(1), verdicts.count(-1)
        beside = ("", "") if rater == first else (interval(gaps), f"{better}/{worse}")
        rows.append((rater, *(f"{score:.4f}" for score in scores), *beside))
    return rows


def league(records: Iterable[tuple[str, po.Contests]], raters: dict[str, Rater]) -> list[Result]:
    """All raters on all records that are long enough and in order."""
    out = []
    for name, data in records:
        if len(data) < FEWEST or not data.ordered:
            print(f"{name}: left out ({len(data)} contests, or no order).")
            continue
        out.append(played(name, data, raters))
    return out


def simulated(worlds: Iterable[str], sets: int, size: tuple[int, int]):
    """Records of simulated worlds."""
    for name in worlds:
        for number in range(sets):
            random = np.random.default_rng([number, WORLDS.index(name)])
            yield f"{name} {number}", data_of(world(name, *size, random))


def files(folder: str):
    """Records in the files of a folder."""
    for path in sorted(Path(folder).iterdir()):
        if path.is_file() and not path.name.startswith("."):
            try:
                yield path.name, po.read(path)
            except (po.DataError, OSError) as error:
                print(f"{path.name}: left out. {str(error).splitlines()[0]}")


def own_rater(text: str) -> dict[str, Rater]:
    """A function from a file: FILE.py:FUNCTION."""
    path, _, name = text.rpartition(":")
    spec = importlib.util.spec_from_file_location("own_rater", path)
    if spec is None or spec.loader is None:
        raise SystemExit(f"{text}: give FILE.py:FUNCTION.")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return {name: getattr(module, name)}


def show(results: list[Result]) -> None:
    """Print the standings of all records and by length."""
    header = ["rater", "log loss", "Brier", "correct", "difference", "better/worse"]
    for title, least, most in (("all records", 0, 10**9), *CLASSES):
        part = [one for one in results if least <= one.contests < most]
        if part and (title == "all records" or len(part) < len(results)):
            print(f"{title} ({len(part)})")
            print_table(header, standings(part))


def main() -> None:
    """Run the league."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", nargs="?")
    parser.add_argument("--raters", default="elo,elo tuned,glicko,dynamic,adaptive")
    parser.add_argument("--own", action="append", default=[], metavar="FILE.py:FUNCTION")
    parser.add_argument("--sets", type=int, default=10)
    parser.add_argument("--size", default="12x300")
    parser.add_argument("--worlds", default="; ".join(WORLDS))
    options = parser.parse_args()
    raters = {name.strip(): RATERS[name.strip()] for name in options.raters.split(",")}
    for text in options.own:
        raters |= own_rater(text)
    if options.folder is not None:
        show(league(files(options.folder), raters))
        return
    individuals, contests = (int(part) for part in options.size.split("x"))
    for name in (part.strip() for part in options.worlds.split(";")):
        print(f"world: {name}")
        show(league(simulated([name], options.sets, (individuals, contests)), raters))


if __name__ == "__main__":
    main()
