"""Cards: what was found, in which rows, and what can be decided."""

from pathlib import Path

import pytest

import peckorder as po
from peckorder.app.cards import in_words, suggestions
from peckorder.app.checks import cards_of
from peckorder.app.reading import read_record
from peckorder.app.table import table_of
from peckorder.app.uploads import stored
from tests.app.visitor import MESSY

DATES = "date,winner,loser\n1/2/2023,a,b\n2/2/2023,b,c\n3/2/2023,a,c\n"
ROOT = Path(__file__).parents[2]
GROUPS = "date,winner,loser,group\n2020-01-01,a,b,N\n2020-01-02,b,c,N\n2020-01-03,x,y,S\n"


def cards(tmp_path, text, groups=None, **decided):
    reading = read_record(stored(tmp_path, "contests.csv", text.encode()), decided, None)
    found = cards_of(reading, table_of(reading), groups)
    return {card.id: card for card in found}, found


def test_states_are_sorted(tmp_path):
    _, found = cards(tmp_path, MESSY)
    order = ["wrong", "open", "decided", "note", "passed"]
    assert [card.state for card in found] == sorted((c.state for c in found), key=order.index)


def test_every_row_that_is_left_out_is_on_a_card(tmp_path):
    by, _ = cards(tmp_path, MESSY)
    rows = {
        name: (by[name].places + 4).tolist() for name in ("missing", "self_contests", "polyadic")
    }
    assert rows == {"missing": [12], "self_contests": [10], "polyadic": [8]}
    assert all(by[name].state == "open" for name in rows)
    assert by["polyadic"].text == 'Row 8: several individuals in one cell: "Bella, Cora".'


def test_suggestions_clear_everything_that_has_one(tmp_path):
    _, found = cards(tmp_path, MESSY)
    change = suggestions(found)
    assert change == {
        "missing": "drop",
        "self_contests": "drop",
        "polyadic": "dyads",
        "ignore": ["?"],
        "names": {"abby": "Abby"},
    }
    by, again = cards(tmp_path, MESSY, **change)
    assert not [card.id for card in again if card.state in ("wrong", "open")]
    assert {card.id for card in again if card.state == "decided"} >= {"polyadic", "ignored"}
    assert by["similar_names"].text == "1 spelling joined, 0 kept apart."


def test_every_choice_can_be_taken(tmp_path):
    for text in (MESSY, DATES, GROUPS):
        _, found = cards(tmp_path, text)
        offered = [one for card in found for one in card.choices]
        offered += [one for card in found for pair in card.pairs for one in pair["choices"]]
        assert offered
        for one in offered:
            change = {k: v for k, v in one["set"].items() if v is not None and k != "groups"}
            by, _ = cards(tmp_path, text, **change)
            assert not any(name.startswith("failure") for name in by), one


def test_kept_placeholders_and_pairs_stay_decided(tmp_path):
    by, _ = cards(tmp_path, MESSY, names={"?": "?", "abby": "abby"})
    assert not any(name.startswith("name-") for name in by)
    assert by["similar_names"].state == "decided"
    assert {pair["decided"] for pair in by["similar_names"].pairs} == {"apart"}


def test_dates_say_what_either_reading_means(tmp_path):
    by, _ = cards(tmp_path, DATES)
    day, month, ignore = by["dates"].choices
    assert day["set"] == {"date_format": "%d/%m/%Y", "date": None}
    assert day["detail"] == '"1/2/2023" is 1 February 2023; rows are in order.'
    assert month["detail"] == '"1/2/2023" is 2 January 2023; rows are in order.'
    assert not day["suggested"]
    assert not month["suggested"]  # the order of the rows does not tell
    assert by["dates"].places.tolist() == [0, 2]
    assert ignore["set"] == {"date": ""}


def test_the_order_of_rows_suggests_a_reading(tmp_path):
    text = "date,winner,loser\n3/1/2023,a,b\n11/1/2023,b,c\n4/2/2023,a,c\n"
    day, month, _ = cards(tmp_path, text)[0]["dates"].choices
    assert day["suggested"]
    assert not month["suggested"]
    assert "out of order 1 time" in month["detail"]


