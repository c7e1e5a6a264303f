"""Runs the R code of docs/calling_from_r.md; python -m tests.r_document writes what it prints.

Lines that begin with #> are what the code above them prints. The page is run as one session of
Rscript, with the R package of this copy, in a folder with the sheets of docs/data.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.documents import ROOT, furnish

PAGE = ROOT / "docs" / "calling_from_r.md"
BLOCK = re.compile(r"^```r\n(.*?)^```", flags=re.DOTALL | re.MULTILINE)
PIECE = re.compile(r"((?:^(?!#>).*\n)+)((?:^#>.*\n)*)", flags=re.MULTILINE)
MARK = "<next>"


def pieces(text: str) -> list[tuple[str, list[str]]]:
    """Lines of code, each piece with the lines that it is said to print."""
    return [
        (code, [line.removeprefix("#> ").rstrip() for line in printed.splitlines()])
        for block in BLOCK.findall(text)
        for code, printed in PIECE.findall(block)
    ]


def printed_now(codes: list[str]) -> list[list[str]]:
    """What the pieces of code print, run one after the other by R with this Python."""
    script = "".join(f'{code}cat("\\n{MARK}\\n")\n' for code in codes)
    with tempfile.TemporaryDirectory() as folder:
        furnish(Path(folder))
        (Path(folder) / "page.R").write_text(script, encoding="utf-8")
        library = Path(folder) / "library"
        library.mkdir()
        surroundings = {
            "RETICULATE_PYTHON": sys.executable,
            "PYTHONPATH": str(ROOT / "src"),
            "LC_ALL": "C.UTF-8",
            "R_LIBS": str(library),
        }
        install = ["R", "CMD", "INSTALL", "--no-docs", f"--library={library}"]
        subprocess.run(
            [*install, ROOT / "r" / "peckorder"],
            env=os.environ | surroundings,
            capture_output=True,
            check=True,
        )
        done = subprocess.run(
            ["Rscript", "--vanilla", "page.R"],
            cwd=folder,
            env=os.environ | surroundings,
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode:
        raise RuntimeError(done.stderr)
    outputs = done.stdout.split(f"\n{MARK}\n")[:-1]
    return [[line.rstrip() for line in output.splitlines() if line.strip()] for output in outputs]


def has_reticulate() -> bool:
    """Whether R and its package reticulate are installed."""
    if shutil.which("Rscript") is None:
        return False
    command = ["Rscript", "--vanilla", "-e", 'quit(status = !requireNamespace("reticulate"))']
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def main() -> None:
    """Write what the pieces print into the page."""
    text = PAGE.read_text(encoding="utf-8")
    outputs = iter(printed_now([code for code, _ in pieces(text)]))

    def piece(match: re.Match) -> str:
        return match.group(1) + "".join(f"#> {line}\n" for line in next(outputs))

    new = BLOCK.sub(lambda block: "```r\n" + PIECE.sub(piece, block.group(1)) + "```", text)
    PAGE.write_text(new, encoding="utf-8")


if __name__ == "__main__":
    main()
