"""Odd calls: the functions of the package and the commands of the shell with odd arguments."""

import inspect
import io
import json
import re
import warnings
from pathlib import Path

import numpy as np

import peckorder as po
from peckorder.methods import function as verb
from tests.fuzzing import formats, sheets, tables, uses
from tests.fuzzing.odd import NAMES, ODD_VALUES
from tests.fuzzing.options import CONDITIONS, options_of
from tests.fuzzing.tables import maybe, pick

# Small budgets: a case takes milliseconds. The rest is left at its default.
SMALL = {
    **dict.fromkeys(("chains", "threads", "seed"), 1),
    "runs": 12,
    "samples": 20,
    "warmup": 20,
    "orders": 2,
    "time_limit": 0.2,
    "effort": [20],
    "fair_coins": 4,
}
QUICK = (
    *[
        "davids_score",
        "isi",
        "bradley_terry",
        "indices",
        "elo",
        "elo_ml",
        "steepness",
        "linearity",
        "transitivity",
    ],
    *[
        "consistency",
        "order_test",
        "hierarchy_shape",
        "dyads",
        "unknown_dyads",
        "randomized_elo",
        "dynamic",
        "adaptive",
        "adagio",
        "percolation",
        "dominance_value",
        "network",
        "period_ranks",
    ],
)
OF_RATINGS = ("stability", "evaluate", "calibration", "predict")
SLOW = (
    *("elo_bayes", "steepness_bayes", "compare", "tune", "recovery", "reversals"),
    *("change_points", "power"),
)
SPORT = ("glicko", "glicko2", "home_advantages", "win_share", "areas", "simulate_season")
SIMULATED = (
    *[
        "hierarchy",
        "periods",
        "unbalanced",
        "takeover",
        "self_organizing",
        "winner_effect",
        "mortality",
    ],
    *["coalitionary_leap", "high_dimensional"],
)
FITS = ("loo", "predictive_check", "prequential", "prior_sensitivity")
FIGURES = ("bump", "matrix", "trajectories", "presence", "compare", "ranks", "network", "tenure")
MARKUP = {
    "Abe": "<script>alert(1)</script>",
    "Bo": "</script><b>",
    "Cy": '"><img src=x onerror=alert(1)>',
    "Di": "\x1b[31mDi\x9b",
}
CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e]")


