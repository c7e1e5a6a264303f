"""Do the numbers of R packages come out? Every function of the pages "coming from …", by data set.

The outputs of eight packages, with the data they ran on, are read from ../shared/reference/peers
(and ../shared/data); they are not part of this repository. Each row is a function and a data set:
how many numbers were compared, the largest difference, and the reason where it is not 0. Functions
that a page names and of which no output is at hand are listed. The truncation test asks of every
rater whether its predictions of earlier contests change when later ones are left out.

Usage: python benchmarks/agreement.py, which prints the ledger and writes docs/agreement.md
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from common import wants_quick

import peckorder as po
from peckorder.orders.conventions import (
    Convention,
    EloState,
    informed_chances,
    normalized_scores,
    placed,
    prior_of_order,
    read_convention,
)

ROOT = Path(__file__).parents[1]
DATA = ROOT.parent / "shared" / "data"
PEERS = ROOT.parent / "shared" / "reference" / "peers"
PAGES = ROOT / "docs" / "from_r"
RUNS = 10_000
MATRICES = ("bonobos", "devries98", "badgers", "squirrels", "elephants")
EXACT = 1e-8


@dataclass
class Row:
    """One function of a package on one data set."""

    package: str
    function: str
    data: str
    numbers: int
    difference: float
    within: float  # what rounding of the output, or Monte Carlo error, explains
    reason: str = ""

    @property
    def verdict(self) -> str:
        if self.difference <= EXACT:
            return "equal"
        return "agrees" if self.difference <= self.within else "**differs**"


def compared(
    package: str,
    function: str,
    data: str,
    ours: Any,
    theirs: Any,
    within: float = EXACT,
    reason: str = "",
) -> Row:
    """A row from two mappings with the same keys, or two sequences of the same length."""
    if isinstance(theirs, dict):
        assert set(theirs) <= set(ours), (package, function, data, set(theirs) - set(ours))
        ours, theirs = [ours[key] for key in theirs], list(theirs.values())
    a, b = np.asarray(ours, float), np.asarray(theirs, float)
    if a.shape != b.shape or not a.size:
        raise SystemExit(f"{package}, {function}, {data}: {a.shape} numbers, {b.shape} there.")
    return Row(package, function, data, a.size, float(np.abs(a - b).max()), within, reason)


def random(
    package: str,
    function: str,
    data: str,
    ours: Any,
    theirs: Any,
    runs: int,
    reason: str = "Monte Carlo",
) -> Row:
    """A row of p-values (and means of null distributions), within four Monte Carlo errors."""
    p = max(min(float(ours[-1]), 0.5), 1 / runs)
    within = 0.003 + 4 * (2 * p * (1 - p) / runs) ** 0.5
    return compared(package, function, data, ours, theirs, within, reason)


def table(package: str, name: str) -> pl.DataFrame:
    """An output of a package."""
    return pl.read_csv(PEERS / package / name, null_values=["NA"], infer_schema_length=None)


@cache
def matrix(name: str) -> po.Matrix:
    """A matrix of wins by its name in the outputs."""
    name = name.removeprefix("EloRating_")
    if name == "bonobos":
        return po.datasets.bonobos()
    files = {"badgers": "dommats_badgers", "squirrels": "dommats_squirrels"}
    files |= {"elephants": "dommats_elephants"}
    files |= {f"compete_{x}": x for x in ("caribou", "mouse", "people")}
    frame = pl.read_csv(PEERS / "data" / f"{files.get(name, name)}.csv")
    names = frame.columns[1:]
    wins = frame.select(names).to_numpy().astype(int)
    missing = [x for x in frame[frame.columns[0]].to_list() if x not in names]
    if missing or len(wins) != len(names):  # a last column of zeros that the file leaves out
        names = [str(x) for x in frame[frame.columns[0]]]
        square = np.zeros((len(names), len(names)), int)
        square[:, : wins.shape[1]] = wins
        wins = square
    return po.Matrix(tuple(names), wins)


def dyads_tied(data: Any) -> bool:
    """Whether any two individuals won equally often against each other."""
    frame = data.dyads().as_polars()
    return bool((frame["a_wins"] == frame["b_wins"]).any())


def both_scores(part: pl.DataFrame, name: str, index: str, key: str) -> tuple[Any, Any]:
    """David's scores and normalized ones of each individual, here and there."""
    scored = po.davids_score(matrix(name), index=index.lower()).as_polars()
    ours = by_name(scored, "individual", "ds"), by_name(scored, "individual", "normds")
    theirs = by_name(part, key, "DS"), by_name(part, key, "normDS")
    return tuple(
        {(i, who): x for i, one in enumerate(side) for who, x in one.items()}
        for side in (ours, theirs)
    )


def have(names: pl.Series) -> list[str]:
    """Data sets that are at hand."""
    lost = {
        "compete_bonobos",
        "compete_el",
        "vervaecke2007",
    }  # named in outputs, without their data
    return [name for name in names.unique(maintain_order=True) if name not in lost]


