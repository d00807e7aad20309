"""Saved snapshots are loaded unchanged, and nothing in a file is trusted."""

from dataclasses import fields

import miolo
import numpy as np

PAGE = "<html lang=en><title>T</title><body><p class=x>Hello <b>there</b></p><ul><li>1<li>2</ul>"


def same(a, b) -> bool:
    return isinstance(a, np.ndarray) and a.dtype == b.dtype and np.array_equal(a, b)


def test_a_saved_snapshot_is_loaded_completely(stage, tmp_path):
    snapshot = stage.render("comments", screenshot=True)
    snapshot.save(tmp_path / "page.miolo")
    loaded = miolo.Snapshot.load(tmp_path / "page.miolo")
    for item in fields(miolo.Snapshot):
        before, after = getattr(snapshot, item.name), getattr(loaded, item.name)
        if item.name == "attributes":
            assert [before.of(i) for i in range(len(snapshot))] == [
                after.of(i) for i in range(len(snapshot))
            ]
        else:
            assert same(before, after) or before == after, item.name
    first, second = (miolo.extract_snapshot(s) for s in (snapshot, loaded))
    assert (first.text, first.html, first.blocks) == (second.text, second.html, second.blocks)


def test_the_same_snapshot_makes_the_same_file(tmp_path):
    snapshot = miolo.Snapshot.from_html(PAGE)
    for name in ("a", "b"):
        snapshot.save(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a", "b"]
