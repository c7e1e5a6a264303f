"""Nobody gets in: what a hostile page, a hostile file and a hostile visitor try."""

import asyncio
import gzip
import hashlib
import io
import json
import pickle
import struct
import time
import zipfile

import pytest

from peckorder.app.security import HEADERS, Guard, Limits, hosts_of
from peckorder.app.uploads import stored
from tests.app.visitor import ADDRESS, MESSY, csv_of, visiting

MARKUP = '<img src=x onerror="alert(1)">'
FORMULA = '=HYPERLINK("http://evil.example","x")'
SMALL = Limits(upload=200_000, body=20_000)


# -- who asks --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "host",
    [
        "evil.example:8000",
        "127.0.0.1",
        "127.0.0.1:80",
        "127.0.0.1:8000.evil.example",
        "0.0.0.0:8000",
    ],
)
def test_another_host_as_after_dns_rebinding(visitor, host):
    assert visitor.client.get("/api/hello", headers={"host": host}).status_code == 421
    assert visitor.client.get("/api/hello").status_code == 200


def test_no_host_and_two_hosts(visitor):
    for headers in ([], [(b"host", b"127.0.0.1:8000"), (b"host", b"evil.example")]):
        assert _status(visitor.app.guard, headers) == 421
    assert _status(visitor.app.guard, [(b"host", b"127.0.0.1:8000")]) == 403  # no cookie


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "null",
        "https://127.0.0.1:8000",
        "http://127.0.0.1:8001",
        "http://127.0.0.1:8000.evil.example",
    ],
)
def test_a_fetch_of_another_origin(visitor, origin):
    answer = visitor.client.post("/api/example/adv", headers={"origin": origin})
    assert answer.status_code == 403
    assert len(visitor.app.workspaces.known) == 0
    assert visitor.client.post("/api/example/adv", headers={"origin": ADDRESS}).status_code == 200


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_a_cross_site_fetch_without_origin(visitor, site):
    assert visitor.client.get("/api/hello", headers={"sec-fetch-site": site}).status_code == 403
    own = visitor.client.get("/api/hello", headers={"sec-fetch-site": "same-origin"})
    assert own.status_code == 200


def test_a_form_of_another_page(visitor):
    state = visitor.example()
    form = {"content-type": "application/x-www-form-urlencoded"}
    foreign = form | {"origin": "http://evil.example"}
    where = f"/api/undo?w={state['workspace']}"
    assert visitor.client.post(where, content="rev=0", headers=foreign).status_code == 403
    # A form cannot send JSON, so that it changes nothing even without an origin.
    assert visitor.client.post(where, content='{"rev":0}', headers=form).status_code == 400


@pytest.mark.parametrize("origin", ["http://evil.example", ADDRESS])
def test_websockets_are_not_accepted(visitor, origin):
    headers = [*_own(visitor), (b"origin", origin.encode())]
    said = _said(visitor.app.guard, {"type": "websocket", "headers": headers})
    assert [message["type"] for message in said] == ["websocket.close"]
    upgrade = {"connection": "upgrade", "upgrade": "websocket"}
    assert visitor.client.get("/api/hello", headers=upgrade).status_code == 403


@pytest.mark.parametrize(
    "path", ["/", "/index.html", "/api/hello", "/api/state", "/take/work.zip", "/nothing"]
)
def test_nothing_without_the_cookie(tmp_path, path):
    with visiting(tmp_path, cookie=False) as stranger:
        assert stranger.get(path).status_code == 403


def test_wrong_old_and_foreign_tokens(tmp_path):
    with visiting(tmp_path, cookie=False) as stranger, visiting(tmp_path, cookie=False) as other:
        right = stranger.app.guard.token
        for token in (
            "",
            "x",
            right[:-1],
            right + "x",
            right.swapcase(),
            other.app.guard.token,
            stranger.app.guard.session,
        ):
            answer = stranger.get("/", token=token)
            assert answer.status_code == 403
            assert "set-cookie" not in answer.headers
        assert stranger.client.get(f"/?token={right}&next=http://evil.example").status_code == 403
        assert stranger.client.get(f"/api/hello?token={right}").status_code == 403


