"""Cards: what is doubtful, in which rows, and what can be decided."""

import re
from pathlib import Path

import pytest

import peckorder as po
from peckorder.app.code import code_of
from peckorder.app.doubts import cards_of, suggestions
from peckorder.app.errors import in_words
from peckorder.app.reading import decided_with, read_record
from peckorder.app.settings import Settings
from peckorder.app.table import table_of
from peckorder.app.uploads import stored
from tests.app.visitor import MESSY

ROOT = Path(__file__).parents[2]
FIELD = ROOT / "tests" / "field"
DATES = "date,winner,loser\n1/2/2023,a,b\n2/2/2023,b,c\n3/2/2023,a,c\n"
GROUPS = "date,winner,loser,group\n2020-01-01,a,b,N\n2020-01-02,b,c,N\n2020-01-03,x,y,S\n"
POLISH = "Actor,Recipient,Result\na,b,wygrana\nb,c,przegrana\na,c,wygrana\nc,a,remis\n"
TIMES = "date,time,winner,loser\n2020-01-01,815,a,b\n2020-01-02,930,b,c\n2020-01-03,1000,a,c\n"
SERIAL = "date,winner,loser\n44256,a,b\n44257,b,c\n44260,a,c\n"
BLANKS = "date,winner,loser\n2020-01-01,a,b\n,b,c\n,a,c\n2020-01-02,a,b\n,c,b\n2020-01-02,5,\n"
MATRIX = ",a,b,c\na,0,1,2\nb,,0,1\nc,1,0,0\n"
SIDES = "Aggressor,Recipient,Winner (A/R)\na,b,a\nb,c,c\na,c,a\n"
UNREADABLE = "apple,pear,plum\nx,y,z\nu,v,w\np,q,r\n"
ACTS = (
    "date,hour,actor,receiver,behavior,check\n"
    "2020-01-01,9,Abe,Bo,chase,\n2020-01-01,8,Bo,Cy,chase,\n2020-01-02,10,Bo,Abe,avoid,\n"
    "2020-01-02,9,Abe,Cy,chase,x\n2020-01-03,8,Cy,Dee,chase,\n"
)
POINTS = "home,away,home goals,away goals\na,b,1,0\nb,c,2,1\nc,a,postponed,\na,c,0,0\n"
EVERY = (MESSY, DATES, GROUPS, POLISH, TIMES, SERIAL, BLANKS, MATRIX, SIDES, ACTS, POINTS)


def seen(folder, text, groups=None, name="contests.csv", **decided):
    content = text.encode() if isinstance(text, str) else text
    reading = read_record(stored(folder, name, content), decided, None)
    return reading, cards_of(reading, table_of(reading), groups)


def cards(folder, text, groups=None, **decided):
    _, found = seen(folder, text, groups, **decided)
    return {card.id: card for card in found}, found


def labels(card):
    return [one["label"] for one in card.choices]


def test_states_are_sorted_and_every_card_has_its_own_name(tmp_path):
    for text in EVERY:
        _, found = cards(tmp_path, text)
        order = ["wrong", "open", "decided", "note", "passed"]
        states = [card.state for card in found]
        assert states == sorted(states, key=order.index)
        assert len({card.id for card in found}) == len(found)


def test_every_row_that_is_left_out_is_on_a_card(tmp_path):
    by, _ = cards(tmp_path, MESSY)
    names = ("missing-winner", "self-contest-", "several names-")
    assert [(by[name].places + 4).tolist() for name in names] == [[12], [10], [8]]
    assert all(by[name].state == "open" for name in names)
    assert by["several names-"].text == 'Row 8: several individuals in one cell: "Bella, Cora".'


def test_suggestions_clear_everything_that_has_one(tmp_path):
    change = suggestions(cards(tmp_path, MESSY)[1])
    assert change == {
        "missing": "drop",
        "self_contests": "drop",
        "polyadic": "dyads",
        "ignore": {"?": True},
        "names": {"abby": "Abby"},
    }
    decided = decided_with({}, change)
    assert decided["ignore"] == ["?"]
    by, again = cards(tmp_path, MESSY, **decided)
    assert not [card.id for card in again if card.state in ("wrong", "open")]
    words = [item["where"] for item in by["decided"].items]
    assert 'Contests with "?" are left out' in words
    assert len(words) == 5


