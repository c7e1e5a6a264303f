"""`peckorder displacements`: contests from visits, gaps, and errors."""

from __future__ import annotations

import json

import polars as pl
import pytest

import peckorder as po

VISITS = """Tag;Feeder;Start;End
Abe;1;2026-01-05 09:00:00;2026-01-05 09:00:30
Bo;1;2026-01-05 09:00:31;2026-01-05 09:01:10
Cy;2;2026-01-05 09:00:31;2026-01-05 09:00:40
Di;2;2026-01-05 09:00:50;
"""


@pytest.fixture
def visits(tmp_path):
    (tmp_path / "visits.csv").write_text(VISITS)
    return "visits.csv"


def test_contests_that_other_commands_read(visits, inside, tmp_path):
    flags = ("--within", "10s", "--missing-end", "start")
    done = inside("displacements", visits, *flags, "-o", "contests.csv")
    assert done.returncode == 0, done.stderr
    assert done.stderr.decode().splitlines() == [
        "Note: 1 visit without an end counted as a detection at the start.",
        "Note: 4 visits to 2 places: 2 displacements within 10 s.",
        "Wrote contests.csv.",
    ]
    data = po.read(tmp_path / "contests.csv")
    expected = po.displacements(tmp_path / visits, within=10, missing_end="start")
    assert data.hash == expected.hash
    printed = inside("displacements", visits, *flags)
    assert printed.stdout == (tmp_path / "contests.csv").read_bytes()
    assert inside("elo", "contests.csv").returncode == 0


def test_gaps(visits, inside, tmp_path):
    flags = ("--missing-end", "start", "--thresholds", "1s, 10s")
    done = inside("displacements", visits, "--gaps", *flags, "--format", "json")
    found = json.loads(done.stdout)
    assert [row["displacements"] for row in found["result"]["table"]] == [1, 2]
    table = inside("displacements", visits, "--gaps", *flags)
    assert b"2 arrivals after another individual had left" in table.stdout
    drawn = inside("plot", "gaps", visits, "-o", "gaps.svg", "-o", "gaps.csv", *flags)
    assert drawn.returncode == 0, drawn.stderr
    assert pl.read_csv(tmp_path / "gaps.csv")["arrivals"].sum() == 2


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ((), "Give the threshold with --within, such as --within 2s. --gaps shows how many"),
        (("--within", "soon"), "--within soon: give a duration of at least 0"),
        (("--within", "2s"), 'Row 5: no end in column "End". Enter it, or use --missing-end start'),
        (("--within", "2s", "--gaps"), "use --thresholds, not --within"),
        (("--within", "2s", "--thresholds", "1s"), "--thresholds requires --gaps"),
        (("--within", "2s", "--place", "nest"), 'no column "nest", given as --place'),
        (("--within", "2s", "--format", "table"), "written as csv, tsv, json or parquet"),
        (
            ("--within", "0", "--missing-end", "start"),
            "no displacements within 0 s. The shortest time from a departure to the next arrival "
            "is 1 s; --gaps shows all of them.",
        ),
    ],
)
def test_errors(visits, inside, flags, message):
    done = inside("displacements", visits, *flags)
    assert done.returncode in (2, 3)
    assert message in done.stderr.decode().replace("\n", " ")


def test_a_file_that_is_not_there(inside):
    done = inside("displacements", "gone.csv", "--within", "2s")
    assert done.returncode == 2
    assert b"File not found: gone.csv." in done.stderr
