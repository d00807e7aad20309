"""A process that outlives the owner of a browser and ends the browser if the owner dies.

    python -m miolo.renderer.browser.keeper PID

A browser's driver ends when its pipe closes, and then closes the browser, but a page may have
brought the browser to a halt. The keeper reads another pipe of the owner's. If that pipe closes
without a message, the driver, whose process ID is given, and all its descendants have a moment to
end by themselves before they are killed.
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


class Keeper:
    """The owner's handle of a keeper process."""

    def __init__(self, browser: psutil.Process) -> None:
        driver = browser
        while driver.ppid() != os.getpid():
            driver = psutil.Process(driver.ppid())
        command = [sys.executable, "-P", "-m", __name__, str(driver.pid)]
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


def main() -> None:
    """Wait for the end of standard input, then make sure that the processes end."""
    driver = psutil.Process(int(sys.argv[1]))
    if sys.stdin.buffer.read(1):
        return
    processes = family(driver)
    psutil.wait_procs(processes, GRACE_SECONDS)
    kill_processes([*processes, *family(driver)])
    psutil.wait_procs(processes, GONE_SECONDS)
    scratch = own_scratch()
    if scratch is not None:
        remove_scratch(scratch)


if __name__ == "__main__":
    main()
