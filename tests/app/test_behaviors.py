"""Behaviors of a log: each is asked for, and all stay in sight."""

from pathlib import Path

from peckorder.app.checks import cards_of
from peckorder.app.reading import read_record
from peckorder.app.table import table_of
from peckorder.app.uploads import stored

LOG = Path(__file__).parent.parent / "field" / "boris_tabular.tsv"


def seen(folder, **decided):
    record = stored(folder, "log.tsv", LOG.read_bytes())
    reading = read_record(record, decided, None)
    table = table_of(reading)
    found = {card.id: card for card in cards_of(reading, table, None)}
    menus = {menu["label"]: menu["options"] for menu in found["behaviors"].menus}
    return reading, table, found["behaviors"], menus


def test_each_behavior_is_won_lost_or_not_counted(tmp_path):
    reading, _, card, menus = seen(tmp_path)
    assert reading.data is None
    assert card.state == "wrong"
    assert "=" not in card.text + card.title
    assert [one["label"] for one in menus["displace"]] == [
        *("not counted", "Subject wins", "Subject loses"),
    ]
    change = {"winner_behaviors": ["displace"], "loser_behaviors": None}
    assert menus["displace"][1]["set"] == change
    assert menus["flee"][2]["set"] == {"winner_behaviors": None, "loser_behaviors": ["flee"]}


def test_the_other_behaviors_stay_in_sight_once_one_is_decided(tmp_path):
    reading, table, card, menus = seen(tmp_path, winner_behaviors=["displace"])
    assert len(reading.data) == 2
    assert card.state == "decided"
    assert "Not counted" in card.text
    assert "flee" in card.text
    assert [one["chosen"] for one in menus["displace"]] == [False, True, False]
    assert menus["flee"][2]["set"] == {
        "winner_behaviors": ["displace"],
        "loser_behaviors": ["flee"],
    }
    assert menus["displace"][0]["set"] == {"winner_behaviors": None, "loser_behaviors": None}
    more = seen(tmp_path, winner_behaviors=["displace"], loser_behaviors=["flee"])
    assert len(more[0].data) > 2
    assert len(more[1].reasons["behavior"]) < len(table.reasons["behavior"])


def test_no_card_without_behaviors(tmp_path):
    record = stored(tmp_path, "contests.csv", b"winner,loser\na,b\nb,c\na,c\n")
    reading = read_record(record, {}, None)
    assert not [c for c in cards_of(reading, table_of(reading), None) if c.id == "behaviors"]