def by_name(frame: pl.DataFrame, key: str, value: str) -> dict[str, float]:
    return dict(zip(frame[key].cast(pl.String), frame[value].to_list(), strict=True))


# EloRating


def adv(name: str) -> po.Contests:
    """The contests of adv, with presence and ties as the run says."""
    presence = PEERS / "data" / "advpres.csv" if "pres" in name else None
    if name.startswith("adv2"):
        return po.read(
            PEERS / "data" / "adv2.csv", tie="tie", context="intensity", time="", presence=presence
        )
    return (
        po.datasets.adv()
        if presence is None
        else po.read(DATA / "adv.csv", time="", presence=presence)
    )


@cache
def elorating(run: str, k: float, normal: bool, init: str) -> po.Ratings:
    return po.elo(
        adv(run),
        preset="EloRating",
        k=float(k),
        curve="normal" if normal else "logistic",
        entry="mean" if init == "average" else init,
    )


def runs_of(frame: pl.DataFrame) -> Iterator[tuple[tuple[Any, ...], pl.DataFrame]]:
    keys = ("run", "k", "normprob", "init")
    frame = frame.with_columns(pl.col("normprob").cast(pl.String).str.to_lowercase() == "true")
    yield from frame.group_by(*keys, maintain_order=True)


def of_elorating() -> Iterator[Row]:
    frame = table("EloRating", "elo_seq_log.csv")
    for name in frame["run"].unique(maintain_order=True):
        ours, theirs = [], []
        for run, part in runs_of(frame.filter(run=name)):
            history = elorating(*run).history
            ours += history.select("winner_after", "loser_after").to_numpy().tolist()
            theirs += part.select("Apost", "Bpost").to_numpy().tolist()
        yield compared("EloRating", "elo.seq", f"{name}, every contest", ours, theirs)
    frame = table("EloRating", "elo_seq_final.csv")
    for name in frame["run"].unique(maintain_order=True):
        ours, theirs = [], []
        for run, part in runs_of(frame.filter(run=name)):
            ratings = dict(elorating(*run).items())
            for who, rating in part.select("id", "rating").drop_nulls().iter_rows():
                ours.append(ratings[who])
                theirs.append(rating)
        yield compared("EloRating", "extract_elo", f"{name}, last day", ours, theirs)
    frame = table("EloRating", "elo_seq_stability_likelihood.csv")
    for name in frame["run"].unique(maintain_order=True):
        values = {"stab_elo": ([], []), "likelo": ([], []), "correctly_predicted": ([], [])}
        for run, part in runs_of(frame.filter(run=name)):
            ratings, row = elorating(*run), part.row(0, named=True)
            found = po.stability(ratings)
            values["stab_elo"][0].extend((found.value, found.unweighted))
            values["stab_elo"][1].extend((row["weighted"], row["unweighted"]))
            logs = np.log(first_wins(ratings))
            values["likelo"][0].extend((logs.sum(), logs[10:].sum()))
            values["likelo"][1].extend((row["loglik"], row["loglik_burnin10"]))
            share = po.evaluate(ratings, equal="drop", runs=100, seed=1).foresight["share"]
            values["correctly_predicted"][0].append(float(share))
            values["correctly_predicted"][1].append(row["correct_prop"])
        for function, (ours, theirs) in values.items():
            note = "rounded to 4 digits there" if function == "stab_elo" else ""
            if function == "likelo" and "draw" in name:
                note = "a tie counts as a win of the first-named there; so here, for the comparison"
            within = 5.1e-5 if function == "stab_elo" else EXACT
            yield compared("EloRating", function, name, ours, theirs, within, note)
    yield intensity()
    yield from optimizek()
    yield from matrices_of_elorating()


def first_wins(ratings: po.Ratings) -> np.ndarray:
    """Chance of the first-named side before each contest, as `likelo` takes it."""
    return ratings.history["expected"].to_numpy()


def intensity() -> Row:
    part = table("EloRating", "adv2_intensity_k20_200_log.csv")
    ratings = po.elo(adv("adv2"), preset="EloRating", k={"displace": 20, "fight": 200})
    ours = ratings.history.select("winner_after", "loser_after").to_numpy()
    theirs = part.select("Apost", "Bpost").to_numpy()
    return compared("EloRating", "elo.seq", "adv2, k by intensity", ours, theirs)


def optimizek() -> Iterator[Row]:
    best = json.loads((PEERS / "EloRating" / "optimizek_best.json").read_text("utf-8"))
    data = adv("adv")
    for name, found in best.items():
        curve = "normal" if "norm" in name else "logistic"
        where = f"adv, {name[4:].replace('_', ', ')}"
        theirs = [found[0]["k"], found[0]["loglik"]]
        grid = range(2, 401)
        preset = {} if "unrounded" in name else {"preset": "EloRating"}
        logs = [
            float(np.log(first_wins(po.elo(data, k=float(k), curve=curve, **preset))).sum())
            for k in grid
        ]
        ours = [grid[int(np.argmax(logs))], max(logs)]
        if "unrounded" in name:
            yield compared("EloRating", "optimizek", where, ours, theirs)
            continue
        logs = [away_from_zero(data, k, curve) for k in grid]
        as_there = [grid[int(np.argmax(logs))], max(logs)]
        yield compared("EloRating", "optimizek", f"{where}, with its rounding", as_there, theirs)
        reason = (
            "optimizek rounds half away from zero; elo.seq, and so the preset, half to even: "
            f"k = {ours[0]} here, {theirs[0]} there"
        )
        yield compared("EloRating", "optimizek", where, ours, theirs, reason=reason)


