"""Answers are those of the library, and the code beside them gives the same."""

import contextlib
import io
import json
import re
import shlex
from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner

import peckorder as po
from peckorder.app.code import code_of_answer
from peckorder.app.export import unpacked
from peckorder.app.queries import ASKS, Question, chosen_settings
from peckorder.app.reading import read_record
from peckorder.app.settings import Settings
from peckorder.app.uploads import stored
from peckorder.cli import main
from peckorder.errors import DataError, PeckorderError
from tests.app.visitor import MESSY

ADV = po.datasets.adv()
TWO = "winner,loser,group\n" + "a,b,N\nb,c,N\na,c,N\na,b,N\nx,y,S\ny,z,S\nx,z,S\ny,x,S\n" * 3
QUICK = {
    "certain": {},
    "multiverse": {"claim": "b first"},
    "fragility": {"claim": "b > c"},
    "next": {},
    "stress": {},
    "steepness": {"runs": 200},
    "linear": {"runs": 200},
    "isi": {},
    "pair": {"a": "b", "b": "g"},
    "hours": {"runs": 10, "goal": 0.7, "target": "linearity"},
    "compare": {},
}


def asked(ask, data=ADV, settings=None, target=None, **given):
    settings = settings or Settings()
    question = Question(data, data, settings, chosen_settings(ask, given), target)
    steps = []
    answer = ASKS[ask].answer(question, lambda done, total: steps.append((done, total)))
    json.dumps(answer, allow_nan=False)
    return answer


@pytest.mark.parametrize("ask", QUICK)
def test_every_answer_has_its_parts(ask):
    answer = asked(ask, **QUICK[ask])
    assert set(answer) == {"head", "sentences", "table", "values", "seed", "extra"}
    assert answer["head"]
    assert answer["sentences"]
    assert len(json.dumps(answer)) < 200_000


def test_certain_is_dynamic():
    answer = asked("certain")
    ratings = po.dynamic(ADV, seed=1)
    assert answer["table"]["columns"]["rating"] == ratings.table["rating"].to_list()
    extra = answer["extra"]
    assert extra["names"] == ratings.table["individual"].to_list()
    assert [sum(row) for row in extra["chances"]] == pytest.approx([1] * 7, abs=0.002)
    assert extra["chances"][0][0] == pytest.approx(ratings.table["p_first"][0], abs=1e-4)
    assert [extra["names"][place] for place in extra["ties"][0]] == ["b", "f"]
    assert extra["outranks"][0][1] == ratings.outranks("b", "c")
    pairs = extra["pairs"]
    first = po.predict(ratings, fixtures=[("b", "c")]).table.row(0, named=True)
    assert (pairs["a"][0], pairs["b"][0]) == (0, 1)
    assert pairs["p"][0] == pytest.approx(first["p_a"], abs=1e-4)


def test_steepness_has_both_estimates():
    answer = asked("steepness", runs=500)
    assert answer["extra"]["published"]["value"] == po.steepness(ADV, runs=500, seed=1).value
    posterior = po.steepness_bayes(ADV, seed=1)
    assert answer["values"]["value"]["value"] == posterior.values["value"].value
    (density,) = answer["extra"]["densities"]
    assert density["low"] == posterior.values["value"].low


def test_linear_has_the_order():
    answer = asked("linear", runs=200)
    assert answer["values"]["value"] == po.linearity(ADV, runs=200, seed=1).value
    assert answer["extra"]["order"] == po.isi(ADV, seed=1).table["individual"].to_list()
    assert answer["extra"]["inconsistent"][0]["winner"] == "e"


def test_the_window_limits_structure():
    seen = asked("isi", settings=Settings(since="2010-01-10", until="2010-01-25"))
    part = ADV.filter(start="2010-01-10", end="2010-01-25")
    assert seen["extra"]["order"] == po.isi(part, seed=1).table["individual"].to_list()


def test_enough_gives_the_verdict():
    answer = asked("enough", runs=10)
    found = po.recovery(ADV, runs=10, seed=1)
    verdict = answer["extra"]["verdict"]
    assert "; ".join((verdict["title"], verdict["text"])) == found.verdict
    assert answer["values"]["rank_mae"] == found.rank_mae
    assert [one["wanted"] for one in answer["extra"]["criteria"]] == [None] * 4


def test_hours_gives_a_curve():
    answer = asked("hours", **QUICK["hours"])
    points = answer["extra"]["points"]
    assert [point["contests"] for point in points] == sorted(p["contests"] for p in points)
    assert all(0 <= p["low"] <= p["mid"] <= p["high"] <= 1 for p in points)
    assert answer["extra"]["have"] == 33


def test_a_claim_hangs_on_rows_of_the_sheet():
    answer = asked("fragility", claim="b > c")
    found = po.questions.fragility(ADV, "b > c", seed=1)
    assert answer["sentences"] == list(found.summary)
    assert answer["head"] == "on 1 of 33 contests"
    rows = unpacked(answer["table"])
    assert rows.columns == ["step", "row", "winner", "loser", "margin"]
    assert rows.row(0)[:4] == (1, 33, "b", "c")


def test_whom_to_watch_next_is_that_of_dynamic_ratings():
    answer = asked("next")
    found = po.questions.next_pairs(po.dynamic(ADV, seed=1), seed=1)
    dyads = unpacked(answer["table"])
    assert dyads["higher"].to_list() == found.table["higher"].to_list()
    assert dyads["gain"].to_list() == pytest.approx(found.table["gain"].to_list(), abs=1e-6)
    adjacent = found.tables["adjacent"]
    shown = unpacked(answer["extra"]["adjacent"])
    assert shown["lower"].to_list() == adjacent["lower"].to_list()
    sure = (adjacent["probability"] >= 0.95).sum()
    assert answer["head"] == f"{sure} of 6 adjacent ranks resolved"
    assert answer["sentences"][1].startswith(answer["head"])


