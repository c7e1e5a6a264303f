"""Odd sheets beside lists of contests: behavior logs, visits, presence, aliases, own tables."""

import datetime as dt

from tests.fuzzing.odd import NAMES, ODD_NAMES
from tests.fuzzing.tables import Table, as_rows, dates, events, maybe, pick

BEHAVIORS = ("bite", "chase", "displace", "groom", "flee", "submit", "")


def _actors(rng, number: int) -> tuple[list[str], list[str]]:
    pairs = [rng.choice(5, 2, replace=False) for _ in range(number)]
    return [NAMES[i] for i, _ in pairs], [NAMES[j] for _, j in pairs]


def behavior_log(rng) -> Table:
    """A list of behaviors: by hand, or as BORIS, ZooMonitor and Animal Observer export it."""
    number = int(rng.integers(1, 25))
    actor, other = _actors(rng, number)
    behavior = [pick(rng, BEHAVIORS) for _ in actor]
    form = pick(rng, ("hand", "hand", "boris", "aggregated", "zoomonitor", "animal observer"))
    if form == "hand":
        log = {"actor": actor, "recipient": other, "behavior": behavior}
        return as_rows(log | ({"date": dates(rng, number)} if maybe(rng, 0.5) else {}))
    if form == "zoomonitor":
        return as_rows(
            {
                "SessionID": [str(rng.integers(1, 4)) for _ in actor],
                "DateTime": dates(rng, number),
                "Focal Name": actor,
                "Interval Channel 1 Value": behavior,
                "Interval Channel 1 Social Modifier": other,
            }
        )
    if form == "animal observer":
        return as_rows(
            {
                "behavior_timestamp": dates(rng, number),
                "actor": actor,
                "subject": other,
                "behavior": behavior,
                "focal_start_timestamp": dates(rng, number),
            }
        )
    seconds = [f"{rng.random() * 900:.3f}" for _ in actor]
    log = {
        "Observation id": [pick(rng, ("one", "two")) for _ in actor],
        "Observation date": dates(rng, number),
        "Subject": [pick(rng, (name, "No focal subject")) for name in actor],
        "Behavior": behavior,
        "Modifiers": [pick(rng, (name, "", "None", f"{name}|hard")) for name in other],
    }
    if form == "aggregated":
        log |= {"Behavior type": ["POINT"] * number, "Start (s)": seconds, "Stop (s)": seconds}
    else:
        log |= {"Time": seconds, "Status": [pick(rng, ("POINT", "START", "STOP")) for _ in actor]}
    return as_rows(log)


def visits(rng) -> Table:
    """Visits to feeders, or detections."""
    number = int(rng.integers(1, 40))
    moment = dt.datetime(2020, 1, 1, 8)
    starts, ends = [], []
    for _ in range(number):
        moment += dt.timedelta(seconds=int(rng.integers(0, 9)))
        stay = dt.timedelta(seconds=int(rng.integers(0, 20)))
        starts.append(str(moment))
        ends.append(pick(rng, ("", "NA")) if maybe(rng, 0.03) else str(moment + stay))
        moment += stay if maybe(rng, 0.9) else dt.timedelta(0)
    table = {
        pick(rng, ("id", "individual", "tag", "bird")): [pick(rng, NAMES[:5]) for _ in starts],
        pick(rng, ("feeder", "place", "antenna", "x")): [pick(rng, ("1", "2", "")) for _ in starts],
        pick(rng, ("start", "timestamp", "arrival")): starts,
    }
    if maybe(rng, 0.7):
        table[pick(rng, ("end", "departure"))] = ends
    if maybe(rng, 0.2):
        table = {
            name: [cell[11:] for cell in cells] if cells in (starts, ends) else cells
            for name, cells in table.items()
        }
        table["date"] = ["2020-01-01"] * number
    return as_rows(table)


def presence(rng) -> Table:
    """Presence by months or days in columns, by stints in a row, or by birth and death."""
    names = list(NAMES[: int(rng.integers(1, 9))])
    form = pick(rng, ("transposed", "months", "stints", "lives"))
    day = lambda: f"20{rng.integers(0, 20):02}-0{rng.integers(1, 9)}-01"  # noqa: E731
    if form == "stints":
        rows = [
            [name, *(pick(rng, (day(), "")) for _ in range(int(rng.integers(1, 3)) * 2))]
            for name in names
        ]
        return [["id", "start1", "end1", "start2", "end2"], *rows]
    if form == "lives":
        columns = {c: [pick(rng, (day(), "", "?")) for _ in names] for c in ("born", "died")}
        return as_rows({"name": names, **columns, "arrival": [pick(rng, ("", day()))] * len(names)})
    labels = (
        [f"2009-01-{d:02}" for d in range(1, 9)]
        if form == "transposed"
        else [pick(rng, ("2009-{:02}", "{:02}/2009")).format(m) for m in range(1, 9)]
    )
    ticks = pick(rng, (("1", "0"), ("x", ""), ("yes", "no"), ("✓", "-")))
    return [["id", *labels], *([n, *(pick(rng, ticks) for _ in labels)] for n in names)]


def headed(rng) -> Table:
    """Contests below a title, or with names of columns in two rows, or dates written once."""
    table = events(rng)
    form = pick(rng, ("title", "two rows", "once", "sections"))
    width = len(table[0])
    if form == "title":
        return [[pick(rng, ("Field season", "", "winner"))] + [""] * (width - 1), *table]
    if form == "two rows":
        above = [pick(rng, ("", "contest", "names")) for _ in range(width)]
        return [above, *table]
    if form == "once":
        place = int(rng.integers(width))
        for row in table[2:]:
            row[place] = row[place] if maybe(rng, 0.3) else ""
        return table
    middle = int(rng.integers(1, len(table) + 1))
    return [*table[:middle], table[0], *table[middle:]]


def aliases(rng) -> Table:
    """A sheet of spellings."""
    heads = pick(rng, (("name", "individual"), ("alias", "correct name"), ("name", "x")))
    rows = [
        [pick(rng, (*NAMES, "abe", *ODD_NAMES)), pick(rng, (*NAMES, ""))]
        for _ in range(int(rng.integers(0, 6)))
    ]
    return [list(heads), *rows]


def own_table(rng) -> Table:
    """A user's own table with individuals and dates, to which ratings are joined."""
    number = int(rng.integers(1, 15))
    who, _ = _actors(rng, number)
    table = {"individual": who, "date": dates(rng, number), "weight": ["1.5"] * number}
    if maybe(rng, 0.2):
        table["rating"] = ["1"] * number
    return as_rows(table)
