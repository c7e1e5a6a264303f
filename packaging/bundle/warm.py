"""Run by the finished bundle: computes what the app asks for, so that its loops are compiled.

The folder PECKORDER_KERNELS then holds them; `build.py` moves it into the bundle.
"""

import sys
import tempfile
import warnings
from functools import partial
from pathlib import Path

import peckorder as po
from peckorder.app.server import warm
from peckorder.kernels import load

warnings.simplefilter("ignore")
load()
warm()
days = [f"2024-{1 + n // 28:02}-{1 + n % 28:02}" for n in range(120)]
names = ["Ada", "Bo", "Cy", "Di", "Ed"]
rows = [(names[n % 5], names[(n + 1 + n // 7 % 4) % 5]) for n in range(120)]
sheet = {"date": days, "winner": [a for a, _ in rows], "loser": [b for _, b in rows]}
groups = po.read(sheet | {"group": ["n" if n % 2 else "s" for n in range(120)]})


def verbs(data):
    """What the app computes, as functions without arguments."""
    report = Path(tempfile.mkdtemp()) / "r.html"
    yield lambda: po.elo(data, k=100)
    yield lambda: po.stability(po.elo(data, k=100))
    yield lambda: po.elo_ml(data)
    yield lambda: po.tune(data)
    yield lambda: po.davids_score(data)
    yield lambda: po.report(data, report, seed=1, runs=100, recovery=2)
    for name in ("dynamic", "elo_bayes", "steepness_bayes", "isi", "randomized_elo", "compare"):
        yield partial(getattr(po, name), data, seed=1)
    for name in ("steepness", "linearity", "transitivity"):
        yield partial(getattr(po, name), data, seed=1, runs=100)
    for name in ("recovery", "power"):
        yield partial(getattr(po, name), data, seed=1, runs=2)


failed = 0
for data in (po.datasets.adv(), po.datasets.bonobos(), po.read(sheet)):
    for verb in verbs(data):
        try:
            verb()
        except po.PeckorderError:  # a matrix has no order
            pass
        except Exception as error:
            failed += 1
            print(f"{type(error).__name__}: {error}")
one, other = (po.steepness_bayes(groups.filter(group=group), seed=1) for group in "ns")
po.steepness_difference(one, other)
sys.exit(bool(failed))
