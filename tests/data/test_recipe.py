"""Recipes and doubts: what is noticed, that each choice settles it, and that nothing is lost."""

import numpy as np
import pytest

import peckorder as po
from peckorder.cli import main
from peckorder.data.recipe import Choice, Recipe
from peckorder.text import at_the_shell

PAIRS = [
    *(("Abe", "Bella"), ("Bella", "Cora"), ("Abe", "Cora"), ("Cora", "Dan"), ("Bella", "Dan")),
    *(("Dan", "Eve"), ("Eve", "Finn"), ("Abe", "Finn"), ("Bella", "Eve"), ("Abe", "Dan")),
    *(("Cora", "Eve"), ("Dan", "Finn")),
]
DAYS = [f"2020-01-{10 + i // 3}" for i in range(12)]
SHUFFLED = [3, 1, 2, 5, 4, 6, 7, 9, 8, 10, 12, 11]


def table(**more):
    """Twelve contests on four days, with further columns."""
    winner, loser = zip(*PAIRS, strict=True)
    return {"date": DAYS, "winner": list(winner), "loser": list(loser)} | more


def asked(source, **arguments):
    """The doubts that ask or refuse, by kind and place."""
    _, doubts = po.propose(source, **arguments)
    return {(one.kind, one.where): one for one in doubts if one.severity != "note"}


TRAPS = {
    "group": (table(site=[1, 2] * 6), ("group", "site")),
    "hour": (table(hour=[9, 8, 10] * 4), ("order", "hour")),
    "trial": (table(date=None, trial=SHUFFLED), ("order", "trial")),
    "month": (table(date=["2020"] * 12, month=SHUFFLED), ("date part", "month")),
    "excluded": (table(exclude=["no"] * 11 + ["yes"]), ("filter", "exclude")),
    "marked": (table(Q7=["", "x", *[""] * 10]), ("filter", "Q7")),
    "result": (table(result=["win"] * 11 + ["loss"]), ("filter", "result")),
    "year": (table(date=[*DAYS[:4], "1920-01-11", *DAYS[5:]]), ("date", "date")),
    "no time": (table(date=[f"{d} 10:30" for d in DAYS[:11]] + [DAYS[11]]), ("date", "date")),
    "six digits": (table(date=[f"{d:02d}0521" for d in range(10, 22)]), ("date", "date")),
    "counts": (table(date=None, Q7=[1, 2, 3] * 4), ("count", "Q7")),
}


@pytest.mark.parametrize("trap", TRAPS)
def test_a_trap_is_noticed_and_its_first_choice_settles_it(trap):
    source, key = TRAPS[trap]
    source = {name: cells for name, cells in source.items() if cells is not None}
    doubt = asked(source)[key]
    for choice in doubt.choices:
        assert key not in asked(source, **choice.arguments()), choice
    recipe, _ = po.propose(source)
    decided = recipe.decide(doubt, 0)
    data = po.read(source, recipe=Recipe.from_toml(decided.to_toml()))
    other = po.read(source, **doubt.choices[0].arguments())
    assert data.hash == other.hash
    assert data.recipe.decided == [f"{key[0]}, {key[1]}: {doubt.choices[0].label}"]


@pytest.mark.parametrize(
    "cell",
    ["Bella*", "#Bella", "Bella?", "(Bella)", '"Bella"', "Bella x3", "Bella (bite)", "bella "],
)
def test_a_spelling_becomes_its_name(cell):
    source = {"winner": ["Abe", "Bella", "Abe", cell], "loser": ["Bella", "Cy", "Cy", "Cy"]}
    doubt = asked(source)["name", f'"{cell.strip()}"']
    data = po.read(source, **doubt.choices[0].arguments())
    assert data.individuals == ("Abe", "Bella", "Cy")
    met = {"winner": ["Abe", "P", "P"], "loser": ["p", "p", "Abe"]}  # two, as they fought
    assert ("name", '"p"') not in asked(met)


@pytest.mark.parametrize("cell", ["juv", "UNID", "female", "several", "BYE", "Unknown?"])
def test_words_for_nobody_are_asked_about(cell):
    source = {"winner": ["Abe", "Bo", "Abe"], "loser": ["Bo", "Cy", cell]}
    doubt = asked(source)["name", f'"{cell}"']
    assert po.read(source, **doubt.choices[0].arguments()).individuals == ("Abe", "Bo", "Cy")


