"""Requests that are refused, with the status and the sentence that the page shows."""

from __future__ import annotations

from typing import Any


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
