"""Pages for users of R packages: numbers of the packages are those of the reference files."""

import json
import re

import pytest

from tests.documents import DOCS, ROOT, blocks

REFERENCE = ROOT / "tests" / "reference"
FOLDER = DOCS / "from_r"
# The part of the reference files that each page quotes; pages without one quote no number.
QUOTED = {
    "elorating": ("other_software.json", "EloRating"),
    "elosteepness": ("other_software.json", "EloSteepness"),
    "elooptimized": ("other_software.json", "EloOptimized"),
    "anidom": ("other_software.json", "aniDom"),
    "compete": ("other_software.json", "compete"),
    "steepness": ("papers.json", "bonobo"),
    "perc": ("percolation.json", "alpha"),
    "playerratings": ("r_fits.json", "Glicko"),
    "bradleyterry2": ("r_fits.json", "BradleyTerry"),
}
NUMBER = r"-?\d+(?:\.\d+)?(?:e-?\d+)?"


def outputs(text):
    """Numbers in lines that R is said to print, as they are printed; names of values are left out."""
    lines = [
        line.removeprefix("#>")
        for block in blocks(text, "r")
        for line in block.splitlines()
        if line.startswith("#>")
    ]
    return re.findall(rf"(?<![\w.]){NUMBER}(?![\w%.])", " ".join(lines))


def numbers(name, part):
    """All numbers of the parts of a reference file whose key begins like this."""
    found = json.loads((REFERENCE / name).read_text(encoding="utf-8"))
    chosen = [value for key, value in found.items() if key.startswith(part)]
    assert chosen, (name, part)
    values = [float(text) for text in re.findall(NUMBER, json.dumps(chosen))]
    if name == "papers.json":  # the slope and intercept are among the recomputed claims
        claims = [claim for claim in found["claims"] if claim["id"] == "ste.slope"]
        values += [float(text) for text in re.findall(r"\d*\.\d+", json.dumps(claims))]
        values += [
            x for scores in (found["bonobo"]["D"], found["bonobo"]["P"]) for x in _all(scores)
        ]
    return values


def _all(value):
    return [x for part in value.values() for x in (part if isinstance(part, list) else [part])]


def quoted(text, values):
    decimals = len(text.partition(".")[2])
    return any(abs(round(value, decimals) - float(text)) < 1e-9 for value in values)


@pytest.mark.parametrize("page", sorted(path.stem for path in FOLDER.glob("*.md")))
def test_quoted_numbers_are_those_of_the_references(page):
    found = outputs((FOLDER / f"{page}.md").read_text(encoding="utf-8"))
    if page not in QUOTED:
        assert found == []
        return
    assert found
    values = numbers(*QUOTED[page])
    assert [text for text in found if not quoted(text, values)] == []


def test_a_wrong_number_is_found():
    text = "```r\nf(x)\n#> k 66.842, p < 0.05, h' 0.9\n```\n"
    assert outputs(text) == ["66.842", "0.05", "0.9"]
    values = numbers("other_software.json", "EloOptimized")
    assert quoted("66.842", values)
    assert not quoted("66.843", values)


def test_every_function_of_elorating_has_its_equal():
    """The 38 functions that EloRating 0.46.19 exports."""
    text = (FOLDER / "elorating.md").read_text(encoding="utf-8")
    table = text.partition("## Every function")[2]
    rows = re.findall(r"^\| `([\w.]+)` \| (.+) \|$", table, flags=re.MULTILINE)
    assert len({name for name, _ in rows}) == len(rows) == 38
    assert all(equal.strip() for _, equal in rows)
