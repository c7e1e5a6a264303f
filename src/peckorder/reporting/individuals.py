"""Sections on individuals: sampling effort, ranks, ratings over time, and wins."""

from __future__ import annotations

from typing import Any

import polars as pl

import peckorder as po
from peckorder.data.contests import Record
from peckorder.data.same_time import order_unknown, shared_words
from peckorder.errors import DataError
from peckorder.methods import label
from peckorder.plot.orders import above_next, alike, rank_table
from peckorder.plot.trajectories import along, in_steps, left_early, rating_title
from peckorder.reporting.analysis import NO_ORDER, Analysis
from peckorder.reporting.findings import repeatability_words, unseen_dyads
from peckorder.reporting.page import Drawn, Table, Words
from peckorder.results import Ratings
from peckorder.tables import as_polars
from peckorder.text import counted, option

MOST_POINTS = 20_000  # of trajectories
MOST_CELLS = 150  # individuals in a matrix
MANY, IN_COLOR = 12, 7  # above MANY individuals, so many lines are in color
CROWDED = 24  # names beside a figure, above which only some are shown


def effort(found: Analysis, drawn: Drawn) -> tuple[tuple, tuple]:
    """Data checks; and sampling effort with recovery."""
    check = found.data.check()
    checks = pl.DataFrame(
        [
            {"check": c.name.replace("_", " "), "result": c.level, "message": c.message}
            for c in check.checks
        ]
    )
    checked: list[Any] = [
        *([Words(str(check.report).replace("\n", " · "))] if check.report.rows_in else []),
        Table("checked", "Data checks", checks),
    ]
    parts: list[Any] = [Words(text, "warning") for text in found.warnings]
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
    parts += [Words(text) for text in (repeatability_words(found), _stamps(found)) if text]
    if found.recovery is not None:
        parts += [Words(text) for text in found.recovery.summary]
    if found.recovery is not None and found.data.ordered:
        method, runs = found.recovery.settings["method"], found.settings["recovery"]
        how = {"method": method} | ({"k": drawn.k} if method == "elo" else {})
        made = drawn.fit("recovery", **how, runs=runs, effort=())
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
    return tuple(checked), tuple(parts)


def _stamps(found: Analysis) -> str:
    """How many contests have an unknown order."""
    data = found.data
    if not data.ordered or data.date is None:
        return ""
    unknown = int(order_unknown(data).sum())
    if not unknown:
        return "Every individual has at most one contest per time stamp, so the order is known."
    moved = ""
    if found.posterior is not None:
        moved = next((t for t in found.posterior.summary if t.startswith("Integrating over")), "")
    return (
        f"{shared_words(unknown, len(data))}. Their order is not known; ratings that depend on it "
        f"use the order of the file. {moved}".strip()
    )


def ranking(found: Analysis, drawn: Drawn) -> tuple:
    """Ranks with their uncertainty."""
    ranking = found.ranking
    known = [n for n in ("individual", "rank", "rating", "score") if n in found.table.columns]
    table = found.table.select(known)
    shown = {} if found.sure is None else found.moment_of(found.sure)
    if found.sure is not None:
        ends = rank_table(found.sure, **shown).select("individual", "rank_low", "rank_high")
        above = [*above_next(found.sure, found.names, shown.get("at")), None]
        table = table.join(ends, on="individual", how="left", maintain_order="left").with_columns(
            p_above_next=pl.Series(above, dtype=pl.Float64)
        )
    record = Record.of(found.contests)
    counts = pl.DataFrame(
        {
            "individual": found.contests.individuals,
            "contests": record.contests,
            "wins": record.wins,
            "losses": record.losses,
            "draws": record.draws,
        }
    )
    if not record.draws.any():
        counts = counts.drop("draws")
    table = table.join(counts, on="individual", how="left", maintain_order="left")
    headings = {
        "score": "Summed winning probability",
        "rating": rating_title(ranking) if isinstance(ranking, Ratings) else "Rating (points)",
        "rank_low": "Rank, 95% from",
        "rank_high": "to",
        "p_above_next": "P(outranks next)",
    }
    source = {
        "dynamic": "dynamic ratings, which allow for change over time"
        if found.data.ordered
        else "dynamic ratings, here without change over time, as the order of contests is unknown",
        "elo_bayes": "the posterior of Elo ratings",
        "steepness_bayes": "the posterior of winning probabilities, without change over time",
        "randomized_elo": "randomized Elo",
        "elo": "Elo",
        "compare": "the mean of several methods",
    }[ranking.method]
    if ranking.method == "compare" and len(ranking.settings["methods"]) == 1:
        source = label(ranking.settings["methods"][0])
    view = found.view
    which = "" if view.at is None else f" of the {len(found.names):,} present {view.when}"
    counted_in = f" Contests, wins and losses are those of the {view.span}." if view.is_part else ""
    parts: list[Any] = [Words(f"Ranks{which} by {source}, highest first.{counted_in}")]
    gone = left_early(found.data) if view.at is None else set()
    if gone:
        left = [name in gone for name in table["individual"]]
        table = table.with_columns(left=pl.Series(left))
        parts.append(
            Words(
                f"All individuals ever observed are ranked, because presence was inferred from "
                f"contests: {len(gone):,} of {len(table):,} have no contest on the last day. With "
                f"recorded presence, those that left are listed separately.",
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
        made, flags = made_sure(found, drawn)
        held = "thick lines contain 80% and thin lines 95%"
        if found.sure is found.randomized:
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
                options={"groups": alike(found.sure, 0.95, **shown)},
                **shown,
            )
        )
    return (*parts, *_departed(found))


