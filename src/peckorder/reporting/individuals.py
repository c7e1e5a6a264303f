"""Sections on individuals: sampling effort, ranks, ratings over time, and wins."""

from __future__ import annotations

from typing import Any

import polars as pl

import peckorder as po
from peckorder.data.record import Record
from peckorder.errors import DataError
from peckorder.figures.orders import above_next, alike, rank_table
from peckorder.figures.trajectories import along, in_steps, left_early, rating_title
from peckorder.methods import label
from peckorder.reporting.analysis import NO_ORDER, Analysis
from peckorder.reporting.answer import unseen_dyads
from peckorder.reporting.drawings import Drawn
from peckorder.reporting.page import Table, Words
from peckorder.results import Ratings
from peckorder.tables import as_polars
from peckorder.wording import option

MOST_POINTS = 20_000  # of trajectories
MOST_CELLS = 150  # individuals in a matrix


def effort(found: Analysis, drawn: Drawn) -> tuple:
    """Data checks, sampling effort and recovery."""
    check = found.data.check()
    checks = pl.DataFrame(
        [
            {"check": c.name.replace("_", " "), "result": c.level, "message": c.message}
            for c in check.checks
        ]
    )
    parts: list[Any] = [
        *([Words(str(check.report).replace("\n", " · "))] if check.report.rows_in else []),
        Table(
            "checked",
            "Data checks",
            checks,
            {"check": "Check", "result": "Result", "message": "Message"},
        ),
    ]
    parts += [Words(text, "warning") for text in found.warnings]
    more = {"points": found.data.points, "home sides": found.data.home}
    unused = [what for what, known in more.items() if known is not None]
    if unused:
        parts.append(
            Words(
                f"This report uses wins, losses and ties only: {' and '.join(unused)} are not "
                f"used. The methods elo, tune and evaluate can use them.",
                "note",
            )
        )
    if found.unknown is not None:
        parts += [Words(text) for text in found.unknown.summary]
    if found.randomized is not None:
        parts += [Words(text) for text in found.randomized.summary]
    if found.recovery is not None:
        parts += [Words(text) for text in found.recovery.summary]
    if found.recovery is not None and found.data.ordered:
        method, runs = found.recovery.settings["method"], found.settings["recovery"]
        how = {"method": method} | ({"k": drawn.k} if method == "elo" else {})
        made = drawn.random("recovery", **how, runs=runs, effort=())
        flags = how | {"runs": runs, "seed": drawn.seed}
        parts.append(
            drawn(
                "recovery",
                "Rank error by number of contests",
                "Records like this one were simulated from the posterior of its ratings and ranked "
                "again. The line is the mean absolute difference between estimated and true ranks.",
                found.recovery,
                made,
                flags,
                part="time",
            )
        )
    elif found.recovery is None:
        parts.append(
            Words(
                f"Recovery of ranks from simulated records was not requested. To include it, "
                f"create the report with {option('recovery', '200')}.",
                "note",
            )
        )
    return tuple(parts)


def ranking(found: Analysis, drawn: Drawn) -> tuple:
    """Ranks with their uncertainty."""
    ranking = found.ranking
    frame = ranking.as_polars()
    known = [name for name in ("individual", "rank", "rating", "score") if name in frame.columns]
    table = frame.select(known)
    if found.sure is not None:
        ends = rank_table(found.sure).select("individual", "rank_low95", "rank_high95")
        above = [*above_next(found.sure, found.names), None]
        table = table.join(ends, on="individual", maintain_order="left").with_columns(
            p_above_next=pl.Series(above, dtype=pl.Float64)
        )
    record = Record.of(found.data)
    counts = pl.DataFrame(
        {
            "individual": found.data.individuals,
            "contests": record.contests,
            "wins": record.wins,
            "losses": record.losses,
            "draws": record.draws,
        }
    )
    if not record.draws.any():
        counts = counts.drop("draws")
    table = table.join(counts, on="individual", maintain_order="left")
    headings = {
        "individual": "Individual",
        "rank": "Rank",
        "score": "Summed winning probability",
        "left": "Left",
        "rating": rating_title(ranking) if isinstance(ranking, Ratings) else "Rating (points)",
        "rank_low95": "Rank, 95% from",
        "rank_high95": "to",
        "p_above_next": "P(outranks next)",
        "contests": "Contests",
        "wins": "Wins",
        "losses": "Losses",
        "draws": "Draws",
    }
    source = {
        "dynamic": "dynamic ratings, which allow for change over time",
        "elo_bayes": "the posterior of Elo ratings",
        "steepness_bayes": "the posterior of winning probabilities, without change over time",
        "randomized_elo": "randomized Elo",
        "elo": "Elo",
        "compare": "the mean of several methods",
    }[ranking.method]
    if ranking.method == "compare" and len(ranking.settings["methods"]) == 1:
        source = label(ranking.settings["methods"][0])
    parts: list[Any] = [Words(f"Ranks by {source}, highest first.")]
    gone = left_early(found.data)
    if gone:
        left = [name in gone for name in table["individual"]]
        table = table.with_columns(left=pl.Series(left))
        parts.append(
            Words(
                f"All individuals ever observed are ranked; {len(gone):,} of {len(table):,} left "
                f"before the end of the study.",
                "note",
            )
        )
    if found.sure is not None and found.sure is found.randomized:
        parts.append(
            Words(
                "These intervals reflect the order of contests only, not the uncertainty due to "
                "their limited number. Dynamic ratings reflect both.",
                "note",
            )
        )
    parts.append(Table("ranks-table", "Ranking", table, headings, who="individual"))
    if found.sure is not None:
        made, flags = _made_sure(found, drawn)
        held = "thick lines contain 80% and thin lines 95%"
        if "rank_low80" not in found.sure.as_polars().columns:
            held = "lines contain 95%"
        what = "random orders" if found.sure is found.randomized else "posterior draws"
        parts.append(
            drawn(
                "ranks",
                "Ranks with uncertainty",
                f"Dots are ranks; {held} of the {what}. Bars at the right join adjacent ranks that "
                f"are not distinguishable at 95%.",
                found.sure,
                made,
                flags,
                options={"groups": alike(found.sure, 0.95)},
            )
        )
    return tuple(parts)


