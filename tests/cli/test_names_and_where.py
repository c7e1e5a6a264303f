"""At the shell: aliases, names to ignore, conditions, dates, and what is said about the data."""

import json
import os

import pytest

import peckorder as po

MESSY = (
    "Day,Winner,Loser,Behavior,Troop\n"
    "2020-01-01,abby,Bo,bite,n/1\n"
    "2020-01-02,Abby,Bo,chase,n/1\n"
    "2020-01-03,Abby,Cleo,bite,n/1\n"
    "2020-01-04,?,Cleo,bite,n/1\n"
    "2020-01-05,Bo,Cleo,groom,n/1\n"
    "2020-01-06,Eve,Fay,bite,south\n"
    "2020-01-07,Fay,Gus,bite,south\n"
    "2020-01-08,Eve,Gus,chase,south\n"
)


def said(done):
    return done.stderr.decode().splitlines()


def test_what_check_finds_is_said_by_commands_in_one_line_each(inside, sheet):
    sheet(MESSY, "messy.csv")
    done = inside("davids-score", "messy.csv")
    warned = [line for line in said(done) if line.startswith("Warning: ")]
    assert len(said(done)) == len(warned) == 2
    assert warned[0].startswith("Warning: 2 doubts were not decided: ")
    assert '"abby" (name)' in warned[0]
    assert '"peckorder check" shows them' in warned[0]
    assert warned[1].startswith("Warning: Troop: 2 groups are pooled in one ranking")
    assert (
        '--by Troop analyzes each, --read \'where=Troop = "n/1"\' selects one, --group ""'
        in (warned[1])
    )
    assert [line for line in said(inside("elo", "messy.csv")) if "Warning" in line] == warned
    slopes = said(inside("slopes", "messy.csv"))
    assert not any("--by" in line for line in slopes)  # which this command does not have
    assert any("individual; --read 'where=Troop = " in line for line in slopes)
    quiet = inside(
        *(
            "davids-score",
            "messy.csv",
            "--read",
            "ignore=?",
            "--group",
            "",
            "--read",
            "where=Troop = 'n/1'",
        ),
        *("--names", sheet("name,individual\nabby,Abby\n", "names.csv")),
    )
    assert not any(line.startswith("Warning") for line in said(quiet))
    apart = inside("davids-score", "messy.csv", "--by", "Troop")
    assert not any("pooled" in line or "sets of" in line for line in said(apart))
    result = json.loads(inside("davids-score", "messy.csv", "--format", "json").stdout)
    assert result["provenance"]["notes"] == [line.removeprefix("Warning: ") for line in warned]


def test_the_suggested_flags_work(inside, sheet):
    sheet(MESSY, "messy.csv")
    done = inside(
        "davids-score", "messy.csv", "--read", 'where=Troop = "n/1"', "--read", "ignore=?"
    )
    assert done.returncode == 0
    assert b"Eve" not in done.stdout
    assert b"?" not in done.stdout
    assert 'Note: 3 rows were dropped: condition not met (Troop = "n/1").' in said(done)
    assert 'Note: 1 row was dropped: ignored names ("?").' in said(done)


def test_aliases_are_proposed_written_and_used(inside, sheet, tmp_path):
    sheet(MESSY, "messy.csv")
    done = inside("check", "messy.csv", "--write-aliases", "aliases.csv")
    assert done.returncode == 0
    assert said(done) == [
        'Wrote aliases.csv. Correct the column "individual" where needed, then use the sheet with '
        "--read names=aliases.csv."
    ]
    written = (tmp_path / "aliases.csv").read_text()
    assert written == "name,individual,contests,similar to,difference\nabby,Abby,1,Abby,case\n"
    again = inside(
        "check", "messy.csv", "--read", "names=aliases.csv", "--write-aliases", "more.tsv"
    )
    assert "i Beside the 1 doubt about a name, no near-duplicate names." in again.stdout.decode()
    assert said(again) == ["Wrote more.tsv, which is empty: no spelling is doubtful."]
    assert inside("check", "messy.csv", "--read", "names=more.tsv").returncode == 0
    table = inside(
        "elo", "messy.csv", "--read", "names=aliases.csv", "--format", "csv"
    ).stdout.decode()
    assert "abby" not in table
    for flags, message in (
        (("--write-aliases", "messy.csv"), "is given twice"),
        (("--read", "names=aliases.csv", "--write-aliases", "aliases.csv"), "is given twice"),
        (("--write-aliases", "aliases.json"), "end the name in .csv or .tsv"),
        (("--write-aliases", "nowhere/aliases.csv"), "The folder does not exist"),
        (("--read", "names=lost.csv"), "File not found: lost.csv"),
    ):
        done = inside("check", "messy.csv", *flags)
        assert done.returncode in (1, 2)
        assert message in done.stderr.decode()
    assert (tmp_path / "aliases.csv").read_text() == written


