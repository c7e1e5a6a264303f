"""What messages of `read` propose, in the words of the page."""

import pytest

from peckorder.app.proposals import proposals
from tests.app.test_checks import cards


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ('For a square table, use kind="matrix".', ["It is a win matrix"]),
        (
            'Choose one with outcome="Result" or outcome="Winner".',
            ['Use "Result" as outcome (who won)', 'Use "Winner" as outcome (who won)'],
        ),
        (
            'several columns may contain the other ("Target": "a"; "Place": "x"). Choose one with '
            "other=.",
            ['Use "Target" as the other individual', 'Use "Place" as the other individual'],
        ),
        ('Correct one of them, or use tie="".', ["Use no column as tie"]),
    ],
)
def test_labels_are_words(text, labels):
    offered = proposals(text, ["Target", "Place", "Result", "Winner"])
    assert [one["label"] for one in offered] == labels


@pytest.mark.parametrize(
    "text",
    [
        "apple,pear,plum\nx,y,z\nu,v,w\np,q,r\n",
        "Aggressor,Recipient,Winner (A/R)\na,b,a\nb,c,c\na,c,a\n",
        "Actor,Recipient,Result\na,b,wygrana\nb,c,przegrana\n",
        "date,winner,loser\n44256,a,b\n44257,b,c\n44260,a,c\n",
        ",a,b,c\na,0,1,2\nb,,0,1\n",
        "bird,feeder,arrival,departure\na,1,2023-01-01 07:00:00,2023-01-01 07:00:09\n",
    ],
)
def test_no_card_says_what_to_type(tmp_path, text):
    for card in cards(tmp_path, text)[1]:
        labels = [one["label"] for one in card.choices]
        for words in (card.title, card.text, *labels):
            assert not set("=_") & set(words), words
