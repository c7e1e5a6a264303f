"""The sections of a report, in their order.

Further sections: probabilities of ranks; on request the dominance network and study periods.

What predicts best here: ratings compared by their predictions of the same contests.

The rating differences at which each behavior occurs.
"""

from __future__ import annotations

import json

import polars as pl

import peckorder as po
from peckorder import methods
from peckorder.errors import ArgumentError, DataError
from peckorder.methods import label
from peckorder.plot.network import node_places
from peckorder.reporting import individuals
from peckorder.reporting.analysis import Analysis, description
from peckorder.reporting.hierarchy import checks, comparison, structure
from peckorder.reporting.individuals import MOST_CELLS
from peckorder.reporting.page import Code, Drawn, Lines, Page, Section, Table, Words
from peckorder.reporting.summary import answer, paragraph, references
from peckorder.reporting.view import View
from peckorder.results import Ratings
from peckorder.tables import as_polars, plain
from peckorder.text import counted, listed


def page_of(found: Analysis, lines: Lines, title: str | None) -> Page:
    """Everything on the page."""
    source = found.data.report.source
    named = source if found.data.report.path else counted(len(found.data.individuals), "individual")
    drawn = Drawn(found, lines)
    checked, sampled = individuals.effort(found, drawn)
    over_time, presence = individuals.trajectories(found, drawn)
    wins, chances = individuals.matrix(found, drawn)
    ranked = rank_chances(found, drawn)
    sections = (
        Section("answer", "Summary", tuple(Words(text, "lead") for text in answer(found))),
        Section("data", "Data and sampling effort", sampled),
        Section("ranking", "Ranking", individuals.ranking(found, drawn)),
        Section("trajectories", "Trajectories", over_time),
        Section("matrix", "Win matrix", wins),
        Section("network", "Network", network(found, drawn)),
        Section("structure", "Structure", structure(found, drawn)),
        Section("methods", "For your methods section", (Code("Paragraph", paragraph(found)),)),
        Section(
            "references", "References", (Code("References", "\n".join(references(found))),), True
        ),
        Section("periods", "Study periods", period_ranks(found, drawn), True),
        Section("methods-compared", "Comparison of methods", comparison(found, drawn), True),
        Section("prediction", "What predicts best here", prediction(found), True),
        Section("behaviors", "Rating differences by behavior", behaviors(found, drawn), True),
        Section("checks", "Model checks", checks(found, drawn), True),
        Section("more", "Presence and probabilities", (*presence, *ranked, *chances), True),
        Section("data-checks", "Data checks", checked, True),
        Section("settings", "Settings and data", _settings(found, lines, title), True),
    )
    full = tuple(section for section in sections if section.parts)
    return Page(title or f"Hierarchy of {named}", description(found.data), found.everyone, full)


def _settings(found: Analysis, lines: Lines, title: str | None) -> tuple:
    settings = {
        "peckorder": methods.VERSION,
        "seed": found.seed,
        "data": found.data.hash,
        "source": found.data.report.source,
        **found.view.window,
        "ranks at": found.view.at,
        **found.settings,
    }
    listed = {
        name: getattr(found, name)
        for name in (
            *("elo", "posterior", "adaptive", "randomized", "steepness", "steepness_bayes"),
            *("linearity", "stability", "calibration", "recovery"),
        )
    }
    settings |= {f"{name} settings": result.settings for name, result in listed.items() if result}
    view = found.view
    asked = view.at if view.at != view.end else None
    if not view.window and view.at == View.of(found.data, None, None, None).at:
        asked = None
    report = {"at": asked, **found.settings, "title": title, "seed": found.seed}
    report = {
        name: value
        for name, value in report.items()
        if value is not None and (name, value) != ("recovery", 0)
    }
    arguments = "".join(f", {name}={value!r}" for name, value in (view.window | report).items())
    return (
        Words(
            f"The hash of the data (data.hash) is {found.data.hash}. If the data were filtered "
            f"after reading, apply the same filter before running the rest of the code."
            + (
                ""
                if found.data.report.path
                else " The data did not come from a file: to run the code, write the contests to "
                "contests.csv and presence data to presence.csv."
            )
        ),
        Code(
            "This report in Python",
            f'{lines.reading}\npo.report(data, "hierarchy.html"{arguments})',
        ),
        Code(
            "This report at the shell",
            lines.written("report", "hierarchy.html", **lines.flags, **report),
        ),
        Code(
            "All settings",
            "\n".join(
                f"{name}: {json.dumps(plain(value), ensure_ascii=False)}"
                for name, value in settings.items()
            ),
        ),
    )


RANKED = ("period", "individual", "rank", "newcomer", "change", "active_change", "passive_change")


def network(found: Analysis, drawn: Drawn) -> tuple:
    """The dominance network in layers by rank."""
    if found.network is None:
        return _why_not(found, "network")
    ties = found.settings["ties"]
    return (
        drawn(
            "network",
            "Dominance network",
            "Arrows point from the dominant to the subordinate individual of a dyad and are wider "
            "with more net wins; orange arrows point upward. In large groups, only the dyads with "
            "most net wins are drawn.",
            found.network,
            f"po.orders.network(data, ties={ties!r})",
            {"ties": ties},
            options={"places": node_places(found.network).to_dicts()},
        ),
        *(Words(text) for text in found.network.summary),
    )


