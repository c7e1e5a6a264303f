"""Sheets with a trap are read right, or what is doubtful is named (see `field_sheets`)."""

import pytest

import peckorder as po
from tests.field_sheets import cases, read_case, readings, table
from tests.field_traps import FURTHER


@pytest.fixture(scope="module")
def found():
    return readings()


def named(chosen):
    return [f"{one.case.family}: {one.case.habit}" for one in chosen]


def test_no_sheet_is_misread_in_silence(found):
    assert len(found) >= 300, table(found)
    assert named(one for one in found if one.outcome == "WRONG") == []


def test_clean_sheets_raise_no_doubt(found):
    assert named(one for one in found if one.alarm) == []


def test_most_sheets_are_read_right_at_once(found):
    """Of those from which contests can be read."""
    readable = [one for one in found if not one.case.unreadable]
    assert sum(one.outcome == "right" for one in readable) >= 0.6 * len(readable), table(found)


def test_the_first_remedy_is_right(found):
    assert sum(one.remedied for one in found) >= 0.9 * len(found), table(found)


def test_no_sheet_of_a_hostile_tester_is_misread_in_silence(tmp_path):
    """Most of these are to be asked about; the first remedy offered is right for most."""
    found = [read_case(case, tmp_path) for family in FURTHER for case in family()]
    assert len(found) >= 300, table(found)
    assert named(one for one in found if one.outcome == "WRONG") == []
    assert named(one for one in found if one.alarm) == []
    assert sum(one.remedied for one in found) >= 0.85 * len(found), table(found)


@pytest.mark.slow
def test_every_choice_of_a_doubt_can_be_given_as_it_is_written(tmp_path):
    tried = 0
    for case in [*cases(), *(case for family in FURTHER for case in family())]:
        source = case.opened(tmp_path)
        try:
            doubts = po.read(source).doubts
        except po.DataError:
            continue
        for choice in [choice for doubt in doubts for choice in doubt.choices if choice.edits]:
            tried += 1
            po.read(source, **choice.arguments())
    assert tried >= 580


@pytest.mark.filterwarnings("ignore::peckorder.DataWarning")
def test_members_without_contests_count_as_in_a_matrix():
    """Steepness and linearity equal those of the matrix with its empty rows."""
    data = po.read((["a", "a", "b"], ["b", "c", "c"]), individuals=["a", "b", "c", "d", "e"])
    wins = [[0, 1, 1, 0, 0], [0, 0, 1, 0, 0], *[[0] * 5] * 3]
    table = po.read(po.Matrix(["a", "b", "c", "d", "e"], wins).wins, individuals=[*"abcde"])
    assert data.individuals == table.individuals
    assert (data.matrix().wins == table.matrix().wins).all()
    for measure in (po.steepness, po.linearity):
        both = [measure(one, runs=200, seed=1) for one in (data, table)]
        assert both[0].values == both[1].values
    assert po.steepness(data, runs=200, seed=1).value < 0.5
    elo = dict(po.elo(data, k=100).table.select("individual", "rating").rows())
    assert elo["d"] == elo["e"] == 1000
