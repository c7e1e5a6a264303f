"""`peckorder plot`: every kind of figure from a file, and errors."""

import inspect

import click
import polars as pl
import pytest

import peckorder as po
from peckorder import cli

KINDS = po.plot.__all__
# What a shell cannot say or says otherwise.
ELSEWHERE = {"ax", "width", "marks"}  # marks: values of other models, in Python only
STUDY = ("--measure", "linearity", "--seed", "1", "--workers", "1")
QUICK = {
    "against": STUDY,
    "forest": STUDY,
    # The contests once more as fixtures.
    "places": ("adv.csv", "--a", "winner", "--b", "loser", "--runs", "100"),
    "bracket": ("--seeds", "a,b,c,d,e,f,g,"),
    "fragility": ("b first", "--seed", "1"),
    "multiverse": ("b > c", "--seed", "1"),
    "stress": ("--runs", "10", "--seed", "1"),
    "ranks": ("--method", "randomized", "--runs", "50", "--seed", "1"),
    "posterior": ("--seed", "1", "--part", "parameters"),
    "power": ("--effort", "20,40", "--runs", "10", "--seed", "1"),
    "steepness": ("--runs", "100", "--seed", "1"),
    "compare": ("--runs", "50", "--seed", "1"),
    "recovery": ("--runs", "10", "--seed", "1"),
    "summed_probability": ("--seed", "1"),
    # A table of contests, read as detections of the losers at one place.
    "gaps": ("--individual", "loser", "--start", "Time", "--place", ""),
}


@pytest.fixture
def adv(inside):
    inside("datasets", "adv", "-o", "adv.csv")
    return "adv.csv"


@pytest.mark.parametrize("kind", KINDS)
def test_every_figure_has_a_command_that_draws_it_with_its_table(kind, adv, inside, tmp_path):
    done = inside(
        "plot",
        kind.replace("_", "-"),
        adv,
        "-o",
        "figure.pdf",
        "-o",
        "table.csv",
        *QUICK.get(kind, ()),
    )
    assert done.returncode == 0, done.stderr
    assert b"Wrote figure.pdf." in done.stderr
    assert done.stdout == b""
    assert (tmp_path / "figure.pdf").read_bytes().startswith(b"%PDF")
    assert pl.read_csv(tmp_path / "table.csv").height > 0


@pytest.mark.parametrize("kind", KINDS)
def test_every_argument_of_a_figure_has_an_option(kind):
    command = cli.main.commands["plot"].commands[kind.replace("_", "-")]
    options = {option.name for option in command.get_params(click.Context(command))}
    asked = set(inspect.signature(getattr(po.plot, kind)).parameters)
    first = next(iter(inspect.signature(getattr(po.plot, kind)).parameters))
    assert asked - ELSEWHERE - {first} <= options
    assert {"width", "output"} <= options


def test_a_plan_is_drawn_without_data(inside, tmp_path):
    flags = ["--individuals", "6", "--spread", "2", "--target", "linearity", "--rate", "4"]
    few = ["--effort", "10,60", "--runs", "10", "--seed", "1"]
    done = inside("plot", "power", *flags, *few, "-o", "plan.svg", "-o", "plan.csv")
    assert done.returncode == 0, done.stderr
    assert pl.read_csv(tmp_path / "plan.csv")["hours"].to_list() == [2.5, 15.0]
    assert "Hours at 4 contests per hour" in (tmp_path / "plan.svg").read_text(encoding="utf-8")
    done = inside("plot", "power", "--winner", "w", "-o", "plan.svg")
    assert b"--winner needs a FILE, the pilot." in done.stderr


def test_the_shell_draws_what_python_draws(adv, inside, tmp_path):
    inside(
        "plot",
        "trajectories",
        adv,
        "-o",
        "shell.svg",
        "--k",
        "200",
        "--highlight",
        "b,c",
        "--width",
        "120",
    )
    from peckorder.plot.files import picture

    elo = po.elo(po.datasets.adv(), k=200)
    drawn = picture(lambda: po.plot.trajectories(elo, highlight=["b", "c"], width=120), "x.svg")
    assert (tmp_path / "shell.svg").read_bytes() == drawn


@pytest.mark.parametrize("penalized", [False, True])
def test_ranks_are_those_of_the_table(penalized, adv, inside, tmp_path):
    flags = ["--penalized"] if penalized else []
    for output in (("plot", "ranks"), ()):
        name = "drawn.csv" if output else "table.csv"
        told = ["--method", "bradley-terry"] if output else []
        done = inside(*(output or ["bradley-terry"]), adv, *told, *flags, "-o", name)
        assert done.returncode == 0, done.stderr
    columns = ["individual", "rank", "rank_low", "rank_high"]
    drawn, table = (pl.read_csv(tmp_path / f"{name}.csv")[columns] for name in ("drawn", "table"))
    assert drawn.to_dicts() == table.to_dicts()
    known = pl.read_csv(tmp_path / "drawn.csv")["p_above_next"].is_not_null().to_list()
    assert known == ([True] * 6 if penalized else [True, False, False, True, True, True]) + [False]


