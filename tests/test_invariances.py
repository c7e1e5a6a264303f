"""Every method is unchanged by what its entry in `tests/invariances.py` says."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import peckorder as po
from tests.invariances import METHODS, WHAT, Method, record, table

ROUNDING = 1e-9


def changed(what: str, folder: Path) -> tuple[po.Contests, dict[str, str]]:
    """The record after a change that must not matter, and new names by old ones."""
    rows = record()
    names = {name: name for name in rows["winner"] + rows["loser"]}
    if what == "names":
        names = {name: f"x{9 - int(name[1:])}" for name in names}
        for side in ("winner", "loser"):
            rows[side] = [names[name] for name in rows[side]]
    elif what == "rows":
        order = np.random.default_rng(3).permutation(len(rows["date"]))
        rows = {name: [cells[i] for i in order] for name, cells in rows.items()}
    elif what == "count":
        rows = {name: [*cells[:1], *cells] for name, cells in rows.items()}
    elif what == "mirror":
        rows["winner"], rows["loser"] = rows["loser"], rows["winner"]
    elif what == "inputs":
        frame = pl.DataFrame(rows)
        frame.write_csv(folder / "contests.csv")
        return po.read(folder / "contests.csv"), names
    return po.read(rows), names


def difference(method: Method, what: str, folder: Path) -> float:
    """Largest difference of the results, without and with the change."""
    data, names = changed(what, folder)
    if what == "count":
        rows = record()
        before = po.read(rows | {"count": [2, *[1] * (len(rows["date"]) - 1)]})
    else:
        before = po.read(record())
    one = method.values(method.call(before, threads=1))
    other = method.values(method.call(data, threads=2 if what == "threads" else 1))
    factor = method.mirrored if what == "mirror" else 1.0
    return max(abs(factor * value - other[names.get(key, key)]) for key, value in one.items())


@pytest.mark.parametrize("what", WHAT)
@pytest.mark.parametrize("name", METHODS)
def test_what_must_not_matter_does_not(name, what, tmp_path):
    method = METHODS[name]
    apart = method.apart.get(what, 0.0)
    if what in method.without or np.isinf(apart):
        pytest.skip("not claimed")
    assert difference(method, what, tmp_path) <= max(apart, ROUNDING)


def test_the_claims_are_those_of_the_registry():
    claims = Path(__file__).parents[1] / "docs" / "claims.md"
    assert table() in claims.read_text(encoding="utf-8")
