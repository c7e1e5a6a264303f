"""Arrays of wins with labeled axes."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import peckorder as po

WINS = np.array([[0, 1, 2], [3, 0, 4], [5, 6, 0]])
NAMES = ["Abby", "Bo", "Cy"]


def test_dimensions_say_who_won():
    axes = {"winner": NAMES, "loser": NAMES}
    array = xr.DataArray(WINS, dims=("winner", "loser"), coords=axes)
    for source, noted in ((array, False), (array.T, True)):
        data = po.read(source)
        assert data.individuals == tuple(NAMES)
        assert data.matrix().wins.tolist() == WINS.tolist()
        assert any("transposed" in note for note in data.report.notes) == noted
    wrong = xr.DataArray(WINS, dims=("winner", "victor"))
    with pytest.raises(po.DataError, match="both axes"):
        po.read(wrong)


def test_other_dimensions_and_missing_labels():
    plain = xr.DataArray(WINS)
    assert po.read(plain).individuals == ("1", "2", "3")
    half = xr.DataArray(WINS, dims=("i", "j"), coords={"i": NAMES})
    assert po.read(half).individuals == tuple(NAMES)
    blank = xr.DataArray(np.where(np.eye(3) > 0, np.nan, WINS), dims=("i", "j")).assign_coords(
        i=NAMES, j=NAMES
    )
    assert po.read(blank).matrix().wins.tolist() == WINS.tolist()
    shuffled = blank.isel(j=[2, 0, 1])
    assert po.read(shuffled).matrix().wins.tolist() == WINS.tolist()
    twins = xr.DataArray(WINS, dims=("i", "j"), coords={"i": NAMES, "j": ["a", "a", "b"]})
    with pytest.raises(po.DataError, match="a name of its own"):
        po.read(twins)


def test_cross_tables_of_pandas():
    contests = pd.DataFrame({"winner": ["a", "a", "b", "c"], "loser": ["b", "c", "d", "b"]})
    expected = po.read(contests).matrix()
    for table in (
        pd.crosstab(contests.winner, contests.loser),
        pd.crosstab(contests.loser, contests.winner),
        pd.crosstab(contests.winner, contests.loser, margins=True, margins_name="Total"),
    ):
        data = po.read(table)
        order = [data.individuals.index(name) for name in expected.individuals]
        assert data.matrix().wins[np.ix_(order, order)].tolist() == expected.wins.tolist()
        assert any("no row (no wins) or no column" in note for note in data.report.notes)
        assert isinstance(data.to_table(), pd.DataFrame)
