"""What is taken away: tables, figures, paragraph and script."""

import io
from pathlib import Path

import polars as pl
import pytest

import peckorder as po
from peckorder.app.export import FIGURES, Look, _written, disarmed, languages, unpacked
from peckorder.app.settings import Settings
from peckorder.plot.canvas import unseen
from peckorder.reporting.page import packed_columns
from tests.app.visitor import MESSY, csv_of

FIELD = Path(__file__).parent.parent / "field"


def test_what_is_offered(visitor):
    state = visitor.upload(MESSY)
    offered = visitor.json("/api/take", w=state["workspace"])
    assert {figure["id"] for figure in offered["figures"]} >= {"trajectories", "matrix", "ranks"}
    assert {table["id"] for table in offered["tables"]} == {
        *("ratings", "matrix", "left", "contests", "history"),
    }
    assert "Provisional: 3 rows not decided." in offered["paragraph"]
    assert "Elo ratings of 6 individuals" in offered["paragraph"]
    assert offered["script"]["python"].startswith("# Provisional, not decided")
    assert offered["report"]["note"] == ""
    visitor.changed(state, "/api/settings", set={"curve": "normal", "start": 0})
    note = visitor.json("/api/take", w=state["workspace"])["report"]["note"]
    assert note == "The report uses k; it does not take over the curve and the starting rating."
    order = visitor.example("bonobos")
    without = visitor.json("/api/take", w=order["workspace"])
    assert "trajectories" not in {figure["id"] for figure in without["figures"]}


@pytest.mark.parametrize("form", ["csv", "xlsx"])
def test_tables_are_those_of_the_library(visitor, form):
    state = visitor.example()
    content = visitor.get(f"/take/table/ratings.{form}", w=state["workspace"]).content
    table = pl.read_csv(content) if form == "csv" else pl.read_excel(io.BytesIO(content))
    expected = po.elo(po.datasets.adv()).table
    assert table["rating"].to_list() == pytest.approx(expected["rating"].to_list())


def test_rows_left_out_have_a_reason(visitor):
    state = visitor.upload(MESSY)
    titles = {
        one["id"]: one["title"] for one in visitor.json("/api/take", w=state["workspace"])["tables"]
    }
    assert titles["left"] == "3 rows left out, and why"
    table = csv_of(visitor.get("/take/table/left.csv", w=state["workspace"]).text)
    assert dict(table.rows()) == {
        "8": "several individuals in one cell",
        "10": "winner and loser are the same individual",
        "12": "no outcome",
    }


def test_no_rows_left_out(visitor):
    w = visitor.example()["workspace"]
    titles = {one["id"]: one["title"] for one in visitor.json("/api/take", w=w)["tables"]}
    assert titles["left"] == "No rows left out"
    assert visitor.get("/take/table/left.csv", w=w).text.strip() == "row,reason"
    assert visitor.get("/take/table/left.xlsx", w=w).status_code == 200


@pytest.mark.parametrize(
    ("form", "sign"), [("pdf", b"%PDF"), ("svg", b"<?xml"), ("png", b"\x89PNG")]
)
def test_a_figure_in_every_format(visitor, form, sign):
    state = visitor.example()
    answer = visitor.get(f"/take/figure/matrix.{form}", w=state["workspace"], mm=85)
    assert answer.content.startswith(sign)
    assert answer.headers["content-disposition"] == f'attachment; filename="adv-matrix.{form}"'


def test_the_width_of_a_figure(visitor):
    from PIL import Image

    state = visitor.example()
    sizes = []
    for width in (60, 120):
        answer = visitor.get("/take/figure/trajectories.png", w=state["workspace"], mm=width)
        sizes.append(Image.open(io.BytesIO(answer.content)).width)
    assert sizes[1] == pytest.approx(2 * sizes[0], rel=0.05)
    for width in ("5", "9999", "x"):
        where = {"w": state["workspace"], "mm": width}
        assert visitor.client.get("/take/figure/matrix.pdf", params=where).status_code == 400


def test_a_figure_has_the_title_and_the_language_that_were_asked_for(visitor):
    state = visitor.upload("date,winner,loser\n2020-05-01,May,Rank\n2020-08-02,Rank,Date\n")
    w = state["workspace"]
    look = {"title": "Group $5 & 7", "language": "Deutsch", "colors": "gray", "pt": 9}
    text = visitor.get("/take/figure/trajectories.svg", w=w, follow="May", **look).text
    for words in ("Group $5 &amp; 7", "Elo-Wertung (Punkte)", "Datum (2020)", ">Jul<", ">May<"):
        assert words in text
    assert "#000000" in text
    ranks = visitor.get("/take/figure/ranks.svg", w=w, **look).text
    assert all(name in ranks for name in (">Date<", ">Rank<", "Rang (1 = höchster)"))
    for wrong in ({"language": "Latin"}, {"colors": "pink"}, {"pt": 99}, {"pt": "x"}):
        assert visitor.get("/take/figure/matrix.svg", w=w, **wrong).status_code == 400


