"""The header below titles, headers of two rows, and rows that are not clearly one."""

import csv
import io
import random

import pytest

import peckorder as po
from peckorder.data.headings import Wanted, find_header, header_rows, joined

ROWS = "Abe,Bo\nBo,Cy\n"


@pytest.mark.parametrize(
    "above",
    [
        "Field notes\n",
        "Field notes\n\n",
        "# made with a logger\n# version 2\n",
        '"Field notes, 2019"\n',
        "Observer;JB\nSite;North\n",
        "Observer,JB\n\nLegend,,x = tie\n",
    ],
)
def test_titles_above_the_header(sheet, above):
    data = po.read(
        sheet(f"{above}date,winner,loser\n2019-01-01,Abe,Bo\n2019-01-02,Cy,Cy\n"), **DROP
    )
    row = above.count("\n") + 1
    assert data.rows.tolist() == [row + 1]
    assert data.report.notes == (
        f"Row {row} was read as the header; the rows above it were skipped. Choose another with "
        f"header=.",
    )


DROP = {"self_contests": "drop"}


def test_no_note_where_the_header_comes_first(sheet):
    for text in (
        f"winner,loser\n{ROWS}",
        f"\n\nwinner,loser\n{ROWS}",
        f"sep=,\nwinner,loser\n{ROWS}",
    ):
        assert po.read(sheet(text)).report.notes == ()


def test_row_numbers_count_every_line(sheet):
    data = po.read(sheet(f"sep=;\nTitle\n\nwinner;loser\n{ROWS.replace(',', ';')}"))
    assert data.rows.tolist() == [5, 6]


def test_rows_above_that_could_be_data_are_not_skipped(sheet):
    path = sheet("Abe,Bo\nwinner,loser\nBo,Cy\n")  # as after sorting the sheet with its header
    with pytest.raises(po.DataError) as error:
        po.read(path)
    assert str(error.value) == (
        "x.csv: row 2 has the column names, but row 1 above it has cells in the same columns "
        '("Abe" and "Bo"). If the rows above are not data, skip them with header=2; otherwise move '
        "the header to the first row."
    ).replace("x.csv", path.name)
    assert len(po.read(path, header=2)) == 1


def test_columns_given_by_name_are_searched_too(sheet):
    path = sheet("Notes\nboss,underling\nAbe,Bo\n")
    assert len(po.read(path, winner="boss", loser="underling")) == 1
    with pytest.raises(po.DataError, match="If the column names are in another row, give it with"):
        po.read(path)
    games = sheet("League\nhome,away,fthg,ftag\nA,B,2,1\n")
    assert po.read(games).report.kind == "games"
    votes = sheet("Survey\na,b,outcome\nA,B,a\n")
    assert po.read(votes).report.kind == "votes"


@pytest.mark.parametrize(
    ("top", "bottom", "labels"),
    [
        (["Date", "Winner", "", "Loser", ""], ["", "ID", "Sex", "ID", "Sex"], "Winner ID"),
        (["Winner", "", "Loser", ""], ["id", "rank", "id", "rank"], "Winner id"),
        (
            ["When", "Winner", "", "Loser", ""],
            ["Date", "Name", "Age", "Name", "Age"],
            "Winner Name",
        ),
    ],
)
def test_headers_of_two_rows(sheet, top, bottom, labels):
    row = ["2019-01-01", "Abe", "f", "Bo", "m"][-len(top) :]
    text = "Title\n" + "".join(",".join(cells) + "\n" for cells in (top, bottom, row))
    data = po.read(sheet(text))
    assert data.report.columns["winner"] == labels
    assert data.individuals == ("Abe", "Bo")
    assert data.rows.tolist() == [4]
    assert data.report.notes[0].startswith("Rows 2 and 3 were read as one header: ")
    again = po.read(sheet(text), header="2-3")
    assert again.report.columns == data.report.columns
    assert again.report.notes == ()


def test_a_first_contest_is_not_part_of_the_header(sheet):
    data = po.read(sheet("winner,loser,\nid,id2,x\nAbe,Bo,\n"))
    assert data.individuals == ("id", "id2", "Abe", "Bo")
    with pytest.raises(po.DataError, match='winner and loser are both "id"'):
        po.read(sheet("winner,loser\nid,id\nAbe,Bo\n"))


