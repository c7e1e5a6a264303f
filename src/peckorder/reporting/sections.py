"""The chapters of a report: what was found, in words, tables and figures."""

from __future__ import annotations

import json
from typing import Any

import polars as pl

import peckorder as po
from peckorder import citation
from peckorder.data.record import Record
from peckorder.errors import DataError
from peckorder.figures.files import light_picture
from peckorder.figures.orders import above_next, alike, rank_table
from peckorder.figures.structure import null_bins, posterior_lines
from peckorder.figures.trajectories import along, left_early, rating_title
from peckorder.methods import METHODS, label
from peckorder.reporting.analysis import Analysis, told_of
from peckorder.reporting.answer import answer, unseen_dyads
from peckorder.reporting.lines import Lines
from peckorder.reporting.page import Code, Drawing, Page, Section, Table, Words
from peckorder.reporting.paragraph import paragraph, references
from peckorder.results import Measure, Ratings
from peckorder.tables import as_polars, plain
from peckorder.wording import counted

MOST_POINTS = 20_000  # of trajectories
MOST_BYTES = 150_000  # of a static picture
MOST_CELLS = 150  # individuals of a square
MEASURES = (
    "steepness",
    "steepness_bayes",
    "linearity",
    "transitivity",
    "consistency",
    "stability",
)


def page_of(found: Analysis, lines: Lines, title: str | None) -> Page:
    """Everything on the page."""
    source = found.data.report.source
    named = source if found.data.report.path else counted(len(found.names), "individual")
    drawn = _Drawn(found, lines)
    sections = (
        Section("answer", "The answer", tuple(Words(text, "lead") for text in answer(found))),
        Section("data", "Data: is this enough?", _data(found, drawn)),
        Section("ranking", "Ranking", _ranking(found, drawn)),
        Section("trajectories", "Trajectories", _trajectories(found, drawn)),
        Section("matrix", "Who beats whom", _matrix(found, drawn)),
        Section("structure", "Structure", _structure(found, drawn)),
        Section("methods-compared", "Methods compared", _compared(found, drawn)),
        Section("checks", "Checks of the model", _checks(found, drawn)),
        Section("methods", "For your methods section", _cited(found)),
        Section("settings", "Settings and data", _settings(found, lines, title)),
    )
    full = tuple(section for section in sections if section.parts)
    return Page(title or f"Hierarchy of {named}", told_of(found.data), found.names, full)


class _Drawn:
    """Figures of this report, each with its static picture and the lines that make it."""

    def __init__(self, found: Analysis, lines: Lines):
        self.found, self.lines = found, lines
        self.seed = found.seed
        self.k = found.settings["k"]

    def __call__(
        self,
        kind: str,
        title: str,
        caption: str,
        result: Any,
        made: str,
        flags: dict[str, Any],
        *,
        options: dict[str, Any] | None = None,
        table: pl.DataFrame | None = None,
        drawn_as: str | None = None,
        **look: Any,
    ) -> Drawing:
        """A figure of a result that `made` makes in Python and `flags` at the shell."""
        figure = getattr(po.plot, kind)
        static = light_picture(lambda: figure(result, **look), MOST_BYTES)
        if table is None:
            table = as_polars(figure.data(result, **look))
        table = table.drop("row_place", "column_place", strict=False)  # as the order has them
        given = {name: value for name, value in look.items() if isinstance(value, str | int | bool)}
        return Drawing(
            id=f"figure-{drawn_as or kind}",
            kind=drawn_as or kind,
            title=title,
            caption=caption,
            frame=table,
            options=options or {},
            static=static,
            python=self.lines.python(kind, made, drawn_as or kind, **given),
            shell=self.lines.shell(kind, drawn_as or kind, **given, **flags),
        )

    def rater(self) -> tuple[Any, str, dict[str, Any]]:
        """The ratings of this report, and how they are made again."""
        if self.found.posterior is not None:
            flags = {"method": "bayes", "seed": self.seed}
            return self.found.posterior, self.random("elo_bayes"), flags
        return self.found.elo, *self.judged()

    def judged(self) -> tuple[str, dict[str, Any]]:
        """How the ratings whose foresight was judged are made again."""
        if self.found.judged is self.found.posterior:
            return self.random("elo_bayes"), {"method": "bayes", "seed": self.seed}
        given = "" if self.k is None else f", k={self.k!r}"
        return f"po.elo(data{given})", {"k": self.k}

    def random(self, name: str, **more: Any) -> str:
        given = "".join(f", {key}={value!r}" for key, value in more.items() if value is not None)
        return f"po.{name}(data{given}, seed={self.seed})"


