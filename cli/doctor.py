"""`miolo doctor` and `install`: check and install what rendering needs."""

from __future__ import annotations

import asyncio
import platform
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec

import typer

from ..errors import MioloError
from ..version import __version__


def install() -> None:
    """Install Chromium, from Playwright or from the system's packages, unless one works."""
    from ..extract.methods.registry import METHODS
    from ..extract.warm_up import warm_up
    from ..renderer.browser.chromium import install_chromium

    finding = asyncio.run(_browser())
    if finding.fatal:
        for step in install_chromium():
            typer.echo(step, err=True)
        finding = asyncio.run(_browser())
    if find_spec("numba"):
        typer.echo("compiling the code of the methods", err=True)
        for name, method in METHODS.items():
            if not method.needs_site:
                warm_up(name)
    _report([finding])


def doctor() -> None:
    """Check what is installed and what is missing."""
    browser = asyncio.run(_browser())
    _report([*_versions(), _numba(), browser, _sandbox(), _fonts(), _shared_memory()])


def _report(findings: Sequence[Finding]) -> None:
    for finding in findings:
        typer.echo(f"{'ok' if finding.ok else '!!'}  {finding.subject:<14} {finding.text}")
    if any(finding.fatal for finding in findings):
        raise typer.Exit(3)


# Chromium needs this much shared memory for a large page; containers give 64 MB by default.
SHARED_MEMORY = 256 << 20


@dataclass(frozen=True)
class Finding:
    """The result of one check."""

    subject: str
    text: str
    ok: bool = True
    fatal: bool = False


def _versions() -> list[Finding]:
    names = ("playwright", "numpy", "lxml", "beautifulsoup4", "rapidfuzz")
    libraries = ", ".join(f"{name} {version(name)}" for name in names)
    return [
        Finding("miolo", f"{__version__} on Python {platform.python_version()}"),
        Finding("libraries", libraries),
    ]


def _numba() -> Finding:
    if not find_spec("numba"):
        text = "not installed (the extra 'fast'): comparing pages takes far longer"
        return Finding("numba", text, ok=False)
    return Finding("numba", version("numba"))


async def _browser() -> Finding:
    from playwright.async_api import async_playwright

    from ..renderer.browser.chromium import find_chromium, launch

    async with async_playwright() as playwright:
        try:
            chromium = find_chromium(playwright.chromium.executable_path)
            browser = await launch(playwright)
        except MioloError as error:
            return Finding("chromium", str(error), ok=False, fatal=True)
        try:
            text = f"{browser.version} at {chromium.path} ({chromium.source})"
            return Finding("chromium", text)
        finally:
            await browser.close()


def _sandbox() -> Finding:
    from ..workers.system import is_root

    if is_root():
        return Finding("sandbox", "off: not available to root; run as another user", ok=False)
    return Finding("sandbox", "on")


def _fonts() -> Finding:
    lister = shutil.which("fc-list")
    if not lister:
        return Finding("CJK fonts", "unknown: fontconfig is not installed", ok=False)
    listing = subprocess.run([lister, ":lang=zh", "family"], capture_output=True, check=False)
    families = sorted(set(listing.stdout.decode(errors="replace").split("\n")) - {""})
    if not families:
        return Finding(
            "CJK fonts", "none: install fonts-noto-cjk for Chinese and Japanese pages", ok=False
        )
    return Finding("CJK fonts", families[0])


def _shared_memory() -> Finding:
    try:
        free = shutil.disk_usage("/dev/shm").free
    except OSError:
        return Finding(
            "shared memory", "/dev/shm does not exist; Chromium will use files", ok=False
        )
    text = f"{free >> 20:,} MB free in /dev/shm"
    if free < SHARED_MEMORY:
        return Finding("shared memory", f"{text}, too little; Chromium will use files", ok=False)
    return Finding("shared memory", text)
