"""What is taken away: figures, tables, the methods paragraph, and a script that does the same."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from matplotlib.dates import ConciseDateFormatter

import peckorder as po
from peckorder.app.code import aliases_file, code_of, code_of_answer
from peckorder.app.errors import Refused, in_words
from peckorder.app.explore import basis, date_of, quiet, rated, uninformative, within
from peckorder.app.queries import chosen_settings
from peckorder.app.settings import Settings
from peckorder.app.uploads import MADE
from peckorder.app.workspace import Workspace
from peckorder.plot.files import FORMATS as PICTURES
from peckorder.plot.files import picture
from peckorder.tables import as_bytes, as_polars
from peckorder.text import counted, listed

TABLES = ("csv", "xlsx")
MOST_SAMPLED = 20_000  # contests of a figure with intervals
SEED = 1
DRAWING = threading.Lock()  # matplotlib draws one figure at a time
# What was done for an answer, as a part of the paragraph for a methods section.
USED = {
    "certain": "Ranks with credible intervals are those of dynamic ratings",
    "bayes": "The posterior distribution of Elo ratings was sampled (Goffe et al. 2018)",
    "steepness": "Steepness was estimated as an index with a randomization test and as a posterior",
    "linear": "Linearity (h′), triangle transitivity and the I&SI order were computed",
    "isi": "The I&SI order was computed",
    "enough": "Recovery of ranks was estimated from simulated records like this one",
    "hours": "The necessary effort was estimated from simulated studies",
    "groups": "Posterior steepness was compared between groups",
    "multiverse": "Claims were examined in all defensible analyses (multiverse)",
    "fragility": "The fewest contests that decide a claim were searched for",
    "next": "Dyads to observe next were chosen by how much their contests would teach",
    "stress": "Takeovers were put into the record, to see how soon they would have shown",
    "compare": "Rank orders of several methods were compared",
}
WINNERS = re.compile(r"Read as |[\d,]+ rows? with several individuals")
FORMULA = ("=", "+", "-", "@", "\t", "\r")
KINDS = {
    "html": "text/html; charset=utf-8",
    "zip": "application/zip",
    "py": "text/plain; charset=utf-8",
    "sh": "text/plain; charset=utf-8",
    "pdf": "application/pdf",
    "svg": "image/svg+xml",
    "png": "image/png",
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}


COLORS = {"usual": None, "gray": ("#000000", "#6e6e6e", "#a3a3a3")}  # of individuals
LABELS = Path(__file__).parent / "labels.tsv"  # labels of figures in several languages
LONGEST_TITLE = 120


@dataclass(frozen=True)
class Look:
    """How a figure is drawn: width in millimeters, letters in points, and what is written."""

    width: float = 85.0
    size: float = 7.0
    colors: str = "usual"
    language: str = "English"
    title: str = ""
    follow: str | None = None  # the individual that is highlighted

    @classmethod
    def of(cls, query: Mapping[str, str]) -> Look:
        """The look that an address asks for."""
        usual, found = cls(), {}
        for name, key, least, most in (("width", "mm", 40.0, 400.0), ("size", "pt", 4.0, 24.0)):
            try:
                found[name] = float(query.get(key) or getattr(usual, name))
            except ValueError:
                raise Refused(400, f"{key}: give a number.") from None
            if not least <= found[name] <= most:
                raise Refused(400, f"{key}: give a number from {least:g} to {most:g}.")
        for name, known in (("colors", tuple(COLORS)), ("language", tuple(languages()))):
            found[name] = query.get(name) or getattr(usual, name)
            if found[name] not in known:
                raise Refused(400, f"{name}: choose one of {', '.join(known)}.")
        title = query.get("title", "")[:LONGEST_TITLE]
        return cls(**found, title=title, follow=query.get("follow") or None)


@cache
def languages() -> dict[str, dict[str, str]]:
    """The labels of figures by language and as they are in English."""
    table = pl.read_csv(LABELS, separator="\t", quote_char=None)
    return {name: dict(zip(table["English"], table[name], strict=True)) for name in table.columns}


def translated(text: str, language: str) -> str:
    """A label in another language; the words of a longer one are replaced first.

    >>> translated("Loser (rank)", "Deutsch"), translated("Rank (1 = highest)", "Español")
    ('Verlierer (Rang)', 'Rango (1 = el más alto)')
    """
    words = languages()[language]
    known = "|".join(map(re.escape, sorted(words, key=len, reverse=True)))
    return re.sub(rf"(?<!\w)(?:{known})(?!\w)", lambda found: words[found[0]], text)


def _trajectories(contests: Any, settings: Settings, look: Look) -> Any:
    known = look.follow in contests.individuals
    highlight = [look.follow] if look.follow and known else None
    return po.plot.trajectories(rated(contests, settings), width=look.width, highlight=highlight)


def _matrix(contests: Any, settings: Settings, look: Look) -> Any:
    return po.plot.matrix(within(contests, settings), width=look.width)


def _steepness(contests: Any, settings: Settings, look: Look) -> Any:
    found = po.steepness(within(contests, settings), runs=1_000, seed=SEED)
    return po.plot.steepness(found, part="scores", width=look.width)


def _ranks(contests: Any, settings: Settings, look: Look) -> Any:
    if len(contests) > MOST_SAMPLED:
        raise Refused(422, f"This figure is drawn for up to {MOST_SAMPLED:,} contests.")
    return po.plot.ranks(po.dynamic(contests, seed=SEED), width=look.width)


def _profile(contests: Any, settings: Settings, look: Look) -> Any:
    found = po.likelihood_surface(basis(contests, settings), over={"k": (0.0, 400.0)}, grid=81)
    return po.plot.likelihood(found, marks={"k used": settings.k}, width=look.width)


FIGURES: dict[str, tuple[str, bool, Callable[[Any, Settings, Look], Any]]] = {
    "trajectories": ("Ratings over time", True, _trajectories),
    "matrix": ("Win matrix", False, _matrix),
    "steepness": ("Steepness", False, _steepness),
    "ranks": ("Ranks with intervals", False, _ranks),
    "profile": ("Likelihood of k", True, _profile),
}


def offered(space: Workspace) -> dict[str, Any]:
    """What can be taken away now."""
    contests, _ = space.contests()
    figures = [
        {"id": name, "title": title, "formats": list(PICTURES)}
        for name, (title, ordered, _) in FIGURES.items()
        if contests.ordered or not ordered
    ]
    tables = [
        {"id": name, "title": title, "formats": list(TABLES)}
        for name, (title, make) in {**_tables(space), **_results(space)}.items()
    ]
    return {
        "figures": figures,
        "languages": list(languages()),
        "tables": tables,
        "paragraph": paragraph(space),
        "script": script(space),
        "files": {}
        if (names := aliases_file(space.seen.reading)) is None
        else {"names.csv": names},
        "joined": space.record.name if space.record.name.endswith(MADE) else None,
        "undecided": space.undecided(),
        "report": {"note": _left_to_defaults(space.state.settings)},
    }


def _left_to_defaults(settings: Settings) -> str:
    """Settings that the report does not take over, as it rates with k alone."""
    usual = Settings()
    changed = {"curve": "the curve", "start": "the starting rating", "home": "home advantage"}
    changed |= {"limited": "the limit of ratings to the window"} if settings.restarts else {}
    names = [
        word for name, word in changed.items() if getattr(settings, name) != getattr(usual, name)
    ]
    if not names:
        return ""
    return f"The report uses k; it does not take over {listed(names)}."


def figure(space: Workspace, name: str, form: str, look: Look) -> Callable[[], bytes]:
    """How to draw one figure; drawing takes long, and does not keep others waiting."""
    if name not in FIGURES or form not in PICTURES:
        raise Refused(404, "There is no such figure.")
    contests, group = space.contests()
    _, ordered, draw = FIGURES[name]
    if ordered and not contests.ordered:
        raise Refused(422, "The order of these contests is not known.")
    settings = space.state.settings
    if why := uninformative(contests):
        raise Refused(422, why)
    key = (name, form, look, contests.hash, group, settings)

    def make() -> bytes:
        with DRAWING, po.plot.theme(size=look.size, colors=COLORS[look.colors]):
            return quiet(
                picture,
                lambda: _written(draw(contests, settings, look), contests, look),
                f"a.{form}",
            )

    return lambda: space.figures(key, make)


def _written(axes: Any, contests: Any, look: Look) -> Any:
    """A figure with its title, and its labels in a language; names stay as they are."""
    from matplotlib.text import Text

    first = axes if hasattr(axes, "figure") else axes.flat[0]
    if look.language != "English":
        names = set(contests.individuals)
        for text in first.figure.findobj(Text):
            if not names & {text.get_text(), text.get_text().partition("\n")[2]}:
                text.set_text(translated(text.get_text(), look.language))
        if isinstance(first.xaxis.get_major_formatter(), ConciseDateFormatter):
            dates = _Dates(first.xaxis.get_major_locator(), look.language)
            first.xaxis.set_major_formatter(dates)
    _fit(first.figure)
    if look.title:
        _entitle(first.figure, look.title, look.size + 1)
    return axes


def _fit(whole: Any) -> None:
    """Make labels smaller that would reach beyond the figure, as in another language."""
    whole.draw_without_rendering()
    edge = whole.bbox
    for legend in [*whole.legends, *(axes.get_legend() for axes in whole.axes)]:
        while legend is not None and legend.get_window_extent().width > edge.width:
            for text in legend.get_texts():
                text.set_fontsize(0.9 * text.get_fontsize())
    whole.draw_without_rendering()
    for axes in whole.axes:
        for text in (axes.title, axes.xaxis.label, axes.yaxis.label):
            box = text.get_window_extent()
            sides = box.intervalx.mean() - edge.x0, edge.x1 - box.intervalx.mean()
            ends = box.intervaly.mean() - edge.y0, edge.y1 - box.intervaly.mean()
            room = min(2 * min(sides) / max(box.width, 1), 2 * min(ends) / max(box.height, 1))
            if box.width and room < 1:
                text.set_fontsize(text.get_fontsize() * room)


def _entitle(whole: Any, title: str, letters: float) -> None:
    """Write a title in a strip of its own, above all that is drawn, which stays as large."""
    whole.draw_without_rendering()
    whole.set_layout_engine("none")
    width, height = whole.get_size_inches()
    taller = height + 2 * letters / 72
    share = height / taller
    whole.set_size_inches(width, taller)
    for axes in whole.axes:
        place = axes.get_position(original=True)
        axes.set_position((place.x0, place.y0 * share, place.width, place.height * share))
    for text in whole.texts:
        text.set_y(text.get_position()[1] * share)
    for legend in whole.legends:
        legend.set_bbox_to_anchor((0, 0, 1, share), whole.transFigure)
    middle = 1 - letters / 72 / taller
    said = whole.text(0.5, middle, title, fontsize=letters, ha="center", va="center")
    said.set_parse_math(False)
    wide = said.get_window_extent().width
    said.set_fontsize(letters * min(1, 0.98 * whole.bbox.width / wide))


class _Dates(ConciseDateFormatter):
    """Dates of an axis in a language; they are made only when the figure is drawn."""

    def __init__(self, places: Any, language: str):
        super().__init__(places, show_offset=False)
        self.language = language

    def format_ticks(self, values: list[float]) -> list[str]:
        """All labels of the axis."""
        return [translated(text, self.language) for text in super().format_ticks(values)]


def table(space: Workspace, name: str, form: str) -> bytes:
    """One table; cells that a spreadsheet would take for a formula are written as text."""
    made = {**_tables(space), **_results(space)}.get(name)
    if made is None or form not in TABLES:
        raise Refused(404, "There is no such table.")
    frame = made[1]()
    whole = [
        name
        for name, column in zip(frame.columns, frame, strict=True)
        if name.startswith("rank") and column.dtype == pl.Float64 and bool((column % 1 == 0).all())
    ]
    frame = frame.with_columns(pl.col(name).cast(pl.Int64) for name in whole)
    return as_bytes(disarmed(frame) if form == "csv" else frame, form)


def disarmed(frame: pl.DataFrame) -> pl.DataFrame:
    """Texts that begin like a formula, with an apostrophe in front; numbers stay as they are.

    >>> import polars as pl
    >>> disarmed(pl.DataFrame({"a": ["=1+1", "-5", "Abe"]}))["a"].to_list()
    ["'=1+1", '-5', 'Abe']
    """
    texts = [column.name for column in frame if column.dtype == pl.String]
    safe = [_safe(frame[name]) for name in texts]
    frame = frame.with_columns(safe)
    return frame.rename({name: _safe(pl.Series([name]))[0] for name in frame.columns})


def _safe(column: pl.Series) -> pl.Series:
    signs = [bool(text) and text.startswith(FORMULA) for text in column.to_list()]
    risky = pl.Series(signs, dtype=pl.Boolean)
    number = column.cast(pl.Float64, strict=False).is_not_null()
    return column.zip_with(~(risky & ~number), "'" + column).alias(column.name)


def _tables(space: Workspace) -> dict[str, tuple[str, Callable[[], pl.DataFrame]]]:
    contests, _ = space.contests()
    settings = space.state.settings
    number = sum(map(len, space.seen.table.reasons.values()))
    out = f"{counted(number, 'row')} left out, and why" if number else "No rows left out"
    found: dict[str, tuple[str, Callable[[], pl.DataFrame]]] = {
        "ratings": ("Ratings", lambda: _ratings(contests, settings)),
        "matrix": ("Win matrix", lambda: as_polars(within(contests, settings).matrix().to_table())),
        "left": (out, lambda: left_out(space)),
        "contests": ("Contests as read", lambda: _with_rows(contests.frame(), contests)),
    }
    if contests.ordered:
        found["history"] = (
            "Every contest with its ratings",
            lambda: _with_rows(as_polars(rated(contests, settings).history), contests),
        )
    return found


def _with_rows(frame: pl.DataFrame, contests: Any) -> pl.DataFrame:
    """A table of contests with their rows in the sheet in front."""
    if contests.rows is None or "row" in frame.columns or frame.height != len(contests):
        return frame
    labels = contests.row_of(np.arange(len(contests))).tolist()
    return frame.insert_column(0, pl.Series("row", labels, strict=False))


def file_name(space: Workspace, name: str, form: str) -> str:
    """The name of a file to be saved: of the data in plain letters, the group, and what it is."""
    group = space.contests()[1]
    parts = [space.record.name.rpartition(".")[0], group or "", name.replace("_", "-")]
    plain = [re.sub(r"[^A-Za-z0-9]+", "-", part)[:40].strip("-") for part in parts]
    return f"{'-'.join(filter(None, plain))}.{form}"


def _ratings(contests: Any, settings: Settings) -> pl.DataFrame:
    ratings = rated(contests, settings)
    at = date_of(contests, settings)
    if at is None or not contests.ordered:
        return ratings.as_polars()
    return as_polars(quiet(ratings.at, at))


def left_out(space: Workspace) -> pl.DataFrame:
    """Rows of the sheet that gave no contest."""
    found = space.seen.table
    reasons = sorted(found.reason_of().items())
    return pl.DataFrame(
        {
            "row": [found.row(place) for place, _ in reasons],
            "reason": [why for _, why in reasons],
        },
        schema={"row": pl.Int64 if found.files is None else pl.String, "reason": pl.String},
    )


def _results(space: Workspace) -> dict[str, tuple[str, Callable[[], pl.DataFrame]]]:
    """Tables of the answers that were given."""
    return {
        f"result-{job}": (result["title"], lambda result=result: unpacked(result["table"]))
        for job, result in list(space.results.items())
        if result["table"].get("length")
    }


def unpacked(packed: dict[str, Any]) -> pl.DataFrame:
    """The table of a result, which is packed as in the report."""
    columns: dict[str, Any] = {}
    for name, column in packed["columns"].items():
        if isinstance(column, dict) and "codes" in column:
            values = column["values"]
            columns[name] = [None if code is None else values[code] for code in column["codes"]]
        elif isinstance(column, dict):
            steps, moment, found = column["steps"], 0, []
            for step in steps:
                moment += 0 if step is None else step * column["microseconds"]
                found.append(None if step is None else moment)
            columns[name] = pl.Series(found, dtype=pl.Int64).cast(pl.Datetime("us"))
        else:
            columns[name] = column
    return pl.DataFrame(columns, strict=False)


def _who_won(notes: tuple[str, ...]) -> list[str]:
    """Notes on how winners were determined, without which the contests cannot be repeated."""
    return [note for note in notes if WINNERS.match(note)]


def paragraph(space: Workspace) -> str:
    """A paragraph for a methods section, with references."""
    contests, group = space.contests()
    reading, settings = space.seen.reading, space.state.settings
    sentence, _, references = rated(contests, settings).cite().partition("\n")
    report = reading.data.report
    said = [sentence]
    if group is not None:
        said.append(f"Only contests of the group {group} were used.")
    dropped = sum(report.dropped.values())
    if dropped:
        reasons = ", ".join(f"{why} ({number:,})" for why, number in report.dropped.items())
        among = "" if group is None else "Among all groups, "
        said.append(f"{among}{counted(dropped, 'row was', 'rows were')} left out: {reasons}.")
    said += [in_words(note).split(". ")[0].rstrip(".") + "." for note in _who_won(report.notes)]
    if undecided := space.undecided():
        said.append(f"Provisional: {counted(undecided, 'row')} not decided.")
    said += dict.fromkeys(
        f"{USED[result['ask']]} (seed {result['seed']})."
        for result in list(space.results.values())
        if result["ask"] in USED
    )
    return f"{' '.join(said)}\n\n{references}"


def script(space: Workspace) -> dict[str, str]:
    """The whole work as Python lines and as shell lines."""
    contests, group = space.contests()
    reading, settings = space.seen.reading, space.state.settings
    first = code_of(reading, settings, "elo", contests, group)
    python, shell = [first["python"]], [first["shell"]]
    for result in list(space.results.values()):
        lines = result["code"]["python"]
        python.append(f"# {result['title']}\n{lines}")
        shell.append(f"# {result['title']}\n{result['code']['shell']}")
    done = {result["ask"] for result in space.results.values()}
    chosen = chosen_settings("report", {"bayes": "bayes" in done, "recovery": "enough" in done})
    whole = code_of_answer("report", reading, group, settings, chosen)
    python.append(whole["python"])
    shell.append(whole["shell"])
    note = [f"# {first['note']}"] if first["note"] else []
    return {
        "python": "\n\n".join([*note, *python]) + "\n",
        "shell": "\n".join([*note, *shell]) + "\n",
    }
