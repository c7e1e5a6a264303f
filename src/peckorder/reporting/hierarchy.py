"""Sections on the hierarchy as a whole: its structure, other methods, and checks of the model."""

from __future__ import annotations

from typing import Any

import polars as pl

from peckorder.methods import METHODS, label
from peckorder.plot.structure import null_bins, posterior_lines
from peckorder.reporting import findings
from peckorder.reporting.analysis import Analysis
from peckorder.reporting.findings import (
    LEVEL,
    Change,
    hindsight_words,
    stability_words,
    static_words,
    steepness_sentences,
)
from peckorder.reporting.page import Drawn, Table, Words
from peckorder.results import Measure

ORDER = "share a time stamp"  # said once, with the data
MEASURES = ("steepness", "steepness_bayes", "linearity", "transitivity", "consistency", "stability")


def structure(found: Analysis, drawn: Drawn) -> tuple:
    """Steepness, linearity and other measures."""
    rows = [_measured(name, getattr(found, name)) for name in MEASURES if getattr(found, name)]
    if found.change is not None:
        rows.append(_change(found.change))
    parts: list[Any] = []
    if rows:
        parts.append(
            Table(
                "measures",
                "Measures of structure",
                pl.DataFrame(rows, infer_schema_length=None),
                {"interval": "95% interval", "reading": "Interpretation"},
            )
        )
    why = [*steepness_sentences(found), *Change.of(found).sentences, stability_words(found)]
    if any(why):
        parts.append(Words(" ".join(_sentence(text) for text in why if text)))
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
                runs | {"seed": drawn.seed} | drawn.window,
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
                {"seed": drawn.seed} | drawn.window,
                options={
                    "lines": posterior_lines(found.steepness_bayes),
                    **value.to_dict(),
                    "value": value.value,
                },
            )
        )
    if found.style is not None:
        parts.append(Words(" ".join(found.style.summary[:2])))
        parts.append(
            drawn(
                "dominance_style",
                "From egalitarian to despotic",
                "Linearity and steepness of this group (diamond), of published groups (filled: of "
                "similar size and effort), and expected by chance (cross).",
                found.style,
                drawn.random("questions.dominance_style", **runs),
                runs | {"seed": drawn.seed} | drawn.window,
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
                f"po.hierarchy_shape({drawn.contests}, ties={ties!r})",
                {"ties": ties} | drawn.window,
            )
        )
    return tuple(parts)


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:].removesuffix('.')}."


def _change(test: dict[str, Any]) -> dict[str, Any]:
    """The row of the order-dependence test."""
    return {
        "measure": label("order_test"),
        "value": None,
        "interval": "",
        "p": test["p"],
        "reading": "The order of contests matters."
        if test["p"] <= LEVEL
        else "No evidence that the order of contests matters.",
        "caveat": METHODS["order_test"].caveat,
    }


def _measured(name: str, measure: Measure) -> dict[str, Any]:
    """A row of the table of measures."""
    value, interval = measure.values["value"], ""
    if name == "steepness_bayes":
        value, interval = value.value, f"{value.low:.3f}–{value.high:.3f}"
    return {
        "measure": label(name),
        "value": value,
        "interval": interval,
        "p": measure.values.get("p") if name != "steepness_bayes" else None,
        "reading": measure.summary[0] if measure.summary else "",
        "caveat": METHODS[name].caveat,
    }


def comparison(found: Analysis, drawn: Drawn) -> tuple:
    """Rank orders by several methods."""
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
    flags |= drawn.window
    return (
        drawn(
            "compare",
            "Rank orders by method",
            "Lines are horizontal where methods agree.",
            order,
            made,
            flags | {"methods": methods},
            options={"named": list(found.names[:7])},
        ),
        Table("agreement", "Spearman correlations between methods", spearman),
        *(Words(text) for text in order.summary),
        *(Words(_sentence(text)) for text in Change.of(found).sentences[1:]),  # if they differ
    )


def checks(found: Analysis, drawn: Drawn) -> tuple:
    """Accuracy, calibration and the posterior."""
    parts: list[Any] = []
    if found.evaluation is not None:
        views = found.evaluation.values
        ranked = "log_loss_ties" in (views.get("foresight") or views.get("hindsight") or ())
        scores = ("log_loss_ties", "rps") if ranked else ("log_loss", "brier")
        shown = ("contests", "decided", "correct", "share", *scores)
        rows = [
            {"view": view, **{name: views[view][name] for name in shown}}
            for view in ("foresight", "hindsight")
            if views.get(view) is not None
        ]
        said = [ORDER, *(["Predicted probabilities are"] if found.calibration is not None else [])]
        own = [t for t in found.evaluation.summary if not any(part in t for part in said)]
        parts += [Words(text) for text in (*own, hindsight_words(found)) if text]
        parts.append(
            Table(
                "foresight-table",
                "Accuracy before each contest (foresight) and with final ratings (hindsight)",
                pl.DataFrame(rows, infer_schema_length=None),
                {"share": "Proportion correct", "brier": "Brier score"},
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
    parts += _of_k(found, drawn)
    if found.dynamic is not None:
        parts.append(Words(_model("Dynamic ratings", found.dynamic)))
    if found.posterior is not None:
        parts.append(Words(_model("Bayesian Elo", found.posterior)))
        differ = static_words(found)
        parts += [Words(differ)] if differ else []
        parts.append(
            drawn(
                "posterior",
                "Prior and posterior",
                "Densities of k (step size of the ratings) and σ (standard deviation of the "
                "starting scores).",
                found.posterior,
                drawn.fit("elo_bayes"),
                {"seed": drawn.seed},
                part="parameters",
            )
        )
    return tuple(parts)


def _model(name: str, ratings: Any) -> str:
    """What a model says of itself; the order within time stamps has a place of its own."""
    own = [t for t in ratings.summary if ORDER not in t and not t.startswith("Integrating over")]
    return f"{name}: {' '.join(own)}"


def _of_k(found: Analysis, drawn: Drawn) -> list[Any]:
    """Whether k was well chosen."""
    if found.profile is None:
        return []
    limits = found.profile.settings["over"]["k"]
    preset = {} if drawn.preset is None else {"preset": drawn.preset}
    how = "".join(f", {name}={value!r}" for name, value in preset.items())
    marks = findings.marks(found)
    given = f"over={{'k': {tuple(limits)!r}}}, grid={findings.VALUES}{how}"
    return [
        Words(" ".join(findings.sentences(found))),
        drawn(
            "likelihood",
            "Likelihood of k",
            "Log-likelihood of the contests, each predicted from the Elo ratings before it, for "
            "each k; the dashed line limits the 95% likelihood interval.",
            found.profile,
            f"po.likelihood_surface(data, {given})",
            {"over": f"k={limits[0]:g}:{limits[1]:g}", "grid": findings.VALUES, **preset},
            options={"marks": [{"name": n, "value": v} for n, v in marks.items()]},
            marks=marks,
        ),
    ]