def away_from_zero(data: po.Contests, k: float, curve: str) -> float:
    """Log-likelihood if ratings are rounded half away from zero after each contest."""
    chance = po.curves.Normal() if curve == "normal" else po.curves.Logistic()
    rating, total = np.full(len(data.individuals), 1000.0), 0.0
    for winner, loser in zip(data.winner.tolist(), data.loser.tolist(), strict=True):
        p = float(chance(rating[winner] - rating[loser]))
        total += np.log(p)
        rating[winner] = np.floor(rating[winner] + k * (1 - p) + 0.5)
        rating[loser] = np.floor(rating[loser] - k * (1 - p) + 0.5)
    return total


def matrices_of_elorating() -> Iterator[Row]:
    frame = table("EloRating", "davids_score.csv")
    for (name, prop), part in frame.group_by("data", "prop", maintain_order=True):
        yield compared(
            "EloRating", "DS", f"{name}, {prop}", *both_scores(part, str(name), str(prop), "ID")
        )
    frame = table("EloRating", "dci_prunk.csv")
    for row in frame.iter_rows(named=True):
        data = matrix(row["data"])
        found = po.consistency(data, runs=10, seed=1).value
        yield compared("EloRating", "DCindex", row["data"], [found], [row["DCI"]])
        share = data.dyads().unknown_share
        yield compared(
            "EloRating",
            "prunk",
            row["data"],
            [share],
            [row["pu.all"]],
            5.1e-4,
            "rounded to 3 digits there",
        )
    frame = table("EloRating", "cbi.csv")
    for (name,), part in frame.group_by("data", maintain_order=True):
        ours = po.orders.indices(matrix(str(name)), rank_by="clutton_brock").as_polars()
        yield compared(
            "EloRating",
            "CBI",
            str(name),
            by_name(ours, "individual", "clutton_brock"),
            by_name(part, "id", "CBI"),
        )
    for row in table("EloRating", "steepness_nrand10000.csv").iter_rows(named=True):
        found = po.steepness(matrix(row["data"]), index=row["prop"].lower(), runs=RUNS, seed=1)
        where = f"{row['data']}, {row['prop']}"
        yield compared("EloRating", "steepness", where, [found.value], [row["steep"]])
        yield random(
            "EloRating",
            "steepness",
            f"{where}: expected, p",
            [found.expected, found.p],
            [row["expected"], row["p"]],
            RUNS,
            "Monte Carlo; the mean of its null is slightly lower than that of "
            "steepness::steeptest and ours",
        )
    for row in table("EloRating", "h_index_10000.csv").iter_rows(named=True):
        found = po.linearity(matrix(row["data"]), runs=RUNS, seed=1)
        yield compared(
            "EloRating",
            "h.index",
            row["data"],
            [found.h, found.value],
            [row["h_index"], row["h_prime_index"]],
            5.1e-5,
            "rounded to 4 digits there",
        )
        yield random(
            "EloRating",
            "h.index",
            f"{row['data']}: expected, p",
            [found.expected, found.p],
            [row["expected_h"], row["p_right"]],
            RUNS,
            "Monte Carlo there; p is enumerated here for up to 7 individuals",
        )
    for row in table("EloRating", "transitivity_2000.csv").iter_rows(named=True):
        for null in ("census", "types"):
            found = po.transitivity(matrix(row["data"]), null=null, runs=RUNS, seed=1)
            if null == "census":
                yield compared(
                    "EloRating",
                    "transitivity",
                    row["data"],
                    [found.pt, found.value],
                    [row["Pt"], row["ttri"]],
                    5.1e-3,
                    "rounded to 3 digits there",
                )
            where = f'{row["data"]}: p with `null="{null}"`'
            if null == "types":
                yield random("EloRating", "transitivity", where, [found.p], [row["p"]], 2000)
                continue
            within = 4 * (row["p"] * (1 - row["p"]) / 2000) ** 0.5
            reason = "the type of each dyad is drawn at random there; kept here by default"
            sides = ([found.p], [row["p"]])
            yield compared("EloRating", "transitivity", where, *sides, within, reason)
    orders = table("EloRating", "isi_1000runs.csv")
    ranks = table("EloRating", "isi_ranks.csv")
    for (name,), part in orders.group_by("data", maintain_order=True):
        found = po.isi(matrix(str(name)))
        row = part.row(0, named=True)
        yield compared(
            "EloRating", "ISI", str(name), [found.value, found.strength], [row["I"], row["SI"]]
        )
        yield compared(
            "EloRating",
            "ISIranks",
            str(name),
            by_name(found.as_polars(), "individual", "mean_rank"),
            by_name(ranks.filter(data=name), "ID", "avg"),
            0,
            f"mean over the {row['solutions']} orders that its search found; all "
            f"{found.orders} are counted here",
        )
    dyads = po.datasets.adv().dyads().as_polars()
    ours = {
        tuple(sorted((a, b))): x - y if a < b else y - x
        for a, b, x, y in dyads.select("a", "b", "a_wins", "b_wins").iter_rows()
    }
    theirs = {
        (a, b): x - y
        for a, b, x, y in table("EloRating", "dyadic_dom_adv.csv")
        .select("id1", "id2", "id1_wins", "id2_wins")
        .iter_rows()
        if x + y
    }
    yield compared("EloRating", "dyadic_dom", "adv", ours, theirs)
    counted = po.datasets.adv().matrix()
    frame = table("EloRating", "creatematrix_adv.csv")
    place = [counted.individuals.index(name) for name in frame.columns[1:]]
    yield compared(
        "EloRating",
        "creatematrix",
        "adv",
        counted.wins[np.ix_(place, place)],
        frame.select(frame.columns[1:]).to_numpy(),
    )


