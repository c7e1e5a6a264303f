"""A report: one file that a supervisor can open, print and cite from."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from peckorder.errors import ConvergenceWarning, DataWarning, caution
from peckorder.runs import Progress


def report(
    data: Any,
    path: str | os.PathLike[str],
    *,
    methods: Iterable[str] | None = None,
    k: Any = None,
    ties: str = "omit",
    runs: int = 10_000,
    recovery: bool | int = False,
    title: str | None = None,
    seed: Any = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Path:
    """Everything about a hierarchy in one HTML file.

    The file needs no network: the figures answer to the mouse, a click on a name follows an
    individual through all of them, each has its data as a table and the lines that make it again.
    It opens with the answer in five sentences and ends with a paragraph for a methods section.

    Parameters
    ----------
    data : Interactions or Matrix, up to 300 individuals
    path : where to write it; the name should end in .html.
    methods : some of "elo", "elo_bayes", "randomized_elo", "davids_score", "isi", "bradley_terry"
        All by default. Without "elo_bayes" nothing is sampled, which takes seconds instead of up to
        minutes; ranks then have the intervals of random orders only. Where the order of contests is
        not known, Elo is left out and the posterior is that over random orders.
    k : of Elo ratings, as in `elo`
    ties : {"omit", "half", "both"}, for methods that work on a matrix
    runs : of the tests of structure
    recovery : whether to ask how well ranks are recovered from records like these, or in how many
        of them (200).
    title : by default the name of the source
    seed, threads, progress : as in `steepness`; the same seed gives the same file.

    Returns
    -------
    pathlib.Path, where it was written.

    Warns
    -----
    ConvergenceWarning
        When the chains of the posterior disagree; the report then says so.

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
    from peckorder.reporting.analysis import analyze, chosen_methods, contests_of
    from peckorder.reporting.lines import Lines
    from peckorder.reporting.page import needed, render
    from peckorder.reporting.sections import page_of
    from peckorder.tables import check_target, write_whole

    needed()  # before anything long is done
    if Path(path).suffix.lower() not in ("", ".html", ".htm"):
        raise ValueError(f"{path}: a report is an HTML file, so let its name end in .html.")
    check_target(path)
    contests = contests_of(data)
    found = analyze(
        contests,
        methods=chosen_methods(methods),
        k=k,
        ties=ties,
        runs=runs,
        recovery=recovery,
        seed=seed,
        threads=threads,
        progress=progress,
    )
    with warnings.catch_warnings():  # they stand in the report
        warnings.simplefilter("ignore", DataWarning)
        page = page_of(found, Lines.of(contests), title)
    write_whole((path, render(page)))
    if found.failed:
        caution(" ".join(dict.fromkeys(found.failed.values())), ConvergenceWarning)
    return Path(path)
