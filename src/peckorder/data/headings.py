"""Column headings that are recognized, what they do and do not say, and the row that has them.

A heading names a role. Some headings say who won (`winner`), others only who acted or began
(`actor`, `initiator`), and others only that there were two sides (`team1`, `team2`). The
difference matters: in many records the initiator loses a third of the contests. Case, accents,
blanks, hyphens, dots and underscores are ignored: `HomeScore` is `home_score`.

A row is taken as the header only if it names the columns that the data need and no row above it has
cells in both of these columns. Where the row below divides its columns further ("Winner" above "ID"
and "Sex"), the two are joined ("Winner ID").
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from peckorder.errors import ArgumentError, DataError
from peckorder.text import given, listed, option, quoted


def words(text: str) -> tuple[str, ...]:
    """Words that are divided by commas or, without any, by blanks."""
    return tuple(text.split(", " if "," in text else None))


# Headings that say who won and who lost.
DAYS = frozenset(("day", "tag", "jour", "dia", "giorno"))
MONTHS = frozenset(("month", "monat", "mois", "mes", "mese"))
YEARS = frozenset(("year", "jahr", "annee", "ano", "anno"))
WON = words(
    "winner winner_id winner_name id_winner win dominant victor displacer dom dominante winning "
    "w_id supplanter gewinner sieger gagnant gagnante vainqueur ganador ganadora vencedor "
    "vencedora vincitore vincitrice chosen winnaar vinnare vinder vinner zwyciezca voittaja vitez "
    "gyoztes kazanan überlegen ranghöher победитель νικητής 勝者 胜者 승자"
)
LOST = words(
    "loser loser_id loser_name id_loser lose subordinate displaced sub subordinado dominado "
    "dominada vanquished beaten losing l_id supplanted defeated verlierer perdant perdante vaincu "
    "perdedor perdedora perdente rejected lost who_lost verliezer forlorare taber taper przegrany "
    "displacee dominated dominé dominée sconfitto häviäjä porazeny vesztes kaybeden unterlegen "
    "rangniedriger проигравший ηττημένος 敗者 败者 패자"
)
# Headings that say who directed a behavior at whom, which usually means a win.
ACTED = words(
    "actor aggressor attacker akteur acteur agresor agressor agresseur giver sender source from i "
    "attore performer agg chaser"
)
# Headings that say who began, or who was followed, but not who won.
INITIATED = words(
    "initiator initiator_id instigator initiateur iniciador iniciadora iniziatore challenger"
)
FOLLOWED = words(
    "focal focal_id focal_individual focal_animal individual team player animal subject"
)
RECEIVED = words(
    "recipient receiver target victim receiver_id recipient_id to j vic empfaenger empfanger "
    "receveur receptor ricevente attacked chased"
)
FACED = words(
    "partner partner_id opponent opponent_id rival responder gegner other opposition opp defender "
    "defendant"
)
# Two sides with a number or a letter, such as individual1 and individual2.
STEMS = words(
    "individual individual_id ind indiv id animal bird fish subject name player team opponent "
    "contestant fighter competitor"
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
    "date": words(
        "date datetime date_time timestamp tstamp day date_of_contest obs_date datum fecha jour "
        "dia data giorno year jahr annee ano anno"
    ),
    "time": ("time", "time_of_day", "clock", "uhrzeit", "zeit", "heure", "hora", "ora"),
    "tie": words(
        "draw drawn tie tied undecided unentschieden remis egalite match_nul ex_aequo empate "
        "pareggio gelijkspel oavgjort uafgjort uavgjort remise stalemate ties draws"
    ),
    "context": words(
        "context behaviour behavior intensity interaction_type competition kontext verhalten "
        "contexte comportement contexto comportamiento conducta comportamento contesto"
    ),
    "group": words(
        "group group_id troop flock herd colony pack gruppe groupe grupo gruppo cage cage_id pen "
        "pen_id tank tank_id aquarium enclosure aviary coop species population replicate nest_box "
        "gehege kaefig kafig voliere jaula clan family league"
    ),
    "season": ("season", "saison", "temporada"),
    "count": words(
        "count weight freq frequency n_wins anzahl haeufigkeit haufigkeit frequence frecuencia "
        "frequencia"
    ),
    "winner_points": _of_side("winner"),
    "loser_points": _of_side("loser"),
    "home": words("home home_team home_side home_player home_name heim heimmannschaft heimteam"),
    "away": words(
        "away away_team away_side away_player away_name visitor visitor_team visiting_team "
        "road_team guest gast gastmannschaft"
    ),
    "home_points": (*_of_side("home"), "fthg", "hg", "hgoal"),
    "away_points": (*_of_side("away"), *_of_side("visitor"), "ftag", "ag", "vg", "vgoal"),
    "neutral": ("neutral", "neutral_ground", "neutral_site", "neutral_venue", "neutral_field"),
    "a": ("a", "left", "white", "first", *_numbered("1", "a"), *ACTED, *INITIATED, *FOLLOWED),
    "b": ("b", "right", "black", "second", *_numbered("2", "b"), *RECEIVED, *FACED),
    "a_points": _points("1", "a"),
    "b_points": _points("2", "b"),
    "outcome": words(
        "outcome winner result vote preference verdict who_won won_by won focal_won focal_wins "
        "initiator_won initiator_wins actor_won actor_wins ergebnis ausgang resultat resultado "
        "risultato ftr w_l w_d_l w_l_t choice preferred decision uitslag"
    ),
}
# Of which a behavior log of a known program has one.
OF_LOGS = frozenset(("subject", "focalname", "behaviortimestamp", "observationid"))
# Labels of rows and columns of totals in a table of wins.
TOTALS = words(
    "total totals sum sums grandtotal rowtotal rowtotals rowsum columntotal columntotals columnsum "
    "totalwins totallosses wins losses summe gesamt somme suma soma totale totaux σ"
)
BELOW = (*TOTALS, *words("mean means average median sd mittelwert moyenne media"))
_COUNTED = r"(?:obs\w*|contests?|wins?|interactions?|events?|fights?|bouts?|encounters?|times)"
COUNTS = re.compile(
    rf"(?:n|no|nr|num|number|total)?[\s_.]*(?:of[\s_.]+)?{_COUNTED}|n|no|nr|number|total|x",
    re.IGNORECASE,
)
# `data` is a date in Portuguese and Italian only.
ONLY_WITH = {
    "data": words(
        "vencedor vencedora perdedor perdedora vincitore perdente sconfitto ospite przegrany hora"
    )
}


@lru_cache(maxsize=1 << 14)
def heading(label: str) -> str:
    """A label as headings are compared: letters and digits only, without accents.

    >>> heading("Home-Score:"), heading("Égalité"), heading("loser (column 3)")
    ('homescore', 'egalite', 'loser')
    """
    bare = unicodedata.normalize("NFKD", label.split(" (column ")[0].casefold())
    return "".join(sign for sign in bare if sign.isalnum())


# Headings of the points of both sides in one cell, as they are compared.
SCORES = frozenset(
    ("score", "scores", "result", "finalscore", "fulltime", "ft", "ergebnis", "resultat")
) | frozenset(("resultado", "risultato", "endstand", "goals", "points"))
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
        map(heading, ("a", "left", "white", "first", *_numbered("1", "a"))),
        map(heading, ("b", "right", "black", "second", *_numbered("2", "b"))),
        strict=True,
    )
)
_ONLY_WITH = {heading(one): frozenset(map(heading, more)) for one, more in ONLY_WITH.items()}


_KNOWN = frozenset().union(*_KEYS.values(), *_STRICT.values())
# What is named in a heading beside its role, as in "winner band" or "team_home".
NOUNS = frozenset(
    ("id", "name", "number", "nr", "no", "code", "band", "ring", "tag", "bird", "fish", "animal")
) | frozenset(("individual", "ind", "team", "player", "username", "user", "model", "ear", "mouse"))


@lru_cache(maxsize=1 << 14)
def role_of_heading(label: str) -> str:
    """A label as headings are compared; without nouns if it is not known with them.

    >>> role_of_heading("Winner ID"), role_of_heading("team_home"), role_of_heading("winner sex")
    ('winnerid', 'home', 'winnersex')
    """
    whole = heading(label)
    words = [heading(word) for word in re.findall(r"[^\W\d_]+|\d+", label.split(" (column ")[0])]
    core = [word for word in words if word not in NOUNS]
    bare = len(core) == 1 < len(words) and len(core[0]) > 2
    return core[0] if bare and whole not in _KNOWN and core[0] in _KNOWN else whole


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
    return role_of_heading(label) in _STRICT[what]


def is_total(label: str) -> bool:
    """Whether a label is a word for a total.

    >>> is_total("Total:"), is_total("Summe"), is_total("Tom")
    (True, True, False)
    """
    return heading(label) in TOTALS


def is_below(cell: str) -> bool:
    """Whether a cell says that its row, below a list of contests, has totals or means.

    >>> is_below("Total: 33"), is_below("Mean"), is_below("wins")
    (True, True, False)
    """
    word = heading(cell.rstrip("0123456789., "))
    return word in BELOW and word not in ("wins", "losses")


def is_count(label: str) -> bool:
    """Whether a heading is one of numbers, which may be numbers of contests.

    >>> is_count("N obs"), is_count("number of fights"), is_count("night")
    (True, True, False)
    """
    return COUNTS.fullmatch(label.strip()) is not None


# Behaviors for examples in messages, and those that raise a doubt; nothing is inferred from them.
OFTEN_WON = re.compile(
    r"displac|supplant|chas|attack|aggress|threat|bit|peck|win|lung|hit|push|butt|horn|kick|charge"
    r"|fight|jag|pick|hack|droh|poursui|attaq|ataqu|attacc|persig|aanval|dominan",
    re.IGNORECASE,
)
OFTEN_LOST = re.compile(
    r"submi|fle[ed]|flight|avoid|evad|retreat|crouch|cower|yield|los[et]|subordinate|withdr"
    r"|give.?way|grimace|\bby\b|receiv|(?:walk|run|move|go|fly|swim)s?.away|leav|cedes?"
    r"|flieh|flüch|weich|meid|unterw|fui[rt]|fuite|fugg|evita|évit|huy|foge|cède|retir"
    r"|vlucht|flyr|flykt|defer|refuse|appeas|\bfear|scared",
    re.IGNORECASE,
)


def usual_sides(behaviors: Iterable[str]) -> tuple[list[str], list[str]]:
    """The behaviors whose actor usually wins, and those whose actor usually loses, by their words.

    >>> usual_sides(["chase", "is chased by", "groom"])
    (['chase'], ['is chased by'])
    """
    lost = [name for name in behaviors if OFTEN_LOST.search(name)]
    return [name for name in behaviors if name not in lost and OFTEN_WON.search(name)], lost


# Words that raise a doubt about a column.
WORDS = {
    "group": r"cage|tank|pen\b|aquari|box|enclos|arena|coop|barn|aviar|room|site|colon|hive|nest"
    r"|species|taxon|popul|group|troop|flock|herd|pack|clan|famil|replic|cohort|league|division"
    r"|batch|litter|brood|paddock|kennel|shed\b|yard|plot\b|block\b|school|shoal|pride\b|unit\b",
    "order": r"trial|seq|order|round|\bno\b|number|\bnr|session|event|index|hour|minute|\bmin\b"
    r"|\bsec|week|month|julian|doy|\bday|year|^time|quarter|period",
    "filter": r"exclu|inclu|valid|clear|revers|\bvoid|omit|\buse|keep|discard|certain"
    r"|\bsure|unsure|flag|confirm|confiden|wrong|check|delet|remov|swap|doubt|decid|resolved"
    r"|\bok\b|status|retract|cancel|an+ul|ignor|disregard|practi[cs]e|double|ausschl|gültig"
    r"|accept|reject|complete|interrupt|abort|approv|\bqc\b|quality",
    "bad": r"^(?:bad|invalid|void|errors?|excluded?|discard(?:ed)?|wrong|poor|unreliable|training"
    r"|preliminary|provisional|practi[cs]e|warm.?up|no contest|retracted|cancell?ed|an+ul\w*"
    r"|disregard|ignored?|duplicate|rejected|fail(?:ed)?|interrupted|(?:un|in)(?:gültig|v[aá]lid[oae]?))$",
    "counted": r"^(?:n|counts?|freq\w*|n?\s*times|n(?:o|umber)?\s+(?:of\s+)?(?:wins|contests"
    r"|\w*actions|events|times|fights|bouts))\s*$",
    "count": r"bout|times|\bn\b|count|freq|wins|total|number|interactions|contests|events",
    "tie": r"draw|\bties?\b",
    "outcome": r"result|outcome|score|verdict",
    "remark": r"\bvoid|unclear|not sure|wrong|revers|exclud|mistake|actually|swapped|do ?n.?t use"
    r"|disregard|ignore|an+ulad|cancell?ed|\berror|ungültig",
    "yields": OFTEN_LOST.pattern,
    "acts": r"act[eo]u?r|akteur|at+ore|aggress|agres|attack|initiat|giver|sender|focal|performer"
    r"|^from$",
    "reply": r"respon[sd]|reac|reakt|réac|repl|antwort",
    "losses": r"loss|lost|lose|defeat(?:ed|s\b)|beaten|receiv|recipient|victim|submi",
    "loser": r"^(?:the )?los(?:er|t|ing)",
}


def hint(what: str, text: str) -> bool:
    """Whether a text has a word that raises this doubt."""
    return bool(re.search(WORDS[what], re.sub(r"[_.#]+", " ", text), re.IGNORECASE))


def roles_of(label: str, columns: list[str]) -> list[str]:
    """The roles that a heading may have in a table with these columns."""
    key = role_of_heading(label)
    if key != heading(label) and any(heading(other) == key for other in columns):
        return []  # beside a column that is called so
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
    one, other = role_of_heading(first), role_of_heading(second)
    if one in _STRICT["acted"] or one in _STRICT["began"]:
        return other in _STRICT["received"] or other in _STRICT["faced"]
    return _TWINS.get(one) == other


def parts_of_dates(columns: list[str]) -> list[str]:
    """Columns that are called day, month or year."""
    return [c for c in columns if heading(c) in DAYS | MONTHS | YEARS]


# ---- The row of the column names ---------------------------------------------------------------

# Required columns of each kind of data. Games without a home side have the columns of votes.
FORMS = (
    ("events", ("winner", "loser")),
    ("games", ("home", "away", "home_points", "away_points")),
    ("games", ("a", "b", "a_points", "b_points")),
    ("votes", ("a", "b", "outcome")),
    ("votes", ("a", "b", "loser")),
    ("votes", ("home", "away", "outcome")),
    ("dyads", ("a", "b", "a_points", "b_points")),
    ("focal", ("a", "loser", "winner")),
    ("arrows", ("contest",)),
)
LAST_HEADER = 1_000_000_000
LOOKED_AT = 50  # rows in which the header is searched
LARGEST_MATRIX = 500  # rows of a matrix that is searched below a title
WHO_WON = ("votes", ("a", "b", "winner"))  # two sides, and a column that names the winner
Row = Sequence[str | None]


@dataclass(frozen=True)
class Wanted:
    """What the caller needs: columns given by name, roles to leave out, and the kind of data."""

    named: dict[str, str] = field(default_factory=dict)
    refused: frozenset[str] = frozenset()
    kind: str | None = None

    def places(self, labels: Row) -> list[int] | None:
        """Positions of the needed columns among these labels; None if one is missing."""
        cells = [(label or "").strip() for label in labels]
        of_role: dict[str, int] = {}
        for place, cell in enumerate(cells):
            if cell[:1].isalpha():
                for role in roles_of(cell, cells):
                    of_role.setdefault(role, place)
        for role in self.refused:
            of_role.pop(role, None)
        for role, name in self.named.items():
            of_role.pop(role, None)
            if name in cells:
                of_role[role] = cells.index(name)
        for kind, roles in (*FORMS, WHO_WON):
            if self.kind not in (None, kind):
                continue
            found = [of_role[role] for role in roles if role in of_role]
            if found and len(set(found)) == len(roles):
                return found
        return None


def wanted_columns(given: Mapping[str, str | bool | None], kind: str | None) -> Wanted:
    """What the arguments of `read` look for."""
    return Wanted(
        {role: name for role, name in given.items() if isinstance(name, str) and name},
        frozenset(role for role, name in given.items() if name is False or name == ""),
        kind if isinstance(kind, str) else None,
    )


@dataclass(frozen=True)
class Header:
    """The first and the last row of the column names, from 0, and what follows them."""

    first: int
    last: int
    kind: str = "list"
    above: int = 0  # rows with cells above it
    doubt: str = ""  # what speaks against it
    titles: tuple[str, ...] = ()  # cells above it

    @property
    def depth(self) -> int:
        """Number of rows of the header: 1 or 2, or 0 without one."""
        return self.last - self.first + 1

    def settled(self, name: str) -> Header:
        """The header; raises an error if a row above it could be data."""
        if not self.doubt:
            return self
        number = f"{self.first + 1}-{self.last + 1}" if self.depth == 2 else f"{self.first + 1}"
        raise DataError(
            f"{name}: row {self.first + 1} has the column names, but {self.doubt}. If the rows "
            f"above are not data, skip them with {option('header', number)}; otherwise move the "
            f"header to the first row."
        )

    def note(self, labels: Sequence[str]) -> str:
        """What was taken, and how to choose another row."""
        if self.depth == 2:
            return (
                f"Rows {self.first + 1} and {self.last + 1} were read as one header: "
                f"{quoted(labels, limit=6)}. To use one row only, give it with {option('header')}."
            )
        return (
            f"Row {self.first + 1} was read as the header; the rows above it were skipped. Choose "
            f"another with {option('header')}."
        )


NO_HEADER = Header(0, -1)


def header_rows(header: object) -> Header | None:
    """The argument `header`: a row number, two rows as "3-4" or (3, 4), or "none"."""
    if header is None:
        return None
    if str(header).strip().casefold() == "none":
        return NO_HEADER
    parts: list[object] = [header]
    if isinstance(header, str):
        parts = list(header.split("-"))
    elif isinstance(header, list | tuple):
        parts = list(header)
    numbers = [_row_number(part) for part in parts]
    first, last = numbers[0] if numbers else None, numbers[-1] if numbers else None
    if first is None or last is None or len(numbers) > 2 or last - first != len(numbers) - 1:
        raise ArgumentError(
            f"{given('header', header)}: give the row number of the column names, from 1, or two "
            f"rows that follow each other, such as {option('header', '3-4')}, or "
            f"{option('header', 'none')}."
        )
    return Header(first - 1, last - 1)


def _row_number(value: object) -> int | None:
    text = str(value).strip() if isinstance(value, int | str) else ""
    if isinstance(value, bool) or not (text.isascii() and text.isdigit() and len(text) <= 10):
        return None
    return int(text) if 1 <= int(text) <= LAST_HEADER else None


def find_header(rows: Sequence[Row], wanted: Wanted) -> Header | None:
    """The header among the first rows of a table; None if no row has the needed columns."""
    filled = [i for i, row in enumerate(rows[:LOOKED_AT]) if _filled(row)]
    for i in filled:
        below = rows[i + 1] if i + 1 < len(rows) else ()
        places, first, last = wanted.places(rows[i]), i, i
        if places is None:
            alone = _filled(below) and not wanted.places(below)
            places, last = wanted.places(joined(rows[i], below)) if alone else None, i + 1
        elif (again := wanted.places(below)) == places:
            first = last = i + 1  # two rows of names, the second more exact
        elif again is None and _divides(rows[i], below, places):
            last = i + 1
        if places is not None:
            above = filled.index(first)
            titles = _titles(rows[:first])
            return Header(first, last, above=above, doubt=_doubt(rows[:i], places), titles=titles)
    if wanted.kind in (None, "matrix") and not wanted.named:
        return _of_matrix(rows, filled)
    return None


def _titles(above: Sequence[Row]) -> tuple[str, ...]:
    """The cells above a header."""
    return tuple(cell.strip() for row in above[:20] for cell in row if cell and cell.strip())[:20]


def joined(top: Row, bottom: Row) -> list[str]:
    """The labels of a header of two rows.

    A blank cell of the upper row belongs to the label on its left, as in merged cells.

    >>> joined(["Date", "Winner", None, "Loser", None], [None, "ID", "Sex", "ID", "Sex"])
    ['Date', 'Winner ID', 'Winner Sex', 'Loser ID', 'Loser Sex']
    """
    labels, above = [], ""
    for upper, lower in zip(top, bottom, strict=False):
        one, other = (upper or "").strip(), (lower or "").strip()
        if one:
            above = one if other else ""  # nothing below: not the beginning of a span
        elif other:
            one = above
        same = one.casefold() == other.casefold()
        labels.append(one if same else f"{one} {other}".strip())
    return labels


def _filled(row: Row) -> bool:
    return any(cell and cell.strip() for cell in row)


def _divides(top: Row, below: Row, places: list[int]) -> bool:
    """Whether the row below a header divides its columns, as "ID" and "Sex" divide "Winner".

    It then has cells below blanks of the header, and the same label below both sides: as a
    contest, an individual would meet itself.
    """
    cells = [(cell or "").strip().casefold() for cell in below]
    if max(places, default=0) >= len(cells):
        return False
    sides = {cells[place] for place in places[:2]}
    blanks = [i for i, cell in enumerate(top) if not (cell or "").strip()]
    under = any(i < len(cells) and cells[i] for i in blanks)
    return under and len(sides) == 1 and sides != {""}


def _doubt(above: Sequence[Row], places: list[int]) -> str:
    """A row above the header that has cells in all needed columns and could be data."""
    for i, row in enumerate(above):
        cells = [row[place] if place < len(row) else None for place in places]
        if all(cell and cell.strip() for cell in cells):
            shown = listed([quoted([cell]) for cell in cells])
            return f"row {i + 1} above it has cells in the same columns ({shown})"
    return ""


def _of_matrix(rows: Sequence[Row], filled: list[int]) -> Header | None:
    """The row above a square table whose first column has the same names, in any order.

    Case does not matter, and totals are no names.
    """
    for i in filled:
        labels = [(cell or "").strip() for cell in rows[i]]
        names = [label.casefold() for label in labels[1:] if label and not is_total(label)]
        below = rows[i + 1 : i + 1 + len(names)]
        left = [(row[0] or "").strip().casefold() if row else "" for row in below]
        listed = len(names) < 4 and any(
            cell.strip().casefold() in left for row in below for cell in row[1:] if cell
        )
        if 2 <= len(names) <= LARGEST_MATRIX and sorted(names) == sorted(left) and not listed:
            return Header(i, i, "matrix", above=filled.index(i), titles=_titles(rows[:i]))
    return None
