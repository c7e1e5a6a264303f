"""Commands that return orders and measures: formats, fields, seeds and errors."""

import json

import numpy as np
import pytest

import peckorder as po

BONOBOS = po.datasets.CATALOGUE["bonobos"].path
ADV = po.datasets.CATALOGUE["adv"].path
# verb: (columns of the table, values), as documented
FIELDS = {
    "davids-score": ("individual w w2 l l2 ds normds rank", ""),
    "isi": (
        "individual rank mean_rank",
        "value strength proved lower_bound orders orders_exact inconsistent",
    ),
    "bradley-terry": (
        "individual ability se component rank",
        "log_likelihood components penalized",
    ),
    "randomized-elo": (
        "individual rating rating_sd rank rank_low rank_high",
        "repeatability split runs",
    ),
    "adagio": (
        "individual level dominates dominated_by rank",
        "levels comparable dyads removed edges",
    ),
    "dominance-value": (
        "individual displacements displaced dominated subordinate_to value class rank",
        "unknown",
    ),
    "network": (
        "individual rank wins losses dominates dominated_by tied unknown",
        "dyads known tied unknown upward density edges",
    ),
    "period-ranks": (
        "period individual score rank standardized_rank newcomer change active_change",
        "individuals number_of_periods active_share periods",
    ),
    "compare": ("individual elo randomized_elo davids_score isi bradley_terry", "spearman kendall"),
    "steepness": (
        "individual rank normds fitted",
        "value intercept expected p p_less p_error runs",
    ),
    "linearity": (
        "individual dominated rank",
        "value h expected p p_less kendall_k circular_triads p_kendall exact unknown tied runs",
    ),
    "transitivity": ("", "value pt triads expected p runs"),
    "consistency": ("", "value phi p p_phi"),
    "order-test": ("", "value p p_error runs contests ties repeats bouts"),
    "stability": ("", "value unweighted rule steps"),
    "repeatability": ("", "value runs"),
    "splitting": ("", "value low high in_order runs"),
    "indices": (
        "individual proportion adi dominated clutton_brock expected_beaten rank",
        "upward_steepness",
    ),
    "hierarchy-shape": ("rank_difference contests value low high", "value"),
    "dyads": ("a b a_wins b_wins contests relation dominant", "dyads unknown tied one_way two_way"),
    "reversals": ("a b dominant_before dominant_after reversed", "value reversals compared"),
    "unknown-dyads": ("a b", "value unknown dyads"),
}


@pytest.mark.parametrize("verb", FIELDS)
def test_json_holds_the_documented_fields(inside, verb):
    more = ["--at", "2010-01-15"] if verb == "reversals" else []
    done = inside(verb, ADV, "--read", "time=", "--format", "json", *more)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout, parse_constant=pytest.fail)
    assert list(said) == ["method", "settings", "result", "provenance"]
    assert said["method"] == verb.replace("-", "_")
    columns, values = (set(names.split()) for names in FIELDS[verb])
    assert values <= set(said["result"])
    table = said["result"]["table"]
    assert (set(table[0]) >= columns) if columns else table == []
    random = {"runs"} <= set(said["settings"]) and not said["result"].get("exact")
    assert (said["provenance"]["seed"] is not None) == random
    assert (b"Seed: " in done.stderr) == random
    assert said["provenance"]["citation"] or verb == "reversals"


def test_the_shell_gives_what_the_library_gives(inside):
    done = inside(
        "steepness",
        BONOBOS,
        "--seed",
        "3",
        "--runs",
        "500",
        "--index",
        "pij",
        "--null",
        "binomial",
        "--format",
        "json",
    )
    expected = po.steepness(po.datasets.bonobos(), seed=3, runs=500, index="pij", null="binomial")
    assert json.loads(done.stdout) == json.loads(json.dumps(expected.to_dict()))


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("scores.csv", "individual,w,w2,l,l2,ds,normds,rank"),
        ("scores.tsv", "individual\tw\tw2\tl\tl2\tds\tnormds\trank"),
        ("scores.json", "{"),
        ("scores.txt", " individual      w     w2      l      l2       ds   normds   rank"),
    ],
)
def test_files(inside, tmp_path, name, first):
    done = inside("davids-score", BONOBOS, "-o", name)
    assert done.returncode == 0
    assert f"Wrote {name}." in done.stderr.decode()
    assert (tmp_path / name).read_text(encoding="utf-8").splitlines()[0] == first


