"""Requests to the app: every address that it has, with parameters that fit or nearly fit."""

import json
import re
import tempfile
from contextlib import ExitStack
from functools import cache
from pathlib import Path

from tests.app.visitor import Visitor, visiting
from tests.fuzzing import formats, tables, verbs
from tests.fuzzing.odd import ODD_CELLS, ODD_VALUES
from tests.fuzzing.tables import maybe, pick

OPEN = ExitStack()  # the app of this process, which is not closed
ENDLESS = ("/api/events",)  # streams
BODIES = {
    "/api/reading": {"option": "self_contests", "value": "drop"},
    "/api/settings": {"k": 150},
    "/api/jobs": {"ask": "enough", "settings": {"runs": 10, "seed": 1}},
}
IN_PATHS = {
    "name": ("adv", "bonobos", "ratings", "trajectories", "matrix", "history"),
    "form": ("csv", "xlsx", "svg", "png", "pdf", "py", "R"),
    "id": ("names", "ties", "x"),
    "job": ("x",),
    "path": ("", "js/main.js", "../../etc/passwd", "index.html"),
}


@cache
def visitor() -> Visitor:
    """A visitor of an app of this process."""
    folder = OPEN.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
    return OPEN.enter_context(visiting(Path(folder)))


def routes() -> list[tuple[str, str]]:
    """Methods and addresses of the app."""
    found = visitor().app.guard.app.routes
    return sorted((m, r.path) for r in found for m in (r.methods or ()) if m != "HEAD")


@cache
def workspace(seed: int) -> dict:
    """The state of a workspace with a record."""
    import numpy as np

    sheet = verbs.record(np.random.default_rng(seed)).to_table().write_csv().encode()
    answer = visitor().client.post("/api/record", params={"name": "a.csv"}, content=sheet)
    return answer.json()


def visit_a_page(rng) -> str:
    """One request; the server answers it, or says why not, but never fails."""
    method, path = pick(rng, [one for one in routes() if one[1] not in ENDLESS])
    seed = int(rng.integers(3))
    if visitor().client.get("/api/state", params={"w": workspace(seed)["workspace"]}).is_error:
        workspace.cache_clear()
    state = workspace(seed)
    address = re.sub(
        r"\{(\w+)(?::\w+)?\}",
        lambda part: pick(rng, IN_PATHS[part[1]] if maybe(rng, 0.9) else ("x", "%00", "é")),
        path,
    )
    more = {"params": {"w": state["workspace"]}}
    if maybe(rng, 0.1):
        more["params"][pick(rng, ("w", "rev", "from", "rows", "name"))] = str(pick(rng, ODD_CELLS))
    if path in ("/api/record", "/api/presence", "/api/work"):
        more["content"] = formats.odd_file(rng, clean=maybe(rng, 0.5)).read_bytes()
        if maybe(rng, 0.2):
            more["content"] = tables.damaged(rng, more["content"])
        more["params"]["rev"] = state["rev"]
    elif method in ("POST", "PATCH"):
        body = {"rev": state["rev"]} | BODIES.get(path, {})
        if maybe(rng, 0.3):
            body[pick(rng, sorted(body))] = pick(rng, ODD_VALUES)
        more["content"] = json.dumps(body, default=str)
        more["headers"] = {"content-type": "application/json"}
    answer = visitor().client.request(method, f"/{address.lstrip('/')}", **more)
    assert answer.status_code < 500, f"{method} {address} {more}: {answer.text[:500]}"
    return "refused" if answer.is_error else "ok"
