"""Every verb takes what `read` takes: files, tables, arrays and mappings of groups."""

import numpy as np
import pytest

import peckorder as po


@pytest.fixture(scope="module")
def table():
    return po.datasets.adv().to_table()


def test_ratings_of_files_and_tables_are_those_of_what_is_read(table, tmp_path):
    table.write_csv(tmp_path / "c.csv")
    table.write_excel(tmp_path / "c.xlsx")
    expected = dict(po.elo(po.datasets.adv(), k=200).items())
    sources = (table, table.to_pandas(), table.to_dict(as_series=False))
    for source in (tmp_path / "c.csv", str(tmp_path / "c.xlsx"), *sources):
        assert dict(po.elo(source, k=200).items()) == expected
    assert type(po.elo(table.to_pandas()).table).__module__.startswith("pandas")


def test_matrices_as_arrays_and_lists_of_contests():
    matrix = po.datasets.bonobos()
    found = (
        po.steepness(one, runs=20, seed=1).value for one in (matrix, np.array(matrix.matrix().wins))
    )
    assert next(found) == next(found)
    assert list(po.davids_score([("a", "b"), ("b", "c"), ("a", "c")])) == ["a", "b", "c"]


def test_a_mapping_of_columns_is_no_mapping_of_groups(table):
    columns = table.to_dict(as_series=False)
    groups = po.dynamic({"one": columns, "other": table}, samples=20, seed=1)
    assert list(groups) == ["one", "other"]
    assert isinstance(po.dynamic(columns, samples=20, seed=1), po.Ratings)


def test_figures_and_reports_take_files(table, tmp_path):
    table.write_csv(tmp_path / "c.csv")
    assert po.plot.matrix.data(tmp_path / "c.csv").height == 42
    with pytest.raises(po.ArgumentTypeError, match=r"Pass, for example, po.elo\(data\)"):
        po.plot.trajectories(tmp_path / "c.csv")


@pytest.mark.parametrize("verb", [po.elo, po.elo_ml, po.steepness, po.tune])
@pytest.mark.parametrize("wrong", [3, None])
def test_what_nothing_reads_is_refused(verb, wrong):
    with pytest.raises(po.ArgumentTypeError, match=r"read"):
        verb(wrong)
