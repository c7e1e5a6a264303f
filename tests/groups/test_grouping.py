"""Groups of a study: from contests, files, tables and mappings; bad rows stop their group only."""

import polars as pl
import pytest

import peckorder as po
from peckorder.groups.study import groups_of
from tests.many_groups import table


def test_contests_by_role_by_the_name_of_its_column_or_by_any_other_column():
    data = po.read(table().rename({"group": "troop"}).with_columns(site=pl.lit("N")), group="troop")
    for by in ("group", "troop"):
        found = groups_of(data, by, {})
        assert list(found.data) == [f"g{i}" for i in range(6)]
        assert len(found.data["g3"]) == 30
    assert list(groups_of(data, "site", {}).data) == ["N"]
    assert list(groups_of(data, None, {}).data) == ["all"]
    assert groups_of(data, "group", {}).data["g2"].hash == data.filter(group="g2").hash
    with pytest.raises(po.ArgumentError, match='by="herd".*Choose from: "group", "site"'):
        groups_of(data, "herd", {})
    with pytest.raises(po.ArgumentError, match="have been read already"):
        groups_of(data, "group", {"winner": "w"})


def test_one_row_at_fault_sets_its_group_aside_and_names_the_row(sheet):
    rows = [",".join((*row, "1")) for row in table().rows()]
    rows[70] = rows[70][:-1] + "1.5"  # row 72 of the file, in g2
    rows[100] = "," + rows[100].partition(",")[2]  # row 102, in g3
    path = sheet("winner,loser,group,count\n" + "\n".join(rows))
    with pytest.raises(po.DataError, match="Row 72"):
        po.read(path)
    found = groups_of(path, "group", {})
    assert list(found.refused) == ["g2", "g3"]
    assert "Row 72" in found.refused["g2"]
    assert "Row 102" in found.refused["g3"]
    assert list(found.data) == ["g0", "g1", "g4", "g5"]
    assert found.names == tuple(f"g{i}" for i in range(6))
    study = po.study(path, by="group", measures="linearity", executor=1, seed=1)
    assert study.table["status"].to_list() == ["complete"] * 2 + ["failed"] * 2 + ["complete"] * 2
    assert "Row 72" in study.table["reason"][2]
    assert study.table["contests"].to_list() == [30, 30, None, None, 30, 30]
    rows = [row.replace(",1", ",x") for row in rows]
    with pytest.raises(po.DataError, match="Row"):
        groups_of(sheet("winner,loser,group,count\n" + "\n".join(rows), "all.csv"), "group", {})


def test_a_file_without_the_column_is_refused_as_by_read(sheet):
    path = sheet("winner,loser\na,b\nb,c\nc,d\n")
    with pytest.raises(po.DataError, match='has no column "herd", given as by. Columns found'):
        po.study(path, by="herd", executor=1)


def test_files_matrices_and_tables_by_name(sheet, tmp_path):
    square = po.datasets.bonobos().matrix()
    square.to_table().write_csv(tmp_path / "m.csv")
    parts = {
        "contests": po.datasets.adv(),
        "matrix": square,
        "file": str(tmp_path / "m.csv"),
        "table": table(1),
        "missing": str(tmp_path / "none.csv"),
        "empty": str(sheet("winner,loser\n", "empty.csv")),
    }
    found = groups_of(parts, None, {})
    assert list(found.data) == ["contests", "matrix", "file", "table"]
    assert not found.data["matrix"].ordered
    assert len(found.data["file"]) == len(found.data["matrix"]) == square.wins.sum()
    assert "none.csv" in found.refused["missing"]
    assert found.names == tuple(parts)
    with pytest.raises(po.DataError, match="No group can be read"):
        groups_of({"a": str(tmp_path / "none.csv")}, None, {})


def test_a_mapping_of_columns_is_a_table():
    columns = table().to_dict(as_series=False)
    assert len(groups_of(columns, "group", {}).data) == 6


def test_notes_of_the_import_are_kept(sheet):
    path = sheet("winner,loser,group\na,b,x\nb,c,x\na,a,x\nb,a,x\n")
    found = groups_of(path, "group", {"self_contests": "drop"})
    assert any("dropped" in note for note in found.notes)
