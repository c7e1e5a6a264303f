"""All printed numbers and figures of the five papers, on one page: docs/reproduced.md.

Usage: python benchmarks/reproduced.py [full] [NFL CHIMPANZEES PRESENCE]: with `full`, simulations
have the sizes of the papers. The three files are needed for three of the papers; by default, they
are looked for in ../shared/data. Figures are written to docs/reproduced/.
"""

import shutil
import subprocess
import sys
from pathlib import Path

import polars as pl

from peckorder.methods import REFERENCES

ROOT = Path(__file__).parent.parent
BUILD, PICTURES = ROOT / "build" / "reproduced", ROOT / "docs" / "reproduced"
DATA = ROOT.parent / "shared" / "data"
CAPTIONS = {
    "albers_fig1": "Figure 1 of Albers & de Vries: ratings of seven individuals over 33 contests.",
    "self_organizing": "Their Figure 2: dominances and subordinations by rank, for three k, and "
    "linearity by number of contests.",
    "steepness_fig1": "Figure 1 of de Vries et al.: the bonobos by P and D, with the randomization "
    "test.",
    "steepness_fig2": "Their Figure 2: the matrix, and its line with a slope of 1.",
    "index_errors": "Their Figure 3: errors of dyadic indices.",
    "goffe_fig3": "Figure 3 of Goffe et al.: true and estimated starting scores.",
    "goffe_fig4": "Their Figure 4: low-ranking individuals are rarely observed; then ranks swap.",
    "goffe_fig5": "Their Figure 5: an immigrant becomes alpha.",
    "goffe_fig6": "Their Figure 6: a subgroup moves to the top.",
    "goffe_fig7": "Their Figure 7: the two highest-ranked die.",
    "fig1": "Their Figure 1: scores of the female chimpanzees; orange, maximum likelihood.",
    "fig2": "Their Figure 2: starting scores by both estimates; posterior of k and sigma.",
    "nfl": "Langville & Meyer: trajectories of three teams in pairs.",
}


def cell(value: float | None, printed: str) -> str:
    """A number with one digit more than printed."""
    digits = len(printed.partition(".")[2]) + 1
    return "–" if value is None else f"{value:.{digits}f}"


def section(paper: str, files: list[str], full: bool) -> tuple[str, pl.DataFrame]:
    """Rows and figures of a paper."""
    folder = BUILD / paper
    shutil.rmtree(folder, ignore_errors=True)
    command = [sys.executable, "-m", "peckorder", "reproduce", paper, *files]
    command += ["--full"] * full + ["-o", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    table = pl.read_csv(folder / f"{paper}.csv", infer_schema=False).with_columns(
        pl.col("computed", "difference").cast(pl.Float64)
    )
    after = done.stdout[done.stdout.index(" agree with the paper") :].splitlines()[1:]
    said = [line for line in after if ": does not hold;" in line or ": holds" in line]
    lines = [f"## {paper}", "", REFERENCES[paper], ""]
    lines += [
        "| where | quantity | printed | computed | agrees | why |",
        "|---|---|---|---|---|---|",
    ]
    for row in table.to_dicts():
        values = [row["where"], row["quantity"], row["printed"]]
        values += [cell(row["computed"], row["printed"]), row["agrees"], row["note"] or ""]
        lines.append("| " + " | ".join(value.replace("|", "/") for value in values) + " |")
    if said:
        lines += ["", "Statements without numbers:", "", *(f"- {line}" for line in said)]
    for picture in sorted(folder.glob("*.png")):
        shutil.copy(picture, PICTURES / picture.name)
        lines += ["", f"![{CAPTIONS[picture.stem]}](reproduced/{picture.name})"]
        lines += ["", f"*{CAPTIONS[picture.stem]}*"]
    if (folder / "pooling.csv").exists():
        lines += ["", *pooling(pl.read_csv(folder / "pooling.csv"))]
    return "\n".join(lines), table


def pooling(table: pl.DataFrame) -> list[str]:
    """The paper's main claim as a table."""
    lines = [
        "Is partial pooling better than maximum likelihood? Root mean squared errors of starting "
        "scores in simulated records of 44 individuals (k = 0, opponents of similar rank); both "
        "are compared among those whose scores the likelihood limits, and pooling among all.",
        "",
        "| contests | records | unbounded by ML | RMSE by ML | pooled | pooled better | pooled, "
        "all 44 | 95% CrIs that contain the truth |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in table.to_dicts():
        lines.append(
            f"| {row['contests']:,} | {row['records']} | {row['unbounded']:.1f} | "
            f"{row['rmse_ml']:.2f} | {row['rmse_pooled']:.2f} | {row['pooled_better']} | "
            f"{row['rmse_pooled_all']:.2f} | {row['coverage']:.0%} |"
        )
    return lines


def main() -> None:
    """Write the page."""
    given = [one for one in sys.argv[1:] if one != "full"]
    full = "full" in sys.argv[1:]
    names = ("nfl2009_538.csv", "chimpanzee_females.csv", "chimpanzee_females_presence.csv")
    nfl, chimpanzees, presence = given or [str(DATA / name) for name in names]
    with_females = [chimpanzees, "--presence", presence]
    files = {
        "albers2001": [],
        "devries2006": [],
        "langville2012": [nfl],
        "goffe2018": with_females,
        "foerster2016": [chimpanzees, "--numbers-only"],
    }
    PICTURES.mkdir(exist_ok=True)
    made = {paper: section(paper, own, full) for paper, own in files.items()}
    rows = ["| paper | numbers | agree | fitted | differ |", "|---|---|---|---|---|"]
    for paper, (_, table) in made.items():
        counts = [int((table["agrees"] == word).sum()) for word in ("yes", "fitted", "no")]
        rows.append(
            f"| [{paper}](#{paper}) | {table.height} | " + " | ".join(map(str, counts)) + " |"
        )
    size = "of the papers' sizes" if full else "smaller than the papers' (full: `make study`)"
    head = [
        "# Do the papers' numbers come out?",
        "",
        "Every number that five papers print, next to the number that peckorder computes; those",
        "that differ come first, with the reason. *Fitted*: equal with a setting that was chosen",
        "after the number was known. `peckorder reproduce PAPER` makes one of the sections (see",
        "[Published results](published.md)). Written by `benchmarks/reproduced.py`; simulations",
        f"{size}.",
        "",
        *rows,
    ]
    page = "\n".join(head) + "\n\n" + "\n\n".join(text for text, _ in made.values()) + "\n"
    (ROOT / "docs" / "reproduced.md").write_text(page, encoding="utf-8")
    print(*rows, sep="\n")


if __name__ == "__main__":
    main()
