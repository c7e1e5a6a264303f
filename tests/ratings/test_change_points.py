"""Dates of change against a search without shortcuts, and in worlds with a known change."""

import numpy as np
import pytest

import peckorder as po
from peckorder.plot.over_time import per_contest
from peckorder.ratings.change_points import JUMPS, Jumping, Scan
from peckorder.ratings.filter_runner import run_filters


@pytest.fixture(scope="module")
def changed():
    """Eight individuals whose order is reversed in the middle, one contest a day."""
    random = np.random.default_rng(1)
    strength = np.linspace(2, -2, 8)
    rows = []
    for t in range(160):
        a, b = random.choice(8, 2, replace=False)
        now = strength if t < 80 else -strength
        if random.random() > 1 / (1 + np.exp(now[b] - now[a])):
            a, b = b, a
        rows.append((f"i{a}", f"i{b}", str(np.datetime64("2020-01-01") + t)))
    winner, loser, date = map(list, zip(*rows, strict=True))
    return po.read({"winner": winner, "loser": loser, "date": date})


@pytest.fixture(scope="module")
def found(changed):
    return po.change_points(changed)


def test_a_reversal_is_dated(found, changed):
    assert found.value == 1
    assert found.probability > 0.99
    row = found.table.row(0, named=True)
    assert 75 <= row["contest"] <= 90
    assert row["date"] == changed.to_table()["date"][row["contest"] - 1]
    assert str(row["low"]) <= "2020-03-21" <= str(row["high"])  # contest 81
    moves = {
        m["individual"]: (m["rank_before"], m["rank_after"]) for m in found.moves.rows(named=True)
    }
    assert moves["i0"][0] <= 3
    assert moves["i0"][1] >= 6


def test_the_factor_of_a_date_is_that_of_separate_filters(changed):
    """A jump so large that ratings are drawn anew is two records with one spread and entry level."""
    bank = po.dynamic(changed, samples=2, seed=1).bank
    jumping = Jumping.of(bank)
    e = next(int(e) for e in jumping.chosen if bank.grid.tau[e] == 0)
    record, row = jumping.record(e, 1e9, [80])
    whole = run_filters(record, row).log_chances[0]
    parts = []
    for part in (slice(0, 80), slice(80, 160)):
        own = bank.record._replace(
            winner=bank.record.winner[part],
            loser=bank.record.loser[part],
            tied=bank.record.tied[part],
            covariates=bank.record.covariates[part],
            dyad=bank.record.dyad[part],
            side=bank.record.side[part],
            step=np.zeros(81),
            roster_of=bank.record.roster_of[:81],
        )
        parts.append(run_filters(own, bank.table[e : e + 1]).log_chances[0])
    np.testing.assert_allclose(whole, np.concatenate(parts), atol=1e-9)


def test_a_jump_of_no_size_changes_nothing(changed):
    bank = po.dynamic(changed, samples=2, seed=1).bank
    jumping = Jumping.of(bank)
    for e in map(int, jumping.chosen):
        record, row = jumping.record(e, 0.0, [40, 80])
        assert run_filters(record, row).log_chances.sum() == pytest.approx(bank.log_evidences[e])


def test_terms_are_weighted_evidence(changed):
    bank = po.dynamic(changed, samples=2, seed=1).bank
    jumping = Jumping.of(bank)
    terms = jumping.log_terms([80])
    record, row = jumping.record(int(jumping.chosen[0]), JUMPS[1], [80])
    gain = run_filters(record, row).log_chances.sum() - bank.log_evidences[jumping.chosen[0]]
    expected = np.log(bank.weights[jumping.chosen[0]]) + gain - np.log(len(JUMPS))
    assert terms[0, 1] == pytest.approx(expected)


def test_intervals_hold_their_share_of_probability():
    scan = Scan(np.arange(1, 101), np.full(100, 0.01), np.zeros(100))
    assert scan.log_bf == pytest.approx(0)
    assert scan.limits(0.899) == (6, 95)


def test_a_long_record_is_searched_first_coarsely(found, changed, monkeypatch):
    monkeypatch.setattr("peckorder.ratings.change_points.COARSE", 20)
    quick = po.change_points(changed)
    assert quick.table["contest"].to_list() == found.table["contest"].to_list()
    assert quick.log_bf == pytest.approx(found.log_bf, abs=0.7)


def test_no_change_is_no_row():
    _, data = po.simulate.hierarchy(6, 80, spread=1.5, seed=2)
    quiet = po.change_points(data)
    assert quiet.value == 0
    assert quiet.table.height == 0
    assert "no clear evidence" in quiet.summary[0]


def test_the_tables_of_no_change_have_the_types_of_others(found):
    days = [f"2020-01-{day:02d}" for day in range(1, 25)]
    data = po.read({"winner": ["a", "b", "c"] * 8, "loser": ["b", "c", "a"] * 8, "date": days})
    none = po.change_points(data)
    assert none.value == 0
    assert none.moves.schema == found.moves.schema
    assert none.table.schema == found.table.schema
    assert none.moves.filter(none.moves["rank_after"] == 1).height == 0


def test_the_area_below_the_figure_is_one(found):
    profile = found.tables["profile"]
    height = per_contest(profile)
    contest = profile["contest"].to_numpy()
    edges = np.concatenate(
        [[contest[0] - 0.5], (contest[1:] + contest[:-1]) / 2, [contest[-1] + 0.5]]
    )
    assert (height * np.diff(edges)).sum() == pytest.approx(1)
    # Among contests that were all looked at, heights are the probabilities themselves.
    fine = np.flatnonzero(np.diff(contest) == 1)[1:]
    fine = fine[np.isin(fine - 1, np.flatnonzero(np.diff(contest) == 1))]
    assert len(fine) > 5
    assert np.allclose(height[fine], profile["probability"].to_numpy()[fine])


def test_threads_and_dates_of_equal_stamps(changed, found):
    assert po.change_points(changed, threads=1).table.equals(found.table)
    monthly = po.read(
        changed.to_table().select(
            "winner", "loser", date=changed.to_table()["date"].dt.month_start()
        )
    )
    dates = po.change_points(monthly).profile["date"].to_list()
    assert [str(date) for date in dates] == [f"2020-0{m}-01" for m in range(2, 7)]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("matrix", "a matrix has no dates"),
        ("few", "only 3 contests"),
        ("one day", "All contests have the same date"),
    ],
)
def test_data_without_dates_to_find(source, message):
    data = {
        "matrix": po.datasets.bonobos,
        "few": lambda: po.read((list("abc"), list("bca"))),
        "one day": lambda: po.read(
            {"winner": list("abcab") * 5, "loser": list("bcaca") * 5, "date": ["2020-01-01"] * 25}
        ),
    }[source]()
    with pytest.raises(po.DataError, match=message):
        po.change_points(data)
