"""Further sheets with a trap, as a hostile tester would make them (see `field_sheets`)."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from itertools import combinations
from random import Random

from tests.field_sheets import NAMES, Case, days, fights, flip, sheet, square

ANY = "."  # whatever is said: a sheet that nobody can read without asking


def more_groups() -> Iterator[Case]:
    trap, ids = "group|pooled|BF|same individuals|no name|blank", ("1", "2", "3", "4", "5")
    for seed, head in enumerate(["vivarium", "Becken", "bassin", "room", "lote", "flock #"], 41):
        random, found, label = Random(seed), [], []
        for place in ("a", "b", "c"):
            own = fights(30, tuple(random.sample(ids, 5)), seed + len(found))
            found, label = found + own, label + [place] * 30
        mixed = random.sample(range(90), 90)
        found, label = [found[i] for i in mixed], [label[i] for i in mixed]
        text = sheet(f"winner,loser,{head}", found, label)
        yield Case("groups", head, text, found, {"group": head}, trap, groups=label)
    one, other = fights(20, ids, 3), fights(20, ids[::-1], 4)
    blocks = sheet("winner,loser", one, above="") + "Cage 2,\n" + sheet("", other)
    yield Case("groups", "a line between blocks", blocks, [*one, *other], {}, trap)
    once = [("cage 1" if i == 0 else "cage 2" if i == 20 else "") for i in range(40)]
    text = sheet("cage,winner,loser", once, [*one, *other])
    yield Case("groups", "named in the first row", text, [*one, *other],
               {"fill_down": "cage"}, trap, groups=["cage 1"] * 20 + ["cage 2"] * 20)  # fmt: skip


def more_behaviors() -> Iterator[Case]:
    kinds = [
        ("actor,receiver,behavior", ("attack",), ("evade", "walk away")),
        ("actor,receiver,behavior", ("AG",), ("SU", "AV")),
        ("actor,receptor,conducta", ("ataca",), ("huye",)),
        ("acteur,receveur,comportement", ("poursuit",), ("fuit", "évite")),
        ("attore,ricevente,comportamento", ("attacca",), ("fugge",)),
        ("aggressor,recipient,response", ("none",), ("counter-attack wins",)),
        ("from,to,behavior", ("peck",), ("leaves",)),
        ("performer,target,behavior", ("bite",), ("runs away",)),
    ]
    for seed, (head, won, lost) in enumerate(kinds, 60):
        found = fights(40, seed=seed)
        acts = [(*won, *lost)[i % (len(won) + len(lost))] for i in range(40)]
        sides = [pair[::-1] if act in lost else pair for pair, act in zip(found, acts, strict=True)]
        one, other, column = head.split(",")
        remedy = {"winner": one, "loser": other, "context": column}
        remedy |= {"winner_behaviors": [*won], "loser_behaviors": [*lost]}
        trap = "behavi|wins|won|actor|direction|act|recognized|response"
        yield Case("behaviors", f"{head}: {lost[0]}", sheet(head, sides, acts), found, remedy, trap)
    found = fights(30, seed=70)
    turned = [i % 4 == 0 for i in range(30)]
    sides = [pair[::-1] if t else pair for pair, t in zip(found, turned, strict=True)]
    for head, yes, no in (
        ("aggressor,victim,aggressor won?", "yes", "no"),
        ("initiator,recipient,outcome (I/R)", "I", "R"),
        ("focal,opponent,focal wins", "TRUE", "FALSE"),
        ("attacker,defender,attacker_outcome", "win", "loss"),
        ("actor,receiver,success", "1", "0"),
        ("individual,opponent,result", "+", "-"),
    ):
        text = sheet(head, sides, [no if t else yes for t in turned])
        yield Case("behaviors", head, text, found, {}, "who won|outcome|winner|won|neither|success")
    text = sheet("actor,receiver,winner", sides, [w for w, _ in found])
    yield Case("behaviors", "actor, receiver and winner", text, found, {}, "who won")


def more_order() -> Iterator[Case]:
    found, trap = fights(30, seed=80), "order|time|date|hour|trial|column|round|neither|sorted"
    dates = days(30, 5)
    for head, cell in (
        ("time", lambda i: f"{9 + i % 5}h{10 + i % 5}"),
        ("time", lambda i: f"{800 + 100 * (i % 5) + 15:04d}"),
        ("trial", lambda i: ("I", "II", "III", "IV", "V")[i % 5]),
        ("round", lambda i: ("1st", "2nd", "3rd", "4th", "5th")[i % 5]),
        ("part of day", lambda i: ("dawn", "morning", "noon", "afternoon", "dusk")[i % 5]),
        ("bout", lambda i: f"B{1 + i % 5}"),
        ("clock", lambda i: f"{(8, 9, 10, 1, 2)[i % 5]}:{10 + i % 5} {'ap'[i % 5 > 2]}m"),
        ("video time", lambda i: f"00:{5 * (i % 5) + 3:02d}:{i:02d}"),
    ):
        rows = [(d, *pair, cell(i)) for i, (d, pair) in enumerate(zip(dates, found, strict=True))]
        mixed = sorted(Random(2).sample(range(30), 30), key=lambda i: dates[i])
        text = sheet(f"date,winner,loser,{head}", [rows[i] for i in mixed])
        yield Case("order", f"date, {head}: {cell(1)}", text, found, {"order": head}, trap)
    mixed = Random(5).sample(range(30), 30)
    months = ("January", "February", "March", "April", "May", "June")
    for head, cells in (
        ("year,month", lambda i: (2020 + i // 12, i % 12 + 1)),
        ("month,year", lambda i: (months[i // 5], 2021)),
        ("year,season", lambda i: (2015 + i // 4, ("winter", "spring", "summer", "fall")[i % 4])),
        ("week", lambda i: (f"2021-W{i + 1:02d}",)),
        ("quarter", lambda i: (f"{2014 + i // 4}Q{i % 4 + 1}",)),
        ("study day", lambda i: (f"day {i + 1}",)),
        ("date", lambda i: (f"{months[i // 5]} {3 + i % 5 * 4}",)),
        ("date", lambda i: (f"Mon {1 + i % 28}/{5 + i // 28}/2021",)),
    ):
        rows = [(*cells(i), *pair) for i, pair in enumerate(found)]
        text = sheet(f"{head},winner,loser", [rows[i] for i in mixed])
        yield Case("order", f"{head}: {cells(7)}", text, found, {}, trap)
    text = sheet("n,winner,loser", [(30 - i, *pair) for i, pair in enumerate(found[::-1])])
    yield Case("order", "numbers that fall", text, found, {"order": "n"}, trap)


def more_dates() -> Iterator[Case]:
    found, iso = fights(24, seed=90), days(24)
    for wrong in ("0202-05-07", "20021-05-07", "2021-13-07", "7.5.", "yesterday", "2012-05-07"):
        cells = [*iso[:6], wrong, *iso[7:]]
        text = sheet("date,winner,loser", cells, found)
        yield Case("dates", f"one is {wrong}", text, found, {}, f"{wrong}|year",
                   after=[*found[:6], *found[7:]])  # fmt: skip
    cells = [f"{i + 1}/5/2021" if i < 12 else f"2021-05-{i + 1:02d}" for i in range(24)]
    yield Case("dates", "two forms", sheet("date,winner,loser", cells, found), found, {}, "ambig")
    cells = [f"{5 + i // 12:02d}/{1 + i % 12:02d}/2021" for i in range(24)]
    yield Case("dates", "two readings", sheet("date,winner,loser", cells, found), found, {},
               "ambiguous")  # fmt: skip


WRONG_NAMES = (
    *("Bella.", "[Bella]", "?Bella", "Bella ?", "BELLA", "Bella\u00a0", "B\u0435lla", "Bella (2)"),
    *("Bella!", "Bella/Cora", "Bella and Cora", "Bella & ?", "Bella(juv)", "~Bella", "Bella - m"),
    *("none", "-", "ditto", "same", "idem", "unk1", "unknown male", "stranger", "nobody", "xx"),
    *("human", "9999", "0", "not Bella", "probably Bella", "Bellla", "other", "outsider", "N.N."),
    *("?", "??", "tie", "no winner", "both", "all", "group", "Bella>Cora", "see note", "TBD"),
)


def more_names() -> Iterator[Case]:
    for seed, odd in enumerate(WRONG_NAMES):
        found = fights(40, seed=100 + seed)
        place = next(i for i, pair in enumerate(found) if "Bella" in pair and i > 5)
        cells: list[tuple] = [*found]
        cells[place] = tuple(odd if name == "Bella" else name for name in found[place])
        text = sheet("winner,loser", cells, sep=";")
        out = [*found[:place], *found[place + 1 :]]
        if odd in ("Bella/Cora", "Bella and Cora", "Bella & ?"):  # one contest with each
            each = [tuple(n if one == "Bella" else one for one in found[place])
                    for n in (("Bella", "?") if "?" in odd else ("Bella", "Cora"))]  # fmt: skip
            out = [*found[:place], *each, *found[place + 1 :]]
        about = "name|individual|several|outcome|letter|missing|Abby"
        spelled = odd.strip(" \u00a0.?[]()~!-2mjuv").casefold() in ("bella", "b\u0435lla", "bellla")
        yield Case("names", repr(odd), text, found, {},
                   about, after=found if spelled else out)  # fmt: skip
    tags = [f"98511200{i:04d}" for i in range(12)]
    found = fights(40, tuple(tags), 7)
    rounded = [tuple(f"{float(name):.5E}".replace("E+", "E+") for name in pair) for pair in found]
    yield Case("names", "tags rounded by Excel", sheet("winner,loser", rounded), found, {},
               "E\\+|exact|same individual|rounded", unreadable=True)  # fmt: skip


def more_edges() -> Iterator[Case]:
    found = fights(24, seed=150)
    plain = sheet("winner,loser", found)
    lines = plain.splitlines(keepends=True)
    trap = "row|header|field|total|note|name"
    yield Case("edges", "units below the header", "".join([lines[0], "(ID),(ID)\n", *lines[1:]]),
               found, {"leave_out": "2"}, trap)  # fmt: skip
    yield Case("edges", "header on each page", "".join([*lines[:13], lines[0], *lines[13:]]), found,
               {"leave_out": 14}, trap)  # fmt: skip
    below = "\nindividual,wins\nAbby,9\nBella,7\nCora,5\n"
    yield Case("edges", "a second table below", plain + below, found, {}, trap)
    yield Case("edges", "comments with #", "# station 3\n# 2021\n" + plain, found, {}, trap)
    yield Case("edges", "blanks in the header", plain.replace("winner,loser", " winner , loser"),
               found, clean=True)  # fmt: skip
    yield Case("edges", "a comma at each end", "".join(x.strip() + ",\n" for x in lines), found,
               clean=True)  # fmt: skip
    yield Case("edges", "mean below", plain + "mean,3.2\n", found, {}, trap)


def more_filters() -> Iterator[Case]:
    found = fights(40, seed=160)
    void = [i % 9 == 4 for i in range(40)]
    left = [pair for pair, out in zip(found, void, strict=True) if not out]
    trap = "filter|mark|rows|value|remark|may|outcome"
    for head, bad, good in (
        ("ok?", "no", "yes"),
        ("use", "0", "1"),
        ("quality", "bad", "good"),
        ("status", "preliminary", "final"),
        ("Ausschluss", "ja", "nein"),
        ("phase", "training", "test"),
        ("double entry", "x", ""),
        ("retracted", "TRUE", "FALSE"),
        ("type", "no contest", "contest"),
        ("remarks", "anulado", ""),
        ("note", "disregard", ""),
        ("comment", "observer error, ignore", ""),
        ("cancelled", "1", "0"),
    ):
        text = sheet(f"winner,loser,{head}", found, [bad if out else good for out in void])
        yield Case("filters", f"{head}: {bad}", text, left, {}, trap)
    turned = [pair[::-1] if out else pair for pair, out in zip(found, void, strict=True)]
    for head, bad, good in (("corrected", "reversed", ""), ("swapped?", "yes", "no")):
        text = sheet(f"winner,loser,{head}", turned, [bad if out else good for out in void])
        yield Case("filters", f"{head}: {bad}", text, found, {}, trap)


def more_counts() -> Iterator[Case]:
    pairs = sorted({*fights(60, seed=170)})
    number = [1 + (3 * i) % 5 for i in range(len(pairs))]
    found = [pair for pair, n in zip(pairs, number, strict=True) for _ in range(n)]
    for head in ("#", "reps", "x", "times seen", "freq.", "N.°", "nb", "Anzahl Kämpfe", "tally"):
        text = sheet(f"winner,loser,{head}", pairs, number)
        yield Case("counts", head, text, found, {"count": head}, "count|number", ordered=False)


def more_matrices() -> Iterator[Case]:
    found = fights(60, seed=180)
    trap = "rows lost|winner|diagonal|numbers of contests|square|whole|row|wins"
    for corner in (
        "loser ↓ winner →",
        "defeated",
        "Receiver\\Actor",
        "victim",
        "loses to",
        "beaten",
    ):
        yield Case("matrices", f"corner: {corner}", square(NAMES, flip(found), corner), found,
                   {"winners": "columns"}, trap, ordered=False)  # fmt: skip
    for title in ("Defeats 2021", "rows lost to columns", "Number of losses"):
        text = square(NAMES, flip(found), "", above=f"{title}\n\n")
        yield Case("matrices", f"title: {title}", text, found, {"winners": "columns"}, trap,
                   ordered=False)  # fmt: skip
    both = [*found, *flip(found)]
    yield Case("matrices", "contests, not wins", square(NAMES, both), found, {}, trap,
               unreadable=True)  # fmt: skip
    wins = {pair: found.count(pair) for pair in found}
    share = [
        (a, *(round(wins.get((a, b), 0) / max(1, wins.get((a, b), 0) + wins.get((b, a), 0)), 2)
              for b in NAMES))
        for a in NAMES
    ]  # fmt: skip
    yield Case("matrices", "shares", sheet(",".join(["", *NAMES]), share), found, {}, trap,
               unreadable=True)  # fmt: skip
    net = [(a, *(wins.get((a, b), 0) - wins.get((b, a), 0) for b in NAMES)) for a in NAMES]
    yield Case("matrices", "differences", sheet(",".join(["", *NAMES]), net), found, {}, trap,
               unreadable=True)  # fmt: skip


def more_sides() -> Iterator[Case]:
    found, trap = fights(30, seed=190), "who won|outcome|winner|points|recognized|column|sides|may"
    turned = [i % 3 == 0 for i in range(30)]
    sides = [pair[::-1] if t else pair for pair, t in zip(found, turned, strict=True)]
    for head, one, other in (
        ("R_fighter,B_fighter,Winner", "Red", "Blue"),
        ("home,away,result", "1", "2"),
        ("home,away,result", "home win", "away win"),
        ("player 1,player 2,won by", "1st", "2nd"),
        ("model_1,model_2,preferred", "A", "B"),
        ("white,black,winner", "white", "black"),
        ("individual_1,individual_2,winner", "individual_1", "individual_2"),
        ("ID1,ID2,Winner (1 or 2)", "1", "2"),
        ("left,right,choice", "L", "R"),
        ("team,opponent,W/L", "W", "L (OT)"),
        ("challenger,defender,result", "challenger", "defender"),
    ):
        text = sheet(head, sides, [other if t else one for t in turned])
        yield Case("sides", f"{head}: {other}", text, found, {}, trap)
    for head, values in (
        ("home,away,margin", [-7 if t else 5 for t in turned]),
        ("home,away,home_goals", [0 if t else 2 for t in turned]),
        ("home,away,score", ["1-Feb" if t else "2-Jan" for t in turned]),
        ("home,away,score", ["15-21 18-21" if t else "21-15 21-18" for t in turned]),
        ("Visitor/Neutral,Home/Neutral,PTS,PTS.1", [(90, 99) if t else (99, 90) for t in turned]),
    ):
        yield Case("sides", f"{head}: {values[1]}", sheet(head, sides, values), found, {}, trap)
    text = sheet("dyad,winner", [f"{min(p)}-{max(p)}" for p in found], [w for w, _ in found])
    yield Case("sides", "a column of dyads", text, found, {}, trap)
    rows = [(i, name, word) for i, pair in enumerate(found)
            for name, word in zip(pair, ("win", "lose"), strict=True)]  # fmt: skip
    yield Case("sides", "a row per individual", sheet("contest,individual,outcome", rows), found,
               {}, trap)  # fmt: skip
    three = [(*pair, next(n for n in NAMES if n not in pair)) for pair in found]
    yield Case("sides", "first, second, third", sheet("first,second,third", three), found, {}, trap,
               unreadable=True)  # fmt: skip
    for head in (
        "dom,sub",
        "ID.dominant,ID.subordinate",
        "Dominant ID,Subordinate ID",
        "victor,vanquished",
    ):
        yield Case("sides", head, sheet(head, found), found, {}, trap)
    numbers = fights(30, ("1", "2", "3", "4"), 191)
    text = sheet("ID1,ID2,winner", numbers, [w for w, _ in numbers])
    yield Case("sides", "names 1 and 2", text, numbers, {}, trap)
    tour = sheet("tourney_date,winner_name,loser_name,score,round,surface", ["20210503"] * 30, found,
                 ["6-4 6-2"] * 30, ["R32"] * 16 + ["R16"] * 8 + ["QF"] * 6, ["clay"] * 30)  # fmt: skip
    yield Case("sides", "tennis", tour, found, {}, "round")


def more_texts() -> Iterator[Case]:
    found = fights(24, seed=200)
    plain, trap = sheet("winner,loser", found), "read|recognized|table|JSON|field"
    records = [{"winner": w, "loser": o, "meta": {"judge": "x"}} for w, o in found]
    for habit, source, suffix in (
        ("UTF-16", plain.encode("utf-16"), ".csv"),
        ("sep= line", "sep=;\n" + plain.replace(",", ";"), ".csv"),
        ("tabs in a csv", plain.replace(",", "\t"), ".csv"),
        (
            "all in quotes",
            "\n".join(f'"{w}","{o}"' for w, o in [("winner", "loser"), *found]),
            ".csv",
        ),
        ("nested JSON", json.dumps({"data": {"contests": records}}), ".json"),
        ("JSON with objects", json.dumps(records), ".json"),
        (
            "HTML",
            "<table>" + "".join(f"<tr><td>{w}</td><td>{o}</td></tr>" for w, o in found),
            ".xls",
        ),
        ("LaTeX", "winner & loser \\\\\n" + "".join(f"{w} & {o} \\\\\n" for w, o in found), ".txt"),
        ("sentences", "".join(f"{w} chased {o}.\n" for w, o in found), ".txt"),
        ("a line each", "".join(f"{w} beat {o}\n" for w, o in found), ".txt"),
    ):
        yield Case("texts", habit, source, found, {}, trap, suffix=suffix)


def second_round() -> Iterator[Case]:
    """Made after all of the above were noticed: 13 of these were then read wrongly in silence."""
    found, act = fights(40, seed=300), "behavi|wins|won|actor|direction|act|recognized|lost|sides"
    for head, word in (
        ("actor,receiver,behavior", "avoids"),
        ("initiator,recipient,act", "retreat"),
        ("giver,receiver,behaviour", "submission"),
    ):
        text = sheet(head, flip(found), [word] * 40)
        yield Case("behaviors", f"always {word}", text, found, {}, act)
    for head in (
        *("avoider,avoided", "submissive,dominant", "fleeing,chasing", "yields,to", "lost,won"),
        *("displaced,displaced by", "victim,aggressor", "recipient,actor", "bullied,bully"),
        *("loser_id,winner_id", "subordinate,dominant", "chased,chaser", "target,attacker"),
        *("supplanted,supplanter", "defeated,winner", "beaten,beater", "loses_to,individual"),
    ):
        yield Case("reversed", head, sheet(head, flip(found)), found, {}, act)
    for won, lost in (
        *(("aanval", "vlucht"), ("ataque", "foge"), ("attack", "flyr"), ("bite", "mount refused")),
        *(("chase", "approach-retreat"), ("dominance", "deference")),
    ):
        acts = [(won, lost, lost)[i % 3] for i in range(40)]
        sides = [p[::-1] if a == lost else p for p, a in zip(found, acts, strict=True)]
        text = sheet("actor,receiver,behavior", sides, acts)
        yield Case("behaviors", f"{won}, {lost}", text, found, {}, act)
    ids = ("1", "2", "3", "4", "5")
    heads = ("Stall", "kooi", "box nr", "cohort", "Käfig", "site", "parcela", "block", "wing")
    for seed, head in enumerate(heads, 50):
        random, own, label = Random(seed), [], []
        for place in ("1", "2", "3"):
            own += fights(30, tuple(random.sample(ids, 5)), seed + len(own))
            label += [place] * 30
        mixed = random.sample(range(90), 90)
        own, label = [own[i] for i in mixed], [label[i] for i in mixed]
        text = sheet(f"winner,loser,{head}", own, label)
        yield Case("groups", head, text, own, {}, "group|pooled|BF", groups=label)
    trap = "rows lost|winner|diagonal|columns"
    for title in (
        *("losers in rows", "columns beat rows", "dominant in columns", "winners in columns"),
        *("Row: victim; column: aggressor", "Displaced (rows) by (columns)"),
    ):
        text = square(NAMES, flip(found), "", above=f"{title}\n\n")
        yield Case("titles", title, text, found, {"winners": "columns"}, trap, ordered=False)
    for corner in ("→ loses against", "Loser/Winner", "submits to", "received from", "Verlierer"):
        text = square(NAMES, flip(found), corner)
        yield Case("corners", corner, text, found, {"winners": "columns"}, trap, ordered=False)
    for one, other in (
        *(("A-1", "A–1"), ("O'Brien", "O’Brien"), ("Jose", "José"), ("12a", "12A"), ("A 1", "A1")),
        *(("No. 7", "7"), ("Smith, J.", "Smith J"), ("red/blue", "red-blue"), ("K12", "K-12")),
        *(("#7", "7"), ("Abby2", "Abby 2"), ("Max ♂", "Max")),
    ):
        digits = one[0].isdigit() or one[0] == "#"
        names = (one, *(("8", "9", "10", "11") if digits else ("Bella", "Cora", "Dan", "Eve")))
        pairs = fights(40, names, seed=310)
        place = [i for i, pair in enumerate(pairs) if one in pair][4]
        cells: list[tuple] = [*pairs]
        cells[place] = tuple(other if name == one else name for name in pairs[place])
        text = sheet("winner,loser", cells)
        yield Case("names", f"{one} and {other}", text, pairs, {}, "name|letter|apart|several")
    for head, bad, good in (
        *(("include", "0", "1"), ("exclude", "y", ""), ("certainty", "1", "5"), ("flag", "A", "")),
        *(("confidence", "low", "high"), ("video check", "wrong bird", ""), ("QC", "fail", "pass")),
        *(("comments", "wrong ID", ""), ("notes", "dup", ""), ("annotation", "??", "")),
        *(("accepted", "n", "y"), ("complete", "no", "yes"), ("interrupted", "yes", "no")),
        *(("bemerkung", "nicht sicher", ""), ("obs", "incertain", "")),
    ):
        text = sheet(f"winner,loser,{head}", found, [(good, bad)[i % 9 == 4] for i in range(40)])
        left = [pair for i, pair in enumerate(found) if i % 9 != 4]
        yield Case("filters", f"{head}: {bad}", text, left, {}, "filter|mark|rows|value|remark")
    random = Random(320)
    for head in ("rain", "video", "dog present", "playback"):
        text = sheet(f"winner,loser,{head}", found, [random.choice(("yes", "no")) for _ in found])
        yield Case("clean", head, text, found, clean=True)
    when = [f"2021-0{5 + i // 28}-{1 + i % 28:02d}" for i in range(40)]
    for head in ("group size", "duration_s", "distance", "n birds", "age winner"):
        text = sheet(
            f"date,winner,loser,{head}", when, found, [random.randint(2, 30) for _ in found]
        )
        yield Case("clean", head, text, found, clean=True)


FURTHER = (
    *(more_groups, more_behaviors, more_order, more_dates, more_names, more_edges, more_filters),
    *(more_counts, more_matrices, more_sides, more_texts, second_round),
)


def layouts() -> Iterator[Case]:
    """Columns as packages, archives and sites of sport have them."""
    found = fights(30, seed=400)
    turned = [i % 3 == 0 for i in range(30)]
    sides = [pair[::-1] if t else pair for pair, t in zip(found, turned, strict=True)]
    any_ = "who won|outcome|winner|points|recognized|column|sides|may|behavi|order|group|count"
    when = [f"2021-05-{i + 1:02d}" for i in range(30)]
    for head in (
        *("W,L", "Win,Lose", "W_ID,L_ID", "Winner name,Loser name", "ID winner,ID loser"),
        *("Displacer ID,Displaced ID", "Dominante,Dominado", "winner.id,loser.id", "Agg,Vic"),
        *("winnerID,loserID", "name_winner,name_loser", "Gewinner-ID,Verlierer-ID"),
        *("aggressor band,recipient band", "Initiator1,Recipient1", "dominant bird,subordinate bird"),
        *("winning_team,losing_team", "winner_name,loser_name", "Winning ID,Losing ID"),
    ):  # fmt: skip
        yield Case("layouts", head, sheet(f"date,{head}", when, found), found, {}, any_)
    text = sheet("Date,winner,loser,Draw,intensity,Time", when, found, ["FALSE"] * 30,
                 ["low", "high"] * 15, ["9:30"] * 30)  # fmt: skip
    yield Case("layouts", "EloRating", text, found, clean=True)
    for head, one, other in (
        ("id1,id2,result", "1", "2"),
        ("white_username,black_username,winner", "white", "black"),
        ("Mouse1,Mouse2,Winner number", "1", "2"),
        ("Month,White,Black,Score", "1", "0"),
        ("boxer_a,boxer_b,result", "win_A", "win_B"),
        ("model_a,model_b,winner", "model_a", "model_b"),
        ("Team,Opp,Result", "W 3-1", "L 0-2"),
        ("team,opponent,result", "Won", "Lost"),
        ("First fish,Second fish,Winner", "first", "second"),
        ("Home,Visitor,Winner", "Home", "Visitor"),
        ("rikishi1,rikishi2,rikishi1_win", "1", "0"),
        ("player1,player2,player1_won", "TRUE", "FALSE"),
        ("a,b,a_won", "1", "0"),
        ("left_model,right_model,vote", "left", "right"),
        ("item_a,item_b,preference", "a", "b"),
    ):
        cells = [other if t else one for t in turned]
        first = [list(range(30))] if head.startswith("Month") else []
        text = sheet(head, *first, sides, cells)
        yield Case("layouts", f"{head}: {other}", text, found, {}, any_)
    named = [winner for winner, _ in found]
    for head in ("Mouse1,Mouse2,Winner", "bird A,bird B,winner", "First fish,Second fish,Winner"):
        yield Case("layouts", f"{head}: name", sheet(head, sides, named), found, {}, any_)
    points = [(0, 2) if t else (3, 1) for t in turned]
    for head in (
        *("team1,team2,score1,score2", "home_team,away_team,home_score,away_score"),
        *("Home,Visitor,HG,VG", "team_home,team_away,points_home,points_away"),
        *("Home Team,Away Team,Home Goals,Away Goals", "home,away,hgoal,vgoal", "H,A,HG,AG"),
        *("player_1,player_2,player_1_points,player_2_points", "Heim,Gast,Tore Heim,Tore Gast"),
    ):
        yield Case("layouts", head, sheet(head, sides, points), found, {}, any_)
    text = sheet("ATP,Date,Winner,Loser,WRank,LRank,W1,L1", [1] * 30, when, found, range(30, 60),
                 range(40, 70), [6] * 30, [4] * 30)  # fmt: skip
    yield Case("layouts", "tennis-data", text, found, {}, any_)
    text = sheet("player1,player2,win1,win2", [("Abby", "Bella", 3, 1), ("Bella", "Cora", 0, 2)])
    pairs = [("Abby", "Bella")] * 3 + [("Bella", "Abby")] + [("Cora", "Bella")] * 2
    yield Case("layouts", "BradleyTerry2", text, pairs, {}, any_, ordered=False)
    text = sheet("home.team,away.team,home.wins,away.wins", [("Abby", "Bella", 3, 1)] * 2)
    pairs = ([("Abby", "Bella")] * 3 + [("Bella", "Abby")]) * 2
    yield Case("layouts", "baseball", text, pairs, {}, any_, ordered=False)
    text = sheet(
        "match", [f"{a} {p}-{q} {b}" for (a, b), (p, q) in zip(sides, points, strict=True)]
    )
    yield Case("layouts", "Abby 3-1 Bella", text, found, {}, any_)


FURTHER = (*FURTHER, layouts)


def words_of_their_own() -> Iterator[Case]:
    found = fights(40, seed=91)
    other = fights(40, NAMES[::-1], 92)
    batch = ["A" if i % 2 else "B" for i in range(40)]
    both = [(other if b == "B" else found)[i] for i, b in enumerate(batch)]
    for head in ("batch", "litter no.", "Paddock", "block", "shoal"):
        text = sheet(f"date,winner,loser,{head}", days(40, 2), both, batch)
        yield Case("groups", head, text, both, {"group": head}, "group", groups=batch)
    number = [1 + (7 * i) % 4 for i in range(40)]
    repeated = [pair for pair, n in zip(found, number, strict=True) for _ in range(n)]
    for head in ("n", "N", "freq.", "n_times", "number of interactions", "No. of fights", "counts"):
        text = sheet(f"winner,loser,{head}", found, number)
        yield Case("counts", head, text, repeated, {"count": head}, "count|number")
    tied = [i % 6 == 0 for i in range(40)]
    wanted = [(*pair, "tie") if t else pair for pair, t in zip(found, tied, strict=True)]
    for sign in ("-", "??"):
        cells = [sign if t else pair[0] for pair, t in zip(found, tied, strict=True)]
        text = sheet("animal_1,animal_2,winner", found, cells)
        yield Case("outcomes", sign, text, wanted, {"outcomes": {sign: "tie"}}, "outcome|tie")

    text = sheet("when,winner,loser", days(30, 1, "5/{:02d}/2021 1:05 PM")[::-1], found[:30])
    yield Case("dates", "when", text, found[29::-1], {"date": "when"}, "date")
    codes = ["AV" if i % 3 == 0 else "CH" for i in range(40)]
    sides = [pair[::-1] if code == "AV" else pair for pair, code in zip(found, codes, strict=True)]
    text = sheet("actor,receiver,code", sides, codes)
    remedy = {"context": "code", "winner_behaviors": ["CH"], "loser_behaviors": ["AV"]}
    yield Case("behaviors", "codes", text, found, remedy, "wins")
    dyads = [(x, y, 2 + i % 3, i % 2) for i, (x, y) in enumerate(combinations(NAMES, 2))]
    pairs = [p for x, y, won, lost in dyads for p in [(x, y)] * won + [(y, x)] * lost]
    for head in ("id,opponent,W,L", "Animal,Partner,wins,losses", "bird,rival,won,lost"):
        text = sheet(head, dyads)
        yield Case("dyads", head, text, pairs, {}, "", ordered=False)
        both = [*dyads, *((y, x, lost, won) for x, y, won, lost in dyads)]
        text = sheet(head, both)
        yield Case("dyads", f"{head}: twice", text, pairs, {"twins": "once"}, "twin", ordered=False)


FURTHER = (*FURTHER, words_of_their_own)


STAGS = ("Aramis", "Fleck", "Hubert", "Kasimir", "Ludwig", "Moritz", "Nepomuk")


def third_round() -> Iterator[Case]:
    """Formats of cells, nested JSON, further languages, and columns that only evidence explains."""
    found = fights(40, STAGS, 11)
    when, mixed = days(40, 5), sorted(range(40), key=lambda i: (i // 5, (7 * i) % 5))
    void = {4, 11, 25}
    kept = [pair for i, pair in enumerate(found) if i not in void]

    # Rows that do not count
    for head, cells in (("usable", "no yes"), ("dubieux", "oui non"), ("outlier", "TRUE FALSE")):
        odd, usual = cells.split()
        text = sheet(
            f"winner,loser,{head}", found, [odd if i in void else usual for i in range(40)]
        )
        yield Case("filters", f"{head}: {odd}", text, kept, {}, head)
    for kind in ("colored", "struck through", "comment"):
        raw = _marked(found, void, kind)
        yield Case("filters", kind, raw, kept, {}, kind, suffix=".xlsx")
    raw = _marked(found, {*range(0, 40, 2)}, "colored")
    yield Case("filters", "every second row colored", raw, found, suffix=".xlsx", clean=True)

    labels = ["A"] * 20 + ["B"] * 20
    text = sheet(
        "cage,winner,loser", [x if i % 20 == 0 else "" for i, x in enumerate(labels)], found
    )
    yield Case("groups", "once per cage", text, found, {}, "without a group", groups=labels)
    text = sheet("winner,loser", [("Cage 1", ""), *found[:20], ("Cage 2", ""), *found[20:]])
    yield Case("groups", "headings between", text, [], {}, "is a heading", unreadable=True)

    # Order and dates
    for head, cell in (
        ("orden", lambda i: i % 5 + 1),
        ("entry", lambda i: 1000 + 3 * i),
        ("sec", lambda i: 40 * (i % 5)),
    ):
        rows = [(when[i], *found[i], cell(i)) for i in mixed]
        yield Case(
            "order", head, sheet(f"date,winner,loser,{head}", rows), found, {}, f"order {head}"
        )
    for head, clock in (("Uhrzeit", "{}.{:02d}"), ("time", "{:02d}{:02d}")):
        rows = [(when[i], *found[i], clock.format(7 + 3 * (i % 5), 7 * i % 60)) for i in mixed]
        yield Case("order", clock, sheet(f"date,winner,loser,{head}", rows), found)
    shuffled = [(17 * i) % 40 for i in range(40)]
    for head, cell in (
        ("time", lambda i: 5 + 13 * i),
        ("Uhrzeit", lambda i: 2000 + i),
        ("heure", lambda i: f"{7 + i // 6}:{10 * (i % 6):02d}"),
    ):
        rows = [(*found[i], cell(i)) for i in shuffled]
        text = sheet(f"winner,loser,{head}", rows)
        yield Case("order", f"{head}, no date", text, found, {}, f"order {head}")
    rows = [(1 + i // 5, f"{7 + i % 5}:30", *found[i]) for i in mixed]
    text = sheet("day,time,winner,loser", rows)
    yield Case("order", "time, number of a day", text, found, {}, "order time")
    months = ("janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août")
    rows = [(months[i // 5], *found[i]) for i in shuffled]
    ordered = sorted(shuffled, key=lambda i: i // 5)
    text = sheet("mois,vainqueur,vaincu", rows)
    yield Case("order", "mois", text, [found[i] for i in ordered], {}, "mois")
    rows = [(f"{1 + i % 28:02d}{3 + i // 28:02d}21", *found[i]) for i in shuffled]
    yield Case("dates", "ddmmyy, Tag", sheet("Tag,Sieger,Verlierer", rows), found, {}, "six digits")
    for cell in ("{:02d}.03.", "{} mars", "{:02d}/03"):
        rows = [(2020 + i // 20, cell.format(1 + i % 20), *found[i]) for i in shuffled]
        text = sheet("Jahr,Datum,Sieger,Verlierer", rows)
        yield Case("dates", f"a year, and {cell}", text, found)

    # Sides that share names, in any language
    for head in (
        "voittaja,häviäjä",
        "勝者,敗者",
        "победитель,проигравший",
        "승자,패자",
        "chaser,chased",
    ):
        yield Case("sides", head, sheet(head, found), found)
    named = [tuple(sorted(pair)) for pair in found]
    for head, trap in (("x,y", "winner"), ("id,vs", "winner"), ("bird,partner", "won")):
        yield Case("sides", head, sheet(head, found), found, {}, trap)
    for head in ("perro 1,perro 2,gana", "left,right,chaser of the other"):
        text = sheet(head, named, [winner for winner, _ in found])
        yield Case("sides", head, text, found, {}, "names one of the two")
    turned = [i % 3 == 0 for i in range(40)]
    sides = [pair[::-1] if t else pair for pair, t in zip(found, turned, strict=True)]
    for head, won, lost in (
        ("intruso,residente,éxito", "sí", "no"),
        ("challenger,resident,successful", "1", "0"),
    ):
        text = sheet(head, sides, [lost if t else won for t in turned])
        yield Case("sides", head, text, found, {}, "says whether")
    for code in ("0", "3"):
        cells = [("2" if t else "1") if i != 7 else code for i, t in enumerate(turned)]
        tied = [(*p, "tie") if i == 7 else p for i, p in enumerate(found)]
        text = sheet("option1,option2,choice", sides, cells)
        yield Case("outcomes", f"1, 2 and {code}", text, tied, {}, "choice")
    for head in ("Casa,Ospite,Gol casa,Gol ospite", "Spieler 1,Spieler 2,Sätze 1,Sätze 2"):
        text = sheet(head, sides, [(0, 3) if t else (3, 1) for t in turned])
        yield Case("scores", head, text, found, {}, "points")
    text = sheet("White,Black,Res", sides, ["0-1" if t else "1-0" for t in turned])
    yield Case("scores", "Res", text, found)
    text = sheet(
        "A,B,A better,B better", sides, [("no", "yes") if t else ("yes", "no") for t in turned]
    )
    yield Case("sides", "two answers", text, [], {}, "one column of winners", unreadable=True)
    rows = [row for i, (a, b) in enumerate(found) for row in ((i, a, "win"), (i, b, "loss"))]
    text = sheet("bout,bird,result", rows)
    yield Case("sides", "a row per side", text, [], {}, "occurs in two rows", unreadable=True)
    acts = ["retreats" if not t else "wins the counter-attack" for t in turned]
    text = sheet("actor,receiver,response", sides, acts)
    yield Case("behaviors", "response of the receiver", text, found, {}, "response")

    # JSON and aligned text
    plain = [{"winner": a, "loser": b} for a, b in found]
    tables = {
        "nested": [{"winner": {"id": a}, "loser": {"id": b}} for a, b in found],
        "columns of pandas": {s: {str(i): r[s] for i, r in enumerate(plain)} for s in plain[0]},
        "rows of pandas": {str(i): row for i, row in enumerate(plain)},
        "split": {"columns": ["winner", "loser"], "index": [*range(40)], "data": found},
    }
    for habit, table in tables.items():
        yield Case("texts", f"JSON, {habit}", json.dumps(table), found, suffix=".json", clean=True)
    rows = [row.split(",") for row in square(STAGS, found).splitlines()]
    text = "\n".join(f"{row[0]:8s}" + "".join(f"{cell:>9s}" for cell in row[1:]) for row in rows)
    yield Case("texts", "a matrix as R prints it", text, found, suffix=".txt", ordered=False)


def _marked(found: list[tuple[str, str]], rows: set[int], kind: str) -> bytes:
    """A workbook in which some rows are colored, struck through or commented."""
    import xlsxwriter

    raw = io.BytesIO()
    book = xlsxwriter.Workbook(raw, {"in_memory": True})
    looks = {"colored": {"bg_color": "#FFFF00"}, "struck through": {"font_strikeout": True}}
    page, look = book.add_worksheet(), book.add_format(looks.get(kind, {}))
    page.write_row(0, 0, ("winner", "loser"), book.add_format({"bg_color": "#DDDDDD"}))
    for row, pair in enumerate(found, start=1):
        page.write_row(row, 0, pair, look if row - 1 in rows else None)
        if kind == "comment" and row - 1 in rows:
            page.write_comment(row, 1, "not sure, to be left out")
    book.close()
    return raw.getvalue()


FURTHER = (*FURTHER, third_round)
