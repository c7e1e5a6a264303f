"""The report: one HTML file to open, print and share."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from peckorder.data.read import Data, opened
from peckorder.errors import ArgumentError, ConvergenceWarning, DataError, DataWarning, caution
from peckorder.random_runs import Progress
from peckorder.validate import CountedTies

LONGEST_NAME = 60  # characters of a group in the name of a file


def report(
    data: Data,
    path: str | os.PathLike[str],
    *,
    at: object = None,
    start: object = None,
    end: object = None,
    methods: Iterable[str] | None = None,
    k: Any = None,
    preset: str | None = None,
    ties: CountedTies = "omit",
    runs: int = 10_000,
    recovery: bool | int = False,
    title: str | None = None,
    seed: Any = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Any:
    """Write a complete analysis of a hierarchy to one HTML file.

    The file works offline. Figures are interactive, clicking a name highlights that individual in
    all of them, and each figure comes with its data and the code that reproduces it. The report
    starts with a summary and ends with a paragraph for a methods section and all settings.

    Parameters
    ----------
    data : Contests or Matrix, up to 300 individuals, or a mapping of these by group
        From a mapping, such as `data.split()`, one file per group is written, and a front page
        that compares the groups. Groups that cannot be analyzed are omitted with a warning.
    path : file to write; its name should end in .html.
        For several groups this is the front page, which links to a file per group:
        hierarchy-north.html, hierarchy-south.html.
    at : date of the ranks (or number of contests), by default the last day
        If presence is recorded, the ranking is that of the individuals present then; those that
        have left are listed separately.
    start, end : first and last day of a window (or contest numbers); default the whole record
        Ratings rest on the whole record and are not computed anew. Structure, the win matrix and
        the comparison of methods use the contests of the window.
    methods : some of "elo", "dynamic", "elo_bayes", "adaptive", "randomized_elo", \
            "davids_score", "isi", "bradley_terry", "adagio", "percolation", "dominance_value", \
            "network", "period_ranks"
        By default the first eight. "adaptive" adds which ratings predict best, "network" the
        dominance network, "period_ranks" the ranks by year (or month) with active and passive
        changes. Ranks and their uncertainty are those of the first available of "dynamic",
        "elo_bayes" and "randomized_elo" (whose intervals reflect random orders only). Without
        "elo_bayes" there is no sampling, so the report takes seconds instead of up to minutes. If
        the order of contests is not known, Elo, Bayesian Elo and adaptive ratings are omitted.
    k, preset : step size and preset of Elo ratings, as in `elo`
    ties : {"omit", "half", "both"}, for methods based on the win matrix
    runs : randomizations of the tests of structure
    recovery : whether to simulate how well ranks are recovered from such data, or the number of
        simulated records (True means 200).
    title : title of the report; by default the name of the source
    seed, threads, progress : as in `steepness`; the same seed gives the same file.

    Returns
    -------
    pathlib.Path of the file or, for a mapping, a mapping of the paths of the groups.

    Warns
    -----
    ConvergenceWarning
        When the posterior did not converge; the report then states this.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import peckorder as po
    >>> with TemporaryDirectory() as folder:
    ...     path = po.report(po.datasets.adv(), Path(folder) / "adv.html", methods="elo", seed=1)
    ...     path.name, path.stat().st_size < 8e6
    ('adv.html', True)
    """
    data = opened(data)
    from peckorder.reporting.page import needed
    from peckorder.reporting.summary import front_page
    from peckorder.tables import check_target, refuse_no_path, write_whole

    needed()  # before any long computation
    refuse_no_path(path)
    if Path(path).suffix.lower() not in ("", ".html", ".htm"):
        raise ArgumentError(f"{path}: a report is an HTML file, so its name must end in .html.")
    settings: dict[str, Any] = {
        "at": at,
        "start": start,
        "end": end,
        "methods": methods,
        "k": k,
        "preset": preset,
        "ties": ties,
        "runs": runs,
        "recovery": recovery,
        "seed": seed,
        "threads": threads,
        "progress": progress,
    }
    if not isinstance(data, Mapping):
        check_target(path)
        content, failed, _ = _page(data, title, settings)
        write_whole((path, content))
        _warn_of(failed)
        return Path(path)
    paths = file_of_each(path, [str(name) for name in data])
    for target in (path, *paths.values()):
        check_target(target)
    pages, omitted = _pages(data, title, settings)
    rows = [row for _, _, row in pages.values()]
    front = front_page(rows, {name: paths[name] for name in pages}, omitted, title)
    write_whole((path, front), *((paths[name], page[0]) for name, page in pages.items()))
    for name, (_, failed, _) in pages.items():
        _warn_of({method: f"{name}: {text}" for method, text in failed.items()})
    return {name: paths[name] for name in pages}


def file_of_each(path: str | os.PathLike[str], groups: Sequence[str]) -> dict[str, Path]:
    """A file for each group, with its name as far as it is safe in a file name.

    >>> [path.name for path in file_of_each("a.html", ["North", "../x y", "?", "north"]).values()]
    ['a-North.html', 'a-x_y.html', 'a-group.html', 'a-north-2.html']
    """
    whole, found, taken = Path(path), {}, set()
    for group in groups:
        plain = re.sub(r"[^\w-]+", "_", group).strip("_")[:LONGEST_NAME] or "group"
        name, number = plain, 1
        while name.casefold() in taken:  # some file systems ignore case
            number += 1
            name = f"{plain}-{number}"
        taken.add(name.casefold())
        found[group] = whole.with_name(f"{whole.stem}-{name}{whole.suffix}")
    return found


def _pages(
    data: Mapping[str, Any], title: str | None, settings: dict[str, Any]
) -> tuple[dict[str, tuple[bytes, dict[str, str], dict[str, Any]]], list[str]]:
    """The page of each group; groups that cannot be analyzed are omitted with a warning."""
    pages, why = {}, []
    for name, part in data.items():
        try:
            pages[str(name)] = _page(part, title, settings, str(name))
        except DataError as error:
            why.append(f"{name} was omitted: {error}")
    if not pages:
        raise DataError("No group can be analyzed.", *why)
    for text in why:
        caution(text)
    return pages, why


def _page(
    data: Any, title: str | None, settings: dict[str, Any], group: str | None = None
) -> tuple[bytes, dict[str, str], dict[str, Any]]:
    """The page of one set of contests, why methods failed, and its row on a front page."""
    from peckorder.reporting.analysis import analyze, chosen_methods, contests_of
    from peckorder.reporting.findings import add_profile
    from peckorder.reporting.page import Lines, render
    from peckorder.reporting.sections import add_prediction, page_of
    from peckorder.reporting.summary import row_of
    from peckorder.reporting.view import View

    contests = contests_of(data)
    settings = dict(settings)
    view = View.of(contests, *(settings.pop(name) for name in ("start", "end", "at")))
    lines = Lines.of(contests, view.window)
    if group is not None:
        title = f"{contests.report.source if title is None else title}: {group}"
        lines = lines.of_group(contests.report.columns.get("group"), group)
    chosen = chosen_methods(settings["methods"])
    found = analyze(view, **{**settings, "methods": chosen})
    with warnings.catch_warnings():  # they are listed in the report
        warnings.simplefilter("ignore", DataWarning)
        add_profile(found, settings["threads"])
        add_prediction(found)
        content = render(page_of(found, lines, title))
        return content, found.failed, {} if group is None else row_of(group, found)


def _warn_of(failed: Mapping[str, str]) -> None:
    if failed:
        caution(" ".join(dict.fromkeys(failed.values())), ConvergenceWarning)