def test_cookies_of_other_servers(tmp_path):
    with visiting(tmp_path, cookie=False) as stranger:
        guard = stranger.app.guard
        for cookie in (
            f"peckorder-8001={guard.session}",
            f"{guard.cookie}={guard.token}",
            f"{guard.cookie}={guard.session}x",
            f"{guard.cookie}=",
            f"{guard.cookie}=x; {guard.cookie}={guard.session}",
        ):
            assert stranger.client.get("/api/hello", headers={"cookie": cookie}).status_code == 403
        right = {"cookie": f"other=1; {guard.cookie}={guard.session}"}
        assert stranger.client.get("/api/hello", headers=right).status_code == 200


def test_the_token_leaves_the_address_and_the_cookie_is_out_of_reach(tmp_path):
    with visiting(tmp_path, cookie=False) as stranger:
        answer = stranger.get("/", token=stranger.app.guard.token)
        assert (answer.status_code, answer.headers["location"]) == (303, "/")
        cookie = answer.headers["set-cookie"]
        assert all(part in cookie for part in ("HttpOnly", "SameSite=Strict", "peckorder-8000="))
        assert stranger.app.guard.token not in cookie


@pytest.mark.parametrize("method", ["PUT", "TRACE", "OPTIONS", "PROPFIND"])
def test_methods_that_nobody_uses(visitor, method):
    assert visitor.client.request(method, "/api/hello").status_code == 405


def test_workspaces_and_jobs_of_others(visitor):
    one, other = visitor.example(), visitor.example()
    assert visitor.get("/api/state", w=one["workspace"][:-1] + "g").status_code == 404
    assert visitor.get("/api/state", w="").status_code == 404
    visitor.app.workspaces.known[one["workspace"]].results["a" * 16] = {"ask": "isi"}
    path = f"/api/results/{'a' * 16}"
    assert visitor.get(path, w=other["workspace"]).status_code == 404
    job = visitor.ask(one, "enough", runs=10_000).json()["job"]
    foreign, own = (
        visitor.client.delete(f"/api/jobs/{job}", params={"w": state["workspace"]})
        for state in (other, one)
    )
    assert (foreign.status_code, own.json()["state"]) == (404, "cancelled")


# -- names and files -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "../../evil.csv",
        "..\\..\\evil.csv",
        "/etc/passwd",
        "C:\\windows\\evil.csv",
        "a\0b.csv",
        "....//x.csv",
        "x" * 5000 + ".csv",
        ".",
        "..",
        "con/../evil.csv",
    ],
)
def test_names_of_uploads_are_not_paths(tmp_path, name):
    home = tmp_path / "home"
    home.mkdir()
    with visiting(home) as visitor:
        state = visitor.upload("winner,loser\na,b\nb,c\na,c\n", name)
        space = visitor.app.workspaces.known[state["workspace"]]
        assert space.record.path.resolve().is_relative_to(home)
        assert len(space.record.path.relative_to(home).parts) == 2
        assert not set("/\\") & set(state["record"]["name"])
    assert [path.name for path in tmp_path.iterdir()] == ["home"]


@pytest.mark.parametrize(
    "path",
    [
        "/../server.py",
        "/%2e%2e/server.py",
        "/..%2fserver.py",
        "/css/../../guard.py",
        "//etc/passwd",
        "/report/../../app/guard.py",
        "/take/table/..%2f..%2fwork.csv",
        "/take/figure/../x.pdf",
        "/api/example/..%2f..%2fadv",
        "/take/script.py%00.sh",
    ],
)
def test_paths_of_downloads_lead_nowhere(visitor, path):
    state = visitor.example()
    answer = visitor.client.get(path, params={"w": state["workspace"]})
    assert answer.status_code in (404, 405)
    assert answer.headers["content-type"].startswith("application/json")


