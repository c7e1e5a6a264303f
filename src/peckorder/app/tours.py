"""How the guided tours end: on a table of a paper, with ours beside it.

Two tours lead through simulated contests, which no paper has printed. They end on the nearest
printed result, computed in the same way for what can be computed, and say which column is which.

Guided tours of the screen Learn: examples of the papers, each ending on a published result.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import peckorder as po
from peckorder.app.explore import quiet, rated
from peckorder.app.settings import Settings
from peckorder.app.uploads import Record, example, stored
from peckorder.datasets import CATALOGUE
from peckorder.errors import DataError
from peckorder.papers.albers2001 import PER_DYAD, TABLE_1
from peckorder.papers.langville2012 import COMMON, LINE, TABLES, printed_ratings
from peckorder.tables import plain

# Normalized David's scores (D) printed in Table 2 of de Vries et al. 2006.
BONOBOS = {
    "He": 4.57,
    "Dz": 4.38,
    "Ho": 4.06,
    "De": 3.12,
    "Ko": 1.96,
    "Re": 1.74,
    "Ki": 1.17,
}
RUNS = 20  # of each hierarchy that organizes itself
SHOWN = ("correlation", "slope", "intercept", "mad")
HIGHEST = 8  # teams of the printed ranking that are shown


def of_adv(contests: Any, settings: Settings) -> dict[str, Any]:
    """The example of Albers & de Vries."""
    final = rated(contests, settings)
    return {
        "title": "Figure 1 of Albers & de Vries (2001)",
        "source": "Albers & de Vries 2001, Animal Behaviour 61:489–495",
        "note": "The paper draws these ratings without printing them. Its final order is b, c, d, "
        "f, e, g, a. The second contest is a large surprise, the 24th between the same two "
        "individuals a small one.",
        "columns": ["individual", "rating"],
        "rows": [[name, round(rating, 1)] for name, rating in final.items()],
        "paper": [[name, None] for name in "bcdfega"],
    }


def of_bonobos(contests: Any, settings: Settings) -> dict[str, Any]:
    """The bonobos of de Vries et al."""
    table = quiet(po.davids_score, contests).as_polars()
    steep = quiet(po.steepness, contests, runs=1, seed=1).values["value"]
    ours = dict(zip(table["individual"], table["normds"], strict=True))
    return {
        "title": "Table 2 of de Vries, Stevens & Vervaecke (2006)",
        "source": "de Vries, Stevens & Vervaecke 2006, Animal Behaviour 71:585–592",
        "note": f"Normalized David's scores do not depend on the order of the contests. Their "
        f"slope is the steepness, {steep:.2f}.",
        "columns": ["individual", "normds"],
        "rows": [[name, round(ours[name], 2)] for name in BONOBOS],
        "paper": [[name, value] for name, value in BONOBOS.items()],
    }


def of_takeover(contests: Any, settings: Settings) -> dict[str, Any]:
    """Hierarchies that make themselves, in which winners win again as the newcomer does here."""
    final = rated(contests, settings)
    names = list(final)
    scored = quiet(po.davids_score, contests).as_polars()["individual"].to_list()
    moved = max(names, key=lambda name: abs(names.index(name) - scored.index(name)))
    made = {k: _organized(k) for k in TABLE_1}
    return {
        "title": "Table 1 of Albers & de Vries (2001): where a rank order comes from",
        "source": "Albers & de Vries 2001, Animal Behaviour 61:489–495, Example III and Table 1; "
        "the takeover is simulated with peckorder",
        "note": f"The takeover of this tour is simulated. The table is from the simulation of the "
        f"paper, which shows that wins alone can make ranks: 13 individuals begin equal, each "
        f"contest is drawn from the present ratings, and a hierarchy arises by itself; the larger "
        f"k, the wider the ratings. Ours is the mean of {RUNS} runs with {PER_DYAD} contests per "
        f"pair, theirs one run.",
        "columns": ["k", "range of ratings", "SD of runs"],
        "rows": [[f"{k}", f"{mean:,.0f}", f"{sd:,.0f}"] for k, (mean, sd) in made.items()],
        "paper": [[f"{k}", f"{int(printed):,}"] for k, (printed, *_) in TABLE_1.items()],
        "more": [
            {
                "title": "This takeover, by sequence and by matrix",
                "note": f"By Elo, {moved} ends on rank {names.index(moved) + 1} of {len(names)}; "
                f"by David's scores of all contests, which ignore their sequence, on rank "
                f"{scored.index(moved) + 1}.",
                "columns": ["individual", "rating", "rank by Elo", "rank by David’s scores"],
                "rows": [
                    [name, round(rating, 1), place + 1, scored.index(name) + 1]
                    for place, (name, rating) in enumerate(final.items())
                ],
            }
        ],
    }


def _organized(k: float) -> tuple[float, float]:
    made = quiet(po.simulate.self_organizing, k=k, contests_per_dyad=PER_DYAD, runs=RUNS, seed=1)
    return float(made.values["range"]), float(made.values["range_sd"])


def of_season(contests: Any, settings: Settings) -> dict[str, Any]:
    """Ratings and shares of wins, as in the chapter on Elo of Langville & Meyer."""
    equation, how = TABLES["wins"]
    line = plain(quiet(po.sport.win_share, quiet(po.elo, contests, **COMMON, **how)).values)
    final, printed = rated(contests, settings), printed_ratings()
    table = final.as_polars()
    share = dict(zip(table["individual"], table["wins"] / table["contests"], strict=True))
    teams = sorted(printed.rows(named=True), key=lambda row: -float(row["wins"]))
    return {
        "title": "Chapter 5 of Langville & Meyer (2012): do ratings say who won?",
        "source": "Langville & Meyer 2012, Who's #1?, Princeton University Press, chapter 5. Their "
        "games are the NFL season of 2009–10; ours are simulated",
        "note": f"The chapter draws the share of wins of each team against its Elo rating (k = 32, "
        f"scale 1,000, start 0) and fits a line. The same line for this season of "
        f"{len(final.individuals)} teams, beside the one printed for {printed.height} teams.",
        "columns": ["line through the teams", "this season"],
        "rows": [[LINE[name][0].capitalize(), f"{line[name]:.4g}"] for name in SHOWN],
        "paper": [[LINE[name][0].capitalize(), LINE[name][1]] for name in SHOWN],
        "printed": "In the book",
        "more": [
            {
                "title": f"Table {equation} of the book, its {HIGHEST} highest-rated teams",
                "note": f"Ratings of the NFL of 2009–10 as printed. With its games, "
                f"peckorder reproduce langville2012 computes all {printed.height} of them.",
                "columns": ["team", "rating as printed"],
                "rows": [[row["team"].capitalize(), row["wins"]] for row in teams[:HIGHEST]],
            },
            {
                "title": "The end of this season",
                "note": "With the settings of the tour.",
                "columns": ["individual", "rating", "share of wins"],
                "rows": [
                    [name, round(rating, 1), round(share[name], 3)]
                    for name, rating in final.items()
                ],
            },
        ],
    }


FOLDER = Path(__file__).parent / "tours"
SHIPPED = {
    "field": (
        "field.xlsx",
        "a made-up field sheet with everything that sheets have: titles, two "
        "groups, dates in two formats, misspelled names, ties",
    ),
    "takeover": ("takeover.csv", "100 simulated contests; a newcomer takes the highest rank"),
    "season": ("season.csv", "a simulated season of 56 games between 8 teams"),
}


@dataclass(frozen=True)
class Tour:
    """One tour: settings, what to say at which contest, and how it ends."""

    title: str
    text: str
    stops: tuple[tuple[int, str], ...]
    ending: Callable[[Any, Settings], dict[str, Any]]
    settings: Settings = field(default_factory=Settings)


TOURS = {
    "adv": Tour(
        "First steps",
        "33 contests, 7 individuals",
        (
            (
                1,
                "All start at 1,000, so the first result is a toss-up: expected score 0.5. The "
                "winner gains half of k.",
            ),
            (
                2,
                "g had no contest yet, c has just lost. c wins although it was expected to lose: "
                "a large change.",
            ),
            (
                24,
                "c and g meet again. c is now rated far above g: its win is expected, and few "
                "points move.",
            ),
            (33, "The final order is b, c, d, f, e, g, a, as in the figure of the paper."),
        ),
        of_adv,
        Settings(k=200.0, curve="table"),
    ),
    "takeover": Tour(
        "A takeover",
        "100 contests, a newcomer at the top",
        (
            (1, "Six males. Adam begins as the strongest."),
            (41, "Nico enters, and from here on Adam loses. Follow both lines."),
            (100, "The sequence shows the change; a matrix of all wins hides it."),
        ),
        of_takeover,
    ),
    "bonobos": Tour(
        "From a matrix",
        "Seven bonobos, in a random order",
        (
            (1, "A matrix has no dates. Elo needs an order, so one is drawn at random."),
            (
                30,
                "Another order gives other ratings. Randomized Elo therefore averages over many "
                "orders.",
            ),
            (
                456,
                "David's scores and steepness of the published matrix do not depend on the order.",
            ),
        ),
        of_bonobos,
    ),
    "season": Tour(
        "A season",
        "8 teams, home advantage",
        (
            (1, "The home side gets 30 points before the expected score is computed."),
            (30, "A win away moves more points than the same win at home."),
            (56, "The table at the end of the season."),
        ),
        of_season,
        Settings(k=60.0, home=30.0),
    ),
}


def record_of(folder: Path, name: str) -> Record:
    """The record of an example or a tour."""
    if name not in SHIPPED:
        return example(folder, name)
    file, _ = SHIPPED[name]
    return stored(folder, file, (FOLDER / file).read_bytes(), example=name)


def examples() -> list[dict[str, str]]:
    """All examples that can be opened."""
    papers = [
        {"name": item.name, "title": item.title, "source": item.source}
        for item in CATALOGUE.values()
    ]
    made = [
        {"name": name, "title": title, "source": "made with peckorder"}
        for name, (_, title) in SHIPPED.items()
    ]
    return [*papers, *made]


def tour_of(name: str, contests: Any) -> dict[str, Any]:
    """A tour with its ending, from the contests of its workspace."""
    if name not in TOURS:
        raise DataError(f'There is no tour "{name}". Choose one of: {", ".join(TOURS)}.')
    tour = TOURS[name]
    try:
        ending = tour.ending(contests, tour.settings)
    except LookupError:  # individuals of the example are not in these contests
        raise DataError("This tour is about its own example. Open it, and undo changes.") from None
    return {
        "name": name,
        "title": tour.title,
        "text": tour.text,
        "stops": [list(stop) for stop in tour.stops],
        "settings": tour.settings.to_dict(),
        "ending": ending,
    }