@pytest.mark.parametrize("cell", ["draw", "tie", "Bo or Cy"])
def test_outcomes_and_several_names_are_refused(cell):
    source = {"winner": ["Abe", "Bo", "Abe", "Cy"], "loser": ["Bo", "Cy", cell, "Abe"]}
    with pytest.raises(po.DataError, match=f'Decide with ignore="{cell}"'):
        po.read(source)
    assert len(po.read(source, ignore=cell)) == 3


def test_submissive_behaviors_of_the_actor_must_be_declared():
    winner, loser = zip(*PAIRS, strict=True)
    source = {"actor": [*winner, "Finn"], "receiver": [*loser, "Abe"], "what": ["chase"] * 12}
    source["what"].append("avoid")
    with pytest.raises(po.DataError, match="probability that receiver wins: avoid 0.9"):
        po.read(source)
    doubt = asked(source)["direction", "what"]
    data = po.read(source, **doubt.choices[0].arguments())
    last = len(data) - 1
    assert data.individuals[data.winner[last]] == "Abe"
    assert po.read(source, **doubt.choices[1].arguments()).individuals == data.individuals


def test_the_direction_of_a_matrix(sheet):
    rows = "A,0,3,4\nB,0,0,3\nC,0,1,0\n"
    (doubt,) = asked(sheet(f"received from,A,B,C\n{rows}")).values()
    assert (doubt.kind, doubt.severity) == ("direction", "refuse")
    path = sheet(f"Losers in rows\n,A,B,C\n{rows}")
    with pytest.raises(po.DataError, match='Decide with winners="columns"'):
        po.read(path)
    data = po.read(path, winners="columns")
    assert data.matrix().wins.tolist() == [[0, 0, 0], [3, 0, 1], [4, 3, 0]]
    assert "matrix, winners in columns" in str(data.report)
    assert data.recipe.shape == "matrix: columns won"
    assert po.read(path, recipe=data.recipe).hash == data.hash


def test_games_from_both_sides_count_once():
    winner, loser = (list(side) for side in zip(*PAIRS, strict=True))
    source = {"team": winner + loser, "opponent": loser + winner, "result": ["W"] * 12 + ["L"] * 12}
    doubt = asked(source)["twins", "rows"]
    assert len(po.read(source, **doubt.choices[0].arguments())) == 12
    assert len(po.read(source, **doubt.choices[1].arguments())) == 24


def test_a_recipe_survives_its_file():
    recipe = Recipe(
        source='a "b".csv',
        sheet="2",
        header="3-4",
        shape="events",
        order=["hour"],
        where='check != "x"',
        left_out=[{"rows": [5, "6 of b.csv"], "why": "a\nbreak \\ and \x7f"}],
        columns={"a.b": "winner", 'q"': "unused: Ümlaut", "c": "order"},
        names={"Bella*": "Bella", "": "x"},
        behaviors={"flee": "receiver", "chase": "actor"},
        rules={"missing": "drop", "glob": False, "individuals": ["A", "B"], "limit": 1.5},
    )
    assert Recipe.from_toml(recipe.to_toml()) == recipe


def test_arguments_are_shortcuts_for_fields(tmp_path):
    path = tmp_path / "r.toml"
    path.write_text('missing = "drop"\nwinner = "w"\n[columns]\n"l" = "loser"\n', encoding="utf-8")
    source = {"w": ["a", "", "b"], "l": ["b", "a", "c"], "winner": ["x", "y", "z"]}
    assert po.read(source, recipe=path).individuals == ("a", "b", "c")
    again = po.read(source, recipe=path, winner="winner")
    assert again.individuals == ("x", "b", "y", "a", "z", "c")
    with pytest.raises(po.ArgumentError, match="Did you mean missing"):
        Recipe.from_toml('mising = "drop"')
    with pytest.raises(po.ArgumentError, match="columns cannot be used"):
        Recipe.from_toml('columns = "x"')
    with pytest.raises(po.ArgumentError, match='"victor" is not possible for "w" in columns'):
        Recipe.from_toml('[columns]\nw = "victor"')
    assert Recipe.from_toml('[columns]\nhour = "order"').arguments() == {"order": ["hour"]}


def test_next_year_says_what_is_new():
    recipe = po.read(table(observer=["K", "L"] * 6)).recipe
    later = table(observer=["K"] * 12, tank=[1, 2] * 6)
    later["winner"] = ["Gus", *later["winner"][1:]]
    _, doubts = po.propose(later, recipe=recipe)
    said = {(one.kind, one.where): one for one in doubts}
    assert "Gus" in said["new", "names"].evidence
    assert ("new", "tank") in said
    assert not any(where == "observer" for _, where in said)