def _zip(members):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in members:
            packed.writestr(name, content)
    return buffer.getvalue()


def test_a_workbook_that_is_a_bomb(tmp_path):
    bomb = _zip([("xl/worksheets/sheet1.xml", b"0" * 2_000_000)])
    assert len(bomb) < SMALL.upload
    with visiting(tmp_path, SMALL) as visitor:
        answer = visitor.client.post("/api/record?name=a.xlsx", content=bomb)
        assert answer.status_code == 413
        assert len(visitor.app.workspaces.known) == 0


def test_a_workbook_that_states_a_small_size(tmp_path):
    bomb = bytearray(_zip([("xl/worksheets/sheet1.xml", b"0" * 2_000_000)]))
    place = bomb.rindex(b"PK\x01\x02")
    bomb[place + 24 : place + 28] = struct.pack("<I", 10)
    with visiting(tmp_path, SMALL) as visitor:
        answer = visitor.client.post("/api/record?name=a.xlsx", content=bytes(bomb))
        assert answer.status_code in (413, 422)
        assert len(visitor.app.workspaces.known) == 0


def test_a_compressed_text_that_is_a_bomb(tmp_path):
    bomb = gzip.compress(b"winner,loser\n" + b"a,b\n" * 500_000)
    with visiting(tmp_path, SMALL) as visitor:
        assert visitor.client.post("/api/record?name=a.csv.gz", content=bomb).status_code == 413
        small = gzip.compress(b"winner,loser\na,b\nb,a\n")
        twice = small + gzip.compress(b"x" * 900_000)
        assert visitor.client.post("/api/record?name=a.csv.gz", content=twice).status_code == 413
        assert visitor.client.post("/api/record?name=a.csv.gz", content=small).status_code == 200


def _work(visitor):
    state = visitor.example()
    content = visitor.get("/take/work.zip", w=state["workspace"]).content
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        return {name: packed.read(name) for name in packed.namelist()}


def _with(members, **changes):
    work = json.loads(members["work.json"]) | changes
    return {**members, "work.json": json.dumps(work).encode()}


LIES = {
    "a member outside": lambda m: {**m, "../evil.csv": b"x"},
    "an absolute member": lambda m: {**m, "/tmp/evil.csv": b"x"},
    "a source outside": lambda m: {**m, "source/../../evil.csv": b"x"},
    "a pickle": lambda m: {**m, "results/0123456789abcdef.pkl": pickle.dumps({})},
    "two sources": lambda m: {**m, "source/other.csv": b"winner,loser\na,b\n"},
    "no source": lambda m: {k: v for k, v in m.items() if not k.startswith("source/")},
    "no work": lambda m: {**m, "work.json": b"[]"},
    "another hash": lambda m: _with(m, sha256=hashlib.sha256(b"").hexdigest()),
    "another name": lambda m: _with(m, source="../adv.csv"),
    "another version": lambda m: _with(m, version=99),
    "a path as presence": lambda m: _with(m, presence="/etc/passwd"),
    "a source as an argument": lambda m: _with(m, reading={"query": "SELECT 1"}),
    "a file as an argument": lambda m: _with(m, reading={"names": "/etc/passwd"}),
    "a number that is none": lambda m: _with(m, settings={"k": "NaN"}),
    "settings that are a list": lambda m: _with(m, settings=[1, 2]),
    "deep nesting": lambda m: {**m, "work.json": b"[" * 200_000},
    "an answer to nothing": lambda m: {
        **m,
        "results/0123456789abcdef.json": json.dumps({"ask": "os.system", "job": "0" * 16}).encode(),
    },
    "an answer without parts": lambda m: {
        **m,
        "results/0123456789abcdef.json": json.dumps(
            {"ask": "isi", "job": "0123456789abcdef"}
        ).encode(),
    },
}


