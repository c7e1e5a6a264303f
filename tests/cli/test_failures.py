"""When a command fails: exit codes, faults of the package, and text that is safe for a terminal."""

import io
import sys

import click
import polars as pl
import pytest

import peckorder as po
from peckorder import cli
from peckorder.cli import output, progress
from peckorder.cli.errors import failure

ROWS = "winner,loser\na,b\nb,c\na,c\n"
ESCAPE = "\x1b[2J"


@pytest.mark.parametrize("error", [IndexError("boom"), ValueError("boom"), KeyError("boom")])
def test_an_internal_error_asks_for_a_report(inside, sheet, monkeypatch, error):
    def broken(*_, **__):
        raise error

    monkeypatch.setattr("peckorder.orders.davids_score.win_counts", broken)
    done = inside("davids-score", sheet(ROWS))
    message = done.stderr.decode()
    assert done.returncode == 1
    assert f"unexpected internal error ({type(error).__name__}: " in message
    assert f"peckorder {po.__version__}" in message
    assert "Please report it" in message
    assert "PECKORDER_DEBUG=1" in message
    assert "Traceback" not in message


def test_the_traceback_on_request(inside, sheet, monkeypatch):
    monkeypatch.setattr("peckorder.orders.davids_score.win_counts", lambda *_, **__: [][1])
    path = sheet(ROWS)
    assert "Traceback" in inside("--debug", "davids-score", path).stderr.decode()
    monkeypatch.setenv("PECKORDER_DEBUG", "1")
    assert "IndexError: list index out of range" in inside("davids-score", path).stderr.decode()


def test_a_panic_of_another_package_is_an_internal_error(capsys):
    assert failure(pl.exceptions.PanicException("index out of bounds"), debug=False) == 1
    assert "unexpected internal error (PanicException" in capsys.readouterr().err


def test_exit_codes_of_our_errors(capsys):
    assert failure(po.DataError("one", "two"), debug=False) == 3
    assert capsys.readouterr().err == "Error: one\n\nError: two\n"
    assert failure(po.ArgumentError("wrong"), debug=False) == 2
    assert failure(po.ConvergenceError("no"), debug=False) == 1
    assert failure(MemoryError(), debug=False) == 1
    assert "not enough memory" in capsys.readouterr().err


def test_all_our_errors_have_one_base_and_their_usual_types():
    bases = {
        po.DataError: ValueError,
        po.ArgumentError: ValueError,
        po.ArgumentTypeError: TypeError,
        po.ConvergenceError: RuntimeError,
    }
    for error, usual in bases.items():
        assert issubclass(error, po.PeckorderError)
        assert issubclass(error, usual)


def test_names_never_reach_a_terminal_raw(inside, sheet):
    path = sheet(f"winner,loser\nAbe{ESCAPE},Bo\nBo,Cy\u202e\nCy\u202e,Bo\n")
    shown = inside("elo", path)
    assert ESCAPE not in shown.stdout.decode()
    assert r"Abe\x1b[2J" in shown.stdout.decode()
    assert r"Cy\u202e" in shown.stdout.decode()
    assert f"Abe{ESCAPE}," in inside("elo", path, "--format", "csv").stdout.decode()
    inside("elo", path, "-o", "r.csv")
    assert ESCAPE in (path.parent / "r.csv").read_text()
    for arguments in (
        ("elo", path, "--winner", ESCAPE),
        ("elo", f"none{ESCAPE}.csv"),
        (f"el{ESCAPE}",),
        ("elo", path, "--start", f"{ESCAPE}=1"),
        ("check", sheet(f"winner,loser\n{ESCAPE},{ESCAPE}\n", "self.csv")),
    ):
        done = inside(*arguments)
        assert done.returncode != 0
        assert ESCAPE not in (done.stdout + done.stderr).decode()
        assert r"\x1b[2J" in (done.stdout + done.stderr).decode()


def test_messages_in_python_are_safe_too():
    with pytest.raises(po.DataError) as error:
        po.read({"winner": [ESCAPE, "a"], "loser": [ESCAPE, "b"]})
    assert ESCAPE not in str(error.value)
    assert r"\x1b[2J" in str(error.value)


def test_progress_shows_names_as_they_are_and_safe(monkeypatch, capsys):
    monkeypatch.setattr(progress, "QUICK", 0.0)
    with progress.progress(f"{ESCAPE}[red]: fitting") as update:
        update(1, 2)
    assert capsys.readouterr().err.startswith(r"\x1b[2J[red]: fitting: 50%")


class Terminal(io.TextIOWrapper):
    def isatty(self) -> bool:
        return True


def test_files_on_a_terminal_are_made_safe_and_binary_ones_refused(monkeypatch):
    screen = Terminal(io.BytesIO(), encoding="utf-8")
    monkeypatch.setattr(sys, "stdout", screen)
    output.deliver(f"individual\nAbe{ESCAPE}\n".encode(), None)
    assert screen.buffer.getvalue() == b"individual\nAbe\\x1b[2J\n"
    with pytest.raises(click.UsageError, match="Parquet file cannot be shown on a terminal"):
        output.deliver(b"PAR1...", None)


def test_groups_with_different_columns(inside, sheet):
    """A column that is empty in one group is left out there, and blank in the table of all."""
    text = "winner,loser,group\n" + "a,b,x\nb,c,x\na,c,x\nc,a,x\nd,e,y\nd,e,y\n"
    for command in ("davids-score", "elo", "dyads", "indices", "linearity", "bradley-terry"):
        done = inside(command, sheet(text), "--by", "group")
        assert done.returncode == 0, done.stderr
    tables = {"x": pl.DataFrame({"a": [1], "b": [2]}), "y": pl.DataFrame({"a": [3]})}
    assert output.joined(tables, "group")["b"].to_list() == [2, None]


def test_no_unknown_dyads(inside, sheet):
    done = inside("unknown-dyads", sheet(ROWS))
    assert done.returncode == 0
    assert "Of 3 dyads, 0 have no contest" in done.stdout.decode()


def test_ten_millennia_are_a_wrong_date(inside, sheet):
    done = inside("stability", sheet("winner,loser,date\na,b,0001-01-01\nb,a,9999-12-31\n"))
    assert done.returncode == 3
    assert "span 3,652,059 days, from 0001-01-01 to 9999-12-31" in done.stderr.decode()


def test_a_period_that_ends_at_midnight():
    days = ["2001-01-01", "2001-01-02 10:00", "2001-01-02 12:00", "2001-01-03 12:00"]
    data = po.read({"winner": list("abaa"), "loser": list("bccc"), "date": days})
    assert po.plot.bump.data(po.elo(data))["until"].n_unique() > 1


def test_standard_input_is_read_once(inside):
    done = inside("elo", "-", "--presence", "-")
    assert done.returncode == 2
    assert "Standard input (-) is given twice" in done.stderr.decode()
    same = inside("check", "troop.xlsx", "--presence", "troop.xlsx")
    assert "--read presence_sheet=NAME" in same.stderr.decode()


def test_every_command_lists_the_option_for_tracebacks():
    assert "debug" in {param.name for param in cli.main.params}
