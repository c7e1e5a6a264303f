"""A visitor of the app in the same process: who has opened the printed address, with a cookie."""

import asyncio
import io
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass

import httpx
import polars as pl

from peckorder.app.security import Limits
from peckorder.app.server import App

PORT = 8000
ADDRESS = f"http://127.0.0.1:{PORT}"
MESSY = """Agonism 2023,,,,,
observer: KM,,,,,
date,initiator,receiver,winner,place,remarks
2023-03-01,Abby,Bella,Abby,North,
2023-03-02,Bella,Cora,Bella,North,
2023-03-03,Abby,Cora,Abby,North,rain
2023-03-04,abby,Cora,abby,North,
2023-03-05,"Bella, Cora",Dina,"Bella, Cora",North,
2023-03-06,Dina,?,Dina,North,
2023-03-07,Cora,Cora,Cora,North,
2023-03-08,Dina,Abby,Abby,North,
2023-03-09,Dina,Bella,,North,
2023-03-10,Cora,Dina,Cora,North,
"""


class Client:
    """Requests to an application in a loop of its own thread, in which jobs run, too."""

    def __init__(self, app):
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        self.inner = httpx.AsyncClient(transport=transport, base_url=ADDRESS, timeout=480)

    def run(self, work):
        return asyncio.run_coroutine_threadsafe(work, self.loop).result()

    def request(self, method, path, **more):
        return self.run(self.inner.request(method, path, **more))

    def get(self, path, **more):
        return self.request("GET", path, **more)

    def post(self, path, **more):
        return self.request("POST", path, **more)

    def patch(self, path, **more):
        return self.request("PATCH", path, **more)

    def delete(self, path, **more):
        return self.request("DELETE", path, **more)

    def close(self, jobs):
        self.run(jobs.close())
        self.run(self.inner.aclose())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()


@dataclass
class Visitor:
    """A client with the cookie, and the app behind it."""

    client: Client
    app: App

    def get(self, path, **query):
        return self.client.get(path, params=query)

    def json(self, path, **query):
        answer = self.get(path, **query)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def upload(self, content, name="contests.csv"):
        content = content.encode() if isinstance(content, str) else content
        answer = self.client.post("/api/record", params={"name": name}, content=content)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def example(self, name="adv"):
        answer = self.client.post(f"/api/example/{name}")
        assert answer.status_code == 200, answer.text
        return answer.json()

    def change(self, state, path="/api/reading", **body):
        body = {"rev": state["rev"], **body}
        return self.client.patch(path, params={"w": state["workspace"]}, json=body)

    def changed(self, state, path="/api/reading", **body):
        answer = self.change(state, path, **body)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def ask(self, state, ask, **settings):
        return self.client.post(
            "/api/jobs",
            params={"w": state["workspace"]},
            json={"ask": ask, "settings": settings},
        )

    def answered(self, state, ask, patience=480, **settings):
        job = self.ask(state, ask, **settings).json()["job"]
        end = time.monotonic() + patience
        while time.monotonic() < end:
            found = {one["job"]: one for one in self.jobs(state)}[job]
            if found["state"] not in ("waiting", "running"):
                return found
            time.sleep(0.05)
        raise AssertionError("not answered in time")

    def jobs(self, state):
        return self.json("/api/jobs", w=state["workspace"])["jobs"]


@contextmanager
def visiting(folder, limits=None, *, cookie=True, recent=None, addresses=()):
    """Open the app as a visitor."""
    app = App(folder, PORT, limits or Limits(), addresses, recent)
    client = Client(app.guard)
    try:
        if cookie:
            assert client.get("/", params={"token": app.guard.token}).status_code == 303
        yield Visitor(client, app)
    finally:
        client.close(app.jobs)


def csv_of(text):
    """A table from the text of a CSV file."""
    return pl.read_csv(io.StringIO(text), infer_schema=False)
