"""Tables, histories and predictions of ratings."""

import json
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.stats import spearmanr

import peckorder as po


@pytest.fixture(scope="module")
def ratings():
    return po.elo(po.datasets.adv(), k=200, curve="table")


def test_table_columns_and_order(ratings):
    table = ratings.table
    assert table.columns == [
        "individual",
        "rating",
        "rank",
        "contests",
        "wins",
        "losses",
        "draws",
        "first_seen",
        "last_seen",
    ]
    assert table["individual"].to_list() == list("bcdfega")
    row = table.row(0, named=True)
    assert (row["rank"], row["contests"], row["wins"], row["losses"]) == (1.0, 9, 8, 1)


def test_ranks_average_ties():
    table = po.elo(po.read((["a", "c"], ["b", "d"]))).table
    assert table["rank"].to_list() == [1.5, 1.5, 3.5, 3.5]


def test_at_a_date_equals_rating_of_the_contests_so_far(ratings):
    data = po.datasets.adv()
    early = po.elo(data.filter(end="2010-01-20"), k=200, curve="table")
    table = ratings.at("2010-01-20")
    assert dict(zip(table["individual"], table["rating"], strict=True)) == dict(early.items())
    assert table["contests"].sum() == 40
    with pytest.warns(po.DataWarning, match="is before the first contest"):
        assert ratings.at("2009-01-01").height == 0
    with pytest.raises(ValueError, match="is not a date"):
        ratings.at("someday")
    assert ratings.at("2030-01-01")["rating"].to_list() == ratings.table["rating"].to_list()


def test_at_a_contest_number_without_dates():
    ratings = po.elo(po.read((list("abc"), list("bca"))))
    history = ratings.history
    assert ratings.at(1)["rating"].to_list()[0] == history["winner_after"][0]
    with pytest.warns(po.DataWarning, match="before the first contest"):
        assert ratings.at(0).height == 0


def test_trajectory(ratings):
    course = ratings.trajectory("b")
    assert course["contest"].to_list() == [0, 1, 5, 11, 14, 19, 25, 26, 30, 32]
    assert course["rating"][0] == 1000
    assert course["rating"][-1] == pytest.approx(1320)
    with pytest.raises(ValueError, match='"z" is not among the individuals'):
        ratings.trajectory("z")


def test_trajectory_of_a_newcomer_starts_at_its_entry():
    data = po.read(
        {"winner": list("aab"), "loser": list("bbc"), "date": [1, 2, 3]},
        presence={"id": list("abc"), "start": [1, 1, 3], "end": [9, 9, 9]},
    )
    course = po.elo(data, entry="bottom").trajectory("c")
    assert course["contest"].to_list() == [2, 3]
    assert course["rating"][0] == po.elo(data, entry="bottom").at(2)["rating"].min()


def test_integral_is_a_trapezoid(ratings):
    course = ratings.trajectory("b")["rating"].to_numpy()
    assert ratings.integral("b") == pytest.approx(((course[1:] + course[:-1]) / 2).sum())
    with pytest.raises(ValueError, match="Choose one of: own, all"):
        ratings.integral("b", over="some")


def test_probability(ratings):
    assert ratings.probability("b", "a") == 1.0
    assert ratings.probability("c", "d") == po.curves.Table()(6)
    assert ratings.probability("b", "c") + ratings.probability("c", "b") == 1
    assert ratings.probability("b", "c", at="2010-01-01") == po.curves.Table()(200)
    games = po.read({"home": ["x"], "away": ["y"], "home_points": [1], "away_points": [0]})
    home = po.elo(games, home_advantage=100)
    ahead = home["x"] - home["y"]
    assert home.probability("x", "y", home="y") == pytest.approx(po.curves.Logistic()(ahead - 100))
    with pytest.raises(ValueError, match='home must be "x" or "y"'):
        home.probability("x", "y", home="z")


