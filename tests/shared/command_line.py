"""The command line in the process of the tests.

`test_cli.py` and the tests of signals and limits start processes of their own.
"""

import asyncio
import logging
import os
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from subprocess import CompletedProcess
from unittest.mock import patch

from miolo.cli.app import run
from miolo.cli.console import set_quiet


def run_command(
    words: Sequence[str], stdin: bytes | None, environment: Mapping[str, str]
) -> CompletedProcess[bytes]:
    """Output and exit code of ``miolo WORDS``."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "0").write_bytes(stdin or b"")
        with (
            _standard_files(folder),
            _logging_unchanged(),
            warnings.catch_warnings(),
            patch.dict(os.environ, environment),
            patch.object(sys, "argv", ["miolo", *words]),
        ):
            warnings.resetwarnings()
            set_quiet(False)  # what an earlier command asked for
            code = _outside_of_a_loop(_exit_code)
        out, err = ((folder / number).read_bytes() for number in "12")
        return CompletedProcess(words, code, out, err)


def _exit_code() -> int:
    try:
        run()
    except SystemExit as exited:
        return int(exited.code or 0)
    return 0


@contextmanager
def _standard_files(folder: Path) -> Iterator[None]:
    """Standard input and output are files, for this process and for those that it starts."""
    names = ("stdin", "stdout", "stderr")
    saved = [(getattr(sys, name), os.dup(number)) for number, name in enumerate(names)]
    for number, name in enumerate(names):
        opened = os.open(folder / str(number), os.O_RDWR | os.O_CREAT)
        os.dup2(opened, number)
        os.close(opened)
        binary = os.fdopen(number, "rb" if number == 0 else "wb", closefd=False)
        setattr(sys, name, TextIOWrapper(binary, encoding="utf-8", line_buffering=number == 2))
    try:
        yield
    finally:
        for number, (name, (stream, kept)) in enumerate(zip(names, saved, strict=True)):
            getattr(sys, name).close()
            setattr(sys, name, stream)
            os.dup2(kept, number)
            os.close(kept)


@contextmanager
def _logging_unchanged() -> Iterator[None]:
    # `miolo serve` writes all of the log to standard error, which here is a file that is closed.
    loggers = logging.getLogger(), logging.getLogger("miolo")
    saved = [(logger, logger.handlers[:], logger.level) for logger in loggers]
    try:
        yield
    finally:
        for logger, handlers, level in saved:
            logger.handlers[:] = handlers
            logger.setLevel(level)


def _outside_of_a_loop(call: Callable[[], int]) -> int:
    """Call a function in another thread if an event loop runs in this one, as Playwright's does."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return call()
    codes: list[int] = []
    thread = threading.Thread(target=lambda: codes.append(call()))
    thread.start()
    thread.join()
    return codes[0]
