"""Two sides and an outcome: initiator, receiver and winner; focal, partner and result; votes."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

import peckorder as po
from tests.data import plain_reader
from tests.examples import examples

FIGHTS = (
    "Date,Initiator,Receiver,Winner\n2020-01-01,Abby,Bo,Abby\n2020-01-02,Bo,Cy,Cy\n"
    "2020-01-03,Cy,Abby,none\n2020-01-04,Abby,Cy,tie\n2020-01-05,Cy,Bo,Bo\n"
)
TRUE = [("Abby", "Bo", False), ("Cy", "Bo", False), ("Abby", "Cy", True), ("Bo", "Cy", False)]
HEADERS = (
    ("Initiator", "Receiver", "Winner"),
    ("initiator", "recipient", "outcome"),
    ("Actor", "Recipient", "winner_id"),
    ("focal", "partner", "Result"),
    ("Individual 1", "Individual 2", "who won"),
    ("a", "b", "outcome"),
    ("bird_a", "bird_b", "winner"),
    ("Iniciador", "Receptor", "Vencedor"),
)
STYLES = ("names", "labels", "words")


def read(text, **options):
    return po.read(_columns(text), **options)


def _columns(text):
    rows = plain_reader.table(text)
    return {label: [row[label] for row in rows] for label in rows[0]}


def test_the_winner_is_the_side_that_the_column_names(sheet):
    data = po.read(sheet(FIGHTS))
    assert plain_reader.contests_of(data) == TRUE
    assert data.report.kind == "votes"
    assert data.report.dropped == {"no decided outcome": 1}
    assert data.report.notes == (
        'Row 4: no decided outcome in column "Winner" ("none"). These contests were left out; use '
        'undecided="tie" to count them as ties.',
        'Column "Winner" was read as 1 win of "Initiator", 2 wins of "Receiver", 1 tie.',
    )
    tied = po.read(sheet(FIGHTS), undecided="tie")
    assert int(tied.draw.sum()) == 2
    assert "1 contest without a decided outcome" in tied.report.notes[0]
    assert tied.report.options == {"undecided": "tie"}


@pytest.mark.parametrize("number", range(4))
def test_initiators_are_never_winners_without_a_clear_yes(number):
    """Whatever is given for other roles: refused, or read as the column of winners says."""
    options = {
        "winner": ("Initiator", "Winner", ""),
        "loser": ("Receiver", ""),
        "kind": ("events", "votes"),
        "outcome": ("Winner", ""),
        "self_contests": ("drop",),
        "a": ("Initiator",),
    }
    for names in itertools.combinations(options, number):
        for values in itertools.product(*(options[name] for name in names)):
            given_ones = dict(zip(names, values, strict=True))
            if given_ones.get("winner") and given_ones.get("loser"):
                continue
            try:
                data = read(FIGHTS, **given_ones)
            except (po.DataError, ValueError):
                continue
            assert plain_reader.contests_of(data) == TRUE, given_ones


def test_the_error_offers_both_readings(sheet):
    path = sheet(FIGHTS)
    with pytest.raises(po.DataError) as error:
        po.read(path, winner="Initiator")
    assert 'give a="Initiator", b="Receiver" and outcome="Winner"' in str(error.value)
    assert 'give winner="Initiator" and loser="Receiver"' in str(error.value)
    asked = po.read(path, winner="Initiator", loser="Receiver")
    assert plain_reader.contests_of(asked)[1] == ("Bo", "Cy", False)
    assert '"Winner" was not used' in asked.report.notes[0]


def test_sides_without_an_outcome(sheet):
    for header in ("Initiator,Receiver", "focal,opponent", "individual1,individual2"):
        with pytest.raises(po.DataError, match="no column was recognized that says who won") as e:
            po.read(sheet(f"{header},weather\nAbby,Bo,rain\nBo,Cy,sun\n"))
        first, second = header.split(",")
        assert f'give winner="{first}" and loser="{second}"' in str(e.value)
        data = po.read(sheet(f"{header}\nAbby,Bo\n"), winner=second, loser=first)
        assert plain_reader.contests_of(data) == [("Bo", "Abby", False)]
    lost = po.read(sheet("Initiator,Receiver,Loser\na,b,a\nb,c,c\n"))
    assert plain_reader.contests_of(lost) == [("b", "a", False), ("b", "c", False)]


def test_actors_are_winners_with_a_note(sheet):
    data = po.read(sheet("actor,recipient\nAbby,Bo\n"))
    assert data.report.notes[0].startswith('Column "actor" was read as the winner of every contest')
    path = sheet("actor,recipient,outcome\nAbby,Bo,fled\n")
    with pytest.raises(po.DataError, match='use outcome="" to read "actor" as the winner'):
        po.read(path)
    assert len(po.read(path, outcome="")) == 1
    draws = po.read(sheet("initiator,receiver,tie\nAbby,Bo,L\n"))
    assert plain_reader.contests_of(draws) == [("Bo", "Abby", False)]


def test_a_column_that_names_one_of_the_sides_is_not_overlooked(sheet):
    text = "actor,recipient,retreats\nAbby,Bo,Bo\nBo,Cy,Bo\n"
    with pytest.raises(po.DataError, match='"retreats" names one of the two in every row'):
        po.read(sheet(text))
    asked = po.read(sheet(text), winner="actor", loser="recipient")
    assert plain_reader.contests_of(asked) == [("Abby", "Bo", False), ("Bo", "Cy", False)]
    with pytest.raises(po.DataError, match='outcome="Qui"'):
        po.read(sheet(text.replace("retreats", "Qui").replace("actor", "initiator")))
    for other in ("actor,recipient,focal\nAbby,Bo,Bo\nBo,Cy,Bo\n", text.replace("Cy,Bo", "Cy,x")):
        assert len(po.read(sheet(other))) == 2


def test_a_focal_sample_has_actors_of_its_own(sheet):
    path = sheet("focal,actor,recipient,winner\nAbby,Abby,Bo,Bo\nAbby,Cy,Abby,Cy\n")
    data = po.read(path)
    assert plain_reader.contests_of(data) == [("Bo", "Abby", False), ("Cy", "Abby", False)]
    assert data.report.unused == ("focal",)


def test_columns_of_winner_and_loser_come_first(sheet):
    data = po.read(sheet("Initiator,Receiver,Winner,Loser\na,b,b,a\n"))
    assert plain_reader.contests_of(data) == [("b", "a", False)]
    assert data.report.unused == ("Initiator", "Receiver")
    assert len(po.read(sheet("winner,actor,loser\na,a,b\n"))) == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (FIGHTS.replace("Bo,Cy,Cy", "Bo,Cy,Zed"), 'Row 3: "Zed" in column "Winner" names neither'),
        (FIGHTS.replace("Bo,Cy,Cy", "Bo,Cy,"), 'Row 3: no outcome in column "Winner"'),
        ("team1,team2,winner\nx,y,1\ny,x,0\n", 'outcomes={"0": "second", "1": "first"}'),
        ("team1,team2,result\nx,y,1\ny,x,0\nx,y,2\n", "names? neither side"),
        ("team1,team2,result\n1,2,1\n2,1,1\n", "Row 3: .* is ambiguous"),
        ("a,b,outcome,draw\nx,y,x,1\n", "states a tie, and column .* a winner"),
        ("a,b,outcome,result\nx,y,x,y\n", "several columns match outcome"),
    ],
)
def test_refused(sheet, text, message):
    with pytest.raises(po.DataError, match=message):
        po.read(sheet(text))


def test_individuals_may_be_called_a_and_b(sheet):
    data = po.read(sheet("initiator,receiver,winner\nb,a,b\na,b,b\n"))
    assert plain_reader.contests_of(data) == [("b", "a", False), ("b", "a", False)]


def test_both_bad_is_for_the_user_to_decide(sheet):
    path = sheet("model_a,model_b,winner\nx,y,model_a\ny,z,tie (bothbad)\nx,z,tie\n")
    with pytest.raises(po.DataError, match='undecided="tie".*or undecided="drop"'):
        po.read(path)
    assert po.read(path, undecided="tie").draw.tolist() == [False, True, True]
    assert po.read(path, undecided="drop").draw.tolist() == [False, True]
    with pytest.raises(ValueError, match="Choose one of: drop, tie"):
        po.read(path, undecided="half")


def test_scores_flags_draws_and_counts():
    sides = {"focal": ["x", "y", "x", "y"], "opponent": ["y", "z", "z", "x"]}
    expected = [("x", "y", False), ("z", "y", False), ("x", "z", True), ("y", "x", False)]
    for result in ([1, 0, 0.5, 1], [1.0, -1.0, 0.0, 1.0], ["won", "lost", "tie", "W"]):
        assert plain_reader.contests_of(po.read(sides | {"result": result})) == expected
    won = po.read(sides | {"won": ["yes", "no", "no", "TRUE"]})
    assert [contest[0] for contest in plain_reader.contests_of(won)] == ["x", "z", "z", "y"]
    drawn = po.read(sides | {"winner": ["x", "z", "", "y"], "draw": [0, 0, 1, 0]})
    assert plain_reader.contests_of(drawn) == expected
    counted = po.read(sides | {"winner": ["x", "z", "x", "y"], "count": [1, 3, 0, 1]})
    assert len(counted) == 5
    dropped = po.read(sides | {"winner": ["x", "z", "NA", "y"]}, missing="drop")
    assert dropped.report.dropped == {"no outcome": 1}


@pytest.mark.parametrize("batch", [1, 2, 100])
def test_streams_read_the_same(sheet, monkeypatch, batch):
    monkeypatch.setattr("peckorder.data.stream.CONTESTS_IN_A_BATCH", batch)
    path = sheet(FIGHTS)
    whole, streamed = po.elo(po.read(path)), po.elo(po.read(path, stream=True))
    assert dict(streamed.items()) == dict(whole.items())


@st.composite
def sheets(draw):
    """A sheet of contests, its headings, and the style of its outcomes."""
    header = draw(st.sampled_from(HEADERS))
    pool = draw(st.sampled_from((("Abby", "Bo", "Cy", "Di"), ("11", "12", "13"), ("1", "2", "3"))))
    style = draw(st.sampled_from(STYLES))
    lines = []
    for _ in range(draw(st.integers(1, 8))):
        one, other = draw(st.permutations(pool))[:2]
        first, second = {
            "names": (one, other),
            "labels": header[:2],
            "words": ("won", "lost"),
        }[style]
        cell = draw(st.sampled_from((first, first, second, second, "tie", "draw", "none")))
        lines.append([one, other, cell])
    return header, lines


@examples(150)
@given(sheets(), st.sampled_from(("drop", "tie")))
def test_every_row_is_read_as_by_the_plain_reader_or_refused(made, undecided):
    header, lines = made
    text = "\n".join(",".join(line) for line in [header, *lines]) + "\n"
    expected = plain_reader.sides(text, *header, undecided)
    problems = ""
    try:
        contests = plain_reader.contests_of(read(text, undecided=undecided))
    except po.DataError as error:
        problems, contests = str(error), []
    words = {"1", "2", "3", "tie", "draw", "none"}
    if " ambiguous: " in problems and {cell for line in lines for cell in line} <= words:
        return
    assert contests == expected


@examples(40)
@given(sheets(), st.randoms(use_true_random=False))
def test_order_of_columns_and_case_of_headings_do_not_matter(made, random):
    header, lines = made
    columns = {label: [line[i] for line in lines] for i, label in enumerate(header)}
    labels = list(columns)
    random.shuffle(labels)
    try:
        plain = po.read(columns)
    except po.DataError:
        return
    shuffled = po.read({label.swapcase(): columns[label] for label in labels})
    assert plain_reader.contests_of(shuffled) == plain_reader.contests_of(plain)


@pytest.mark.parametrize(
    ("won", "lost", "tie", "unclear"),
    [
        ("gana", "pierde", "empate", "desconocido"),
        ("gewinnt", "verliert", "unentschieden", "unklar"),
        ("gagné", "perd", "égalité", "indécis"),
    ],
)
def test_outcomes_in_other_languages(sheet, won, lost, tie, unclear):
    data = po.read(
        sheet(f"Actor,Recipient,Result\na,b,{won}\na,b,{lost}\nb,a,{tie}\na,b,{unclear}\n")
    )
    table = data.to_table().select("winner", "loser", "draw")
    assert table.rows() == [("a", "b", False), ("b", "a", False), ("b", "a", True)]


def test_names_of_persons_are_no_words_for_a_win(sheet):
    """Victoria is misspelled in a side: its win must not become one of the other."""
    with pytest.raises(po.DataError, match='"Victoria" in column "Winner" names neither side'):
        po.read(sheet("Initiator,Receiver,Winner\nBo,Viktoria,Victoria\nBo,Cy,Cy\n"))


def test_all_unknown_words_are_named(sheet):
    with pytest.raises(po.DataError, match='"x", "y" in column "Result" name neither side'):
        po.read(sheet("Actor,Recipient,Result\na,b,x\na,b,y\nb,a,x\n"))


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("date,a,b,outcome\n1,x,y,1\n,y,z,1\n3,x,z,0\n", '1 win of "a", 1 win of "b"'),
        ("date,winner,loser,count\n1,x,y,2\n,y,z,7\n", "contests: 1 row with 2 contests"),
        ("date,contest\n1,x > y\n,y > z\n", "a win of x (1 such cell)"),
        ("date,winner,loser,count,ties\n1,x,y,2,0\n,y,z,7,1\n", '2 in "count", 0 in "ties"'),
    ],
)
def test_notes_count_the_rows_that_are_kept(text, note):
    data = read(text, missing="drop")
    assert data.report.dropped == {"no date": 1}
    assert any(note in found for found in data.report.notes)
