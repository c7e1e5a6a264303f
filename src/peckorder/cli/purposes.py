"""The commands by purpose, as `peckorder --help` lists them.

Sixty commands in alphabetical order cannot be found. They are grouped by the question that they
answer, in the order in which a study asks them.
"""

from __future__ import annotations

import click

PURPOSES = {
    "Start here": ("check", "report", "app", "template", "datasets", "examples"),
    "Ratings, from contests in sequence": (
        *(
            "elo",
            "explain",
            "dynamic",
            "adaptive",
            "fit",
            "without",
            "randomized-elo",
            "glicko",
            "glicko2",
        ),
        *("join", "tune", "likelihood-surface"),
    ),
    "Rank orders, from contests in any order or a matrix": (
        *("davids-score", "isi", "bradley-terry", "compare", "adagio", "percolation"),
        *("dominance-value", "indices", "network", "period-ranks"),
    ),
    "Structure of the hierarchy": (
        *("steepness", "linearity", "transitivity", "consistency", "stability", "order-test"),
        *("change-points", "hierarchy-shape", "over-time"),
    ),
    "Dyads": ("dyads", "unknown-dyads", "reversals"),
    "Individuals and groups over time": (
        *("tenure", "rank-changes", "careers", "slopes", "turnover", "co-residence"),
        "group-size",
    ),
    "Quality of ratings and study design": (
        *("evaluate", "calibration", "compare-models", "repeatability", "splitting"),
        *("recovery", "power"),
    ),
    "Predictions and sport": (
        *("predict", "simulate-season", "league-table", "bracket", "home-advantages"),
        *("win-share", "areas"),
    ),
    "Many groups": ("study",),
    "Visits to feeders": ("displacements",),
    "Simulated contests": ("simulate",),
    "Figures, published results and references": ("plot", "reproduce", "cite"),
}
OTHER = "Other commands"


def by_purpose(names: list[str]) -> dict[str, list[str]]:
    """The commands that there are, by purpose; those without one come last."""
    listed = {name for group in PURPOSES.values() for name in group}
    found = {
        purpose: [name for name in group if name in names] for purpose, group in PURPOSES.items()
    }
    found[OTHER] = [name for name in names if name not in listed]
    return {purpose: group for purpose, group in found.items() if group}


def write_commands(
    group: click.Group, context: click.Context, formatter: click.HelpFormatter
) -> None:
    """The commands of a group with one line each, under the headings of their purposes."""
    sections = by_purpose(group.list_commands(context))
    widest = max(len(name) for names in sections.values() for name in names)
    limit = max(30, formatter.width - widest - 6)
    for purpose, names in sections.items():
        rows = [
            (name.ljust(widest), group.commands[name].get_short_help_str(limit)) for name in names
        ]
        with formatter.section(purpose):
            formatter.write_dl(rows)
