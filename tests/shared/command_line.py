"""The command line in a process of its own, forked from one that has already done the imports.

The imports take half the time of a short command. `test_cli.py` also starts a new interpreter.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from subprocess import CompletedProcess

from miolo.__main__ import main

SECONDS = 120

FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["miolo.cli.extract"])


def run_command(
    words: Sequence[str], stdin: bytes | None, environment: dict[str, str]
) -> CompletedProcess[bytes]:
    """Output and exit code of ``miolo WORDS``."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "0").write_bytes(stdin or b"")
        child = FORKS.Process(target=_main, args=(words, folder, os.getcwd(), environment))
        child.start()
        child.join(SECONDS)
        if child.is_alive():
            child.kill()
            child.join()
            raise TimeoutError(f"miolo {' '.join(words)} did not end")
        out, err = ((folder / number).read_bytes() for number in "12")
        return CompletedProcess(words, child.exitcode or 0, out, err)


def _main(words: Sequence[str], folder: Path, place: str, environment: dict[str, str]) -> None:
    for number in range(3):
        opened = os.open(folder / str(number), os.O_RDWR | os.O_CREAT)
        os.dup2(opened, number)
        os.close(opened)
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    os.chdir(place)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["miolo", *words]
    main()