@pytest.mark.parametrize("lie", LIES)
def test_work_files_that_lie(visitor, lie):
    members = _work(visitor)
    before = len(visitor.app.workspaces.known)
    honest = visitor.client.post("/api/work", content=_zip(members.items()))
    assert honest.status_code == 200
    answer = visitor.client.post("/api/work", content=_zip(LIES[lie](members).items()))
    assert answer.status_code == 422, answer.text
    assert len(visitor.app.workspaces.known) == before + 1


def test_work_files_with_wrong_sizes(tmp_path):
    with visiting(tmp_path, SMALL) as visitor:
        members = _work(visitor)
        large = {**members, "results/0123456789abcdef.json": b" " * 1_500_000}
        answer = visitor.client.post("/api/work", content=_zip(large.items()))
        assert answer.status_code == 413
        lying = bytearray(_zip(large.items()))
        place = lying.rindex(b"PK\x01\x02")
        lying[place + 24 : place + 28] = struct.pack("<I", 100)
        assert visitor.client.post("/api/work", content=bytes(lying)).status_code == 422


def test_names_as_markup_stay_text(visitor):
    sheet = f"winner,loser\n{MARKUP},b\nb,c\n{MARKUP},c\nc,b\n".replace('"', '""')
    sheet = sheet.replace(MARKUP.replace('"', '""'), '"' + MARKUP.replace('"', '""') + '"')
    state = visitor.upload(sheet, f"{MARKUP}.csv")
    assert "<" not in state["record"]["name"]
    w = state["workspace"]
    for path in ("/api/state", "/api/grid", "/api/elo", "/api/steps", "/api/code", "/api/take"):
        answer = visitor.get(path, w=w)
        assert answer.status_code == 200
        assert answer.headers["content-type"] == "application/json"
        assert answer.headers["x-content-type-options"] == "nosniff"
    assert MARKUP in visitor.json("/api/elo", w=w)["names"]
    for path in ("/take/figure/matrix.svg", "/take/figure/trajectories.svg"):
        drawn = visitor.get(path, w=w)
        assert drawn.status_code == 200
        assert "attachment" in drawn.headers["content-disposition"]
        assert b"<img" not in drawn.content
    error = visitor.get("/take/table/" + "%3Cscript%3E.csv", w=w)
    assert error.headers["content-type"].startswith("application/json")


def test_formulas_in_exported_tables(visitor):
    quoted = '"' + FORMULA.replace('"', '""') + '"'
    state = visitor.upload(f"winner,loser\n{quoted},@sum\n@sum,-x\n{quoted},-x\n+a,{quoted}\n")
    w = state["workspace"]
    for name in ("ratings", "matrix", "history", "contests"):
        table = csv_of(visitor.get(f"/take/table/{name}.csv", w=w).text)
        cells = [*table.columns, *(cell for column in table for cell in column.to_list())]
        risky = [cell for cell in cells if cell and cell[0] in "=+-@\t\r" and not _number(cell)]
        assert risky == []
        assert any(cell == f"'{FORMULA}" for cell in cells)
    book = visitor.get("/take/table/ratings.xlsx", w=w).content
    with zipfile.ZipFile(io.BytesIO(book)) as packed:
        assert b"<f>" not in packed.read("xl/worksheets/sheet1.xml")


def _number(text):
    try:
        return float(text) is not None
    except ValueError:
        return False


