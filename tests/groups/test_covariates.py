"""Covariates of groups, from a second sheet."""

import polars as pl
import pytest

import peckorder as po
from peckorder.groups.pooling import column_of, with_covariates

GROUPS = pl.DataFrame({"group": ["a", "b", "2"], "value": [1.0, 2, 3]})


def test_columns_are_joined_by_group_or_by_the_name_of_its_column(sheet):
    path = sheet("troop,mass,value\n2,30,x\n a ,10,y\nb,20,z\nc,40,w\n")
    found = with_covariates(GROUPS, path, "troop")
    assert found.columns == ["group", "value", "mass", "value_2"]
    assert found["mass"].to_list() == [10, 20, 30]
    assert found["group"].to_list() == ["a", "b", "2"]
    assert with_covariates(GROUPS, None, "troop") is GROUPS
    assert with_covariates(GROUPS, {"group": ["a", "b", "2"], "x": [1, 2, 3]}, None)["x"].sum() == 6


def test_what_is_missing_is_named(sheet):
    with pytest.raises(po.DataError, match="no column group or troop"):
        with_covariates(GROUPS, {"herd": ["a"]}, "troop")
    with pytest.raises(po.DataError, match='no row for "2"'):
        with_covariates(GROUPS, {"group": ["a", "b"]}, None)
    with pytest.raises(po.DataError, match='"a" appears in several rows'):
        with_covariates(GROUPS, {"group": ["a", "b", "2", "a"]}, None)
    with pytest.raises(po.ArgumentTypeError, match="a file or a table"):
        with_covariates(GROUPS, 3, None)
    with pytest.raises(po.ArgumentError, match='no column "valeu". Did you mean "value"'):
        column_of(GROUPS, "valeu")