@pytest.mark.parametrize("language", ["Deutsch", "Français", "Español"])
def test_labels_stay_within_the_figure(language):
    look = Look(width=60, size=10, language=language, title="A long title " * 7)
    data = po.datasets.adv()
    for _, _, draw in FIGURES.values():
        with unseen():
            axes = _written(draw(data, Settings(), look), data, look)
        axes.figure.draw_without_rendering()
        edge = axes.figure.bbox
        for text in (*axes.figure.texts, axes.title, axes.xaxis.label, axes.yaxis.label):
            box = text.get_window_extent()
            if text.get_text():
                assert box.x0 >= edge.x0 - 1, text
                assert box.x1 <= edge.x1 + 1, text
                assert box.y1 <= edge.y1 + 1, text
        for legend in axes.figure.legends:
            assert legend.get_window_extent().width <= edge.width


def test_labels_of_all_languages_are_there():
    for words in languages().values():
        assert all(words.values())
    assert languages()["Deutsch"]["Winner"] == "Gewinner"


def test_what_is_not_offered(visitor):
    state = visitor.example("bonobos")
    w = state["workspace"]
    assert visitor.get("/take/figure/trajectories.pdf", w=w).status_code == 422
    assert visitor.get("/take/figure/nothing.pdf", w=w).status_code == 404
    assert visitor.get("/take/figure/matrix.exe", w=w).status_code == 404
    assert visitor.get("/take/table/nothing.csv", w=w).status_code == 404
    assert visitor.get("/take/script.exe", w=w).status_code == 404


def code_of_job(visitor, state, job):
    space = visitor.app.workspaces.known[state["workspace"]]
    return next(one.code for one in visitor.app.jobs.of(space) if one.id == job["job"])


@pytest.mark.programs
def test_the_script_runs(visitor, tmp_path, monkeypatch):
    state = visitor.example()
    visitor.answered(state, "isi")
    script = visitor.get("/take/script.py", w=state["workspace"]).text
    assert "# Which order has the fewest inconsistencies?" in script
    job = visitor.answered(state, "report")
    assert job["state"] == "done"
    code = code_of_job(visitor, state, job)
    assert script.endswith(code["python"] + "\n")  # the same methods, and the same seed
    assert 'po.report(data, "hierarchy.html", k=100, methods=[' in code["python"]
    assert "seed=1)" in code["python"]
    monkeypatch.chdir(tmp_path)
    path = visitor.app.workspaces.known[state["workspace"]].record.path
    (tmp_path / "adv.csv").write_bytes(path.read_bytes())
    names = {}
    exec(script.split("po.report(")[0], names)  # our own lines, without the report
    assert names["ratings"].table["individual"][0] == "b"


def test_packed_tables_are_unpacked():
    table = po.elo(po.datasets.adv()).table
    again = unpacked({"columns": packed_columns(table), "length": table.height})
    assert again["individual"].to_list() == table["individual"].to_list()
    assert again["rating"].to_list() == table["rating"].to_list()
    assert again["first_seen"].to_list() == table["first_seen"].to_list()


def test_formulas_in_headings_and_cells():
    found = disarmed(pl.DataFrame({"=a": ["+x", None, "-1.5", ""], "b": [1, 2, 3, 4]}))
    assert found.columns == ["'=a", "b"]
    assert found["'=a"].to_list() == ["'+x", None, "-1.5", ""]


def test_the_paragraph_says_how_winners_were_determined(visitor):
    state = visitor.changed(visitor.upload(MESSY), set={"polyadic": "dyads", "group": "place"})
    text = visitor.json("/api/take", w=state["workspace"])["paragraph"]
    assert '1 row with several individuals in one cell ("Bella, Cora") was read as 2 con' in text
    assert "more weight" not in text
    log = (FIELD / "boris_tabular.tsv").read_bytes()
    state = visitor.changed(visitor.upload(log, "log.tsv"), set={"winner_behaviors": ["displace"]})
    text = visitor.json("/api/take", w=state["workspace"])["paragraph"]
    assert 'column "Subject" contains the winner of displace (2).' in text


def test_rows_left_out_are_those_of_all_groups(visitor):
    rows = "2023-03-11,X,Y,X,South,\n2023-03-12,Y,X,none,South,\n"
    state = visitor.changed(visitor.upload(MESSY + rows), set={"group": "place", "groups": "each"})
    text = visitor.json("/api/take", w=state["workspace"])["paragraph"]
    assert "Only contests of the group North were used. Among all groups, 4 rows were" in text