def _departed(found: Analysis) -> tuple:
    """Those that have left, apart from the ranking."""
    if not found.left.height:
        return ()
    method = label(found.ranking.method)
    return (
        Words(
            f"{counted(found.left.height, 'individual has', 'individuals have')} left by the date "
            f"of this ranking and {'is' if found.left.height == 1 else 'are'} not in it. Last "
            f"ranks are those among the individuals present on the last day ({method})."
        ),
        Table(
            "left-table",
            "Individuals that have left",
            found.left,
            {"of": "of", "left": "Last day"},
            who="individual",
        ),
    )


def made_sure(found: Analysis, drawn: Drawn) -> tuple[str, dict[str, Any]]:
    """The code that reproduces the ranks with uncertainty, in Python and as flags."""
    if found.sure in (found.dynamic, found.posterior):
        _, made, flags = drawn.rater()
        return made, flags
    if found.sure is found.steepness_bayes:
        flags = {"method": "steepness", "seed": drawn.seed} | drawn.window
        return drawn.random("steepness_bayes"), flags
    flags = {"method": "randomized", "k": drawn.k, "seed": drawn.seed} | drawn.window
    return drawn.random("randomized_elo", k=drawn.k), flags


def trajectories(found: Analysis, drawn: Drawn) -> tuple[tuple, tuple]:
    """Ratings over time; and presence."""
    if found.ratings is None or not found.data.ordered:
        missing = "no ratings over time were requested." if found.data.ordered else NO_ORDER
        return (Words(f"Not available: {found.notes.get('elo', missing)}", "note"),), ()
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
    if len(found.data.individuals) > MANY:
        caption += " In color: the highest ranks; named: those present at the date of the ranking"
        caption += ", as far as there is room." if len(found.names) > CROWDED else "."
    thin = thinned(table, MOST_POINTS)
    if thin.height < table.height:
        caption += f" Thinned: {thin.height:,} of {table.height:,} points are shown."
    over_time = (
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
                "named": list(found.names),
            },
            **_in_color(found, table),
        ),
    )
    presence = ()
    if found.data.presence is not None:
        presence = (
            drawn(
                "presence",
                "Presence",
                "Bars are periods of presence.",
                found.data,
                "data",
                {},
                options={"x": along(found.data, None)},
            ),
        )
    return over_time, presence


def _in_color(found: Analysis, table: pl.DataFrame) -> dict[str, Any]:
    """Of many individuals, the highest-ranked are in color and the others gray."""
    drawn = set(table["individual"])
    if len(drawn) <= MANY:
        return {}
    return {"highlight": [name for name in found.names if name in drawn][:IN_COLOR]}


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


def matrix(found: Analysis, drawn: Drawn) -> tuple[tuple, tuple]:
    """Observed wins; and predicted chances."""
    size = len(found.contests.individuals)
    if size > MOST_CELLS:
        return (Words(f"A matrix of {size:,} individuals is too large for this page.", "note"),), ()
    try:
        order = po.davids_score(found.contests, ties=found.settings["ties"])
    except DataError as error:
        return (Words(f"Not available: {error}", "note"),), ()
    wins = (
        drawn(
            "matrix",
            "Observed wins",
            "Wins of row over column, both ordered by David's score. Orange: upsets, that is, wins "
            f"of the lower-ranked. Boxed: dyads with {unseen_dyads(found)}.",
            found.contests,
            drawn.contests,
            drawn.window,
            options={"order": list(order), "unknown": unseen_dyads(found)},
            ties=found.settings["ties"],
        ),
    )
    chances = ()
    if found.ratings is not None:
        ratings, made, flags = drawn.rater()
        chances = (
            drawn(
                "matrix",
                "Predicted win probabilities",
                "Probability that row beats column, from the final ratings"
                + (" (of those that left, from their last ones)" if found.left.height else "")
                + ". If ties are modeled, the two probabilities of a pair sum to less than one.",
                ratings,
                made,
                flags,
                options={"order": list(ratings)},
                drawn_as="chances",
                show="chances",
            ),
        )
    return wins, chances
