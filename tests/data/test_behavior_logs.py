"""Behavior logs of BORIS, ZooMonitor and Animal Observer, against a plain reader.

The files in tests/data/logs are written by hand; their columns are those of the exports: BORIS 8
(tabular and aggregated events) and BORIS 7 (tabular events below lines on the observation), a
report of a study of ZooMonitor, and the table of behaviors that the toolbox of Animal Observer
makes.
"""

import csv
import datetime as dt
import io
import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import peckorder as po
from peckorder.data.behavior_logs import recognized
from peckorder.data.sources import open_sheet

LOGS = Path(__file__).parent / "logs"
CASES = {
    "boris_tabular.csv": (["displace", "chase"], ["submit"]),
    "boris_tabular_v7.tsv": (["peck", "chase"], ["avoid"]),
    "boris_aggregated.tsv": (["supplant", "chase"], ["flee"]),
    "zoomonitor.csv": (["Displace"], ["Avoid"]),
    "animal_observer.csv": (["Aggresses", "Supplants"], ["Avoids"]),
}


def told(data):
    """(winner, loser, time) of each contest."""
    names = data.individuals
    stamps = data.date.astype("datetime64[us]").astype(dt.datetime).tolist()
    sides = zip(data.winner, data.loser, stamps, strict=True)
    return [(names[one], names[other], when) for one, other, when in sides]


def plain_boris(text, won, lost, separator=","):
    """Contests of BORIS events, row by row."""
    lines = list(csv.reader(io.StringIO(text), delimiter=separator))
    above, begin = {}, 0
    while "Subject" not in lines[begin]:
        if lines[begin] and lines[begin][0]:
            above[lines[begin][0]] = lines[begin][1]
        begin += 1
    out = []
    for row in lines[begin + 1 :]:
        cells = {**above, **dict(zip(lines[begin], row, strict=True))}
        kind = cells.get("Behavior type") or cells.get("Status")
        if kind == "STOP" or cells["Behavior"] not in [*won, *lost]:
            continue
        start = dt.datetime.fromisoformat(cells["Observation date"])
        seconds = float(cells.get("Time") or cells.get("Start (s)"))
        when = start + dt.timedelta(seconds=seconds)
        for whom in (cells.get("Modifier #1") or cells["Modifier 1"]).split(","):
            pair = (cells["Subject"], whom)
            out.append((*(pair if cells["Behavior"] in won else pair[::-1]), when))
    return sorted(out, key=lambda contest: contest[2])


@pytest.mark.parametrize("name", [name for name in CASES if name.startswith("boris")])
def test_events_of_boris_equal_a_plain_reader(name):
    won, lost = CASES[name]
    data = po.read(LOGS / name, winner_behaviors=won, loser_behaviors=lost)
    separator = "\t" if name.endswith("tsv") else ","
    expected = plain_boris((LOGS / name).read_text(), won, lost, separator)
    assert told(data) == expected
    assert len(expected) >= 3


def test_zoomonitor_and_animal_observer():
    data = po.read(LOGS / "zoomonitor.csv", winner_behaviors="Displace", loser_behaviors="Avoid")
    assert told(data) == [
        ("Ash", "Bay", dt.datetime(2022, 2, 1, 15, 1, 5)),
        ("Bay", "Cove", dt.datetime(2022, 2, 1, 15, 4, 12)),
        ("Ash", "Bay", dt.datetime(2022, 2, 1, 15, 6, 40)),
        ("Ash", "Cove", dt.datetime(2022, 2, 1, 15, 6, 40)),
    ]
    assert data.report.dropped == {
        'no behavior in column "All Occurrence Value"': 1,
        "other behaviors: Scent mark (1)": 1,
    }
    won, lost = CASES["animal_observer.csv"]
    data = po.read(LOGS / "animal_observer.csv", winner_behaviors=won, loser_behaviors=lost)
    assert told(data) == [
        ("IZI", "ITO", dt.datetime(2019, 7, 17, 20, 36, 16)),
        ("ITO", "KBH", dt.datetime(2019, 7, 17, 20, 37, 40)),
        ("IZI", "ISA", dt.datetime(2019, 7, 17, 20, 38, 2)),
    ]


@pytest.mark.parametrize("name", CASES)
def test_an_unstated_log_is_refused_with_its_behaviors_and_flags(name):
    with pytest.raises(po.DataError) as refused:
        po.read(LOGS / name)
    message = str(refused.value)
    won, lost = CASES[name]
    for behavior in [*won, *lost]:
        assert re.search(rf"{behavior} \(\d+\)", message)
    # The flags in the message are the ones to type.
    flags = dict(re.findall(r'(winner_behaviors|loser_behaviors)="([^"]+)"', message))
    data = po.read(LOGS / name, **flags)
    assert told(data) == told(po.read(LOGS / name, winner_behaviors=won, loser_behaviors=lost))


