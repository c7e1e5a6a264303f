"""The command line: fit, without, and steepness --bayes."""

import json

import polars as pl
import pytest

import peckorder as po

ADV = po.datasets.CATALOGUE["adv"].path
BONOBOS = po.datasets.CATALOGUE["bonobos"].path
SHORT = ("--warmup", "200", "--samples", "300", "--seed", "1")


def test_posterior_at_the_shell(inside, tmp_path):
    done = inside("fit", ADV, "--seed", "1")
    assert done.returncode == 0
    lines = done.stdout.decode().splitlines()
    assert lines[0].split()[:4] == ["individual", "rating", "rank", "contests"]
    assert lines[2].split()[0] == "b"
    assert "Converged: largest R̂" in done.stdout.decode()
    assert "Savage–Dickey" in done.stdout.decode()
    answer = json.loads(inside("fit", ADV, "--seed", "1", "--format", "json").stdout)
    post = po.elo_bayes(po.datasets.adv(), seed=1)
    assert answer["result"]["k"]["value"] == pytest.approx(post.k.value)
    assert answer["settings"]["prior_sigma"] == 1.0
    assert answer["provenance"]["seed"] == 1
    table = {row["individual"]: row for row in answer["result"]["table"]}
    assert table["b"]["rank_high"] == post.table["rank_high"][0]
    done = inside("fit", ADV, "--seed", "1", "-o", "post.npz")
    assert "Wrote post.npz." in done.stderr.decode()
    again = po.Posterior.load(tmp_path / "post.npz")
    assert again["b"] == pytest.approx(post["b"])


def test_seed_is_reported_and_reproduces_the_result(inside):
    first = inside("fit", ADV, "--warmup", "200", "--samples", "300", "--format", "csv")
    talk = first.stderr.decode()
    seed = talk.split("Seed: ")[1].split()[0]
    again = inside(
        "fit", ADV, "--warmup", "200", "--samples", "300", "--format", "csv", "--seed", seed
    )
    assert first.stdout == again.stdout


def test_at_a_date(inside):
    done = inside("fit", ADV, *SHORT, "--at", "2010-01-10", "--format", "csv")
    assert done.returncode == 0
    assert pl.read_csv(done.stdout)["contests"].sum() == 20
    done = inside("fit", ADV, *SHORT, "--at", "2009-01-01", "--format", "csv")
    assert done.returncode == 0
    assert pl.read_csv(done.stdout).height == 0
    assert "before the first contest" in done.stderr.decode()


def test_maximum_likelihood_at_the_shell(inside):
    done = inside("fit", ADV, "--method", "ml")
    text = done.stdout.decode()
    assert done.returncode == 0
    assert "higher component: {b, c} > {d} > {a, e, f, g}" in text
    assert "The estimate of k is 0, its lower bound" in text
    answer = json.loads(inside("fit", ADV, "--method", "ml", "--format", "json").stdout)
    for name in ("k", "log_likelihood", "aic", "bic", "parameters", "components"):
        assert name in answer["result"]
    only = json.loads(
        inside("fit", ADV, "--method", "ml", "--estimate", "k", "--format", "json").stdout
    )
    assert only["result"]["k"] == pytest.approx(po.elo_ml(po.datasets.adv(), estimate="k").k)
    done = inside(
        "fit", ADV, "--method", "ml", "--penalized", "--prior-sd", "1.5", "--level", "0.9"
    )
    assert done.returncode == 0
    assert "depend strongly on the prior" in done.stdout.decode()


