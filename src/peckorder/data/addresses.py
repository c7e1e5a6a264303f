"""Addresses of databases, and how they are shown: never with the password.

A password may be part of an address, but no message, report or repeated command contains it. The
address without the password remains one that can be used: the password then comes from the
environment (PGPASSWORD), from a file (PGPASSFILE) or from the keyboard.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote, unquote

from peckorder.errors import ArgumentError

URL = re.compile(r"[a-z][a-z0-9+.-]+://", re.IGNORECASE)
# Also where a slash is missing: a name of a file would be shown, with the password in it.
LIKE_URL = re.compile(r"(?:postgres\w*|sqlite\w*|mysql|mariadb|mssql|oracle)\b[\w+]*:", re.I)
LIKE_WORDS = re.compile(r"(?:^|\s)password\s*=", re.IGNORECASE)
HOST = r"(?:[^\s:/?#@,\[\]]*|\[[0-9a-fA-F:.]*\])(?::[0-9]*)?"
POSTGRESQL = re.compile(
    r"postgres(?:ql)?://"
    r"(?:(?P<user>[^\s:/?#@]*)(?P<colon>:(?P<password>[^\s/?#@]*))?@)?"
    rf"(?P<host>{HOST}(?:,{HOST})*)"
    r"(?P<database>/[^\s?#@]*)?"
    r"(?P<settings>\?[^\s#]*)?",
    re.IGNORECASE,
)
SECRET = re.compile(r"((?:ssl)?password|oauth_client_secret)=([^&]*)&?", re.IGNORECASE)


@dataclass(frozen=True)
class Address:
    """A database: `shown` is safe to show, and `target` is what is opened."""

    kind: str
    shown: str
    target: str = field(repr=False)
    secrets: tuple[str, ...] = field(default=(), repr=False)

    @property
    def has_password(self) -> bool:
        """Whether the address contains a password."""
        return bool(self.secrets)

    def with_password(self, password: str) -> Address:
        """The same address with a password."""
        encoded = quote(password, safe="")
        if "@" in self.shown.partition("?")[0]:
            target = self.shown.replace("@", f":{encoded}@", 1)
        else:  # the user comes from the environment
            sign = "&" if "?" in self.shown else "?"
            target = f"{self.shown}{sign}password={encoded}"
        return Address(self.kind, self.shown, target, (password, encoded))

    def without_secrets(self, text: str) -> str:
        """A message of the driver, in which nothing secret remains.

        >>> address_of("postgresql://me:pw123@host/db").without_secrets('token "pw123"')
        'token "***"'
        """
        for secret in sorted(self.secrets, key=len, reverse=True):
            text = text.replace(secret, "***")
        return text


def address_of(source: str | os.PathLike[str]) -> Address:
    """The address of a database, in its parts.

    >>> address_of("postgresql://me:secret@db.example.org/station").shown
    'postgresql://me@db.example.org/station'
    >>> address_of("sqlite:///station.db").target
    'station.db'
    """
    text = str(source)
    if not looks_like_address(source):
        return Address("sqlite", Path(text).name, text)
    if text.lower().startswith("sqlite:"):
        return _sqlite(text)
    if re.match(r"postgres(?:ql)?:", text, re.IGNORECASE):
        return _postgresql(text)
    scheme = URL.match(text)
    wrong = (
        f"Addresses that begin with {scheme[0]} are not supported"
        if scheme
        else "The address of the database cannot be read"
    )
    raise ArgumentError(
        f"{wrong}. Give the path of a file, postgresql://user@host/database or "
        f"sqlite:///station.db."
    )


def shown(source: object) -> str:
    """A source as it may be shown and repeated: an address without its password.

    >>> shown("contests.csv"), shown("postgresql://me:secret@host/station")
    ('contests.csv', 'postgresql://me@host/station')
    """
    text = str(source)
    if not looks_like_address(source) or text.lower().startswith("sqlite:"):
        return text
    try:
        return address_of(text).shown
    except ArgumentError:
        return "the database"


def file_of(source: str) -> str | None:
    """The file behind a source; None for a database of a server.

    >>> file_of("contests.csv"), file_of("sqlite:///station.db"), file_of("postgresql://host/db")
    ('contests.csv', 'station.db', None)
    """
    if not looks_like_address(source):
        return source
    return source[len("sqlite:///") :] if source.lower().startswith("sqlite:///") else None


def looks_like_address(source: object) -> bool:
    """Whether a source is written as the address of a database."""
    return isinstance(source, str) and bool(
        URL.match(source) or LIKE_URL.match(source) or LIKE_WORDS.search(source)
    )


def _sqlite(text: str) -> Address:
    path = text[len("sqlite:///") :] if text.lower().startswith("sqlite:///") else ""
    if not path:
        raise ArgumentError(
            f"{text} is not the address of a database: write sqlite:///station.db for a file in "
            f"this folder, or sqlite:////data/station.db for one with its full path."
        )
    return Address("sqlite", Path(path).name, path)


def _postgresql(text: str) -> Address:
    found = POSTGRESQL.fullmatch(text)
    if found is None:  # the text is not shown: it may contain a password
        raise ArgumentError(
            "The address of the database cannot be read. Write "
            "postgresql://user@host:5432/database; other characters than letters and numbers in a "
            "user name or password must be percent-encoded (@ as %40, / as %2F, : as %3A)."
        )
    settings = found["settings"] or ""
    secrets = [secret for _, secret in SECRET.findall(settings)]
    settings = SECRET.sub("", settings).rstrip("&?")
    user = f"{found['user']}@" if found["user"] else ""
    if found["password"]:
        secrets.append(found["password"])
    known = {way for secret in secrets for way in (secret, unquote(secret)) if way}
    safe = f"postgresql://{user}{found['host']}{found['database'] or ''}{settings}"
    return Address("postgresql", safe, text, tuple(sorted(known)))