@pytest.mark.parametrize("name", CASES)
def test_the_report_repeats_the_reading(name):
    won, lost = CASES[name]
    data = po.read(LOGS / name, winner_behaviors=won, loser_behaviors=lost)
    again = po.read(data.report.path, **data.report.options)
    assert told(again) == told(data)
    assert again.hash == data.hash
    note = next(note for note in data.report.notes if note.startswith("Read as "))
    assert "winner_behaviors=" in note
    assert data.report.rows_kept == data.report.rows_in - sum(data.report.dropped.values())


def test_rows_are_those_of_the_file():
    data = po.read(LOGS / "boris_tabular_v7.tsv", winner_behaviors="peck", loser_behaviors="avoid")
    lines = (LOGS / "boris_tabular_v7.tsv").read_text().splitlines()
    for place, behavior in enumerate(("peck", "avoid")):
        assert f"\t{behavior}\t" in lines[data.row_of([place])[0] - 1]
    frame = pl.read_csv(LOGS / "boris_tabular.csv", infer_schema=False)
    data = po.read(frame, winner_behaviors="displace")
    assert sorted(set(data.row_of(range(len(data))))) == [0, 6]


@pytest.mark.parametrize("separator", ["\t", ",", ";"])
def test_short_lines_above_the_header_are_refused_with_a_remedy(separator, tmp_path):
    whole = LOGS / "boris_tabular_v7.tsv"
    lines = whole.read_text().splitlines()
    short = [line.rstrip("\t") if i < 16 else line for i, line in enumerate(lines)]
    path = tmp_path / "short.csv"
    path.write_text("\n".join(short).replace("\t", separator) + "\n")
    won = {"winner_behaviors": ["peck", "chase"], "loser_behaviors": "avoid"}
    with pytest.raises(po.DataError, match="column names are in another row, give it with header="):
        po.read(path, **won)
    data, expected = po.read(path, header=17, **won), po.read(whole, **won)
    assert data.rows.tolist() == expected.rows.tolist()


def test_comments_and_variables_are_kept():
    data = po.read(LOGS / "boris_tabular.csv", winner_behaviors="chase", loser_behaviors="submit")
    assert set(data.context.names) == {"chase", "submit"}
    assert "long chase" in data.extra["Comment"].to_list()
    assert data.extra["Troop size"].unique().to_list() == ["14"]
    grouped = po.read(
        LOGS / "boris_tabular.csv",
        winner_behaviors="chase",
        loser_behaviors="submit",
        group="Observation id",
    )
    assert set(grouped.group.names) == {"focal-07", "focal-08"}


def test_behaviors_may_be_given_by_category():
    data = po.read(
        LOGS / "boris_tabular.csv", context="Behavioral category", winner_behaviors="agonistic"
    )
    assert len(data) == 6


def boris(
    rows, header="Observation id,Observation date,Subject,Behavior,Modifiers,Behavior type,Time"
):
    return pl.read_csv(io.StringIO("\n".join([header, *rows])), infer_schema=False)


def test_modifiers_in_one_cell_and_several_candidates():
    one = boris(
        [
            "o,2020-01-01 10:00:00,Abe,displace,Bo|high,POINT,1",
            "o,2020-01-01 10:00:00,Bo,displace,Cy|low,POINT,2",
        ]
    )
    data = po.read(one, winner_behaviors="displace")
    assert [contest[:2] for contest in told(data)] == [("Abe", "Bo"), ("Bo", "Cy")]
    assert any('only "Modifiers #1"' in note for note in data.report.notes)
    unclear = boris(
        [
            "o,2020-01-01 10:00:00,Abe,displace,Bo|Cy,POINT,1",
            "o,2020-01-01 10:00:00,Bo,displace,Cy|Abe,POINT,2",
            "o,2020-01-01 10:00:00,Cy,displace,Abe|Bo,POINT,3",
        ]
    )
    with pytest.raises(po.DataError, match="several columns may contain the other individual"):
        po.read(unclear, winner_behaviors="displace")
    data = po.read(unclear, winner_behaviors="displace", other="Modifiers #2")
    assert [contest[:2] for contest in told(data)] == [("Abe", "Cy"), ("Bo", "Abe"), ("Cy", "Bo")]