def test_a_winner_column_that_is_not_used_is_wrong(tmp_path):
    by, found = cards(tmp_path, MESSY, winner="initiator", loser="receiver")
    card = by["winner"]
    assert found[0] is card
    assert (card.state, (card.places + 4).tolist()) == ("wrong", [11])
    change = {k: v for k, v in card.choices[0]["set"].items() if v is not None}
    assert "winner" not in cards(tmp_path, MESSY, **change)[0]


@pytest.mark.parametrize(("groups", "state"), [(None, "open"), ("each", "decided")])
def test_groups(tmp_path, groups, state):
    by, _ = cards(tmp_path, GROUPS, groups)
    assert by["groups"].state == state
    assert [one["set"] for one in by["groups"].choices] == [
        {"groups": "each"},
        {"groups": "pool", "group": ""},
    ]


def test_pooled_groups_can_be_separated_again(tmp_path):
    by, _ = cards(tmp_path, GROUPS, "pool", group="")
    assert by["groups"].state == "decided"
    assert by["groups"].choices[0]["set"] == {"group": None, "groups": None}


def test_what_cannot_be_read_offers_what_the_message_names(tmp_path):
    by, _ = cards(tmp_path, "initiator,receiver,winner,victor\na,b,a,a\nb,c,b,b\n")
    wrong = [card for card in by.values() if card.state == "wrong"]
    assert wrong
    assert all(card.choices for card in wrong)


def test_messages_do_not_say_what_to_type(tmp_path):
    for text in (MESSY, DATES, GROUPS):
        _, found = cards(tmp_path, text)
        for card in found:
            assert "=" not in card.text, card.text
    assert in_words("Use missing=.") == "Use missing=."  # rather than nothing


def test_arguments_that_a_message_names_together_are_one_choice(tmp_path):
    text = "Aggressor,Recipient,Winner (A/R)\na,b,a\nb,c,c\na,c,a\n"
    by, _ = cards(tmp_path, text)
    first, second = by["failure-0"].choices
    assert first["set"] == {"a": "Aggressor", "b": "Recipient", "outcome": "Winner (A/R)"}
    assert second["set"] == {"winner": "Aggressor", "loser": "Recipient"}
    assert "failure-0" not in cards(tmp_path, text, **first["set"])[0]


def test_times_that_cannot_be_read(tmp_path):
    text = "date,time,winner,loser\n2020-01-01,815,a,b\n2020-01-02,930,b,c\n2020-01-03,1000,a,c\n"
    by, found = cards(tmp_path, text)
    assert by["times"].state == "open"
    assert suggestions(found) == {"time": ""}
    assert "times" not in cards(tmp_path, text, time="")[0]


def test_dates_stored_as_numbers(tmp_path):
    text = "date,winner,loser\n44256,a,b\n44257,b,c\n44260,a,c\n"
    by, _ = cards(tmp_path, text)
    labels = [one["label"] for one in by["dates"].choices]
    assert labels == [
        "Days of Excel",
        "Days of Excel for old Macs, from 1904",
        "Numbers, such as days of the study",
        "Ignore dates",
    ]
    change = {k: v for k, v in by["dates"].choices[0]["set"].items() if v is not None}
    decided = cards(tmp_path, text, **change)[0]["dates"]
    assert (decided.state, decided.text) == ("decided", "Dates are read as days of Excel.")
    decided = cards(tmp_path, DATES, date_format="%d/%m/%Y")[0]["dates"]
    assert decided.text == "Dates are read as day/month/year."


def test_blank_dates_below_a_date_repeat_it_rather_than_lose_their_rows(tmp_path):
    """As in a sheet whose dates are merged cells, with a line of totals at its end."""
    text = "date,winner,loser\n2020-01-01,a,b\n,b,c\n,a,c\n2020-01-02,a,b\n,c,b\nSum,5,\n"
    by, found = cards(tmp_path, text)
    assert suggestions(found) == {"fill_down": ["date"]}
    by, found = cards(tmp_path, text, fill_down=["date"])
    assert by["filled"].state == "decided"
    assert by["filled"].choices[0]["set"] == {"fill_down": None}
    assert suggestions(found) == {"missing": "drop"}
    assert by["missing"].places.tolist() == [5]
    by, found = cards(tmp_path, text, fill_down=["date"], missing="drop")
    assert by["missing"].choices[0]["set"] == {"missing": None}
    assert suggestions(found) == {}


