"""The same seed gives the same result, to the last bit, on any number of threads."""

import json

import pytest

import peckorder as po

CALLS = {
    "dynamic": lambda data, **how: po.dynamic(data, samples=400, **how),
    "adaptive": lambda data, **how: po.adaptive(data, samples=400, **how),
    "change_points": lambda data, threads, seed: po.change_points(data, most=1, threads=threads),
    "over_time": lambda data, **how: po.over_time(
        data, "steepness", window=12, step=6, min_contests=1, runs=99, **how
    ),
    "steepness_bayes": po.steepness_bayes,
    "steepness_bayes, published": lambda data, **how: po.steepness_bayes(
        data, preset="EloSteepness", orders=2, chains=2, samples=100, warmup=100, **how
    ),
    "elo_bayes": lambda data, **how: po.elo_bayes(data, samples=100, warmup=100, **how),
}


@pytest.mark.filterwarnings("ignore::peckorder.ConvergenceWarning")
@pytest.mark.parametrize("name", CALLS)
def test_a_result_is_the_same_on_1_2_and_4_threads(name):
    data = po.datasets.adv()
    found = [CALLS[name](data, seed=7, threads=threads) for threads in (1, 2, 4)]
    one, *others = [json.dumps(result.to_dict(), default=repr) for result in found]
    assert [one == other for other in others] == [True, True]
    assert all(found[0].as_polars().equals(other.as_polars()) for other in found[1:])


@pytest.mark.slow
def test_a_report_is_the_same_on_1_2_and_4_threads(tmp_path):
    """Byte for byte."""
    pages, methods = [], ("dynamic", "randomized_elo", "davids_score")
    for threads in (1, 2, 4):
        path = tmp_path / f"{threads}.html"
        po.report(po.datasets.adv(), path, methods=methods, runs=200, seed=7, threads=threads)
        pages.append(path.read_bytes())
    assert len(pages[0]) > 100_000
    assert pages[0] == pages[1] == pages[2]