@pytest.mark.parametrize("text", EVERY)
def test_every_choice_can_be_taken_and_taken_back(tmp_path, text):
    _, found = cards(tmp_path, text)
    offered = [one for card in found for one in card.offered()]
    assert offered
    for one in offered:
        change = {k: v for k, v in one["set"].items() if k != "groups"}
        decided = decided_with({}, change)
        by, _ = cards(tmp_path, text, **decided)
        assert not any(name.startswith("reading") for name in by) or text == SIDES, one
        for back in [] if "decided" not in by else by["decided"].offered():
            decided = decided_with(decided, back["set"])
        kept = ("presence", "winner_behaviors", "loser_behaviors", "outcomes", "kind", "header")
        roles = (
            *kept,
            "sheet",
            "context",
            "winners",
            "group",
            "outcome",
            "a",
            "b",
            "winner",
            "loser",
        )
        assert not [name for name in decided if name not in roles], one


def test_one_bad_cell_costs_one_row_and_is_corrected_in_place(tmp_path):
    _, found = cards(tmp_path, POINTS)
    card = next(card for card in found if card.cells)
    assert [(cell["row"], cell["text"]) for cell in card.cells] == [(4, "postponed")]
    reading, _ = seen(tmp_path, POINTS)
    assert len(reading.data) == 3
    change = suggestions(found)
    assert change == {"missing": "drop"}
    _, found = seen(tmp_path, POINTS, **decided_with({}, change))
    assert not [card.id for card in found if card.state in ("wrong", "open")]
    column = card.cells[0]["column"]
    cells = {"cells": {f"4 {column}": "3", "4 away goals": "1"}}
    reading, found = seen(tmp_path, POINTS, **decided_with({}, cells))
    assert len(reading.data) == 4
    assert reading.recipe.cells == cells["cells"]


def test_kept_names_and_pairs_stay_decided(tmp_path):
    by, _ = cards(tmp_path, MESSY, names={"?": "?", "abby": "abby"})
    assert "name" not in by
    assert not by["similar_names"].items
    assert {item["where"] for item in by["decided"].items} == {
        '"?" is kept apart',
        '"abby" is kept apart',
    }


def test_dates_say_what_either_reading_means(tmp_path):
    by, _ = cards(tmp_path, DATES)
    day, month, ignore = by["date-date"].choices
    assert day["set"] == {"date_format": "%d/%m/%Y", "date": None}
    assert day["detail"] == '"1/2/2023" is 1 February 2023; rows are in order.'
    assert month["detail"] == '"1/2/2023" is 2 January 2023; rows are in order.'
    assert not day["suggested"]  # the order of the rows does not tell
    assert not month["suggested"]
    assert ignore["set"] == {"date": ""}


def test_the_order_of_rows_suggests_a_reading(tmp_path):
    text = "date,winner,loser\n3/1/2023,a,b\n11/1/2023,b,c\n4/2/2023,a,c\n"
    day, month, _ = cards(tmp_path, text)[0]["date-date"].choices
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
    by, _ = cards(tmp_path, GROUPS, "pool", group="")
    assert by["groups"].choices[0]["set"] == {"group": None, "groups": None}


def test_messages_do_not_say_what_to_type(tmp_path):
    for text in (*EVERY, UNREADABLE):
        for card in cards(tmp_path, text)[1]:
            for words in (card.title, card.text, *labels(card)):
                assert not re.search(r"\w=|_", words), words
    assert in_words("Use missing=.") == "Use missing=."  # rather than nothing


def test_arguments_that_a_message_names_together_are_one_choice(tmp_path):
    _, found = cards(tmp_path, SIDES)
    first, second = found[0].choices
    assert first["set"] == {"a": "Aggressor", "b": "Recipient", "outcome": "Winner (A/R)"}
    assert second["set"] == {"winner": "Aggressor", "loser": "Recipient"}
    assert seen(tmp_path, SIDES, **first["set"])[0].data is not None


def test_times_dates_and_blanks(tmp_path):
    assert suggestions(cards(tmp_path, TIMES)[1]) == {"time": ""}
    by, _ = cards(tmp_path, SERIAL)
    assert labels(by["date-date"])[:3] == [
        "Days of Excel",
        "Days of Excel for old Macs, from 1904",
        "Numbers, such as days of the study",
    ]
    by, found = cards(tmp_path, BLANKS)
    assert suggestions(found) == {"fill_down": ["date"], "missing": "drop"}
    reading, _ = seen(tmp_path, BLANKS, **suggestions(found))
    assert len(reading.data) == 5
    by, _ = cards(tmp_path, MATRIX)
    assert any("missing" in one["set"] for card in by.values() for one in card.choices)


def test_contests_without_a_decided_outcome_can_be_counted_as_ties(tmp_path):
    text = "initiator,receiver,winner\na,b,a\nb,c,none\na,c,c\na,b,a\n"
    _, found = cards(tmp_path, text)
    ties = next(o["set"] for card in found for o in card.offered() if "ties" in o["label"])
    assert ties == {"undecided": "tie"}
    by, _ = cards(tmp_path, text, **ties)
    assert by["decided"].items[0]["where"] == "Count them as ties"


