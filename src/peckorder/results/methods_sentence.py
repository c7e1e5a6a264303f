"""The sentence for a methods section: how the ratings were computed, settings and references."""

from __future__ import annotations

from typing import Any

from peckorder import citation
from peckorder.methods import METHODS
from peckorder.wording import counted


def sentence(ratings: Any, more: tuple[str, ...] = ()) -> str:
    """A sentence for the methods section, further sentences, and references."""
    silent = {"preset", "entry_from", "tie_factor", "day", "ranked_from", "presence", "stream"}
    silent |= {"home_advantage"} if not ratings.settings.get("home_advantage") else set()
    silent |= {"fide"} if ratings.settings.get("k") != "fide" else set()
    silent |= {"within"} if ratings.settings.get("within") == "file" else set()
    silent |= {"large", "min_contests", "one_sided", "level"}
    if ratings.method == "elo_bayes":
        silent |= {"home_in_update"} | (
            {"prior_nu", "ties"} if "nu" not in ratings.values else set()
        )
        silent |= {"prior_home"} if "home_advantage" not in ratings.values else set()
    shown = {
        name: value
        for name, value in ratings.settings.items()
        if name not in silent and value is not None and value is not False
    }
    choices = ", ".join(f"{name} = {_short(value)}" for name, value in shown.items())
    preset = ratings.settings.get("preset")
    like = f", with the settings of {preset}" if preset not in (None, "Games") else ""
    contests = int(ratings.record.contests.sum()) // 2
    mark = "" if ratings.kept is None else f"; data {ratings.kept.contests.hash}"
    seed = ratings.seed
    mark = mark if seed is None else f", seed {seed}{mark}"
    references = "\n".join((*more, *(citation.REFERENCES[key] for key in ratings.citations)))
    return (
        f"{METHODS[ratings.method].sentence.format(counted(len(ratings), 'individual'))} from "
        f"{counted(contests, 'contest')} with peckorder {citation.VERSION}{like} "
        f"({choices}{mark}).\n{references}\n{citation.SOFTWARE}"
    )


def _short(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    text = str(value)
    return text if len(text) <= 60 else text[:57] + "…"
