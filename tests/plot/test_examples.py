"""The figures of the papers, drawn by the examples from the papers' data."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


def drawn(folder, script, *arguments):
    """What an example prints, and the pictures it writes."""
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / script), *map(str, arguments)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    pictures = {path.name: path.stat().st_size for path in folder.glob("*.png")}
    return done.stdout, pictures


@pytest.mark.programs
@pytest.mark.paper_data
def test_figures_of_goffe_et_al(tmp_path, paper_file):
    files = paper_file("chimpanzee_females.csv"), paper_file("chimpanzee_females_presence.csv")
    printed, pictures = drawn(tmp_path, "chimpanzees.py", *files)
    assert "915 contests among 44 individuals" in printed
    k, sigma = map(float, re.search(r"k = ([\d.]+), sigma = ([\d.]+)", printed).groups())
    assert 0.3 < k < 0.37  # nutpie: 0.330
    assert 1.8 < sigma < 2.0  # nutpie: 1.905
    assert set(pictures) == {"fig1.png", "fig2.png"}
    assert min(pictures.values()) > 20_000


def test_figures_of_de_vries_et_al(tmp_path):
    printed, pictures = drawn(tmp_path, "steepness_figures.py")
    assert "pij: NormDS = 5.94 - 0.735 rank" in printed
    assert "dij: NormDS = 5.51 - 0.628 rank" in printed
    assert "Fully linear by pij: NormDS = 5.00 - 1.000 rank" in printed
    assert set(pictures) == {"steepness_fig1.png", "steepness_fig2.png"}


def test_the_gallery_holds_every_kind_of_figure():
    text = (EXAMPLES.parent / "docs" / "gallery" / "README.md").read_text(encoding="utf-8")
    import peckorder as po

    for kind in po.plot.__all__:
        assert f"po.plot.{kind}(" in text, kind
        assert f"peckorder plot {kind.replace('_', '-')} " in text, kind
    for name in re.findall(r"!\[[^\]]*\]\(([^)]*)\)", text):
        assert (EXAMPLES.parent / "docs" / "gallery" / name).exists(), name