def test_a_measure_without_a_table_is_written_as_one_row(inside):
    done = inside("consistency", BONOBOS, "--seed", "1", "--format", "csv")
    header, row = done.stdout.decode().splitlines()
    assert header.startswith("value,phi,p,p_phi")
    assert row.startswith("0.947368")


def test_summary_and_values_on_the_screen(inside):
    said = inside("compare", ADV, "--read", "time=", "--k", "200", "--seed", "1").stdout.decode()
    assert "spearman" in said
    assert "no evidence that ranks changed" in said
    said = inside("bradley-terry", ADV, "--read", "time=")
    assert "higher component: {b, c} > {d} > {a, e, f, g}" in said.stdout.decode()
    assert said.stderr == b""  # the warning stands below the table, and once
    said = inside("bradley-terry", ADV, "--read", "time=", "--format", "csv")
    assert b"Warning: The individuals form 3 components" in said.stderr
    penalized = inside("bradley-terry", ADV, "--read", "time=", "--penalized", "--prior-sd", "1")
    assert b"penalized: yes" in penalized.stdout


def test_some_methods_compared(inside):
    said = inside(
        "compare",
        BONOBOS,
        "--methods",
        "isi,davids_score",
        "--format",
        "csv",
        "--seed",
        "1",
    )
    assert said.stdout.splitlines()[0] == b"individual,isi,davids_score,rank"


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["steepness", BONOBOS, "--runs", "0"], 2, "--runs 0: give a whole number of at least 1"),
        (["steepness", BONOBOS, "--index", "q"], 2, "'q' is not one of 'dij', 'pij', 'binomial'"),
        (["linearity", "two.csv"], 3, "requires at least 3"),
        (["transitivity", "star.csv"], 3, "No three individuals"),
        (["bradley-terry", "apart.csv"], 3, "{a, b}; {c, d}"),
        (["isi", BONOBOS, "--time-limit", "-1"], 2, "seconds of at least 0"),
        (["isi", "nofile.csv"], 2, "File not found: nofile.csv"),
        (["reversals", ADV], 2, "Missing option '--at'"),
        (["davids-score", "draws.csv"], 3, "All contests are draws"),
        (["davids-score", "draws.csv", "-o", "draws.csv"], 2, "is given twice"),
        (["stability", BONOBOS], 3, "Stability needs contests in order"),
        (["compare", BONOBOS, "--methods", "elo"], 2, "Choose other methods"),
        (["linearity", BONOBOS, "--threads", "0"], 2, "--threads 0: give"),
        (["percolation", "two.csv"], 3, "for example --alpha 10"),
        (["percolation", BONOBOS, "--time-limit", "-1"], 2, "seconds of at least 0"),
        (["network", BONOBOS, "--edges", BONOBOS], 2, "is given twice"),
        (["network", BONOBOS, "--by", "x", "--graphml", "x.graphml"], 2, "cannot be combined"),
        (["period-ranks", BONOBOS], 3, "a matrix cannot be divided into periods"),
        (["period-ranks", ADV, "--per", "decade"], 2, "--per decade is not known"),
        (["period-ranks", ADV, "--convention", "age"], 2, "--convention age needs --traits"),
        (["period-ranks", ADV, "--method", "reorder"], 2, "--initial or --convention"),
        (["period-ranks", "two.csv"], 3, "--per year needs calendar dates"),
    ],
)
def test_errors_and_exit_codes(inside, sheet, arguments, code, message):
    sheet("winner,loser\na,b\nb,a\n", "two.csv")
    sheet("winner,loser\na,b\na,c\n", "star.csv")
    sheet("winner,loser\na,b\nb,a\nc,d\nd,c\n", "apart.csv")
    sheet("winner,loser,draw\na,b,1\n", "draws.csv")
    done = inside(*arguments)
    assert done.returncode == code, done.stderr
    assert message in done.stderr.decode()
    assert b"Traceback" not in done.stderr


