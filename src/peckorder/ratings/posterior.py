"""Export of posteriors: files (NumPy arrays and JSON in one .npz file) and ArviZ.

`Posterior`: ratings with posterior draws and the uncertainty of ratings and ranks.
"""

from __future__ import annotations

import io
import json
import os
import warnings
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from functools import cached_property, partial
from typing import Any, cast

import numpy as np
import polars as pl

from peckorder.curves import curve_from
from peckorder.data.contests import Contests, Record
from peckorder.data.date_columns import date_column
from peckorder.data.import_report import ImportReport, Labels
from peckorder.data.presence import Presence
from peckorder.errors import ArgumentError, ArgumentTypeError, DataError, MissingFileError
from peckorder.estimate import PARTS, Estimate, limits
from peckorder.methods import REFERENCES, Later
from peckorder.ratings.likelihood import observe_as
from peckorder.ratings.posterior_trajectory import PosteriorReplay
from peckorder.ratings.sampler import STATISTICS, diagnostic_table
from peckorder.results.history import ContestDays
from peckorder.results.samples import VALUES_AT_ONCE, SampledRatings
from peckorder.results.trajectory import Course
from peckorder.tables import FLAVORS, plain, write_whole
from peckorder.validate import one_of, seed_number

FORM = "peckorder posterior 2"
ARRAYS = ("winner", "loser", "draw", "date", "points", "home", "rows")
LABELS = ("context", "group", "season")
LARGEST_FILE = 8 * 2**30
# What reading a file that is not whole, or not ours, can raise.
UNREADABLE = (
    ArithmeticError,
    AttributeError,
    EOFError,
    LookupError,
    MemoryError,
    OSError,
    RuntimeError,
    SyntaxError,
    TypeError,
    ValueError,
    zipfile.BadZipFile,
    zlib.error,
)


def packed(post: Any) -> bytes:
    """A posterior and its contests as the bytes of an .npz file."""
    data = post.data
    arrays: dict[str, np.ndarray] = {f"draws/{name}": a for name, a in post.samples.items()}
    arrays |= {f"statistics/{name}": a for name, a in post.statistics.items()}
    header: dict[str, Any] = {
        "form": FORM,
        "method": post.method,
        "individuals": post.individuals,
        "settings": plain(post.settings),
        "citations": post.citations,
        "values": plain(post.values),
        "summary": post.summary,
        "seed": post.seed,
        "provenance": post.provenance,
        "ordered": data.ordered,
        "labels": {},
        "presence": None,
        "report": {f.name: getattr(data.report, f.name) for f in fields(ImportReport) if f.repr},
    }
    for name in ARRAYS:
        if getattr(data, name) is not None:
            arrays[f"contests/{name}"] = getattr(data, name)
    for name in LABELS:
        labels: Labels | None = getattr(data, name)
        if labels is not None:
            arrays[f"contests/{name}"] = labels.codes
            header["labels"][name] = labels.names
    if data.presence is not None:
        header["presence"] = data.presence.individual
        arrays["presence/start"], arrays["presence/end"] = data.presence.start, data.presence.end
    arrays["header"] = np.frombuffer(json.dumps(header).encode(), np.uint8)
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)  # pyright: ignore[reportArgumentType]
    return file.getvalue()


