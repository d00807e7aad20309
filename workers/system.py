"""Differences between Linux, macOS and Windows: file locks, signals, process groups, limits.

No other module imports a module that one of the three lacks.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from time import sleep
from typing import IO, Any

try:
    import resource
except ModuleNotFoundError:  # Windows
    resource = None

try:
    import fcntl
except ModuleNotFoundError:  # Windows
    fcntl = None

IS_LINUX = sys.platform == "linux"

# Exit code of a process that the kernel ended for exceeding its CPU time; 0 where the system has no
# such signal.
OUT_OF_PROCESSOR_TIME = -int(getattr(signal, "SIGXCPU", 0))

STARTS_SESSION = sys.platform != "win32"
"""Value of `subprocess`'s ``start_new_session``, so that a Ctrl-C does not reach the child."""

PR_SET_PDEATHSIG = 1

MOMENT = 0.05  # seconds after which a lock is tried again
ONE_BYTE = 1  # number of bytes of a file that are locked on Windows: the first one

MAC_BROWSERS = (
    "Chromium.app/Contents/MacOS/Chromium",
    "Google Chrome.app/Contents/MacOS/Google Chrome",
    "Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
)
WINDOWS_BROWSERS = (
    "Chromium/Application/chrome.exe",
    "Google/Chrome/Application/chrome.exe",
    "Microsoft/Edge/Application/msedge.exe",
)


def kill_with_parent() -> None:
    """Have the kernel kill this process when the thread that started it ends.

    Only Linux supports this. On other systems a process ends by itself when its standard input
    ends, unless code that never returns keeps it from noticing.
    """
    if IS_LINUX:
        import ctypes

        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def lock_file(file: IO[Any]) -> None:
    """Lock an open file for this process until it is closed; raise `OSError` if another has locked
    it.
    """
    try:
        _lock(file)
    except OSError:
        # `is_locked` holds the lock for a moment.
        sleep(MOMENT)
        _lock(file)


def is_locked(path: Path) -> bool:
    """Whether a process has locked a file; False if the file cannot be opened."""
    try:
        file = path.open("rb")
    except OSError:
        return False
    with file:
        try:
            _lock(file, shared=True)
        except OSError:
            return True
    return False


def _lock(file: IO[Any], *, shared: bool = False) -> None:
    """Lock a file; with `shared` others may lock it so too, where the system supports this."""
    if fcntl is not None:
        fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        return
    import msvcrt

    windows: Any = msvcrt
    file.seek(0)
    windows.locking(file.fileno(), windows.LK_NBLCK, ONE_BYTE)


def is_root() -> bool:
    """Whether this process runs as root; False on systems without such a user."""
    user = getattr(os, "geteuid", None)
    return user is not None and user() == 0


def chromium_paths(system: str = sys.platform) -> list[Path]:
    """Usual paths of browsers on macOS and Windows, which do not put them on the search path."""
    if system == "darwin":
        folders = [Path("/Applications"), Path.home() / "Applications"]
        return [folder / name for name in MAC_BROWSERS for folder in folders]
    if system == "win32":
        names = ("PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA")
        roots = [Path(os.environ[name]) for name in names if os.environ.get(name)]
        return [root / name for name in WINDOWS_BROWSERS for root in roots]
    return []