def test_undecided_doubts_are_said_by_results():
    data = po.read(table(Q7=["", "x", *[""] * 10]))
    assert data.recipe.columns["Q7"] == "unused: filter?"
    line = "1 doubt was not decided: Q7 (filter); data.check() shows them."
    assert data.cautions["doubts"] == line
    assert line in po.elo(data).notes
    assert "doubts" in po.read(table(Q7=["", "x", *[""] * 10]), recipe=data.recipe).cautions
    assert "doubts" not in po.read(table(Q7=["", "x", *[""] * 10]), unused="Q7").cautions


def test_no_column_is_doubted_that_says_nothing():
    random = np.random.default_rng(1)
    winner, loser = zip(*(PAIRS * 3), strict=True)
    found = 0
    for _ in range(10):
        cells = random.choice(["a", "b", "c"], 36).tolist()
        found += bool(asked({"winner": list(winner), "loser": list(loser), "Q7": cells}))
    assert found <= 1


def test_a_choice_is_typed_as_it_is_needed():
    choice = Choice("", {"columns.my cage": "group"})
    assert choice.words() == 'group="my cage"'
    assert choice.lines() == '[columns]\n"my cage" = "group"'


def test_check_saves_and_clean_writes(tmp_path, monkeypatch, capsys):
    from click.testing import CliRunner

    monkeypatch.chdir(tmp_path)
    lines = ["winner,loser,hour,Q7", "Abe,Bo,2,", "unknown,Bo,3,", "Bo,Cy,1,x", "Abe,Cy,4,"]
    (tmp_path / "a.csv").write_text("\n".join(lines), encoding="utf-8")
    run = CliRunner().invoke
    done = run(main, ["check", "a.csv", "--accept", "name:unknown=1", "--accept", "order:hour=1",
                      "--accept", "filter:Q7=1", "--save", "r.toml"])  # fmt: skip
    assert done.exit_code == 0, done.output
    clean = run(main, ["clean", "a.csv", "--recipe", "r.toml", "-o", "b.csv"])
    assert clean.exit_code == 0, clean.output
    written = (tmp_path / "b.csv").read_text(encoding="utf-8").splitlines()
    assert [line.split(",")[:3] for line in written] == [
        ["source_row", "winner", "loser"],
        ["2", "Abe", "Bo"],
        ["5", "Abe", "Cy"],
    ]
    (tmp_path / "c.csv").write_text("winner,loser\nAbe,Bo\ndraw,Bo\nBo,Cy\n", encoding="utf-8")
    assert run(main, ["check", "c.csv"]).exit_code == 1


def test_the_reference_is_made_from_the_code():
    """If it differs, run `python -m docs.builder.recipe`."""
    from docs.builder.recipe import PAGE, page

    assert PAGE.read_text(encoding="utf-8") == page()


def test_a_recipe_lists_behaviors_one_by_one_and_settles_equal_dates():
    sheet = {
        "date": ["2020-05-01"] * 6,
        "hour": [3, 1, 2, 5, 4, 6],
        "actor": ["Abe", "Bo", "Cy", "Abe", "Bo", "Cy"],
        "receiver": ["Bo", "Cy", "Abe", "Cy", "Abe", "Bo"],
        "behavior": ["bite", "chase", "avoid", "bite", "chase", "avoid"],
    }
    stated = {"winner_behaviors": "bite,chase", "loser_behaviors": "avoid", "order": "hour"}
    data = po.read(sheet, context="behavior", **stated)
    assert data.recipe.behaviors == {"bite": "actor", "chase": "actor", "avoid": "receiver"}
    again = po.read(sheet, recipe=data.recipe)
    assert again.frame().equals(data.frame())
    assert data.check()["order_within"].level == "passed"
    assert '"hour"' in data.check()["order_within"].message


def test_what_is_accepted_is_typed_as_an_argument_of_reading():
    """The flag --accept makes choices by number."""
    choice = Choice("keep", {"rules.accept": ["date: Date"]})
    with at_the_shell():
        assert choice.words() == "--read 'accept=date: Date'"
    assert choice.words() == 'accept="date: Date"'


def test_what_is_no_recipe():
    with pytest.raises(po.ArgumentTypeError, match="recipe=True: give a Recipe, its TOML file"):
        po.read([("a", "b")], recipe=True)
