"""Containers of arrays: a damaged array header raises `ArchiveError`, whatever its content."""

import io
import os
import zipfile

import numpy as np
import pytest
from miolo import ArchiveError
from miolo.renderer.page.container import any_array, typed_damage, whole_file
from numpy.lib import format as npy


def test_a_file_is_written_whole_or_not_at_all(tmp_path):
    plain, whole = tmp_path / "plain", tmp_path / "whole"
    plain.write_bytes(b"before")
    with whole_file(whole) as file:
        file.write(b"after")
        assert not whole.exists()
    assert whole.stat().st_mode == plain.stat().st_mode
    with pytest.raises(TypeError), whole_file(plain) as file:
        file.writelines([b"half", None])
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {
        "plain": b"before",
        "whole": b"after",
    }


def read(content: bytes) -> np.ndarray:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("a.npy", content)
    with zipfile.ZipFile(file) as archive, typed_damage("damaged"):
        return any_array(archive, "a")


@pytest.fixture(params=[(1, 0), (2, 0)])
def array_bytes(request) -> bytes:
    buffer = io.BytesIO()
    npy.write_array(buffer, np.arange(3), version=request.param)
    return buffer.getvalue()


def test_an_array_is_read_as_it_was_written(array_bytes):
    assert read(array_bytes).tolist() == [0, 1, 2]


@pytest.mark.parametrize("shape", [b"(3,", b"(3)*(1)", b"((((", b"(9**9,)", b"(3,)#"])
def test_a_header_that_numpy_does_not_write_is_refused(array_bytes, shape):
    damaged = array_bytes.replace(b"(3,), }    ", shape + b", }" + b" " * (8 - len(shape)))
    assert len(damaged) == len(array_bytes)
    assert damaged != array_bytes
    with pytest.raises(ArchiveError):
        read(damaged)


def test_a_link_is_followed_and_a_pipe_is_written_to_and_both_stay(tmp_path):
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_bytes(b"old")
    link.symlink_to(target)
    with whole_file(link) as file:
        file.write(b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    with whole_file(pipe) as file:
        file.write(b"new")
    assert pipe.is_fifo()
    assert os.read(reader, 10) == b"new"
    os.close(reader)


def test_an_error_names_the_file_and_not_its_draft(tmp_path):
    path = tmp_path / "nowhere" / "page.miolo"
    with pytest.raises(FileNotFoundError) as caught, whole_file(path):
        pass
    assert caught.value.filename == str(path)