def test_the_goats_of_the_tutorial(tmp_path):
    """What docs/tutorial_app.md says about the screen Data."""
    text = (ROOT / "docs" / "data" / "goats.csv").read_text(encoding="utf-8")
    by, found = cards(tmp_path, text)
    assert (by["self-contest-"].places + 5).tolist() == [82]
    accepted = suggestions(found)
    assert accepted == {
        "self_contests": "drop",
        "ignore": {"?": True},
        "names": {"GRETA": "Greta", "ella": "Ella"},
    }
    joined = {"names": {"Gretta": "Greta", "Ela": "Ella"}}
    decided = decided_with(decided_with({}, accepted), joined)
    _, found = cards(tmp_path, text, **decided)
    assert not [card for card in found if card.state in ("open", "wrong")]
    data = po.read(ROOT / "docs" / "data" / "goats.csv", **decided)
    assert (len(data), len(data.individuals)) == (184, 9)


def test_every_doubt_is_a_card_whose_choices_settle_it(tmp_path):
    by, found = cards(tmp_path, ACTS)
    assert found[0].id == "direction-behavior"
    assert found[0].state == "wrong"
    decided = {}
    for name in ("direction-behavior", "order-hour", "filter-check"):
        decided = decided_with(decided, by[name].choices[0]["set"])
    by, _ = cards(tmp_path, ACTS, **decided)
    assert not {"direction-behavior", "order-hour", "filter-check"} & set(by)


def test_each_behavior_of_a_log_is_won_lost_or_not_counted(tmp_path):
    log = (FIELD / "boris_tabular.tsv").read_bytes()
    reading, found = seen(tmp_path, log, name="log.tsv")
    card = found[0]
    assert (reading.data, card.id, card.state) == (None, "behavior", "wrong")
    items = {item["where"]: item for item in card.items}
    ways = ["Subject wins", "Subject loses", "Not counted"]
    assert sorted(one["label"] for one in items["flee"]["choices"]) == sorted(ways)
    wins = next(o for o in items["displace"]["choices"] if o["label"] == "Subject wins")
    decided = decided_with({}, wins["set"])
    assert decided == {"winner_behaviors": ["displace"]}
    reading, found = seen(tmp_path, log, name="log.tsv", **decided)
    assert len(reading.data) == 2
    card = next(one for one in found if one.id == "behavior")
    assert card.state == "decided"
    assert {item["where"]: item["decided"] for item in card.items} == {
        "displace": "Subject wins",
        "flee": "Not counted",
        "groom": "Not counted",
    }


def test_each_unknown_word_has_a_meaning_that_is_repeatable(tmp_path):
    by, _ = cards(tmp_path, POLISH)
    card = by["outcome word"]
    assert card.state == "wrong"
    assert [item["where"] for item in card.items] == ["wygrana", "przegrana"]
    assert [one["label"] for one in card.items[0]["choices"]] == [
        *("Actor won", "Recipient won", "A tie", "No result"),
    ]
    words = {"outcomes": {"wygrana": "first", "przegrana": "second"}}
    reading, found = seen(tmp_path, POLISH, **words)
    card = next(one for one in found if one.id == "outcome word")
    assert card.state == "decided"
    assert [item["decided"] for item in card.items] == ["Actor won", "Recipient won"]
    python = code_of(reading, Settings(), "check")["python"]
    told = {"po": po}
    exec(python.replace("contests.csv", str(reading.record.path)).replace("print", "str"), told)
    assert told["data"].hash == reading.data.hash


def test_visits_become_contests(tmp_path):
    text = (FIELD / "visits.csv").read_text()
    reading, found = seen(tmp_path, text)
    assert (reading.data, found[0].id) == (None, "visits-")
    reading, found = seen(tmp_path, text, within="2s")
    own = po.displacements(FIELD / "visits.csv", within="2s")
    assert reading.data.hash == own.hash
    note = code_of(reading, Settings(), "check")["note"]
    assert "peckorder displacements contests.csv --within 2s" in note


def test_the_recipe_is_that_of_the_library(tmp_path):
    reading, _ = seen(tmp_path, ACTS)
    recipe, doubts = po.propose(reading.record.path)
    assert reading.recipe.columns == recipe.columns
    assert [str(one) for one in reading.doubts] == [str(one) for one in doubts]


def test_presence_is_not_offered_without_dates(tmp_path):
    by, _ = cards(tmp_path, ",a,b,c\na,0,1,2\nb,1,0,1\nc,1,0,0\n")
    assert by["presence"].choices == []
    assert len(cards(tmp_path, MESSY)[0]["presence"].choices) == 2


PAIRS = ("ab", "bc", "ac", "ad", "bd", "cd") * 3


