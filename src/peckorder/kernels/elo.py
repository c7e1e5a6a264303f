"""The Elo recursion over a sequence of contests.

One loop serves every policy. What depends on the data alone arrives as arrays; an array that
would hold the same value for every contest is given with one entry. What depends on the state
(rounding, entry of newcomers, FIDE's k) is a small integer code with its parameters. Things that
happen between contests are events, sorted by the contest they come before.

The state is changed in place, so a sequence may be rated in pieces of any length with the same
result to the last bit.

The Elo recursion under several settings at once, for long records.
"""

import math
from typing import NamedTuple

import numpy as np

from peckorder.kernels import compiled, copy, exp, inlined, part

LOGISTIC, NORMAL, TABLE = 0, 1, 2
# Rules of entry; those of EloRating (SEEN) count everybody ever rated, also while absent.
START, MEAN_PRESENT, MEAN_SEEN = 0, 1, 2
BOTTOM, BOTTOM_LOW, BOTTOM_SEEN, BOTTOM_LOW_SEEN = 3, 4, 5, 6
# At one moment a season ends first, then newcomers enter, then leavers go, then ratings are set,
# then a batch period freezes the ratings it will use; the order of these codes is that order.
SEASON, ENTER, LEAVE, SET, PERIOD, SNAPSHOT = 0, 1, 2, 3, 4, 5


class WinCurve(NamedTuple):
    """Chance of winning by rating difference."""

    kind: int
    parameter: float  # what a difference is multiplied by
    percents: np.ndarray  # the printed table


class ContestArrays(NamedTuple):
    """Contests as the recursion sees them; an array of one entry holds for all of them."""

    first: np.ndarray  # int32 codes of the two sides
    second: np.ndarray
    score: np.ndarray  # of the first side: 1, ½ or a share of the points
    k: np.ndarray  # of the first and of the second side
    advantage: np.ndarray  # points added to the first side's rating in prediction
    # of the distance of both ratings from their start, what is left since the contest before; or
    # of length 0
    kept: np.ndarray = np.zeros((0, 2))


class FideRule(NamedTuple):
    """FIDE's k: as a newcomer, then, and for ever once a high rating was reached."""

    newcomer: float  # 0 where another k is used
    established: float
    high: float
    contests: float  # of a newcomer
    rating: float  # from which k is that of high ratings
    early: bool  # whether that also holds for a newcomer


class Rules(NamedTuple):
    """How ratings begin and move."""

    curve: WinCurve
    advantage_in_update: bool
    start: np.ndarray
    entry: int
    rounded: bool
    fide: FideRule
    carry_over: float
    carry_to: float  # rating that is carried over to; NaN: the mean of those present
    carry_pauses: bool  # whether also after a season without a contest
    set_of: np.ndarray  # individuals whose rating is set, by number of the event
    set_to: np.ndarray
    correction: float  # points of the correction of k by the winner's lead; 0: none


class Events(NamedTuple):
    """What happens between contests, sorted by the contest it comes before."""

    at: np.ndarray
    kind: np.ndarray
    who: np.ndarray


class State(NamedTuple):
    """Where a rating stands between two contests."""

    rating: np.ndarray
    frozen: np.ndarray  # ratings used in prediction: `rating` itself unless periods are rated
    present: np.ndarray
    contests: np.ndarray
    reached: np.ndarray  # whether a high rating was ever reached
    fought: np.ndarray  # whether there is a contest since the last carry-over that applied
    done: int  # contests rated before this piece


class History(NamedTuple):
    """Expected score of the first side, and ratings, of each contest; what is not wanted: length 0.

    `ahead` is the difference of both ratings before the contest.
    """

    expected: np.ndarray
    ahead: np.ndarray
    before: np.ndarray
    after: np.ndarray


class Snapshots(NamedTuple):
    """Ratings of the individuals followed, a row for each SNAPSHOT event."""

    followed: np.ndarray
    rating: np.ndarray


class Foresight(NamedTuple):
    """Sums over predictions from one contest on: log loss, Brier score, correct, decided."""

    begin: int
    least: float  # chance that a prediction is kept away from 0 and 1
    sums: np.ndarray  # or length 0


# An upset by nearly the points of the correction would multiply k without limit.
LEAST_SHARE = 0.1

