"""A slow reader of sheets in plain Python, row by row, to compare `po.read` with.

It shares nothing with the package: cells are split by the csv module, and every row is decided by
a few comparisons of text. It returns (winner, loser, tie) for each contest.
"""

import csv
import io
import itertools

Contest = tuple[str, str, bool]
TIES = {"tie", "draw", "="}
UNDECIDED = {"none", "unclear", "undecided"}


def table(text: str) -> list[dict[str, str]]:
    """Rows as mappings from column labels to cells."""
    return [
        {label: cell.strip() for label, cell in row.items()}
        for row in csv.DictReader(io.StringIO(text))
    ]


def oriented(one: str, other: str, winner: str) -> Contest:
    """A contest whose winner is the first, the second or neither of two individuals."""
    if winner == "tie":
        return one, other, True
    return (one, other, False) if winner == "first" else (other, one, False)


def sides(text: str, a: str, b: str, outcome: str, undecided: str = "drop") -> list[Contest]:
    """Two sides, and a column that names the winner, a column or the result of the first side."""
    contests = []
    for row in table(text):
        one, other, cell = row[a], row[b], row[outcome]
        if cell in (one, a, "won", "initiator"):
            contests.append(oriented(one, other, "first"))
        elif cell in (other, b, "lost", "receiver"):
            contests.append(oriented(one, other, "second"))
        elif cell in TIES or (cell in UNDECIDED and undecided == "tie"):
            contests.append(oriented(one, other, "tie"))
        elif cell not in UNDECIDED:
            raise ValueError(cell)
    return contests


def cells_of_contests(text: str, columns: list[str]) -> list[Contest]:
    """Contests such as A > B in one or several columns."""
    contests = []
    for row in table(text):
        for cell in (row[column] for column in columns):
            for sign, winner in ((" > ", "first"), (" < ", "second"), (" = ", "tie")):
                if cell.count(sign) == 1:
                    contests.append(oriented(*cell.split(sign), winner))
    return contests


def pairs(text: str) -> list[Contest]:
    """Winners and losers, each of whom may be several individuals separated by & or commas."""
    contests = []
    for row in table(text):
        winners, losers = (
            [name.strip() for name in row[side].replace("&", ",").split(",")]
            for side in ("winner", "loser")
        )
        contests += [(*pair, False) for pair in itertools.product(winners, losers)]
    return contests


def games(text: str, labels: list[str]) -> list[Contest]:
    """Two sides with points; games without points are left out."""
    contests = []
    for row in table(text):
        one, other, *points = (row[label] for label in labels)
        if points != ["", ""]:
            score, against = map(int, points)
            result = "tie" if score == against else "first" if score > against else "second"
            contests.append(oriented(one, other, result))
    return contests


def wins(text: str, individuals: list[str]) -> list[list[int]]:
    """Numbers of wins of the individuals in a table with their names in rows and columns."""
    rows = {row[""]: row for row in csv.DictReader(io.StringIO(text))}
    return [
        [0 if one == other else int(rows[one][other]) for other in individuals]
        for one in individuals
    ]


def contests_of(data) -> list[Contest]:
    """The contests of `po.read`, as this module writes them."""
    names = data.individuals
    ties = data.draw.tolist() if data.draw is not None else [False] * len(data)
    return [
        (names[one], names[other], tie)
        for one, other, tie in zip(data.winner, data.loser, ties, strict=True)
    ]