def test_each_group_on_its_own(inside, sheet):
    rows = [f"{g},{w},{b}" for g in ("x", "y") for w, b in ("ab", "bc", "ac", "ab")]
    sheet("troop,winner,loser\n" + "\n".join([*rows, "z,a,b"]) + "\n", "troops.csv")
    done = inside("davids-score", "troops.csv", "--by", "troop", "--format", "csv")
    lines = done.stdout.decode().splitlines()
    assert lines[0] == "troop,individual,w,w2,l,l2,ds,normds,rank"
    assert [line.split(",")[0] for line in lines[1:]] == ["x"] * 3 + ["y"] * 3 + ["z"] * 2
    done = inside("linearity", "troops.csv", "--by", "troop", "--seed", "1", "--format", "json")
    said = json.loads(done.stdout)
    assert [group["troop"] for group in said["result"]["groups"]] == ["x", "y"]
    assert said["result"]["groups"][0]["h"] == 1
    assert said["settings"]["by"] == "troop"
    assert b"Note: z was omitted: There are only 2 individuals" in done.stderr
    table = inside("steepness", "troops.csv", "--by", "troop", "--seed", "1").stdout.decode()
    assert table.splitlines()[0].split()[:3] == ["troop", "value", "intercept"]
    pooled = inside("davids-score", "troops.csv", "--group", "troop")
    assert b"Warning: troop: 3 groups are pooled in one ranking" in pooled.stderr
    refused = inside("linearity", "troops.csv", "--by", "winner")
    assert refused.returncode == 3


def test_percolation_at_the_shell(inside):
    done = inside("percolation", BONOBOS, "--format", "json", "--max-length", "2", "--alpha", "9")
    found = po.orders.percolation(po.datasets.bonobos(), max_length=2, alpha=9)
    assert json.loads(done.stdout) == json.loads(json.dumps(found.to_dict()))


@pytest.mark.parametrize(
    "verb", ["adagio", "percolation", "dominance-value", "network", "period-ranks"]
)
def test_further_methods_by_group(inside, sheet, verb):
    rows = [f"{g},{w},{b}" for g in ("x", "y") for w, b in ("ab", "bc", "ac", "ab")]
    dated = [f"{row},2020-01-{day + 1:02d}" for day, row in enumerate(rows)]
    sheet("troop,winner,loser,date\n" + "\n".join(dated) + "\n", "troops.csv")
    done = inside(verb, "troops.csv", "--by", "troop", "--format", "json")
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert [group["troop"] for group in said["result"]["groups"]] == ["x", "y"]
    for group in said["result"]["groups"]:
        ranks = {row["individual"]: row["rank"] for row in group["table"]}
        assert ranks == {"a": 1, "b": 2, "c": 3}
    table = inside(verb, "troops.csv", "--by", "troop", "--format", "csv").stdout.decode()
    assert table.splitlines()[0].startswith("troop,")
    assert len(table.splitlines()) == 7


def test_edges_and_graphml_of_a_network_are_written(inside, tmp_path, sheet):
    done = inside(
        "network", BONOBOS, "--edges", "e.csv", "--graphml", "n.graphml", "--order", "isi"
    )
    assert done.returncode == 0, done.stderr
    data = po.datasets.bonobos()
    found = po.orders.network(data, order=po.isi(data))
    edges = (tmp_path / "e.csv").read_text(encoding="utf-8").splitlines()
    assert len(edges) == 22
    assert edges[0].startswith("dominant,subordinate,wins,losses,net,relation")
    assert (tmp_path / "n.graphml").read_text(encoding="utf-8") == found.graphml()
    sheet("troop,winner,loser\nx,a,b\ny,a,b\n", "troops.csv")
    inside("network", "troops.csv", "--by", "troop", "--edges", "both.csv")
    assert (tmp_path / "both.csv").read_text(encoding="utf-8").splitlines()[1:] == [
        "x,a,b,1,0,1,dominates,1.0,false",
        "y,a,b,1,0,1,dominates,1.0,false",
    ]


