"""The league of raters, in small: simulated worlds, shipped data, and a rater of one's own."""

import sys
from pathlib import Path

import numpy as np
import pytest

import peckorder as po
from peckorder.evaluation.compare_models import model_scores
from tests.evaluation.leagues import league as games

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
import league

FEW = {name: league.RATERS[name] for name in ("elo", "glicko", "adaptive")}


def test_compare_models_uses_these_scores():
    data = po.datasets.adv()
    models = {"a": po.elo(data, k=200), "b": po.elo(data, k=20)}
    points = model_scores(models).points("log_loss", 10)
    found = po.compare_models(models, skip=10)
    score = dict(zip(found.table["model"], found.table["score"], strict=True))
    assert score == pytest.approx({name: values.sum() for name, values in points.items()})


def test_ties_are_learned_where_another_rater_models_them():
    data = games(2, draws=0.8, games=100)
    models = {"elo": po.elo(data), "adaptive": po.adaptive(data, samples=50, seed=1)}
    assert model_scores(models).learned == ("elo",)
    assert model_scores(models, "correct").learned == ()
    assert model_scores({"elo": po.elo(data)}).learned == ()
    assert model_scores({"elo": po.elo(data)}, "rps").learned == ("elo",)


def test_the_league_on_a_record_by_hand():
    data = po.datasets.adv()

    def half(data):
        return np.full(len(data), 0.5)

    result = league.played("adv", data, {"half": half, **FEW})
    assert result.means["half"]["log_loss"] == pytest.approx(np.log(2))
    assert result.means["half"]["brier"] == pytest.approx(0.25)
    elo = -np.log(po.elo(data).foresight().win[int(0.3 * len(data)) :]).mean()
    assert result.means["elo"]["log_loss"] == pytest.approx(elo)
    assert result.difference["elo"] == pytest.approx(elo - np.log(2))
    assert result.verdict["half"] == 0
    with pytest.raises(SystemExit, match="one probability per winner"):
        league.played("adv", data, {"half": lambda data: [2.0]})


def test_the_league_on_simulated_worlds():
    results = {
        name: league.league(league.simulated([name], 2, (8, 200)), FEW) for name in league.WORLDS
    }
    for name, found in results.items():
        rows = league.standings(found)
        assert [row[0] for row in rows] == list(FEW)
        losses = {rater: np.mean([one.means[rater]["log_loss"] for one in found]) for rater in FEW}
        if name == "equal":  # nothing to learn: a bold rater loses
            assert losses["adaptive"] < losses["elo"]
            assert losses["adaptive"] < 0.75
        else:
            assert losses["adaptive"] < np.log(2)
            assert losses["adaptive"] < losses["elo"] + 0.02


def test_the_league_on_files_and_a_function_from_a_file(tmp_path, capsys):
    folder = tmp_path / "records"
    folder.mkdir()
    data = po.datasets.adv()
    data.frame().select("winner", "loser").write_csv(folder / "adv.csv")
    (folder / "broken.csv").write_text("x\n1\n")
    (folder / "short.csv").write_text("winner,loser\na,b\n")
    program = tmp_path / "mine.py"
    program.write_text("def mine(data):\n    return [0.6] * len(data)\n")
    raters = {"elo": league.RATERS["elo"], **league.own_rater(f"{program}:mine")}
    found = league.league(league.files(str(folder)), raters)
    league.show(found)
    printed = capsys.readouterr().out
    assert [one.record for one in found] == ["adv.csv"]
    assert "broken.csv: left out" in printed
    assert "short.csv: left out" in printed
    assert found[0].means["mine"]["log_loss"] == pytest.approx(-np.log(0.6))
    assert "mine" in printed


def test_comparisons_say_how_contests_of_one_stamp_were_taken():
    rows = {"winner": list("abcabd") * 5, "loser": list("bcdcda") * 5}
    rows["date"] = [f"2024-01-{1 + i // 3:02d}" for i in range(30)]
    data = po.read(rows)
    models = {
        "Elo": po.elo(data),
        "batches": po.elo(data, within="batch"),
        "dynamic": po.dynamic(data, samples=10, seed=1),
        "adaptive": po.adaptive(data, samples=10, seed=1),
        "in order": po.adaptive(data, within="file", samples=10, seed=1),
    }
    found = po.compare_models(models, seed=1, runs=50)
    assert (
        "They were taken in the order of the file by “Elo” and “in order” and all at once by "
        "“batches”, “dynamic” and “adaptive”." in " ".join(found.summary)
    )
    assert "best" not in repr(found)
    assert found.best is None
