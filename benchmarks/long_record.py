"""Long records with a known truth: who was alpha when, and when did somebody take over?

Records of `po.simulate.long_term`: 30 years, 8 places with stays of 12 years on average, contests
on random days, strengths with standard deviation 2 that are constant or drift, five takeovers or
none. Printed for each kind of record:

- days right: share of days on which the alpha by Elo (k as given) and by `dynamic` is the true one;
- certainty: mean certainty of the tenures of `dynamic`, to be compared with its days right;
- dated: share of takeovers after which `dynamic` begins a tenure of the new alpha within a year
  before or after, and the median distance of the two dates in days;
- found: share of takeovers with a date of `change_points` within a year, and the share of records
  with a date of `change_points` that is not near any takeover (false alarms).

± is the Monte Carlo error, with records as units.
"""

from __future__ import annotations

import argparse
import os
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from common import print_table

import peckorder as po
from peckorder.simulate.truth import Truth

NEAR = 365  # days
KINDS: dict[str, dict[str, Any]] = {
    "constant, 5 takeovers": {"drift": 0.0},
    "drift 0.3 a year, 5 takeovers": {"drift": 0.3},
    "constant, none": {"drift": 0.0, "takeovers": 0},
    "drift 0.3 a year, none": {"drift": 0.3, "takeovers": 0},
}


class Outcome(NamedTuple):
    """What was found in one record."""

    elo: float
    dynamic: float
    certainty: float
    dated: float
    distances: list[int]
    found: float
    false_alarm: float


def alpha_by_day(tenure: pl.DataFrame, days: np.ndarray) -> np.ndarray:
    """The name of the alpha on each day; empty where nobody is."""
    out = np.full(len(days), "", object)
    for name, start, end in tenure.select("individual", "start", "end").iter_rows():
        out[(days >= np.datetime64(start)) & (days <= np.datetime64(end))] = name
    return out


def distances_of_takeovers(truth: Truth, tenure: pl.DataFrame) -> list[int | None]:
    """Days from each takeover to the nearest begin of a tenure of the new alpha, if near."""
    days = np.array(truth.takeovers, "datetime64[D]")
    out: list[int | None] = []
    for day, name in zip(days, alpha_by_day(truth.tenure(), days), strict=True):
        starts = tenure.filter(individual=name)["start"].to_numpy().astype("datetime64[D]")
        apart = np.abs((starts - day).astype(int))
        out.append(int(apart.min()) if len(apart) and apart.min() <= NEAR else None)
    return out


def tried(settings: dict[str, Any], contests: int, k: float, seed: int) -> Outcome:
    truth, data = po.simulate.long_term(8, contests, stay=12, seed=seed, **settings)
    first, last = data.times[[0, -1]].astype("datetime64[D]")
    days = np.arange(first, last + 1)
    true = alpha_by_day(truth.tenure(), days)
    by_elo = po.elo(data, k=k).tenure()
    by_dynamic = po.dynamic(data, samples=400, seed=seed, threads=1).tenure()
    apart = distances_of_takeovers(truth, by_dynamic)
    dates = po.change_points(data, threads=1).table["date"].to_numpy().astype("datetime64[D]")
    takeovers = np.array(truth.takeovers, "datetime64[D]")
    near = np.abs((dates[:, None] - takeovers).astype(int)) <= NEAR
    return Outcome(
        float((alpha_by_day(by_elo, days) == true).mean()),
        float((alpha_by_day(by_dynamic, days) == true).mean()),
        float(np.average(by_dynamic["certainty"], weights=by_dynamic["days"])),
        float(np.mean([one is not None for one in apart])) if apart else np.nan,
        [one for one in apart if one is not None],
        float(near.any(axis=0).mean()) if len(takeovers) else np.nan,
        float((~near.any(axis=1)).any()),
    )


def share(values: list[float]) -> str:
    """Mean over records and its Monte Carlo error."""
    if np.isnan(values).all():
        return "–"
    spread = max(float(np.std(values, ddof=1)), 0.5 / np.sqrt(len(values)))
    return f"{np.mean(values):.3f} ± {spread / np.sqrt(len(values)):.3f}"


def row(kind: str, found: list[Outcome]) -> list[str]:
    distances = [days for one in found for days in one.distances]
    return [
        kind,
        *(share([getattr(one, name) for one in found]) for name in Outcome._fields[:4]),
        f"{np.median(distances):.0f}" if distances else "–",
        *(share([getattr(one, name) for one in found]) for name in Outcome._fields[5:]),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few records, to try the program")
    parser.add_argument("--sets", type=int, help="records of each kind (default 60)")
    parser.add_argument("--contests", type=int, default=600, help="contests of a record")
    parser.add_argument("--k", type=float, default=100.0, help="k of Elo")
    parser.add_argument("--kinds", default="", help="parts of names of kinds, by commas")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    given = parser.parse_args()
    sets = given.sets or (2 if given.quick else 60)
    contests = 300 if given.quick else given.contests
    header = ["record", "Elo", "dynamic", "certainty", "dated", "days apart", "found", "false"]
    rows = []
    for kind, settings in KINDS.items():
        if not any(part in kind for part in given.kinds.split(",")):
            continue
        with ThreadPoolExecutor(given.threads) as pool:
            found = list(pool.map(partial(tried, settings, contests, given.k), range(1, sets + 1)))
        rows.append(row(kind, found))
    print(f"30 years, {contests:,} contests, {sets} records of each kind")
    print_table(header, rows)


if __name__ == "__main__":
    main()
