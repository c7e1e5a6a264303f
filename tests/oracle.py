"""The matrix methods written down a second time, from the formulas alone; slow and plain.

`wins[i][j]` is always how often i beat j, as a list of lists of whole numbers. Wherever two values
are compared with each other they are whole numbers or fractions, so that equal means equal.
"""

import itertools
import math
import random
from collections import Counter
from fractions import Fraction

Wins = list[list[int]]
Matrix = list[list[float]]


# David's scores and steepness (de Vries, Stevens & Vervaecke 2006)


def dyadic_index(won: int, met: int, index: str) -> Fraction:
    """One cell of the matrix of dyadic indices: `won` of `met` contests."""
    if met == 0:
        return Fraction(0)
    share = Fraction(won, met)
    if index == "pij":
        return share
    if index == "dij":
        return Fraction(2 * won + 1, 2 * (met + 1))
    if index == "binomial":
        chance = Fraction(math.comb(met, won), 2**met)
        return share - (share - Fraction(1, 2)) * chance
    raise ValueError(f"unknown index {index!r}")


def exact_index_matrix(wins: Wins, index: str) -> list[list[Fraction]]:
    """The dyadic indices as fractions, 0 on the diagonal and for dyads never seen."""
    n = len(wins)
    matrix = [[Fraction(0)] * n for _ in range(n)]
    for i, j in itertools.permutations(range(n), 2):
        matrix[i][j] = dyadic_index(wins[i][j], wins[i][j] + wins[j][i], index)
    return matrix


def index_matrix(wins: Wins, index: str) -> Matrix:
    """The dyadic indices "dij", "pij" or "binomial", 0 on the diagonal and for dyads never seen."""
    return [[float(cell) for cell in row] for row in exact_index_matrix(wins, index)]


def exact_davids_score(wins: Wins, index: str) -> dict[str, list[Fraction]]:
    """w, w2, l, l2, DS and NormDS of everybody, as fractions."""
    everybody = range(len(wins))
    n = len(wins)
    p = exact_index_matrix(wins, index)
    w = [sum((p[i][j] for j in everybody), Fraction(0)) for i in everybody]
    lost = [sum((p[j][i] for j in everybody), Fraction(0)) for i in everybody]
    w2 = [sum((p[i][j] * w[j] for j in everybody), Fraction(0)) for i in everybody]
    l2 = [sum((p[j][i] * lost[j] for j in everybody), Fraction(0)) for i in everybody]
    ds = [w[i] + w2[i] - lost[i] - l2[i] for i in everybody]
    normds = [(score + Fraction(n * (n - 1), 2)) / n for score in ds]
    return {"w": w, "w2": w2, "l": lost, "l2": l2, "ds": ds, "normds": normds}


def davids_score(wins: Wins, index: str) -> dict[str, list[float]]:
    """w, w2, l, l2, DS and NormDS of everybody."""
    exact = exact_davids_score(wins, index)
    return {name: [float(value) for value in column] for name, column in exact.items()}


def steepness(wins: Wins, index: str) -> tuple[float, float]:
    """The size of the slope and the intercept of the sorted NormDS on the ranks 1..N."""
    scores = sorted(exact_davids_score(wins, index)["normds"], reverse=True)
    n = len(scores)
    mean_rank = Fraction(n + 1, 2)
    mean_score = sum(scores, Fraction(0)) / n
    cross = sum((rank - mean_rank) * (y - mean_score) for rank, y in enumerate(scores, start=1))
    square = sum((rank - mean_rank) ** 2 for rank in range(1, n + 1))
    slope = cross / square
    return float(abs(slope)), float(mean_score - slope * mean_rank)


def steepness_draw(wins: Wins, index: str, rng: random.Random, null: str = "uniform") -> float:
    """The steepness after redrawing each dyad's wins, uniformly on 0..n or by n fair tosses."""
    n = len(wins)
    drawn = [[0] * n for _ in range(n)]
    for i, j in itertools.combinations(range(n), 2):
        met = wins[i][j] + wins[j][i]
        tossed = sum(rng.random() < 0.5 for _ in range(met))
        drawn[i][j] = tossed if null == "binomial" else rng.randint(0, met)
        drawn[j][i] = met - drawn[i][j]
    return steepness(drawn, index)[0]