def clean_data(rng) -> po.Contests | po.Matrix:
    """Data without a fault: of one of the usual kinds, or a shipped data set."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if maybe(rng, 0.3):
            return pick(rng, (po.datasets.adv, po.datasets.bonobos))()
        while True:
            table = pick(rng, tables.KINDS)(rng)
            try:
                data = po.read(tables.as_frame(np.random.default_rng(0), table, plain=True))
            except po.PeckorderError:
                continue
            return data.matrix() if maybe(rng, 0.1) else data


def odd_arguments(rng, function, most: int = 2) -> dict:
    """Small budgets, and a few arguments with odd values."""
    named = [
        n for n, p in inspect.signature(function).parameters.items() if p.kind == p.KEYWORD_ONLY
    ]
    chosen = {name: SMALL[name] for name in named if name in SMALL}
    for _ in range(int(rng.integers(0, most + 1))):
        if named:
            name = pick(rng, named)
            chosen[name] = pick(rng, ODD_VALUES)
    return {name: value for name, value in chosen.items() if name != "progress"}


def look(rng, found) -> None:
    """Use a result as people do: print it, show its table, ask it a question."""
    repr(found), str(found)
    for name in ("table", "summary", "to_dict", "history"):
        if maybe(rng, 0.4) and hasattr(found, name):
            part = getattr(found, name)
            _ = part() if callable(part) else part
    if isinstance(found, po.Ratings) and maybe(rng, 0.5):
        ask = pick(rng, ("at", "trajectory", "probability", "integral"))
        arguments = (
            [pick(rng, ODD_VALUES)] if ask != "probability" else ["a", pick(rng, ODD_VALUES)]
        )
        getattr(found, ask)(*arguments)


def call_a_function(rng) -> None:
    """A function of the package, on data without a fault, with odd arguments."""
    data = clean_data(rng)
    draw = rng.random()
    if draw < 0.1:
        name = pick(rng, SPORT)
        rated = isinstance(data, po.Contests) and not name.startswith("glicko")
        _use(rng, getattr(po.sport, name), po.elo(data) if rated else data)
    elif draw < 0.2:
        function = getattr(po.simulate, pick(rng, SIMULATED))
        look(rng, function(**odd_arguments(rng, function)))
    elif draw < 0.35:
        ratings = po.elo(data) if isinstance(data, po.Contests) else data
        _use(rng, verb(pick(rng, OF_RATINGS)), ratings)
    elif draw < 0.42:
        _use(rng, verb(pick(rng, QUICK)), pick(rng, ODD_VALUES))
    else:
        _use(rng, verb(pick(rng, QUICK)), data)


def _use(rng, function, data) -> None:
    look(rng, function(data, **odd_arguments(rng, function)))


def read_a_table(rng) -> None:
    """An odd table, in memory, with odd options; then a method."""
    table = tables.mutated(rng, pick(rng, formats.KINDS)(rng))
    options = options_of(rng, po.read) if maybe(rng, 0.5) else {}
    if maybe(rng, 0.15):
        made = pick(rng, (tables.presence, sheets.presence))(rng)
        options["presence"] = tables.as_python(rng, tables.mutated(rng, made))
    if table[0][:1] in (["actor"], ["SessionID"], ["behavior_timestamp"], ["Observation id"]):
        options = {"winner_behaviors": ["bite", "chase"], "loser_behaviors": "flee"} | options
    _analyze(rng, po.read(tables.as_python(rng, table), **options))


def read_a_file(rng) -> None:
    """An odd file, sometimes damaged, with odd options; then a method."""
    path = formats.odd_file(rng)
    _analyze(rng, po.read(path, **(options_of(rng, po.read) if maybe(rng, 0.4) else {})))


def _analyze(rng, data) -> None:
    repr(data), str(data.report)
    if maybe(rng, 0.3):
        str(data.check())
    if maybe(rng, 0.2):
        data.to_table()
    if maybe(rng, 0.1):
        repr(data.filter(pick(rng, CONDITIONS)))
    if maybe(rng, 0.1):
        data.group_size(period=pick(rng, ("month", "year", "x", None)))
    if maybe(rng, 0.6):
        function = verb(pick(rng, QUICK))
        look(rng, function(data, **odd_arguments(rng, function, most=0)))
    elif maybe(rng, 0.5):
        uses.ask(rng, po.elo(data))


def read_presence(rng) -> None:
    """Odd presence data, alone or with contests."""
    made = pick(rng, (tables.presence, sheets.presence))(rng)
    table = tables.mutated(rng, made)
    source = formats.odd_file(rng, table) if maybe(rng, 0.2) else tables.as_python(rng, table)
    found = po.read_presence(source, **(options_of(rng, po.read_presence, 2)))
    repr(found), found.to_table()
    data = clean_data(rng)
    if isinstance(data, po.Contests):
        look(rng, po.elo(data.with_presence(found), entry="mean"))


def use_a_result(rng) -> None:
    """Ratings, asked odd questions; measures over time; results in files."""
    data = clean_data(rng)
    if isinstance(data, po.Matrix) or maybe(rng, 0.2):
        function = verb(pick(rng, QUICK))
        uses.save(rng, function(data, **odd_arguments(rng, function, most=0)))
    elif maybe(rng, 0.4):
        uses.follow(rng, data)
    else:
        rated = (
            po.dynamic(data, samples=20, seed=1, threads=1) if maybe(rng, 0.05) else po.elo(data)
        )
        uses.ask(rng, rated)


def make_an_object(rng) -> None:
    """Contests, a matrix or presence data made by hand from arrays; then a method."""
    size = int(rng.integers(1, 5))
    number = int(rng.integers(0, 9))

    def array():
        kind = pick(rng, ("codes", "codes", "codes", "wild", "float", "short", "square", "text"))
        if kind == "wild":
            return rng.integers(-(2**40), 2**40, number)
        if kind == "short":
            return rng.integers(0, size, max(0, number - 1))
        if kind == "square":
            return rng.integers(0, 3, (number, 2))
        if kind == "text":
            return np.array(["a"] * number)
        return rng.integers(-1, size + 1, number).astype(float if kind == "float" else np.int32)

    names = NAMES[:size]
    what = pick(rng, ("contests", "contests", "matrix", "presence"))
    if what == "matrix":
        wins = rng.integers(0, 4, (size, size)) if maybe(rng, 0.6) else array()
        look(rng, po.davids_score(po.Matrix(names, wins, None if maybe(rng, 0.7) else array())))
        return
    if what == "presence":
        start = (
            np.array(["2009-01-01", "2009-02-01"], "datetime64[D]") if maybe(rng, 0.5) else array()
        )
        repr(po.Presence(names[:2], start, start if maybe(rng, 0.5) else array()))
        return
    codes = rng.integers(0, size, number)
    more = {n: array() for n in ("draw", "date", "points", "home", "rows") if maybe(rng, 0.15)}
    winner = codes if maybe(rng, 0.5) else array()
    loser = (codes + 1) % size if maybe(rng, 0.5) else array()
    _analyze(rng, po.Contests(names, winner, loser, **more))


def load_a_file(rng) -> None:
    """A stored result with damage: bytes, arrays or values changed."""
    if maybe(rng, 0.5):
        rater = po.EloRater(k=100)
        rater.update("Abe", "Bo")
        saved = rater.to_dict()
        _change(rng, saved)
        text = json.dumps(saved, default=str).encode()
        Path("rater.json").write_bytes(tables.damaged(rng, text) if maybe(rng, 0.3) else text)
        again = po.EloRater.load("rater.json")
        again.update("Abe", pick(rng, ("Bo", "Cy")))
        repr(again), again.to_dict()
        return
    raw = stored_posterior()
    if maybe(rng, 0.3):
        Path("post.npz").write_bytes(tables.damaged(rng, raw))
    else:
        arrays = dict(np.load(io.BytesIO(raw)))
        header = json.loads(arrays["header"].tobytes())
        if maybe(rng, 0.5):
            _change(rng, header)
        arrays["header"] = np.frombuffer(json.dumps(header, default=str).encode(), np.uint8)
        if maybe(rng, 0.7):
            name = pick(rng, sorted(set(arrays) - {"header"}))
            arrays[name] = _odd_array(rng, arrays[name])
            if maybe(rng, 0.1):
                del arrays[name]
        np.savez("post.npz", **arrays)
    post = po.Posterior.load("post.npz")
    repr(post), post.table, post.history


_STORED: list[bytes] = []


def stored_posterior() -> bytes:
    """A small posterior as the bytes of its file; fitted once."""
    if not _STORED:
        from peckorder.ratings.posterior import packed

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            post = po.elo_bayes(po.datasets.adv(), samples=20, warmup=20, chains=2, seed=1)
        _STORED.append(packed(post))
    return _STORED[0]


def _odd_array(rng, array: np.ndarray) -> np.ndarray:
    how = pick(rng, ("wild", "short", "shape", "type", "nan"))
    if how == "wild":
        return rng.integers(-(2**31), 2**31 - 1, array.shape).astype(array.dtype)
    if how == "short":
        return array[: max(0, len(array) - 1)]
    if how == "shape":
        return array.reshape(-1) if array.ndim > 1 else np.stack([array, array])
    if how == "type":
        return array.astype(pick(rng, ("f4", "i1", "f8")))
    return np.full(array.shape, np.nan)


def _change(rng, saved) -> None:
    """Replace or delete a random value, however deep it is."""
    while True:
        keys = list(saved) if isinstance(saved, dict) else list(range(len(saved)))
        if not keys:
            return
        key = pick(rng, keys)
        if isinstance(saved[key], dict | list) and saved[key] and maybe(rng, 0.7):
            saved = saved[key]
            continue
        if maybe(rng, 0.2):
            del saved[key]
        else:
            plain = [v for v in ODD_VALUES if isinstance(v, int | float | str | list | dict | None)]
            saved[key] = pick(rng, plain)
        return


def call_something_slow(rng) -> None:
    """A fit, its checks, a simulation study or a figure, with odd arguments."""
    draw = rng.random()
    if draw < 0.1:
        report_a_page(rng)
    elif draw < 0.5:
        _use(rng, verb(pick(rng, SLOW)), clean_data(rng))
    elif draw < 0.7:
        Path("post.npz").write_bytes(stored_posterior())
        _use(rng, getattr(po.Posterior, pick(rng, FITS)), po.Posterior.load("post.npz"))
    else:
        data = clean_data(rng)
        shown = po.elo(data) if isinstance(data, po.Contests) and maybe(rng, 0.7) else data
        function = getattr(po.plot, pick(rng, FIGURES))
        arguments = odd_arguments(rng, function)
        function(shown, **{name: v for name, v in arguments.items() if name != "seed"})
        close_figures()


def report_a_page(rng) -> None:
    """A report on small data with odd names: its page contains no markup of theirs."""
    table = tables.events(rng)
    for row in table[1:]:
        row[:2] = [MARKUP.get(name, name) for name in row[:2]]
    data = po.read(tables.as_frame(rng, table, plain=True), missing="drop")
    Path("page.html").unlink(missing_ok=True)
    title = pick(rng, (None, "", "<script>alert(1)</script>", "x" * 5000, 5))
    po.report(data, "page.html", runs=12, seed=1, threads=1, title=title)
    page = Path("page.html").read_text(encoding="utf-8")
    assert page.rstrip().endswith("</html>"), "the page is not whole"
    for markup in ("<script>alert", "<img src=x", "</script><b"):
        assert markup not in page, f"markup of a name in the page: {markup}"
    text = re.sub(r"<script>.*?</script>", "", page, flags=re.DOTALL)  # plotly has its own
    assert not CONTROL.search(text), "control characters in the page"


def close_figures() -> None:
    """Free the memory of all figures."""
    import matplotlib.pyplot as plt

    plt.close("all")
