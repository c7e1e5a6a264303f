"""Several individuals in one cell: recognized carefully, refused, split into dyads or dropped."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import peckorder as po
from peckorder.data.outcomes import several_in
from tests.data import plain_reader
from tests.examples import examples

COALITIONS = 'winner,loser\n"Abby, Bella",Dan\nAbby,Bella\nDan,Cora & Abby\nCora,Dan\n'
PAIRS = [("Abby", "Dan"), ("Bella", "Dan"), ("Abby", "Bella"), ("Dan", "Cora"), ("Dan", "Abby")]


def test_refused_with_rows_and_the_ways_out(sheet):
    with pytest.raises(po.DataError) as error:
        po.read(sheet(COALITIONS))
    assert 'Rows 2 and 4: several individuals in one cell: "Abby, Bella", "Cora & Abby"' in str(
        error.value
    )
    for rule in ("dyads", "drop", "keep"):
        assert f'polyadic="{rule}"' in str(error.value)


def test_rules(sheet):
    path = sheet(COALITIONS)
    dyads = po.read(path, polyadic="dyads")
    assert plain_reader.contests_of(dyads) == [(*pair, False) for pair in [*PAIRS, ("Cora", "Dan")]]
    assert dyads.report.notes[0].startswith("2 rows with several individuals in one cell")
    assert "were read as 4 contests" in dyads.report.notes[0]
    assert dyads.rows.tolist() == [2, 2, 3, 4, 4, 5]
    dropped = po.read(path, polyadic="drop")
    assert len(dropped) == 2
    assert dropped.report.dropped == {"several individuals in one cell": 2}
    kept = po.read(path, polyadic="keep")
    assert kept.individuals == ("Abby, Bella", "Dan", "Abby", "Bella", "Cora & Abby", "Cora")
    assert kept.report.options == {"polyadic": "keep"}
    with pytest.raises(ValueError, match="Choose one of: refuse, dyads, drop, keep"):
        po.read(path, polyadic="split")
    with pytest.raises(ValueError, match="cannot be combined with polyadic"):
        po.read(path, polyadic="dyads", stream=True)
    with pytest.raises(po.DataError, match="several individuals"):
        po.elo(po.read(path, stream=True))


@pytest.mark.parametrize(
    ("names", "several"),
    [
        (["Smith, John", "Doe, Jane", "John, Bo"], []),  # every cell has a comma
        (["Smith, John", "Doe, Jane", "Dan"], []),
        (["Trinidad and Tobago", "Brighton & Hove", "Cuba"], []),
        (["Sandy", "Andrew", "Abby and Bo", "Abby"], ["Abby and Bo"]),
        (["Abby+Bella", "Abby", "Cy"], ["Abby+Bella"]),
        (["Abby/Bella", "Abby", "Bella"], ["Abby/Bella"]),
        (["R/B", "R/G", "R"], []),  # color rings
        (["Abby, Bo", "Bo, Cy", "Di"], ["Abby, Bo", "Bo, Cy"]),  # no part alone, but recombined
        (["Abby, Bella and Cora", "Cora"], ["Abby, Bella and Cora"]),
        (["Abby & Bo", "Abby", "Xe & Yo"], ["Abby & Bo", "Xe & Yo"]),
        (["abby, bo", "Abby"], ["abby, bo"]),
        (["Abby,", "Abby"], []),
    ],
)
def test_what_is_recognized(names, several):
    assert list(several_in(names, names)) == several


def test_a_request_is_a_proof(sheet):
    path = sheet("winner,loser\nAbby & Bo,Cy\n")
    data = po.read(path)
    assert data.individuals == ("Abby & Bo", "Cy")
    assert data.report.notes[0].startswith('Read as the name of one individual: "Abby & Bo".')
    assert po.read(path, polyadic="keep").report.notes == ()
    assert po.read(path, polyadic="dyads").individuals == ("Abby", "Cy", "Bo")


def test_an_individual_on_both_sides_is_a_self_contest(sheet):
    path = sheet("winner,loser\nAbby & Bo,Bo\nAbby,Bo\n")
    with pytest.raises(po.DataError, match='Row 2: winner and loser are both "Bo"'):
        po.read(path, polyadic="dyads")
    assert len(po.read(path, polyadic="dyads", self_contests="drop")) == 2


def test_points_draws_and_labels_follow_the_pairs(sheet):
    path = sheet("winner,loser,draw,context,note\nAbby & Bo,Cy,1,bite,x\nAbby,Bo,0,chase,y\n")
    data = po.read(path, polyadic="dyads")
    assert data.draw.tolist() == [True, True, False]
    assert data.context.column().to_list() == ["bite", "bite", "chase"]
    assert data.extra["note"].to_list() == ["x", "x", "y"]
    sides = po.read(
        sheet("initiator,receiver,winner\nAbby & Bo,Cy,Cy\nAbby,Bo,Abby\n"), polyadic="dyads"
    )
    assert plain_reader.contests_of(sides) == [
        ("Cy", "Abby", False),
        ("Cy", "Bo", False),
        ("Abby", "Bo", False),
    ]


NAMES = ("Abby", "Bo", "Cy", "Di", "Ed")
teams = st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True)


@examples(80)
@given(st.lists(st.tuples(teams, teams, st.sampled_from((", ", " & ", "&"))), min_size=1))
def test_dyads_are_those_of_the_plain_reader(rows):
    columns = {
        "winner": [*NAMES, *(sign.join(one) for one, _, sign in rows)],
        "loser": [*NAMES[1:], NAMES[0], *(sign.join(other) for _, other, sign in rows)],
    }
    text = "winner,loser\n" + "".join(
        f'"{one}","{other}"\n' for one, other in zip(*columns.values(), strict=True)
    )
    expected = plain_reader.pairs(text)
    together = [pair for pair in expected if pair[0] != pair[1]]
    data = po.read(columns, polyadic="dyads", self_contests="drop")
    assert plain_reader.contests_of(data) == together
    several = [one for side in columns.values() for one in side if "&" in one or "," in one]
    if several:
        with pytest.raises(po.DataError, match="several individuals in one cell"):
            po.read(columns, self_contests="drop")