# Linearity (Landau; Kendall; de Vries 1995)


def dominance(wins: Wins) -> list[list[bool]]:
    """Whether i dominates j: more wins over j than losses to j."""
    n = len(wins)
    return [[wins[i][j] > wins[j][i] for j in range(n)] for i in range(n)]


def unknown_dyads(wins: Wins) -> list[tuple[int, int]]:
    """The dyads that never met."""
    dyads = itertools.combinations(range(len(wins)), 2)
    return [(i, j) for i, j in dyads if wins[i][j] + wins[j][i] == 0]


def tied_dyads(wins: Wins) -> list[tuple[int, int]]:
    """The dyads that met and won equally often."""
    dyads = itertools.combinations(range(len(wins)), 2)
    return [(i, j) for i, j in dyads if wins[i][j] == wins[j][i] > 0]


def doubled_landau_scores(wins: Wins) -> list[int]:
    """2V of everybody: 2 for each one dominated, 1 for each tied or unknown dyad."""
    scores = [0] * len(wins)
    for i, j in itertools.permutations(range(len(wins)), 2):
        if wins[i][j] > wins[j][i]:
            scores[i] += 2
        elif wins[i][j] == wins[j][i]:
            scores[i] += 1
    return scores


def linearity(wins: Wins) -> dict[str, float]:
    """Landau's h, h improved, circular triads, Kendall's K, and the unknown and tied dyads."""
    n = len(wins)
    doubled = doubled_landau_scores(wins)
    unknown = len(unknown_dyads(wins))
    spread = sum(Fraction(v - (n - 1), 2) ** 2 for v in doubled)
    h = Fraction(12, n**3 - n) * spread
    h_improved = h + Fraction(6 * unknown, n**3 - n)
    squares = sum(Fraction(v, 2) ** 2 for v in doubled)
    circular = Fraction(n * (n - 1) * (2 * n - 1), 12) - squares / 2
    most = Fraction(n**3 - n if n % 2 == 1 else n**3 - 4 * n, 24)
    return {
        "h": float(h),
        "value": float(h_improved),
        "circular_triads": float(circular),
        "kendall_k": float(1 - circular / most) if most > 0 else math.nan,
        "unknown": unknown,
        "tied": len(tied_dyads(wins)),
    }


def sum_of_squares_counts(settled: list[int], open_dyads: list[tuple[int, int]]) -> Counter[int]:
    """How often each 4ΣV² arises when every open dyad is settled in both directions.

    `settled` are the doubled scores that come from all the other dyads.
    """
    counts: Counter[int] = Counter()
    for outcome in itertools.product((0, 1), repeat=len(open_dyads)):
        doubled = list(settled)
        for dyad, side in zip(open_dyads, outcome, strict=True):
            doubled[dyad[side]] += 2
        counts[sum(v * v for v in doubled)] += 1
    return counts


def linearity_exact_p(wins: Wins) -> float:
    """The right-tail p = Σ P(h0 = x) P(hr >= x), by going through every filling and tournament."""
    n = len(wins)
    unknown = unknown_dyads(wins)
    settled = doubled_landau_scores(wins)
    for i, j in unknown:
        settled[i] -= 1
        settled[j] -= 1
    observed = sum_of_squares_counts(settled, unknown)
    random_ones = sum_of_squares_counts([0] * n, list(itertools.combinations(range(n), 2)))
    p = Fraction(0)
    for x, count in observed.items():
        above = sum(number for y, number in random_ones.items() if y >= x)
        p += Fraction(count, observed.total()) * Fraction(above, random_ones.total())
    return float(p)


# Triangle transitivity (Shizuka & McDonald 2012, 2014)


def count_triads(dominates: list[list[bool]]) -> tuple[int, int]:
    """The transitive and the cyclic triads among those in which somebody dominates in each dyad."""
    transitive = cyclic = 0
    for triad in itertools.combinations(range(len(dominates)), 3):
        below = [sum(dominates[i][j] for j in triad) for i in triad]
        if sum(below) < 3:
            continue
        if below == [1, 1, 1]:
            cyclic += 1
        else:
            transitive += 1
    return transitive, cyclic


