"""A process that outlives the owner of a browser and ends the browser if the owner dies.

A browser's driver ends when its pipe closes, and then closes the browser, but a page may have
brought the browser to a halt. The keeper reads another pipe of the owner's. If that pipe closes
without a message, the driver and the browser, with all their descendants, have a moment to end by
themselves before they are killed. Until then the keeper imports nothing: every browser starts one.
"""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress

import psutil

from ...workers.processes import family, kill_processes, own_scratch, remove_scratch
from ...workers.system import STARTS_SESSION

GRACE_SECONDS = 2.0

# Seconds for killed processes to disappear; one that nobody waits for stays in the process table
# for longer.
GONE_SECONDS = 0.5

RELEASED = b"."

WAIT = f"""import sys
if not sys.stdin.buffer.read(1):
    import site
    site.main()
    from {__name__} import end_processes
    end_processes(sys.argv[1:])
"""


class Keeper:
    """The owner's handle of a keeper process."""

    def __init__(self, browser: psutil.Process) -> None:
        driver = browser
        while driver.ppid() != os.getpid():
            driver = psutil.Process(driver.ppid())
        # A process ID may be used again, but not for a process that started at the same time.
        names = [f"{each.pid}:{each.create_time()}" for each in (driver, browser)]
        command = [sys.executable, "-P", "-S", "-c", WAIT, *names]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            # A Ctrl-C at a terminal is for the owner alone.
            start_new_session=STARTS_SESSION,
        )

    def release(self) -> None:
        """End the keeper, because the browser has ended; blocks until the keeper is gone."""
        with suppress(BrokenPipeError, subprocess.TimeoutExpired):
            self._process.communicate(RELEASED, timeout=GRACE_SECONDS)
        self._process.kill()
        self._process.wait()


def end_processes(names: list[str]) -> None:
    """Make sure that processes, named by ID and start, and all their descendants end."""
    heads: list[psutil.Process] = []
    for number, _, start in (name.partition(":") for name in names):
        with suppress(psutil.Error):
            heads.append(psutil.Process(int(number)))
            if heads[-1].create_time() != float(start):
                heads.pop()

    def processes() -> list[psutil.Process]:
        return list(dict.fromkeys(each for head in heads for each in family(head)))

    first = processes()
    psutil.wait_procs(first, GRACE_SECONDS)
    kill_processes([*first, *processes()])
    psutil.wait_procs(first, GONE_SECONDS)
    scratch = own_scratch()
    if scratch is not None:
        remove_scratch(scratch)