def _data(found: Analysis, drawn: _Drawn) -> tuple:
    check = found.data.check()
    marks = {"passed": "fine", "note": "note", "warning": "warning"}
    checks = pl.DataFrame(
        [
            {"check": c.name.replace("_", " "), "result": marks[c.level], "words": c.message}
            for c in check.checks
        ]
    )
    parts: list[Any] = [
        *([Words(str(check.report).replace("\n", " · "))] if check.report.rows_in else []),
        Table(
            "checked",
            "What was looked at",
            checks,
            {"check": "Check", "result": "Result", "words": "In words"},
        ),
    ]
    parts += [Words(text, "warning") for text in found.warnings]
    more = {"points": found.data.points, "home sides": found.data.home}
    unused = [what for what, known in more.items() if known is not None]
    if unused:
        parts.append(
            Words(
                f"Ratings here count wins, losses and draws: {' and '.join(unused)} are not used. "
                f"peckorder elo, tune and evaluate use them.",
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
        runs = found.settings["recovery"]
        made = drawn.random("recovery", k=drawn.k, runs=runs, effort=())
        flags = {"k": drawn.k, "runs": runs, "seed": drawn.seed}
        parts.append(
            drawn(
                "recovery",
                "Error of ranks as contests go on",
                "Records like this one were simulated from its ratings and rated anew: how far ranks "
                "are from the true ones, by the number of contests seen so far.",
                found.recovery,
                made,
                flags,
                part="time",
            )
        )
    elif found.recovery is None:
        parts.append(
            Words(
                "How well ranks are recovered from records like this one was not asked. To ask, make "
                "the report with recovery=True (--recovery 200).",
                "note",
            )
        )
    return tuple(parts)


def _ranking(found: Analysis, drawn: _Drawn) -> tuple:
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
        "score": "Summed chances",
        "left": "Left",
        "rating": rating_title(ranking) if isinstance(ranking, Ratings) else "Rating (points)",
        "rank_low95": "Rank, 95 % from",
        "rank_high95": "to",
        "p_above_next": "P(outranks next)",
        "contests": "Contests",
        "wins": "Wins",
        "losses": "Losses",
        "draws": "Draws",
    }
    source = {
        "elo_bayes": "the posterior of Elo ratings",
        "steepness_bayes": "the posterior of Elo ratings over random orders of the contests",
        "randomized_elo": "randomized Elo",
        "elo": "Elo",
        "compare": "the mean of several methods",
    }[ranking.method]
    if ranking.method == "compare" and len(ranking.settings["methods"]) == 1:
        source = label(ranking.settings["methods"][0])
    parts: list[Any] = [Words(f"Ranks by {source}, from the top down.")]
    gone = left_early(found.data)
    if gone:
        left = [name in gone for name in table["individual"]]
        table = table.with_columns(left=pl.Series(left))
        parts.append(
            Words(
                f"Everybody ever seen is ranked: {len(gone):,} of {len(table):,} were no longer there "
                f"in the end.",
                "note",
            )
        )
    if found.sure is not None and found.sure is found.randomized:
        parts.append(
            Words(
                "The intervals show what the order of contests does to ranks, not how little the "
                "contests tell: the posterior (elo_bayes) shows both.",
                "note",
            )
        )
    parts.append(Table("ranks-table", "Ranking", table, headings, who="individual"))
    if found.sure is not None:
        made, flags = _made_sure(found, drawn)
        held = "thick lines hold 80 %, thin ones 95 %"
        if "rank_low80" not in found.sure.as_polars().columns:
            held = "lines hold 95 %"
        what = "random orders" if found.sure is found.randomized else "draws"
        parts.append(
            drawn(
                "ranks",
                "Ranks and how sure they are",
                f"Dots are ranks; {held} of the {what}. Bars at the right join neighbors of whom none "
                f"outranks another in 95 % of the {what}.",
                found.sure,
                made,
                flags,
                options={"groups": alike(found.sure, 0.95)},
            )
        )
    return tuple(parts)


def _made_sure(found: Analysis, drawn: _Drawn) -> tuple[str, dict[str, Any]]:
    if found.sure is found.posterior:
        return drawn.random("elo_bayes"), {"seed": drawn.seed}
    if found.sure is found.steepness_bayes:
        return drawn.random("steepness_bayes"), {"method": "steepness", "seed": drawn.seed}
    flags = {"method": "randomized", "k": drawn.k, "seed": drawn.seed}
    return drawn.random("randomized_elo", k=drawn.k), flags


def _trajectories(found: Analysis, drawn: _Drawn) -> tuple:
    if found.ratings is None:
        why = found.notes.get("elo", "no rating over time was asked for.")
        return (Words(f"No trajectories: {why}", "note"),)
    ratings, made, flags = drawn.rater()
    table = as_polars(po.plot.trajectories.data(ratings))
    caption = "Ratings after each contest; a line is broken while its owner is absent."
    if found.posterior is not None:
        caption += " Shades hold 80 and 95 % of the posterior (of whom you follow)."
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
            options={"x": along(found.data, None), "unit": rating_title(ratings)},
        )
    ]
    if found.data.presence is not None:
        parts.append(
            drawn(
                "presence",
                "Who was there when",
                "Bars are stints of presence.",
                found.data,
                "data",
                {},
                options={"x": along(found.data, None)},
            )
        )
    return tuple(parts)


