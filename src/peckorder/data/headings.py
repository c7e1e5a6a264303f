"""Column headings that are recognized, and what they do and do not say.

A heading names a role. Some headings say who won (`winner`), others only who acted or began
(`actor`, `initiator`), and others only that there were two sides (`team1`, `team2`). The
difference matters: in many records the initiator loses a third of the contests.

Case, accents, blanks, hyphens, dots and underscores are ignored: `HomeScore` is `home_score`, and
`Égalité` is `egalite`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

# Headings that say who won and who lost.
DAYS = frozenset(("day", "tag", "jour", "dia", "giorno"))
MONTHS = frozenset(("month", "monat", "mois", "mes", "mese"))
YEARS = frozenset(("year", "jahr", "annee", "ano", "anno"))
WON = (
    *("winner", "winner_id", "winner_name", "id_winner", "win", "dominant", "victor", "displacer"),
    *("supplanter", "gewinner", "sieger", "gagnant", "gagnante", "vainqueur", "ganador"),
    *("ganadora", "vencedor", "vencedora", "vincitore", "vincitrice", "chosen", "winnaar"),
    *("vinnare", "vinder", "vinner", "zwyciezca"),
)
LOST = (
    *("loser", "loser_id", "loser_name", "id_loser", "lose", "subordinate", "displaced"),
    *("supplanted", "defeated", "verlierer", "perdant", "perdante", "vaincu", "perdedor"),
    *("perdedora", "perdente", "rejected", "lost", "who_lost", "verliezer", "forlorare"),
    *("taber", "taper", "przegrany"),
)
# Headings that say who directed a behavior at whom, which usually means a win.
ACTED = (
    *("actor", "aggressor", "attacker", "akteur", "acteur", "agresor", "agressor", "agresseur"),
    *("giver", "sender", "source", "from", "i"),
)
# Headings that say who began, or who was followed, but not who won.
INITIATED = (
    *("initiator", "initiator_id", "instigator", "initiateur", "iniciador", "iniciadora"),
    "iniziatore",
)
FOLLOWED = (
    *("focal", "focal_id", "focal_individual", "focal_animal", "individual", "team", "player"),
    *("animal", "subject"),
)
RECEIVED = (
    *("recipient", "receiver", "target", "victim", "receiver_id", "recipient_id", "to"),
    "j",
    *("empfaenger", "empfanger", "receveur", "receptor", "ricevente"),
)
FACED = (
    *("partner", "partner_id", "opponent", "opponent_id", "rival", "responder", "gegner", "other"),
    "opposition",
)
# Two sides with a number or a letter, such as individual1 and individual2.
STEMS = (
    *("individual", "individual_id", "ind", "indiv", "id", "animal", "bird", "fish", "subject"),
    *("name", "player", "team", "opponent", "contestant", "fighter", "competitor"),
)
VOTED = ("model", "player", "side", "item", "option", "team")
POINTS = ("points", "score", "goals", "pts")


def _numbered(mark: str, letter: str) -> tuple[str, ...]:
    lettered = (*VOTED, *(stem for stem in STEMS if stem not in VOTED))
    return (
        *(f"{stem}_{letter}" for stem in lettered),
        *(f"{stem}{mark}" for stem in STEMS),
    )


def _points(mark: str, letter: str) -> tuple[str, ...]:
    return (
        *(("gf", "goals_for", "points_for", "pf") if mark == "1" else ()),
        *(("ga", "goals_against", "points_against", "pa") if mark == "2" else ()),
        *(f"{noun}{mark}" for noun in POINTS),
        *(f"{noun}_{letter}" for noun in POINTS),
        *(f"{letter}_{noun}" for noun in POINTS),
        *(f"{stem}{mark}_{noun}" for stem in ("team", "player") for noun in POINTS),
    )


def _of_side(side: str) -> tuple[str, ...]:
    return (
        *(f"{side}_{noun}" for noun in POINTS),
        *(f"{noun}_{side}" for noun in POINTS),
    )


ALIASES: dict[str, tuple[str, ...]] = {
    "winner": (*WON, *ACTED, *INITIATED),
    "loser": (*LOST, *RECEIVED),
    "date": (
        *("date", "datetime", "date_time", "timestamp", "tstamp", "day", "date_of_contest"),
        *("obs_date", "datum", "fecha", "jour", "dia", "data", "giorno", "year"),
    ),
    "time": ("time", "time_of_day", "clock", "uhrzeit", "zeit", "heure", "hora", "ora"),
    "tie": (
        *("draw", "drawn", "tie", "tied", "undecided", "unentschieden", "remis", "egalite"),
        *("match_nul", "ex_aequo", "empate", "pareggio", "gelijkspel", "oavgjort", "uafgjort"),
        *("uavgjort", "remise", "stalemate", "ties", "draws"),
    ),
    "context": (
        *("context", "behaviour", "behavior", "intensity", "interaction_type", "competition"),
        *("kontext", "verhalten", "contexte", "comportement", "contexto", "comportamiento"),
        *("conducta", "comportamento", "contesto"),
    ),
    "group": (
        *("group", "group_id", "troop", "flock", "herd", "colony", "pack", "gruppe", "groupe"),
        *("grupo", "gruppo", "cage", "cage_id", "pen", "pen_id", "tank", "tank_id", "aquarium"),
        *("enclosure", "aviary", "coop", "species", "population", "replicate", "nest_box"),
        *("gehege", "kaefig", "kafig", "voliere", "jaula", "clan", "family", "league"),
    ),
    "season": ("season", "saison", "temporada"),
    "count": (
        *("count", "weight", "freq", "frequency", "n_wins", "anzahl", "haeufigkeit"),
        *("haufigkeit", "frequence", "frecuencia", "frequencia"),
    ),
    "winner_points": _of_side("winner"),
    "loser_points": _of_side("loser"),
    "home": (
        *("home", "home_team", "home_side", "home_player", "home_name", "heim"),
        *("heimmannschaft", "heimteam"),
    ),
    "away": (
        *("away", "away_team", "away_side", "away_player", "away_name", "visitor"),
        *("visitor_team", "visiting_team", "road_team", "guest", "gast", "gastmannschaft"),
    ),
    "home_points": (*_of_side("home"), "fthg", "hg"),
    "away_points": (*_of_side("away"), *_of_side("visitor"), "ftag", "ag"),
    "neutral": ("neutral", "neutral_ground", "neutral_site", "neutral_venue", "neutral_field"),
    "a": ("a", "left", *_numbered("1", "a"), *ACTED, *INITIATED, *FOLLOWED),
    "b": ("b", "right", *_numbered("2", "b"), *RECEIVED, *FACED),
    "a_points": _points("1", "a"),
    "b_points": _points("2", "b"),
    "outcome": (
        *("outcome", "winner", "result", "vote", "preference", "verdict", "who_won", "won_by"),
        *("won", "focal_won", "focal_wins", "initiator_won", "initiator_wins", "actor_won"),
        *("actor_wins", "ergebnis", "ausgang", "resultat", "resultado", "risultato", "ftr"),
        *("w_l", "w_d_l", "w_l_t", "choice", "preferred", "decision", "uitslag"),
    ),
}
# Labels of rows and columns of totals in a table of wins.
TOTALS = (
    *("total", "totals", "sum", "sums", "grandtotal", "rowtotal", "rowtotals", "rowsum"),
    *("columntotal", "columntotals", "columnsum", "totalwins", "totallosses", "wins", "losses"),
    *("summe", "gesamt", "somme", "suma", "soma", "totale", "totaux", "σ"),
)
_COUNTED = r"(?:obs\w*|contests?|wins?|interactions?|events?|fights?|bouts?|encounters?|times)"
COUNTS = re.compile(
    rf"(?:n|no|nr|num|number|total)?[\s_.]*(?:of[\s_.]+)?{_COUNTED}|n|no|nr|number|total|x",
    re.IGNORECASE,
)
# `data` is a date in Portuguese and Italian only.
ONLY_WITH = {
    "data": ("vencedor", "vencedora", "perdedor", "perdedora", "vincitore", "perdente", "hora")
}


@lru_cache(maxsize=1 << 14)
def heading(label: str) -> str:
    """A label as headings are compared: letters and digits only, without accents.

    >>> heading("Home-Score:"), heading("Égalité"), heading("loser (column 3)")
    ('homescore', 'egalite', 'loser')
    """
    bare = unicodedata.normalize("NFKD", label.split(" (column ")[0].casefold())
    return "".join(sign for sign in bare if sign.isalnum())


_KEYS = {role: frozenset(map(heading, aliases)) for role, aliases in ALIASES.items()}
_STRICT = {
    name: frozenset(map(heading, group))
    for name, group in (
        *(("won", WON), ("lost", LOST), ("acted", ACTED), ("began", (*INITIATED, *FOLLOWED))),
        *(("received", RECEIVED), ("faced", FACED)),
    )
}
_TWINS = dict(
    zip(
        map(heading, ("a", "left", *_numbered("1", "a"))),
        map(heading, ("b", "right", *_numbered("2", "b"))),
        strict=True,
    )
)
_ONLY_WITH = {heading(one): frozenset(map(heading, more)) for one, more in ONLY_WITH.items()}


def fits(label: str, aliases: tuple[str, ...]) -> bool:
    """Whether a column label is one of these aliases."""
    return heading(label) in _compared(aliases)


@lru_cache
def _compared(aliases: tuple[str, ...]) -> frozenset[str]:
    return frozenset(map(heading, aliases))


def says(label: str, what: str) -> bool:
    """Whether a heading says who won, lost, acted, began, received or was faced.

    >>> says("Winner ID", "won"), says("Initiator", "won"), says("Initiator", "began")
    (True, False, True)
    """
    return heading(label) in _STRICT[what]


def is_total(label: str) -> bool:
    """Whether a label is a word for a total.

    >>> is_total("Total:"), is_total("Summe"), is_total("Tom")
    (True, True, False)
    """
    return heading(label) in TOTALS


def is_count(label: str) -> bool:
    """Whether a heading is one of numbers, which may be numbers of contests.

    >>> is_count("N obs"), is_count("number of fights"), is_count("night")
    (True, True, False)
    """
    return COUNTS.fullmatch(label.strip()) is not None


# Only for examples in messages that ask for behaviors; nothing is inferred from them.
OFTEN_WON = re.compile(
    r"displac|supplant|chas|attack|aggress|threat|bit|peck|win|lung|hit|push|butt|horn|kick|charge"
    r"|fight|jag|pick|hack|droh|poursui|attaq|ataqu|persig",
    re.IGNORECASE,
)
OFTEN_LOST = re.compile(
    r"submi|flee|fled|flight|avoid|retreat|crouch|cower|yield|los[et]|subordinate|withdr|give.?way"
    r"|grimace|\bby\b|flieh|weich|meid|unterw|fui[rt]|fuite|evita|évit|huye|foge",
    re.IGNORECASE,
)


def usual_sides(behaviors: Iterable[str]) -> tuple[list[str], list[str]]:
    """The behaviors whose actor usually wins, and those whose actor usually loses, by their words.

    >>> usual_sides(["chase", "is chased by", "groom"])
    (['chase'], ['is chased by'])
    """
    lost = [name for name in behaviors if OFTEN_LOST.search(name)]
    return [name for name in behaviors if name not in lost and OFTEN_WON.search(name)], lost


def roles_of(label: str, columns: list[str]) -> list[str]:
    """The roles that a heading may have in a table with these columns."""
    key = heading(label)
    if key in _ONLY_WITH and not any(heading(other) in _ONLY_WITH[key] for other in columns):
        return []
    return [role for role, keys in _KEYS.items() if key in keys]


def are_a_pair(first: str, second: str) -> bool:
    """Whether two headings name the two sides of a contest, in the same manner.

    >>> are_a_pair("Initiator", "Receiver"), are_a_pair("team 1", "team 2")
    (True, True)
    >>> are_a_pair("left", "receiver"), are_a_pair("team1", "player2")
    (False, False)
    """
    one, other = heading(first), heading(second)
    if one in _STRICT["acted"] or one in _STRICT["began"]:
        return other in _STRICT["received"] or other in _STRICT["faced"]
    return _TWINS.get(one) == other


def parts_of_dates(columns: list[str]) -> list[str]:
    """Columns that are called day, month or year."""
    return [c for c in columns if heading(c) in DAYS | MONTHS | YEARS]
