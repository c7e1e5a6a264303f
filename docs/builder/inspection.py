"""Inspection of the built site: python -m docs.builder.inspection build/site.

Every link must lead to a file of the site and, behind #, to a place in it, and nothing may be
loaded from elsewhere: the site is read offline.
"""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADED = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src"}


class Links(HTMLParser):
    """The links of a page, what it loads, and the places that it has."""

    def __init__(self, text: str):
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.places: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the links and the id of an element."""
        found = dict(attrs)
        if found.get("id"):
            self.places.add(str(found["id"]))
        if tag == "a" and found.get("href"):
            self.links.append(str(found["href"]))
        loaded = found.get(LOADED.get(tag, ""))
        if loaded and found.get("rel") != "canonical":
            self.loaded.append(loaded)


def problems(site: Path) -> list[str]:
    """Links that lead nowhere and files loaded from other hosts, each with its page."""
    pages = {
        path.resolve(): Links(path.read_text(encoding="utf-8"))
        for path in sorted(site.rglob("*.html"))
    }
    found = [] if pages else [f"{site} has no page"]
    for path, page in pages.items():
        name = path.relative_to(site.resolve()).as_posix()
        for target in (*page.links, *page.loaded):
            address = urlsplit(target)
            if address.scheme or address.netloc:
                if target in page.loaded and address.scheme != "data":
                    found.append(f"{name} loads {target}")
                continue
            there = (path.parent / unquote(address.path)).resolve() if address.path else path
            if not there.exists():
                found.append(f"{name}: there is no {target}")
            elif address.fragment and there in pages:
                place = unquote(address.fragment)
                if place not in pages[there].places:
                    found.append(f"{name}: there is no place {target}")
    return found


if __name__ == "__main__":
    wrong = problems(Path(sys.argv[1]))
    print(*wrong, sep="\n", end="\n" if wrong else "")
    sys.exit(bool(wrong))
