"""Saved snapshots are loaded unchanged, and nothing in a file is trusted."""

import zipfile
from dataclasses import fields

import miolo
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

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


@pytest.mark.parametrize("name", ["clips.npy", "keeps_lines.npy", "texts.json"])
def test_a_file_without_one_of_its_members_is_refused(tmp_path, name):
    miolo.Snapshot.from_html(PAGE).save(tmp_path / "whole.miolo")
    with (
        zipfile.ZipFile(tmp_path / "whole.miolo") as whole,
        zipfile.ZipFile(tmp_path / "partial.miolo", "w") as partial,
    ):
        for member in whole.namelist():
            if member != name:
                partial.writestr(member, whole.read(member))
    with pytest.raises(miolo.ArchiveError, match=r"partial\.miolo"):
        miolo.Snapshot.load(tmp_path / "partial.miolo")


def test_the_same_snapshot_makes_the_same_file(tmp_path):
    snapshot = miolo.Snapshot.from_html(PAGE)
    for name in ("a", "b"):
        snapshot.save(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a", "b"]


def test_odd_characters_survive(tmp_path):
    snapshot = miolo.Snapshot.from_html("<p>\x01 \U0001f600 \u2028 é</p>")
    snapshot.save(tmp_path / "x")
    assert miolo.Snapshot.load(tmp_path / "x").text == snapshot.text


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    path = tmp_path_factory.mktemp("archive") / "page.miolo"
    miolo.Snapshot.from_html(PAGE).save(path)
    return path


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_damaged_file_gives_an_archive_error(archive, tmp_path, data):
    content = bytearray(archive.read_bytes())
    if data.draw(st.booleans(), "cut"):
        content = content[: data.draw(st.integers(0, len(content) - 1))]
    else:
        place = data.draw(st.integers(0, len(content) - 1))
        content[place] ^= data.draw(st.integers(1, 255))
    damaged = tmp_path / "damaged"
    damaged.write_bytes(content)
    try:
        loaded = miolo.Snapshot.load(damaged)
    except miolo.ArchiveError:
        return
    # A bit that no check covers, such as one of a date in the ZIP's directory, changes nothing.
    assert loaded.text == miolo.Snapshot.load(archive).text


def rewritten(archive, target, name: str, content: bytes):
    with zipfile.ZipFile(archive) as old, zipfile.ZipFile(target, "w") as new:
        for info in old.infolist():
            new.writestr(info.filename, content if info.filename == name else old.read(info))
    return target


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("meta.json", b"[]"),
        ("meta.json", b"{}"),
        ("meta.json", b'{"format": "miolo-snapshot", "version": 99}'),
        ("meta.json", b"[" * 100_000),
        ("texts.json", b'{"text": [1], "attributes": []}'),
        ("parent.npy", b""),
        ("parent.npy", b"\x93NUMPY\x01\x00"),
    ],
)
def test_a_forged_member_gives_an_archive_error(archive, tmp_path, name, content):
    with pytest.raises(miolo.ArchiveError):
        miolo.Snapshot.load(rewritten(archive, tmp_path / "forged", name, content))


@pytest.mark.parametrize("parents", [[-1, 5], [-1, -1], [0], [-1, 0, 1, 0, 1]])
def test_trees_out_of_document_order_are_refused(archive, tmp_path, parents):
    import io

    count = len(miolo.Snapshot.load(archive))
    array = np.zeros(count, np.int32)
    array[: len(parents)] = parents
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, array)
    with pytest.raises(miolo.ArchiveError):
        miolo.Snapshot.load(
            rewritten(archive, tmp_path / "forged", "parent.npy", buffer.getvalue())
        )


def test_a_bomb_is_not_unpacked(tmp_path):
    path = tmp_path / "bomb"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for i in range(3):
            with archive.open(f"{i}.npy", "w", force_zip64=True) as member:
                for _ in range(400):
                    member.write(bytes(1 << 20))
    with pytest.raises(miolo.ArchiveError, match="unpacks"):
        miolo.Snapshot.load(path)


def test_a_missing_file_is_a_file_not_found_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        miolo.Snapshot.load(tmp_path / "none")