def transitivity(wins: Wins) -> tuple[float, float, int]:
    """P_t, t_tri and the number of complete triads without ties; nan where there are none."""
    transitive, cyclic = count_triads(dominance(wins))
    triads = transitive + cyclic
    if triads == 0:
        return math.nan, math.nan, 0
    pt = transitive / triads
    return pt, 4 * (pt - 0.75), triads


def transitivity_draw(wins: Wins, rng: random.Random) -> float:
    """P_t of a random graph with as many asymmetric, tied and unknown dyads, placed anywhere."""
    n = len(wins)
    dyads = list(itertools.combinations(range(n), 2))
    symmetric = len(tied_dyads(wins)) + len(unknown_dyads(wins))
    dominates = [[False] * n for _ in range(n)]
    for i, j in rng.sample(dyads, len(dyads) - symmetric):
        if rng.random() < 0.5:
            dominates[i][j] = True
        else:
            dominates[j][i] = True
    transitive, cyclic = count_triads(dominates)
    return transitive / (transitive + cyclic) if transitive + cyclic else math.nan


# I&SI (de Vries 1998)


def inconsistencies(dominates: list[list[bool]], order: tuple[int, ...]) -> tuple[int, int]:
    """I and SI of an order: how many dominate somebody above them, and over how many places."""
    number = strength = 0
    for (above, i), (below, j) in itertools.combinations(enumerate(order), 2):
        if dominates[j][i]:
            number += 1
            strength += below - above
    return number, strength


def isi(wins: Wins) -> tuple[int, int, list[tuple[int, ...]]]:
    """The least I, the least SI with that I, and every order that reaches both, top first."""
    dominates = dominance(wins)
    orders = list(itertools.permutations(range(len(wins))))
    costs = [inconsistencies(dominates, order) for order in orders]
    least = min(costs)
    best = [order for order, cost in zip(orders, costs, strict=True) if cost == least]
    return least[0], least[1], best


def isi_mean_ranks(orders: list[tuple[int, ...]]) -> list[float]:
    """The mean place of everybody over the orders, 1 at the top."""
    return [sum(o.index(i) + 1 for o in orders) / len(orders) for i in range(len(orders[0]))]


def isi_representative(wins: Wins, orders: list[tuple[int, ...]]) -> tuple[int, ...]:
    """One optimal order: each place to the candidate with most dominated minus dominated by."""
    dominates = dominance(wins)
    everybody = range(len(wins))
    balance = [sum(dominates[i][j] - dominates[j][i] for j in everybody) for i in everybody]
    chosen: list[int] = []
    for place in everybody:
        candidates = {o[place] for o in orders if set(o[:place]) == set(chosen)}
        chosen.append(min(candidates, key=lambda i: (-balance[i], i)))
    return tuple(chosen)


# Consistency and counts


def consistency(wins: Wins) -> tuple[float, float]:
    """The directional consistency index and the skew symmetry φ."""
    n = len(wins)
    high = low = 0
    for i, j in itertools.combinations(range(n), 2):
        high += max(wins[i][j], wins[j][i])
        low += min(wins[i][j], wins[j][i])
    skew = squares = Fraction(0)
    for i, j in itertools.permutations(range(n), 2):
        skew += Fraction(wins[i][j] - wins[j][i], 2) ** 2
        squares += wins[i][j] ** 2
    return (high - low) / (high + low), float(skew / squares)


def clutton_brock(wins: Wins) -> list[float]:
    """(B + Σb + 1)/(L + Σl + 1), the focal left out of b and l."""
    n = len(wins)
    indices = []
    for i in range(n):
        beaten = [j for j in range(n) if wins[i][j] > 0]
        lost_to = [j for j in range(n) if wins[j][i] > 0]
        sum_b = sum(1 for j in beaten for k in range(n) if k != i and wins[j][k] > 0)
        sum_l = sum(1 for j in lost_to for k in range(n) if k != i and wins[k][j] > 0)
        indices.append((len(beaten) + sum_b + 1) / (len(lost_to) + sum_l + 1))
    return indices


def number_dominated(wins: Wins) -> list[int]:
    """How many each one beat more often than it lost to them."""
    return [sum(row) for row in dominance(wins)]


