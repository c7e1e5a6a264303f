"""Tables that name two sides of a contest: whether any column says who won.

`initiator` and `receiver` name two sides; only a third column, such as `winner` or `outcome`, says
who won. Such a table must not be read as if initiators always won, nor may a column of winners be
combined with a column of receivers as losers, which turns contests won by the receiver into
self-contests.
"""

from __future__ import annotations

import re

import polars as pl

from peckorder.errors import DataError
from peckorder.sources.headings import FOLLOWED, are_a_pair, fits, heading, roles_of, says
from peckorder.sources.names import text_of
from peckorder.sources.sheet import Sheet
from peckorder.sources.verdicts import AMBIGUOUS, INVALID, digits_in, verdicts
from peckorder.wording import listed, option, quoted

Fitting = dict[str, list[str]]
ROWS_COMPARED = 1000
OF_OUTCOMES = frozenset(
    ("winner", "won", "wins", "outcome", "result", "verdict", "gewinner", "sieger", "ergebnis")
)
OF_INDIVIDUALS = frozenset(("sex", "age", "weight", "mass", "size", "rank", "status"))


def outcome_option(column: str) -> str:
    """The option that gives a column of outcomes."""
    return option("outcome", column, flag="outcome_column")


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
    if len(fitting["outcome"]) > 1 and all(sides):
        readable = [c for c in fitting["outcome"] if _can_be_read(sheet, sides[0], sides[1], c)]
        fitting["outcome"] = readable or fitting["outcome"]


def _can_be_read(sheet: Sheet, a: str, b: str, column: str) -> bool:
    """Whether all cells of a column state an outcome of the two sides."""
    first, second, cells = (
        text_of(sheet.column(c)).fill_null("").str.strip_chars() for c in (a, b, column)
    )
    found = verdicts(cells, first, second, (a, b), column, digits_in(cells))
    return not ((found == INVALID) | (found == AMBIGUOUS)).any()


def as_outcome(named: dict[str, str], fitting: Fitting) -> None:
    """Take winner= as the outcome if two other columns name the sides and none names the loser."""
    if "winner" not in named or {"loser", "a", "b", "outcome"} & set(named):
        return
    beside = len(fitting.get("a", [])) == 1 == len(fitting.get("b", []))
    if beside and not any(says(c, "lost") for c in fitting.get("loser", [])):
        named["outcome"] = named.pop("winner")
        fitting["winner"] = []


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
        f"({option('outcome', flag='outcome_column')})."
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
    sides = listed([option("a", a), option("b", b), outcome_option(winner)])
    return DataError(
        f'{sheet.name}: "{a}" and "{b}" name the two sides, and column "{winner}" appears to say '
        f'who won. To read it so, give {sides}. If instead the individual in "{a}" counts as '
        f'the winner of every contest, whatever "{winner}" says, give {_as_winner(a, b)}.'
    )


def sides_without_outcome(sheet: Sheet, a: str, b: str) -> DataError:
    """The error if two columns name the sides of contests and no column says who won."""
    naming = naming_a_side(sheet, a, b)
    if naming is None:
        hint = f"Columns found: {quoted(sheet.columns)}. Specify the column of winners or outcomes "
        hint += f"with {option('outcome', flag='outcome_column')}."
    else:
        hint = f'"{naming}" names one of the two in every row: if it is the winner, give '
        hint += f"{outcome_option(naming)}."
    return DataError(
        f'{sheet.name}: "{a}" and "{b}" name the two sides, but no column was recognized that '
        f'says who won. {hint} If the individual in "{a}" won every contest, give '
        f"{_as_winner(a, b)}; if it lost every contest, {_as_winner(b, a)}."
    )


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
