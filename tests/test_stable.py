"""The promise of docs/stable.md: what version 1 has, it keeps; more may be added."""

import json

from tests.stable import PIN, promised


def test_nothing_that_was_promised_is_gone():
    pinned, now = json.loads(PIN.read_text(encoding="utf-8")), promised()
    for part in ("names", "commands", "recipe"):
        assert set(pinned[part]) <= set(now[part])
    for part in ("arguments", "results"):
        for name, members in pinned[part].items():
            assert set(members) <= set(now[part].get(name, ())), name
    assert pinned["study"] == now["study"]
