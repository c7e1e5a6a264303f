"""peckorder explain."""

import json

import peckorder as po

ADV = po.datasets.CATALOGUE["adv"].path


def test_words_numbers_and_flags_of_elo(inside):
    done = inside("explain", ADV, "--contest", "2", "--k", "200", "--curve", "table")
    assert done.returncode == 0
    printed = done.stdout.decode()
    assert "c beat g" in printed
    assert "200 × (1 − 0.360) = +128.0 points" in printed
    assert [line.split()[:3] for line in printed.splitlines() if "winner" in line] == [
        ["winner", "c", "1"]
    ]
    answer = json.loads(inside("explain", ADV, "--contest", "2", "--format", "json").stdout)
    assert answer["result"]["contest"] == 2
    assert answer["settings"]["k"] == 100


def test_a_number_beyond_the_last(inside):
    done = inside("explain", ADV, "--contest", "99")
    assert done.returncode == 2
    assert b"--contest 99 does not exist: contests are numbered from 1 to 33" in done.stderr


def test_the_column_of_contests_has_another_flag(inside, sheet):
    sheet("bout\nA > B\nB > C\n", "arrows.csv")
    done = inside("explain", "arrows.csv", "--read", "contest=bout", "--contest", "2")
    assert done.stdout.decode().startswith("Contest 2: B beat C.")
