"""Odd uses of results: windows, dates, tenures, own tables, and files in every format."""

import contextlib
import json
from pathlib import Path

import polars as pl

import peckorder as po
from tests.fuzzing import formats, sheets, tables
from tests.fuzzing.odd import NAMES, ODD_VALUES
from tests.fuzzing.options import options_of
from tests.fuzzing.tables import maybe, pick

DATES = (
    *(None, "2009-05-28", "2010-01-10", "2010-01", "2010", "2000-01-01", "9999-12-31", "x", ""),
    *(0, 1, 5, 10**9, -1, 2010, 1.5, True, float("nan")),
)
ENDINGS = ("xlsx", "xlsx", "csv", "tsv", "json", "parquet", "npz", "x", "")


def _date(rng):
    return pick(rng, DATES if maybe(rng, 0.8) else ODD_VALUES)


def _odd(rng, *likely):
    return pick(rng, likely if likely and maybe(rng, 0.6) else ODD_VALUES)


def _between(rng, ratings):
    how = pick(rng, ("span", "span", "season", "year", "month"))
    if how == "span":
        return ratings.between(_date(rng), _date(rng))
    return ratings.between(**{how: _date(rng)})


def _at_dates(rng, ratings):
    table = tables.mutated(rng, sheets.own_table(rng))
    more = {"draws": _odd(rng, 1, 3)} if maybe(rng, 0.3) else {}
    more |= {"prefix": _odd(rng, "elo_", "")} if maybe(rng, 0.3) else {}
    return ratings.at_dates(
        tables.as_python(rng, table),
        individual="individual" if maybe(rng, 0.9) else _odd(rng, "date", "x"),
        date="date" if maybe(rng, 0.9) else _odd(rng, "individual"),
        **more,
    )


QUESTIONS = (
    _at_dates,
    _at_dates,
    lambda rng, r: r.grid(every=_odd(rng, "day", "week", "month", "year"), wide=_odd(rng, True)),
    lambda rng, r: r.tenure(_odd(rng, 1, 2, 3)),
    lambda rng, r: r.careers(after=_odd(rng, 1, 30, 365)) if maybe(rng, 0.5) else r.careers(),
    lambda rng, r: r.rank_changes(),
    lambda rng, r: r.left(),
    lambda rng, r: r.slopes(),
    lambda rng, r: r.centered(at=_date(rng)),
    lambda rng, r: r.scaled(at=_date(rng)),
    lambda rng, r: r.differences(by=_odd(rng, "context", "group", "x")),
    lambda rng, r: r.expected_beaten(at=_date(rng), classes=_odd(rng, 1, 2, 3)),
    lambda rng, r: r.within(
        _odd(rng, {"Abe": "f", "Bo": "m"}, ["Abe", "Bo"], NAMES), at=_date(rng)
    ),
    lambda rng, r: r.at(_date(rng)),
    lambda rng, r: r.integral(_odd(rng, "Abe", "a"), over=_odd(rng, "own", "all")),
    lambda rng, r: r.probability("Abe", _odd(rng, "Bo"), at=_date(rng), home=_odd(rng, "Abe")),
    lambda rng, r: r.trajectory(_odd(rng, "Abe", "a")),
    lambda rng, r: r.history,
)


def ask(rng, ratings) -> None:
    """Questions about ratings, often through a window of time."""
    seen = ratings
    for chance in (0.5, 0.1):
        if maybe(rng, chance):
            with contextlib.suppress(po.PeckorderError):
                seen = _between(rng, seen)
    repr(seen), seen.summary, seen.table
    for _ in range(int(rng.integers(1, 4))):
        try:
            found = pick(rng, QUESTIONS)(rng, seen)
        except po.PeckorderError:
            continue
        repr(found), str(found)
    if maybe(rng, 0.2):
        save(rng, seen)


def save(rng, found) -> None:
    """Save a result and read the file again: it is whole, or there is none."""
    for old in Path().glob("saved*"):
        old.unlink()
    ending = pick(rng, ENDINGS)
    path = Path(f"saved.{ending}")
    try:
        found.save(path)
    except po.PeckorderError:
        assert not list(Path().glob("*saved*")), "a file was left behind"
        raise
    if ending == "xlsx":
        pl.read_excel(path, sheet_id=0, engine="calamine", raise_if_empty=False)
    elif ending == "parquet":
        pl.read_parquet(path)
    elif ending == "json":
        json.loads(path.read_text(encoding="utf-8"))
    assert [old.name for old in Path().glob("*saved*")] == [path.name]


WINDOWS = ("1y", "6m", "2w", "30d", "1d", 5, 10, "x", 0, -1, "0d", "99999999y", 1.5, "1 y", None)
FOLLOWED = (
    *("steepness", "linearity", "transitivity", "consistency", "davids_score", "dyads", "x"),
    *("hierarchy_shape", "unknown_dyads", "isi", "bradley_terry", "stability", "elo", ""),
)


def follow(rng, data) -> None:
    """A measure over moving windows, change points, or ranks over periods."""
    draw = rng.random()
    if draw < 0.6:
        more = {"step": pick(rng, WINDOWS)} if maybe(rng, 0.3) else {}
        more |= {"value": _odd(rng, "steepness", "h")} if maybe(rng, 0.1) else {}
        more |= {"min_contests": _odd(rng, 1, 3)} if maybe(rng, 0.5) else {}
        more |= {"runs": 12} if maybe(rng, 0.5) else {}
        measure = pick(rng, FOLLOWED) if maybe(rng, 0.9) else pick(rng, ODD_VALUES)
        found = po.over_time(data, measure, window=pick(rng, WINDOWS), seed=1, threads=1, **more)
    elif draw < 0.65:
        arguments = {"most": _odd(rng, 1, 2), "certainty": _odd(rng, 0.5, 0.95)}
        clock = {"clock": _odd(rng, "time", "contests")} if maybe(rng, 0.3) else {}
        found = po.change_points(data, threads=1, **arguments, **clock)
    else:
        found = po.orders.period_ranks(
            data,
            per=_odd(rng, "year", "month", "quarter", ["2009-05-28"]),
            method=pick(rng, ("elo", "davids_score", "reorder")),
            convention=_odd(rng, "none", "tenure", "age", "maternal"),
        )
    repr(found), str(found), found.summary, found.table
    if maybe(rng, 0.3):
        save(rng, found)


def visit(rng) -> None:
    """Contests from odd visits, or the gaps between visits."""
    table = tables.mutated(rng, sheets.visits(rng))
    source = formats.odd_file(rng, table) if maybe(rng, 0.3) else tables.as_python(rng, table)
    if maybe(rng, 0.5):
        options = {"within": pick(rng, (1, "2s", "5s")), **options_of(rng, po.displacements)}
        data = po.displacements(source, **options)
        repr(data), str(data.report), str(data.check()), data.to_table()
        repr(po.davids_score(data))
    else:
        gaps = po.visit_gaps(source, **options_of(rng, po.visit_gaps))
        repr(gaps), gaps.summary, gaps.table
