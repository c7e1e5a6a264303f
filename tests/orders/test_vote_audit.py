"""Voters against a leaderboard: random and contrary ones, what each moves, and groups."""

import numpy as np
import polars as pl
import pytest

import peckorder as po


def ballots(seed, *, each=50, ring=0, contrary=(), guessing=(), sd=1.5):
    """Votes of 40 voters on eight programs; a ring of voters prefers program 3 to all others."""
    random = np.random.default_rng(seed)
    ability = random.normal(0, sd, 8)
    voter = np.repeat(np.arange(40), each)
    a = random.integers(8, size=len(voter))
    b = (a + random.integers(1, 8, size=len(voter))) % 8
    ahead = ability[a] - ability[b]
    ahead = np.where(np.isin(voter, guessing), 0.0, ahead)
    ahead = np.where(np.isin(voter, contrary), -ahead, ahead)
    favored = np.where(a == 3, 4.0, np.where(b == 3, -4.0, ahead))
    ahead = np.where(voter >= 40 - ring, favored, ahead)
    won = random.random(len(voter)) < 1 / (1 + np.exp(-ahead))
    names = np.array([f"m{i}" for i in range(8)])
    return pl.DataFrame(
        {"a": names[a], "b": names[b], "winner": np.where(won, "a", "b"), "voter": voter}
    )


def test_random_and_contrary_voters_are_found():
    board = po.bradley_terry(po.read(ballots(2, guessing=(0, 1), contrary=(2,))))
    found = po.sport.audit_votes(board, seed=1, runs=50)
    assert set(found.table.filter("flagged")["voter"]) == {"0", "1", "2"}
    z = dict(found.table.select("voter", "z").rows())
    assert z["2"] < min(z["0"], z["1"]) < -4
    honest = np.array([value for name, value in z.items() if name not in "012"])
    assert z["2"] < honest.min() - 4
    assert honest.std() == pytest.approx(1, abs=0.35)
    assert '"2"' in found.summary[0]


def test_the_number_of_groups_is_in_the_workbook(tmp_path):
    found = po.sport.audit_votes(po.bradley_terry(po.read(ballots(2))), seed=1, runs=20)
    found.to_excel(tmp_path / "audit.xlsx")
    values = pl.read_excel(tmp_path / "audit.xlsx", sheet_name="values")
    assert int(dict(values.select("name", "value").iter_rows())["groups"]) == found.groups


@pytest.mark.parametrize("ties", ["davidson", "half"])
def test_what_a_voter_moves_is_the_difference_to_a_fit_without_it(ties):
    frame = ballots(3, contrary=(5,))
    frame = frame.with_columns(
        winner=pl.when(pl.int_range(pl.len()) % 7 == 0).then(pl.lit("tie")).otherwise("winner")
    )
    many = frame.filter(pl.col("voter") < 12)  # each has 8% of the votes
    for part in (frame, many):
        board = po.bradley_terry(po.read(part), ties=ties)
        table = po.sport.audit_votes(board, seed=1, runs=20).table
        row = table.filter(pl.col("voter") == "5").row(0, named=True)
        rest = po.bradley_terry(po.read(part.filter(pl.col("voter") != 5)), ties=ties)
        without = dict(zip(rest.individuals, rest.ability, strict=True))
        moved = {
            name: without[name] - own for name, own in zip(board, _top_down(board), strict=True)
        }
        assert row["ability_shift"] == pytest.approx(max(map(abs, moved.values())), rel=0.15)
        assert abs(moved[row["individual"]]) == pytest.approx(row["ability_shift"], rel=0.15)


def _top_down(board):
    return board.ability[np.argsort(board.rank, kind="stable")]


def test_a_ring_of_voters_is_named_with_what_it_gained():
    board = po.bradley_terry(po.read(ballots(4, each=100, ring=8)))
    found = po.sport.audit_votes(board, seed=1, runs=100)
    row = found.favors.row(0, named=True)
    assert (row["individual"], row["direction"]) == ("m3", "for")
    assert set(map(str, range(32, 40))) <= set(row["names"].split(", "))
    assert row["rank_without"] >= row["rank"]
    assert row["voters"] > 3 * row["expected"]


def test_nobody_is_named_where_all_vote_alike():
    named = 0
    for seed in range(20):
        found = po.sport.audit_votes(
            po.bradley_terry(po.read(ballots(100 + seed))), seed=seed, runs=50
        )
        named += found.flagged > 0
    assert named <= 4  # 5% each


def test_what_cannot_be_audited_is_refused():
    with pytest.raises(po.ArgumentTypeError, match="result of peckorder.bradley_terry"):
        po.sport.audit_votes(po.elo(po.datasets.adv()))
    board = po.bradley_terry(po.read(ballots(1)))
    with pytest.raises(po.ArgumentError, match='no unused column "judge"'):
        po.sport.audit_votes(board, voter="judge")
    matrix = po.bradley_terry(po.datasets.bonobos().matrix(), penalized=True)
    with pytest.raises(po.DataError, match="one by one"):
        po.sport.audit_votes(matrix)