def win_proportion(wins: Wins) -> list[float]:
    """The share of its contests that each one won; nan without contests."""
    shares = []
    for i in range(len(wins)):
        won = sum(wins[i])
        lost = sum(row[i] for row in wins)
        shares.append(won / (won + lost) if won + lost else math.nan)
    return shares


def average_dominance(wins: Wins) -> list[float]:
    """The mean over the opponents met of the share won against each; nan without contests."""
    n = len(wins)
    means = []
    for i in range(n):
        met = [j for j in range(n) if wins[i][j] + wins[j][i] > 0]
        total = sum((Fraction(wins[i][j], wins[i][j] + wins[j][i]) for j in met), Fraction(0))
        means.append(float(total / len(met)) if met else math.nan)
    return means


def upward_steepness(wins: Wins) -> float:
    """1 − the share of wins against somebody with a higher David's score on D_ij."""
    n = len(wins)
    scores = exact_davids_score(wins, "dij")["ds"]
    order = sorted(range(n), key=lambda i: (-scores[i], i))
    upward = sum(wins[j][i] for i, j in itertools.combinations(order, 2))
    total = sum(sum(row) for row in wins)
    return 1 - upward / total


# Bradley–Terry and Davidson


def strong_components(wins: Wins) -> list[list[int]]:
    """The strong components of 'beat at least once'; no later one beats an earlier one.

    Among components that could come next, the one with the smallest index does.
    """
    n = len(wins)
    reaches = [[i == j or wins[i][j] > 0 for j in range(n)] for i in range(n)]
    for k, i, j in itertools.product(range(n), repeat=3):
        reaches[i][j] = reaches[i][j] or (reaches[i][k] and reaches[k][j])
    left = set(range(n))
    components = []
    while left:
        # Nobody left reaches it without being reached back.
        top = min(i for i in left if all(reaches[i][j] for j in left if reaches[j][i]))
        component = [j for j in sorted(left) if reaches[top][j] and reaches[j][top]]
        components.append(component)
        left -= set(component)
    return components


def centered(values: list[float]) -> list[float]:
    """The values less their mean."""
    mean = math.fsum(values) / len(values)
    return [value - mean for value in values]


def bradley_terry(wins: Wins) -> tuple[list[float], float]:
    """Abilities with mean zero and log-likelihood of strongly connected wins, by MM steps."""
    n = len(wins)
    if n == 1:
        return [0.0], 0.0
    met = [[wins[i][j] + wins[j][i] for j in range(n)] for i in range(n)]
    won = [sum(row) for row in wins]
    strength = [1.0] * n
    for _ in range(1_000_000):
        sums = [
            math.fsum(met[i][j] / (strength[i] + strength[j]) for j in range(n) if j != i)
            for i in range(n)
        ]
        if max(abs(won[i] - strength[i] * sums[i]) for i in range(n)) < 1e-11:
            break
        strength = [won[i] / sums[i] for i in range(n)]
        mean = math.exp(math.fsum(math.log(s) for s in strength) / n)
        strength = [s / mean for s in strength]
    else:
        raise RuntimeError("the MM steps did not converge")
    log_likelihood = math.fsum(
        wins[i][j] * math.log(strength[i] / (strength[i] + strength[j]))
        for i, j in itertools.permutations(range(n), 2)
        if wins[i][j]
    )
    return centered([math.log(s) for s in strength]), log_likelihood


def solve(matrix: Matrix, right: list[float]) -> list[float]:
    """The solution x of matrix · x = right, by elimination with row exchanges."""
    n = len(matrix)
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for column in range(n):
        pivot = max(range(column, n), key=lambda r: abs(rows[r][column]))
        rows[column], rows[pivot] = rows[pivot], rows[column]
        for r in range(n):
            if r != column:
                factor = rows[r][column] / rows[column][column]
                for c in range(column, n + 1):
                    rows[r][c] -= factor * rows[column][c]
    return [rows[i][n] / rows[i][i] for i in range(n)]


