"""Endings of tours: their tables are complete, and each says whose numbers they are."""

import pytest

from peckorder.app.tours import TOURS


@pytest.mark.parametrize("name", TOURS)
def test_tables_are_complete(visitor, name):
    state = visitor.example(name)
    ending = visitor.json(f"/api/tour/{name}", w=state["workspace"])["ending"]
    assert "200" in ending["source"] or "201" in ending["source"]  # a paper
    for table in (ending, *ending.get("more", [])):
        assert all(len(row) == len(table["columns"]) for row in table["rows"])
    printed = [row[0] for row in ending["paper"]]
    assert printed == [row[0] for row in ending["rows"]]


@pytest.mark.parametrize("name", ["takeover", "season"])
def test_simulated_contests_are_called_so(visitor, name):
    state = visitor.example(name)
    ending = visitor.json(f"/api/tour/{name}", w=state["workspace"])["ending"]
    assert "simulated" in ending["source"]
