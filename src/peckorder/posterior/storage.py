"""Export of posteriors: files (NumPy arrays and JSON in one .npz file) and ArviZ."""

from __future__ import annotations

import io
import json
import os
import warnings
import zipfile
import zlib
from dataclasses import fields
from typing import Any

import numpy as np

from peckorder.checked import one_of, seed_number
from peckorder.citation import REFERENCES
from peckorder.curves import curve_from
from peckorder.data.import_report import ImportReport, Labels
from peckorder.data.interactions import Interactions
from peckorder.data.presence import Presence
from peckorder.data.record import Record
from peckorder.errors import ArgumentError, ArgumentTypeError, DataError
from peckorder.estimate import PARTS, Estimate
from peckorder.likelihood.contests import observe_as
from peckorder.posterior.course import PosteriorReplay
from peckorder.posterior.sampler import STATISTICS
from peckorder.results.course import Course
from peckorder.tables import FLAVORS, plain

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
    arrays: dict[str, np.ndarray] = {f"draws/{name}": a for name, a in post.draws.items()}
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
        "report": {f.name: getattr(data.report, f.name) for f in fields(ImportReport)},
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
    """The attributes of a `Posterior` from a file written by `packed`.

    Everything in the file is checked, because compiled loops rely on it. Unused columns of the
    data are not stored.
    """
    try:
        arrays, header = _parts(path)
    except (FileNotFoundError, PermissionError, IsADirectoryError):
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
        "draws": draws,
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


def _contests(arrays: dict[str, np.ndarray], header: dict[str, Any]) -> Interactions:
    presence = None
    if header["presence"] is not None:
        presence = Presence(
            tuple(header["presence"]), arrays["presence/start"], arrays["presence/end"]
        )
    labels = {
        name: Labels(arrays[f"contests/{name}"], tuple(names))
        for name, names in header["labels"].items()
    }
    return Interactions(
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
    posterior = dict(post.draws)
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
    if isinstance(value, dict) and set(value) == {"mean", *PARTS}:
        return Estimate.from_dict(value)
    if isinstance(value, dict):
        return {name: _restored(part) for name, part in value.items()}
    return value