def test_scaled_and_expected_beaten(ratings):
    scaled = ratings.scaled()
    assert scaled["scaled"].to_list()[0] == 1
    assert scaled["scaled"].to_list()[-1] == 0
    assert scaled["proportional_rank"].to_list() == pytest.approx(
        [1, 5 / 6, 4 / 6, 0.5, 2 / 6, 1 / 6, 0]
    )
    beaten = ratings.expected_beaten()
    assert beaten["expected_beaten"].sum() == pytest.approx(21)  # one winner per dyad
    plain = sum(ratings.probability("c", other) for other in "abdefg")
    assert beaten["expected_beaten"][1] == pytest.approx(plain)
    assert beaten["expected_share"][1] == pytest.approx(plain / 6)


def test_within_ranks_a_subset(ratings):
    table = ratings.within({"b": "F", "d": "F", "a": "M", "g": "M", "c": "M"})
    ranks = {row["individual"]: row["rank_within"] for row in table.iter_rows(named=True)}
    assert ranks == {"b": 1, "d": 2, "c": 1, "g": 2, "a": 3}
    assert ratings.within(["d", "e"])["rank"].to_list() == [3, 5]
    for wrong in (None, 3, 0.5):
        with pytest.raises(po.ArgumentTypeError, match="give a list"):
            ratings.within(wrong)


def test_reliable_from_against_a_plain_search(ratings):
    names = ratings.individuals
    state, orders = dict.fromkeys(names, 1000.0), []
    for row in ratings.history.iter_rows(named=True):
        state[row["winner"]], state[row["loser"]] = row["winner_after"], row["loser_after"]
        orders.append([state[name] for name in names])
    far = [i for i, order in enumerate(orders) if not spearmanr(order, orders[-1])[0] >= 0.9]
    assert ratings.reliable_from == max(far) + 2  # the contest after, counted from 1


def test_one_late_exchange_does_not_reset_reliable_from():
    pairs = [("abcdefgh"[i], "abcdefgh"[j]) for i in range(8) for j in range(i + 1, 8)] * 6
    settled = po.elo(po.read(tuple(zip(*pairs, strict=True))), k=50)
    late = [*pairs, *[("b", "a")] * 9]
    exchanged = po.elo(po.read(tuple(zip(*late, strict=True))), k=50)
    assert exchanged.table["individual"][0] == "b"
    assert exchanged.reliable_from <= settled.reliable_from + 5 < 60


def test_differences_by_context(sheet):
    """Albers & de Vries: biting occurred only above a difference of 80, four times their k."""
    rows = [("a", "b", "chase")] * 9 + [("a", "b", "bite")] * 3
    text = "".join(f"{one},{other},{what}\n" for one, other, what in rows)
    ratings = po.elo(po.read(sheet(f"winner,loser,context\n{text}")), k=20)
    table = ratings.differences(by="context")
    bite = table.filter(pl.col("context") == "bite").row(0, named=True)
    before = ratings.history["winner_before"] - ratings.history["loser_before"]
    assert bite["contests"] == 3
    assert bite["smallest"] == pytest.approx(before[9])
    assert bite["smallest_in_k"] == pytest.approx(before[9] / 20)
    assert bite["suggested_k"] == pytest.approx(before[9])
    assert table["suggested_k"][0] is None  # equals chased
    with pytest.raises(ValueError, match="have no season"):
        ratings.differences(by="season")


def test_at_dates_joins_to_a_users_sheet(ratings, tmp_path):
    frame = pd.DataFrame(
        {"name": ["b", "a", "b"], "day": ["2010-01-20", "2010-01-20", "2009-12-01"]}
    )
    joined = ratings.at_dates(frame, individual="name", date="day")
    assert isinstance(joined, pd.DataFrame)
    table = ratings.at("2010-01-20")
    row = table.filter(pl.col("individual") == "b").row(0, named=True)
    assert joined["rating"][0] == row["rating"]
    assert joined["rank"][0] == row["rank"]
    assert joined["proportional_rank"][0] == (7 - row["rank"]) / 6
    assert joined["scaled"][1] == 0  # a is last
    assert np.isnan(joined["rating"][2])  # before the first contest
    path = tmp_path / "mine.csv"
    path.write_text("name,day\nb,2010-01-20\n")
    again = ratings.at_dates(path, individual="name", date="day")
    assert again["rating"].to_list() == [row["rating"]]
    mixed = pl.DataFrame({"name": ["b", "b"], "day": ["2010-01-20", "2010-01-20 06:00"]})
    assert ratings.at_dates(mixed, individual="name", date="day")["rating"][0] == row["rating"]
    with pytest.raises(po.DataError, match='has columns "rating" already'):
        ratings.at_dates(frame.assign(rating=1), individual="name", date="day")
    with pytest.raises(po.DataError, match='no column "when"'):
        ratings.at_dates(frame, individual="name", date="when")


