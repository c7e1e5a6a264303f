"""The same surroundings for every test, whatever the machine and its user's settings.

Tests run with an empty home directory and fixed time zone, locale and terminal width, and so do
the processes they start. Otherwise a test may pass only where a library has left a file in the
home directory, or where the terminal is wide. Numba keeps its compiled code beside the sources,
not in the home directory, so that is still shared between runs.
"""

import os
import sys
import tempfile
import time
from pathlib import Path

import pytest

# What people set to change how programs look or behave.
PERSONAL = (
    "LANG",
    "LANGUAGE",
    "NO_COLOR",
    "FORCE_COLOR",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "MATPLOTLIBRC",
    "PYTHONWARNINGS",
    "PYTHONOPTIMIZE",
)
PERSONAL_GROUPS = ("LC_", "PG", "POLARS_", "XDG_")


def _surroundings(home: Path) -> dict[str, str]:
    fixed = {
        "HOME": str(home),
        "USERPROFILE": str(home),  # the home directory on Windows
        "XDG_CACHE_HOME": str(home / "cache"),
        "XDG_CONFIG_HOME": str(home / "config"),
        "MPLCONFIGDIR": str(home / "matplotlib"),
        "MPLBACKEND": "agg",  # no window opens
        "COLUMNS": "80",
        "LINES": "24",
        "TERM": "dumb",
        "PYTHONUTF8": "1",
    }
    if hasattr(time, "tzset"):
        # Neither UTC nor a zone without summer time, which would hide mistakes.
        fixed |= {"TZ": "America/New_York"}
    if sys.platform == "linux":
        fixed |= {"LC_ALL": "C.UTF-8"}
    return fixed


def _settle(home: Path) -> None:
    for name in list(os.environ):
        if name in PERSONAL or name.startswith(PERSONAL_GROUPS):
            del os.environ[name]
    os.environ.update(_surroundings(home))
    if hasattr(time, "tzset"):
        time.tzset()


# Set before anything is imported that reads them. Workers of pytest-xdist inherit all of it.
USERS_ENVIRONMENT = dict(os.environ)
HOME = None
if "PYTEST_XDIST_WORKER" not in os.environ:
    HOME = tempfile.TemporaryDirectory(prefix="peckorder-home-", ignore_cleanup_errors=True)
    _settle(Path(HOME.name))


def pytest_unconfigure():
    if HOME is not None:
        HOME.cleanup()


@pytest.fixture(scope="session")
def users_environment():
    """The environment that the tests were started in, for what needs the user's settings of pip."""
    return USERS_ENVIRONMENT


@pytest.fixture(autouse=True)
def _figures_closed():
    """Figures of one test are gone before the next."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
