"""Who won, from a cell that names a side or describes the outcome.

A cell may name one of the two individuals of its row (`Abby`), one of the two columns
(`initiator`), or the result from the perspective of the first side (`won`, `lost`, `tie`, 1 and
0). The column is read as a whole: where individuals are called 1, 2 and 3, the cell 1 is an
individual if all cells of the column are. A cell that has two readings is never decided here.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from peckorder.sources.headings import ALIASES, fits, heading, says

INVALID, FIRST, SECOND, TIE, OPEN, ASKED, BLANK, AMBIGUOUS = range(8)

# Words that are also names of persons (Victoria, Vince) are not among them.
FIRST_WORDS = (
    *("a", "left", ">", "w", "win", "wins", "won", "gewonnen", "gewinnt", "gano", "ganó", "gana"),
    *("ganado", "ganhou", "ganha", "vence", "venceu", "gagne", "gagné", "vinto"),
)
SECOND_WORDS = (
    *("b", "right", "<", "l", "loss", "lose", "loses", "lost", "defeat", "verloren", "verliert"),
    *("niederlage", "perdio", "perdió", "pierde", "perdido", "derrota", "perdeu", "perde"),
    *("perdu", "perd", "défaite", "defaite", "perso", "sconfitta"),
)
BEGINNING = ("initiator", "actor", "aggressor", "attacker", "focal")
RECEIVING = ("receiver", "recipient", "target", "victim", "partner", "opponent")
TIE_WORDS = (
    *("t", "tie", "tied", "ties", "d", "draw", "drawn", "both", "equal", "=", "unentschieden"),
    *("remis", "egalite", "égalité", "nul", "empate", "pareggio"),
)
OPEN_WORDS = (
    *("none", "undecided", "unclear", "unknown", "unresolved", "inconclusive", "no winner"),
    *("no clear winner", "nobody", "no one", "?", "no decision", "indecisive", "unsettled"),
    *("unklar", "unbekannt", "indeciso", "indecisa", "desconocido", "indécis", "indecis"),
    *("inconnu", "incerto", "desconhecido"),
)
# A tie, or no result? Only the user knows.
ASKED_WORDS = ("neither", "bothbad", "both bad", "both_bad", "tie (bothbad)", "tie (both bad)")
BLANK_WORDS = ("", "na", "nan", "n/a", "<na>")
YES, NO = ("yes", "y", "true"), ("no", "n", "false")
DIGITS = ("0", "1", "2", "-1", "0.5")
# Headings under which yes and no are an answer: did the first side win?
SUCCESS = ("won", "focalwon", "focalwins", "initiatorwon", "initiatorwins", "actorwon", "actorwins")


def lowered(cells: pl.Series) -> pl.Series:
    """Cells in lower case, without blanks around them; whole numbers without decimals."""
    return (
        cells.fill_null("").str.strip_chars().str.to_lowercase().str.replace(r"^(-?\d)\.0$", "$1")
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
    if heading(column) in SUCCESS:
        words |= dict.fromkeys(YES, FIRST) | dict.fromkeys(NO, SECOND)
    if says(labels[0], "acted") or says(labels[0], "began"):
        for letter in ("a", "b", "left", "right"):  # sides of votes only; here, individuals
            del words[letter]
        words |= dict.fromkeys(BEGINNING, FIRST) | dict.fromkeys(RECEIVING, SECOND)
    if fits(labels[0], ALIASES["home"]) or fits(labels[1], ALIASES["away"]):
        # H, D and A, where A is the away side and not side a.
        words |= dict.fromkeys(("h", "home"), FIRST) | dict.fromkeys(("a", "away"), SECOND)
    return words | {labels[0].strip().lower(): FIRST, labels[1].strip().lower(): SECOND}


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
