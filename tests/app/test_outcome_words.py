"""Words of a column of outcomes, in any language: what they mean is asked for."""

import peckorder as po
from peckorder.app.code import code_of
from peckorder.app.reading import read_record
from peckorder.app.settings import Settings
from peckorder.app.sheet_cards import outcome_words
from peckorder.app.uploads import stored
from tests.app.test_checks import cards

POLISH = "Actor,Recipient,Result\na,b,wygrana\nb,c,przegrana\na,c,wygrana\nc,a,remis\n"


def test_each_unknown_word_has_a_menu(tmp_path):
    by, _ = cards(tmp_path, POLISH)
    card = by["words"]
    assert card.state == "wrong"
    assert "failure-0" not in by
    assert "=" not in card.text
    menus = {menu["label"]: menu["options"] for menu in card.menus}
    assert list(menus) == ["wygrana", "przegrana"]
    labels = ["not decided", "Actor won", "Recipient won", "a tie", "no result"]
    assert [one["label"] for one in menus["wygrana"]] == labels
    assert menus["przegrana"][2]["set"] == {"names": {"przegrana": "lost"}}
    assert [one["label"] for one in card.choices] == ['"Actor" won every contest']


def test_the_meaning_is_repeatable_and_can_be_changed(tmp_path):
    words = {"wygrana": "won", "przegrana": "lost"}
    by, _ = cards(tmp_path, POLISH, names=words)
    assert by["words"].state == "decided"
    assert [one["chosen"] for one in by["words"].menus[1]["options"]].index(True) == 2
    assert "similar_names" not in by or not by["similar_names"].pairs
    record = stored(tmp_path, "contests.csv", POLISH.encode())
    reading = read_record(record, {"names": words}, None)
    assert outcome_words(reading) == words
    python = code_of(reading, Settings(), "check")["python"]
    told = {"po": po}
    exec(python.replace("contests.csv", str(record.path)).replace("print", "str"), told)
    table = told["data"].to_table()
    assert table.select("winner", "loser", "draw").rows() == [
        ("a", "b", False),
        ("c", "b", False),
        ("a", "c", False),
        ("c", "a", True),
    ]


def test_words_keep_their_places(tmp_path):
    for decided in ({"przegrana": "lost"}, {"wygrana": "won"}):
        by, _ = cards(tmp_path, POLISH, names=decided)
        assert by["words"].state == "wrong"
        assert [menu["label"] for menu in by["words"].menus] == ["wygrana", "przegrana"]