def test_a_matrix_in_any_order_and_its_chances(adv, inside, tmp_path):
    def table(*options):
        done = inside("plot", "matrix", adv, "-o", "m.png", "-o", "m.csv", *options)
        assert done.returncode == 0, done.stderr
        return pl.read_csv(tmp_path / "m.csv")

    assert table()["row"][0] == "c"
    assert table("--order", "isi")["row"][0] == "b"
    assert table("--order", "rating", "--k", "200")["row"][0] == "b"
    chances = table("--show", "chances", "--k", "200")
    expected = po.elo(po.datasets.adv(), k=200).probability("b", "c")
    assert chances.filter(row="b", column="c")["chance"][0] == pytest.approx(expected)
    assert table("--show", "chances", "--order", "isi")["row"][0] == "b"


def test_ranks_by_the_posterior_at_a_date(adv, inside, tmp_path):
    done = inside(
        "plot",
        "ranks",
        adv,
        "-o",
        "r.svg",
        "--seed",
        "1",
        "--samples",
        "1000",
        "--at",
        "2010-01-20",
        "-o",
        "r.csv",
    )
    assert done.returncode == 0, done.stderr
    fit = po.elo_bayes(po.datasets.adv(), seed=1, samples=1000)
    assert (
        pl.read_csv(tmp_path / "r.csv")["rank"].to_list() == fit.at("2010-01-20")["rank"].to_list()
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("trajectories", "adv.csv"), "Missing option '-o'"),
        (("trajectories", "adv.csv", "-o", "x.gif"), "must end in .png, .svg or .pdf"),
        (
            ("trajectories", "adv.csv", "-o", "x.pdf", "-o", "x.odt"),
            "x.odt: the file name must end in",
        ),
        (
            ("trajectories", "adv.csv", "-o", "x.pdf", "--ribbons"),
            "--ribbons needs posterior draws",
        ),
        (
            (
                "trajectories",
                "adv.csv",
                "-o",
                "x.pdf",
                "--over",
                "date",
                "--date",
                "",
                "--read",
                "time=",
            ),
            "these contests have no dates",
        ),
        (
            ("trajectories", "adv.csv", "-o", "x.pdf", "--individuals", "B"),
            '"B" is not among the individuals',
        ),
        (("bump", "adv.csv", "-o", "x.pdf", "--periods", "fortnight"), "Choose one of: week"),
        (
            ("ranks", "adv.csv", "-o", "x.pdf", "--runs", "5"),
            "--runs cannot be used with --method dynamic",
        ),
        (
            ("ranks", "adv.csv", "-o", "x.pdf", "--method", "randomized", "--sigma", "1"),
            "--sigma cannot be used with --method randomized",
        ),
        (
            ("summed-probability", "adv.csv", "-o", "x.pdf", "--at", "month"),
            "for a single date",
        ),
        (("presence", "adv.csv", "-o", "adv.csv"), "is given twice"),
        (("presence", "adv.csv", "-o", "x.pdf", "--width", "3"), "give millimeters"),
    ],
)
def test_errors_are_reported_and_nothing_is_written(arguments, message, adv, inside, tmp_path):
    done = inside("plot", *arguments)
    assert done.returncode == 2
    assert message in " ".join(done.stderr.decode().split())
    assert [path.name for path in tmp_path.iterdir()] == ["adv.csv"]


def test_a_full_disk_leaves_neither_figure_nor_table(adv, inside, tmp_path, monkeypatch):
    import errno
    import os

    def full(_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    done = inside("plot", "presence", adv, "-o", "x.pdf", "-o", "x.csv")
    assert done.returncode == 1
    assert "No space left on device. Nothing was written." in done.stderr.decode()
    assert [path.name for path in tmp_path.iterdir()] == ["adv.csv"]


def test_figures_of_groups_take_by_and_do_not_say_that_groups_are_pooled(inside, tmp_path):
    pairs = ("A,a,b", "A,b,c", "A,a,c", "B,x,y", "B,y,z", "B,x,z")
    (tmp_path / "groups.csv").write_text("\n".join(["troop,winner,loser", *pairs]))
    flags = ("--measure", "linearity", "--seed", "1", "-o", "f.csv")
    for column in ("--by", "--group"):
        done = inside("plot", "forest", "groups.csv", column, "troop", *flags, "-o", "f.svg")
        assert "Warning" not in done.stderr.decode()
        assert pl.read_csv(tmp_path / "f.csv").height == 2
    said = inside("plot", "trajectories", "groups.csv", "--by", "troop", "-o", "f.svg").stderr
    assert "Did you mean '--read where=…'?" in said.decode()