# aniDom


def of_anidom() -> Iterator[Row]:
    frame = table("aniDom", "elo_scores_in_order.csv").filter(data="adv")
    data = adv("adv")
    ours = dict(po.elo(data, preset="aniDom").items())
    yield compared("aniDom", "elo_scores", "adv", ours, by_name(frame, "id", "score"))
    frame = table("aniDom", "elo_scores_randomised_1000_seed42.csv").filter(data="adv")
    shuffled = po.randomized_elo(data, preset="aniDom", runs=RUNS, seed=1)
    yield compared(
        "aniDom",
        "elo_scores",
        "adv, randomised: mean rank",
        by_name(shuffled.as_polars(), "individual", "rank"),
        by_name(frame, "id", "mean_rank"),
        0.12,
        "Monte Carlo (1,000 orders there)",
    )
    row = table("aniDom", "uncertainty_seed42.csv").filter(data="adv").row(0, named=True)
    found = po.orders.repeatability(data, preset="aniDom", runs=1_000, seed=1)
    yield compared(
        "aniDom",
        "estimate_uncertainty_by_repeatability",
        "adv",
        [found.value],
        [row["repeatability"]],
        0.01,
        "Monte Carlo",
    )
    halves = po.orders.splitting(data, preset="aniDom", runs=1_000, seed=1)
    yield compared(
        "aniDom",
        "estimate_uncertainty_by_splitting",
        "adv, in order",
        [halves.in_order],
        [row["split_ordered"]],
    )
    yield compared(
        "aniDom",
        "estimate_uncertainty_by_splitting",
        "adv, random halves: mean",
        [halves.value],
        [row["split_mean"]],
        0.04,
        "Monte Carlo",
    )


# steepness, compete


def of_steepness() -> Iterator[Row]:
    frame = table("steepness", "scores.csv")
    for (name, method), part in frame.group_by("data", "method", maintain_order=True):
        if name not in have(frame["data"]):
            continue
        ours = po.davids_score(matrix(str(name)), index=str(method).lower()).as_polars()
        for column, theirs in (("ds", "DS"), ("normds", "normDS")):
            yield compared(
                "steepness",
                f"get{theirs[:1].upper()}{theirs[1:]}",
                f"{name}, {method}",
                by_name(ours, "individual", column),
                by_name(part, "id", theirs),
            )
    frame = table("steepness", "steeptest_9999.csv")
    for row in frame.iter_rows(named=True):
        if row["data"] not in have(frame["data"]):
            continue
        found = po.steepness(matrix(row["data"]), index=row["method"].lower(), runs=RUNS, seed=1)
        where = f"{row['data']}, {row['method']}"
        yield compared("steepness", "getStp", where, [found.value], [row["steepness"]])
        yield compared(
            "steepness",
            "steeptest",
            where,
            [found.value, found.intercept],
            [row["steepness"], row["intercept"]],
        )
        yield random(
            "steepness",
            "steeptest",
            f"{where}: expected, p",
            [found.expected, found.p],
            [row["mean_sim"], row["right_p_incl_observed"]],
            RUNS,
        )


