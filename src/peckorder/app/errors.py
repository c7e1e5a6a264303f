"""Requests that are refused, and messages in the words of a page with buttons, not arguments."""

from __future__ import annotations

import re
from typing import Any

TYPED = re.compile(r"\b(?:[a-z_]+=|data\.\w+\()")
ASIDE = re.compile(r" \([^()]*\b[a-z_]+=[^()]*\)")


class Refused(Exception):
    """A request that is not served.

    Attributes
    ----------
    status : status code of the answer
    text : what is wrong and what to do
    more : further fields of the answer
    """

    def __init__(self, status: int, text: str, **more: Any):
        super().__init__(text)
        self.status, self.text, self.more = status, text, more


def in_words(text: str) -> str:
    """A message without the parts that say what to type, which the app replaces.

    >>> in_words("Row 4 was read as the header. Choose another with header=.")
    'Row 4 was read as the header.'
    >>> in_words('4 draws were omitted; ties="half" counts a draw as half a win.')
    '4 draws were omitted.'
    """
    kept = []
    for sentence in re.split(r"(?<=[.!?]) (?=[A-Z])", ASIDE.sub("", text.replace('claim="', '"'))):
        clauses = sentence.split("; ")
        plain = [clause for clause in clauses if not TYPED.search(clause)]
        if plain and plain[0] == clauses[0]:
            kept.append("; ".join(plain).rstrip(".") + ".")
    return " ".join(kept) or text


def capital(text: str) -> str:
    """A text that begins with a capital."""
    return text[:1].upper() + text[1:]
