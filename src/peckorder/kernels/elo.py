"""The Elo recursion over a sequence of contests.

One loop serves every policy. What depends on the data alone arrives as arrays; an array that
would hold the same value for every contest is given with one entry and step 0. What depends on
the state (rounding, entry of newcomers, FIDE's k) is a small integer code with its parameters.
Things that happen between contests are events, sorted by the contest they come before.

The state (rating, present, contests, reached) is changed in place, so a sequence may be rated in
pieces of any length with the same result to the last bit.
"""

import math

import numpy as np

from peckorder.kernels import compiled

LOGISTIC, NORMAL, TABLE = 0, 1, 2
START, MEAN_PRESENT, MEAN_SEEN, BOTTOM, BOTTOM_LOW = 0, 1, 2, 3, 4
# At one moment a season ends first, then newcomers enter, then leavers go, then a batch period
# freezes the ratings it will use; the order of these codes is that order.
SEASON, ENTER, LEAVE, PERIOD, SNAPSHOT = 0, 1, 2, 3, 4
NO_FIDE = np.zeros(5)


@compiled
def win_chance(difference, curve, parameter, percents):
    """Chance that the side `difference` points ahead wins."""
    if curve == LOGISTIC:
        return 1.0 / (1.0 + math.exp(-parameter * difference))
    if curve == NORMAL:
        return 0.5 * math.erfc(-parameter * difference)
    # A printed table: |difference| is rounded half up before the look-up; the last entry holds on.
    percent = percents[min(int(abs(difference) + 0.5), percents.size - 1)]
    return percent / 100.0 if difference >= 0.0 else (100.0 - percent) / 100.0


@compiled
def entry_value(entry, start, rating, present, rounded):
    """Rating at which a newcomer enters."""
    if entry == START:
        return start
    if entry == BOTTOM or entry == BOTTOM_LOW:
        value = lowest(rating, present)
        return start if value == math.inf else value
    total = 0.0
    number = 0
    for i in range(rating.size):
        if not math.isnan(rating[i]) and (present[i] or entry == MEAN_SEEN):
            total += rating[i]
            number += 1
    if number == 0:
        return start
    return np.rint(total / number) if rounded else total / number


@compiled
def lowest(rating, present):
    """Lowest rating among those present (infinite when nobody is)."""
    value = math.inf
    for i in range(rating.size):
        if present[i] and rating[i] < value:
            value = rating[i]
    return value


@compiled
def fide_k(i, rating, contests, reached, fide):
    """FIDE's k of one player before a contest: newcomer, then established, then high for ever."""
    if contests[i] < fide[3]:
        return fide[0]
    if rating[i] >= fide[4]:
        reached[i] = True
    return fide[2] if reached[i] else fide[1]


@compiled
def lower_the_bottom(first, second, was_lowest, initial, start, low, rating, present):
    """EloRating's bottom rule: who holds the old minimum (or still the start) goes to the new."""
    now_lowest = lowest(rating, present)
    for i in range(rating.size):
        if not present[i] or i == first or i == second:
            continue
        if initial:
            if low and rating[i] == start[i]:
                rating[i] = now_lowest
        elif rating[i] == was_lowest and now_lowest < was_lowest:
            rating[i] = now_lowest


@compiled
def regress(rating, present, carry_over):
    """Keep `carry_over` of each rating's distance to the mean of those present."""
    total = 0.0
    number = 0
    for i in range(rating.size):
        if present[i]:
            total += rating[i]
            number += 1
    if number == 0:
        return
    mean = total / number
    for i in range(rating.size):
        rating[i] = mean + carry_over * (rating[i] - mean)


@compiled
def rate_plainly(
    first, second, begin, stop, score, score_step, k, k_step, curve, parameter, percents, rating
):
    """Contests in which nothing but the two ratings matters: the same bits, a quarter faster."""
    for i in range(begin, stop):
        a = first[i]
        b = second[i]
        chance = win_chance(rating[a] - rating[b], curve, parameter, percents)
        surprise = score[i * score_step] - chance
        rating[a] += k[i * k_step, 0] * surprise
        rating[b] -= k[i * k_step, 1] * surprise


