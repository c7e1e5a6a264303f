"""Was k well chosen? The likelihood of all values of k, with those in question on one scale."""

from __future__ import annotations

from typing import Any

import peckorder as po
from peckorder.data.stamps import K as DEFAULT
from peckorder.errors import DataError
from peckorder.reporting.analysis import Analysis

VALUES = 81
WIDEST = 400.0  # of the values shown, unless a larger one is in question


def chosen_k(found: Analysis) -> float | None:
    """The k of the Elo ratings, if it is one number."""
    if found.elo is None:
        return None
    k = found.elo.settings["k"]
    return float(k) if isinstance(k, int | float) and not isinstance(k, bool) else None


def posterior_k(found: Analysis) -> Any:
    """The k of Bayesian Elo in points, with its interval; None if the scales differ."""
    elo, posterior = found.elo, found.posterior
    if elo is None or posterior is None or "posterior" in found.failed:
        return None
    known = posterior.values.get("k")
    if known is None or elo.settings["curve"] != "logistic" or not hasattr(known, "low95"):
        return None
    ratio = posterior.curve.slope / elo.curve.slope
    return {part: getattr(known, part) * ratio for part in ("mean", "low95", "high95")}


def add_profile(found: Analysis, threads: int | None = None) -> None:
    """Add the log-likelihood of values of k that contain those in question."""
    own, fitted = chosen_k(found), posterior_k(found)
    if own is None:
        return
    largest = max([WIDEST, *(1.2 * k for k in (own, fitted and fitted["high95"]) if k)])
    preset = found.settings["preset"]
    how: dict[str, Any] = {} if preset is None else {"preset": preset}
    try:
        found.profile = po.fits.likelihood_surface(
            found.data, over={"k": (0.0, round(largest))}, grid=VALUES, threads=threads, **how
        )
    except DataError as error:
        found.notes["profile"] = str(error)


def marks(found: Analysis) -> dict[str, float]:
    """The values of k in question, by name; equal ones are named once."""
    own, fitted = chosen_k(found), posterior_k(found)
    out = {} if own is None else {"k used" if own != DEFAULT else "k used (default)": own}
    if own != DEFAULT:
        out["default"] = DEFAULT
    if fitted is not None:
        out["posterior mean"] = fitted["mean"]
    return out


def sentences(found: Analysis) -> list[str]:
    """Whether the data favor another k than the one used."""
    own, measure = chosen_k(found), found.profile
    if own is None or measure is None:
        return []
    table, values = measure.as_polars(), measure.values
    best, number = values["best"]["k"], values["contests"]
    low, high = values["low"], values["high"]
    nearest = int((table["k"] - own).abs().arg_min() or 0)
    losses = [
        -float(v) / number for v in (table["log_likelihood"][nearest], values["log_likelihood"])
    ]
    limits = f"{0 if low is None else low:.0f}–{'∞' if high is None else f'{high:.0f}'}"
    inside = (low is None or own >= low) and (high is None or own <= high)
    out = [
        f"Elo ratings used k = {own:g}{' (the default)' if own == DEFAULT else ''}: log loss "
        f"{losses[0]:.3f} per contest, against {losses[1]:.3f} at the most likely k = {best:.0f} "
        f"(95% likelihood interval {limits}).",
        "This k is compatible with the data."
        if inside
        else f"The data favor a {'smaller' if best < own else 'larger'} k than the one used.",
    ]
    fitted = posterior_k(found)
    if fitted is not None:
        out.append(
            f"The posterior mean of k in Bayesian Elo is {fitted['mean']:.0f} on the same scale "
            f"(95% CrI {fitted['low95']:.0f}–{fitted['high95']:.0f})."
        )
        if not fitted["low95"] <= best <= fitted["high95"]:
            out.append(
                "It differs from the most likely k because Bayesian Elo also estimates starting "
                "scores, which Elo sets equal."
            )
    return out