NO_FIDE = FideRule(0.0, 0.0, 0.0, 0.0, 0.0, False)
NO_EVENTS = Events(*(np.zeros(0, np.int64) for _ in range(3)))
NO_HISTORY = History(np.zeros(0), np.zeros(0), np.zeros((0, 2)), np.zeros((0, 2)))
NO_DECAY = np.zeros((0, 2))
NO_SNAPSHOTS = Snapshots(np.zeros(0, np.int64), np.zeros((0, 0)))
NO_FORESIGHT = Foresight(0, 0.0, np.zeros(0))


@part
def win_chance(difference, curve):
    """Chance that the side `difference` points ahead wins."""
    if curve.kind == LOGISTIC:
        return 1.0 / (1.0 + exp(-curve.parameter * difference))
    if curve.kind == NORMAL:
        return 0.5 * math.erfc(-curve.parameter * difference)
    # A printed table: |difference| is rounded half up before the look-up; the last entry holds on.
    place = min(int(abs(difference) + 0.5), curve.percents.size - 1)
    percent = curve.percents[place]
    return percent / 100.0 if difference >= 0.0 else (100.0 - percent) / 100.0


@part
def counts_absent(entry):
    """Whether a rule of entry uses the ratings of individuals that are absent."""
    return entry == MEAN_SEEN or entry == BOTTOM_SEEN or entry == BOTTOM_LOW_SEEN


@part
def lowest(entry, rating, present):
    """Lowest rating among those who count (infinite when nobody does); NaN is never below."""
    absent = counts_absent(entry)
    value = math.inf
    for i in range(rating.size):
        if (absent or present[i]) and rating[i] < value:
            value = rating[i]
    return value


@part
def entry_value(who, rules, rating, present):
    """Rating at which a newcomer enters."""
    start = rules.start[who]
    if rules.entry == START:
        return start
    if rules.entry >= BOTTOM:
        value = lowest(rules.entry, rating, present)
        return start if value == math.inf else value
    total = 0.0
    number = 0
    for i in range(rating.size):
        if not math.isnan(rating[i]) and (present[i] or counts_absent(rules.entry)):
            total += rating[i]
            number += 1
    if number == 0:
        return start
    return np.rint(total / number) if rules.rounded else total / number


@part
def regress(rules, state):
    """Keep a share of each rating's distance to a mean, by default that of those present.

    Not before somebody's first contest, and after a pause once, unless in every season.
    """
    rating = state.rating
    mean = rules.carry_to
    if math.isnan(mean):
        total = 0.0
        number = 0
        for i in range(rating.size):
            if state.present[i]:
                total += rating[i]
                number += 1
        if number == 0:
            return
        mean = total / number
    for i in range(rating.size):
        if state.fought[i]:
            rating[i] = mean + rules.carry_over * (rating[i] - mean)
            state.fought[i] = rules.carry_pauses


@part
def happen(kind, who, rules, state):
    """Somebody enters or leaves, a season ends, a rating is set, or a period begins."""
    rating, present = state.rating, state.present
    if kind == ENTER:
        if math.isnan(rating[who]):
            rating[who] = entry_value(who, rules, rating, present)
            state.frozen[who] = rating[who]
        present[who] = True
    elif kind == LEAVE:
        present[who] = False
    elif kind == SEASON:
        regress(rules, state)
    elif kind == SET:
        rating[rules.set_of[who]] = rules.set_to[who]
    elif kind == PERIOD:
        copy(state.frozen, rating)


@part
def fide_k(contests, rating, who, reached, fide):
    """FIDE's k of somebody with so many contests and this rating, before the next contest."""
    if rating >= fide.rating:
        reached[who] = True
    newcomer = contests < fide.contests
    if reached[who] and (fide.early or not newcomer):
        return fide.high
    return fide.newcomer if newcomer else fide.established


@part
def corrected(lead, correction):
    """Factor on k of a win by a side that led by so many points: the favorite gains less."""
    return correction / max(correction + lead, LEAST_SHARE * correction)


@part
def lower_the_bottom(first, second, was_lowest, initial, rules, state):
    """EloRating's bottom rule: who holds the old minimum (or still the start) goes to the new."""
    rating, present = state.rating, state.present
    now_lowest = lowest(rules.entry, rating, present)
    absent = counts_absent(rules.entry)
    low = rules.entry == BOTTOM_LOW or rules.entry == BOTTOM_LOW_SEEN
    for i in range(rating.size):
        if not (absent or present[i]) or i == first or i == second:
            continue
        if initial:
            if low and rating[i] == rules.start[i]:
                rating[i] = now_lowest
        elif rating[i] == was_lowest and now_lowest < was_lowest:
            rating[i] = now_lowest