def of_compete() -> Iterator[Row]:
    frame = table("compete", "ds.csv")
    for (name, kind), part in frame.group_by("data", "type", maintain_order=True):
        if name not in have(frame["data"]):
            continue
        scores = both_scores(part, str(name), f"{kind}ij", "id")
        yield compared("compete", "ds", f"{name}, {kind}", *scores)
    frame = table("compete", "summary.csv")
    for row in frame.filter(pl.col("data").is_in(have(frame["data"]))).iter_rows(named=True):
        name, data = row["data"], matrix(row["data"])
        linear = po.linearity(data, runs=RUNS, seed=1)
        yield random(
            "compete",
            "devries",
            f"{name}: h′, p",
            [linear.value, linear.p],
            [row["h_modified"], row["h_p"]],
            RUNS,
            "h′ is a mean of random fillings there, its expectation here; Monte Carlo",
        )
        found = po.consistency(data, runs=10, seed=1)
        yield compared("compete", "dci", name, [found.value], [row["dci"]])
        yield compared("compete", "phi", name, [found.phi], [row["phi"]])
        triads = po.transitivity(data, null="types", runs=RUNS, seed=1)
        ties = dyads_tied(data)
        yield compared(
            "compete",
            "ttri",
            name,
            [triads.pt, triads.value],
            [row["Pt"], row["ttri"]],
            EXACT,
            "triads with a tied dyad count by weights there, and are left out here" if ties else "",
        )
        yield random(
            "compete",
            "ttri_test",
            f'{name}: p with `null="types"`',
            [triads.p],
            [row["ttri_p"]],
            1000,
            "Monte Carlo",
        )
        dyads = data.dyads()
        yield compared("compete", "unknowns", name, [dyads.unknown], [row["unknowns"]])
        yield compared("compete", "sparseness", name, [dyads.unknown_share], [row["sparseness"]])
    frame = table("compete", "isi.csv")
    for row in frame.filter(pl.col("data").is_in(have(frame["data"]))).iter_rows(named=True):
        found = po.isi(matrix(row["data"]))
        yield compared(
            "compete",
            row["method"],
            row["data"],
            [found.value, found.strength],
            [row["I"], row["SI"]],
            EXACT,
            "" if found.strength == row["SI"] else "its search stops at a worse order",
        )


# EloOptimized, EloSteepness


def of_elooptimized() -> Iterator[Row]:
    data = po.read(
        DATA / "chimpanzee_females.csv", presence=DATA / "chimpanzee_females_presence.csv"
    )
    for model, file in ((1, "females_model1"), (3, "females_model3_drop100")):
        report = json.loads((PEERS / "EloOptimized" / f"{file}.json").read_text("utf-8"))
        estimate = {"estimate": "k"} if model == 1 else {}
        fit = po.elo_ml(data, preset="EloOptimized", one_sided=model == 3, **estimate)
        name = f"chimpanzee females, model {model}"
        function = "eloratingopt"
        yield compared(
            "EloOptimized",
            function,
            f"{name}: log-likelihood, AIC",
            [fit.log_likelihood, fit.aic],
            [report["maxLogL"], report["AIC"]],
            5e-4,
            "its optimizer stops near the limit, which is given here" if model == 3 else "",
        )
        yield compared(
            "EloOptimized",
            function,
            f"{name}: k (base e, δ = 0.01)",
            [fit.k],
            [report["k"]],
            0.07,
            "the maximum is searched further here",
        )
        frame = table("EloOptimized", f"{file}_final.csv")
        last = fit.expected_beaten(at=report["last_date"])
        theirs = by_name(frame, "Individual", "ExpNumBeaten")
        ours = dict(zip(last["individual"], last["expected_beaten"], strict=True))
        yield compared(
            "EloOptimized",
            function,
            f"{name}: ExpNumBeaten, last day",
            ours,
            theirs,
            5e-3,
            "by an optimizer",
        )
        table_now = fit.at(report["last_date"])
        rating = dict(zip(table_now["individual"], table_now["rating"], strict=True))
        elo = by_name(frame, "Individual", "Elo")
        gap = float(np.mean([rating[x] for x in elo]) - np.mean(list(elo.values())))
        yield compared(
            "EloOptimized",
            function,
            f"{name}: Elo, last day",
            {x: rating[x] - gap for x in elo},
            elo,
            1.0,
            f"by an optimizer; levels differ by {gap:.1f}"
            + (", since starting scores have the mean 0 there" if model == 3 else ""),
        )


def of_elosteepness() -> Iterator[Row]:
    for name in ("bonobos", "devries98"):
        for algo, settings in (("fixed_sd", {}), ("original", {"sigma": "estimate"})):
            path = PEERS / "EloSteepness" / f"{name}_{algo}.json"
            if not path.exists():
                continue
            theirs = json.loads(path.read_text("utf-8"))
            found = po.steepness_bayes(
                matrix(name), preset="EloSteepness", orders=6, seed=1, **settings
            )
            yield compared(
                "EloSteepness",
                "elo_steepness_from_matrix",
                f"{name}, {algo}: mean",
                [found.value],
                [theirs["steepness_mean"]],
                0.05,
                f"{theirs['n_rand']} random orders of contests there, 6 here: their "
                "means differ among each other by about 0.02 (bonobos) and 0.035",
            )
    path = PEERS / "EloSteepness" / "bonobos_david.json"
    theirs = json.loads(path.read_text("utf-8"))
    found = po.steepness_bayes(matrix("bonobos"), preset="EloSteepness", orders=2, seed=1).davids
    yield compared(
        "EloSteepness",
        "davids_steepness",
        "bonobos: mean",
        [float(found)],
        [theirs["steepness_mean"]],
        0.01,
        "Monte Carlo",
    )


