"""From a record of who beat whom: who outranks whom, and how sure are we?

>>> import peckorder as po
>>> data = po.datasets.adv()
>>> po.elo(data, k=200)
Ratings (elo): 7 individuals, 33 contests; b 1326.7, c 1188.1, d 1180.4, f 1046.6, e 1005.3, …
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from peckorder.data import datasets as datasets
    from peckorder.data.interactions import Interactions as Interactions
    from peckorder.data.matrix import Matrix as Matrix
    from peckorder.data.presence import Presence as Presence
    from peckorder.data.presence import read_presence as read_presence
    from peckorder.data.read import ContestStream as ContestStream
    from peckorder.data.read import read as read
    from peckorder.errors import DataError as DataError
    from peckorder.errors import DataWarning as DataWarning
    from peckorder.rating.curves import Exponential as Exponential
    from peckorder.rating.curves import Logistic as Logistic
    from peckorder.rating.curves import Normal as Normal
    from peckorder.rating.curves import Table as Table
    from peckorder.rating.curves import k_from_effect as k_from_effect
    from peckorder.rating.elo import elo as elo
    from peckorder.rating.policies import prior_ranks as prior_ranks
    from peckorder.rating.rater import EloRater as EloRater
    from peckorder.results import Ratings as Ratings

# Where each public name lives. It is imported when it is first used, so that
# `import peckorder` stays light.
_HOMES = {
    "datasets": "peckorder.data.datasets",
    "Interactions": "peckorder.data.interactions",
    "Matrix": "peckorder.data.matrix",
    "Presence": "peckorder.data.presence",
    "read_presence": "peckorder.data.presence",
    "ContestStream": "peckorder.data.read",
    "read": "peckorder.data.read",
    "DataError": "peckorder.errors",
    "DataWarning": "peckorder.errors",
    "Exponential": "peckorder.rating.curves",
    "Logistic": "peckorder.rating.curves",
    "Normal": "peckorder.rating.curves",
    "Table": "peckorder.rating.curves",
    "k_from_effect": "peckorder.rating.curves",
    "elo": "peckorder.rating.elo",
    "prior_ranks": "peckorder.rating.policies",
    "EloRater": "peckorder.rating.rater",
    "Ratings": "peckorder.results",
}

__all__ = [*_HOMES, "__version__"]  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from peckorder.citation import VERSION

        return VERSION
    if name not in _HOMES:
        raise AttributeError(f"module 'peckorder' has no attribute {name!r}")
    home = import_module(_HOMES[name])
    return home if name == "datasets" else getattr(home, name)


def __dir__() -> list[str]:
    return sorted(__all__)