@compiled
def add_foresight(chance, ahead, score, least, sums):
    """Add what a contest says of a prediction: log loss, Brier score, correct, decided."""
    win = min(max(chance, least), 1.0 - least)
    if score == 1.0:
        sums[0] -= math.log(win)
    else:
        sums[0] -= score * math.log(win) + (1.0 - score) * math.log(1.0 - win)
    sums[1] += (score - win) ** 2
    if score != 0.5:  # nobody is predicted to draw
        sums[2] += ahead > 0.0
        sums[3] += 1.0


@compiled
def rate(
    first, second,                        # int32 codes of the two sides, one pair a contest
    score, score_step,                    # score of the first side: 1, ½ or a share of the points
    k, k_step,                            # k of the first and of the second side
    advantage, advantage_step,            # points added to the first side's rating in prediction
    advantage_in_update,                  # whether the update uses them too
    curve, parameter, percents,           # the win curve
    start, entry, rounded, fide, carry_over,
    event_at, event_kind, event_who,      # sorted by the contest they come before
    done,                                 # contests rated before this piece
    rating, frozen, present, contests, reached,  # the state; frozen is rating itself unless batched
    expected, before, after,              # history, or arrays of length 0
    followed, snapshots,                  # individuals to photograph at SNAPSHOT events, and where
    scored_from, least, sums,             # sums of foresight from this contest on, or length 0
):  # fmt: skip
    """Rate `first.size` contests, with the events between them."""
    keep = expected.size > 0
    use_fide = fide[0] > 0.0
    use_bottom = entry == BOTTOM or entry == BOTTOM_LOW
    at_home = advantage_step == 1 or advantage[0] != 0.0
    score_it = sums.size > 0
    plain = not (
        keep
        or score_it
        or use_fide
        or use_bottom
        or rounded
        or at_home
        or np.any(event_kind == PERIOD)
    )  # fmt: skip
    was_lowest = 0.0
    i = 0
    photograph = 0
    for e in range(event_at.size + 1):
        stop = event_at[e] if e < event_at.size else first.size
        if plain and i < stop:
            rate_plainly(
                first, second, i, stop, score, score_step, k, k_step,
                curve, parameter, percents, rating,
            )  # fmt: skip
            i = stop
        while i < stop:
            a = first[i]
            b = second[i]
            ahead = frozen[a] - frozen[b]
            chance = win_chance(ahead + advantage[i * advantage_step], curve, parameter, percents)
            surprise = score[i * score_step] - chance
            if not advantage_in_update and advantage[i * advantage_step] != 0.0:
                surprise = score[i * score_step] - win_chance(ahead, curve, parameter, percents)
            if use_fide:
                k_first = fide_k(a, frozen, contests, reached, fide)
                k_second = fide_k(b, frozen, contests, reached, fide)
                contests[a] += 1
                contests[b] += 1
            else:
                k_first = k[i * k_step, 0]
                k_second = k[i * k_step, 1]
            if score_it and i >= scored_from:
                add_foresight(
                    chance, ahead + advantage[i * advantage_step], score[i * score_step], least,
                    sums,
                )  # fmt: skip
            if keep:
                expected[i] = chance
                before[i, 0] = frozen[a]
                before[i, 1] = frozen[b]
            if use_bottom:
                was_lowest = lowest(rating, present)
            new_a = rating[a] + k_first * surprise
            new_b = rating[b] - k_second * surprise
            rating[a] = np.rint(new_a) if rounded else new_a
            rating[b] = np.rint(new_b) if rounded else new_b
            if use_bottom:
                lower_the_bottom(
                    a, b, was_lowest, done + i == 0, start, entry == BOTTOM_LOW, rating, present
                )
            if keep:
                after[i, 0] = rating[a]
                after[i, 1] = rating[b]
            i += 1
        if e == event_at.size:
            break
        kind = event_kind[e]
        who = event_who[e]
        if kind == ENTER:
            if math.isnan(rating[who]):
                rating[who] = entry_value(entry, start[who], rating, present, rounded)
                frozen[who] = rating[who]
            present[who] = True
        elif kind == LEAVE:
            present[who] = False
        elif kind == SEASON:
            regress(rating, present, carry_over)
        elif kind == PERIOD:
            frozen[:] = rating
        else:
            for j in range(followed.size):
                snapshots[photograph, j] = rating[followed[j]]
            photograph += 1