def test_groups_on_their_own_or_with_shared_parameters(inside, sheet):
    rows = ["group,winner,loser"]
    for group in "PQ":
        rows += [f"{group},{group}{a},{group}{b}" for a, b in ["12", "23", "31", "12", "13"] * 4]
    sheet("\n".join(rows), "groups.csv")
    done = inside("fit", "groups.csv", "--by", "group", *SHORT, "--format", "csv")
    assert done.returncode == 0, done.stderr.decode()
    assert pl.read_csv(done.stdout)["group"].unique().sort().to_list() == ["P", "Q"]
    done = inside("fit", "groups.csv", "--by", "group", "--shared", *SHORT, "--format", "json")
    answer = json.loads(done.stdout)
    one, other = answer["result"]["groups"]
    assert one["k"] == other["k"]
    assert one["group"] == "P"
    done = inside("fit", "groups.csv", "--shared", *SHORT)
    assert done.returncode == 2
    assert "--shared requires --by" in done.stderr.decode()


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--method", "ml", "--chains", "3"), "--chains cannot be used with --method ml"),
        (("--burn-in", "10,1"), "--burn-in cannot be used with --method bayes"),
        (("--k", "often"), 'Give a number to fix k, or "context"'),
        (("--prior-k", "0"), "--prior-k 0.0: give a number above 0."),
        (("--chains", "0"), "--chains 0: give a whole number"),
        (("--samples", "0"), "--samples 0: give a whole number"),
        (("--method", "ml", "-o", "x.npz"), "--method ml does not have"),
        (("--centering", "all"), "not one of"),
    ],
)
def test_wrong_flags(inside, flags, words):
    done = inside("fit", ADV, *flags)
    assert done.returncode == 2
    assert words in done.stderr.decode()
    assert done.stdout == b""


def test_exit_code_of_invalid_data(inside, sheet):
    sheet("winner,loser\na,b\nb,a\nc,d\nd,c\n", "apart.csv")
    done = inside("fit", "apart.csv", "--method", "ml")
    assert done.returncode == 3
    assert "with no contests between them" in done.stderr.decode()
    done = inside("fit", ADV, "--centering", "present")
    assert done.returncode == 3
    assert "--presence" in done.stderr.decode()


def test_without_at_the_shell(inside):
    done = inside("without", ADV, "--individuals", "a,b", *SHORT)
    assert done.returncode == 0
    assert 'Round 1 excludes 2 individuals: "a", "b".' in done.stdout.decode()
    done = inside("without", ADV)
    assert done.returncode == 2
    assert "Specify which individuals to exclude" in done.stderr.decode()


ORDERS = ("--orders", "3", "--seed", "1")


def test_steepness_with_its_posterior(inside):
    done = inside(
        "steepness", BONOBOS, "--bayes", "--preset", "EloSteepness", *ORDERS, "--format", "json"
    )
    assert done.returncode == 0
    answer = json.loads(done.stdout)
    assert set(answer["result"]["value"]) == {"value", "sd", "low", "high"}
    assert answer["result"]["orders"] == 3
    assert answer["result"]["table"][0].keys() >= {"individual", "score", "score_low", "rank"}
    assert answer["result"]["davids"]["value"] > 0.5
    done = inside("steepness", BONOBOS, "--bayes", "--seed", "1", "--fair-coins", "20")
    assert "If every contest were a fair coin toss" in done.stdout.decode()
    done = inside("steepness", ADV, "--bayes", "--split-at", "2010-01-17", "--seed", "1")
    assert "is steeper than" in done.stderr.decode()
    done = inside(
        "steepness", ADV, "--bayes", "--at", "2010-01-10", "--at", "2010-01-30", "--seed", "1"
    )
    assert done.stdout.decode().split("\n")[2].split()[0] == "2010-01-10"
    for flags, words in (
        (("--bayes", "--runs", "5"), "--runs cannot be used with --bayes"),
        (("--orders", "5"), "--orders requires --bayes"),
        (("--bayes", "--orders", "5"), "Add --preset EloSteepness"),
        (("--bayes", "--ties", "half"), "not one of 'davidson', 'omit'"),
        (("--ties", "davidson"), "not one of"),
        (("--bayes", "--by", "loser", "--split-at", "2010-01-17"), "cannot be combined"),
    ):
        done = inside("steepness", ADV, *flags)
        assert done.returncode == 2
        assert words in done.stderr.decode()


@pytest.mark.slow
def test_bootstrapped_claims_at_the_shell(inside):
    done = inside("fit", ADV, "--method", "ml", "--bootstrap", "19", "--seed", "1")
    assert done.returncode == 0
    assert "bootstrap CI 0–" in done.stdout.decode()
    plain = inside("fit", ADV, "--method", "ml").stdout.decode()
    assert "--bootstrap 199" in plain
    assert "AIC is lower" not in plain
    published = inside("fit", ADV, "--method", "ml", "--asymptotic").stdout.decode()
    assert "AIC is lower" in published