@part
def add_foresight(chance, ahead, score, foresight):
    """Add what a contest says of its prediction."""
    sums = foresight.sums
    win = min(max(chance, foresight.least), 1.0 - foresight.least)
    if score == 1.0:
        sums[0] -= math.log(win)
    else:
        sums[0] -= score * math.log(win) + (1.0 - score) * math.log(1.0 - win)
    sums[1] += (score - win) ** 2
    if score != 0.5:  # nobody is predicted to draw
        sums[2] += ahead > 0.0
        sums[3] += 1.0


@part
def only_ratings_matter(contests, rules, events, history, foresight):
    """Whether nothing but the two ratings decides about a contest, and no contest is noted."""
    if history.expected.size > 0 or foresight.sums.size > 0:
        return False
    if rules.rounded or rules.fide.newcomer > 0.0 or rules.correction > 0.0:
        return False
    if rules.entry >= BOTTOM:
        return False
    if contests.advantage.size > 1 or contests.advantage[0] != 0.0 or contests.kept.size > 0:
        return False
    periods = 0
    for kind in events.kind:
        periods += kind == PERIOD
    return periods == 0


@inlined
def rate_plainly(contests, begin, stop, curve, rating):
    """Contests in which nothing but the two ratings matters: the same bits, a quarter faster."""
    first, second, score, k = contests.first, contests.second, contests.score, contests.k
    score_step = min(score.size - 1, 1)
    k_step = min(k.shape[0] - 1, 1)
    for i in range(begin, stop):
        a = first[i]
        b = second[i]
        surprise = score[i * score_step] - win_chance(rating[a] - rating[b], curve)
        rating[a] += k[i * k_step, 0] * surprise
        rating[b] -= k[i * k_step, 1] * surprise


@inlined
def rate_fully(contests, begin, stop, rules, state, history, foresight):
    """Contests under any rules, noted in history and foresight where these have room."""
    first, second, scores, k = contests.first, contests.second, contests.score, contests.k
    rating, frozen, fought, present = state.rating, state.frozen, state.contests, state.present
    before, after = history.before, history.after
    curve, fide = rules.curve, rules.fide
    foretell = history.expected.size > 0
    compare = history.ahead.size > 0
    keep = before.size > 0
    score_it = foresight.sums.size > 0
    decay = contests.kept.size > 0
    use_fide = fide.newcomer > 0.0
    use_bottom = rules.entry >= BOTTOM
    score_step = min(scores.size - 1, 1)
    k_step = min(k.shape[0] - 1, 1)
    advantage_step = min(contests.advantage.size - 1, 1)
    was_lowest = 0.0
    for i in range(begin, stop):
        a = first[i]
        b = second[i]
        score = scores[i * score_step]
        advantage = contests.advantage[i * advantage_step]
        if decay:
            rating[a] = rules.start[a] + contests.kept[i, 0] * (rating[a] - rules.start[a])
            rating[b] = rules.start[b] + contests.kept[i, 1] * (rating[b] - rules.start[b])
        ahead = frozen[a] - frozen[b]
        chance = win_chance(ahead + advantage, curve)
        surprise = score - chance
        if not rules.advantage_in_update and advantage != 0.0:
            surprise = score - win_chance(ahead, curve)
        if use_fide:
            k_first = fide_k(fought[a], frozen[a], a, state.reached, fide)
            k_second = fide_k(fought[b], frozen[b], b, state.reached, fide)
            fought[a] += 1
            fought[b] += 1
        else:
            k_first = k[i * k_step, 0]
            k_second = k[i * k_step, 1]
        if rules.correction > 0.0 and score != 0.5:  # nobody wins a draw
            lead = ahead + advantage if rules.advantage_in_update else ahead
            factor = corrected(lead if score > 0.5 else -lead, rules.correction)
            k_first *= factor
            k_second *= factor
        if score_it and i >= foresight.begin:
            add_foresight(chance, ahead + advantage, score, foresight)
        if foretell:
            history.expected[i] = chance
        if compare:
            history.ahead[i] = ahead
        if keep:
            before[i, 0] = frozen[a]
            before[i, 1] = frozen[b]
        if use_bottom:
            was_lowest = lowest(rules.entry, rating, present)
        new_a = rating[a] + k_first * surprise
        new_b = rating[b] - k_second * surprise
        rating[a] = np.rint(new_a) if rules.rounded else new_a
        rating[b] = np.rint(new_b) if rules.rounded else new_b
        if use_bottom:
            lower_the_bottom(a, b, was_lowest, state.done + i == 0, rules, state)
        if keep:
            after[i, 0] = rating[a]
            after[i, 1] = rating[b]