@pytest.mark.parametrize(
    "command", ["davids-score", "linearity", "network", "check", "compare", "unknown-dyads"]
)
def test_dates_select_contests_for_orders_and_measures(command, inside, sheet):
    sheet(MESSY, "messy.csv")
    done = inside(command, "messy.csv", "--from", "2020-01-02", "--to", "2020-01-05")
    assert done.returncode == 0, done.stderr
    assert (
        "4 contests were left out by --from 2020-01-02 --to 2020-01-05."
        in (done.stderr + done.stdout).decode()
    )
    assert b"Gus" not in done.stdout
    late = inside(command, "messy.csv", "--from", "2021-01-01")
    assert late.returncode == 3
    assert "contests run from 2020-01-01 to 2020-01-08" in (late.stderr + late.stdout).decode()
    assert b"is not a date" in inside(command, "messy.csv", "--to", "soon").stderr


def test_commands_that_rate_show_a_window_of_all_contests(inside, sheet):
    sheet(MESSY, "messy.csv")
    whole, window = (
        inside("elo", "messy.csv", "--at", "2020-01-02", "--format", "csv", *more)
        for more in ((), ("--from", "2020-01-02"))
    )
    ratings = [line.split(",")[:2] for line in whole.stdout.decode().splitlines()]
    assert [line.split(",")[:2] for line in window.stdout.decode().splitlines()] == ratings
    done = inside("randomized-elo", "messy.csv", "--from", "2020-01-02", "--seed", "1")
    assert done.returncode == 0  # another question: the contests from that day on


def test_conditions_are_refused_with_their_place(inside, sheet):
    sheet(MESSY, "messy.csv")
    done = inside("elo", "messy.csv", "--read", "where=Behavior = bite")
    assert done.returncode == 2
    assert said(done) == [
        'Error: --read where: put text in quotes: "bite".',
        "  Behavior = bite",
        "             ^",
    ]
    done = inside("elo", "messy.csv", "--read", 'where=behavior = "growl"')
    assert done.returncode == 3
    assert "no row meets the condition" in done.stderr.decode()


def test_the_window_and_the_condition_are_those_of_python(inside, sheet):
    path = sheet(MESSY, "messy.csv")
    where = 'behavior in ("bite", "chase") and not troop = "south"'
    shell = inside(
        "davids-score", "messy.csv", "--read", f"where={where}", "--format", "csv"
    ).stdout.decode()
    found = po.davids_score(po.read(path).filter(where))
    assert shell == found.as_polars().write_csv()
    assert po.davids_score(po.read(path, where=where)).table.equals(found.table)


def test_one_report_for_each_group(inside, sheet, tmp_path):
    sheet(MESSY + "2020-01-09,Zed,Yip,bite,../x\n", "messy.csv")
    done = inside(
        *("report", "messy.csv", "--by", "Troop", "-o", "out.html", "--methods", "davids_score"),
        *("--runs", "100", "--seed", "1", "--read", 'where=Behavior != "groom"'),
    )
    assert done.returncode == 0, done.stderr
    files = sorted(name for name in os.listdir(tmp_path) if name.endswith(".html"))
    assert files == ["out-n_1.html", "out-south.html", "out-x.html", "out.html"]
    page = (tmp_path / "out-south.html").read_text()
    assert "Eve" in page
    assert "Cleo" not in page
    assert "messy.csv: south" in page
    assert "(Behavior != &#34;groom&#34;) and `Troop` = &#34;south&#34;" in page  # its commands
    assert "pooled" not in done.stderr.decode()
    done = inside("report", "messy.csv", "--by", "Weather")
    assert done.returncode == 3


def test_groups_that_cannot_be_analyzed_are_omitted(tmp_path):
    crowd = [f"animal {i}" for i in range(302)]
    good = po.read((["a", "b", "a"], ["b", "c", "c"]))
    groups = {"good": good, "crowd": po.read((crowd[:-1], crowd[1:]))}
    settings = {"methods": "davids_score", "runs": 100, "seed": 1}
    with pytest.warns(po.DataWarning, match="crowd was omitted: "):
        paths = po.report(groups, tmp_path / "h.html", **settings)
    assert paths == {"good": tmp_path / "h-good.html"}
    del groups["good"]
    with pytest.raises(po.DataError, match="No group can be analyzed"):
        po.report(groups, tmp_path / "h.html", **settings)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["h-good.html", "h.html"]