def dated(year, names="abcd", bad=None):
    rows = (w.translate(str.maketrans("abcd", names)) for w in PAIRS)
    days = (f"{year}-01-{n + 1:02d}" if n != bad else "soon" for n in range(len(PAIRS)))
    return "date,winner,loser\n" + "".join(
        f"{d},{w},{x}\n" for d, (w, x) in zip(days, rows, strict=False)
    )


def together(visitor, *texts, **query):
    """Several files in one request."""
    files = [text.encode() for text in texts]
    about = {"name": [f"{n}.csv" for n in range(len(files))], "size": [len(one) for one in files]}
    answer = visitor.client.post("/api/record", params={**about, **query}, content=b"".join(files))
    assert answer.status_code == 200, answer.text
    return answer.json()


def card_of(state, name):
    return next(card for card in state["checks"] if card["id"].startswith(name))


def test_files_of_the_same_individuals_are_periods(visitor):
    state = together(visitor, f"Fights,,\n{dated(2020)}", dated(2021, bad=4))
    assert state["record"]["sheets"] == ["0", "1"]
    assert state["reading"]["sheet"] == "*"
    wrong = card_of(state, "date")  # rows keep the numbers that they have in their files
    assert wrong["cells"] == [{"row": '6 of sheet "1"', "column": "date", "text": "soon"}]
    rows = visitor.json("/api/grid", w=state["workspace"], rows=wrong["id"])["rows"]
    assert [(row["number"], row["cells"]) for row in rows] == [(6, ["soon", "b", "d", "1"])]
    state = visitor.changed(state, accept=True)
    assert state["reading"]["options"]["season"] == "sheet"
    assert (state["contests"], state["open"]) == (35, 0)
    state = visitor.changed(state, set={"season": None, "group": "sheet"})
    assert state["groups"] == ["0", "1"]


def test_files_of_other_individuals_are_groups_and_are_added(visitor):
    first = visitor.upload(dated(2020), "north.csv")
    both = together(visitor, dated(2020, "wxyz"), w=first["workspace"])
    assert visitor.json("/api/state", w=first["workspace"])["record"]["name"] == "north.csv"
    assert both["record"]["name"] == "north + 0 (joined).xlsx"
    suggested = [one["label"] for one in card_of(both, "joined")["choices"] if one["suggested"]]
    assert suggested == ["Groups"]
    assert "Save the joined files" in both["code"]["note"]
    saved = visitor.get("/take/joined.xlsx", w=both["workspace"]).content
    assert visitor.upload(saved, "j.xlsx")["record"]["sheets"]


def test_files_of_other_forms_are_not_joined_silently(visitor):
    state = together(visitor, dated(2020), dated(2021).replace("date", "when"))
    assert state["contests"] == 0
    assert [one["label"] for one in card_of(state, "reading")["choices"]] == [
        "Read 0 alone",
        "Read 1 alone",
    ]
    matrix = ",a,b,c\na,0,3,2\nb,1,0,4\nc,0,0,0\n"
    assert "Read 1 alone" in str(card_of(together(visitor, matrix, matrix), "reading")["choices"])
    third = together(visitor, dated(2020), dated(2021), "A,B\n1,2\n")
    assert '"2"' in card_of(third, "joined")["text"].split("Not read")[1]


def test_presence_may_be_given_with_the_contests(visitor):
    stays = "individual,start,end\n" + "".join(f"{name},2019-01-01,\n" for name in "abcd")
    state = together(visitor, dated(2020), stays)
    assert (state["contests"], state["presence"]) == (18, False)
    state = visitor.changed(state, accept=True)
    assert (state["presence"], state["open"]) == (True, 0)
    assert state["reading"]["options"]["presence_sheet"] == "1"


def test_individuals_in_open_rows_are_marked(visitor):
    state = visitor.upload(dated(2020, bad=4))
    assert state["doubtful"] == {"b": 1, "d": 1}
    assert visitor.changed(state, accept=True)["doubtful"] == {}
    order = "date,winner,loser\n" + "1/2/2020,a,b\n3/4/2020,b,c\n" * 9  # concerns all rows
    assert visitor.upload(order)["doubtful"] == {}


def test_a_contest_without_a_date_keeps_its_place(visitor):
    state = visitor.upload(dated(2020, bad=4))
    keep = card_of(state, "date")["choices"][-1]
    assert (keep["label"], keep["set"]) == (
        "Keep in the order of the sheet",
        {"cells": {"6 date": "2020-01-04"}},
    )
    assert visitor.changed(state, set=keep["set"])["contests"] == 18
    for first in (0, 1):  # no row above, or rows that are not in order
        text = dated(2020, bad=first).replace("2020-01-01", "2020-01-30")
        assert "order of the sheet" not in str(card_of(visitor.upload(text), "date")["choices"])