def test_blank_cells_of_a_matrix_are_counts_and_not_rows(tmp_path):
    by, _ = cards(tmp_path, ",a,b,c\na,0,1,2\nb,,0,1\nc,1,0,0\n")
    assert by["missing"].title == "Blank cells"
    assert [one["label"] for one in by["missing"].choices] == ["Count blank cells as 0"]
    assert "=" not in by["missing"].text


def test_contests_without_a_decided_outcome_can_be_counted_as_ties(tmp_path):
    text = "initiator,receiver,winner\na,b,a\nb,c,none\na,c,c\na,b,a\n"
    by, found = cards(tmp_path, text)
    card = by["undecided"]
    assert (card.state, card.places.tolist()) == ("note", [1])
    ties = next(one["set"] for one in card.choices if one["label"] == "Count them as ties")
    assert cards(tmp_path, text, **ties)[0]["undecided"].state == "decided"
    assert not any(c.id.startswith("note-") and "no decided" in c.text for c in found)


def test_visits_are_recognized_and_the_way_to_contests_is_shown(tmp_path):
    text = "feeder,bird,arrival,departure\nA,x,2023-01-01 07:00:00,2023-01-01 07:00:09\n"
    by, _ = cards(tmp_path, text)
    assert by["visits"].state == "wrong"
    line = "peckorder displacements contests.csv --within 2s -o displacements.csv"
    assert by["visits"].command == line


def test_presence_is_not_offered_without_dates(tmp_path):
    by, _ = cards(tmp_path, ",a,b,c\na,0,1,2\nb,1,0,1\nc,1,0,0\n")
    assert by["presence"].choices == []
    assert len(cards(tmp_path, MESSY)[0]["presence"].choices) == 2


def test_the_goats_of_the_tutorial(tmp_path):
    """What docs/tutorial_app.md says about the screen Data."""
    text = (ROOT / "docs" / "data" / "goats.csv").read_text(encoding="utf-8")
    by, found = cards(tmp_path, text)
    rows = {name: (by[name].places + 5).tolist() for name in ("self_contests", "undecided")}
    assert rows == {"self_contests": [82], "undecided": [38, 95, 146]}
    accepted = suggestions(found)
    assert accepted == {
        "self_contests": "drop",
        "ignore": ["?"],
        "names": {"GRETA": "Greta", "ella": "Ella"},
    }
    joined = {"Gretta": "Greta", "Ela": "Ella"}
    _, found = cards(tmp_path, text, **accepted | {"names": accepted["names"] | joined})
    assert not [card for card in found if card.state in ("open", "wrong")]
    data = po.read(
        ROOT / "docs" / "data" / "goats.csv", **accepted | {"names": accepted["names"] | joined}
    )
    assert (len(data), len(data.individuals)) == (184, 9)


def test_every_doubt_is_a_card_whose_choices_settle_it(tmp_path):
    text = (
        "date,hour,actor,receiver,behavior,check\n"
        "2020-01-01,9,Abe,Bo,chase,\n2020-01-01,8,Bo,Cy,chase,\n2020-01-02,10,Bo,Abe,avoid,\n"
        "2020-01-02,9,Abe,Cy,chase,x\n2020-01-03,8,Cy,Dee,chase,\n"
    )
    by, found = cards(tmp_path, text)
    assert found[0].id == "direction-behavior"
    assert found[0].state == "wrong"
    decided = {}
    for name in ("direction-behavior", "order-hour", "filter-check"):
        decided |= by[name].choices[0]["set"]
    by, _ = cards(tmp_path, text, **decided)
    assert not {"direction-behavior", "order-hour", "filter-check"} & set(by)