def unpacked(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The attributes of a `Posterior` from a file written by `packed`."""
    try:
        arrays, header = _parts(path)
    except FileNotFoundError:
        raise MissingFileError.of(path) from None
    except (PermissionError, IsADirectoryError):
        raise
    except UNREADABLE as error:
        raise DataError(
            f"{path} does not contain a posterior. Give an .npz file written by Posterior.save."
        ) from error
    try:
        return _attributes(arrays, header)
    except UNREADABLE as error:
        raise DataError(
            f"{path} is damaged: its posterior cannot be restored ({type(error).__name__}: "
            f"{str(error)[:200]}). Fit the model again, or obtain a new copy of the file."
        ) from error


def _parts(path: str | os.PathLike[str]) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """All arrays of the file and its header; nothing in it is executed (no pickle)."""
    with zipfile.ZipFile(path) as packed_file:
        size = sum(entry.file_size for entry in packed_file.infolist())
    if size > LARGEST_FILE:
        raise ArgumentError(f"it would expand to {size:,} bytes")
    with np.load(path, allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    header = json.loads(arrays["header"].tobytes())
    if header["form"] != FORM:
        raise ArgumentError(f"form {header['form']}")
    return arrays, header


def _attributes(arrays: dict[str, np.ndarray], header: dict[str, Any]) -> dict[str, Any]:
    data = _contests(arrays, header)
    settings = header["settings"]
    names = [name for name in ("scale", "base", "delta") if name in settings]
    curve = curve_from(settings["curve"], **{name: settings[name] for name in names})
    draws = {n.removeprefix("draws/"): a for n, a in arrays.items() if n.startswith("draws/")}
    statistics = {
        n.removeprefix("statistics/"): a for n, a in arrays.items() if n.startswith("statistics/")
    }
    seen = observe_as(data, settings)
    _check_shapes(draws, statistics, len(seen.data.individuals), max(1, len(seen.classes)))
    if header["method"] != "elo_bayes" or seen.data.individuals != data.individuals:
        raise ArgumentError("the contests are not those of the fit")
    if not set(header["citations"]) <= set(REFERENCES):
        raise ArgumentError("unknown references")
    replay = PosteriorReplay.of(data, seen.contests, draws, settings, curve.slope)
    return {
        "method": header["method"],
        "individuals": data.individuals,
        "rating": replay.final.mean(axis=0),
        "record": Record.of(data),
        "curve": curve,
        "settings": settings,
        "citations": tuple(header["citations"]),
        "report": data.report,
        "kept": Course(data, replay),
        "values": {name: _restored(value) for name, value in header["values"].items()},
        "summary": tuple(map(str, header["summary"])),
        "samples": draws,
        "statistics": statistics,
        "seed": seed_number(header["seed"]),
    }


def _check_shapes(
    draws: dict[str, np.ndarray], statistics: dict[str, np.ndarray], individuals: int, classes: int
) -> None:
    """Draws of every parameter, and statistics, for the same chains and samples."""
    chains, samples = draws["sigma"].shape
    if chains < 1 or samples < 1:
        raise ArgumentError("no draws")
    one = (chains, samples)
    expected = dict.fromkeys(("sigma", "nu", "home_advantage", "k_typical", "k_spread"), one)
    expected |= {"start": (*one, individuals), "k": one if classes == 1 else (*one, classes)}
    for name in ("start", "k"):
        if name not in draws:
            raise ArgumentError(f"no draws of {name}")
    for name, array in draws.items():
        if array.shape != expected.get(name) or array.dtype != np.float64:
            raise ArgumentError(f"draws of {name} have the shape {array.shape}")
        if not np.isfinite(array).all():
            raise ArgumentError(f"draws of {name} are not finite")
    if set(statistics) != set(STATISTICS):
        raise ArgumentError("statistics of the sampler are missing")
    for name, array in statistics.items():
        if array.shape != one or array.dtype != np.float64:
            raise ArgumentError(f"{name} has the shape {array.shape}")


def _contests(arrays: dict[str, np.ndarray], header: dict[str, Any]) -> Contests:
    presence = None
    if header["presence"] is not None:
        presence = Presence(
            tuple(header["presence"]), arrays["presence/start"], arrays["presence/end"]
        )
    labels = {
        name: Labels(arrays[f"contests/{name}"], tuple(names))
        for name, names in header["labels"].items()
    }
    return Contests(
        individuals=tuple(header["individuals"]),
        **{name: arrays.get(f"contests/{name}") for name in ARRAYS},  # pyright: ignore
        **labels,
        ordered=bool(header["ordered"]),
        presence=presence,
        report=_report(header["report"]),
    )


def _report(stored: dict[str, Any]) -> ImportReport:
    usual = ImportReport()
    plain_types = {f.name: type(getattr(usual, f.name)) for f in fields(ImportReport)}
    stored = stored | {"unused": tuple(stored["unused"]), "notes": tuple(stored["notes"])}
    for name, value in stored.items():
        if name != "path" and not isinstance(value, plain_types[name]):
            raise ArgumentTypeError(f"{name} of the import report")
    one_of("flavor", stored["flavor"], FLAVORS)
    return ImportReport(**stored)


def for_arviz(post: Any) -> Any:
    """InferenceData with arviz 0.x, a DataTree with 1.x."""
    try:
        with warnings.catch_warnings():
            # ArviZ 0.x announces its version 1 at the first import of a day.
            warnings.filterwarnings("ignore", r"\s*ArviZ is undergoing", FutureWarning)
            import arviz
    except ImportError:
        raise ImportError(
            'to_arviz needs arviz. Install it with: pip install "peckorder[arviz]"'
        ) from None
    data = post.data
    posterior = dict(post.samples)
    statistics = {
        "lp": post.statistics["log_density"],
        "energy": post.statistics["energy"],
        "acceptance_rate": post.statistics["acceptance"],
        "n_steps": post.statistics["steps"].astype(int),
        "tree_depth": post.statistics["depth"].astype(int),
        "diverging": post.statistics["diverging"] > 0,
    }
    groups = {
        "posterior": posterior,
        "sample_stats": statistics,
        "log_likelihood": {"outcome": post.log_likelihood},
        "observed_data": {
            "outcome": np.ones(len(data)) if data.draw is None else np.where(data.draw, 0.5, 1.0),
        },
    }
    coords: dict[str, Any] = {
        "individual": list(post.individuals),
        "contest": np.arange(1, len(data) + 1),
    }
    dims = {"start": ["individual"], "outcome": ["contest"]}
    if "k" in posterior and posterior["k"].ndim == 3:
        coords["context"], dims["k"] = list(data.context.names), ["context"]
    if int(arviz.__version__.split(".")[0]) >= 1:
        return arviz.from_dict(groups, coords=coords, dims=dims)
    return arviz.from_dict(**groups, coords=coords, dims=dims)


def _restored(value: Any) -> Any:
    """Estimates restored from their dicts, also within a dict by context."""
    if isinstance(value, dict) and set(value) == {"value", *PARTS}:
        return Estimate.from_dict(value)
    if isinstance(value, dict):
        return {name: _restored(part) for name, part in value.items()}
    return value


@dataclass(frozen=True, eq=False, repr=False)
class Posterior(SampledRatings):
    """Ratings with posterior draws.

    `rating` and `rank` are based on posterior means; tables also have credible intervals.

    Attributes
    ----------
    samples : dict of arrays (chains, samples, …)
        start (individuals), k (contexts, if there are several), sigma, and nu, home_advantage,
        k_typical, k_spread if estimated; on the reported scale.
    statistics : dict of arrays (chains, samples)
        log_density, energy, acceptance, steps, depth, diverging
    seed : int

    Examples
    --------
    >>> import peckorder as po
    >>> post = po.elo_bayes(po.datasets.adv(), seed=1)
    >>> list(post)[0], post.outranks("b", "a") > 0.95
    ('b', True)
    """

    MOST_USED = (
        *SampledRatings.MOST_USED,
        *("diagnostics", "loo", "predictive_check", "prequential", "prior_sensitivity", "samples"),
    )

    samples: dict[str, np.ndarray] = field(default_factory=dict)
    statistics: dict[str, np.ndarray] = field(default_factory=dict)
    kept: Course[PosteriorReplay] | None = None

    @property
    def course(self) -> Course[PosteriorReplay]:
        """The contests behind these ratings and their replay under every draw."""
        return cast(Course[PosteriorReplay], super().course)

    # -- ratings and ranks with their uncertainty --------------------------------------------

    def _parts_of(self, places: np.ndarray) -> dict[str, Any]:
        return {"samples": self.samples | {"start": self.samples["start"][..., places]}}

    def _more_columns(self, places: np.ndarray) -> dict[str, np.ndarray]:
        start = self.samples["start"][..., places]
        start = start.reshape(start.shape[0] * start.shape[1], len(places))
        low, high = np.quantile(start, list(limits(self.level).values()), axis=0)
        return {"start": start.mean(axis=0), "start_low": low, "start_high": high}

    def bands(
        self, individual: str, levels: tuple[float, ...], also: int | None = None
    ) -> pl.DataFrame:
        """Rating at the start and after each contest of the individual, with intervals."""
        data, code = self.data, self.code(individual)
        cuts = limits(*levels)
        summary = partial(_mean_and_quantiles, cuts=list(cuts.values()))
        done, came, scores = self._arrivals
        first, begin = summary(scores[:, code]), int(done[code])
        if self.settings["centering"] == "present":  # moved by the turnover of others, too
            places = np.arange(begin + 1, len(data) + 1)
            after = self.course.replay.course_of(code, places, summary)
        else:
            won = data.winner == code
            own = np.flatnonzero(won | (data.loser == code))
            places = own + 1
            after = self._own_courses(levels, summary)[own, np.where(won[own], 0, 1)]
        columns: dict[str, Any] = {"contest": np.append(begin, places)}
        if data.date is not None:
            when = np.append(came[code], data.date[places - 1])
            columns["date"] = date_column(when.astype(data.clock))
        names = ("rating", *(f"rating_{name}" for name in cuts))
        path = np.vstack([first, after])
        return pl.DataFrame(columns | dict(zip(names, path.T, strict=True)))

    def _slope_frame(self, days: ContestDays) -> pl.DataFrame:
        """Slopes of posterior mean trajectories, with the interval of the slopes of all draws."""
        table = super()._slope_frame(days)
        replay, weights = self.course.replay, days.weights
        draws = np.zeros((len(replay), len(self)))
        for own, at in days.moments(VALUES_AT_ONCE // draws.size):
            scores = replay.draws_at(at.astype(self.data.times.dtype))
            draws += np.einsum("tdi,ti->di", scores, weights[own])
        places = [self.code(name) for name in table["individual"]]
        cuts = list(limits(self.level).values())
        low, high = np.quantile(draws[:, places], cuts, axis=0)
        return table.with_columns(
            slope_low=pl.Series(low, nan_to_null=True),
            slope_high=pl.Series(high, nan_to_null=True),
        )

    def _own_courses(
        self, levels: tuple[float, ...], summary: Callable[[np.ndarray], np.ndarray]
    ) -> np.ndarray:
        """Summaries after each contest, kept for the next individual."""
        if levels not in self._summaries:
            self._summaries[levels] = self.course.replay.own_courses(summary)
        return self._summaries[levels]

    @cached_property
    def _summaries(self) -> dict[tuple[float, ...], np.ndarray]:
        return {}

    @cached_property
    def _arrivals(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Contests before arrival, time of arrival, and draws of the rating at arrival."""
        return self.course.replay.arrivals()

    # -- checks of the model -------------------------------------------------------------------

    loo = Later("peckorder.ratings.posterior_checks")
    prequential = Later("peckorder.ratings.posterior_checks")
    predictive_check = Later("peckorder.ratings.posterior_checks")
    prior_sensitivity = Later("peckorder.ratings.posterior_checks")

    @cached_property
    def diagnostics(self) -> Any:
        """R̂, effective sample sizes and Monte Carlo error of every parameter."""
        return self._native(diagnostic_table(self.samples, self.individuals))

    @property
    def log_likelihood(self) -> np.ndarray:
        """Log-likelihood of every contest under every draw, (chains, samples, contests)."""
        chains, samples = self.samples["sigma"].shape[:2]
        return self.course.replay.log_likelihood().reshape(chains, samples, -1)

    # -- export ------------------------------------------------------------------------------

    def to_arviz(self) -> Any:
        """Convert to ArviZ: InferenceData with arviz 0.x, a DataTree with 1.x."""
        return for_arviz(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the table (.csv, .tsv, .parquet), the result (.json, .xlsx) or all draws (.npz)."""
        if str(path).lower().endswith(".npz"):
            if self.window is not None:
                raise ArgumentError(
                    "A file of posterior draws holds the whole record, not a window of it. Use "
                    "ratings.whole.save(…), and choose the window after loading."
                )
            write_whole((path, packed(self)))
            return
        super().save(path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Posterior:
        """Read a posterior with its contests from an .npz file written by `save`."""
        return cls(**unpacked(path))


def _mean_and_quantiles(draws: np.ndarray, cuts: list[float]) -> np.ndarray:
    """The last axis of the draws replaced by their mean and interval limits."""
    return np.stack([draws.mean(axis=-1), *np.quantile(draws, cuts, axis=-1)], axis=-1)