def thinned(table: pl.DataFrame, most: int) -> pl.DataFrame:
    """At most so many points, evenly along each line; ends of lines stay."""
    if table.height <= most:
        return table
    stints = table.group_by("individual", "stint").len().height
    every = table.height / max(1, most - 2 * stints)
    place = pl.int_range(pl.len()).over("individual", "stint")
    last = place == pl.len().over("individual", "stint") - 1
    evenly = (place / every).floor() != ((place - 1) / every).floor()
    return table.filter(evenly | (place == 0) | last)


def _matrix(found: Analysis, drawn: _Drawn) -> tuple:
    size = len(found.data.individuals)
    if size > MOST_CELLS:
        return (Words(f"Squares of {size:,} individuals are too large for a page.", "note"),)
    try:
        order = po.davids_score(found.data, ties=found.settings["ties"])
    except DataError as error:
        return (Words(f"No matrix of wins: {error}", "note"),)
    parts = [
        drawn(
            "matrix",
            "Wins of row over column",
            "Both in the order of David's scores. Orange: wins against that order. Boxed: dyads with "
            f"{unseen_dyads(found)}.",
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
                "Chance that row beats column",
                "By the final ratings; where draws are modeled, the two chances of a pair leave room "
                "for them.",
                ratings,
                made,
                flags,
                options={"order": list(ratings)},
                drawn_as="chances",
                show="chances",
            )
        )
    return tuple(parts)


def _structure(found: Analysis, drawn: _Drawn) -> tuple:
    instability = found.compared.values["instability"] if found.compared is not None else None
    changed = None if instability is None else instability["p"]
    rows = [
        _measured(name, getattr(found, name), changed) for name in MEASURES if getattr(found, name)
    ]
    parts: list[Any] = []
    if rows:
        parts.append(
            Table(
                "measures",
                "Measures of structure",
                pl.DataFrame(rows, infer_schema_length=None),
                {
                    "measure": "Measure",
                    "value": "Value",
                    "interval": "95 % interval",
                    "p": "p",
                    "reading": "Reading",
                    "caveat": "Caveat",
                },
            )
        )
    missing = {name: found.notes[name] for name in MEASURES if name in found.notes}
    parts += [Words(f"{label(name)}: {why}", "note") for name, why in missing.items()]
    runs = {"runs": found.settings["runs"], "ties": found.settings["ties"]}
    if found.steepness is not None:
        value = found.steepness.values["value"]
        counts, edges = null_bins(found.steepness)
        parts.append(
            drawn(
                "steepness",
                "Steepness",
                "Normalized David's scores on ranks with their line; and the steepness that random "
                "wins would give, beside the one observed.",
                found.steepness,
                drawn.random("steepness", **runs),
                runs | {"seed": drawn.seed},
                options={
                    "value": value,
                    "intercept": found.steepness.values["intercept"],
                    "observed": value,
                    "null": {"edges": edges, "counts": counts},
                },
            )
        )
    if found.steepness_bayes is not None:
        value = found.steepness_bayes.values["value"]
        parts.append(
            drawn(
                "summed_probability",
                "Steepness by the posterior",
                "Summed chances to win on ranks, with 95 % intervals; each thin line is one draw of "
                "the posterior, and its slope one draw of steepness.",
                found.steepness_bayes,
                drawn.random("steepness_bayes"),
                {"seed": drawn.seed},
                options={
                    "lines": posterior_lines(found.steepness_bayes),
                    **value.to_dict(),
                    "value": value.mean,
                },
            )
        )
    if found.shape is not None:
        ties = found.settings["ties"]
        parts.append(
            drawn(
                "shape",
                "How often the higher-ranked wins",
                f"By difference in rank, with 95 % intervals. {METHODS['hierarchy_shape'].caveat}",
                found.shape,
                f"po.hierarchy_shape(data, ties={ties!r})",
                {"ties": ties},
            )
        )
    return tuple(parts)