def test_a_takeover_is_put_into_the_record_with_the_chosen_k():
    answer = asked("stress", settings=Settings(k=40.0))
    found = po.questions.stress(ADV, k=40, seed=1)
    assert "k = 40" in answer["sentences"][0]
    table = unpacked(answer["table"])
    assert table["method"].to_list()[:2] == ["Elo ratings", "Dynamic ratings"]
    assert table["shown"].to_list() == pytest.approx(found.table["shown"].to_list(), abs=1e-6)
    assert answer["head"] == f"by Elo, in {found.elo:.0%} of records"


NEW = ("fragility", "next", "stress")
APART = "winner,loser\n" + "a,b\nb,c\na,c\nb,a\nx,y\ny,z\nx,z\ny,x\n" * 3


def test_questions_say_what_they_cannot_show(tmp_path):
    def read(content):
        return read_record(stored(tmp_path, "sheet.csv", content.encode()), {}, None).data

    apart, few = read(APART), read("winner,loser\na,b\nb,c\na,c\n")
    for ask in ("next", "stress"):
        (said,) = [text for text in asked(ask, apart)["sentences"] if "sets of" in text]
        assert "{a, b, c}; {x, y, z}. Their relative order is not identifiable" in said
        assert "data.filter" not in said
    ties = read("winner,loser,tie\na,b,1\nb,c,1\na,c,1\n")
    for ask, data, given, why in (
        ("fragility", apart, {"claim": "a > x"}, "there are none between {a, b, c} and {x, y, z}"),
        ("fragility", ADV, {"claim": "g first"}, "does not hold: b ranks first"),
        ("stress", few, {}, "Too few data: 3 contests of 3 individuals."),
        ("stress", read(",a,b,c\na,0,3,4\nb,1,0,3\nc,0,1,0\n"), {}, "order of contests is not"),
        *((ask, ties, {"claim": "a first"}, "without a winner") for ask in NEW),
    ):
        with pytest.raises(PeckorderError, match=re.escape(why)):
            asked(ask, data, **given)


def test_one_group_cannot_be_compared():
    with pytest.raises(DataError, match="only one group"):
        asked("groups")


def test_groups_of_a_sheet(tmp_path):
    reading = read_record(stored(tmp_path, "two.csv", TWO.encode()), {}, None)
    answer = asked("groups", reading.data)
    assert [one["name"] for one in answer["extra"]["groups"]] == ["N", "S"]
    parts = reading.data.split()
    one, other = (po.steepness_bayes(parts[name], seed=1) for name in "NS")
    difference = po.steepness_difference(one, other)
    assert answer["extra"]["differences"][0]["probability"] == difference.probability


def test_a_report_needs_a_file():
    with pytest.raises(DataError, match="no file"):
        asked("report")


@pytest.mark.parametrize(
    ("ask", "given"),
    [
        ("enough", {"runs": 5}),
        ("enough", {"runs": "many"}),
        ("hours", {"goal": 2}),
        ("hours", {"target": "fame"}),
        ("certain", {"seed": -1}),
        ("certain", {"seed": True}),
        ("hours", {"rate": float("nan")}),
    ],
)
def test_settings_of_questions_are_checked(ask, given):
    with pytest.raises(DataError):
        chosen_settings(ask, given)


@pytest.mark.programs
@pytest.mark.parametrize("ask", [*QUICK, "groups", "enough"])
def test_code_of_answers_runs(tmp_path, monkeypatch, ask):
    monkeypatch.chdir(tmp_path)
    adv = Path(po.datasets.CATALOGUE["adv"].path).read_bytes()
    content = TWO.encode() if ask == "groups" else adv
    (tmp_path / "sheet.csv").write_bytes(content)
    (tmp_path / "fixtures.csv").write_text("a,b\nb,g\n", encoding="utf-8")
    reading = read_record(stored(tmp_path, "sheet.csv", content), {}, None)
    chosen = chosen_settings(ask, QUICK.get(ask, {"runs": 10} if ask == "enough" else {}))
    settings = Settings(since="2010-01-03") if ask == "isi" else Settings()
    code = code_of_answer(ask, reading, None, settings, chosen)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(code["python"], {})  # our own lines
    assert printed.getvalue()
    for line in code["shell"].splitlines():
        done = CliRunner().invoke(main, shlex.split(line)[1:])
        assert done.exit_code == 0, (line, done.output)


def test_the_multiverse_has_open_decisions_and_switches(visitor):
    state = visitor.upload(MESSY)
    job = visitor.answered(state, "multiverse", claim="Abby first")
    assert job["state"] == "done", job["text"]
    found = visitor.json(f"/api/results/{job['job']}", w=state["workspace"])
    levels = unpacked(found["extra"]["levels"])
    readings = levels.filter(pl.col("choice") == "reading")["level"].to_list()
    assert readings[0] == "as read"
    assert len(readings) > 2
    assert "holds in" in found["head"]
    assert "po.questions.multiverse(data, 'Abby first', seed=1)" in found["code"]["python"]
    job = visitor.answered(state, "multiverse", claim="Abby first", off=["method=isi"])
    less = visitor.json(f"/api/results/{job['job']}", w=state["workspace"])
    methods = unpacked(less["extra"]["levels"]).filter(pl.col("choice") == "method")["level"]
    assert "isi" not in methods.to_list()
    job = visitor.answered(state, "multiverse", claim="nobody first")
    assert (job["state"], "nobody" in job["text"]) == ("failed", True)
