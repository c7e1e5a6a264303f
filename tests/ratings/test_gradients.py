"""Likelihoods and their exact gradients, against a literal twin and central differences."""

import itertools

import numpy as np
import pytest
from numba import njit

from peckorder.kernels import posterior as kernel
from peckorder.kernels.likelihood import CENTER, ENTER, LEAVE, SLOTS, ContestArrays, evaluate
from peckorder.kernels.posterior import FIXED, FREE, POOLED, Model, density_at
from peckorder.kernels.trajectories import Draws, log_likelihoods, photograph
from peckorder.ratings.sampler import dimension, layout, parameters
from tests import fit_twin as twin

PEOPLE, NUMBER, CLASSES, BURNED = 7, 60, 3, 15


def record(
    seed, *, draws=False, home=False, in_update=False, classes=False, burn=False, centered=False
):
    """Contests for the kernels, and the arguments of the twin for the same ones."""
    random = np.random.default_rng(seed)
    stay = [(0, NUMBER)] * PEOPLE
    if centered:  # one arrives late, one leaves, one leaves and returns
        stay = [(0, NUMBER), (0, NUMBER), (20, NUMBER), (0, 40), (0, NUMBER), (0, NUMBER)]
        stay += [(0, 15), (35, NUMBER)]
    owner = [*range(PEOPLE), PEOPLE - 1][: len(stay)] if centered else list(range(PEOPLE))
    present = [
        {owner[i] for i, (come, go) in enumerate(stay) if come <= j < go} for j in range(NUMBER)
    ]
    pairs = np.array([random.choice(sorted(there), 2, replace=False) for there in present])
    first, second = np.ascontiguousarray(pairs.T.astype(np.int32))
    events = []
    if centered:
        for i, (come, go) in enumerate(stay):
            events.append((come, ENTER, owner[i]))
            if go < NUMBER:
                events.append((go, LEAVE, owner[i]))
        events += [(at, CENTER, 0) for at in {event[0] for event in events}]
        events.sort(key=lambda event: (event[0], event[1] == CENTER, event[1] != LEAVE))
    at, kind, who = np.array(events, np.int64).reshape(-1, 3).T
    drawn = random.random(NUMBER) < 0.25 if draws else np.zeros(0, bool)
    side = random.integers(-1, 2, NUMBER).astype(float) if home else np.zeros(0)
    k_of = np.zeros(0, np.int32)
    if classes or burn:
        k_of = random.integers(0, CLASSES if classes else 1, NUMBER).astype(np.int32)
    if burn:
        k_of[:BURNED] = CLASSES if classes else 1
    contests = ContestArrays(
        first,
        second,
        drawn,
        side,
        in_update,
        k_of,
        BURNED if burn else 0,
        *(np.ascontiguousarray(column) for column in (at, kind, who)),
        np.zeros(len(at), np.int64),
    )
    plain = {
        "winner": first.tolist(),
        "loser": second.tolist(),
        "draw": drawn.tolist() if draws else None,
        "home": side.tolist() if home else None,
        "home_in_update": in_update,
        "present": present if centered else None,
        "first": BURNED if burn else 0,
    }
    return contests, plain


def likelihood(contests, start, k, nu, home):
    halls = np.zeros((1, 3)), np.zeros((1, 2))
    adjoint, by_k = np.empty(len(start)), np.empty(len(k))
    kept = np.empty((SLOTS, contests.first.size))
    value, by_log_nu, by_home = evaluate(contests, start, k, nu, home, kept, *halls, adjoint, by_k)
    return value, np.concatenate([adjoint, by_k[:-1], [by_log_nu, by_home]])


VARIANTS = [
    dict(zip(("draws", "home", "in_update", "classes", "burn", "centered"), on, strict=True))
    for on in itertools.product([False, True], repeat=6)
    if on[1] or not on[2]
]