def bradley_terry_standard_errors(wins: Wins, abilities: list[float]) -> list[float]:
    """Standard errors of the mean-zero abilities, from the Moore–Penrose inverse information."""
    n = len(wins)
    shifted = [[1 / n] * n for _ in range(n)]
    for i, j in itertools.permutations(range(n), 2):
        p = 1 / (1 + math.exp(abilities[j] - abilities[i]))
        information = (wins[i][j] + wins[j][i]) * p * (1 - p)
        shifted[i][i] += information
        shifted[i][j] -= information
    # The all-ones direction is the null space: adding it makes the matrix invertible, and its
    # share of the inverse is 1/n in every cell.
    errors = []
    for i in range(n):
        unit = [1.0 if j == i else 0.0 for j in range(n)]
        errors.append(math.sqrt(solve(shifted, unit)[i] - 1 / n))
    return errors


def davidson_chances(a: float, b: float, log_nu: float) -> tuple[float, float, float]:
    """The chances that ability a wins, that ability b wins, and of a draw."""
    draw = log_nu + (a + b) / 2
    top = max(a, b, draw)
    weights = [math.exp(a - top), math.exp(b - top), math.exp(draw - top)]
    total = sum(weights)
    return weights[0] / total, weights[1] / total, weights[2] / total


def davidson_log_likelihood(wins: Wins, draws: Wins, parameters: list[float]) -> float:
    """The log-likelihood at the parameters: all abilities, then log ν."""
    terms = []
    for i, j in itertools.combinations(range(len(wins)), 2):
        chances = davidson_chances(parameters[i], parameters[j], parameters[-1])
        counts = (wins[i][j], wins[j][i], draws[i][j])
        for count, chance in zip(counts, chances, strict=True):
            if count > 0:
                terms.append(count * math.log(chance))
    return math.fsum(terms)


def davidson_slopes(wins: Wins, draws: Wins, parameters: list[float]) -> tuple[list[float], Matrix]:
    """The gradient of the log-likelihood and the information, observed and expected alike."""
    n = len(wins)
    gradient = [0.0] * (n + 1)
    information = [[0.0] * (n + 1) for _ in range(n + 1)]
    for i, j in itertools.combinations(range(n), 2):
        chances = davidson_chances(parameters[i], parameters[j], parameters[-1])
        counts = (wins[i][j], wins[j][i], draws[i][j])
        # What a win of i, a win of j and a draw each add to the exponent: abilities, then log ν.
        effects = ({i: 1.0}, {j: 1.0}, {i: 0.5, j: 0.5, n: 1.0})
        outcomes = list(zip(chances, effects, strict=True))
        mean = {q: sum(p * e.get(q, 0.0) for p, e in outcomes) for q in (i, j, n)}
        for q in (i, j, n):
            seen = sum(c * e.get(q, 0.0) for c, e in zip(counts, effects, strict=True))
            gradient[q] += seen - sum(counts) * mean[q]
            for s in (i, j, n):
                product = sum(p * e.get(q, 0.0) * e.get(s, 0.0) for p, e in outcomes)
                information[q][s] += sum(counts) * (product - mean[q] * mean[s])
    return gradient, information


def davidson(wins: Wins, draws: Wins) -> tuple[list[float], float, float]:
    """Abilities with mean zero, ν and log-likelihood, by Newton steps that never go downhill.

    `draws` is symmetric: `draws[i][j]` and `draws[j][i]` are both the number of draws of the dyad.
    Wins that are strongly connected are enough for a maximum; draws alone may not connect.
    """
    n = len(wins)
    if not any(any(row) for row in draws):
        abilities, log_likelihood = bradley_terry(wins)
        return abilities, 0.0, log_likelihood
    parameters = [0.0] * (n + 1)
    value = davidson_log_likelihood(wins, draws, parameters)
    for _ in range(500):
        gradient, information = davidson_slopes(wins, draws, parameters)
        if max(abs(g) for g in gradient) < 1e-10:
            break
        # Ones among the abilities hold their mean in place, which the contests leave open.
        for i, j in itertools.product(range(n), repeat=2):
            information[i][j] += 1.0
        step = solve(information, gradient)
        size = 1.0
        while size > 1e-6:
            moved = [x + size * s for x, s in zip(parameters, step, strict=True)]
            moved_value = davidson_log_likelihood(wins, draws, moved)
            if moved_value >= value - 1e-12 * abs(value):
                break
            size /= 2
        parameters, value = moved, moved_value
    else:
        raise RuntimeError("the Newton steps did not converge")
    return centered(parameters[:n]), math.exp(parameters[n]), value


# Comparing rankings


