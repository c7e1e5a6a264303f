r"""Text that is safe to show on a terminal.

Names come from files that anybody may have written, and a terminal obeys control characters: an
escape sequence in a name could clear the screen, change colors or the title of the window, and a
mark of writing direction could reorder a line. Messages and tables on the screen show such
characters as codes, as Python does (`\x1b`); files keep every name as it is.
"""

from __future__ import annotations

import re

# Control characters (except the line feed and the tab, which messages contain themselves), marks
# of writing direction, separators of lines and paragraphs, and halves of surrogate pairs.
UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)
BREAKS = re.compile("[\n\t]")
LONGEST_NAME = 120  # beyond, a name or cell is cut off in a message
# No sentence between two quoted names is as long as this.
FAR_TOO_LONG = re.compile(f'"([^"\\n]{{{LONGEST_NAME}}})[^"\\n]{{280,}}"')


def printable(text: object) -> str:
    r"""The text with unsafe characters as codes; line breaks and tabs are kept.

    >>> printable("Abe\x1b[2J\rBo\n")
    'Abe\\x1b[2J\\rBo\n'
    """
    text = str(text)
    return text if text.isprintable() else UNSAFE.sub(_code, text)


def message_of(text: object) -> str:
    """A message that can be read: safe to show, and with long quoted cells cut off.

    >>> message_of(f'Row 2: "{"x" * 500}" is not a date.')[-30:]
    'xxxxxxxxxxxxx…" is not a date.'
    """
    return FAR_TOO_LONG.sub(r'"\1…"', printable(text))


def one_line(text: object) -> str:
    r"""The same for a cell of a table: line breaks and tabs become codes, too.

    >>> one_line("Abe\tBo\n")
    'Abe\\tBo\\n'
    """
    text = printable(text)
    return text if text.isprintable() else BREAKS.sub(_code, text)


def _code(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape").decode()
