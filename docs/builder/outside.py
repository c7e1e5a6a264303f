"""Links of a page to files that are no page of the site.

Pages are read on the site and in the repository alike, so they link to files beside them, such as
the README of the benchmarks. On the site, some of these have a page; of the others the text stays.
"""

from __future__ import annotations

import posixpath
import re

# Files of the repository that are shown as a page, and the page that shows them.
SHOWN = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "STYLE.md": "style.md",
    "benchmarks/README.md": "benchmarks.md",
}
# Files of the code whose content the site shows on pages that it makes from them.
DESCRIBED = {
    "src/peckorder/cli/__init__.py": "commands/index.md",
    "src/peckorder/__init__.py": "api/index.md",
}
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")


def on_the_site(text: str, page: str) -> str:
    """The text of a page, given by its path below docs/, with links that hold on the site."""

    def moved(link: re.Match) -> str:
        image, words, target = link.groups()
        path, _, anchor = target.partition("#")
        if image or not path or ":" in path:
            return link.group()
        place = posixpath.normpath(posixpath.join("docs", posixpath.dirname(page), path))
        if words.endswith(posixpath.basename(path)) and path.endswith(".md"):
            words = ""  # the title of the page instead of the name of its file
        if place.startswith("docs/"):
            return f"[{words}]({target})"
        pages = SHOWN | DESCRIBED
        if place not in pages:
            return words or link.group(2)
        shown = posixpath.relpath(pages[place], posixpath.dirname(page) or ".")
        return f"[{words}]({shown}{'#' if anchor else ''}{anchor})"

    parts = re.split(r"(^```.*?^```$)", text, flags=re.DOTALL | re.MULTILINE)
    return "".join(part if part.startswith("```") else LINK.sub(moved, part) for part in parts)


def included(text: str, folder: str) -> str:
    """The text of a file elsewhere in the repository, with links as a page in docs/ has them."""

    def moved(link: re.Match) -> str:
        image, words, target = link.groups()
        if ":" in target or target.startswith("#"):
            return link.group()
        path = posixpath.relpath(posixpath.normpath(posixpath.join(folder, target)), "docs")
        return f"{image}[{words}]({path})"

    return LINK.sub(moved, text)