def average_ranks(values: list[float]) -> list[float]:
    """Ranks from 1 for the highest value, those with equal values sharing their mean rank."""
    ranks = []
    for value in values:
        above = sum(1 for other in values if other > value)
        equal = sum(1 for other in values if other == value)
        ranks.append(above + (equal + 1) / 2)
    return ranks


def spearman(x: list[float], y: list[float]) -> float:
    """Spearman's rank correlation with average ties; nan where either does not vary."""
    a = centered(average_ranks(x))
    b = centered(average_ranks(y))
    cross = sum(p * q for p, q in zip(a, b, strict=True))
    squares = sum(p * p for p in a) * sum(q * q for q in b)
    return cross / math.sqrt(squares) if squares else math.nan


def kendall_tau_b(x: list[float], y: list[float]) -> float:
    """Kendall's tau-b; nan where either does not vary."""
    balance = differ_x = differ_y = 0
    for i, j in itertools.combinations(range(len(x)), 2):
        sign_x = (x[i] > x[j]) - (x[i] < x[j])
        sign_y = (y[i] > y[j]) - (y[i] < y[j])
        balance += sign_x * sign_y
        differ_x += sign_x != 0
        differ_y += sign_y != 0
    return balance / math.sqrt(differ_x * differ_y) if differ_x * differ_y else math.nan


def repeatability(scores: list[list[float]]) -> float:
    """The share of the variance between individuals; `scores[r][i]` is i's rating in shuffle r."""
    runs = len(scores)
    n = len(scores[0])
    means = [math.fsum(run[i] for run in scores) / runs for i in range(n)]
    grand = math.fsum(means) / n
    among = runs * math.fsum((mean - grand) ** 2 for mean in means) / (n - 1)
    squares = math.fsum((run[i] - means[i]) ** 2 for run in scores for i in range(n))
    within = squares / (n * (runs - 1))
    between = (among - within) / runs
    return between / (between + within)


# Stability (Neumann et al. 2011; McDonald & Shizuka 2013)


def stability(days: list[dict[str, float]]) -> tuple[float, float]:
    """The stability index, weighted and unweighted; each day gives the ratings of those present.

    Where all present the day before are equal, the weight is 0; without two individuals who stay
    from one day to the next, the index is nan.
    """
    weighted = unweighted = 0.0
    largest = 0
    for before, after in itertools.pairwise(days):
        stay = [name for name in before if name in after]
        ranks = average_ranks([before[name] for name in stay])
        new_ranks = average_ranks([after[name] for name in stay])
        largest += len(stay) ** 2 // 2
        moves = [abs(new - old) for old, new in zip(ranks, new_ranks, strict=True)]
        changed = [before[name] for name, move in zip(stay, moves, strict=True) if move > 0]
        if not changed:
            continue
        low = min(before.values())
        spread = max(before.values()) - low
        weight = (max(changed) - low) / spread if spread else 0.0
        weighted += sum(moves) * weight
        unweighted += sum(moves)
    if largest == 0:
        return math.nan, math.nan
    return 1 - weighted / largest, 1 - unweighted / largest


def elorating_stability(days: list[dict[str, float]]) -> tuple[float, float]:
    """The stability index as EloRating has it: newcomers take ranks on the day they arrive.

    Whoever stood below a leaver moves up by one; weights are standardized among those who stay.
    """
    weighted = unweighted = 0.0
    largest = 0
    for before, after in itertools.pairwise(days):
        old = dict(zip(before, average_ranks(list(before.values())), strict=True))
        new = dict(zip(after, average_ranks(list(after.values())), strict=True))
        stay = [name for name in before if name in after]
        gone = [name for name in before if name not in after]
        if len(stay) < 2:
            continue
        largest += len(stay) ** 2 // 2
        moves = {
            name: abs(new[name] - old[name] + sum(old[one] < old[name] for one in gone))
            for name in stay
        }
        changed = [before[name] for name in stay if moves[name] > 0]
        if not changed:
            continue
        low = min(before[name] for name in stay)
        spread = max(before[name] for name in stay) - low
        weighted += sum(moves.values()) * ((max(changed) - low) / spread if spread else 0.0)
        unweighted += sum(moves.values())
    if largest == 0:
        return math.nan, math.nan
    return 1 - weighted / largest, 1 - unweighted / largest
