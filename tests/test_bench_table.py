"""The table at the end of `make bench`: notes, ratios and targets."""

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))
import common
import run


@pytest.fixture
def noted(tmp_path, monkeypatch):
    """Notes a row, and gives its line of the table."""
    path = tmp_path / "rows.jsonl"
    monkeypatch.setenv("BENCH_ROWS", str(path))
    monkeypatch.setattr(sys, "argv", ["benchmarks/tune.py"])

    def line(*arguments, **targets):
        common.note(*arguments, **targets)
        return run.lines([json.loads(path.read_text().splitlines()[-1])])[0]

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


def test_what_is_slower_than_before_on_an_equal_machine_fell_behind():
    old = {"program": "tune", "job": "one", "ours": 2.0, "unit": "CPU s", "machine": 1.0}
    old["commit"] = "abc"
    assert run.fell_behind([old | {"ours": 2.4}], [old]) == []
    assert run.fell_behind([old | {"ours": 4.0, "machine": 2.0}], [old]) == []
    behind = run.fell_behind([old | {"ours": 3.0}], [old, old | {"ours": 2.5}])
    assert behind == ["tune: one: 3 CPU s, was 2 CPU s at abc (1.50 ×)"]
    rate = old | {"unit": "contests/s"}
    assert run.fell_behind([rate | {"ours": 1.0}], [rate])[0].endswith("(2.00 ×)")
    assert run.fell_behind([rate | {"ours": 3.0}], [rate]) == []
    size = old | {"unit": "MB"}
    assert len(run.fell_behind([size | {"ours": 4.0, "machine": 2.0}], [size])) == 1
    assert run.fell_behind([old | {"job": "new"}], [old]) == []


def test_a_run_prints_a_table_and_records_it(tmp_path, monkeypatch, capfd):
    program = (
        'import sys; sys.path.insert(0, {0!r}); import common\ncommon.note("job", 2.0, "s", most=3)'
    )
    folder = str(Path(run.__file__).parent)
    (tmp_path / "one.py").write_text(program.format(folder))
    monkeypatch.setattr(run, "HERE", tmp_path)
    monkeypatch.setattr(run, "RECORD", tmp_path / "record.jsonl")
    monkeypatch.setattr(sys, "argv", ["run.py", "one"])
    run.main()
    run.main()
    printed = capfd.readouterr().out
    assert "1 of 1 targets met, 0 missed.\nNothing fell behind." in printed
    recorded = [json.loads(line) for line in (tmp_path / "record.jsonl").read_text().splitlines()]
    assert [row["ours"] for row in recorded] == [2.0, 2.0]
    assert {"commit", "machine", "program", "job"} <= set(recorded[0])
    monkeypatch.setattr(sys, "argv", ["run.py", "missing"])
    with pytest.raises(SystemExit, match="Failed: missing"):
        run.main()