def _measured(name: str, measure: Measure, changed: float | None) -> dict[str, Any]:
    """A row of the table of measures; `changed` is the p-value of a change of ranks."""
    values = measure.values
    value, low, high, p = None, None, None, None
    if name == "steepness":
        value, p = values["value"], values["p_right"]
    elif name == "steepness_bayes":
        value, low, high = (getattr(values["value"], part) for part in ("mean", "low95", "high95"))
    elif name == "linearity":
        value, p = values["h_improved"], values["p_right"]
    elif name == "transitivity":
        value, p = values["ttri"], values["p_right"]
    elif name == "consistency":
        value, p = values["dci"], values["p_dci"]
    else:
        value, p = values["value"], changed
    return {
        "measure": label(name),
        "value": value,
        "interval": "" if low is None else f"{low:.3f} to {high:.3f}",
        "p": p,
        "reading": measure.summary[0] if measure.summary else "",
        "caveat": METHODS[name].caveat,
    }


def _compared(found: Analysis, drawn: _Drawn) -> tuple:
    order = found.compared
    if order is None or len(order.settings["methods"]) < 2:
        return ()
    methods = order.settings["methods"]
    spearman = pl.DataFrame(
        [
            {"method": label(a), **{label(b): order.values["spearman"][a][b] for b in methods}}
            for a in methods
        ],
        infer_schema_length=None,
    )
    made = drawn.random("compare", methods=list(methods), k=drawn.k, ties=found.settings["ties"])
    flags = {"k": drawn.k, "ties": found.settings["ties"], "seed": drawn.seed}
    return (
        drawn(
            "compare",
            "Orders by several methods",
            "Level lines: methods agree.",
            order,
            made,
            flags | {"method": methods},
        ),
        Table("agreement", "Spearman correlations of the orders", spearman, {"method": "Method"}),
        *(Words(text) for text in order.summary),
    )


def _checks(found: Analysis, drawn: _Drawn) -> tuple:
    parts: list[Any] = []
    if found.evaluation is not None:
        views = found.evaluation.values
        shown = ("contests", "decided", "correct", "share", "log_loss", "brier")
        rows = [
            {"view": view, **{name: views[view][name] for name in shown}}
            for view in ("foresight", "hindsight")
            if view in views
        ]
        parts += [Words(text) for text in found.evaluation.summary]
        parts.append(
            Table(
                "foresight-table",
                "Ratings before each contest, and final ones, against outcomes",
                pl.DataFrame(rows, infer_schema_length=None),
                {
                    "view": "View",
                    "contests": "Contests",
                    "decided": "Decided",
                    "correct": "Foretold",
                    "share": "Share",
                    "log_loss": "Log loss",
                    "brier": "Brier score",
                },
            )
        )
    if found.calibration is not None:
        made, flags = drawn.judged()
        parts += [Words(text) for text in found.calibration.summary]
        parts.append(
            drawn(
                "calibration",
                "Calibration",
                "Chances foretold for the favorite beside what happened; on the dashed line they were "
                "right.",
                found.calibration,
                f"po.calibration({made})",
                flags,
            )
        )
    if found.posterior is not None:
        parts += [Words(text) for text in found.posterior.summary]
        parts.append(
            drawn(
                "posterior",
                "What was believed before and after",
                "Prior and posterior of k (how far a contest moves ratings) and σ (how different "
                "individuals are).",
                found.posterior,
                drawn.random("elo_bayes"),
                {"seed": drawn.seed},
                part="parameters",
            )
        )
    return tuple(parts)


def _cited(found: Analysis) -> tuple:
    return (
        Code("Paragraph", paragraph(found)),
        Code("References", "\n".join(references(found))),
    )


def _settings(found: Analysis, lines: Lines, title: str | None) -> tuple:
    settings = {
        "peckorder": citation.VERSION,
        "seed": found.seed,
        "data": found.data.hash,
        "source": found.data.report.source,
        **found.settings,
    }
    listed = {
        name: getattr(found, name)
        for name in (
            "elo",
            "posterior",
            "randomized",
            "steepness",
            "steepness_bayes",
            "linearity",
            "stability",
            "calibration",
            "recovery",
        )
    }
    settings |= {f"{name} settings": result.settings for name, result in listed.items() if result}
    report = {**found.settings, "title": title, "seed": found.seed}
    report = {
        name: value
        for name, value in report.items()
        if value is not None and (name, value) != ("recovery", 0)
    }
    arguments = "".join(f", {name}={value!r}" for name, value in report.items())
    return (
        Words(
            f"These contests have the fingerprint {found.data.hash}, which data.hash tells. If you "
            f"chose among them after reading, repeat that between the lines below."
            + (
                ""
                if found.data.report.path
                else " They did not come from a file: write them to "
                "contests.csv (and presence to presence.csv) to use the lines."
            )
        ),
        Code(
            "This report in Python",
            f'{lines.reading}\npo.report(data, "hierarchy.html"{arguments})',
        ),
        Code("This report at the shell", lines.written("report", "hierarchy.html", **report)),
        Code(
            "All settings",
            "\n".join(
                f"{name}: {json.dumps(plain(value), ensure_ascii=False)}"
                for name, value in settings.items()
            ),
        ),
    )
