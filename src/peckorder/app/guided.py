"""Guided tours of the screen Learn: examples of the papers, each ending on a published result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import peckorder as po
from peckorder.app.explore import quiet, rated
from peckorder.app.record import Record, example, stored
from peckorder.app.settings import Settings
from peckorder.data.datasets import CATALOGUE
from peckorder.errors import DataError
from peckorder.tables import plain

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


@dataclass(frozen=True)
class Tour:
    """One tour: settings, what to say at which contest, and how it ends."""

    title: str
    text: str
    stops: tuple[tuple[int, str], ...]
    ending: Callable[[Any, Settings], dict[str, Any]]
    settings: Settings = field(default_factory=Settings)


def _of_adv(contests: Any, settings: Settings) -> dict[str, Any]:
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


def _of_bonobos(contests: Any, settings: Settings) -> dict[str, Any]:
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


def _of_takeover(contests: Any, settings: Settings) -> dict[str, Any]:
    final = rated(contests, settings)
    names = list(final)
    scored = quiet(po.davids_score, contests).as_polars()["individual"].to_list()
    moved = max(names, key=lambda name: abs(names.index(name) - scored.index(name)))
    return {
        "title": "A takeover that a matrix cannot show",
        "source": "simulated with peckorder",
        "note": f"By Elo, {moved} ends on rank {names.index(moved) + 1} of {len(names)}; by "
        f"David's scores of all contests, which ignore their sequence, on rank "
        f"{scored.index(moved) + 1}.",
        "columns": ["individual", "rating"],
        "rows": [[name, round(rating, 1)] for name, rating in final.items()],
        "paper": [],
    }


def _of_season(contests: Any, settings: Settings) -> dict[str, Any]:
    final = rated(contests, settings)
    table = final.as_polars()
    share = dict(zip(table["individual"], table["wins"] / table["contests"], strict=True))
    found = quiet(po.sport.win_share, final).values
    return {
        "title": "Ratings and shares of wins",
        "source": "Langville & Meyer 2012, Who's #1?, chapter 5, for the NFL of 2009; this season "
        "is simulated",
        "note": f"The chapter reports a correlation of 0.992 between final ratings and shares of "
        f"wins for 32 teams. Here it is {plain(found)['correlation']:.3f} for "
        f"{len(final.individuals)} teams.",
        "columns": ["individual", "rating", "share of wins"],
        "rows": [[name, round(rating, 1), round(share[name], 3)] for name, rating in final.items()],
        "paper": [],
    }


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
        _of_adv,
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
        _of_takeover,
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
        _of_bonobos,
    ),
    "season": Tour(
        "A season",
        "8 teams, home advantage",
        (
            (1, "The home side gets 30 points before the expected score is computed."),
            (30, "A win away moves more points than the same win at home."),
            (56, "The table at the end of the season."),
        ),
        _of_season,
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
    return {
        "name": name,
        "title": tour.title,
        "text": tour.text,
        "stops": [list(stop) for stop in tour.stops],
        "settings": tour.settings.to_dict(),
        "ending": tour.ending(contests, tour.settings),
    }
