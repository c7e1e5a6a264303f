"""What goes with rank: skew of benefits, and matrices of behavior beside a matrix of ranks.

De Vries, Stevens & Vervaecke (2006) ask whether steep hierarchies go with skewed benefits. Skew is
measured by Nonacs' (2000) B, which is 0 on average if benefits fall to individuals at random, and
by λ, the rate at which shares decline from one individual to the next (Kokko & Lindström 1997). A
matrix of behavior, such as grooming, is compared with ranks by Mantel's test or by the rowwise
correlation τ_Kr (Hemelrijk 1990; de Vries 1993), in which each individual ranks its partners.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import polars as pl

from peckorder.data.matrix import Matrix
from peckorder.data.sources import open_sheet
from peckorder.errors import ArgumentError, DataError
from peckorder.orders.davids_score import davids_score
from peckorder.random_runs import Runs, monte_carlo_error, p_value
from peckorder.ranks import average_ranks
from peckorder.results import Measure, Order, Ratings
from peckorder.text import counted, p_text, quoted
from peckorder.validate import one_of, several, true_or_false

AS_LARGE = 1e-12


def rank_distance(data: Any, *, signed: bool = False) -> pl.DataFrame:
    """A matrix of differences of rank: of the individual in the column from that in the row.

    Parameters
    ----------
    data : Contests or Matrix (ranks by David's score), or Ratings or Order
    signed : bool
        Positive if the individual in the column ranks below that in the row; default the absolute
        difference.

    Returns
    -------
    DataFrame
        individual, and one column per individual.

    Examples
    --------
    >>> import peckorder as po
    >>> rank_distance(po.datasets.bonobos()).row(0)
    ('He', 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0)
    """
    true_or_false("signed", signed)
    names, rank = _ranked(data)
    distance = rank[None, :] - rank[:, None]
    distance = distance if signed else np.abs(distance)
    columns = {name: distance[:, i] for i, name in enumerate(names)}
    return pl.DataFrame({"individual": list(names), **columns})


def matrix_correlation(
    data: Any,
    *,
    behavior: Any,
    method: Literal["rowwise", "mantel"] = "rowwise",
    against: Literal["distance", "rank"] = "distance",
    runs: int = 10_000,
    seed: Any = None,
) -> Measure:
    """Correlation of a matrix of behavior with rank distance or rank, with a permutation test.

    Parameters
    ----------
    data : Contests or Matrix (ranks by David's score), or Ratings or Order
    behavior : Matrix, table, file or mapping
        Behavior of rows toward columns, such as grooming: a `Matrix`, a table whose first column
        holds names, with one further column per individual (as a file, comma-separated), or {name:
        {name: number}}.
    method : {"rowwise", "mantel"}
        τ_Kr, in which only the order of numbers within each row matters, so that individuals may be
        of different activity; or the product-moment correlation of all cells.
    against : {"distance", "rank"}
        What behavior is compared with: the absolute difference of ranks (do those close in rank
        groom each other?), or the rank of the individual in the column, counted from the bottom (is
        grooming directed up the hierarchy?).
    runs, seed : number of permutations of individuals, and seed.

    Returns
    -------
    Measure
        `value`, from −1 to 1; `p` and `p_less`, the shares of permutations of individuals with a
        value as large or larger, and as small or smaller, (count + 1)/(runs + 1); `p_error`. Table:
        individual, and the correlation (τ or r) of its row.

    References
    ----------
    Mantel 1967, Cancer Research 27:209–220. Hemelrijk 1990, doi:10.1016/0022-5193(90)90122-F.
    de Vries 1993, doi:10.1007/BF02294470.

    Examples
    --------
    >>> import peckorder as po
    >>> ranks = po.datasets.bonobos()
    >>> near = 6 - po.orders.rank_distance(ranks).drop("individual").to_numpy()
    >>> names = ranks.individuals
    >>> grooming = {a: dict(zip(names, near[i], strict=True)) for i, a in enumerate(names)}
    >>> found = po.orders.matrix_correlation(ranks, behavior=grooming, runs=500, seed=1)
    >>> round(found.value, 3), found.p_less < 0.01
    (-1.0, True)
    """
    one_of("method", method, ("rowwise", "mantel"))
    one_of("against", against, ("distance", "rank"))
    names, rank = _ranked(data)
    given = _square(behavior, names)
    other = np.abs(rank[None, :] - rank[:, None]) if against == "distance" else None
    other = np.broadcast_to(rank.max() - rank, given.shape) if other is None else other
    random = Runs.of(runs, seed, 1, None)
    pair = _Rowwise.of(given, other) if method == "rowwise" else _Mantel.of(given, other)
    value = pair.value(np.arange(len(names)))
    draws = np.random.default_rng(random.seed)
    null = np.array([pair.value(draws.permutation(len(names))) for _ in range(random.number)])
    more, less = p_value(null >= value - AS_LARGE), p_value(null <= value + AS_LARGE)
    label = "τ_Kr" if method == "rowwise" else "Mantel's r"
    what = "the distance in rank" if against == "distance" else "the rank of the partner"
    smaller, sign = min((more, "as large"), (less, "as small"))
    return Measure(
        method="matrix_correlation",
        data=getattr(data, "data", data),
        values={
            "value": value,
            "p": more,
            "p_less": less,
            "p_error": monte_carlo_error(smaller, random.number),
            "runs": random.number,
        },
        frame=pl.DataFrame({"individual": list(names), "correlation": pair.rows()}).fill_nan(None),
        summary=(
            f"{label} of the behavior with {what}: {value:.3f} ({p_text(smaller)} for a value "
            f"{sign}; {counted(random.number, 'permutation')} of {len(names)} individuals).",
        ),
        settings={"method": method, "against": against, "runs": random.number},
        citations=("devries1993",) if method == "rowwise" else ("mantel1967",),
        draws={"null": null},
        seed=random.seed,
    )


def fill_unknown(data: Any, *, by: Any) -> Matrix:
    """Decide dyads without contests by another matrix: the third case of de Vries et al. (2006).

    Where two individuals have no contests, their numbers in `by` (such as avoidances received, or
    displacements at feeders) are used as wins. Other dyads are left as they are. A dyad that
    neither matrix decides stays unknown.

    Parameters
    ----------
    data : Contests or Matrix
    by : Matrix, table or mapping
        Whole numbers for rows against columns, as in `matrix_correlation`.

    Returns
    -------
    Matrix

    Examples
    --------
    >>> import peckorder as po
    >>> wins = po.Matrix(("a", "b", "c"), np.array([[0, 3, 0], [1, 0, 2], [0, 0, 0]]))
    >>> po.orders.fill_unknown(wins, by={"a": {"b": 9, "c": 1}}).wins.tolist()
    [[0, 3, 1], [1, 0, 2], [0, 0, 0]]
    """
    from peckorder.data.win_counts import matrix_of

    matrix = matrix_of(data)
    other = _square(by, matrix.individuals)
    if (other < 0).any() or (other != np.rint(other)).any():
        raise DataError("The matrix in by= must contain whole numbers of at least 0.")
    contests = matrix.wins + matrix.wins.T + matrix.draws
    filled = np.where(contests == 0, other.astype(np.int64), matrix.wins)
    return Matrix(matrix.individuals, filled, matrix.draws, matrix.flavor)


def skew(
    source: Any,
    *,
    individual: str | None = None,
    benefits: str | None = None,
    time: str | None = None,
    order: Any = None,
    runs: int = 10_000,
    seed: Any = None,
) -> Measure:
    """Skew of benefits, such as offspring or matings: Nonacs' B and λ.

    Parameters
    ----------
    source : file, table or mapping
        One row per individual, also for those without benefits; or {name: number of benefits}.
    individual, benefits : columns with names and with whole numbers; default the first two.
    time : column with the time in the group; default all were present for the same time.
    order : names, Order or Ratings, optional
        Who comes first, for λ. Default: by benefits, which makes λ too large if there are few.
    runs, seed : number of random allocations, and seed.

    Returns
    -------
    Measure
        `value`, Nonacs' B (0: random; negative: more even than by chance); `p` and `p_less`, the
        shares of random allocations with a B as large or larger, and as small or smaller;
        `p_error`; `highest`, B if one individual had everything; `lambda_`: 0 if all have the same,
        1 if the first has everything. Table: individual, benefits, share, expected (share).

    Notes
    -----
    B = Σ(p_i − n_i/N_t)² − (1 − 1/N̄)/K with shares p_i of K benefits, times n_i, their sum N_t, and
    the mean group size N̄ = N_t/max n_i. λ has the largest likelihood if the i-th individual in the
    order has a share proportional to (1 − λ)^(i − 1).

    References
    ----------
    Nonacs 2000, The American Naturalist 156:577–589. Kokko & Lindström 1997, The American
    Naturalist 149:794–799.

    Examples
    --------
    >>> import peckorder as po
    >>> found = po.orders.skew({"a": 8, "b": 2, "c": 0, "d": 0}, runs=1000, seed=1)
    >>> round(found.value, 3), found.p < 0.01, round(found.lambda_, 3)
    (0.355, True, 0.831)
    """
    names, number, stay = _benefits(source, individual, benefits, time)
    total = int(number.sum())
    share = stay / stay.sum()
    value = float(_nonacs(number[None, :], share)[0])
    random = Runs.of(runs, seed, 1, None)
    allocated = np.random.default_rng(random.seed).multinomial(total, share, random.number)
    null = _nonacs(allocated.astype(float), share)
    more, less = p_value(null >= value - AS_LARGE), p_value(null <= value + AS_LARGE)
    place = np.argsort(-number, kind="stable") if order is None else _places(order, names)
    return Measure(
        method="skew",
        data=Matrix(names, np.diag([0] * len(names))),  # pyright: ignore[reportArgumentType]
        values={
            "value": value,
            "p": more,
            "p_less": less,
            "p_error": monte_carlo_error(min(more, less), random.number),
            "highest": float(_nonacs(total * np.eye(len(names)), share).max()),
            "lambda_": _geometric(number[place]),
            "benefits": total,
            "runs": random.number,
        },
        frame=pl.DataFrame(
            {
                "individual": list(names),
                "benefits": number.astype(np.int64),
                "share": number / total,
                "expected": share,
            }
        ).sort("benefits", descending=True, maintain_order=True),
        summary=(
            f"Nonacs' B = {value:.3f} (0: random allocation; {p_text(min(more, less))} for as "
            f"{'much' if more <= less else 'little'} skew by chance) for "
            f"{counted(total, 'benefit')} of {len(names)} individuals.",
        ),
        settings={"time": time, "runs": random.number},
        citations=("nonacs2000", "kokko1997"),
        draws={"null": null},
        seed=random.seed,
    )


def _benefits(
    source: Any, individual: str | None, benefits: str | None, time: str | None
) -> tuple[tuple[str, ...], np.ndarray, np.ndarray]:
    """Names, numbers of benefits and times in the group."""
    if isinstance(source, Mapping) and not any(np.ndim(one) for one in source.values()):
        table = pl.DataFrame({"individual": list(source), "benefits": list(source.values())})
    else:
        table = _table(source)
    if table.width < 2 or table.height < 2:
        raise DataError("Give names and benefits of at least two individuals, one per row.")
    columns = individual or table.columns[0], benefits or table.columns[1], time
    for column in columns:
        if column is not None and column not in table.columns:
            raise DataError(f'No column "{column}". Columns found: {quoted(table.columns)}.')
    names = tuple(str(name) for name in table[columns[0]])
    if len(set(names)) < len(names):
        raise DataError("An individual has more than one row: add its benefits up.")
    number = _numbers(table, columns[1])
    if (number < 0).any() or (number != np.rint(number)).any() or number.sum() == 0:
        raise DataError("Benefits must be whole numbers of at least 0, and not all 0.")
    stay = np.ones(len(names)) if time is None else _numbers(table, time)
    if (stay <= 0).any():
        raise DataError("Times in the group must be above 0.")
    return names, number, stay


def _numbers(table: pl.DataFrame, column: str) -> np.ndarray:
    if not table[column].dtype.is_numeric():
        raise DataError(f'Column "{column}" does not contain numbers.')
    found = table[column].cast(pl.Float64).fill_null(float("nan")).to_numpy()
    if not np.isfinite(found).all():
        raise DataError(f'Column "{column}" has empty cells.')
    return found


def _table(given: Any) -> pl.DataFrame:
    """A table of any kind, or that of a file; text that is all numbers becomes numbers."""
    table = open_sheet(given).table()
    numbers = {
        column.name: column.cast(pl.Float64, strict=False)
        for column in table
        if column.dtype == pl.String
    }
    same = [one for name, one in numbers.items() if one.null_count() == table[name].null_count()]
    return table.with_columns(same)


def _nonacs(number: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """B of each row of numbers; `expected` shares are those of time in the group."""
    total = number.sum(axis=1)
    size = 1 / expected.max()  # mean group size
    shares = number / total[:, None]
    return ((shares - expected) ** 2).sum(axis=1) - (1 - 1 / size) / total


def _geometric(number: np.ndarray) -> float:
    """λ of largest likelihood, for benefits in the order of individuals."""
    place = np.arange(len(number))
    mean = float(place @ number / number.sum())
    if mean == 0:
        return 1.0
    if mean >= place.mean():
        return 0.0

    from scipy.optimize import minimize_scalar

    def loss(left: float) -> float:
        return float(np.log((left**place).sum()) - mean * np.log(left))

    found: Any = minimize_scalar(loss, bounds=(1e-9, 1 - 1e-12), options={"xatol": 1e-10})
    return 1 - float(found.x)


@dataclass(frozen=True, eq=False)
class _Rowwise:
    """Signs of all differences within rows, for Kendall's τ of each row."""

    x: np.ndarray  # (individual, one partner, another partner)
    y: np.ndarray
    norm: float

    @classmethod
    def of(cls, x: np.ndarray, y: np.ndarray) -> _Rowwise:
        n = len(x)
        i = np.arange(n)
        three = (i[:, None, None] != i[None, :, None]) & (i[:, None, None] != i[None, None, :])
        signs = [np.sign(m[:, :, None] - m[:, None, :]) * three for m in (x, y)]
        untied = [float(np.abs(sign).sum()) for sign in signs]
        if min(untied) == 0:
            raise DataError("All cells of a row are equal in every row: nothing to correlate.")
        return cls(signs[0], signs[1], float(np.sqrt(untied[0] * untied[1])))

    def value(self, order: np.ndarray) -> float:
        """τ_Kr after permuting the individuals of the second matrix."""
        return float((self.x * self.y[np.ix_(order, order, order)]).sum() / self.norm)

    def rows(self) -> np.ndarray:
        """Kendall's τ of each row."""
        top = (self.x * self.y).sum(axis=(1, 2))
        norm = np.sqrt(np.abs(self.x).sum(axis=(1, 2)) * np.abs(self.y).sum(axis=(1, 2)))
        return np.divide(top, norm, out=np.full(len(top), np.nan), where=norm > 0)


@dataclass(frozen=True, eq=False)
class _Mantel:
    """Cells off the diagonal, centered and of unit length."""

    x: np.ndarray
    y: np.ndarray

    @classmethod
    def of(cls, x: np.ndarray, y: np.ndarray) -> _Mantel:
        off = ~np.eye(len(x), dtype=bool)
        made = []
        for matrix in (x, y):
            centered = np.where(off, matrix - matrix[off].mean(), 0.0)
            length = np.sqrt((centered**2).sum())
            if length == 0:
                raise DataError("All cells of a matrix are equal: nothing to correlate.")
            made.append(centered / length)
        return cls(*made)

    def value(self, order: np.ndarray) -> float:
        """R after permuting the individuals of the second matrix."""
        return float((self.x * self.y[np.ix_(order, order)]).sum())

    def rows(self) -> np.ndarray:
        """The correlation within each row."""
        found = np.full(len(self.x), np.nan)
        for i in range(len(self.x)):
            x, y = np.delete(self.x[i], i), np.delete(self.y[i], i)
            if x.std() > AS_LARGE and y.std() > AS_LARGE:
                found[i] = np.corrcoef(x, y)[0, 1]
        return found


def _ranked(data: Any) -> tuple[tuple[str, ...], np.ndarray]:
    """Names and ranks, 1 for the highest."""
    table = (data if isinstance(data, Order | Ratings) else davids_score(data)).as_polars()
    names = tuple(table["individual"].to_list())
    rank = table["rank"].to_numpy().astype(float)
    return names, average_ranks(-rank)


def _square(given: Any, names: tuple[str, ...]) -> np.ndarray:
    """The numbers of these individuals, rows toward columns; cells that are not given are 0."""
    if isinstance(given, Matrix):
        columns = given.individuals
        rows = {a: dict(zip(columns, given.wins[i], strict=True)) for i, a in enumerate(columns)}
    elif isinstance(given, Mapping):
        if wrong := [a for a, row in given.items() if not isinstance(row, Mapping)]:
            raise DataError(
                f"{quoted(wrong[:1])} has no row of numbers. Give numbers by row and column, such "
                'as {"Ana": {"Bo": 2}}.'
            )
        rows = {str(a): {str(b): x for b, x in row.items()} for a, row in given.items()}
    else:
        table = _table(given)
        first, *others = table.columns
        rows = {str(row[first]): {b: row[b] for b in others} for row in table.to_dicts()}
    known = {*rows, *(b for row in rows.values() for b in row)}
    missing, more = sorted({*names} - known), sorted(known - {*names})
    if missing and not isinstance(given, Mapping):
        raise DataError(f"The matrix has no row or column for {quoted(missing)}.")
    if more:
        raise DataError(f"The matrix has individuals that the ranks do not have: {quoted(more)}.")
    found = np.array([[rows.get(a, {}).get(b) or 0 for b in names] for a in names], float)
    np.fill_diagonal(found, 0.0)
    if not np.isfinite(found).all():
        raise DataError("The matrix contains cells that are no finite numbers.")
    return found


def _places(order: Any, names: tuple[str, ...]) -> np.ndarray:
    found = _ranked(order)[0] if hasattr(order, "table") else several("order", order)
    given = [str(name) for name in found]
    if sorted(given) != sorted(names):
        raise ArgumentError("order must contain the individuals that have benefits, each once.")
    return np.array([names.index(name) for name in given])
