"""Arrivals at a place: whom each visitor follows, and after how long."""

from peckorder.kernels import compiled

# Instead of the individual that left last: nobody was there before; several left at the same time;
# the visit continues that of the same individual; several individuals arrived at the same time.
NOBODY, SEVERAL, CONTINUED, SIMULTANEOUS = -1, -2, -3, -4


@compiled
def arrivals(place, who, start, end, longest_break, before, left, until):
    """The individual that left last before each arrival, when it left, and until when both stay.

    Visits are sorted by place and start. `before` receives the code of the individual whose visit,
    among those that started earlier at this place, ended last (or one of the codes above), `left`
    the time when it ended, and `until` the end of the stay of the newcomer: visits of the same
    individual with no other arrival and at most `longest_break` in between are one stay.
    """
    number = place.size
    i = 0
    here = -1
    last_end = 0
    last_who = NOBODY
    sitter = NOBODY
    head = 0
    while i < number:
        if place[i] != here:
            here = place[i]
            last_who = NOBODY
            sitter = NOBODY
        behind = i + 1
        mixed = False
        while behind < number and place[behind] == here and start[behind] == start[i]:
            mixed = mixed or who[behind] != who[i]
            behind += 1
        if mixed:
            for j in range(i, behind):
                before[j] = SIMULTANEOUS
                left[j] = last_end
                until[j] = end[j]
            sitter = NOBODY
        else:
            longest = end[i]
            for j in range(i, behind):
                before[j] = CONTINUED
                left[j] = last_end
                longest = max(longest, end[j])
                until[j] = end[j]
            if sitter == who[i] and start[i] - until[head] <= longest_break:
                until[head] = max(until[head], longest)
            else:
                head = i
                sitter = who[i]
                before[i] = last_who
                until[i] = longest
        for j in range(i, behind):
            if last_who == NOBODY or end[j] > last_end:
                last_end = end[j]
                last_who = who[j]
            elif end[j] == last_end and who[j] != last_who:
                last_who = SEVERAL
        i = behind
