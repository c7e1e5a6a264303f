"""The report: one HTML file to open, print and share."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from peckorder.errors import ArgumentError, ConvergenceWarning, DataWarning, caution
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
    """Write a complete analysis of a hierarchy to one HTML file.

    The file works offline. Figures are interactive, clicking a name highlights that individual in
    all of them, and each figure comes with its data and the code that reproduces it. The report
    starts with a summary and ends with a paragraph for a methods section and all settings.

    Parameters
    ----------
    data : Interactions or Matrix, up to 300 individuals
    path : file to write; its name should end in .html.
    methods : some of "elo", "dynamic", "elo_bayes", "randomized_elo", "davids_score", "isi", \
            "bradley_terry", "adagio", "percolation", "dominance_value"
        By default the first seven. Ranks and their uncertainty are those of the first available
        of "dynamic", "elo_bayes" and "randomized_elo" (whose intervals reflect random orders
        only). Without "elo_bayes" there is no sampling, so the report takes seconds instead of up
        to minutes. If the order of contests is not known, Elo and Bayesian Elo are omitted.
    k : step size of Elo ratings, as in `elo`
    ties : {"omit", "half", "both"}, for methods based on the win matrix
    runs : randomizations of the tests of structure
    recovery : whether to simulate how well ranks are recovered from such data, or the number of
        simulated records (True means 200).
    title : title of the report; by default the name of the source
    seed, threads, progress : as in `steepness`; the same seed gives the same file.

    Returns
    -------
    pathlib.Path of the file.

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
    from peckorder.reporting.analysis import analyze, chosen_methods, contests_of
    from peckorder.reporting.lines import Lines
    from peckorder.reporting.page import needed, render
    from peckorder.reporting.sections import page_of
    from peckorder.tables import check_target, write_whole

    needed()  # before any long computation
    if Path(path).suffix.lower() not in ("", ".html", ".htm"):
        raise ArgumentError(f"{path}: a report is an HTML file, so its name must end in .html.")
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
    with warnings.catch_warnings():  # they are listed in the report
        warnings.simplefilter("ignore", DataWarning)
        page = page_of(found, Lines.of(contests), title)
    write_whole((path, render(page)))
    if found.failed:
        caution(" ".join(dict.fromkeys(found.failed.values())), ConvergenceWarning)
    return Path(path)
