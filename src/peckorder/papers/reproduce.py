"""Which papers can be recomputed, and the verb that does it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from peckorder import methods
from peckorder.data.contests import Contests
from peckorder.errors import ArgumentError
from peckorder.papers import albers2001, devries2006, foerster2016, goffe2018, langville2012
from peckorder.papers.printed import Printed, compared
from peckorder.results.measures import Measure
from peckorder.text import counted
from peckorder.validate import one_of


@dataclass(frozen=True)
class Paper:
    """A paper whose printed numbers can be recomputed.

    Attributes
    ----------
    numbers : computes them from contests
    data : the contests that are included, or None if they must be given
    needs : what to give, where it is not included
    programs : the examples that draw its figures, and whether they need the file of contests
    """

    numbers: Callable[[Contests], list[Printed]]
    data: Callable[[], Contests] | None = None
    needs: str = ""
    programs: tuple[tuple[str, bool], ...] = ()


PAPERS = {
    "albers2001": Paper(
        albers2001.numbers,
        albers2001.data,
        programs=(("albers_de_vries", False), ("self_organizing", False)),
    ),
    "devries2006": Paper(
        devries2006.numbers,
        devries2006.data,
        programs=(("steepness_figures", False), ("index_errors", False)),
    ),
    "foerster2016": Paper(
        foerster2016.numbers,
        needs="the contests of the females (doi:10.5061/dryad.r4g74)",
        programs=(("chimpanzees", True),),
    ),
    "goffe2018": Paper(
        goffe2018.numbers,
        goffe2018.toy,
        programs=(("goffe_scenarios", False), ("chimpanzees", True)),
    ),
    "langville2012": Paper(
        langville2012.numbers,
        needs="the 267 games of the NFL season 2009–10 (such as those of FiveThirtyEight)",
        programs=(("nfl", True),),
    ),
}


def reproduce(paper: str, *, data: Contests | None = None) -> Measure:
    """Recompute the numbers that a paper prints, and compare them.

    Parameters
    ----------
    paper : {"albers2001", "devries2006", "foerster2016", "goffe2018", "langville2012"}
    data : Contests, optional
        The contests, where they are not included: the games of the NFL for langville2012, the
        females of Foerster et al. (2016) for foerster2016 and, optionally, for goffe2018.

    Returns
    -------
    Measure
        A table with one row per number: where it is printed, printed, computed, agrees, note.

    Examples
    --------
    >>> import peckorder as po
    >>> found = po.papers.reproduce("devries2006")
    >>> print(found.summary[0])
    49 of 49 numbers agree with the paper.
    >>> found.table.row(28)[:3], round(found.table["computed"][28], 4)
    (('Figure 1', 'steepness by P', '0.74'), 0.7352)
    """
    known = PAPERS[one_of("paper", paper, tuple(PAPERS))]
    if data is None and known.data is None:
        raise ArgumentError(f"{paper} needs {known.needs}, which are not included. Give the file.")
    contests = data if data is not None or known.data is None else known.data()
    if contests is None:
        raise ArgumentError(f"{paper} needs {known.needs}.")
    table = compared(known.numbers(contests))
    agree = int(table["agrees"].sum())
    differ = table.filter(~table["agrees"]).to_dicts()
    return Measure(
        method="reproduce",
        data=contests,
        values={"agree": agree, "numbers": table.height},
        frame=table,
        summary=(
            f"{agree} of {counted(table.height, 'number')} agree with the paper.",
            *(
                f"{row['where']}, {row['quantity']}: printed {row['printed']}, "
                f"computed {row['computed']:.5g}. {row['note']}".rstrip()
                for row in differ
            ),
            methods.REFERENCES[paper],
        ),
        citations=(paper,),
    )
