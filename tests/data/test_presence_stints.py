"""Stints by first and last day: lists of individuals, several stints, open ends."""

import csv
import datetime as dt
import io

import numpy as np
import pytest

import peckorder as po

NAMES = ("Abe", "Bo", "Cy")
FIRST = dt.date(2020, 1, 1)


def days_of(presence, number=60):
    out = set()
    for i in range(number):
        day = FIRST + dt.timedelta(days=i)
        here = presence.at(np.datetime64(day), NAMES)
        out |= {(name, day) for name, present in zip(NAMES, here, strict=True) if present}
    return out


def plain_stints(text, pairs, number=60):
    """(individual, day) pairs by comparing every day with every pair of columns."""
    out = set()
    for row in csv.DictReader(io.StringIO(text)):
        for starts, ends in pairs:
            start = next((row[c] for c in starts if row[c]), None)
            end = next((row[c] for c in ends if row[c]), "9999-12-31")
            if start is None:
                continue
            for i in range(number):
                day = FIRST + dt.timedelta(days=i)
                if start <= day.isoformat() <= end:
                    out.add((row["id"], day))
    return out


LISTS = {
    "arrival and departure": (
        "id,sex,arrival,departure\nAbe,m,2020-01-03,2020-01-20\nBo,f,2020-01-01,\n",
        [(["arrival"], ["departure"])],
    ),
    "birth and death": (
        "id,date of birth,date of death\nAbe,2019-05-01,2020-01-20\nBo,2020-01-15,\n",
        [(["date of birth"], ["date of death"])],
    ),
    "birth, arrival, departure and death": (
        "id,birth,arrival,departure,death\nAbe,2010-01-01,2020-01-10,2020-01-20,2020-02-01\n"
        "Bo,2020-01-05,,,2020-01-31\nCy,2020-01-02,,,\n",
        [(["arrival", "birth"], ["departure", "death"])],
    ),
    "first and last seen": (
        "name,First seen,Last seen\nAbe,2020-01-01,2020-01-09\n".replace("name", "id"),
        [(["First seen"], ["Last seen"])],
    ),
    "several stints a row": (
        "id,from1,to1,from2,to2\nAbe,2020-01-02,2020-01-05,2020-01-10,2020-01-12\n"
        "Bo,2020-01-01,2020-01-03,,\nCy,2020-01-01,2020-01-03,2020-01-09,\n",
        [(["from1"], ["to1"]), (["from2"], ["to2"])],
    ),
    "several rows": (
        "id,from,to\nAbe,2020-01-02,2020-01-05\nBo,2020-01-01,\nAbe,2020-01-10,\n",
        [(["from"], ["to"])],
    ),
    "no ends": ("id,arrival\nAbe,2020-01-02\nBo,2020-01-30\n", [(["arrival"], [])]),
}


@pytest.mark.parametrize("name", LISTS)
def test_lists_equal_a_plain_reader(name, sheet):
    text, pairs = LISTS[name]
    expected = plain_stints(text, pairs)
    assert days_of(po.read_presence(sheet(text))) == expected
    assert expected


def test_repeated_labels_form_pairs(sheet):
    text = "id,from,to,from,to\nAbe,2020-01-02,2020-01-05,2020-01-10,2020-01-12\n"
    presence = po.read_presence(sheet(text))
    assert len(presence.individual) == 2
    assert presence.notes[0].startswith("Each row has up to 2 stints")


def test_random_stints_equal_a_plain_reader(sheet):
    rng = np.random.default_rng(3)
    for _ in range(10):
        rows = ["id,start_1,end_1,start_2,end_2"]
        for name in NAMES:
            a, b, c, d = np.sort(rng.choice(55, 4, replace=False)).tolist()
            days = [(FIRST + dt.timedelta(days=i)).isoformat() for i in (a, b, c, d)]
            if rng.random() < 0.3:
                days[2] = days[3] = ""
            elif rng.random() < 0.3:
                days[3] = ""
            rows.append(",".join([name, *days]))
        text = "\n".join(rows) + "\n"
        pairs = [(["start_1"], ["end_1"]), (["start_2"], ["end_2"])]
        assert days_of(po.read_presence(sheet(text))) == plain_stints(text, pairs)


def test_what_was_decided_is_noted(sheet):
    notes = po.read_presence(sheet(LISTS["birth, arrival, departure and death"][0])).notes
    assert 'The first day of an individual is "arrival" or, if that is empty, "birth".' in notes
    assert 'The last day of an individual is "departure" or, if that is empty, "death".' in notes
    notes = po.read_presence(sheet(LISTS["several stints a row"][0])).notes
    assert notes == (
        'Each row has up to 2 stints: "from1" to "to1"; "from2" to "to2".',
        "Abe was absent after 2020-01-05, until 2020-01-10.",
        "Cy was absent after 2020-01-03, until 2020-01-09.",
    )
    notes = po.read_presence(sheet(LISTS["no ends"][0])).notes
    assert notes == ("There is no column of last days: all individuals remain present.",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "id,from1,to1,from2,to2\nAbe,2020-01-02,2020-01-09,2020-01-05,2020-01-12\n",
            'Row 2: two stints of "Abe" overlap (until 2020-01-09, and from 2020-01-05)',
        ),
        ("id,from1,to1,from2\nAbe,2020-01-02,,2020-02-01\n", "do not form pairs"),
        (
            "id,from1,to1,from2,to2\nAbe,2020-01-02,2020-01-09,,2020-01-12\n",
            'Row 2: no date in column "from2"',
        ),
        ("id,arrival,first_seen,departure\nAbe,2020-01-01,2020-01-02,\n", "several columns may"),
        ("id,arrival,departure\nAbe,03/04/2020,05/06/2020\n", "are ambiguous"),
        ("id,arrival,departure\nAbe,2020-01-01,12\n", "both be dates, or both numbers"),
        ("id,arrival,departure\nAbe,unknown,2020-01-12\n", "cannot be read as a date"),
        ("id,birth,death\nAbe,2020-01-05,2020-01-01\n", "before it starts"),
    ],
)
def test_refused(sheet, text, message):
    with pytest.raises(po.DataError) as error:
        po.read_presence(sheet(text))
    assert message in str(error.value)


def test_a_column_may_be_chosen(sheet):
    text = "id,arrival,first_seen,departure\nAbe,2020-01-01,2020-01-02,\n"
    presence = po.read_presence(sheet(text), start="first_seen")
    assert presence.start.tolist() == [dt.date(2020, 1, 2)]
