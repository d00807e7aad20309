"""Runs the program in a network namespace of its own, which has loopback and nothing else."""

from __future__ import annotations

import fcntl
import os
import shutil
import socket
import struct
import subprocess
import sys

__all__ = ["enter_own_network"]

INSIDE = "MIOLO_OWN_NETWORK"

SIOCSIFFLAGS, IFF_UP = 0x8914, 0x1


def enter_own_network() -> bool:
    """Start the program again in a network namespace, where the kernel has them.

    Returns
    -------
    Whether the program runs in one now. Where that is not possible it goes on as it is.
    """
    if os.environ.get(INSIDE):
        _raise_loopback()
        return True
    command = _unshare()
    if command is not None:
        os.environ[INSIDE] = "1"
        os.execvp(command[0], [*command, sys.executable, *sys.argv])
    print("no network namespace: attacks share the machine's network", file=sys.stderr)
    return False


def _unshare() -> list[str] | None:
    """The command that starts another in a namespace; None where it fails."""
    # Other users need a user namespace, in which they stay who they are: as root Chromium would
    # have no sandbox.
    user = [] if os.geteuid() == 0 else ["--user", "--map-current-user", "--keep-caps"]
    command = ["unshare", "--net", *user]
    if shutil.which("unshare") is None:
        return None
    tried = subprocess.run([*command, "true"], capture_output=True, check=False)
    return command if tried.returncode == 0 else None


def _raise_loopback() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        request = struct.pack("16sh14x", b"lo", IFF_UP)
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, request)