def test_json_that_is_a_bomb(visitor):
    state = visitor.example()
    where = {"w": state["workspace"]}
    kind = {"content-type": "application/json"}
    for body in ("[" * 100_000, '{"rev":0,"set":' * 2, "null", "[1]", '{"rev": 1e999}'):
        answer = visitor.client.patch("/api/reading", params=where, content=body, headers=kind)
        assert answer.status_code in (400, 409)
    for settings in (
        {"k": -1},
        {"k": 1e9},
        {"k": "x"},
        {"curve": "rm"},
        {"at": "x" * 99},
        {"u": 1},
    ):
        answer = visitor.change(state, "/api/settings", set=settings)
        assert answer.status_code == 422, settings
    for options in (
        {"query": "x"},
        {"presence": "/etc/passwd"},
        {"header": "1;2"},
        {"winner": 5},
        {"names": "x"},
        {"stream": True},
        {"glob": True},
    ):
        answer = visitor.change(state, set=options)
        assert answer.status_code == 422, options
    assert visitor.json("/api/state", **where)["rev"] == 0


# -- too much --------------------------------------------------------------------------------------


def test_bodies_that_announce_too_much(tmp_path):
    with visiting(tmp_path, SMALL) as visitor:
        answer = visitor.client.post("/api/record?name=a.csv", content=b"x" * 300_000)
        assert (answer.status_code, answer.json()["most"]) == (413, SMALL.upload)
        state = visitor.example()
        long = {"rev": 0, "label": "x" * 30_000, "set": {}}
        path = f"/api/reading?w={state['workspace']}"
        assert visitor.client.patch(path, json=long).status_code == 413


def test_bodies_that_announce_too_much_are_not_read(tmp_path):
    with visiting(tmp_path, SMALL) as visitor:

        async def piece():
            raise AssertionError("read")

        for length, status in ((b"999999999", 413), (b"x", 400), (b"-1", 400)):
            headers = [*_own(visitor)[:2], (b"content-length", length)]
            found = _status(visitor.app.guard, headers, "POST", "/api/record", piece)
            assert found == status


def test_endless_bodies_are_counted(tmp_path):
    with visiting(tmp_path, SMALL) as visitor:
        sent = []

        async def piece():
            sent.append(1)
            return {"type": "http.request", "body": b"x" * 10_000, "more_body": True}

        status = _status(visitor.app.guard, _own(visitor), "POST", "/api/record", piece)
        assert status == 413
        assert len(sent) <= SMALL.upload / 10_000 + 1


@pytest.mark.parametrize("pace", ["stops", "drips"])
def test_slow_bodies(tmp_path, pace):
    hurried = Limits(pause=0.05, slow=0.3)
    with visiting(tmp_path, hurried) as visitor:

        async def piece():
            await asyncio.sleep(60 if pace == "stops" else 0.02)
            return {"type": "http.request", "body": b"x", "more_body": True}

        began = time.monotonic()
        status = _status(visitor.app.guard, _own(visitor), "POST", "/api/record", piece)
        assert status == 408
        assert time.monotonic() - began < 30


def test_a_thousand_workspaces(tmp_path):
    with visiting(tmp_path, Limits(workspaces=8, idle=0.0)) as visitor:
        first, spaces = visitor.example(), visitor.app.workspaces
        for number in range(1_000):
            sheet = f"winner,loser\na,b\nb,c\na,n{number}\n".encode()
            spaces.create(lambda folder, sheet=sheet: stored(folder, "a.csv", sheet))
        assert len(spaces.known) == 8
        assert len(list(tmp_path.rglob("*.csv"))) == 8
        assert visitor.get("/api/state", w=first["workspace"]).status_code == 404
        assert visitor.example()["contests"] == 33


def test_workspaces_in_use_are_not_dropped(tmp_path):
    with visiting(tmp_path, Limits(workspaces=3, idle=60.0)) as visitor:
        states = [visitor.example() for _ in range(3)]
        answer = visitor.client.post("/api/example/adv")
        assert answer.status_code == 429
        assert "retry-after" in answer.headers
        for state in states:
            assert visitor.get("/api/state", w=state["workspace"]).status_code == 200