def test_settings_and_provenance_name_everything(ratings):
    described = ratings.to_dict()
    assert set(described) == {"method", "settings", "result", "provenance"}
    assert json.loads(json.dumps(described)) == described
    assert described["settings"]["k"] == 200
    assert described["settings"]["curve"] == "table"
    assert described["provenance"]["data_hash"] == po.datasets.adv().hash
    assert "Albers" in described["provenance"]["citation"][0]


def test_cite_is_a_methods_sentence(ratings):
    text = ratings.cite()
    assert text.startswith(
        "Elo ratings of 7 individuals were computed from 33 contests with peckorder"
    )
    assert "k = 200" in text
    assert "start = 1000" in text
    assert "doi:10.1006/anbe.2000.1571" in text


@pytest.mark.parametrize("ending", ["csv", "tsv", "json", "parquet"])
def test_save(ratings, tmp_path, ending):
    path = tmp_path / f"ratings.{ending}"
    ratings.save(path)
    if ending == "json":
        assert json.loads(path.read_text())["result"]["table"][0]["individual"] == "b"
    else:
        read = {"csv": pl.read_csv, "parquet": pl.read_parquet}.get(ending)
        table = read(path) if read else pl.read_csv(path, separator="\t")
        assert table["rating"].to_list() == ratings.table["rating"].to_list()
    with pytest.raises(ValueError, match="its format is not known"):
        ratings.save(tmp_path / "ratings.doc")


def test_prior_ranks_as_starting_values():
    starts = po.prior_ranks({"a": 1, "b": 2.5, "c": 2.5}, mean=500, step=10)
    assert starts == {"a": 510, "b": 495, "c": 495}
    ratings = po.elo(po.read((["c"], ["a"])), start={"a": 510, "c": 495})
    assert ratings.history["winner_before"].to_list() == [495]


def test_repr(ratings):
    assert repr(ratings) == (
        "Ratings (elo): 7 individuals, 33 contests; b 1320.0, c 1184.0, d 1178.0, f 1048.0, e 1008.0, …"
    )


def test_dates_stay_dates_in_pandas():
    frame = pd.DataFrame({"winner": ["a"], "loser": ["b"], "date": pd.to_datetime(["2020-01-01"])})
    ratings = po.elo(po.read(frame))
    assert ratings.table["first_seen"].dtype.kind == "M"
    assert ratings.history["date"].dtype.kind == "M"


def test_somebody_without_contests_and_days_without_anybody():
    matrix = np.array([[0, 2, 0], [1, 0, 0], [0, 0, 0]])
    with pytest.warns(po.DataWarning):
        ratings = po.elo(po.read(matrix))
    assert ratings.table.filter(pl.col("individual") == "3")["contests"].to_list() == [0]
    assert ratings.trajectory("3")["rating"].to_list() == [1000]
    assert ratings.integral("3") == 0
    data = po.read(
        {"winner": ["a"], "loser": ["b"], "date": [1]},
        presence={"id": ["a", "b"], "start": [1, 1], "end": [2, 2]},
    )
    gone = po.elo(data)
    for table in (
        gone.at,
        lambda day: gone.scaled(at=day),
        lambda day: gone.expected_beaten(at=day),
    ):
        with pytest.warns(po.DataWarning, match="Nobody is present at 5. The table is empty"):
            assert table(5).height == 0


def test_seasons_do_not_reach_back_to_the_last_contest():
    rows = {"winner": ["a", "a"], "loser": ["b", "b"], "season": ["1", "2"], "date": [7, 7]}
    ratings = po.elo(po.read(rows), carry_over=0.5)
    assert ratings.trajectory("a")["rating"].to_list() == [1000, 1050, ratings["a"]]


