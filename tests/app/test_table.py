"""The cells of a sheet, and which rows gave no contest for which reason."""

import numpy as np
import pytest

from peckorder.app.reading import read_record
from peckorder.app.table import runs, table_of, window
from peckorder.app.uploads import stored
from tests.app.visitor import MESSY


def both(tmp_path, text, name="contests.csv", **decided):
    reading = read_record(stored(tmp_path, name, text.encode()), decided, None)
    return reading, table_of(reading)


def test_reasons_agree_with_the_import_report(tmp_path):
    sheet = MESSY.replace("2023-03-10", ",,,,,\n2023-03-10")
    reading, table = both(tmp_path, sheet, ignore=["?"])
    report = reading.data.report
    assert (table.first_row, table.height) == (4, 11)
    numbers = {why: (places + table.first_row).tolist() for why, places in table.reasons.items()}
    assert numbers == {
        "several individuals in one cell": [8],
        'ignored names ("?")': [9],
        "winner and loser are the same individual": [10],
        "no outcome": [12],
        "blank rows": [13],
    }
    assert sum(map(len, table.reasons.values())) == sum(report.dropped.values())
    assert (table.kept == 0).sum() == sum(report.dropped.values())


def test_rows_of_a_condition(tmp_path):
    _, table = both(tmp_path, MESSY, where='remarks = "rain"', missing="drop")
    assert table.kept.sum() == 1
    assert len(table.reasons['condition not met (remarks = "rain")']) >= 6


def test_titles_and_cells(tmp_path):
    reading, table = both(tmp_path, MESSY, names={"abby": "Abby"})
    assert table.titles[0].startswith("Agonism 2023")
    assert table.columns == ["date", "initiator", "receiver", "winner", "place", "remarks"]
    seen = window(reading, table, 2, 3, None)
    assert (seen["total"], seen["from"], len(seen["rows"])) == (10, 2, 3)
    first, second, third = seen["rows"]
    assert (first["place"], first["number"], first["contests"]) == (2, 6, 1)
    assert first["cells"] == ["2023-03-03", "Abby", "Cora", "Abby", "North", "rain"]
    assert second["changed"] == {"1": "Abby", "3": "Abby"}
    assert third["why"] == "several individuals in one cell"


def test_only_some_rows(tmp_path):
    reading, table = both(tmp_path, MESSY)
    seen = window(reading, table, 0, 10, np.array([4, 6]))
    assert [row["place"] for row in seen["rows"]] == [4, 6]
    assert window(reading, table, 9, 10, None)["rows"][0]["number"] == 13
    assert window(reading, table, 99, 10, None)["rows"] == []


def test_a_matrix_has_no_reasons(tmp_path):
    _, table = both(tmp_path, "winner,a,b,c\na,0,2,3\nb,1,0,2\nc,0,0,0\n")
    assert table.height == 3
    assert table.reasons == {}


def test_a_file_that_is_no_table(tmp_path):
    _, table = both(tmp_path, "\0\1", "a.csv")
    assert (table.columns, table.height) == ([], 0)


@pytest.mark.parametrize("places", [[], [0], [1, 2, 3], [5, 1, 9, 2, 10, 3]])
def test_runs_can_be_unpacked(places):
    found = [first + i for first, length in runs(np.array(places, int)) for i in range(length)]
    assert found == sorted(places)
