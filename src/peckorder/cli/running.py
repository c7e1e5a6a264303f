"""Calling a function of the library from the command line: groups, warnings, progress, seeds."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import click

from peckorder.cli.progress import progress
from peckorder.cli.shared import already_said, talk
from peckorder.cli.window import seen, taken_window
from peckorder.errors import ConvergenceError, DataError, DataWarning
from peckorder.methods import doing

GROUPS = ("orders", "pairs", "sport", "fits", "reliability")


def verb(name: str) -> Callable:
    """The public function of this name, from the package or one of its submodules."""
    import peckorder

    for place in (peckorder, *(getattr(peckorder, group) for group in GROUPS)):
        if name in place.__all__:
            return getattr(place, name)
    raise AttributeError(name)


def each_group(
    function: str | Callable, parts: dict[str, Any], flags: dict[str, Any], by: str, *, slow: bool
) -> dict[str, Any]:
    """The result of each group; groups that cannot be analyzed are omitted with a note."""
    groups = {}
    for name, part in parts.items():
        try:
            groups[name] = find(function, part, flags, slow=slow, of=f"{name}: ")
        except DataError as error:
            talk(f"Note: {name} was omitted: {error}")
    if not groups:
        raise DataError(f"No group in column {by} can be analyzed.")
    return groups


def find(
    function: str | Callable,
    data: Any,
    flags: dict[str, Any],
    *,
    slow: bool,
    printed: bool = False,
    of: str = "",
) -> Any:
    """Call a function of the library; print its warnings and the seed that was drawn."""
    flags = {flag: value for flag, value in flags.items() if value is not None}
    call = verb(function) if isinstance(function, str) else function
    name = function if isinstance(function, str) else function.__name__
    label = doing(name)
    # Functions of this room that rate (such as `rate`) take the window themselves.
    window = taken_window(flags) if isinstance(function, str) else (None, None)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", DataWarning)
        if function == "stability":
            rule = flags.pop("rule", None)
            found = call(seen(verb("elo")(data, **flags), window), rule=rule)
        elif slow:
            with progress(of + label) as update:
                try:
                    found = call(data, progress=update, **flags)
                except ConvergenceError as error:
                    if error.ratings is None:
                        raise
                    # The incomplete result is still printed, but the command fails.
                    talk(f"Error: {of}{error}")
                    click.get_current_context().meta["not_converged"] = True
                    found = error.ratings
        else:
            found = call(data, **flags)
    found = seen(found, window) if function != "stability" else found
    first = next(iter(found.values())) if isinstance(found, dict) else found
    shown = {*first.summary, " ".join(first.summary)} if printed else set()
    for text in dict.fromkeys(str(warning.message) for warning in warned):
        # The summary is printed with the table, and what was found about the data is said.
        if text not in shown and not already_said(text):
            talk(f"Warning: {of}{text}")
    seed = first.seed
    if flags.get("seed") is None and seed is not None:
        talk(f"{of}Seed: {seed} (use --seed {seed} to reproduce this result).")
    return found


def fail_if_not_converged() -> None:
    """Exit with the code for failure if a fit did not converge."""
    context = click.get_current_context()
    if context.meta.get("not_converged"):
        context.exit(1)
