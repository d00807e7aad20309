"""Pictures of the inspector for the documentation, light and dark.

The page is that of `examples/roles`.

    python benchmarks/inspector_pictures.py [--output docs/images]

Writes ``inspector.png`` and ``inspector-dark.png``.
"""

from __future__ import annotations

import re
import sys
from argparse import ArgumentParser
from pathlib import Path
from urllib.parse import quote

from miolo.evaluate.rendering import serve_folder
from miolo.renderer.browser.chromium import find_chromium
from miolo.workers.system import is_root
from playwright.sync_api import Browser, Page, expect, sync_playwright

ROOT = Path(__file__).resolve().parents[1]
sys.path += [str(ROOT / "tests" / "shared")]

from services import serving_miolo  # noqa: E402

SIZE = (1440, 1200)
ZOOM_OUT = 1
FILES = {"light": "inspector.png", "dark": "inspector-dark.png"}


def main() -> None:
    """Take the pictures."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=Path("docs/images"))
    folder = parser.parse_args().output
    with (
        serve_folder(ROOT / "examples" / "roles") as origin,
        serving_miolo("--workers", "1", "--allow", "127.0.0.1") as service,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(
            executable_path=find_chromium(playwright.chromium.executable_path).path,
            chromium_sandbox=not is_root(),
        )
        address = quote(f"{origin}/page.html", safe="")
        link = f"{service.url}/?url={address}"
        for scheme, name in FILES.items():
            open_inspector(browser, link, scheme).screenshot(path=folder / name)
        browser.close()


def open_inspector(browser: Browser, link: str, scheme: str) -> Page:
    """Open the page in the inspector, with the reasons for one block."""
    width, height = SIZE
    page = browser.new_page(
        color_scheme="dark" if scheme == "dark" else "light",
        viewport={"width": width, "height": height},
    )
    page.goto(link)
    expect(page.get_by_role("status")).to_contain_text("blocks kept", timeout=60_000)
    for _ in range(ZOOM_OUT):
        page.get_by_role("button", name="Zoom out").click()
    page.get_by_role("option", name=re.compile("^caption,")).first.click()
    page.locator("#desk").evaluate("(desk) => desk.scrollTo(0, 0)")
    page.mouse.move(0, 0)
    page.evaluate("document.activeElement.blur()")
    return page


if __name__ == "__main__":
    main()
