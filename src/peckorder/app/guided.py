"""Guided tours of the screen Learn: examples of the papers, each ending on a published result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from peckorder.app import endings
from peckorder.app.record import Record, example, stored
from peckorder.app.settings import Settings
from peckorder.data.datasets import CATALOGUE
from peckorder.errors import DataError

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
        endings.of_adv,
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
        endings.of_takeover,
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
        endings.of_bonobos,
    ),
    "season": Tour(
        "A season",
        "8 teams, home advantage",
        (
            (1, "The home side gets 30 points before the expected score is computed."),
            (30, "A win away moves more points than the same win at home."),
            (56, "The table at the end of the season."),
        ),
        endings.of_season,
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