# PlayerRatings, DynaRankR


@cache
def football() -> po.Contests:
    games = pl.read_csv(PEERS / "data" / "aflodds.csv")
    frame = games.select(
        home="HomeTeam", away="AwayTeam", home_points="Score", date=pl.col("Week").cast(pl.Int64)
    ).with_columns(away_points=1 - pl.col("home_points"))
    return po.read(frame)


def of_playerratings() -> Iterator[Row]:
    data = football()
    name = "Australian football"
    for file, settings in (
        ("aflodds_elo", {}),
        ("aflodds_elo_init1000_k20", {"start": 1000, "k": 20.0}),
        ("aflodds_elo_init1000_k100", {"start": 1000, "k": 100.0}),
        ("aflodds_elo_init1000_k200", {"start": 1000, "k": 200.0}),
        ("aflodds_fide", {"k": "fide", "fide": (30, 15, 10)}),
    ):
        theirs = by_name(table("PlayerRatings", f"{file}.csv"), "Player", "Rating")
        ours = dict(po.elo(data, preset="PlayerRatings", **settings).items())
        what = file.removeprefix("aflodds_").removeprefix("elo").removeprefix("fide").strip("_")
        yield compared(
            "PlayerRatings",
            "fide" if "fide" in file else "elo",
            ", ".join(filter(None, (name, what.replace("_", ", ")))),
            ours,
            theirs,
            1e-6,
        )
    theirs = table("PlayerRatings", "aflodds_elo_predict.csv")
    ratings = po.elo(data, preset="PlayerRatings", home_advantage=30, home_in_update=False)
    games = pl.read_csv(PEERS / "data" / "aflodds.csv")[theirs["row"] - 1]
    fixtures = games.select(home="HomeTeam", away="AwayTeam")
    said = po.predict(ratings, fixtures=fixtures).as_polars()
    p = said.select(pl.col("p_a") / (1 - pl.col("p_tie"))).to_series().to_numpy()  # if decided
    yield compared("PlayerRatings", "predict", f"{name}, last 76 games", p, theirs["p_home"])
    score = theirs["score"].to_numpy()
    losses = (
        -np.mean(score * np.log2(p) + (1 - score) * np.log2(1 - p)),
        2 * np.sqrt(np.mean((score - p) ** 2)),
        2 * np.mean(np.abs(score - p)),
    )
    metrics = json.loads((PEERS / "PlayerRatings" / "metrics.json").read_text("utf-8"))
    yield compared(
        "PlayerRatings",
        "metrics",
        f"{name}, last 76 games",
        [100 * float(x) for x in losses],
        metrics["metrics_elo_afl"],
        6e-4,
        "rounded to 3 digits there",
    )
    for function in ("glicko", "glicko2"):
        frame = table("PlayerRatings", f"aflodds_{function}.csv")
        settings = {"preset": "PlayerRatings"} if function == "glicko" else {"period": "date"}
        found = getattr(po.sport, function)(data, **settings).as_polars()
        loose = function == "glicko2"
        reason = "the volatility is searched with a loose tolerance there" if loose else ""
        for column, ours in (("Rating", "rating"), ("Deviation", "rating_sd")):
            yield compared(
                "PlayerRatings",
                function,
                f"{name}: {column.lower()}",
                by_name(found, "individual", ours),
                by_name(frame, "Player", column),
                0.01 if loose else 1e-6,
                reason,
            )


HYENA = {"id": pl.String, "convention1": pl.String, "convention2": pl.String}
HYENA |= {"winner": pl.String, "loser": pl.String, "initial.ranks": pl.String}


def hyena(what: str) -> pl.DataFrame:
    """A table of the hyena females that come with DynaRankR."""
    return pl.read_csv(PEERS / "data" / f"hyena_females_{what}.csv", schema_overrides=HYENA)


@cache
def hyenas() -> po.Contests:
    """Contests of eight years; members are those of `contestants`, with or without contests."""
    year = pl.col("period").cast(pl.Int64).cast(pl.String)
    stays = hyena("contestants").select("id", start=year + "-01-01", end=year + "-12-31")
    contests = hyena("interactions").select("winner", "loser", date=year + "-07-01")
    return po.read(contests, presence=stays)


class ItsElo(EloState):
    """Elo ratings with the entry of newcomers that DynaRankR has."""

    def change_members(self, members: list[int], convention: Convention) -> None:
        before = list(self.rating.values())
        new = [code for code in members if code not in self.rating]
        super().change_members(members, convention)
        if convention.name == "none":  # the mean also over those that have just left
            self.rating |= dict.fromkeys(new, float(np.mean(before)) if before else 0.0)
        for mother, litter in convention.litters(new) if convention.name == "maternal" else ():
            known = {**self.gone, **self.rating}
            self.rating |= dict.fromkeys(litter, known[mother] - 0.1)  # sisters at one rating