def seconds(contests, rules, events, *_):
    """About how long plain Python takes."""
    size = rules.start.size
    passes = 2e-7 * size if rules.entry >= BOTTOM else 0.0
    return (4e-6 + passes) * contests.first.size + 2e-7 * events.at.size * size


@compiled(seconds=seconds)
def rate(contests, rules, events, state, history, snapshots, foresight):
    """Rate contests, with the events between them."""
    plain = only_ratings_matter(contests, rules, events, history, foresight)
    photograph = 0
    for e in range(events.at.size + 1):
        last = e == events.at.size
        begin = events.at[e - 1] if e > 0 else 0
        stop = contests.first.size if last else events.at[e]
        if plain:
            rate_plainly(contests, begin, stop, rules.curve, state.rating)
        else:
            rate_fully(contests, begin, stop, rules, state, history, foresight)
        if rules.carry_over < 1.0:
            for i in range(begin, stop):
                state.fought[contests.first[i]] = True
                state.fought[contests.second[i]] = True
        if last:
            break
        if events.kind[e] == SNAPSHOT:
            for j in range(snapshots.followed.size):
                snapshots.rating[photograph, j] = state.rating[snapshots.followed[j]]
            photograph += 1
        else:
            happen(events.kind[e], events.who[e], rules, state)


LOG2_E = 1.4426950408889634
# ln 2 in two parts, the first with zeros at its end, so that its multiples are exact (Cody & Waite
# 1980, Software manual for the elementary functions).
LN2_HIGH, LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
ROUNDING = 6755399441055744.0  # 1.5 × 2^52: adding it rounds to an integer, in the last bits
LARGEST = 700.0  # exponent, beyond which chances are 0 or 1
FACTORS = 16  # chances multiplied before a logarithm; 16 of at least 1e-15 do not underflow


@compiled
def rate_several(first, second, slope, k, left_out, least, rating, sums, room, shifted):
    """Rate contests in several lanes, each with its own slope of the logistic curve and k.

    `rating` is (individuals, lanes). A contest changes no rating in the lane that `left_out` names
    (one entry: the same for all contests; −1: in none). Into `sums` (3, lanes): log loss, Brier
    score, number of correct predictions. `room` (3, lanes) and `shifted`, its last row as integers,
    are overwritten.
    """
    lanes = k.size
    step = min(left_out.size - 1, 1)
    odds, part, power = room[0], room[1], room[2]
    for j in range(lanes):
        odds[j] = 1.0
    for i in range(first.size):
        a = rating[first[i]]
        b = rating[second[i]]
        for j in range(lanes):
            x = min(max(slope[j] * (b[j] - a[j]), -LARGEST), LARGEST)
            whole = x * LOG2_E + ROUNDING
            power[j] = whole
            n = whole - ROUNDING
            r = (x - n * LN2_HIGH) - n * LN2_LOW
            p = r * (1.0 / 479001600.0) + 1.0 / 39916800.0
            p = p * r + 1.0 / 3628800.0
            p = p * r + 1.0 / 362880.0
            p = p * r + 1.0 / 40320.0
            p = p * r + 1.0 / 5040.0
            p = p * r + 1.0 / 720.0
            p = p * r + 1.0 / 120.0
            p = p * r + 1.0 / 24.0
            p = p * r + 1.0 / 6.0
            p = p * r + 0.5
            p = p * r + 1.0
            part[j] = p * r + 1.0
        for j in range(lanes):  # the rounded number becomes the exponent of a power of 2
            shifted[j] = (shifted[j] + 1023) << 52
        skipped = left_out[i * step]
        for j in range(lanes):
            inverse = 1.0 + part[j] * power[j]
            win = 1.0 / inverse
            surprise = 0.0 if j == skipped else 1.0 - win
            sums[2, j] += 1.0 if a[j] > b[j] else 0.0
            win = min(max(win, least), 1.0 - least)
            sums[1, j] += (1.0 - win) * (1.0 - win)
            odds[j] *= win
            a[j] += k[j] * surprise
            b[j] -= k[j] * surprise
        if i % FACTORS == FACTORS - 1:
            for j in range(lanes):
                sums[0, j] -= math.log(odds[j])
                odds[j] = 1.0
    for j in range(lanes):
        sums[0, j] -= math.log(odds[j])