def test_times_as_clock_offset_and_epoch():
    clock = boris(["o,2020-01-01 10:00:00,Abe,win,Bo,POINT,00:01:02.500"])
    assert told(po.read(clock, winner_behaviors="win"))[0][2] == dt.datetime(
        2020, 1, 1, 10, 1, 2, 500000
    )
    header = "Observation date,Time offset (s),Subject,Behavior,Modifiers,Behavior type,Time"
    shifted = boris(["2020-01-01 10:00:00,36000,Abe,win,Bo,POINT,36010"], header)
    assert told(po.read(shifted, winner_behaviors="win"))[0][2] == dt.datetime(
        2020, 1, 1, 10, 0, 10
    )
    seconds = (dt.datetime(2024, 3, 1, 8) - dt.datetime(1970, 1, 1)).total_seconds()
    epoch = boris([f"o,2020-01-01 10:00:00,Abe,win,Bo,POINT,{seconds}"])
    assert told(po.read(epoch, winner_behaviors="win"))[0][2] == dt.datetime(2024, 3, 1, 8)
    late = po.read(boris(["o,2020-01-01 20:00:00,Abe,win,Bo,POINT,50400"]), winner_behaviors="win")
    assert any("later day" in note for note in late.report.notes)
    day = po.read(
        boris(["o,2020-01-01 20:00:00,Abe,win,Bo,POINT,50400"]), winner_behaviors="win", time=""
    )
    assert told(day)[0][2] == dt.datetime(2020, 1, 1, 20)
    with pytest.raises(po.DataError, match="is not a number of seconds"):
        po.read(boris(["o,2020-01-01 20:00:00,Abe,win,Bo,POINT,soon"]), winner_behaviors="win")


def test_without_dates_times_order_each_observation():
    header = "Observation id,Subject,Behavior,Modifiers,Behavior type,Start (s),Stop (s)"
    rows = ["x,Abe,win,Bo,POINT,9,9", "x,Bo,win,Cy,STATE,2,4", "y,Cy,win,Abe,POINT,1,1"]
    data = po.read(boris(rows, header), winner_behaviors="win")
    assert data.date is None
    names = data.individuals
    assert [names[w] for w in data.winner] == ["Bo", "Abe", "Cy"]


def test_states_without_start_are_reported():
    log = boris(
        [
            "o,2020-01-01 10:00:00,Abe,chase,Bo,STOP,1",
            "o,2020-01-01 10:00:00,Bo,chase,Abe,START,2",
            "o,2020-01-01 10:00:00,Bo,chase,Abe,STOP,3",
        ]
    )
    data = po.read(log, winner_behaviors="chase")
    assert len(data) == 1
    assert any("has no start in the file" in note and "0" in note for note in data.report.notes)


def test_missing_individuals():
    log = boris(
        [
            "o,2020-01-01 10:00:00,Abe,win,None,POINT,1",
            "o,2020-01-01 10:00:00,No focal subject,win,Bo,POINT,2",
            "o,2020-01-01 10:00:00,Abe,win,Bo,POINT,3",
        ]
    )
    with pytest.raises(po.DataError, match='Positions 0 and 1.*missing="drop"'):
        po.read(log, winner_behaviors="win")
    data = po.read(log, winner_behaviors="win", missing="drop")
    assert len(data) == 1
    assert data.report.dropped["no winner or no loser"] == 2


def test_wrong_arguments():
    path = LOGS / "boris_tabular.csv"
    with pytest.raises(ValueError, match='no such behavior.*Did you mean "displace"'):
        po.read(path, winner_behaviors="Displace")
    with pytest.raises(ValueError, match="Give each behavior once"):
        po.read(path, winner_behaviors="chase", loser_behaviors="chase")
    with pytest.raises(po.DataError, match='no column "Modifier #9"'):
        po.read(path, winner_behaviors="chase", other="Modifier #9")
    with pytest.raises(ValueError, match='not to kind="matrix"'):
        po.read(path, winner_behaviors="chase", kind="matrix")
    for unstated in ({"kind": "events"}, {"winner_behaviors": []}):
        with pytest.raises(po.DataError, match="Name those that the individual"):
            po.read(path, **unstated)
    with pytest.raises(ValueError, match="not to a behavior log"):
        po.read(path, winner_behaviors="chase", stream=True)
    with pytest.raises(ValueError, match="was not recognized as one"):
        po.read({"winner": ["a"], "loser": ["b"]}, other="x")