def rank_chances(found: Analysis, drawn: Drawn) -> tuple:
    """The probability of each rank for each individual."""
    if found.sure is None or not 1 < len(found.names) <= MOST_CELLS:
        return ()
    made, flags = individuals.made_sure(found, drawn)
    shown = found.moment_of(found.sure)
    table = as_polars(po.plot.rank_probabilities.data(found.sure, **shown))
    orders = found.sure is found.randomized
    return (
        drawn(
            "rank_probabilities",
            "Probability of each rank",
            f"Share of the {'random orders' if orders else 'posterior draws'} in which an "
            f"individual holds a rank: the darker, the larger. Rows and columns sum to 1.",
            found.sure,
            made,
            flags,
            table=table,
            options={"order": table["individual"].unique(maintain_order=True).to_list()},
            **shown,
        ),
    )


def period_ranks(found: Analysis, drawn: Drawn) -> tuple:
    """Ranks by study period, with active and passive changes."""
    if found.period_ranks is None:
        return _why_not(found, "period_ranks")
    frame, periods = found.period_ranks.as_polars(), found.period_ranks.tables["periods"]
    return (
        *(Words(text) for text in found.period_ranks.summary),
        Table("period-table", "Study periods", periods),
        Table(
            "period-ranks-table",
            "Ranks by study period",
            frame.select(RANKED),
            who="individual",
        ),
    )


def _why_not(found: Analysis, name: str) -> tuple:
    if name not in found.methods:
        return ()
    return (Words(f"Not available: {found.notes[name]}", "note"),)


SHOWN = ("model", "score", "difference", "low", "high", "p")


def add_prediction(found: Analysis) -> None:
    """Add how well ratings predict each contest from those before it, on the same contests.

    Fits of Elo are left out, because they use the contests that they predict. Ratings that model
    ties are compared with each other only.
    """
    if found.adaptive is None:
        return
    models: dict[str, Ratings | None] = {
        label("adaptive"): found.adaptive,
        label("dynamic"): found.dynamic,
    }
    if "nu" not in found.adaptive.values:
        models[label("elo")] = found.elo
        models[label("glicko")] = found.view.through(po.sport.glicko(found.data))
    known = {name: one for name, one in models.items() if one is not None}
    try:
        found.prediction = po.compare_models(known, by="foresight", seed=found.seed)
    except (ArgumentError, DataError) as error:  # too few ratings or contests, or other outcomes
        found.notes["prediction"] = str(error)


def prediction(found: Analysis) -> tuple:
    """Which ratings predict contests best, and what adaptive ratings learned."""
    if found.adaptive is None:
        return ()
    parts: list = []
    if found.prediction is not None:
        parts += [Words(text) for text in found.prediction.summary]
        parts.append(
            Table(
                "prediction-table",
                "Log score of predictions of each contest from those before it (sums; higher is "
                "better), and differences to the highest with 95% CI",
                found.prediction.as_polars().select(SHOWN),
                {"model": "Ratings", "score": "Log score"},
            )
        )
    parts += [Words(text) for text in found.adaptive.summary]
    parts.append(
        Table(
            "coefficients-table",
            "Adaptive ratings: coefficients of the log-odds of a win",
            pl.DataFrame(found.adaptive.whole.coefficient_rows()),
            {"sd": "SD", "low": "Low 95%", "high": "High 95%", "p_positive": "P(> 0)"},
        )
    )
    return tuple(parts)


LEADS = ("context", "contests", "median", "mean", "smallest", "largest", "suggested_k")


def behaviors(found: Analysis, drawn: Drawn) -> tuple:
    """By how much winners of each context (behavior) were ahead, and which k this suggests."""
    if found.elo is None or found.elo.data.context is None:
        return ()
    table = as_polars(found.elo.differences()).select(LEADS).sort("median", maintain_order=True)
    if table.height < 2:
        return ()
    low, high = (
        f"{name} (median {lead:.0f} points, {counted(contests, 'contest')})"
        for name, contests, lead, *_ in (table.row(0), table.row(-1))
    )
    suggested = [f"{name} (k up to {k:.0f})" for name, *_, k in table.iter_rows() if k is not None]
    named = listed(suggested) if len(suggested) < 7 else counted(len(suggested), "behavior")
    made, flags = drawn.judged()
    how = {"k": "context", "scale": 400, "seed": drawn.seed}
    learned = ", ".join(f"{name}={value!r}" for name, value in how.items())
    return (
        Words(
            f"Before the contest, winners were least ahead in Elo ratings where the behavior was "
            f"{low}, and most ahead where it was {high}. If escalation goes with the rating "
            f"difference, fiercer behaviors have larger medians. This is a description and not a "
            f"test, because contests of the same dyad are not independent."
        ),
        Words(
            (
                f"Occurred only where the winner was ahead: {named}. "
                if suggested
                else "Each behavior also occurred where the winner was not ahead, so these "
                "differences suggest no k. "
            )
            + "The k of a behavior may be as high as the smallest difference at which it occurs, "
            "if that is positive (Albers & de Vries 2001, Example I); a single contest between "
            "unusual opponents can decide this. It is safer to learn the k of each behavior from "
            "the data, with Bayesian Elo (code below; k in points)."
        ),
        Table(
            "behaviors-table",
            "Elo rating of the winner minus that of the loser, before the contest",
            table,
            {"context": "Behavior", "suggested_k": "Suggested k"},
        ),
        Code(
            "Differences, and k learned from the data, in Python",
            f"{drawn.lines.reading}\nprint({made}.differences())\n"
            f'print(*po.elo_bayes(data, {learned}).summary, sep="\\n")',
        ),
        Code(
            "The same at the shell",
            f"{drawn.lines.written('differences', 'differences.csv', **flags)}\n"
            f"{drawn.lines.written('fit', 'fit.npz', **how)}",
        ),
    )
