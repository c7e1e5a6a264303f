"""The terms of the project: what readers see uses the words of papers and manuals.

STYLE.md asks for plain scientific English with one term per idea. The words below were used before
for ideas that have a term; they must not come back in messages, docstrings, comments or documents.
Names in code are not read, except that strings that serve as names are (see NAMES).
"""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.documents import documents

ROOT = Path(__file__).parent.parent
SOURCES = ROOT / "src" / "peckorder"
# What to avoid, and what to write instead.
TERMS = {
    r"foretold|foretells?|foresaw|foresees?": "predicted",
    r"told|tells?|telling": "predicted, estimated, distinguishable or reported",
    r"stands? on top|stood on top": "ranks first",
    r"hangs? together": "connected",
    r"contests? with (itself|themselves)": "winner and loser are the same individual",
    r"stands? twice": "appears twice, duplicated",
    r"mend|mends|mended|mending": "fix, correct, change",
    r"all win alike": "all individuals are equal",
    r"strays? from": "the order of contests matters",
    r"asked": "requested",
    r"draws for both": "tie, draw",
    r"in words": "summary",
    r"data (say|speak|know|ask)": "data do not act: state the result",
}
AMERICAN = {
    r"behaviour\w*": "behavior",
    r"neighbour\w*": "neighbor",
    r"favour\w*": "favor",
    r"colour\w*": "color",
    r"centre[ds]?|centring": "center",
    r"analyse[dr]?|analysing": "analyze",
    r"modell(ed|ing)": "model(ed|ing)",
    r"recogni(se[ds]?|sing)": "recognize",
    r"(?:re)?labell(ed|ing)": "label(ed|ing)",
    r"(randomi|normali|summari|organi|standardi|penali|maximi|minimi)(se[ds]?|sing|sation)": "-ize",
    r"grey(s|ed|ish)?": "gray",
}
WORDS = {rf"\b(?:{word})\b": better for word, better in (TERMS | AMERICAN).items()}
PERCENT = {r"\d[ \u00a0\u202f]%(?!\w)": "95%, without a space"}
AVOIDED = WORDS | PERCENT
# Titles keep the spelling of their authors.
TITLES = re.compile(r"Animal\s+Behaviour|\bBehaviour(?=\s\d)")
REFERENCES = {"citation.py"}
# Strings that are names: of a column that users have, and of a part of files already saved.
NAMES = {("sources/headings.py", "behaviour")}
DOCUMENTS = sorted(
    [
        *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "STYLE.md", "CHANGELOG.md")),
        ROOT / "benchmarks" / "README.md",
        *(ROOT / document for document in documents() if document.startswith("docs/")),
    ]
)
ASSETS = sorted(p for p in SOURCES.rglob("*") if p.suffix in (".html", ".js", ".css"))
MODULES = sorted(p for p in SOURCES.rglob("*.py") if p.name not in REFERENCES)


def hits(text: str) -> list[str]:
    """Avoided words in a text, each with what to write instead."""
    text = re.sub(r"\s*\n\s*(?:# )?", " ", TITLES.sub("", text))
    return [
        f"{found.group()!r} (write: {better})"
        for pattern, better in AVOIDED.items()
        for found in re.finditer(pattern, text, flags=re.IGNORECASE)
    ]


def strings(code: str) -> Iterator[tuple[int, str]]:
    """Texts of a module, docstrings included; 0 for each value that an f-string fills in."""
    tree = ast.parse(code)
    inner = {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        for part in node.values
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts = [p.value if isinstance(p, ast.Constant) else "0" for p in node.values]
            yield node.lineno, "".join(map(str, parts))
        elif (
            isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inner
        ):
            yield node.lineno, node.value


def comments(code: str) -> Iterator[tuple[int, str]]:
    """Comments of a module; those on successive lines are one text."""
    block: list[str] = []
    first = last = 0
    for token in tokenize.generate_tokens(io.StringIO(code).readline):
        if token.type != tokenize.COMMENT:
            continue
        line = token.start[0]
        if block and line != last + 1:
            yield first, "\n".join(block)
            block = []
        first, last = (first if block else line), line
        block.append(token.string)
    if block:
        yield first, "\n".join(block)


def prose(markdown: str) -> str:
    """A document without names set as `code` and code of R; other examples are kept."""
    markdown = re.sub(r"^```r\n.*?^```", "", markdown, flags=re.DOTALL | re.MULTILINE)
    return re.sub(r"(?<!`)`[^`\n]+`(?!`)", "", markdown)


@pytest.mark.parametrize("path", MODULES, ids=lambda p: p.relative_to(SOURCES).as_posix())
def test_modules_use_the_terms(path):
    code, name = path.read_text(encoding="utf-8"), path.relative_to(SOURCES).as_posix()
    found = [
        f"line {line}: {hit}"
        for line, text in (*strings(code), *comments(code))
        if (name, text) not in NAMES
        for hit in hits(text)
    ]
    assert found == []


@pytest.mark.parametrize("path", ASSETS, ids=lambda p: p.name)
def test_the_page_uses_the_terms(path):
    assert hits(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_documents_use_the_terms(path):
    assert hits(prose(path.read_text(encoding="utf-8"))) == []


def test_names_that_are_excepted_exist():
    for module, name in NAMES:
        code = (SOURCES / module).read_text(encoding="utf-8")
        assert name in {text for _, text in strings(code)}, (module, name)
    assert all((SOURCES / name).exists() for name in REFERENCES)
    assert ASSETS
    assert len(MODULES) > 100


@pytest.mark.parametrize(
    "text",
    [
        "b stands on top",
        "two ranks cannot be told\napart",
        "the groups hang\n    together",
        "# Elo strays\n# from the others",
        "Mend the names",
        "a chance of 95 %",
        "Modelled as grey neighbours",
        "relabelled individuals",
    ],
)
def test_words_to_avoid_are_found(text):
    assert hits(text)


@pytest.mark.parametrize(
    "text",
    [
        "Animal\nBehaviour 61, 489–495",
        "a recommended 95% interval",
        "centered analyses; the amendment",
        "organism, organist",
        "{0 %Y}",
    ],
)
def test_other_words_are_not(text):
    assert hits(text) == []


def test_strings_and_comments_are_read_and_names_in_code_are_not():
    code = (
        '"""Told."""\n'
        "told = 1  # mend\n"
        'x = f"{told} %" + ("hang "\n'
        '    "together")\n'
        "# strays\n"
        "# from\n"
    )
    found = [hit for _, text in (*strings(code), *comments(code)) for hit in hits(text)]
    assert [hit.split("'")[1] for hit in sorted(found)] == sorted(
        ["0 %", "Told", "hang together", "mend", "strays from"]
    )
    assert hits(prose("the column `behaviour`\n```\nbehavior\n```")) == []
