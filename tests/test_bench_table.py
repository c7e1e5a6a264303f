"""The table at the end of `make bench`: notes, ratios and targets."""

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))
import common
import table


@pytest.fixture
def noted(tmp_path, monkeypatch):
    """Notes a row, and gives its line of the table."""
    path = tmp_path / "rows.jsonl"
    monkeypatch.setenv("BENCH_ROWS", str(path))
    monkeypatch.setattr(sys, "argv", ["benchmarks/tune.py"])

    def line(*arguments, **targets):
        common.note(*arguments, **targets)
        return table.lines([json.loads(path.read_text().splitlines()[-1])])[0]

    return line


def test_without_a_file_nothing_is_noted(monkeypatch, tmp_path):
    monkeypatch.delenv("BENCH_ROWS", raising=False)
    monkeypatch.chdir(tmp_path)
    common.note("job", 1.0, "s")
    assert list(tmp_path.iterdir()) == []


def test_times_and_rates(noted):
    faster = noted("job", 4.0, "ms", peer=("evalica", 40.0), times_peer=12)
    assert faster == ("tune: job", "4 ms", "evalica 40", "10 ×", "≥ 12 × evalica", "MISSED by 20%")
    rate = noted("job", 300.0, "settings/s", peer=("other", 60.0), least=100)
    assert rate[1:] == ("300 settings/s", "other 60", "5 ×", "≥ 100 settings/s", "met")


def test_limits_of_our_own_value(noted):
    assert noted("job", 2.5, "CPU s", most=3.0)[-2:] == ("≤ 3 CPU s", "met")
    assert noted("job", 3.3, "CPU s", most=3.0)[-1] == "MISSED by 10%"
    assert noted("job", 0, "", most=0)[-1] == "met"
    assert noted("job", 3.3, "CPU s")[2:] == ("", "", "", "")


def test_the_whole_table_counts_what_is_missed(noted, tmp_path, monkeypatch, capsys):
    noted("one", 2.0, "s", most=3.0)
    noted("other", 4.0, "s", most=3.0)
    monkeypatch.setattr(sys, "argv", ["table.py", str(tmp_path / "rows.jsonl")])
    table.main()
    printed = capsys.readouterr().out
    assert "1 of 2 targets met, 1 missed." in printed
    assert "tune: other" in printed
