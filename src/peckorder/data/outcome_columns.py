"""Tables that name two sides of a contest: whether any column says who won.

`initiator` and `receiver` name two sides; only a third column, such as `winner` or `outcome`, says
who won. Such a table must not be read as if initiators always won, nor may a column of winners be
combined with a column of receivers as losers, which turns contests won by the receiver into
self-contests.

Who won, from a cell that names a side or describes the outcome.

Contests written in one cell: `A > B`, `A = B`, `A < B`, `A beats B`, `A → B`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import numpy as np
import polars as pl

from peckorder.data.headings import (
    ALIASES,
    FOLLOWED,
    are_a_pair,
    fits,
    heading,
    role_of_heading,
    roles_of,
    says,
    usual_sides,
    words,
)
from peckorder.data.names import text_of
from peckorder.data.recipe import typed
from peckorder.data.sheet import Sheet
from peckorder.errors import DataError
from peckorder.text import listed, option, quoted

Fitting = dict[str, list[str]]
ROWS_COMPARED = 1000
MOSTLY = 0.9  # share of the rows at least in which two sides differ
OF_FIRST = ("won", "wins", "win", "iswinner")  # behind the heading of the first side
MOST_BEHAVIORS = 30
OF_OUTCOMES = frozenset(
    ("winner", "won", "wins", "outcome", "result", "verdict", "gewinner", "sieger", "ergebnis")
)
OF_INDIVIDUALS = frozenset(
    ("sex", "age", "weight", "mass", "size", "rank", "status", "score", "points", "goals", "wins")
)


def of_a_pair(named: dict[str, str], fitting: Fitting) -> None:
    """Keep as candidates for both sides only headings that belong together."""
    if "a" in named or "b" in named:
        return
    pairs = [
        (one, other)
        for one in fitting.get("a", [])
        for other in fitting.get("b", [])
        if are_a_pair(one, other)
    ]
    # In a focal sample, the focal individual is the actor of some contests only.
    pairs = [pair for pair in pairs if not fits(pair[0], FOLLOWED)] or pairs
    for role, place in (("a", 0), ("b", 1)):
        if role in fitting:
            fitting[role] = list(dict.fromkeys(pair[place] for pair in pairs))


def outcome_columns(sheet: Sheet, named: dict[str, str], fitting: Fitting) -> None:
    """Candidates for the outcome: also headings of winners; if several, those that can be read."""
    if "outcome" not in fitting:
        return
    taken = {*named.values()}
    fitting["outcome"] = [
        c for c in sheet.columns if c in fitting["outcome"] or (says(c, "won") and c not in taken)
    ]
    sides = [named.get(role) or (fitting.get(role) or [""])[0] for role in ("a", "b")]
    if not fitting["outcome"] and all(sides):
        own = {f"{heading(sides[0])}{word}" for word in OF_FIRST}
        fitting["outcome"] = [
            c
            for c in sheet.columns
            if heading(c) in own
            or (
                heading(c) == "score"
                and digits_in(sheet.texts(c))
                and {*lowered(sheet.texts(c).unique())} <= {"0", "1", "0.5", "½"}
            )
        ]
    if len(fitting["outcome"]) > 1 and all(sides):
        first, second = (sheet.texts(side) for side in sides)
        cells = {c: sheet.texts(c) for c in fitting["outcome"]}
        pair, wrong = (sides[0], sides[1]), (INVALID, AMBIGUOUS)
        fitting["outcome"] = [
            c
            for c, own in cells.items()
            if not np.isin(verdicts(own, first, second, pair, c, digits_in(own)), wrong).any()
        ] or fitting["outcome"]


def as_outcome(named: dict[str, str], fitting: Fitting) -> None:
    """Take winner= as the outcome if two other columns name the sides and none names the loser."""
    if "winner" not in named or {"loser", "a", "b", "outcome"} & set(named):
        return
    beside = len(fitting.get("a", [])) == 1 == len(fitting.get("b", []))
    if beside and not any(says(c, "lost") for c in fitting.get("loser", [])):
        named["outcome"] = named.pop("winner")
        fitting["winner"] = []


def table_of_wins(sheet: Sheet, refused: set[str]) -> dict[str, str]:
    """The columns of a table with the numbers of wins of both sides, one row per dyad or contest.

    Headings of wins name their side by its last word, as in `ID1, ID2, ID1 wins, ID2 wins`, or
    `model_a, model_b, winner_model_a, winner_model_b`.
    """
    columns = sheet.columns
    known = {role for column in columns for role in roles_of(column, columns)}
    wins = [c for c in columns if WINS.search(c) and not TIES.search(c) and heading(c) != "winner"]
    if len(wins) < 2 or known & {"a_points", "home_points"}:
        return {}
    texts = [c for c in columns if c not in wins]
    sides = pair_of_sides(texts) or (texts[0], texts[1]) if len(texts) > 1 else None
    marks = [mark_of(side) for side in sides or ()]
    if sides is None or len(marks) < 2 or marks[0] == marks[1]:
        return {}
    of_side = {}
    for column in wins:
        named = [word for word in PART.findall(column.casefold()) if word in marks]
        if named and _whole(sheet.column(column)):
            of_side.setdefault(named[0], []).append(column)
    if any(len(of_side.get(mark, [])) != 1 for mark in marks):
        return {}
    found = dict(zip(("a", "b"), sides, strict=True))
    found |= {f"{side}_points": of_side[mark][0] for side, mark in zip("ab", marks, strict=True)}
    ties = [c for c in texts if c not in sides and TIES.search(c) and _whole(sheet.column(c))]
    if len(ties) == 1 and "tie" not in refused:
        found["tie"] = ties[0]
    return found


def table_of_records(sheet: Sheet) -> dict[str, str]:
    """The columns of a table with wins and losses of an individual against each opponent."""
    columns = sheet.columns
    numbers = [
        [c for c in columns if heading(c) in said and _whole(sheet.column(c))]
        for said in (OWN_WINS, OWN_LOSSES)
    ]
    texts = [c for c in columns if [c] not in numbers]
    if any(len(found) != 1 for found in numbers) or len(texts) < 2:
        return {}
    sides = pair_of_sides(texts) or (texts[0], texts[1])
    first, second = ({*_names(sheet.column(side))} - {""} for side in sides)
    if not first & second and not says(sides[1], "faced"):
        return {}
    (wins,), (losses,) = numbers
    found = {"a": sides[0], "b": sides[1], "a_points": wins, "b_points": losses}
    ties = [c for c in texts if c not in sides and TIES.search(c) and _whole(sheet.column(c))]
    return found | ({"tie": ties[0]} if len(ties) == 1 else {})


OWN_WINS = frozenset(("w", "wins", "won", "victories", "nwins", "winstotal"))
OWN_LOSSES = frozenset(("l", "losses", "lost", "defeats", "nlosses", "lossestotal"))
WINS = re.compile(
    r"wins?(?![a-z])|won(?![a-z])|beats?(?![a-z])|winner|victor|(?<=\w)\s*>\s*\w", re.I
)
TIES = re.compile(r"(?<![a-z])(?:ties?|tied|draws?|drawn)(?![a-z])", re.I)
PART = re.compile(r"[^\W\d_]+|\d+")


def mark_of(label: str) -> str:
    """The last word of a label, which is the mark of a side.

    >>> mark_of("ID1"), mark_of("model_a"), mark_of("Bird 2")
    ('1', 'a', '2')
    """
    return (PART.findall(label.casefold()) or [""])[-1]


def _whole(column: pl.Series, *, most: bool = False) -> bool:
    """Whether all cells, or most, are whole numbers of at least 0; some may be blank."""
    if column.dtype == pl.String:
        column = column.set(column.str.strip_chars() == "", None)
    numbers = column.cast(pl.Float64, strict=False)
    whole = int(((numbers >= 0) & (numbers % 1 == 0)).sum())
    return 2 * whole > len(column) if most else 0 < whole == column.count()


def table_of_focals(sheet: Sheet) -> dict[str, str]:
    """The columns of a table of focal individuals: whom they displaced, and who displaced them."""
    passive = [c for c in sheet.columns if PASSIVE.search(c)]
    if len(passive) != 1:
        return {}
    verb = PART.findall(passive[0].casefold())[0][:4]
    active = [
        c
        for c in sheet.columns
        if c != passive[0] and (heading(c).startswith(verb) or ACTIVE.fullmatch(c.strip()))
    ]
    if len(active) != 1 or len(sheet.columns) < 3:
        return {}
    names = {*_names(sheet.column(active[0])), *_names(sheet.column(passive[0]))} - {""}
    shared = {
        c: len(names.intersection(_names(sheet.column(c))))
        for c in sheet.columns
        if c not in (active[0], passive[0])
    }
    focal = max(shared, key=lambda c: shared[c])
    return {"a": focal, "loser": active[0], "winner": passive[0]} if shared[focal] else {}


PASSIVE = re.compile(
    r"[^\W\d]{3,}[\s_.-]*(?:by|von|par|por)\s*|(?:los[et]s?|lost)[\s_.-]+(?:to|against)", re.I
)
ACTIVE = re.compile(
    r"(?:beats?|defeats?|defeated|wins?|won|dominates?)(?:[\s_.-]+(?:against|over))?", re.I
)


def further_pair(sheet: Sheet) -> tuple[str, str] | None:
    """Two columns whose headings differ only in 1 and 2, or A and B, and which share names."""
    found = []
    for one in sheet.columns:
        for first, second in (("1", "2"), ("a", "b")):
            if mark_of(one) != first or {*PART.findall(one.casefold())} & OF_INDIVIDUALS:
                continue
            stem = heading(one)[: -len(first)]
            twins = [c for c in sheet.columns if heading(c) == stem + second]
            third = [c for c in sheet.columns if heading(c) in (f"{stem}3", f"{stem}c")]
            if stem and len(twins) == 1 and not third:
                names = [{*_names(sheet.column(c).head(ROWS_COMPARED))} for c in (one, twins[0])]
                if len((names[0] & names[1]) - {""}) > 1:
                    found.append((one, twins[0]))
    return found[0] if len(found) == 1 else None


def sharing_names(sheet: Sheet) -> tuple[str, str] | None:
    """The only two columns whose cells are names of the same individuals, one against another.

    A third one may name one of the two in every row.
    """
    head = sheet.table().head(ROWS_COMPARED)
    cells = {
        c.name: own
        for c in head
        if (c.dtype == pl.String or c.dtype.is_integer())
        and 2 < (own := _names(c)).n_unique() <= max(3, len(c) // 2)
    }
    found = []
    for one, other in combinations(cells, 2):
        first, second = ({*cells[c]} - {""} for c in (one, other))
        apart = int((cells[one] != cells[other]).sum())
        if 2 * len(first & second) > len(first | second) and apart > MOSTLY * len(cells[one]):
            found.append((one, other))
    found = [pair for pair in found if not _whole(sheet.column(pair[0]), most=True)] or found
    third = [pair for pair in found if len(found) == 1 or naming_a_side(sheet, *pair)]
    return third[0] if len(third) == 1 else None


def check_who_won(
    sheet: Sheet, chosen: dict[str, str], named: dict[str, str], losses_marked: bool
) -> list[str]:
    """Notes on a winner who may only have acted; an error if other columns say who won.

    `losses_marked` states that a column of draws says which contests the first individual lost.
    """
    winner, loser = chosen["winner"], chosen["loser"]
    others = [c for c in sheet.columns if c not in (winner, loser)]
    winners = [c for c in others if says(c, "won")]
    if "winner" in named and "loser" in named:
        if winners and not says(winner, "won"):
            return [
                f'Column "{winner}" was read as the winner, as requested; {quoted(winners)} '
                f"{'was' if len(winners) == 1 else 'were'} not used."
            ]
        return []
    starters = [c for c in others if are_a_pair(c, loser)]
    receivers = [c for c in others if are_a_pair(winner, c)]
    third = "winner" in named or says(winner, "won")  # the winner is neither of the two sides
    if starters and third and not says(loser, "lost"):
        raise _which(sheet, starters[0], loser, winner)
    if winners and not says(winner, "won") and not says(loser, "lost"):
        raise _which(sheet, winner, loser, winners[0])
    if receivers and says(loser, "lost"):
        raise DataError(
            f'{sheet.name}: "{winner}" and "{receivers[0]}" name the two sides, and "{loser}" one '
            f'of them. Add a column of winners, or, if the individual in "{winner}" won every '
            f"contest, give {_as_winner(winner, receivers[0])}."
        )
    if "winner" in named or says(winner, "won") or says(loser, "lost") or losses_marked:
        return []
    if likely := [c for c in others if _may_say_who_won(c)]:
        raise _which(sheet, winner, loser, likely[0])
    if says(winner, "began") or naming_a_side(sheet, winner, loser):
        raise sides_without_outcome(sheet, winner, loser)
    return [
        f'Column "{winner}" was read as the winner of every contest: no column says who won. If '
        f'the individual in "{loser}" can win, add a column of outcomes '
        f"({option('outcome')})."
    ]


def _may_say_who_won(column: str) -> bool:
    """Whether a heading that is not recognized has a word for who won, as in "Winner (A/R)"."""
    if "outcome" in roles_of(column, [column]):  # recognized, so that the user has excluded it
        return False
    words = set(re.split(r"[\W\d_]+", column.casefold()))
    return not words.isdisjoint(OF_OUTCOMES) and words.isdisjoint(OF_INDIVIDUALS)


def _as_winner(winner: str, loser: str) -> str:
    return listed([option("winner", winner), option("loser", loser)])


def _which(sheet: Sheet, a: str, b: str, winner: str) -> DataError:
    """The error if the individual that began is about to be read as the winner, or loser."""
    sides = listed([option("a", a), option("b", b), option("outcome", winner)])
    return DataError(
        f'{sheet.name}: "{a}" and "{b}" name the two sides, and column "{winner}" appears to say '
        f'who won. To read it so, give {sides}. If instead the individual in "{a}" counts as '
        f'the winner of every contest, whatever "{winner}" says, give {_as_winner(a, b)}.'
    )


def sides_without_outcome(sheet: Sheet, a: str, b: str) -> DataError:
    """The error if two columns name the sides of contests and no column says who won."""
    naming = naming_a_side(sheet, a, b)
    likely = [c for c in sheet.columns if c not in (a, b) and _may_say_who_won(c)]
    if naming is None and likely:
        return _which(sheet, a, b, likely[0])
    if naming is None and (ways := _by_behaviors(sheet, a, b)):
        return DataError(
            f'{sheet.name}: "{a}" and "{b}" name the two sides, and who won may depend on the '
            f"behavior. If the words mean what they usually mean, give {ways}. If the individual "
            f'in "{a}" won every contest, give {_as_winner(a, b)}.'
        )
    if naming is None:
        hint = _by_numbers(sheet, a, b) or (
            f"Columns found: {quoted(sheet.columns)}. Specify the column of winners or outcomes "
            f"with {option('outcome')}."
        )
    else:
        sides = option("a", a), option("b", b)
        won, lost = (listed([*sides, option(role, naming)]) for role in ("outcome", "loser"))
        hint = f'"{naming}" names one of the two in every row: if it is the winner, give {won}; '
        hint += f"if it is the loser, {lost}."
    return DataError(
        f'{sheet.name}: "{a}" and "{b}" name the two sides, but no column was recognized that '
        f'says who won. {hint} If the individual in "{a}" won every contest, give '
        f"{_as_winner(a, b)}; if it lost every contest, {_as_winner(b, a)}."
    )


def _by_numbers(sheet: Sheet, a: str, b: str) -> str:
    """What to do with columns of points or of answers whether the first individual won."""
    others = [c for c in sheet.columns if c not in (a, b)]
    points = [c for c in others if _whole(sheet.column(c), most=True)]
    own = [
        c for mark in (mark_of(a), mark_of(b)) for c in points if mark in PART.findall(c.casefold())
    ]
    points = own if len(points) > 2 and mark_of(a) != mark_of(b) else points
    if len(points) == 2:
        ways = {"a": a, "b": b, "a_points": points[0], "b_points": points[1]}
        said = listed([option(role, column) for role, column in ways.items()])
        return f"If {quoted(points)} are their points, give {said}."
    answers: dict[str, dict[str, str]] = {}
    for column in others:
        kinds = sorted({*_names(sheet.column(column).head(ROWS_COMPARED))})
        ways = {one: "first" if one.casefold() in ("1", *YES) else "second" for one in kinds}
        known = all(one.casefold() in ("0", "1", *YES, *NO) for one in kinds)
        if known and len(kinds) == 2 == len({*ways.values()}):
            answers[column] = ways
    if len(answers) > 1:
        return f"{quoted(answers)} answer yes or no: write one column of winners (or tie) instead."
    for column, ways in answers.items():
        sides = listed([option("a", a), option("b", b), option("outcome", column)])
        return (
            f'If "{column}" says whether the individual in "{a}" won, give {sides}, '
            f"{typed({'outcomes': ways})}."
        )
    return ""


def _by_behaviors(sheet: Sheet, a: str, b: str) -> str:
    """The options of a column of behaviors, if there is one whose words are known."""
    head = sheet.table().head(ROWS_COMPARED)
    for column in sheet.columns:
        if column in (a, b) or head[column].dtype != pl.String:
            continue
        words = dict.fromkeys(word for word in _names(head[column]) if word)
        won, lost = usual_sides(words)
        if lost and len(words) <= MOST_BEHAVIORS:
            ways = {"winner": a, "loser": b, "context": column}
            sides = [
                option(name, ",".join(chosen))
                for name, chosen in (("winner_behaviors", won), ("loser_behaviors", lost))
                if chosen
            ]
            found = listed([*(option(role, value) for role, value in ways.items()), *sides])
            rest = [word for word in words if word not in (*won, *lost)]
            return found + f", and add {quoted(rest)} to one of these lists" * bool(rest)
    return ""


def naming_a_side(sheet: Sheet, a: str, b: str) -> str | None:
    """Another column whose cells all name one of the two sides, and not always the same one.

    Headings of focal individuals are left out: these take part in every contest of a focal sample.
    """
    head = sheet.table().head(ROWS_COMPARED)
    first, second = (_names(sheet.column(side).head(ROWS_COMPARED)) for side in (a, b))
    for column in sheet.columns:
        kind = head[column].dtype
        if (
            column in (a, b)
            or says(column, "began")
            or not (kind == pl.String or kind.is_integer())
        ):
            continue
        cells = _names(head[column])
        is_first, is_second = cells == first, cells == second
        if (is_first | is_second).all() and is_first.any() and is_second.any():
            return column
    return None


def _names(column: pl.Series) -> pl.Series:
    return text_of(column).fill_null("").str.strip_chars()


def pair_of_sides(columns: list[str]) -> tuple[str, str] | None:
    """Two columns that name the sides of contests, other than plain letters."""
    firsts = [c for c in columns if "a" in roles_of(c, columns) and heading(c) not in ("a", "left")]
    pairs = [(one, other) for one in firsts for other in columns if are_a_pair(one, other)]
    if len(pairs) != 1:
        return None
    # In a matrix, team1 and team2 are followed by team3.
    stem = heading(pairs[0][0])[:-1]
    further = [c for c in columns if heading(c)[:-1] == stem and c not in pairs[0]]
    return None if further else pairs[0]


INVALID, FIRST, SECOND, TIE, OPEN, ASKED, BLANK, AMBIGUOUS = range(8)

# Words that are also names of persons (Victoria, Vince) are not among them.
FIRST_WORDS = words(
    "a, left, >, w, win, wins, won, 1st, first, home win, win_a, a_win, a wins, gewonnen, gewinnt, "
    "gano, ganó, gana, ganado, ganhou, ganha, vence, venceu, gagne, gagné, vinto"
)
SECOND_WORDS = words(
    "b, right, <, l, loss, lose, loses, lost, defeat, 2nd, second, win_b, b_win, b wins, away win, "
    "verloren, verliert, niederlage, perdio, perdió, pierde, perdido, derrota, perdeu, perde, "
    "perdu, perd, défaite, defaite, perso, sconfitta"
)
BEGINNING = ("initiator", "actor", "aggressor", "attacker", "focal")
RECEIVING = ("receiver", "recipient", "target", "victim", "partner", "opponent")
TIE_WORDS = words(
    "t tie tied ties d draw drawn both equal = unentschieden remis egalite égalité nul empate "
    "pareggio stalemate stand-off gelijkspel oavgjort uavgjort uafgjort"
)
OPEN_WORDS = words(
    "none, undecided, unclear, unknown, unresolved, inconclusive, no winner, no clear winner, "
    "nobody, no one, ?, no decision, indecisive, unsettled, unklar, unbekannt, indeciso, indecisa, "
    "desconocido, indécis, indecis, inconnu, incerto, desconhecido"
)
# A tie, or no result? Only the user knows.
ASKED_WORDS = ("neither", "bothbad", "both bad", "both_bad", "tie (bothbad)", "tie (both bad)")
BLANK_WORDS = ("", "na", "nan", "n/a", "<na>")
YES = words("yes y true ja oui si sí sim tak")
NO = words("no n false nein non não nao nee nej nei nie")
DIGITS = ("0", "1", "2", "-1", "0.5")
# Headings under which yes and no are an answer: did the first side win?
SUCCESS = ("won", "focalwon", "focalwins", "initiatorwon", "initiatorwins", "actorwon", "actorwins")


def lowered(cells: pl.Series) -> pl.Series:
    """Cells in lower case, without blanks around them; whole numbers without decimals."""
    return (
        cells.fill_null("")
        .str.strip_chars()
        .str.to_lowercase()
        .str.replace(r"^(-?\d)\.0$", "$1")
        .str.replace(r"^([wld])\s*(?:[(/-]?\s*(?:ot|so|pen)s?\)?|\d+\s*[-–:]\s*\d+)$", "$1")
    )


def digits_in(cells: pl.Series) -> frozenset[str]:
    """The digits among the cells, which decide what 1 means."""
    return frozenset(lowered(cells.unique()).to_list()) & frozenset(DIGITS)


def says_who_lost(cells: pl.Series) -> bool:
    """Whether a column of draws also contains words for won and lost."""
    return bool(
        lowered(cells.cast(pl.String)).is_in(["w", "win", "won", "l", "loss", "lost"]).any()
    )


def meanings(labels: tuple[str, str], column: str, digits: frozenset[str]) -> dict[str, int]:
    """What each word means in a column of outcomes of two sides with these labels."""
    words = dict.fromkeys(FIRST_WORDS, FIRST) | dict.fromkeys(SECOND_WORDS, SECOND)
    words |= dict.fromkeys(TIE_WORDS, TIE) | dict.fromkeys(OPEN_WORDS, OPEN)
    words |= dict.fromkeys(ASKED_WORDS, ASKED) | dict.fromkeys(BLANK_WORDS, BLANK)
    words |= _digits(column, digits)
    own = {f"{heading(labels[0])}{word}" for word in OF_FIRST}
    if heading(column) in {*SUCCESS, *own}:
        words |= dict.fromkeys(YES, FIRST) | dict.fromkeys(NO, SECOND)
    if says(labels[0], "acted") or says(labels[0], "began"):
        for letter in ("a", "b", "left", "right"):  # sides of votes only; here, individuals
            del words[letter]
        words |= dict.fromkeys(BEGINNING, FIRST) | dict.fromkeys(RECEIVING, SECOND)
    if fits(labels[0], ALIASES["home"]) or fits(labels[1], ALIASES["away"]):
        # H, D and A, where A is the away side and not side a.
        words |= dict.fromkeys(("h", "home"), FIRST) | dict.fromkeys(("a", "away"), SECOND)
    first, second = (label.strip().lower() for label in labels)
    initials = {first[:1]: FIRST, second[:1]: SECOND}
    if (first, second) == ("left", "right") or initials.keys().isdisjoint(words):
        words |= initials if len(initials) == 2 else {}  # I and R of initiator and receiver
    bare = {
        role_of_heading(label): side for label, side in zip(labels, (FIRST, SECOND), strict=True)
    }
    return (words | bare if len(bare) == 2 else words) | {first: FIRST, second: SECOND}


def _digits(column: str, digits: frozenset[str]) -> dict[str, int]:
    """1 and 2 are the sides; 1, ½ and 0, or 1, 0 and −1, the score of the first side."""
    if "2" in digits:
        return {} if digits & {"0", "-1"} else {"1": FIRST, "2": SECOND, "0.5": TIE}
    if says(column, "won"):
        return {}  # the number of a side, from 0, or a score?
    if "-1" in digits:
        return {"1": FIRST, "0": TIE, "-1": SECOND}
    return {"1": FIRST, "0": SECOND, "0.5": TIE}


def verdicts(
    cells: pl.Series,
    first: pl.Series,
    second: pl.Series,
    labels: tuple[str, str],
    column: str,
    digits: frozenset[str],
) -> np.ndarray:
    """A verdict for each cell: FIRST, SECOND, TIE and so on, INVALID or AMBIGUOUS.

    Cells and names must not be null.
    """
    meaning = meanings(labels, column, digits)
    different = cells.unique()
    words = lowered(different)
    meant = words.replace_strict(meaning, default=INVALID, return_dtype=pl.Int8)
    word = cells.replace_strict(different, meant, return_dtype=pl.Int8).to_numpy()
    if words.is_in(pl.concat([first.unique(), second.unique()]).str.to_lowercase().implode()).any():
        named = _named(cells.str.strip_chars(), first, second)
    else:
        named = np.full(len(cells), INVALID)
    blank = (word == BLANK) & (named == INVALID)
    sides = (word == FIRST) | (word == SECOND)
    by_name = np.where(named != INVALID, named, np.where(sides, INVALID, word))
    names_fit = bool((blank | (by_name != INVALID)).all()) and bool((named != INVALID).any())
    words_fit = bool((word != INVALID).all())
    if names_fit and not words_fit:
        return by_name.astype(np.int8)
    both = (named != INVALID) & (word != INVALID) & (named != word)
    either = np.where(word != INVALID, word, named)
    return np.where(both, AMBIGUOUS, either).astype(np.int8)


def _named(cells: pl.Series, first: pl.Series, second: pl.Series) -> np.ndarray:
    """The side whose name is in the cell: exactly, or else regardless of case."""
    exact = [(cells == side).to_numpy() for side in (first, second)]
    small = cells.str.to_lowercase()
    folded = [(small == side.str.to_lowercase()).to_numpy() for side in (first, second)]
    sure = exact[0] | exact[1]
    one, other = (np.where(sure, exact[i], folded[i]) for i in (0, 1))
    same = (first == second).to_numpy()  # a self-contest, which is reported as such
    return np.select([one & other & ~same, one, other], [AMBIGUOUS, FIRST, SECOND], INVALID)


ROWS_TRIED = 1000
FIRST_WON = ("->", "→", "➔", "➜", "⟶", "⇒", ">")
SECOND_WON = ("<-", "←", "⟵", "⇐", "<")
EVEN = ("=",)
WON_WORDS = words(
    "beats, beat, defeats, defeated, displaces, displaced, supplants, supplanted, wins against, "
    "won against, wins over, won over, dominates"
)
LOST_WORDS = ("loses to", "lost to", "loses against", "lost against", "is beaten by")
EVEN_WORDS = ("ties with", "tied with", "draws with", "drew with")


def _between(signs: tuple[str, ...], words: tuple[str, ...]) -> str:
    spaced = [r"(?<=\s)" + word.replace(" ", r"\s+") + r"(?=\s)" for word in words]
    return "|".join([*map(re.escape, signs), *spaced])


_SIGN = re.compile(
    rf"(?P<won>{_between(FIRST_WON, WON_WORDS)})"
    rf"|(?P<lost>{_between(SECOND_WON, LOST_WORDS)})"
    rf"|(?P<even>{_between(EVEN, EVEN_WORDS)})",
    re.IGNORECASE,
)
_VERSUS = re.compile(
    r"\S\s+(?:vs?\.?|versus|gegen|contre|contra|contro|[-–—:])\s+\S", re.IGNORECASE
)
# Signs that contain others, or compare: not a statement of who won.
_OTHER = re.compile(r"<->|<>|<=|=>|>=|>>|<<|==|↔|⇔")


@dataclass(frozen=True)
class Written:
    """A contest as written: the winner first, or both sides of a tie."""

    first: str
    second: str
    tie: bool
    sign: str
    cell: str


@lru_cache(maxsize=1 << 16)
def written(cell: str) -> Written | None:
    """The contest written in a cell, or None if it is not written unambiguously.

    >>> written("Abby < Bo")
    Written(first='Bo', second='Abby', tie=False, sign='<', cell='Abby < Bo')
    >>> written("Abby > Bo > Cy"), written("Abby - Bo"), written("Abby vs Bo")
    (None, None, None)
    """
    if _OTHER.search(cell):
        return None
    found = list(_SIGN.finditer(cell))
    if len(found) != 1:
        return None
    sign = found[0]
    left, right = cell[: sign.start()].strip(), cell[sign.end() :].strip()
    if not left or not right:
        return None
    if sign["lost"]:
        left, right = right, left
    return Written(left, right, bool(sign["even"]), " ".join(sign[0].lower().split()), cell)


def columns_of_contests(sheet: Sheet) -> list[str]:
    """The columns in which at least half of the cells are contests.

    A column of ties only, which may be a list of settings such as `sex=M`, counts if its names
    take part in the contests of other columns.
    """
    head = sheet.table().head(ROWS_TRIED)
    found = {column.name: _contests(column) for column in head if column.dtype == pl.String}
    decided = [name for name, read in found.items() if any(not contest.tie for contest in read)]
    known = {who for name in decided for one in found[name] for who in (one.first, one.second)}
    return [
        name
        for name, read in found.items()
        if name in decided
        or (read and all(who in known for one in read for who in (one.first, one.second)))
    ]


def _contests(column: pl.Series) -> list[Written]:
    """The contests in a column, or none if less than half of its cells are contests."""
    cells = [cell for cell in column.drop_nulls().str.strip_chars().to_list() if cell]
    read = [contest for contest in map(written, cells) if contest is not None]
    return read if 2 * len(read) >= len(cells) else []


def columns_without_winner(sheet: Sheet) -> tuple[str, str] | None:
    """The first column in which most cells name two sides (A vs B), and its first such cell."""
    for column in sheet.table().head(ROWS_TRIED):
        if column.dtype == pl.String:
            cells = [cell for cell in column.drop_nulls().str.strip_chars().to_list() if cell]
            found = [cell for cell in cells if _VERSUS.search(cell)]
            if 2 * len(found) > len(cells):
                return column.name, found[0]
    return None
