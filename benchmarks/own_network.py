"""Runs the program in its own network namespace, which has only loopback."""

from __future__ import annotations

import fcntl
import os
import shutil
import socket
import struct
import subprocess
import sys

__all__ = ["enter_own_network", "raise_loopback"]

INSIDE = "MIOLO_OWN_NETWORK"

SIOCSIFFLAGS, IFF_UP = 0x8914, 0x1


def enter_own_network() -> bool:
    """Restart the program in a network namespace, if the kernel supports that.

    Returns
    -------
    Whether the program now runs in a namespace. If that is not possible, it continues without one.
    """
    if os.environ.get(INSIDE):
        raise_loopback()
        return True
    command = _unshare()
    if command is not None:
        os.environ[INSIDE] = "1"
        os.execvp(command[0], [*command, sys.executable, *sys.argv])
    print("no network namespace: attacks share the machine's network", file=sys.stderr)
    return False


def _unshare() -> list[str] | None:
    """The command that starts another command in a namespace; None if it fails."""
    # Users other than root need a user namespace. They keep their identity in it, since Chromium
    # would have no sandbox as root.
    user = [] if os.geteuid() == 0 else ["--user", "--map-current-user", "--keep-caps"]
    command = ["unshare", "--net", *user]
    if shutil.which("unshare") is None:
        return None
    tried = subprocess.run([*command, "true"], capture_output=True, check=False)
    return command if tried.returncode == 0 else None


def raise_loopback() -> None:
    """Raise the loopback interface of this network namespace."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        request = struct.pack("16sh14x", b"lo", IFF_UP)
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, request)
