"""State files that another program has changed give a result or a typed error."""

import random
import shutil
from contextlib import suppress
from pathlib import Path

import miolo
import pytest
from damaged_states import COLUMNS, ODD, damaged_bytes, save_state, set_value, use_state
from miolo.collect.batch.files import RESULTS
from miolo.collect.batch.state_file import FILE


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    save_state(tmp_path)
    return tmp_path


def test_damaged_bytes_break_no_collection(folder: Path, tmp_path_factory) -> None:
    whole = (folder / FILE).read_bytes()
    rng = random.Random(7)
    failed = 0
    for _ in range(300):
        damaged = tmp_path_factory.mktemp("damaged")
        shutil.copy(folder / RESULTS, damaged)
        (damaged / FILE).write_bytes(damaged_bytes(whole, rng))
        try:
            use_state(damaged)
        except miolo.MioloError:
            failed += 1
    assert 30 < failed < 270


@pytest.mark.parametrize("column", COLUMNS)
def test_no_odd_value_breaks_a_collection(folder: Path, column: str) -> None:
    whole = (folder / FILE).read_bytes()
    for value in ODD:
        (folder / FILE).write_bytes(whole)
        if set_value(folder, column, value):
            with suppress(miolo.MioloError):
                use_state(folder)


@pytest.mark.parametrize("text", [b"", b"SQLite format 3\0", b"no database at all" * 100])
def test_a_foreign_file_is_a_typed_error(folder: Path, text: bytes) -> None:
    (folder / FILE).write_bytes(text)
    with pytest.raises(miolo.MioloError):
        use_state(folder)
