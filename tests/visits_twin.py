"""Displacements by the rules in words, visit by visit, without arrays."""

from __future__ import annotations

from itertools import pairwise


def plain_displacements(visits, within, *, overlap="omit", min_stay=0, merge=None):
    """Displacements (time, place, winner, loser, gap, stay) from (who, place, start, end)."""
    found = []
    for place in {visit[1] for visit in visits}:
        here = [visit for visit in visits if visit[1] == place]
        for who, start, end in stays(here, merge):
            rivals = {v[0] for v in here if v[2] == start}
            earlier = [v for v in here if v[2] < start]
            if len(rivals) > 1 or not earlier:
                continue
            left = max(v[3] for v in earlier)
            leavers = {v[0] for v in earlier if v[3] == left}
            if len(leavers) > 1 or leavers == {who}:
                continue
            gap, stay = start - left, end - start
            counts = 0 <= gap <= within
            if overlap == "count" and gap < 0:
                counts = -gap <= within and end > left
            if counts and stay >= min_stay:
                found.append((start, place, who, *leavers, gap, stay))
    return sorted(found)


def stays(here, merge):
    """Visits of the same individual with no other arrival in between are one stay."""
    times = sorted({visit[2] for visit in here})
    arrivals = []
    for time in times:
        those = [visit for visit in here if visit[2] == time]
        if len({visit[0] for visit in those}) > 1:
            arrivals.append(None)  # several individuals at the same time
        else:
            arrivals.append((those[0][0], time, max(visit[3] for visit in those)))
    found = []
    for one, other in pairwise([None, *arrivals]):
        if other is None:
            continue
        same = one is not None and one[0] == other[0]
        if same and (merge is None or other[1] - found[-1][2] <= merge):
            found[-1] = (*found[-1][:2], max(found[-1][2], other[2]))
        else:
            found.append(other)
    return found
