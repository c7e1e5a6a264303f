"""Which papers can be recomputed, and the verb that does it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import polars as pl

from peckorder import methods
from peckorder.data.contests import Contests
from peckorder.data.read import read
from peckorder.errors import ArgumentError
from peckorder.papers import albers2001, devries2006, foerster2016, goffe2018, langville2012
from peckorder.papers.printed import ORDER, Expected, Printed, Statement, compared
from peckorder.results.measures import Measure
from peckorder.text import counted
from peckorder.validate import one_of


@dataclass(frozen=True)
class Paper:
    """A paper whose printed numbers can be recomputed."""

    numbers: Callable[[Contests], list[Printed]]  # computes them from contests
    expected: Callable[[], Expected]  # what the contests must contain to be those of the paper
    # statements without numbers that were tried
    statements: Callable[[Contests], list[Statement]] = lambda _: []
    # the contests that are included, or None if they must be given
    data: Callable[[], Contests] | None = None
    needs: str = ""  # what to give, where it is not included
    read: Callable[..., Contests] = read  # reads a file of the contests
    # what else differs from the contests of the paper
    further: Callable[[Contests], list[str]] = lambda _: []
    # the examples that draw its figures, and whether they need the file of contests
    programs: tuple[tuple[str, bool], ...] = ()
    not_listed: str = ""  # printed numbers that are not listed, and why


PAPERS = {
    "albers2001": Paper(
        albers2001.numbers,
        albers2001.expected,
        albers2001.statements,
        albers2001.data,
        not_listed=albers2001.NOT_LISTED,
        programs=(("albers_de_vries", False), ("self_organizing", False)),
    ),
    "devries2006": Paper(
        devries2006.numbers,
        devries2006.expected,
        devries2006.statements,
        devries2006.data,
        programs=(("steepness_figures", False), ("index_errors", False)),
    ),
    "foerster2016": Paper(
        foerster2016.numbers,
        foerster2016.expected,
        needs="the contests of the females (doi:10.5061/dryad.r4g74)",
        programs=(("chimpanzees", True),),
    ),
    "goffe2018": Paper(
        goffe2018.numbers,
        foerster2016.expected,
        goffe2018.statements,
        goffe2018.toy,
        programs=(("goffe_scenarios", False), ("chimpanzees", True)),
    ),
    "langville2012": Paper(
        langville2012.numbers,
        langville2012.expected,
        langville2012.statements,
        read=langville2012.read_games,
        further=langville2012.further,
        needs="the 267 games of the NFL season 2009–10 (such as nfl_games.csv of FiveThirtyEight)",
        programs=(("nfl", True),),
    ),
}


def contests(paper: str, data: Any = None, presence: Any = None) -> Contests:
    """The contests of a paper: those included, or given ones, which must be the same.

    Parameters
    ----------
    paper : {"albers2001", "devries2006", "foerster2016", "goffe2018", "langville2012"}
    data : Contests or file, optional
        As in `reproduce`. The games of FiveThirtyEight are renamed to the teams of the book.
    presence : file, optional
        Presence of individuals, to be read with a file of contests.

    Examples
    --------
    >>> import peckorder as po
    >>> len(po.papers.contests("albers2001"))
    33
    """
    known = PAPERS[one_of("paper", paper, tuple(PAPERS))]
    if data is None:
        if known.data is None:
            raise ArgumentError(
                f"{paper} needs {known.needs}, which are not included. Give the file."
            )
        return known.data()
    given = data if isinstance(data, Contests) else known.read(data, presence=presence)
    known.expected().check(given, paper, known.further(given))
    return given


def reproduce(paper: str, *, data: Any = None) -> Measure:
    """Recompute the numbers that a paper prints, and compare them.

    Parameters
    ----------
    paper : {"albers2001", "devries2006", "foerster2016", "goffe2018", "langville2012"}
    data : Contests or file, optional
        The contests, where they are not included: the games of the NFL for langville2012, the
        females of Foerster et al. (2016) for foerster2016 and, optionally, for goffe2018. Others
        are refused, and the message names what differs.

    Returns
    -------
    Measure
        `agree`, `fitted` (numbers that agree through a setting that was chosen for it, which the
        note names), `differ`, `numbers`. Table: one row per number, those that differ first: where
        it is printed, quantity, printed, computed, difference, agrees ("no", "fitted" or "yes"),
        note (why). `statements`: what the paper says without a number, and whether it holds.

    Examples
    --------
    >>> import peckorder as po
    >>> found = po.papers.reproduce("devries2006")
    >>> print(found.summary[0])
    199 of 207 numbers agree with the paper; 4 agree with a setting chosen for it; 4 do not.
    >>> found.table.row(0)[:5]
    ('Figure 4', 'steepness by P, first matrix', '0.92', None, None)
    """
    used = contests(paper, data)
    known = PAPERS[paper]
    table = compared(known.numbers(used))
    said = known.statements(used)
    number = {verdict: int((table["agrees"] == verdict).sum()) for verdict in ORDER}
    values = {"agree": number["yes"], "fitted": number["fitted"], "differ": number["no"]}
    lacking = goffe2018.WITHOUT_FILE if paper == "goffe2018" and data is None else ""
    return Measure(
        method="reproduce",
        data=used,
        values=values | {"numbers": table.height},
        frame=table,
        tables={"statements": pl.DataFrame([vars(one) for one in said], schema=STATEMENT)},
        summary=(
            _counts(number, table.height),
            *_reasons(table),
            *(f"{one.where}, {one.statement}: {HOLDS[one.holds]}; {one.found}" for one in said),
            *(one for one in (known.not_listed, lacking) if one),
            methods.REFERENCES[paper],
        ),
        citations=(paper,),
    )


STATEMENT = {"where": pl.String, "statement": pl.String, "holds": pl.String, "found": pl.String}
HOLDS = {"no": "does not hold", "partly": "holds in part", "yes": "holds"}


def _counts(number: dict[str, int], total: int) -> str:
    fitted = f"; {number['fitted']} agree with a setting chosen for it" if number["fitted"] else ""
    differ = f"; {counted(number['no'], 'does', 'do')} not" if number["no"] else ""
    return f"{number['yes']} of {counted(total, 'number')} agree with the paper{fitted}{differ}."


def _reasons(table: pl.DataFrame) -> list[str]:
    """Why numbers differ, or through which setting they agree; one sentence per reason."""
    rows = table.filter(pl.col("agrees") != "yes")
    found = []
    for (where, note), part in rows.group_by("where", "note", maintain_order=True):
        which = "; ".join(
            f"{row['quantity']}: printed {row['printed']}, computed "
            f"{'–' if row['computed'] is None else format(row['computed'], '.5g')}"
            for row in part.to_dicts()
        )
        found.append(f"{where}, {which}. {note}".rstrip())
    return found
