"""Rows for attacks on files and inputs, and for machines that lack something.

Each attack of `tests/shared/surface_attacks.py` runs in a process with limits of processor time and
memory. It holds if it ends with a value or a typed error. On a machine that lacks something, a
command has to end in time, with a result or with a message that names what is lacking, and leaves
nothing incomplete. `attacks.py` runs both.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import signal
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from attack_table import Row
from jumping_clock import COMPILER, clock_set_back_by
from name_attacks import CHAINS, COMMAND
from surface_attacks import SURFACE

__all__ = ["machine_rows", "name_rows", "surface_rows"]

ATTACKS = Path(__file__).resolve().parents[1] / "tests" / "shared" / "surface_attacks.py"

ATTACK_SECONDS, COMMAND_SECONDS = 90.0, 90.0

PAGE = "<h1>Tides</h1><p>The tide comes in twice a day and goes out again, as it did before.</p>"
EXTRACT = "extract {folder}/page.html -m nce"
WRITE = f"{EXTRACT} -o {{folder}}/mounted/out.html -f html"
BATCH = "batch {folder}/list.txt -o {folder}/mounted/out --browser always"

MOUNT = "mount -t tmpfs -o {options} tmpfs {place} && "
FILL = "head -c 1M /dev/zero > {folder}/mounted/filler 2> /dev/null; "


@dataclass(frozen=True)
class Lack:
    """What a machine lacks: the shell's words before a command, the command, and its outcome.

    `expected` is a pattern of the message if the command may fail, and otherwise empty.
    """

    before: str
    words: str
    expected: str = ""
    is_mounted: bool = False


def _mounted(options: str, place: str = "{folder}/mounted") -> str:
    return MOUNT.format(options=options, place=place)


TEMPORARY = "TMPDIR={folder}/mounted "

LACKS = {
    "16 open files": Lack("ulimit -n 16; ", EXTRACT, "may open only 16 files.*ulimit -n"),
    "64 open files": Lack("ulimit -n 64; ", EXTRACT, "may open only 64 files.*ulimit -n"),
    "64 open files in a batch": Lack("ulimit -n 64; ", BATCH, "may open only 64 files"),
    "a soft limit of 64 open files": Lack("ulimit -S -n 64; ", EXTRACT),
    "no temporary folder": Lack("TMPDIR={folder}/none ", EXTRACT, "none .*set TMPDIR"),
    "a temporary folder that is a file": Lack(
        "TMPDIR={folder}/page.html ", EXTRACT, "page.html .*set TMPDIR"
    ),
    "a read-only temporary folder": Lack(
        _mounted("ro") + TEMPORARY, EXTRACT, "mounted .*set TMPDIR", True
    ),
    "a full temporary folder": Lack(
        _mounted("size=64k") + FILL + TEMPORARY, EXTRACT, "No space left|set TMPDIR", True
    ),
    "a clock that is set back": Lack(
        "(sleep 1; touch {folder}/clock) & LD_PRELOAD={folder}/clock.so SET_BACK={folder}/clock ",
        EXTRACT,
    ),
    "no shared memory": Lack(_mounted("ro", "/dev/shm"), EXTRACT, is_mounted=True),
    "full shared memory": Lack(_mounted("size=4k", "/dev/shm"), EXTRACT, is_mounted=True),
    "a read-only folder": Lack(_mounted("ro"), WRITE, "out.html: Read-only file system", True),
    "a full disk": Lack(_mounted("size=64k") + FILL, WRITE, "No space left", True),
    "a read-only folder for a batch": Lack(_mounted("ro"), BATCH, "Read-only file system", True),
    "a full disk for a batch": Lack(
        _mounted("size=128k") + FILL, BATCH, "No space left|disk I/O error|disk is full", True
    ),
}


async def surface_rows(only: tuple[str, ...]) -> AsyncIterator[Row]:
    """The rows of the attacks on files and inputs."""
    for name in SURFACE:
        if name.startswith(only):
            with tempfile.TemporaryDirectory() as folder:
                words = (sys.executable, str(ATTACKS), name, folder)
                code, output, seconds = await _run(words, ATTACK_SECONDS)
            last = (output.strip().splitlines() or ["ended by a limit"])[-1]
            held = code == 0
            yield Row(name, last if held else "broken", seconds, () if held else (last[:200],))


async def machine_rows(only: tuple[str, ...]) -> AsyncIterator[Row]:
    """The rows of the machines that lack something."""
    can_mount = await _can_mount()
    for name, lack in LACKS.items():
        title = f"machine: {name}"
        if not title.startswith(only):
            continue
        if lack.is_mounted and not can_mount:
            yield Row(title, "cannot be tried", 0.0, is_applicable=False)
            continue
        with tempfile.TemporaryDirectory() as folder:
            yield await _machine_row(title, lack, Path(folder))


async def _machine_row(title: str, lack: Lack, folder: Path) -> Row:
    (folder / "page.html").write_text(PAGE)
    (folder / "list.txt").write_text(f"{folder}/page.html\n")
    (folder / "mounted").mkdir()
    if COMPILER:
        clock_set_back_by(folder / "clock")
    command = f"{lack.before}{sys.executable} -m miolo {lack.words}".format(folder=folder)
    own = ("unshare", "--mount") if lack.is_mounted else ()
    code, output, seconds = await _run((*own, "bash", "-c", command), COMMAND_SECONDS)
    faults = []
    if code is None:
        faults.append("too late")
    elif code and not lack.expected:
        faults.append(f"exit code {code}: {output[-200:]}")
    elif code and not re.search(lack.expected, output):
        faults.append(f"the message does not name it: {output[-200:]}")
    if "Traceback" in output:
        faults.append("a traceback")
    last = (output.strip().splitlines() or [""])[-1]
    outcome = "extracted" if code == 0 else last.replace(str(folder), "…")
    return Row(title, outcome, seconds, tuple(faults))


async def name_rows(only: tuple[str, ...]) -> AsyncIterator[Row]:
    """The rows of the names that lead to a private address through other names."""
    if not any("names: ".startswith(each) or each.startswith("names: ") for each in only):
        return
    if not await _can_mount():
        yield Row("names: all", "cannot be tried", 0.0, is_applicable=False)
        return
    _, output, seconds = await _run((*COMMAND, "never", "always"), ATTACK_SECONDS)
    rows = [json.loads(line) for line in output.splitlines() if line.startswith('["names')]
    for name, outcome, its_seconds, held in rows:
        if name.startswith(only):
            yield Row(name, outcome, its_seconds, () if held else (outcome,))
    if len(rows) < 2 * len(CHAINS):
        yield Row("names: all", "ended early", seconds, (output[-200:],))


async def _can_mount() -> bool:
    if shutil.which("unshare") is None:
        return False
    words = ("unshare", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt")
    return (await _run(words, 10.0))[0] == 0


async def _run(words: tuple[str, ...], seconds: float) -> tuple[int | None, str, float]:
    """Exit code of a command, None if it is too late, its output, and its seconds."""
    started = monotonic()
    work = await asyncio.create_subprocess_exec(
        *words,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        async with asyncio.timeout(seconds):
            output, _ = await work.communicate()
    except TimeoutError:
        with suppress(ProcessLookupError):
            os.killpg(work.pid, signal.SIGKILL)
        await work.wait()
        return None, "", monotonic() - started
    return work.returncode, output.decode("utf-8", "replace"), monotonic() - started
