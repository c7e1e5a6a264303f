"""The check "Presence": who was there when, by the contests, a file or a sheet of the workbook."""

from __future__ import annotations

from typing import Any

from peckorder.app.cards import DECIDED, WRONG, Card, choice
from peckorder.app.reading import PRESENT, Reading
from peckorder.wording import counted

THROUGHOUT: dict[str, Any] = {"presence": None, "presence_sheet": None}


def presence_card(reading: Reading, card: Card) -> Card:
    """The card with its choices."""
    if not reading.data.ordered and reading.data.date is None:
        return card  # presence needs dates, or at least an order
    now, sheet = (reading.decided.get(name) for name in ("presence", "presence_sheet"))
    wrong = [one.text for one in reading.problems if set(one.options) & set(PRESENT)]
    if wrong:
        card.state, card.title = WRONG, "Presence not used"
        card.text = "\n".join(wrong)
    elif now or sheet:
        card.state = DECIDED
    if sheet and not wrong:
        card.text = f'From the sheet "{sheet}". {card.text}'
    card.choices = [
        choice(
            "All present throughout",
            "",
            THROUGHOUT,
            chosen=not now and not sheet,
            done="Presence: throughout",
        ),
        choice(
            "From first to last contest",
            "",
            THROUGHOUT | {"presence": "inferred"},
            chosen=now == "inferred",
            done="Presence: from first to last contest",
        ),
        *(_sheet(label, number, chosen=label == sheet) for label, number in _sheets(reading)),
    ]
    if reading.presence is not None:
        card.choices.append(
            choice(
                "From the uploaded file",
                reading.presence.name,
                THROUGHOUT | {"presence": "file"},
                chosen=now == "file",
                done="Presence: from a file",
            )
        )
    return card


def _sheet(label: str, individuals: int, *, chosen: bool) -> dict[str, Any]:
    return choice(
        f'From the sheet "{label}"',
        counted(individuals, "individual"),
        THROUGHOUT | {"presence_sheet": label},
        chosen=chosen,
        done=f"Presence: from the sheet {label}",
    )


def _sheets(reading: Reading) -> list[tuple[str, int]]:
    """Sheets of the workbook that can be read as presence, with the number of individuals."""
    if reading.sheets is None:
        return []
    used = reading.data.report.source.rpartition(", sheet ")[2]
    found = reading.sheets.of_presence(reading.options.get("date_format"))
    return [(label, number) for label, number in found.items() if label != used]