def test_day_maximum_does_not_look_ahead():
    rows = {
        "winner": ["b", "a"],
        "loser": ["a", "b"],
        "date": ["2020-01-01 08:00", "2020-01-01 20:00"],
    }
    ratings = po.elo(po.read(rows), preset="EloOptimized")
    morning = ratings.at("2020-01-01 09:00")
    assert morning.filter(pl.col("individual") == "a")["rating"].to_list() == [950]
    evening = ratings.at("2020-01-01")
    assert evening.filter(pl.col("individual") == "a")["rating"][0] == ratings["a"] > 1000


def test_differences_know_no_k_where_it_varied():
    rows = {"winner": list("aab"), "loser": list("bba"), "context": list("xxy"), "kk": [5.0] * 3}
    table = po.elo(po.read(rows), k_column="kk").differences()
    assert table["smallest_in_k"].to_list() == [None, None]
    assert po.elo(po.read(rows), k_column="kk").settings["k"] is None


def test_results_cannot_be_changed_from_outside(ratings):
    ratings.to_dict()["settings"]["k"] = "other"
    assert ratings.settings["k"] == 200


def test_at_dates_with_presence_unsorted_and_lazy():
    data = po.read(
        {"winner": list("aac"), "loser": list("bba"), "date": [1, 2, 5]},
        presence={"id": list("abc"), "start": [1, 1, 4], "end": [9, 3, 9]},
    )
    mine = pl.LazyFrame({"who": list("bcab"), "day": [5, 4, 2, 2]})
    joined = po.elo(data).at_dates(mine, individual="who", date="day")
    assert joined["rank"].to_list() == [None, 2.0, 1.0, 2.0]  # b has left, c has just arrived
    assert joined["rank"].dtype == pl.Float64


@pytest.mark.parametrize("path", [None, b"x.csv", 3])
def test_a_path_is_text(path):
    with pytest.raises(po.ArgumentTypeError, match="path of a file"):
        po.elo(po.datasets.adv()).save(path)


def test_tab_shows_what_is_used_and_a_wrong_name_gets_an_answer():
    ratings = po.elo(po.datasets.adv(), k=200)
    shown = dir(ratings)
    assert len(shown) <= 25
    assert all(hasattr(ratings, name) for name in shown)
    with pytest.raises(AttributeError, match='Did you mean "history"'):
        _ = ratings.histroy
    with pytest.raises(AttributeError, match=r"a function: peckorder\.predict\(…\)"):
        _ = ratings.predict
    with pytest.raises(AttributeError, match="With these arguments it is not computed"):
        _ = po.bradley_terry(po.datasets.adv(), penalized=True).coefficients
    for module, wrong, place in (
        (po, "steepnes", "steepness"),
        (po, "fragility", "peckorder.questions.fragility"),  # not the figure
        (po, "trajectories", "peckorder.plot.trajectories"),
        (po, "glikco", "peckorder.sport.glicko"),
        (po.questions, "steepness", "peckorder.steepness"),
        (po.datasets, "bonobo", "bonobos"),
    ):
        with pytest.raises(AttributeError, match=f'Did you mean "{place}"'):
            getattr(module, wrong)


def test_results_plot_themselves_and_write_tables(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    ratings = po.elo(po.datasets.adv(), k=200)
    assert ratings.plot().get_ylabel() == "Elo rating (points)"
    assert ratings.to_pandas()["individual"].tolist() == list(ratings)
    ratings.to_excel(tmp_path / "elo.xlsx")
    assert pd.read_excel(tmp_path / "elo.xlsx")["individual"].tolist() == list(ratings)
    with pytest.raises(po.ArgumentError, match=r"e\.csv is no workbook \(\.xlsx\)\. .* use save"):
        ratings.to_excel(tmp_path / "e.csv")
    assert po.davids_score(po.datasets.bonobos()).plot() is not None
    with pytest.raises(po.ArgumentTypeError, match=r"plot\(\)\.figure\.savefig\('e\.png'\)"):
        ratings.plot("e.png")
    with pytest.raises(po.ArgumentTypeError, match='trajectories has no argument "widht". Did you'):
        ratings.plot(widht=1)
    with pytest.raises(po.ArgumentError, match="no figure of its own"):
        ratings.explain(1).plot()
