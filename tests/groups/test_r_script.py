"""The R script and the file that it reads."""

import csv
import re
import shutil
import subprocess

import polars as pl
import pytest

import peckorder as po
from tests.many_groups import sampled, table


@pytest.fixture(scope="module")
def study():
    return po.study(po.read(table()), measures=("linearity", sampled), executor=1, seed=1)


def test_the_script_reads_the_file_with_the_columns_of_its_formula(study, tmp_path):
    sheet = pl.DataFrame(
        {
            "group": [f"g{i}" for i in range(6)],
            "body mass": [1.5, 2, 3, None, 5, 6],
            "species": ["a, b", "b", 'c"', "a", "b", "c"],
        }
    )
    study.save_r(tmp_path / "steep.R", measure="sampled", covariates=sheet)
    script = (tmp_path / "steep.R").read_text()
    assert 'read.csv("steep.csv", stringsAsFactors = TRUE)' in script
    formula = re.search(r"value \| se\(se, sigma = TRUE\) ~ (.*),", script)[1]
    assert formula == "1 + body.mass + species"
    with (tmp_path / "steep.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0])[:5] == ["group", "contests", "individuals", "value", "se"]
    assert {*formula.split(" + ")[1:]} <= set(rows[0])
    assert [float(row["value"]) for row in rows] == study.table["sampled"].to_list()
    assert [float(row["se"]) for row in rows] == study.table["sampled_sd"].to_list()
    assert rows[3]["body.mass"] == "NA"
    assert rows[2]["species"] == 'c"'
    # Names as R writes them: R would change others when it reads the file.
    assert all(re.fullmatch(r"[A-Za-z][A-Za-z0-9._]*", name) for name in rows[0])
    assert script.count("(") == script.count(")")


def test_r_reads_the_file(study, tmp_path):
    program = shutil.which("Rscript")
    if program is None:
        pytest.skip("R is not installed")
    study.save_r(tmp_path / "s.R", measure="sampled")
    code = 'd <- read.csv("s.csv"); stopifnot(nrow(d) == 6, is.numeric(d$se)); parse("s.R")'
    subprocess.run([program, "-e", code], cwd=tmp_path, check=True)


def test_what_cannot_be_written(study, tmp_path):
    with pytest.raises(po.ArgumentError, match="ending .R"):
        study.save_r(tmp_path / "s.txt", measure="sampled")
    with pytest.raises(po.DataError, match="no standard error"):
        study.save_r(tmp_path / "s.R", measure="linearity")
