"""What cannot be read is a doubt with rows and choices; everything else is seen meanwhile."""

from pathlib import Path

import pytest

import peckorder as po
from peckorder.data.proposal import choices_named, proposal
from peckorder.errors import DataError

FIELD = Path(__file__).parent.parent / "field"
SHEET = "date,winner,loser\n" + "".join(
    f"2020-01-{1 + i % 28:02d},{'ab'[i % 2]},{'cd'[i % 3 % 2]}\n" for i in range(159)
)


@pytest.fixture
def bad(tmp_path):
    """160 rows, one of them with a date that is none."""
    path = tmp_path / "bad.csv"
    path.write_text(SHEET + "2020-13-45,a,b\n")
    return str(path)


def test_one_bad_date_costs_one_row(bad):
    found = proposal(lambda _: bad, {})
    assert (len(found.data), found.added) == (159, {"leave_out": ["161"]})
    (doubt,) = [one for one in found.doubts if one.severity == "refuse"]
    assert (doubt.kind, doubt.where, doubt.rows) == ("date", "date", (161,))
    assert found.recipe.left_out == []  # nobody has decided


def test_each_choice_of_a_refusal_can_be_read(bad):
    recipe, doubts = po.propose(bad)
    (doubt,) = [one for one in doubts if one.severity == "refuse"]
    with pytest.raises(DataError):
        po.read(bad)
    sizes = [len(po.read(bad, recipe=recipe.decide(doubt, choice))) for choice in doubt.choices]
    assert sorted(sizes) == [159, 160]  # without the row, or without dates


def test_a_cell_is_corrected_and_written_down(bad, tmp_path):
    data = po.read(bad, cells={"161 date": "2020-01-28"})
    assert len(data) == 160
    assert 'corrected to "2020-01-28"' in " ".join(data.report.notes)
    data.recipe.save(tmp_path / "r.toml")
    assert po.read(bad, recipe=str(tmp_path / "r.toml")).hash == data.hash
    assert "2020-13-45" in Path(bad).read_text()
    with pytest.raises(DataError, match="no cell"):
        po.read(bad, cells={"999 date": "2020-01-28"})


def test_a_corrected_matrix(tmp_path):
    path = tmp_path / "wins.csv"
    path.write_text(",a,b,c\na,0,1,2\nb,x,0,1\nc,1,0,0\n")
    assert po.read(path, cells={"3 a": "4"}).matrix().wins[1, 0] == 4


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("unclear_dates.csv", "date"),
        ("missing_loser.csv", "missing"),
        ("same_twice.csv", "self-contest"),
        ("polyadic.csv", "several names"),
        ("both_bad.csv", "no outcome"),
        ("error_cells.xlsx", "cell"),
        ("two_years.xlsx", "sheet"),
        ("title_rows.csv", "header"),
        ("boris_tabular.tsv", "behavior"),
        ("win_yes_no.csv", "outcome word"),
        ("visits.csv", "visits"),
    ],
)
def test_kinds_of_refusals(name, kind):
    recipe, doubts = po.propose(FIELD / name)
    assert kind in [one.kind for one in doubts if one.severity == "refuse"]
    first = next(one for one in doubts if one.kind == kind)
    if kind not in ("behavior", "outcome word", "visits"):  # each of which is one of several
        assert len(po.read(FIELD / name, recipe=recipe.decide(first, 0)))


def test_behaviors_and_words_are_decided_one_by_one():
    for name, kind, way in (
        ("boris_tabular.tsv", "behavior", 1),
        ("win_yes_no.csv", "outcome word", 0),
    ):
        recipe, doubts = po.propose(FIELD / name)
        ways = [(one, way + place) for place, one in enumerate(doubts) if one.kind == kind]
        for one, choice in ways[:2]:
            recipe = recipe.decide(one, min(choice, 2))
        assert len(po.read(FIELD / name, recipe=recipe)) > 1


def test_no_choice_gives_two_roles_to_a_column():
    text = (
        'Use winner="A" and loser="A", or a="A", b="B" and outcome="B", or winner="A", loser="B".'
    )
    (choice,) = choices_named(text, ["A", "B"])
    assert choice.edits == {"columns.A": "winner", "columns.B": "loser"}
