"""Stored posteriors: what a damaged or crafted file must not do."""

import io
import json
import warnings

import numpy as np
import pytest

import peckorder as po
from peckorder.ratings import posterior


@pytest.fixture(scope="module")
def stored():
    """The arrays of a stored posterior, and its header."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        post = po.elo_bayes(po.datasets.adv(), samples=20, warmup=20, chains=2, seed=1)
    arrays = dict(np.load(io.BytesIO(posterior.packed(post))))
    return arrays, json.loads(arrays.pop("header").tobytes())


def written(path, arrays, header):
    content = np.frombuffer(json.dumps(header).encode(), np.uint8)
    np.savez(path, header=content, **arrays)
    return path


def test_a_whole_file_is_read(stored, tmp_path):
    post = po.Posterior.load(written(tmp_path / "x.npz", *stored))
    assert post.individuals == po.datasets.adv().individuals
    assert len(post.table) == 7


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("contests/winner", lambda a: a + 1000),
        ("contests/winner", lambda a: a - 1000),
        ("contests/loser", lambda a: a[:-1]),
        ("contests/date", lambda a: a[::-1]),
        ("draws/start", lambda a: a[..., :3]),
        ("draws/start", lambda a: a[:, :5]),
        ("draws/k", lambda a: a[..., None].repeat(3, axis=-1)),
        ("draws/sigma", lambda a: a.astype("f4")),
        ("draws/sigma", lambda a: a[:0]),
        ("draws/k", lambda a: a * np.nan),
        ("statistics/energy", lambda a: a[:1]),
    ],
)
def test_arrays_that_loops_cannot_use_are_refused(stored, tmp_path, name, change):
    arrays, header = stored
    path = written(tmp_path / "x.npz", arrays | {name: change(arrays[name])}, header)
    with pytest.raises(po.DataError, match="x.npz is damaged: its posterior cannot be restored"):
        po.Posterior.load(path)


@pytest.mark.parametrize(
    "change",
    [
        {"individuals": ["a", "b"]},
        {"individuals": ["a"] * 7},
        {"settings": {}},
        {"settings": []},
        {"citations": ["nobody2000"]},
        {"method": "elo"},
        {"labels": {"context": ["x"]}},
        {"presence": ["a"]},
        {"report": {"unused": 1}},
        {"seed": "x"},
    ],
)
def test_headers_that_do_not_fit_are_refused(stored, tmp_path, change):
    arrays, header = stored
    with pytest.raises(po.DataError, match="is damaged"):
        po.Posterior.load(written(tmp_path / "x.npz", arrays, header | change))


def test_truncated_and_changed_files_are_refused(stored, tmp_path):
    path = written(tmp_path / "x.npz", *stored)
    raw = path.read_bytes()
    rng = np.random.default_rng(1)
    for end in rng.integers(0, len(raw), 20):
        path.write_bytes(raw[:end])
        with pytest.raises(po.DataError, match="does not contain a posterior"):
            po.Posterior.load(path)


def test_nothing_in_a_file_is_executed(stored, tmp_path):
    arrays, header = stored
    path = written(tmp_path / "x.npz", arrays | {"draws/k": np.array([object()])}, header)
    with pytest.raises(po.DataError, match="does not contain a posterior"):
        po.Posterior.load(path)


def test_a_file_that_expands_too_far_is_refused(stored, tmp_path, monkeypatch):
    monkeypatch.setattr(posterior, "LARGEST_FILE", 1000)
    with pytest.raises(po.DataError, match="does not contain a posterior"):
        po.Posterior.load(written(tmp_path / "x.npz", *stored))