@pytest.mark.parametrize(
    "variant", VARIANTS, ids=lambda v: "-".join(n for n in v if v[n]) or "plain"
)
def test_value_and_gradient_of_every_variant(variant):
    contests, plain = record(len(VARIANTS), **variant)
    random = np.random.default_rng(1)
    start = random.normal(0, 1.5, PEOPLE)
    k = np.append(random.uniform(0.1, 0.9, CLASSES if variant["classes"] else 1), 0.4)
    nu, home = (0.7 if variant["draws"] else 0.0), (0.5 if variant["home"] else 0.0)
    value, slope = likelihood(contests, start, k, nu, home)

    def literal(start, k, log_nu, home):
        each = [k[c] for c in contests.k_of] if contests.k_of.size else k[0]
        return twin.log_likelihood(
            start=start,
            k=each,
            nu=np.exp(log_nu) if variant["draws"] else None,
            home_advantage=home,
            burn_k=0.4 if variant["burn"] else None,
            **plain,
        )

    log_nu = np.log(nu) if variant["draws"] else 0.0
    assert value == pytest.approx(literal(start, k, log_nu, home), abs=1e-10)
    x = np.concatenate([start, k[:-1], [log_nu, home]])

    def at(x):
        return literal(x[:PEOPLE], np.append(x[PEOPLE:-2], 0.4), x[-2], x[-1])

    numeric = np.array(twin.numeric_gradient(at, x.tolist()))
    if not variant["home"]:
        numeric[-1] = slope[-1] = 0.0
    np.testing.assert_allclose(slope, numeric, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("centered", [False, True])
def test_course_and_terms_are_those_of_the_twin(centered):
    contests, plain = record(5, draws=True, home=True, centered=centered)
    start, k = np.random.default_rng(2).normal(0, 1.5, (1, PEOPLE)), np.array([[0.6, 0.0]])
    nu, home = np.array([0.7]), np.array([0.4])
    terms = np.empty((1, NUMBER))
    draw = Draws(start, k, nu, home)
    log_likelihoods(contests, draw, terms)
    literal = {"start": start[0].tolist(), "k": 0.6, "home_advantage": 0.4} | plain
    expected = twin.log_likelihood(nu=0.7, each=True, **literal)
    np.testing.assert_allclose(terms[0], expected, atol=1e-12)
    out = np.empty((NUMBER + 1, 1, PEOPLE))
    photograph(contests, draw, np.arange(NUMBER + 1), np.arange(PEOPLE), out, True, 0)
    np.testing.assert_allclose(out[:, 0], twin.course(**literal), atol=1e-12)


def model(kind, *, sigmas=1, halves=False, seed=3, **variant):
    contests, plain = record(seed, classes=kind == POOLED, **variant)
    sigma_of = (np.arange(PEOPLE) >= 4) * (sigmas == 2)
    made = Model(
        contests=contests,
        sigma_of=sigma_of.astype(np.int32),
        sigmas=sigmas,
        sigma=1.3,
        k_kind=kind,
        ks={FIXED: 0, FREE: 1, POOLED: CLASSES}[kind],
        k=0.35,
        burn_k=0.0,
        with_nu=variant.get("draws", False),
        with_home=variant.get("home", False),
        home_advantage=0.0,
        prior_sigma=1.7,
        prior_k=0.8,
        prior_spread=1.0,
        prior_nu=1.2,
        prior_home=0.9,
    )
    return made, plain


@pytest.mark.parametrize("sigmas", [0, 1, 2])
@pytest.mark.parametrize("kind", [FIXED, FREE, POOLED])
@pytest.mark.parametrize(
    "variant",
    [{}, {"centered": True}, {"draws": True, "home": True, "in_update": True}],
    ids=["plain", "centered", "draws-home"],
)
def test_posterior_density_and_its_gradient(kind, sigmas, variant):
    made, plain = model(kind, sigmas=sigmas, **variant)
    random = np.random.default_rng(4)

    def literal(x):
        """Prior times likelihood, from the parameters, with the Jacobian of the transformation."""
        found = {name: np.atleast_1d(a).ravel() for name, a in parameters(made, x).items()}
        k = found["k"]
        each = [k[c] for c in made.contests.k_of] if made.contests.k_of.size else k[0]
        value = twin.log_likelihood(
            start=found["start"],
            k=each,
            nu=found["nu"][0] if "nu" in found else None,
            home_advantage=found["home_advantage"][0] if "home_advantage" in found else 0.0,
            **plain,
        )
        sigma = found["sigma"][made.sigma_of] if sigmas else np.full(PEOPLE, 1.3)
        for one, spread in zip(found["start"], sigma, strict=True):
            value += twin.log_normal_density(one, spread) + np.log(spread)
        # Positive parameters v are sampled as x with v = log(1 + e^x): dv/dx = 1 − e^(−v).
        for one in found["sigma"][: made.sigmas]:
            value += twin.log_half_normal_density(one, 1.7) + np.log(-np.expm1(-one))
        if kind == FREE:
            value += twin.log_half_normal_density(k[0], 0.8) + np.log(-np.expm1(-k[0]))
        if kind == POOLED:
            typical, spread = found["k_typical"][0], found["k_spread"][0]
            value += twin.log_half_normal_density(typical, 0.8) + np.log(-np.expm1(-typical))
            value += twin.log_half_normal_density(spread, 1.0) + np.log(-np.expm1(-spread))
            value += sum(twin.log_normal_density(u, 1.0) for u in x[layout(made)["u"]])
        if "nu" in found:
            value += twin.log_normal_density(np.log(found["nu"][0]), 1.2)
        if "home_advantage" in found:
            value += twin.log_normal_density(found["home_advantage"][0], 0.9)
        return value

    size = dimension(made)
    slope, points = np.empty(size), random.normal(0, 0.7, (3, size))
    values = [density_at(x, slope, kernel.workplace(made)) for x in points]
    expected = [literal(x) for x in points]
    np.testing.assert_allclose(np.diff(values), np.diff(expected), atol=1e-9)
    numeric = twin.numeric_gradient(lambda x: literal(np.array(x)), points[-1].tolist())
    np.testing.assert_allclose(slope, numeric, rtol=1e-6, atol=1e-6)


def test_far_scores_and_overflow_do_no_harm():
    contests, _ = record(1)
    start = np.zeros(PEOPLE)
    start[contests.first[0]] = -900.0  # e^d overflows
    value, slope = likelihood(contests, start, np.array([0.0, 0.0]), 0.0, 0.0)
    assert np.isfinite(value)
    assert value < -890
    assert np.isfinite(slope).all()
    made, _ = model(FREE)
    x = np.zeros(dimension(made))
    x[layout(made)["k"]] = 1e200
    assert density_at(x, np.empty(len(x)), kernel.workplace(made)) == -np.inf


def test_groups_that_do_not_meet_share_nothing_but_sigma_and_k():
    one, _ = record(11, centered=True)
    two, _ = record(12, centered=True)
    both = one._replace(
        first=np.concatenate([one.first, two.first + PEOPLE]).astype(np.int32),
        second=np.concatenate([one.second, two.second + PEOPLE]).astype(np.int32),
        event_at=np.concatenate([one.event_at, two.event_at + NUMBER]),
        event_kind=np.concatenate([one.event_kind, two.event_kind]),
        event_who=np.concatenate([one.event_who, two.event_who + PEOPLE]),
        event_hall=np.concatenate([one.event_hall, two.event_hall + 1]),
    )
    start, k = np.random.default_rng(5).normal(0, 1, 2 * PEOPLE), np.array([0.4, 0.0])
    out = np.empty((1, 2 * NUMBER))
    log_likelihoods(both, Draws(start[None], k[None], np.zeros(1), np.zeros(1)), out)
    parts = [
        likelihood(c, s, k, 0.0, 0.0)[0]
        for c, s in zip((one, two), np.split(start, 2), strict=True)
    ]
    assert out.sum() == pytest.approx(sum(parts), abs=1e-10)


@njit
def redrawn_sigmas(place, x, state, number):
    drawn = np.empty(number)
    for i in range(number):
        kernel.redraw(x, state, place)
        drawn[i] = x[PEOPLE]
    return drawn


def test_sigma_drawn_given_the_scores_has_its_exact_distribution():
    """The second kernel of the sampler: 200,000 steps against the density on a grid."""
    made, _ = model(FIXED)
    x = np.concatenate([np.full(PEOPLE, 0.5), [0.2]])
    squares = float((x[:PEOPLE] ** 2).sum() * np.logaddexp(0, 0.2) ** 2)
    sigma = redrawn_sigmas(kernel.workplace(made), x, np.array([1, 2, 3, 4], np.uint64), 200_000)
    drawn = np.log(np.logaddexp(0, sigma))
    assert float((x[:PEOPLE] ** 2).sum() * np.exp(2 * drawn[-1])) == pytest.approx(squares)
    grid = np.linspace(-4, 4, 4001)
    density = np.exp([kernel.given_scores(t, float(PEOPLE), squares, 1.7) for t in grid])
    density /= density.sum()
    mean = float(grid @ density)
    sd = float(np.sqrt((grid - mean) ** 2 @ density))
    assert drawn.mean() == pytest.approx(mean, abs=0.01 * sd)
    assert drawn.std() == pytest.approx(sd, rel=0.02)
