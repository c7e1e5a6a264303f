"""The sections of a report: text, tables and figures."""

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
from peckorder.reporting.analysis import Analysis, description
from peckorder.reporting.answer import answer, unseen_dyads
from peckorder.reporting.lines import Lines
from peckorder.reporting.page import Code, Drawing, Page, Section, Table, Words
from peckorder.reporting.paragraph import paragraph, references
from peckorder.results import Measure, Ratings
from peckorder.tables import as_polars, plain
from peckorder.wording import counted, option

MOST_POINTS = 20_000  # of trajectories
MOST_BYTES = 150_000  # of a static picture
MOST_CELLS = 150  # individuals in a matrix
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
        Section("answer", "Summary", tuple(Words(text, "lead") for text in answer(found))),
        Section("data", "Data and sampling effort", _data(found, drawn)),
        Section("ranking", "Ranking", _ranking(found, drawn)),
        Section("trajectories", "Trajectories", _trajectories(found, drawn)),
        Section("matrix", "Win matrix", _matrix(found, drawn)),
        Section("structure", "Structure", _structure(found, drawn)),
        Section("methods-compared", "Comparison of methods", _compared(found, drawn)),
        Section("checks", "Model checks", _checks(found, drawn)),
        Section("methods", "For your methods section", _cited(found)),
        Section("settings", "Settings and data", _settings(found, lines, title)),
    )
    full = tuple(section for section in sections if section.parts)
    return Page(title or f"Hierarchy of {named}", description(found.data), found.names, full)


class _Drawn:
    """Figures of this report, each with a static picture and the code that reproduces it."""

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
        """A figure of a result, which `made` computes in Python and `flags` at the shell."""
        figure = getattr(po.plot, kind)
        static = light_picture(lambda: figure(result, **look), MOST_BYTES)
        if table is None:
            table = as_polars(figure.data(result, **look))
        table = table.drop("row_place", "column_place", strict=False)  # already in the options
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
        """The ratings of this report, and the code that reproduces them."""
        if self.found.posterior is not None:
            flags = {"method": "bayes", "seed": self.seed}
            return self.found.posterior, self.random("elo_bayes"), flags
        return self.found.elo, *self.judged()

    def judged(self) -> tuple[str, dict[str, Any]]:
        """The code that reproduces the evaluated ratings."""
        if self.found.judged is self.found.posterior:
            return self.random("elo_bayes"), {"method": "bayes", "seed": self.seed}
        given = "" if self.k is None else f", k={self.k!r}"
        return f"po.elo(data{given})", {"k": self.k}

    def random(self, name: str, **more: Any) -> str:
        given = "".join(f", {key}={value!r}" for key, value in more.items() if value is not None)
        return f"po.{name}(data{given}, seed={self.seed})"


def _data(found: Analysis, drawn: _Drawn) -> tuple:
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
        runs = found.settings["recovery"]
        made = drawn.random("recovery", k=drawn.k, runs=runs, effort=())
        flags = {"k": drawn.k, "runs": runs, "seed": drawn.seed}
        parts.append(
            drawn(
                "recovery",
                "Rank error by number of contests",
                "Records like this one were simulated from its ratings and rated again. The line "
                "is the mean absolute difference between estimated and true ranks.",
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
        "elo_bayes": "the posterior of Elo ratings",
        "steepness_bayes": "the posterior of ratings that do not change",
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
                "their limited number. The posterior (elo_bayes) reflects both.",
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


def _made_sure(found: Analysis, drawn: _Drawn) -> tuple[str, dict[str, Any]]:
    if found.sure is found.posterior:
        return drawn.random("elo_bayes"), {"seed": drawn.seed}
    if found.sure is found.steepness_bayes:
        return drawn.random("steepness_bayes"), {"method": "steepness", "seed": drawn.seed}
    flags = {"method": "randomized", "k": drawn.k, "seed": drawn.seed}
    return drawn.random("randomized_elo", k=drawn.k), flags


def _trajectories(found: Analysis, drawn: _Drawn) -> tuple:
    if found.ratings is None:
        why = found.notes.get("elo", "no ratings over time were requested.")
        return (Words(f"Not available: {why}", "note"),)
    ratings, made, flags = drawn.rater()
    table = as_polars(po.plot.trajectories.data(ratings))
    caption = "Ratings after each contest; lines are interrupted during absence."
    if found.posterior is not None:
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
            options={"x": along(found.data, None), "unit": rating_title(ratings)},
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


def _matrix(found: Analysis, drawn: _Drawn) -> tuple:
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
                    "interval": "95% interval",
                    "p": "p",
                    "reading": "Interpretation",
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
                "Normalized David's scores on ranks with the fitted line; and the null "
                "distribution of steepness under randomization with the observed value.",
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
                "Posterior steepness",
                "Summed winning probabilities on ranks, with 95% credible intervals. Each thin "
                "line is one posterior draw; its absolute slope is a draw of steepness.",
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
                f"By rank difference, with 95% intervals. {METHODS['hierarchy_shape'].caveat}",
                found.shape,
                f"po.hierarchy_shape(data, ties={ties!r})",
                {"ties": ties},
            )
        )
    return tuple(parts)


def _measured(name: str, measure: Measure, changed: float | None) -> dict[str, Any]:
    """A row of the table of measures; `changed` is the p-value of the order-dependence test."""
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
        "interval": "" if low is None else f"{low:.3f}–{high:.3f}",
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
            "Rank orders by method",
            "Lines are horizontal where methods agree.",
            order,
            made,
            flags | {"method": methods},
        ),
        Table("agreement", "Spearman correlations between methods", spearman, {"method": "Method"}),
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
                "Accuracy before each contest (foresight) and with final ratings (hindsight)",
                pl.DataFrame(rows, infer_schema_length=None),
                {
                    "view": "View",
                    "contests": "Contests",
                    "decided": "Decided",
                    "correct": "Correct",
                    "share": "Proportion correct",
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
                "Observed outcomes against predicted win probabilities of the favorite. The dashed "
                "line is perfect calibration.",
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
                "Prior and posterior",
                "Densities of k (step size of the ratings) and σ (standard deviation of the "
                "starting scores).",
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
        Code("This report at the shell", lines.written("report", "hierarchy.html", **report)),
        Code(
            "All settings",
            "\n".join(
                f"{name}: {json.dumps(plain(value), ensure_ascii=False)}"
                for name, value in settings.items()
            ),
        ),
    )