def its_elo(convention: Convention, initial: list[int] | None) -> dict[tuple[int, str], float]:
    """informed_elo as DynaRankR computes it, in plain loops."""
    data, state, found = hyenas(), ItsElo(200.0, 0.01), {}
    if initial is not None:
        state.begin(initial)
    for (year,), part in hyena("contestants").group_by("period", maintain_order=True):
        state.change_members([data.code(name) for name in part["id"]], convention)
        own = hyena("interactions").filter(period=year)
        sides = [np.array([data.code(name) for name in own[x]]) for x in ("winner", "loser")]
        state.rate(*sides, np.zeros(own.height, bool))
        found |= {(int(year), data.individuals[code]): x for code, x in state.rating.items()}
    return found


def its_scores(convention: Convention, initial: list[int]) -> dict[tuple[int, str], float]:
    """informed_ds as DynaRankR computes it: the working order is never sorted by the scores."""
    data, order, known, found = hyenas(), initial, {}, {}
    history = [initial]
    for (year,), part in hyena("contestants").group_by("period", maintain_order=True):
        members = [data.code(name) for name in part["id"]]
        stayed = [code for code in order if code in members]
        order = placed(stayed, [x for x in members if x not in stayed], convention, history)
        history.append(order)
        wins, prior = np.zeros((len(order), len(order))), prior_of_order(len(order))
        for pair in hyena("interactions").filter(period=year).select("winner", "loser").rows():
            wins[tuple(order.index(data.code(name)) for name in pair)] += 1
        pairs = [(i, j) for i in range(len(order)) for j in range(len(order)) if i != j]
        for i, j in pairs:
            prior[i, j] = known.get((order[i], order[j]), prior[i, j])
        chance = informed_chances(wins, prior)
        known = {(order[i], order[j]): chance[i, j] for i, j in pairs}
        for code, score in zip(order, normalized_scores(chance), strict=True):
            found[int(year), data.individuals[code]] = score
    return found


def inconsistencies(ranks: dict[tuple[int, str], float]) -> int:
    """Dyads whose dominant individual of the year ranks below the other."""
    total = 0
    for (year,), part in hyena("interactions").group_by("period"):
        won = Counter(part.select("winner", "loser").iter_rows())
        for (one, other), wins in won.items():
            above = ranks[int(year), one] > ranks[int(year), other]
            total += wins > won[other, one] and above
    return total


def of_dynarankr() -> Iterator[Row]:
    data = hyenas()
    initial = hyena("initial.ranks")["initial.ranks"].to_list()
    codes = [data.code(name) for name in initial]
    traits = {
        who: (mother or "", litter or "")
        for who, mother, litter in hyena("contestants").select(HYENA_TRAITS).iter_rows()
    }
    none = {"convention": "none"}
    mri = {"convention": "maternal", "initial": initial, "traits": traits}
    rules = {"none": read_convention("none", None, data)}
    rules["maternal"] = read_convention("maternal", traits, data)
    for file, method, settings, there, reason in (
        ("elo_none", "elo", none, its_elo(rules["none"], None),
         "newcomers enter at the mean of those present; there, also of those who just left"),
        ("ds_none", "davids_score", none, None, ""),
        ("informed_elo_mri", "elo", mri, its_elo(rules["maternal"], codes),
         "of sisters that enter together, the second is 0.1 below the first; equal there"),
        ("informed_ds_mri", "davids_score", mri, its_scores(rules["maternal"], codes),
         "the next period starts from the order of the scores; there, from the initial order"),
        ("informed_matreorder_mri_seed1", "reorder", mri, None,
         "a random search there"),
    ):  # fmt: skip
        theirs = pl.read_csv(PEERS / "DynaRankR" / f"female_{file}.csv", schema_overrides=HYENA)
        ours = po.orders.period_ranks(data, per="year", method=method, **settings).as_polars()
        column = "rank" if method == "reorder" else "score"
        found = {
            (int(t), who): x
            for t, who, x in ours.select("period", "individual", column).iter_rows()
        }
        expected = {
            (int(t), who): x for t, who, x in theirs.select("period", "id", column).iter_rows()
        }
        function = {"elo": "informed_elo", "davids_score": "informed_ds"}.get(
            method, "informed_matreorder"
        )
        if method == "reorder":
            counts = [inconsistencies(ranks) for ranks in (found, expected)]
            reason += f": inconsistencies in the eight years {counts[0]} here, {counts[1]} there"
        where = f"hyena females, {settings['convention']}"
        yield compared("DynaRankR", function, where, found, expected, reason=reason)
        if there is not None:
            yield compared("DynaRankR", function, f"{where}, with its rule", there, expected)


PACKAGES: dict[str, tuple[str, Callable[[], Iterator[Row]]]] = {
    "elorating": ("EloRating", of_elorating),
    "elosteepness": ("EloSteepness", of_elosteepness),
    "elooptimized": ("EloOptimized", of_elooptimized),
    "anidom": ("aniDom", of_anidom),
    "steepness": ("steepness", of_steepness),
    "compete": ("compete", of_compete),
    "dynarankr": ("DynaRankR", of_dynarankr),
    "playerratings": ("PlayerRatings", of_playerratings),
    "perc": ("Perc", lambda: iter(())),
    "bradleyterry2": ("BradleyTerry2", lambda: iter(())),
}


