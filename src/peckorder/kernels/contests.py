"""Loops over contests that need no rating: naming, counting, checking lines of text.

What follows for each draw of the parameters from one quick run over all contests.

Elo ratings of the same contests in several orders, for the effect of the order in a stamp.
"""

import math

import numpy as np

from peckorder.kernels import compiled, copy
from peckorder.kernels.likelihood import log_likelihood


@compiled(seconds=lambda first, second, begin, *_: 1e-6 * (first.size - begin))
def encode(first, second, begin, keys, slots, used, known, codes, others, witness):
    """Give each distinct 64-bit hash the next free code, in order of first appearance.

    `first` and `second` hold the hashes of the two sides of every contest; contests from `begin`
    on are encoded, into `codes` and `others`. `keys` and `slots` are an open hash table whose
    length is a power of two; `witness` receives 2 × contest + side of the first appearance of each
    code from `known` on. Stops early when the table is half full; returns the number of codes in
    use and the next contest to do.
    """
    mask = np.uint64(keys.size - 1)
    for i in range(begin, first.size):
        if 2 * (used + 2) > keys.size:
            return used, i
        for side in range(2):
            key = first[i] if side == 0 else second[i]
            place = key & mask
            while slots[place] >= 0 and keys[place] != key:
                place = (place + np.uint64(1)) & mask
            if slots[place] < 0:
                keys[place] = key
                slots[place] = used
                witness[used - known] = 2 * i + side
                used += 1
            if side == 0:
                codes[i] = slots[place]
            else:
                others[i] = slots[place]
    return used, first.size


@compiled(seconds=lambda keys, *_: 1e-6 * keys.size)
def rehash(keys, slots, new_keys, new_slots):
    """Move a hash table into a larger one."""
    mask = np.uint64(new_keys.size - 1)
    for old in range(keys.size):
        if slots[old] >= 0:
            place = keys[old] & mask
            while new_slots[place] >= 0:
                place = (place + np.uint64(1)) & mask
            new_keys[place] = keys[old]
            new_slots[place] = slots[old]


@compiled(seconds=lambda first, *_: 7e-7 * first.size)
def win_counts(first, second, draw, draw_step, offset, wins, losses, draws, first_seen, last_seen):
    """Count wins, losses and draws, and note each individual's first and last contest."""
    for i in range(first.size):
        a = first[i]
        b = second[i]
        if draw[i * draw_step]:
            draws[a] += 1
            draws[b] += 1
        else:
            wins[a] += 1
            losses[b] += 1
        if first_seen[a] < 0:
            first_seen[a] = offset + i
        if first_seen[b] < 0:
            first_seen[b] = offset + i
        last_seen[a] = offset + i
        last_seen[b] = offset + i


@compiled(seconds=lambda first, second, label, *_: 2e-6 * (first.size + label.size))
def together(first, second, label, order, ends):
    """Sets of individuals that are connected by contests, directly or not.

    `label` holds the code of each individual and is overwritten. Writes the members of each set to
    `order`, sets in the order of their first members, and where they end in it to `ends`; returns
    their number.
    """
    for i in range(first.size):
        a = first[i]
        b = second[i]
        while label[a] != a:
            label[a] = label[label[a]]
            a = label[a]
        while label[b] != b:
            label[b] = label[label[b]]
            b = label[b]
        if a < b:
            label[b] = a
        else:
            label[a] = b
    number = 0
    for i in range(label.size):  # the first member of a set comes before the others
        if label[i] == i:
            label[i] = number
            ends[number] = 1
            number += 1
        else:
            label[i] = label[label[i]]
            ends[label[i]] += 1
    begin = 0
    for j in range(number):
        size = ends[j]
        ends[j] = begin
        begin += size
    for i in range(label.size):
        order[ends[label[i]]] = i
        ends[label[i]] += 1
    return number


@compiled(seconds=lambda text, *_: 2.5e-7 * text.size)
def ragged(text, separator, records, found):
    """Find records whose number of fields is not that of the first one.

    `text` holds the bytes of a file. Writes 1-based record numbers to `records` and field counts
    to `found`; returns how many there are in all (only the first `records.size` are kept) and the
    number of fields expected. Blank lines are no records of one field: they are passed over.
    """
    number = 1
    count = 1
    expected = 0
    bad = 0
    quoted = False
    at_field_start = True
    blank = True
    for i in range(text.size + 1):
        byte = text[i] if i < text.size else np.uint8(10)
        if i == text.size and at_field_start and blank:
            break  # the file ends with a line break
        if quoted:
            if byte == 34:
                quoted = False
            if i < text.size:
                continue
        if byte == 34 and at_field_start:
            quoted = True
            at_field_start = False
            blank = False
        elif byte == 34 and text[i - 1] == 34:
            quoted = True  # a doubled quote inside a quoted field
        elif byte == separator:
            count += 1
            at_field_start = True
            blank = False
        elif byte == 10:
            if not blank:
                if expected == 0:
                    expected = count
                elif count != expected:
                    if bad < records.size:
                        records[bad] = number
                        found[bad] = count
                    bad += 1
            number += 1
            count = 1
            at_field_start = True
            blank = True
        elif byte != 13:
            at_field_start = False
            blank = blank and byte == 32
    return bad, expected


@compiled
def own_totals(contests, draws, hall_of, paper, out, final, surprise):
    """Log-likelihood of all contests under each draw, in out[draw], and scores after them.

    `hall_of` is the group in which each individual is present after the last contest, −1 if in
    none. The score of somebody present is relative to the mean of those present. What the winner
    of each contest scored beyond expectation is added up over draws in `surprise`. What is not
    wanted has length 0. `paper` is written on: surprises, groups and scores.
    """
    kept, halls, score = paper
    for d in range(draws.nu.size):
        copy(score, draws.start[d])
        out[d] = log_likelihood(
            contests, draws.k[d], draws.nu[d], draws.home[d], score, kept, halls
        )
        for i in range(final.shape[1]):
            shift = halls[hall_of[i], 1] if hall_of[i] >= 0 else 0.0
            final[d, i] = score[i] - shift
        for j in range(surprise.size):
            surprise[j] += kept[0, j]


@compiled
def rate_orders(winner, loser, drawn, places, k, scale, rating):
    """Rate the contests in each order; a row of `places` is an order, one of `rating` its ratings.

    `rating` holds the ratings at the start and receives those at the end.
    """
    slope = math.log(10.0) / scale
    for i in range(places.shape[0]):
        for j in range(places.shape[1]):
            contest = places[i, j]
            a = winner[contest]
            b = loser[contest]
            score = 0.5 if drawn[contest] else 1.0
            chance = 1.0 / (1.0 + math.exp((rating[i, b] - rating[i, a]) * slope))
            step = k * (score - chance)
            rating[i, a] += step
            rating[i, b] -= step
