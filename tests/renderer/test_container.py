"""Containers of arrays: a damaged header of an array is an `ArchiveError`, whatever its content."""

from __future__ import annotations

import io
import zipfile

import numpy as np
import pytest
from miolo import ArchiveError
from miolo.renderer.container import any_array, typed_damage
from numpy.lib import format as npy


def read(content: bytes) -> np.ndarray:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("a.npy", content)
    with zipfile.ZipFile(file) as archive, typed_damage("damaged"):
        return any_array(archive, "a")


@pytest.fixture(params=[(1, 0), (2, 0)])
def whole(request) -> bytes:
    buffer = io.BytesIO()
    npy.write_array(buffer, np.arange(3), version=request.param)
    return buffer.getvalue()


def test_an_array_is_read_as_it_was_written(whole):
    assert read(whole).tolist() == [0, 1, 2]


def test_a_header_of_another_length_is_refused(whole):
    for length in range(256):
        damaged = whole[:8] + bytes([length]) + whole[9:]
        if damaged != whole:
            with pytest.raises(ArchiveError):
                read(damaged)


@pytest.mark.parametrize("shape", [b"(3,", b"(3)*(1)", b"((((", b"(9**9,)", b"(3,)#"])
def test_a_header_that_numpy_does_not_write_is_refused(whole, shape):
    damaged = whole.replace(b"(3,), }    ", shape + b", }" + b" " * (8 - len(shape)))
    assert len(damaged) == len(whole)
    assert damaged != whole
    with pytest.raises(ArchiveError):
        read(damaged)
