"""The same in code: the shell line and the Python lines for what is on the screen.

Lines are those of the report, made from the options that the import report holds, so that running
them gives the numbers that are shown.

The shell lines and the Python lines that give the same answer as a question of the app.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from peckorder.app.explore import RUNS, SEED, date_of
from peckorder.app.queries import ASKS, CLAIMED, REPORTED
from peckorder.app.reading import WITHIN, Reading, visit_columns
from peckorder.app.settings import Settings
from peckorder.app.uploads import MADE, PASTED
from peckorder.reporting.page import Lines

DISPLACED = "displacements.csv"  # the contests of visits, written first
VERBS = ("check", "elo", "report")
NOT_AT_THE_SHELL = "# not available at the shell: contests without dates have no window there"


def lines_of(reading: Reading, group: str | None = None) -> Lines:
    """How the contests of this reading were read; the file has the name of the upload."""
    options = dict(reading.options if reading.data is None else reading.data.report.options)
    if options.get("presence") not in (None, "inferred") and reading.presence is not None:
        options["presence"] = reading.presence.name
    lines = Lines(reading.record.name, options)
    if WITHIN in options:
        lines = Lines(DISPLACED, {})
    if group is None or reading.data is None:
        return lines
    return lines.of_group(reading.data.report.columns.get("group"), group)


def code_of(
    reading: Reading, settings: Settings, verb: str, contests: Any = None, group: str | None = None
) -> dict[str, str]:
    """The shell command and the Python lines of a verb: check, elo or report."""
    if verb == "check" or contests is None:
        lines = lines_of(reading)
        return _noted(reading, lines.command("check"), f"{lines.reading}\nprint(data.check())")
    lines = lines_of(reading, group)
    if verb == "report":
        shared = {"k": _plain(settings.k), "at": settings.at, "seed": SEED}
        flags = shared | _window(settings)
        given = _python(shared | _span(settings))
        return _noted(
            reading,
            lines.written("report", "hierarchy.html", **flags),
            f'{lines.reading}\npo.report(data, "hierarchy.html"{given})',
        )
    reading_line, shell_lines = _restarted(lines, contests, settings)
    arguments = {name: _plain(value) for name, value in settings.elo(contests).items()}
    if not contests.ordered:
        arguments.pop("home_advantage", None)
        arguments |= {"runs": RUNS, "seed": SEED}
        call = f"ratings = po.randomized_elo(data{_python(arguments)})\nprint(ratings)"
        return _noted(
            reading, lines.command("randomized-elo", **arguments), f"{lines.reading}\n{call}"
        )
    at = date_of(contests, settings)
    shown = "ratings.table" if at is None else f"ratings.at({_moment(contests, settings)})"
    call = f"ratings = po.elo(data{_python(arguments)})\nprint({shown})"
    shell = NOT_AT_THE_SHELL
    if shell_lines is not None:
        shell = shell_lines.command("elo", **arguments, at=None if at is None else settings.at)
    return _noted(reading, shell, f"{reading_line}\n{call}")


def _restarted(lines: Lines, contests: Any, settings: Settings) -> tuple[str, Lines | None]:
    """Python code and lines of the shell for the contests on which ratings rest.

    At the shell, `--from` and `--to` of ratings frame them; a condition on dates limits them.
    """
    if not settings.restarts:
        return lines.reading, lines
    dated = contests.times.dtype.kind == "M"
    span = {name: value for name, value in _span(settings).items() if value is not None}
    given = {name: value if dated else _plain(float(value)) for name, value in span.items()}
    python = f"{lines.reading}\ndata = data.filter({_python(given).removeprefix(', ')})"
    if not dated:
        return python, None
    sign = {"start": ">=", "end": "<="}
    within = " and ".join(f"date {sign[name]} {value}" for name, value in span.items())
    before = lines.options.get("where")
    where = within if before is None else f"({before}) and {within}"
    return python, replace(lines, options={**lines.options, "where": where})


def _moment(contests: Any, settings: Settings) -> str:
    dated = contests.times.dtype.kind == "M"
    return f'"{settings.at}"' if dated else f"{float(settings.at or 0):g}"


def aliases_file(reading: Reading) -> str | None:
    """The sheet that the shell needs for aliases: names.csv."""
    names = reading.options.get("names")
    if not names:
        return None
    rows = [("name", "individual"), *names.items()]
    return "".join(",".join(map(_cell, row)) + "\n" for row in rows)


def _cell(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if any(s in text for s in ',"\n\r') else text


def _noted(reading: Reading, shell: str, python: str) -> dict[str, str]:
    """The lines, with a remark if a file is needed first, or rows were left out undecided."""
    undecided, notes = [one.kind for one in reading.doubts if one.severity == "refuse"], []
    undecided += ["presence"] if reading.wrong else []
    if reading.record.name == PASTED:
        notes.append(f"Save the pasted cells in a text file called {PASTED} first.")
    if reading.record.name.endswith(MADE):
        notes.append("Save the joined files as one workbook first, under Take away.")
    if WITHIN in reading.options:
        named = {"within": reading.options[WITHIN], **visit_columns(reading.record)}
        made = Lines(reading.record.name, {}).written("displacements", DISPLACED, **named)
        notes.append(f"Count the contests of these visits first: {made}")
    if "names=names.csv" in shell:
        notes.append("The shell line needs names.csv, which is under Take away.")
    if undecided:
        words = ", ".join(dict.fromkeys(undecided))
        notes.append(f"Provisional, not decided: {words}.")
    return {"shell": shell, "python": python, "note": " ".join(notes)}


def _plain(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _python(arguments: dict[str, Any]) -> str:
    given = {name: value for name, value in arguments.items() if value is not None}
    return "".join(
        f", {name}={f'{chr(34)}{value}{chr(34)}' if isinstance(value, str) else repr(value)}"
        for name, value in given.items()
    )


def _window(settings: Settings) -> dict[str, Any]:
    return {"from": settings.since, "to": settings.until}


def _span(settings: Settings) -> dict[str, Any]:
    return {"start": settings.since, "end": settings.until}


def code_of_answer(
    ask: str, reading: Reading, group: str | None, settings: Settings, chosen: Mapping[str, Any]
) -> dict[str, str]:
    """The shell line and the Python lines that give the same answer."""
    span = {"start": settings.since, "end": settings.until}
    window = {k: v for k, v in span.items() if v is not None and "from" in ASKS[ask].depends}
    base = lines_of(reading, None if ask == "groups" or chosen.get("every") else group)
    lines = Lines(base.file, base.options, window)
    data, seed = lines.contests, chosen["seed"]
    python, shell = _calls(ask, lines, data, seed, settings, chosen, reading)
    return {"shell": "\n".join(shell), "python": f"{lines.reading}\n" + "\n".join(python)}


def _calls(
    ask: str,
    lines: Lines,
    data: str,
    seed: int,
    settings: Settings,
    chosen: Mapping[str, Any],
    reading: Reading,
) -> tuple[list[str], list[str]]:
    """Python lines after the reading, and shell lines."""
    python: list[str] = []
    shell: list[str] = []

    def line(verb: str, **flags: Any) -> str:
        return lines.command(verb, **flags, seed=seed, **lines.flags)

    def call(verb: str, *, of: str = data, show: str = "", at: str = "", **given: Any) -> None:
        """A function whose command has the same name and arguments, or the name `at`."""
        python.append(f"print(po.{verb}({of}{_python({**given, 'seed': seed})}){show})")
        shell.append(line(at or verb.rpartition(".")[2], **given))

    runs = {name: _plain(chosen[name]) for name in ("runs",) if name in chosen}
    if ask == "certain":
        call("dynamic", of="data", show=".table")
    elif ask == "bayes":
        call("elo_bayes", of="data", show=".table", at="fit", samples=chosen["samples"])
    elif ask == "steepness":
        call("steepness", **runs)
        python.append(f"print(po.steepness_bayes({data}, seed={seed}))")
        shell.append(line("steepness", bayes=True))
    elif ask in ("linear", "isi"):
        for verb in TESTS if ask == "linear" else ():
            call(verb, **runs)
        call("isi")
    elif ask == "enough":
        call("recovery", of="data", **runs)
    elif ask == "hours":
        asked = {name: _plain(chosen[name]) for name in ("target", "goal", "rate")}
        call("power", of="data", **asked, **runs)
    elif ask == "pair":
        sides = f"({chosen['a']!r}, {chosen['b']!r})"
        python.append(f"ratings = po.dynamic(data, seed={seed})")
        python.append(f"print(po.predict(ratings, fixtures=[{sides}]))")
        file = lines.command("predict").removeprefix("peckorder predict ").split(" --")[0]
        shell.append(line("predict", method="dynamic").replace(file, f"{file} fixtures.csv", 1))
    elif ask == "groups":
        column = reading.data.report.columns.get("group", "group")
        python += [
            "import itertools\n",
            f"found = {{name: po.steepness_bayes(part, seed={seed}) for name, part in "
            f"data.split().items()}}",
            "for one, other in itertools.combinations(found, 2):",
            "    print(one, other, po.steepness_difference(found[one], found[other]))",
        ]
        shell.append(line("steepness", bayes=True, by=column))
    elif ask in CLAIMED:
        claim = str(chosen["claim"])
        python.append(f"print(po.questions.{ask}(data, {claim!r}, seed={seed}))")
        shell.append(f"{line(ask)} {shlex.quote(claim)}")
    elif ask == "next":
        python.append(f"ratings = po.dynamic(data, seed={seed})")
        python.append(f"print(po.questions.next_pairs(ratings, seed={seed}))")
        shell.append(line("next"))
    elif ask == "stress":
        call("questions.stress", of="data", k=_plain(settings.k))
    elif ask == "compare":
        call("compare", k=_plain(settings.k))
    else:
        return _calls_of_report(lines, settings, chosen, reading)
    return python, shell


TESTS = ("linearity", "transitivity")


def _calls_of_report(
    lines: Lines, settings: Settings, chosen: Mapping[str, Any], reading: Reading
) -> tuple[list[str], list[str]]:
    methods = [name for name in REPORTED if name != "elo_bayes" or chosen["bayes"]]
    shared = {"k": _plain(settings.k), "at": settings.at, "methods": methods}
    shared |= {"recovery": chosen["recovery"] or None, "seed": chosen["seed"]}
    given, flags, data = shared | lines.window, shared | lines.flags, "data"
    if chosen["every"]:  # the window and the date are those of one group
        given, data = shared | {"at": None}, "data.split()"
        flags = given | {"by": reading.data.report.columns["group"]}
    shell = lines.written("report", "hierarchy.html", **flags)
    return [f'po.report({data}, "hierarchy.html"{_python(given)})'], [shell]
