"""Alpha tenures in a long record: who ranked first when, how certain is it, and is it right?

Twenty years of simulated contests with arrivals, departures and three takeovers at known dates.
Prints the tenures by `po.dynamic`, the share of days on which they name the true alpha, the dates
found by `po.change_points`, careers and turnover; draws the tenures to tenures.svg. In this record
all takeovers are found; in most others some are missed (`benchmarks/long_record.py`).
"""

from argparse import ArgumentParser, RawDescriptionHelpFormatter
from pathlib import Path

import numpy as np

import peckorder as po

parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
parser.add_argument("folder", nargs="?", type=Path, default=".")
folder = parser.parse_args().folder
truth, data = po.simulate.long_term(
    8, 1000, years=20, stay=25, takeovers=3, drift=0.0, spread=2.5, seed=3
)
print(data)

ratings = po.dynamic(data, seed=1, samples=500)
tenures = ratings.tenure()
print(tenures)
po.plot.tenure(ratings).figure.savefig(folder / "tenures.svg")


def alpha_on(table, days):
    """The alpha on each day."""
    names = np.full(len(days), "", dtype=object)
    for name, start, end in table.select("individual", "start", "end").iter_rows():
        names[(days >= np.datetime64(start)) & (days <= np.datetime64(end))] = name
    return names


first, last = data.date[[0, -1]].astype("datetime64[D]")
days = np.arange(first, last + 1)
right = alpha_on(tenures, days) == alpha_on(truth.tenure(), days)
certainty = np.average(tenures["certainty"], weights=tenures["days"])
print(f"True alpha on {right.mean():.0%} of days; mean certainty {certainty:.0%}.")

found = po.change_points(data)
print("Takeovers:", ", ".join(map(str, truth.takeovers)))
print("Found:    ", ", ".join(map(str, found.table["date"])) or "none")
print(found.moves.filter(found.moves["rank_after"] == 1).select("date", "individual"))

print(ratings.careers().select("individual", "arrival", "departure", "best_rank", "days_at_best"))
print(data.turnover())
