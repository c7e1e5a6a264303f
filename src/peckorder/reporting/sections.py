"""The sections of a report, in their order."""

from __future__ import annotations

import json

from peckorder import citation
from peckorder.reporting.analysis import Analysis, description
from peckorder.reporting.answer import answer
from peckorder.reporting.drawings import Drawn
from peckorder.reporting.further import network, period_ranks, rank_chances
from peckorder.reporting.hierarchy import checks, comparison, structure
from peckorder.reporting.individuals import effort, matrix, ranking, trajectories
from peckorder.reporting.lines import Lines
from peckorder.reporting.page import Code, Page, Section, Words
from peckorder.reporting.paragraph import paragraph, references
from peckorder.reporting.prediction import prediction
from peckorder.reporting.view import View
from peckorder.tables import plain
from peckorder.wording import counted


def page_of(found: Analysis, lines: Lines, title: str | None) -> Page:
    """Everything on the page."""
    source = found.data.report.source
    named = source if found.data.report.path else counted(len(found.data.individuals), "individual")
    drawn = Drawn(found, lines)
    checked, sampled = effort(found, drawn)
    over_time, presence = trajectories(found, drawn)
    wins, chances = matrix(found, drawn)
    ranked = rank_chances(found, drawn)
    sections = (
        Section("answer", "Summary", tuple(Words(text, "lead") for text in answer(found))),
        Section("data", "Data and sampling effort", sampled),
        Section("ranking", "Ranking", ranking(found, drawn)),
        Section("trajectories", "Trajectories", over_time),
        Section("matrix", "Win matrix", wins),
        Section("network", "Network", network(found, drawn)),
        Section("structure", "Structure", structure(found, drawn)),
        Section("methods", "For your methods section", (Code("Paragraph", paragraph(found)),)),
        Section("references", "References", _cited(found), True),
        Section("periods", "Study periods", period_ranks(found, drawn), True),
        Section("methods-compared", "Comparison of methods", comparison(found, drawn), True),
        Section("prediction", "What predicts best here", prediction(found), True),
        Section("checks", "Model checks", checks(found, drawn), True),
        Section("more", "Presence and probabilities", (*presence, *ranked, *chances), True),
        Section("data-checks", "Data checks", checked, True),
        Section("settings", "Settings and data", _settings(found, lines, title), True),
    )
    full = tuple(section for section in sections if section.parts)
    return Page(title or f"Hierarchy of {named}", description(found.data), found.everyone, full)


def _cited(found: Analysis) -> tuple:
    return (Code("References", "\n".join(references(found))),)


def _settings(found: Analysis, lines: Lines, title: str | None) -> tuple:
    settings = {
        "peckorder": citation.VERSION,
        "seed": found.seed,
        "data": found.data.hash,
        "source": found.data.report.source,
        **found.view.window,
        "ranks at": found.view.at,
        **found.settings,
    }
    listed = {
        name: getattr(found, name)
        for name in (
            "elo",
            "posterior",
            "adaptive",
            "randomized",
            "steepness",
            "steepness_bayes",
            "linearity",
            "stability",
            "calibration",
            "recovery",
        )
    }
    settings |= {f"{name} settings": result.settings for name, result in listed.items() if result}
    view = found.view
    asked = view.at if view.at != view.end else None
    if not view.window and view.at == View.of(found.data, None, None, None).at:
        asked = None
    report = {"at": asked, **found.settings, "title": title, "seed": found.seed}
    report = {
        name: value
        for name, value in report.items()
        if value is not None and (name, value) != ("recovery", 0)
    }
    arguments = "".join(f", {name}={value!r}" for name, value in (view.window | report).items())
    return (
        Words(
            f"The hash of the data (data.hash) is {found.data.hash}. If the data were filtered "
            f"after reading, apply the same filter before running the rest of the code."
            + (
                ""
                if found.data.report.path
                else " The data did not come from a file: to run the code, write the contests to "
                "contests.csv and presence data to presence.csv."
            )
        ),
        Code(
            "This report in Python",
            f'{lines.reading}\npo.report(data, "hierarchy.html"{arguments})',
        ),
        Code(
            "This report at the shell",
            lines.written("report", "hierarchy.html", **lines.flags, **report),
        ),
        Code(
            "All settings",
            "\n".join(
                f"{name}: {json.dumps(plain(value), ensure_ascii=False)}"
                for name, value in settings.items()
            ),
        ),
    )