def _made_sure(found: Analysis, drawn: Drawn) -> tuple[str, dict[str, Any]]:
    if found.sure is found.dynamic:
        return drawn.random("dynamic"), {"seed": drawn.seed}
    if found.sure is found.posterior:
        return drawn.random("elo_bayes"), {"method": "bayes", "seed": drawn.seed}
    if found.sure is found.steepness_bayes:
        return drawn.random("steepness_bayes"), {"method": "steepness", "seed": drawn.seed}
    flags = {"method": "randomized", "k": drawn.k, "seed": drawn.seed}
    return drawn.random("randomized_elo", k=drawn.k), flags


def trajectories(found: Analysis, drawn: Drawn) -> tuple:
    """Ratings over time, and presence."""
    if found.ratings is None or not found.data.ordered:
        missing = "no ratings over time were requested." if found.data.ordered else NO_ORDER
        return (Words(f"Not available: {found.notes.get('elo', missing)}", "note"),)
    ratings, made, flags = drawn.rater()
    table = as_polars(po.plot.trajectories.data(ratings))
    caption = "Ratings after each contest; lines are interrupted during absence."
    if ratings is found.dynamic:
        caption = "Ratings over time, given all contests; lines are interrupted during absence."
    if ratings is not found.elo:
        caption += (
            " Shading shows 80% and 95% credible intervals; with more than six individuals, of the "
            "highlighted one only."
        )
    thin = thinned(table, MOST_POINTS)
    if thin.height < table.height:
        caption += f" Thinned: {thin.height:,} of {table.height:,} points are shown."
    parts = [
        drawn(
            "trajectories",
            "Ratings over time",
            caption,
            ratings,
            made,
            flags,
            table=thin,
            options={
                "x": along(found.data, None),
                "unit": rating_title(ratings),
                "steps": in_steps(ratings),
            },
        )
    ]
    if found.data.presence is not None:
        parts.append(
            drawn(
                "presence",
                "Presence",
                "Bars are periods of presence.",
                found.data,
                "data",
                {},
                options={"x": along(found.data, None)},
            )
        )
    return tuple(parts)


def thinned(table: pl.DataFrame, most: int) -> pl.DataFrame:
    """At most this many points, evenly spaced along each line; ends of lines are kept."""
    if table.height <= most:
        return table
    stints = table.group_by("individual", "stint").len().height
    every = table.height / max(1, most - 2 * stints)
    place = pl.int_range(pl.len()).over("individual", "stint")
    last = place == pl.len().over("individual", "stint") - 1
    evenly = (place / every).floor() != ((place - 1) / every).floor()
    return table.filter(evenly | (place == 0) | last)


def matrix(found: Analysis, drawn: Drawn) -> tuple:
    """Observed wins and predicted chances."""
    size = len(found.data.individuals)
    if size > MOST_CELLS:
        return (Words(f"A matrix of {size:,} individuals is too large for this page.", "note"),)
    try:
        order = po.davids_score(found.data, ties=found.settings["ties"])
    except DataError as error:
        return (Words(f"Not available: {error}", "note"),)
    parts = [
        drawn(
            "matrix",
            "Observed wins",
            "Wins of row over column, both ordered by David's score. Orange: upsets, that is, wins "
            f"of the lower-ranked. Boxed: dyads with {unseen_dyads(found)}.",
            found.data,
            "data",
            {},
            options={"order": list(order), "unknown": unseen_dyads(found)},
            ties=found.settings["ties"],
        )
    ]
    if found.ratings is not None:
        ratings, made, flags = drawn.rater()
        parts.append(
            drawn(
                "matrix",
                "Predicted win probabilities",
                "Probability that row beats column, from the final ratings. If ties are modeled, "
                "the two probabilities of a pair sum to less than one.",
                ratings,
                made,
                flags,
                options={"order": list(ratings)},
                drawn_as="chances",
                show="chances",
            )
        )
    return tuple(parts)
