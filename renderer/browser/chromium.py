"""Finds, installs and starts a Chromium, with all of its switches."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import BrowserNotFoundError
from ...workers.system import chromium_paths, is_root
from ..network.resolver import RULES_SWITCH

if TYPE_CHECKING:
    from playwright.async_api import Browser, Playwright

# The headless shell comes first: it opens a page in a fifth of the time of the full browser, which
# creates a window with two pages of its own for each context.
SYSTEM_NAMES = (
    "chromium-headless-shell", "chromium", "chromium-browser", "google-chrome-stable",
    "google-chrome",
)  # fmt: skip

# Tried in turn. Without `fonts-noto-cjk` Chinese and Japanese are laid out as boxes.
DEBIAN_PACKAGES = (("chromium-headless-shell", "fonts-noto-cjk"), ("chromium", "fonts-noto-cjk"))

# Proxy of pages that may fetch nothing. Nothing listens there, so requests that bypass the
# interceptor fail.
DEAD_PROXY = "http://127.0.0.1:9"

# By default Chromium bypasses a proxy for this machine's own addresses.
EVEN_LOOPBACK = "<-loopback>"

SWITCHES = (
    # Connections that the browser makes for itself and no page needs.
    "--disable-quic",
    "--disable-domain-reliability",
    "--no-pings",
    # A page may not connect to devices, nor to peers by anything but HTTP.
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--deny-permission-prompts",
    "--disable-print-preview",
    # Nobody hears the sound, and the client of a sound server leaves a folder behind.
    "--disable-audio-output",
    # Painting is done in software either way; a process for it takes 4 % of a page's time.
    "--disable-gpu",
    # A page may be drawn at our command, without being painted (`Frames`).
    "--run-all-compositor-stages-before-draw",
    # Small shared memory (a container's 64 MB) crashes renderers.
    "--disable-dev-shm-usage",
)

# Switches that Playwright sets for testing. With them, a page that endlessly opens windows or
# navigates is not throttled, and blocks the browser with all its pages.
UNWANTED = ("--disable-ipc-flooding-protection", "--disable-popup-blocking")

# Switches that cut Chromium's own network off, since contexts with their own proxies do not need
# it. If a switch is given twice, the last one applies.
SEALED = (
    # WebRTC would resolve the names of its servers outside of any proxy.
    f"{RULES_SWITCH}MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    # For requests that belong to no page, such as updates; nothing listens there.
    f"--proxy-server={DEAD_PROXY}",
    f"--proxy-bypass-list={EVEN_LOOPBACK}",
)


@dataclass(frozen=True)
class Chromium:
    """A browser that can be started."""

    path: str
    source: str


def find_chromium(playwright_path: str | None = None) -> Chromium:
    """First browser found: ``MIOLO_CHROMIUM``, Playwright's own (if it exists), the system's."""
    custom_path = os.environ.get("MIOLO_CHROMIUM")
    if custom_path:
        if not Path(custom_path).is_file():
            raise BrowserNotFoundError(f"MIOLO_CHROMIUM names {custom_path}, which is not a file")
        return Chromium(custom_path, "MIOLO_CHROMIUM")
    if playwright_path and Path(playwright_path).is_file():
        return Chromium(playwright_path, "playwright")
    for name in SYSTEM_NAMES:
        executable = shutil.which(name)
        if executable:
            return Chromium(executable, "system")
    for path in chromium_paths():
        if path.is_file():
            return Chromium(str(path), "system")
    raise BrowserNotFoundError(
        "no Chromium found: run `miolo install`, or set MIOLO_CHROMIUM to its executable"
    )


def install_chromium() -> Iterable[str]:
    """Install a browser, Playwright's own or else the system's; yields a message for each step."""
    yield "installing Playwright's Chromium"
    if _runs([sys.executable, "-m", "playwright", "install", "chromium"]):
        return
    apt = shutil.which("apt-get")
    if apt:
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        _runs([apt, "update"], environment)
        for packages in DEBIAN_PACKAGES:
            yield f"Playwright's is out of reach; installing {' and '.join(packages)}"
            if _runs([apt, "install", "-y", *packages], environment):
                return
    raise BrowserNotFoundError(
        "could not install a Chromium: install the package `chromium` with your system's "
        "package manager (as root), or set MIOLO_CHROMIUM to an executable"
    )


def _runs(command: list[str], environment: dict[str, str] | None = None) -> bool:
    done = subprocess.run(command, env=environment, capture_output=True, check=False)
    return done.returncode == 0


async def launch(
    playwright: Playwright, *, extra_switches: tuple[str, ...] = (), sealed: bool = False
) -> Browser:
    """Start a headless Chromium, with its sandbox unless this process runs as root.

    A `sealed` one resolves no names, and connects to nothing but the proxies of pages.
    """
    from playwright.async_api import Error as PlaywrightError

    chromium = find_chromium(playwright.chromium.executable_path)
    try:
        return await playwright.chromium.launch(
            executable_path=chromium.path,
            chromium_sandbox=not is_root(),
            ignore_default_args=list(UNWANTED),
            args=[*SWITCHES, *extra_switches, *(SEALED if sealed else ())],
            # Signals are handled by the owner, which closes the browser when it exits.
            handle_sigint=False,
        )
    except PlaywrightError as error:
        cause = error.message.splitlines()[0]
        raise BrowserNotFoundError(
            f"{chromium.path} does not start ({cause}): see `miolo doctor`"
        ) from error