def test_joined_labels():
    assert joined(["A", None, "B"], ["x", "y", None]) == ["A x", "A y", "B"]
    assert joined(["Date", None], [None, "Time"]) == ["Date", "Time"]
    assert joined(["Winner"], ["winner"]) == ["Winner"]


def test_a_matrix_below_a_title(sheet):
    data = po.read(sheet("Wins in 2019\n\n,a,b,c\na,0,1,2\nb,3,0,1\nc,0,0,0\n"))
    assert data.matrix().wins.tolist() == [[0, 1, 2], [3, 0, 1], [0, 0, 0]]


@pytest.mark.parametrize("header", [0, -1, "x", "3-5", "4-3", (1, 2, 3), [], 1.5, True])
def test_headers_that_are_no_rows(sheet, header):
    with pytest.raises(ValueError, match="give the row number of the column names, from 1"):
        po.read(sheet("winner,loser\nAbe,Bo\n"), header=header)
    assert header_rows((3, 4)) == header_rows("3-4")


def test_a_table_without_column_names(sheet):
    path = sheet("Abe,Bo\nBo,Cy\nCy,Abe\n")
    with pytest.raises(po.DataError, match='header="none", winner="column 1" and loser="column 2"'):
        po.read(path)
    data = po.read(path, header="none", winner="column 1", loser="column 2")
    assert data.to_table().rows() == [("Abe", "Bo"), ("Bo", "Cy"), ("Cy", "Abe")]
    assert data.row_of([0, 2]).tolist() == [1, 3]
    arrows = po.read(sheet("Abe > Bo\nCy > Bo\n"))
    assert arrows.to_table().rows() == [("Abe", "Bo"), ("Cy", "Bo")]


def test_the_header_at_the_shell(inside, tmp_path):
    text = "Title\nWinner,,Loser,\nid,sex,id,sex\nAbe,f,Bo,m\n"
    (tmp_path / "x.csv").write_text(text)
    done = inside("check", "x.csv", "--read", "header=2-3")
    assert b"Winner id   winner" in done.stdout
    done = inside("check", "x.csv")
    assert "To use one row only, give it with --read header=…." in done.stdout.decode()


def plain_reader(text, separator):
    """Row and pair of every contest below the line with winner and loser."""
    lines = list(csv.reader(io.StringIO(text), delimiter=separator))
    start = next(i for i, cells in enumerate(lines) if "winner" in cells)
    places = [lines[start].index(name) for name in ("winner", "loser")]
    below = enumerate(lines[start + 1 :], start + 2)
    return [(i, *(cells[place] for place in places)) for i, cells in below if any(cells)]


@pytest.mark.parametrize("seed", range(20))
def test_text_as_a_plain_reader_reads_it(sheet, seed):
    rng = random.Random(seed)
    separator, end = rng.choice(",;\t|"), rng.choice(["\n", "\r\n"])
    lines = [["Zoë's notes"], [], ["Site: North"]][: rng.randint(0, 3)]
    columns = rng.sample(["winner", "loser", "remark", "place"], 4)
    lines.append(columns)
    for _ in range(rng.randint(1, 30)):
        pair = rng.sample(["Abe", "Bo", "Zoë", "Müller; A", 'Li, "Jr"', "O'Neil"], 2)
        cells = {"winner": pair[0], "loser": pair[1], "remark": rng.choice(["", "a b"])}
        lines.append([cells.get(column, "") for column in columns])
    file = io.StringIO()
    csv.writer(file, delimiter=separator, lineterminator=end).writerows(lines)
    encoding = rng.choice(["utf-8", "utf-8-sig", "utf-16", "cp1252"])
    data = po.read(sheet(file.getvalue().encode(encoding)))
    found = data.to_table()
    rows = zip(data.rows.tolist(), found["winner"], found["loser"], strict=True)
    assert list(rows) == plain_reader(file.getvalue(), separator)


def test_only_the_first_rows_are_searched():
    rows = [[f"note {i}", None] for i in range(60)]
    assert find_header([*rows, ["winner", "loser"]], Wanted()) is None
    assert find_header([*rows[:40], ["winner", "loser"]], Wanted()).first == 40
    assert find_header([["winner", "loser"]], Wanted(refused=frozenset({"loser"}))) is None
    assert find_header([["winner", "loser"]], Wanted(kind="games")) is None