def mentioned(page: str) -> list[str]:
    """Functions in the first column of the table of a page."""
    text = (PAGES / f"{page}.md").read_text("utf-8")
    cells = [line.split("|")[1] for line in text.splitlines() if line.startswith("| `")]
    functions = [name for cell in cells for name in re.findall(r"`([\w.]+)", cell)]
    return [name for name in dict.fromkeys(functions) if name not in ARGUMENTS]


def shown(number: float) -> str:
    return "0" if number == 0 else f"{number:.1e}" if number < 1e-3 else f"{number:.3g}"


def truncated() -> Iterator[tuple[str, float]]:
    """Raters, and by how much predictions change if later contests are left out."""
    sys.path.insert(0, str(ROOT))
    from tests.ratings.test_foresight import CUTS, RATERS, early, games

    for name, rater in RATERS.items():
        largest = 0.0
        for ties in (0.0, 0.08):
            data = games(ties)
            whole = rater(data).foresight()
            for contests in CUTS:
                part = rater(early(data, contests)).foresight()
                decided = whole.win[:contests] / (whole.win + whole.loss)[:contests]
                apart = np.abs(part.win / (part.win + part.loss) - decided).max()
                largest = max(largest, float(apart))
        yield name, largest


def ledger() -> Iterator[str]:
    """The lines of docs/agreement.md."""
    rows = {page: list(compare()) for page, (_, compare) in PACKAGES.items()}
    yield HEAD
    yield "| package | numbers | comparisons | equal | agree | differ | functions without output |"
    yield "|---|---|---|---|---|---|---|"
    lost = {}
    for page, (package, _) in PACKAGES.items():
        verdicts = [row.verdict for row in rows[page]]
        have = {row.function for row in rows[page]}
        lost[page] = [f"`{name}`" for name in mentioned(page) if name not in have]
        numbers = sum(row.numbers for row in rows[page])
        counts = [verdicts.count(x) for x in ("equal", "agrees", "**differs**")]
        link = f"[{package}](from_r/{page}.md)"
        cells = (link, f"{numbers:,}", len(verdicts), *counts, len(lost[page]))
        yield "| " + " | ".join(map(str, cells)) + " |"
    for page, (package, _) in PACKAGES.items():
        yield f"\n## {package}\n"
        if rows[page]:
            yield "| function | data | numbers | largest difference | | reason |"
            yield "|---|---|---|---|---|---|"
        for row in rows[page]:
            reason = "" if row.verdict == "equal" else row.reason
            cells = (f"`{row.function}`", row.data, row.numbers, shown(row.difference), row.verdict)
            yield "| " + " | ".join(map(str, (*cells, reason))) + " |"
        if lost[page]:
            space = "\n" if rows[page] else ""
            yield f"{space}No output at hand: {', '.join(lost[page])}."
    yield TRUNCATION
    yield "| rater | largest change of a prediction |"
    yield "|---|---|"
    for name, largest in truncated():
        yield f"| {name} | {shown(largest)} |"


def main() -> None:
    quick = wants_quick(__doc__)
    if not PEERS.exists():
        print(f"{PEERS} is not at hand.")
        return
    lines = []
    for line in ledger():
        print(line, flush=True)
        lines.append(line)
    if not quick:
        (ROOT / "docs" / "agreement.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


HEAD = """\
# Agreement with other packages

Written by `benchmarks/agreement.py`, from outputs of the packages on data sets that come with them
(versions on the pages of [Coming from R](from_r/index.md)). *Equal*: no number differs by more than
1e-8. *Agrees*: within rounding of the output, the tolerance of an optimizer or four Monte Carlo
errors. *Differs*: by a rule or a random search, with the reason; where a row says "with its rule",
the numbers were computed again with the rule of the package.
"""
TRUNCATION = """
## The truncation test

A prediction must not know later contests. 110 games of twelve sides, with and without ties, are cut
after 4, 22, 62 and 96 games; predictions of the games before must stay as they were. Before its
first tie a record does not say that there are ties, so that chances are compared for decided games.
`make test` has the same test.
"""
HYENA_TRAITS = ("id", "convention1", "convention2")
# Names of arguments and columns in the first columns of the tables
ARGUMENTS = {"n_rand", "algo", "Elo", "EloOrdinal", "EloScaled", "ExpNumBeaten", "EloCardinal"}
ARGUMENTS |= {"JenksEloCardinal", "pres_data", "convention", "contestants", "interactions", "gamma"}
ARGUMENTS |= {
    "status",
    "br",
    "plot",
    "hist",
    "home",
    "tenure",
    "age",
    "phys_attr",
    "none",
    "formula",
}

if __name__ == "__main__":
    main()
