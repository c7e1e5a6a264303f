"""A few values by key, of which the one not used for longest is forgotten."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any


class Kept(OrderedDict):
    """A few values by key.

    >>> kept = Kept(1)
    >>> kept.get_or_make("a", lambda: 1), kept.get_or_make("a", lambda: 2), len(kept)
    (1, 1, 1)
    """

    def __init__(self, most: int):
        super().__init__()
        self.most = most

    def get_or_make(self, key: Any, make: Callable[[], Any]) -> Any:
        """The value of a key, made if it is not known."""
        if key not in self:
            self[key] = make()
        self.move_to_end(key)
        while len(self) > self.most:
            self.popitem(last=False)
        return self[key]
