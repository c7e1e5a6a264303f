"""Numbers of papers: printed, recomputed, and compared with the independent recomputation."""

import numpy as np
import polars as pl
import pytest

import peckorder as po
from peckorder.papers import albers2001, devries2006
from peckorder.papers.printed import Printed

PAPERS = ("albers2001", "devries2006", "goffe2018")


def values(paper, **how):
    found = po.papers.reproduce(paper, **how)
    return found, {row["quantity"]: row for row in found.table.to_dicts()}


def differ(rows):
    return [name for name, row in rows.items() if row["agrees"] == "no"]


def test_albers_and_de_vries():
    found, rows = values("albers2001")
    assert differ(rows)[:4] == [
        "k if a loss leaves a chance of 4%",
        *(f"cardinal rank of {name}" for name in "bcd"),
    ]
    assert rows["k if a loss leaves a chance of 4%"]["computed"] == 1002
    assert "19.17" in rows["cardinal rank of b"]["note"]
    for k, range_at_3000 in ((20, 3031), (100, 7099), (200, 8704)):  # independent recomputation
        row = rows[f"range of ratings, k = {k}"]
        assert row["agrees"] == "fitted"
        text = row["note"].rsplit("give ", 1)[1].rstrip(".")
        assert float(text) == pytest.approx(range_at_3000, rel=0.03)
    appendix = found.table.filter(found.table["where"] == "Appendix")
    assert (appendix.height, (appendix["agrees"] == "yes").sum()) == (50, 45)
    assert {row["holds"] for row in found.statements.to_dicts()} == {"no", "partly"}


def test_boyd_and_silk_by_newton(papers):
    """The tenth step from 0 gives the printed ranks of b, c and d; further ones grow."""
    printed = {"b": 19.17, "c": 18.48, "d": 9.48, "e": 0.28, "g": 0.0, "a": -1.52}
    stopped = albers2001.cardinal_ranks(po.datasets.adv(), 10, "f")
    assert {name: round(stopped[name], 2) for name in printed} == pytest.approx(printed)
    later = albers2001.cardinal_ranks(po.datasets.adv(), 12, "f")
    assert later["b"] - stopped["b"] == pytest.approx(4, abs=1e-3)
    assert later["b"] - later["c"] == pytest.approx(
        papers["adv"]["bt_within"]["b_minus_c"], abs=1e-4
    )


def test_de_vries_et_al(papers):
    """Printed digits are those of the independent recomputation, which agrees with the paper."""
    found, rows = values("devries2006")
    assert {row["where"] for row in rows.values() if row["agrees"] == "no"} == {"Figure 4"}
    printed = devries2006.printed_table()
    for letter in "PD":
        reference = papers["bonobo"][letter]
        for i, name in enumerate(papers["bonobo"]["ids"]):
            row = printed.row(
                by_predicate=(pl.col("index") == letter) & (pl.col("individual") == name),
                named=True,
            )
            for part in ("w", "w2", "l", "l2", "DS", "NormDS"):
                assert float(row[part]) == pytest.approx(reference[part][i], abs=0.00501)
    assert rows["steepness by P"]["computed"] == pytest.approx(0.7352487143)
    assert found.agree == 199


def test_goffe_et_al():
    _, rows = values("goffe2018")
    assert differ(rows) == ["chance of B if A won, k = 1"]


@pytest.mark.parametrize("paper", PAPERS)
def test_failures_come_first_and_have_their_reason(paper):
    table = po.papers.reproduce(paper).table
    assert table["agrees"].to_list() == sorted(table["agrees"], key=["no", "fitted", "yes"].index)
    other = table.filter(table["agrees"] != "yes")
    assert (other["note"].str.len_chars() > 20).all()


@pytest.mark.paper_data
@pytest.mark.parametrize("file", ["nfl2009.csv", "nfl2009_538.csv"])
def test_games_of_the_book_and_of_fivethirtyeight(file, paper_file, papers):
    found, _ = values("langville2012", data=paper_file(file))
    assert found.agree == found.numbers == 107
    table = found.table.filter(found.table["where"] == "Table (5.8)")
    reference = papers["nfl"]["tables"]["scores_K32"]
    for row in table.to_dicts():
        team = row["quantity"].removeprefix("rating of ")
        assert float(row["printed"]) == reference[team]["published"]