def test_periods_initial_ranks_and_traits_at_the_shell(inside, sheet, tmp_path):
    rows = ["1990-05-01,kb,dj", "1990-06-01,dj,03", "1990-07-01,03,kip"]
    rows += ["1991-05-01,kb,ele", "1991-06-01,03,kip", "1991-07-01,kb,03"]
    sheet("date,winner,loser\n" + "\n".join(rows) + "\n", "hyenas.csv")
    sheet("individual,mother\nele,kb\nkip,\n", "mothers.csv")
    done = inside(
        "period-ranks",
        "hyenas.csv",
        *("--initial", "kb, dj,03,kip", "--convention", "maternal", "--traits", "mothers.csv"),
        *("--format", "csv", "--periods", "p.csv"),
    )
    assert done.returncode == 0, done.stderr
    lines = [line.split(",") for line in done.stdout.decode().splitlines()]
    assert [line[1] for line in lines if line[0] == "1991"] == ["kb", "ele", "03", "kip"]
    assert (tmp_path / "p.csv").read_text(encoding="utf-8").splitlines()[1].startswith("1990,")
    dates = inside("period-ranks", "hyenas.csv", "--per", "1990-01-01, 1990-06-15,1991-01-01")
    assert b"in 3 periods, from 1990-01-01 to 1991-01-01." in dates.stdout
    sheet("winner,loser\na,b\nb,c\na,c\n", "numbered.csv")
    numbers = inside("period-ranks", "numbered.csv", "--per", "1,3", "--format", "json")
    assert json.loads(numbers.stdout)["result"]["number_of_periods"] == 2


def test_initial_ranks_of_several_groups(inside, sheet):
    rows = ["x,2020-01-01,a,b", "x,2020-01-02,b,a", "y,2020-01-01,c,d", "y,2020-01-02,d,c"]
    sheet("troop,date,winner,loser\n" + "\n".join(rows) + "\n", "troops.csv")
    flags = ("--by", "troop", "--method", "reorder", "--initial", "b,c,a,d")
    done = inside("period-ranks", "troops.csv", *flags)
    assert done.returncode == 0, done.stderr
    first = [line.split()[2] for line in done.stdout.decode().splitlines()[2:6]]
    assert first == ["b", "a", "c", "d"]
    wrong = inside("period-ranks", "troops.csv", "--by", "troop", "--initial", "b,e")
    assert wrong.returncode == 2
    assert b'"e" is not among the individuals' in wrong.stderr


def test_presence_is_read_with_a_note(inside, sheet):
    sheet("winner,loser,date\na,b,2020-01-01\nb,c,2020-01-05\n", "seen.csv")
    done = inside("unknown-dyads", "seen.csv", "--presence", "inferred")
    assert done.returncode == 0, done.stderr
    assert "co_resident: 0" in done.stdout.decode()
    assert (
        "Of 3 dyads, 1 has no contest (33%); of the 2 ever present together, 0."
        in done.stdout.decode()
    )


def test_values_not_in_the_file_are_printed(inside, tmp_path):
    """A CSV file contains the table; values and summary are printed."""
    done = inside("linearity", BONOBOS, "-o", "linearity.csv")
    assert (tmp_path / "linearity.csv").read_text().startswith("individual,dominated,score,rank")
    assert "value: 0.85714" in done.stderr.decode()
    assert "Linearity h′ = 0.857" in done.stderr.decode()


def test_long_lists_are_abbreviated_on_the_screen(inside, tmp_path):
    rng = np.random.default_rng(1)
    wins = rng.integers(0, 4, (19, 19))
    np.fill_diagonal(wins, 0)
    po.Matrix(tuple(f"n{i}" for i in range(19)), wins).to_table().write_csv(tmp_path / "m.csv")
    said = inside("isi", "m.csv").stdout.decode()
    number = int(said.split("value: ")[1].split()[0])
    assert number > 20
    assert f"… and {number - 20} more: see --format json" in said


@pytest.mark.parametrize(("form", "name"), [("parquet", "x.xlsx"), ("csv", "x.parquet")])
def test_a_format_that_does_not_fit_the_name_of_the_file(inside, tmp_path, form, name):
    done = inside("dyads", ADV, "--format", form, "-o", name)
    assert done.returncode == 2
    said = done.stderr.decode()
    assert f"--format {form} does not fit the name {name}. Omit --format" in said
    assert f"call the file x.{form}" in said
    assert not (tmp_path / name).exists()
