"""Peers in JavaScript, which extract from a parsed document in the Chromium that is already there.

Their packages are read from a folder of npm packages and never fetched.
"""

from __future__ import annotations

import json
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ..workers.system import is_root

__all__ = ["JAVASCRIPT_PEERS", "JavaScriptPeer"]

FOLDER = "MIOLO_NODE_MODULES"
"""Environment variable with the folder of npm packages; by default ``node_modules``."""

# The document is parsed and not opened: none of its scripts runs, and nothing is fetched.
PARSE = """([html, url]) => {
  const page = new DOMParser().parseFromString(html, "text/html");
  if (!page.querySelector("base[href]")) {
    const base = page.createElement("base");
    base.href = url;
    page.head.prepend(base);
  }
  const found = (%s)(page, url) || {};
  return {html: found.content || "", title: found.title || "", date: found.date || ""};
}"""


@dataclass(frozen=True)
class JavaScriptPeer:
    """An extractor among npm packages.

    Attributes
    ----------
    package
        Name of the npm package.
    script
        Path of its script for browsers, within the package.
    call
        Function of JavaScript that extracts the article of a document with an address.
    """

    package: str
    script: str
    call: str

    @property
    def folder(self) -> Path:
        """Folder of the package."""
        return Path(os.environ.get(FOLDER, "node_modules")) / self.package

    def version(self) -> str:
        """Version of the package.

        Raises
        ------
        ImportError
            The package is not in the folder.
        """
        try:
            (self.folder / self.script).stat()
            return json.loads((self.folder / "package.json").read_text("utf-8"))["version"]
        except OSError as error:
            raise ImportError(f"{FOLDER} is the folder of npm packages: {error}") from None

    def extract(self, markup: str, url: str) -> dict[str, str]:
        """HTML, title and date of the article; empty where the peer finds none."""
        return _thread().submit(self._extract, markup, url).result()

    def _extract(self, markup: str, url: str) -> dict[str, str]:
        return _tab(self).evaluate(PARSE % self.call, [markup, url])


JAVASCRIPT_PEERS = {
    "readability.js": JavaScriptPeer(
        "@mozilla/readability",
        "Readability.js",
        """(page) => {
          const found = new Readability(page).parse();
          return found && {...found, date: found.publishedTime};
        }""",
    ),
    "defuddle": JavaScriptPeer(
        "defuddle",
        "dist/index.js",
        """(page, url) => {
          const found = new Defuddle(page, {url}).parse();
          return {...found, date: found.published};
        }""",
    ),
}
"""Peers in JavaScript by name."""


@cache
def _thread() -> ThreadPoolExecutor:
    """The thread of the browser, whose event loop is in nobody's way."""
    return ThreadPoolExecutor(1, "javascript-peers")


@cache
def _tab(peer: JavaScriptPeer) -> Any:
    """A page with the peer's script."""
    tab = _browser().new_page()
    tab.add_script_tag(path=peer.folder / peer.script)
    return tab


@cache
def _browser() -> Any:
    from playwright.sync_api import sync_playwright

    from ..renderer.browser.chromium import find_chromium

    # Playwright's driver ends with this process, and the browser with it.
    playwright = sync_playwright().start()
    found = find_chromium(playwright.chromium.executable_path)
    return playwright.chromium.launch(executable_path=found.path, chromium_sandbox=not is_root())