def test_a_flood_of_jobs(tmp_path):
    with visiting(tmp_path, Limits(running=1, waiting=3)) as visitor:
        state = visitor.example()
        statuses = [
            visitor.ask(state, "enough", runs=10_000, seed=i).status_code for i in range(12)
        ]
        assert sorted(statuses) == [200] * 4 + [429] * 8
        assert visitor.ask(state, "enough", runs=10_000, seed=0).status_code == 200  # the same one
        jobs = visitor.jobs(state)
        assert [job["state"] for job in jobs].count("running") == 1
        for job in jobs:
            path = f"/api/jobs/{job['job']}?w={state['workspace']}"
            assert visitor.client.delete(path).json()["state"] == "cancelled"
        assert not visitor.app.jobs.running
        assert not visitor.app.jobs.waiting


def test_a_flood_of_requests(tmp_path):
    with visiting(tmp_path, Limits(requests=4)) as visitor:
        visitor.app.guard.inside = 4
        answer = visitor.get("/api/hello")
        assert answer.status_code == 429
        visitor.app.guard.inside = 0
        assert visitor.get("/api/hello").status_code == 200
        assert visitor.app.guard.inside == 0


def test_a_flood_of_open_pages(tmp_path):
    with visiting(tmp_path, Limits(streams=2)) as visitor:
        state = visitor.example()
        visitor.app.guard.streams = 2
        assert visitor.get("/api/events", w=state["workspace"]).status_code == 429


# -- every response --------------------------------------------------------------------------------


def test_headers_on_every_response(visitor, monkeypatch):
    state = visitor.example()
    where = f"w={state['workspace']}"
    broken = visitor.app.routes.workspaces
    answers = [
        visitor.get("/"),
        visitor.get("/api/hello"),
        visitor.get("/take/work.zip", w=state["workspace"]),
        visitor.get("/nothing"),
        visitor.get("/api/state"),
        visitor.get("/", token="x"),
        visitor.client.get("/api/hello", headers={"host": "evil.example"}),
        visitor.client.get("/api/hello", headers={"origin": "null"}),
        visitor.client.post(f"/api/undo?{where}", json={"rev": 7}),
        visitor.client.post("/api/record", content=b""),
        visitor.client.request("PUT", "/"),
        visitor.get("/", token=visitor.app.guard.token),
    ]
    monkeypatch.setattr(type(broken), "__getitem__", lambda *_: 1 / 0)
    answers.append(visitor.get("/api/state", w=state["workspace"]))
    assert [answer.status_code for answer in answers] == [
        *(200, 200, 200, 404, 404, 403, 421, 403, 409, 400, 405, 303, 500),
    ]
    for answer in answers:
        for name, value in HEADERS:
            assert answer.headers.get(name.decode()) == value.decode()
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'; img-src")
        assert "unsafe" not in policy
        assert "server" not in answer.headers


def test_errors_do_not_show_the_machine(visitor, tmp_path):
    state = visitor.upload(MESSY.replace("winner", "outcome of it"))
    text = json.dumps(state) + visitor.get("/api/code", w=state["workspace"]).text
    assert str(tmp_path) not in text


# -- a request without a client --------------------------------------------------------------------


def _own(visitor):
    guard = visitor.app.guard
    cookie = f"{guard.cookie}={guard.session}".encode()
    return [(b"host", b"127.0.0.1:8000"), (b"cookie", cookie), (b"transfer-encoding", b"chunked")]


async def _nothing():
    return {"type": "http.request", "body": b"", "more_body": False}


def _status(guard, headers, method="GET", path="/api/hello", receive=_nothing):
    return _said(guard, {"method": method, "path": path, "headers": headers}, receive)[0]["status"]


def _said(guard, about, receive=_nothing):
    found = []

    async def send(message):
        found.append(message)

    scope = {"type": "http", "method": "GET", "path": "/", "query_string": b"", "root_path": ""}
    asyncio.run(guard(scope | about, receive, send))
    return found


def test_the_guard_cannot_be_built_without_secrets():
    async def app(scope, receive, send): ...

    with pytest.raises(TypeError):
        Guard(app, hosts_of(8000))