@pytest.mark.paper_data
def test_the_file_of_all_seasons(paper_file, tmp_path):
    season = pl.read_csv(paper_file("nfl2009_538.csv"))
    later = season.with_columns(
        date=pl.col("date").str.replace("2010", "2011").str.replace("2009", "2010"),
        season=pl.lit(2010, pl.Int64),
    )
    pl.concat([season, later]).write_csv(tmp_path / "nfl_games.csv")
    assert values("langville2012", data=tmp_path / "nfl_games.csv")[0].agree == 107


@pytest.mark.paper_data
@pytest.mark.slow
def test_the_chimpanzees(paper_file):
    females = paper_file("chimpanzee_females.csv")
    _, rows = values("foerster2016", data=females)
    assert [rows[name]["printed"] for name in differ(rows)] == ["89.8"]
    found, rows = values("goffe2018", data=females)
    assert found.numbers == 30
    assert {rows[name]["printed"] for name in differ(rows)} == {"0.55", "90.7", "0.075", "2.62"}
    assert rows["partial pooling: sigma (k = 0)"]["computed"] == pytest.approx(2.41, abs=0.02)


@pytest.mark.paper_data
def test_other_games_are_refused_with_what_differs(paper_file, tmp_path):
    games = pl.read_csv(paper_file("nfl2009.csv"))
    for changed, message in (
        (games[:-1], "number of contests 266 instead of 267; last date 2010-01-24"),
        (
            games.with_columns(home_score=pl.col("home_score") + (pl.col("week") == 21)),
            "COLTS has 16 wins, 3 losses and 484 points instead of 16 wins, 3 losses and 483",
        ),
        (games.with_columns(home=pl.col("home").replace("COLTS", "Colts")), '"Colts"'),
        (games.drop("neutral"), "the Super Bowl .2010-02-07. is not marked as on neutral ground"),
    ):
        changed.write_csv(tmp_path / "games.csv")
        with pytest.raises(po.DataError, match=message):
            po.papers.reproduce("langville2012", data=tmp_path / "games.csv")


def test_other_contests_are_refused_with_what_differs():
    data = po.datasets.adv()
    with pytest.raises(po.DataError, match="number of contests 32 instead of 33"):
        po.papers.reproduce("albers2001", data=data.take(np.arange(32)))
    turned = [(*pair[::-1],) if i == 0 else pair for i, pair in enumerate(pairs_of(data))]
    other = po.read(
        {"winner": [a for a, _ in turned], "loser": [b for _, b in turned], "date": data.date}
    )
    with pytest.raises(po.DataError, match="b has 7 wins, 2 losses instead of 8 wins, 1 loss"):
        po.papers.reproduce("albers2001", data=other)


def pairs_of(data):
    names = data.individuals
    return [(names[w], names[o]) for w, o in zip(data.winner, data.loser, strict=True)]


def test_data_that_are_not_included_are_requested():
    with pytest.raises(po.ArgumentError, match="langville2012 needs the 267 games"):
        po.papers.reproduce("langville2012")
    with pytest.raises(po.ArgumentError, match="albers2001"):
        po.papers.reproduce("albers1999")


@pytest.mark.parametrize(
    ("printed", "computed", "agrees"),
    [
        ("0.62", 0.6249, "yes"),
        ("0.62", 0.6251, "no"),
        ("5", 5.4, "yes"),
        ("<0.001", 0.0004, "yes"),
        ("<0.001", 0.001, "no"),
        ("-1.29", -1.2857, "yes"),
        ("19.2", float("inf"), "no"),
        ("0.92", None, "no"),
    ],
)
def test_agreement_to_the_printed_digits(printed, computed, agrees):
    assert Printed("", "", printed, computed).agrees == agrees
    fitted = Printed("", "", printed, computed, fitted=True).agrees
    assert fitted == ("fitted" if agrees == "yes" else "no")
