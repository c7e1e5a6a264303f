"""The shell lines and the Python lines that give the same answer as a question of the app."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from peckorder.app.answers import ASKS, REPORTED
from peckorder.app.code import lines_of
from peckorder.app.reading import Reading
from peckorder.app.settings import Settings
from peckorder.reporting.lines import Lines


def code_of_answer(
    ask: str, reading: Reading, group: str | None, settings: Settings, chosen: Mapping[str, Any]
) -> dict[str, str]:
    """The shell line and the Python lines that give the same answer."""
    span = {"start": settings.since, "end": settings.until}
    window = {k: v for k, v in span.items() if v is not None and "from" in ASKS[ask].depends}
    base = lines_of(reading, None if ask == "groups" else group)
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

    def line(verb: str, **flags: Any) -> str:
        return lines.command(verb, **flags, seed=seed, **lines.flags)

    runs = chosen.get("runs")
    if ask == "certain":
        return [f"print(po.dynamic(data, seed={seed}).table)"], [line("dynamic")]
    if ask == "bayes":
        more = f"samples={chosen['samples']}, seed={seed}"
        call = f"print(po.elo_bayes(data, {more}).table)"
        return [call], [line("fit", samples=chosen["samples"])]
    if ask == "steepness":
        calls = [
            f"print(po.steepness({data}, runs={runs}, seed={seed}))",
            f"print(po.steepness_bayes({data}, seed={seed}))",
        ]
        return calls, [line("steepness", runs=runs), line("steepness", bayes=True)]
    if ask == "linear":
        calls = [f"print(po.{verb}({data}, runs={runs}, seed={seed}))" for verb in TESTS]
        calls.append(f"print(po.isi({data}, seed={seed}))")
        return calls, [*(line(verb, runs=runs) for verb in TESTS), line("isi")]
    if ask == "enough":
        call = f"print(po.recovery(data, runs={runs}, seed={seed}))"
        return [call], [line("recovery", runs=runs)]
    if ask == "hours":
        flags = {name: _plain(chosen[name]) for name in ("target", "goal", "rate", "runs")}
        given = ", ".join(f"{name}={value!r}" for name, value in flags.items()).replace("'", '"')
        return [f"print(po.power(data, {given}, seed={seed}))"], [line("power", **flags)]
    if ask == "pair":
        sides = f"({chosen['a']!r}, {chosen['b']!r})"
        calls = [
            f"ratings = po.dynamic(data, seed={seed})",
            f"print(po.predict(ratings, fixtures=[{sides}]))",
        ]
        shell = line("predict", method="dynamic")
        file = lines.command("predict").removeprefix("peckorder predict ").split(" --")[0]
        return calls, [shell.replace(file, f"{file} fixtures.csv", 1)]
    if ask == "groups":
        column = reading.data.report.columns.get("group", "group")
        calls = [
            f"found = {{name: po.steepness_bayes(part, seed={seed}) for name, part in "
            f"data.split().items()}}",
            "for one, other in itertools.combinations(found, 2):",
            "    print(one, other, po.steepness_difference(found[one], found[other]))",
        ]
        return ["import itertools\n", *calls], [line("steepness", bayes=True, by=column)]
    k = _plain(settings.k)
    if ask == "compare":
        call = f"print(po.compare({data}, k={k}, seed={seed}))"
        return [call], [line("compare", k=k)]
    if ask == "report":
        return _calls_of_report(lines, settings, chosen)
    return [f"print(po.isi({data}, seed={seed}))"], [line("isi")]


TESTS = ("linearity", "transitivity")


def _calls_of_report(
    lines: Lines, settings: Settings, chosen: Mapping[str, Any]
) -> tuple[list[str], list[str]]:
    methods = [name for name in REPORTED if name != "elo_bayes" or chosen["bayes"]]
    given = {"k": _plain(settings.k), "at": settings.at, **lines.window, "methods": methods}
    given |= {"recovery": chosen["recovery"] or None, "seed": chosen["seed"]}
    words = ", ".join(f"{name}={value!r}" for name, value in given.items() if value is not None)
    flags = {"k": _plain(settings.k), "at": settings.at, "method": methods}
    flags |= {"recovery": chosen["recovery"] or None, "seed": chosen["seed"], **lines.flags}
    shell = lines.written("report", "hierarchy.html", **flags)
    return [f'po.report(data, "hierarchy.html", {words})'], [shell]


def _plain(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value