def test_interval_samples_of_zoomonitor_need_columns():
    table = pl.read_csv(LOGS / "zoomonitor.csv", infer_schema=False).drop(
        "All Occurrence Value", "All Occurrence Behavior Social Modifier"
    )
    with pytest.raises(po.DataError, match="interval samples"):
        po.read(table, winner_behaviors="Play")
    data = po.read(table, winner_behaviors="Play", context="Interval Channel 1 Value")
    assert len(data) == 2


def test_a_list_with_actor_and_recipient():
    """As in tables of CyberTracker, whose columns every user defines."""
    table = {
        "Date": ["2020-01-01", "2020-01-02", "2020-01-03"],
        "Actor": ["Abe", "Bo", "Cy"],
        "Recipient": ["Bo", "Cy", "Abe"],
        "Behavior": ["chase", "flee", "groom"],
    }
    data = po.read(table, winner_behaviors="chase", loser_behaviors="flee")
    assert [contest[:2] for contest in told(data)] == [("Abe", "Bo"), ("Cy", "Bo")]
    assert data.report.dropped == {"other behaviors: groom (1)": 1}
    with pytest.raises(po.DataError, match="require a column of behaviors"):
        po.read({"actor": ["a"], "recipient": ["b"]}, winner_behaviors="chase")


def test_two_columns_of_subjects_are_refused(sheet):
    text = (LOGS / "boris_tabular_v7.tsv").read_text().replace("Total length", "Subject")
    with pytest.raises(po.DataError, match='several columns are called "Subject'):
        po.read(sheet(text, "twice.tsv"), winner_behaviors="peck")


def test_other_tables_are_no_logs():
    for table in (
        {"winner": ["a"], "loser": ["b"], "behavior": ["x"]},
        {"subject": ["a"], "behavior": ["b"]},
        {"home": ["a"], "away": ["b"], "home_points": [1], "away_points": [0]},
    ):
        assert recognized(open_sheet(table)) is None


def test_random_logs_equal_the_plain_reader():
    rng = np.random.default_rng(4)
    header = [
        "Observation id",
        "Observation date",
        "Subject",
        "Behavior",
        "Modifier #1",
        "Behavior type",
        "Time",
    ]
    names, words = ["Abe", "Bo", "Cy", "Dee"], ["hit", "run", "rest"]
    rows = [header]
    for i in range(400):
        one, other = rng.choice(4, 2, replace=False)
        day = f"2021-0{rng.integers(1, 9)}-{rng.integers(10, 28)} 0{rng.integers(0, 9)}:00:00"
        kind = str(rng.choice(["POINT", "START", "STOP"]))
        seconds = f"{i + rng.integers(0, 1000) / 1000:.3f}"
        rows.append([f"o{i}", day, names[one], words[rng.integers(3)], names[other], kind, seconds])
    text = "\n".join(",".join(row) for row in rows)
    data = po.read(
        pl.read_csv(io.StringIO(text), infer_schema=False),
        winner_behaviors=["hit"],
        loser_behaviors=["run"],
    )
    assert told(data) == plain_boris(text, ["hit"], ["run"])


TARGETS = """Time,Subject,Behavior,Modifiers,Target,Status
1.2,Abe,groom,,Bo,POINT
2.5,Abe,attack,,Bo,POINT
3.1,Bo,flee,,Abe,POINT
4.8,Cy,attack,,Bo,POINT
"""


def test_the_other_individual_is_found_where_modifiers_are_empty(sheet):
    """Copying what the message offers reads the sheet, and grooming is no contest."""
    with pytest.raises(po.DataError, match="winner_behaviors=") as error:
        po.read(sheet(TARGETS))
    assert str(error.value).endswith('winner_behaviors="attack", loser_behaviors="flee"')
    data = po.read(sheet(TARGETS), winner_behaviors="attack", loser_behaviors="flee")
    sides = [
        (data.individuals[w], data.individuals[x])
        for w, x in zip(data.winner, data.loser, strict=True)
    ]
    assert sides == [("Abe", "Bo"), ("Abe", "Bo"), ("Cy", "Bo")]
    assert any(
        'No individual is in "Modifiers", but column "Target"' in n for n in data.report.notes
    )


def test_behaviors_that_are_no_contests_are_not_offered(sheet):
    friendly = sheet(re.sub("attack|flee", "play", TARGETS))
    with pytest.raises(po.DataError, match="others are not counted.$"):
        po.read(friendly)
    plain = sheet("Subject,Behavior,Target\nAbe,groom,Bo\nAbe,attack,Bo\nBo,flee,Abe\n")
    with pytest.raises(po.DataError, match='winner_behaviors="attack" and loser_behaviors="flee"'):
        po.read(plain)
