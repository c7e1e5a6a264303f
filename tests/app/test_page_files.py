"""The files of the page: nothing that the policy forbids, nothing missing, one set of colors."""

import re
from pathlib import Path

import pytest

import peckorder

SOURCE = Path(peckorder.__file__).parent
PAGE = SOURCE / "app" / "page"
REPORT = SOURCE / "reporting" / "assets"
SCRIPTS = sorted(PAGE.rglob("*.js"))
STYLES = sorted(PAGE.rglob("*.css"))
TOKEN = re.compile(r"--([\w-]+):\s*([^;]+);")


def read(path):
    return path.read_text(encoding="utf-8")


def tokens(text):
    return {name: value.strip().lower() for name, value in TOKEN.findall(text)}


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_names_can_only_become_text(path):
    text = read(path)
    for way in (
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "eval(",
        "new Function",
    ):
        assert way not in text
    assert not re.search(r'setAttribute\(\s*"(on|style)', text)
    assert "http://" not in text.replace("http://www.w3.org/2000/svg", "")
    assert "https://" not in text


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_everything_imported_is_exported(path):
    for names, where in re.findall(r'import \{([^}]+)\} from "([^"]+)"', read(path)):
        other = (path.parent / where).resolve()
        assert other.is_file(), where
        found = read(other)
        for name in (part.split(" as ")[0].strip() for part in names.split(",")):
            made = rf"export (?:async )?(?:function|const|let|class) {re.escape(name)}\b"
            passed_on = rf"export \{{[^}}]*\b{re.escape(name)}\b"
            assert not name or re.search(f"{made}|{passed_on}", found), (path.name, name, where)


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_everything_imported_is_used(path):
    text = read(path)
    for names, _ in re.findall(r'import \{([^}]+)\} from "([^"]+)"', text):
        for name in (part.split(" as ")[-1].strip() for part in names.split(",")):
            assert not name or len(re.findall(rf"\b{re.escape(name)}\b", text)) > 1, name


def test_the_page_loads_its_own_files_only():
    text = read(PAGE / "index.html")
    assert "style=" not in text
    assert not re.search(r"<script(?![^>]*src=)", text)
    named = re.findall(r'(?:href|src)="([^"#]+)"', text)
    assert all((PAGE / name).is_file() for name in named)
    assert {PAGE / name for name in named if name.endswith(".css")} == set(STYLES)


def test_styles_use_tokens_that_exist():
    known = tokens(read(PAGE / "css" / "tokens.css"))
    for path in STYLES:
        assert set(re.findall(r"var\(--([\w-]+)\)", read(path))) <= set(known)
    for path in SCRIPTS:
        used = set(re.findall(r'"--([\w-]+)"|var\(--([\w-]+)\)', read(path)))
        assert {one or other for one, other in used} <= set(known)


def test_page_and_report_have_the_same_colors():
    light, dark = map(tokens, read(PAGE / "css" / "tokens.css").split("[data-theme"))
    report, darkened = map(tokens, read(REPORT / "page.css").split("(prefers-color-scheme"))
    assert {name: light[name] for name in report if name in light} == report
    for name in set(darkened) - {"bg", "panel"}:  # of figures, which are turned
        assert darkened[name] == dark[name]
    palette = re.search(r"const COLORS = \[([^\]]+)\]", read(REPORT / "parts.js"))[1]
    drawn = [color.strip(' "').lower() for color in palette.split(",")]
    assert [light[f"c{i}"] for i in range(6)] == drawn[:6]  # the last is the color of text
    patterns = re.search(r"const DASHES = \[([^\]]+)\]", read(PAGE / "js" / "figures" / "parts.js"))
    theirs = re.search(r"const DASHES = \[([^\]]+)\]", read(REPORT / "parts.js"))
    assert len(re.findall(r'"[^"]*"', patterns[1])) == len(re.findall(r'"[^"]*"', theirs[1]))
