"""Example data sets included in the package, with their sources."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files

from peckorder.data.contests import Contests
from peckorder.errors import ArgumentError
from peckorder.text import did_you_mean
from peckorder.text import missing as _missing

__all__ = ["CATALOGUE", "adv", "bonobos", "load", "table3"]


@dataclass(frozen=True)
class DataSet:
    """Contents and source of an included data set."""

    name: str
    title: str
    source: str
    license: str

    @property
    def path(self) -> str:
        """Path of the data file."""
        return str(files("peckorder.data").joinpath("files", f"{self.name}.csv"))


CATALOGUE = {
    item.name: item
    for item in (
        DataSet(
            "adv",
            "33 fictitious contests among seven individuals, a to g (dates and times invented)",
            "Albers & de Vries 2001, Animal Behaviour 61:489–495, Figure 1, "
            "doi:10.1006/anbe.2000.1571",
            "numbers printed in the paper",
        ),
        DataSet(
            "bonobos",
            "456 contests among seven bonobos, as a matrix of wins",
            "de Vries, Stevens & Vervaecke 2006, Animal Behaviour 71:585–592, Table 1 "
            "(data of J. M. G. Stevens), doi:10.1016/j.anbehav.2005.05.015",
            "numbers printed in the paper",
        ),
        DataSet(
            "table3",
            "a fictitious matrix of seven individuals: a strongly linear but shallow hierarchy",
            "de Vries, Stevens & Vervaecke 2006, Animal Behaviour 71:585–592, Table 3, "
            "doi:10.1016/j.anbehav.2005.05.015",
            "numbers printed in the paper",
        ),
    )
}


def load(name: str) -> Contests:
    """An included data set by name.

    Examples
    --------
    >>> len(load("adv"))
    33
    """
    from peckorder.data.read import read

    if name not in CATALOGUE:
        raise ArgumentError(
            f'There is no data set "{name}".{did_you_mean([name], CATALOGUE)} Choose one of: '
            f"{', '.join(CATALOGUE)}."
        )
    return read(CATALOGUE[name].path)


def adv() -> Contests:
    """The 33 fictitious contests of Figure 1 in Albers & de Vries (2001).

    >>> adv()
    Contests: 33 contests among 7 individuals (b, c, g, d, e, f, …), 2010-01-01 to 2010-02-02
    """
    return load("adv")


def bonobos() -> Contests:
    """Contests among seven bonobos: Table 1 of de Vries, Stevens & Vervaecke (2006).

    >>> bonobos().matrix()
    Matrix: 456 wins among 7 individuals
    """
    return load("bonobos")


def table3() -> Contests:
    """A fictitious, strongly linear but shallow hierarchy: Table 3 of de Vries et al. (2006).

    >>> table3().individuals
    ('a', 'b', 'c', 'd', 'e', 'f', 'g')
    """
    return load("table3")


__getattr__ = _missing(__name__, __all__)
