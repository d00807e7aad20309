"""`System`: anything that extracts an article from a page; Miolo's methods and its peers."""

from __future__ import annotations

import logging
import os
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from ..errors import MissingDependencyError, UnknownMethodError
from ..extract.methods.registry import find_method
from ..extract.pipeline import extract_snapshot
from ..extract.scoring import scored_text
from ..extract.warm_up import warm_up
from ..models.article.roles import DEFAULT_PRESET, Preset
from ..names import unknown_name
from ..output.extraction import Extraction
from ..renderer.page.elements import INLINE_TAGS
from ..renderer.page.encoding import decode_html
from ..renderer.page.snapshot import NOWHERE
from ..workers.system import is_root
from .case import Case, Page, Reads


@dataclass(frozen=True)
class Answer:
    """Text, title and date that a system extracted from a page; None if it returned none."""

    text: str = ""
    title: str | None = None
    date: str | None = None


Read = Callable[[bytes | str, str], Answer]


OfPage = Callable[[Case], Any]
"""Additional input of a method for each page: its site, or a model."""


@dataclass(frozen=True)
class OwnMethod:
    """A method of Miolo, with the site and the model with which it reads each page."""

    name: str
    method: str
    site: OfPage | None = None
    model: OfPage | None = None
    preset: Preset = DEFAULT_PRESET
    reads: Reads = "rendered"

    def __post_init__(self) -> None:
        find_method(self.method)

    def prepare(self, page: Page) -> Callable[[], Answer]:
        """Read the input of a page; return a function that extracts its article.

        Only the returned function is timed.
        """
        extract = self.extraction(page)
        return lambda: _answer(extract())

    def extraction(self, page: Page) -> Callable[[], Extraction]:
        """Like `prepare`, but the returned function returns the whole extraction."""
        warm_up(self.method)
        snapshot = page.snapshot()
        site = self.site(page.case) if self.site else None
        model = self.model(page.case) if self.model else None
        return lambda: extract_snapshot(
            snapshot, self.method, site=site, model=model, preset=self.preset
        )


def _answer(extraction: Extraction) -> Answer:
    return Answer(scored_text(extraction), extraction.title, extraction.date)


@dataclass(frozen=True)
class Peer:
    """Another extractor, by the name of its package, with one of its inputs."""

    package: str
    reads: Reads

    @property
    def name(self) -> str:
        """Package and input."""
        return f"{self.package} ({self.reads})"

    def prepare(self, page: Page) -> Callable[[], Answer]:
        """Like `OwnMethod.prepare`."""
        source = page.raw if self.reads == "raw" else page.markup
        read, url = PEERS[self.package].read, page.case.url or NOWHERE

        def quietly() -> Answer:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return read(source, url)

        return quietly


@dataclass(frozen=True)
class Kind:
    """How a peer is called and installed; `check` raises `ImportError` where it is missing."""

    check: Callable[[], object]
    read: Read
    install: str
    module: str = ""


def _of_python(package: str, module: str, read: Read) -> Kind:
    def check() -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import_module(module)

    return Kind(check, read, f"pip install {package}", module.partition(".")[0])


System = OwnMethod | Peer
"""Anything that extracts an article from a page, by a name that is unique in a run."""


def peer_systems(names: Sequence[str], reads: Sequence[Reads]) -> list[Peer]:
    """Systems of other packages, one for each name and input."""
    for name in names:
        if name not in PEERS:
            raise UnknownMethodError(unknown_name("peer", name, PEERS))
        try:
            PEERS[name].check()
        except ImportError as error:
            raise MissingDependencyError(
                f"{name} cannot be imported ({error}): {PEERS[name].install}"
            ) from None
        if module := PEERS[name].module:
            # Their warnings concern the pages, which cannot be corrected here.
            logging.getLogger(module).setLevel(logging.CRITICAL)
    return [Peer(name, kind) for name in names for kind in reads]


def _text(source: bytes | str) -> str:
    return source if isinstance(source, str) else decode_html(source)


# Peers in JavaScript extract from a parsed document in the Chromium that is already there. Their
# packages are read from a folder of npm packages and never fetched.

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


def _of_javascript(package: str, script: str, call: str) -> Kind:
    """A script for browsers in an npm package, and the JavaScript that extracts a document."""

    def file() -> Path:
        return Path(os.environ.get(FOLDER, "node_modules")) / package / script

    def check() -> None:
        try:
            file().stat()
        except OSError as error:
            raise ImportError(f"{FOLDER} is the folder of npm packages: {error}") from None

    def read(source: bytes | str, url: str) -> Answer:
        values = [_text(source), url]
        tab = _thread().submit(_tab, file())
        found = _thread().submit(lambda: tab.result().evaluate(PARSE % call, values)).result()
        text = _text_of(found["html"]) if found["html"].strip() else ""
        return Answer(text, found["title"], found["date"] or None)

    return Kind(check, read, f"npm install {package}")


@cache
def _thread() -> ThreadPoolExecutor:
    """The thread of the browser, whose event loop is in nobody's way."""
    return ThreadPoolExecutor(1, "javascript-peers")


@cache
def _tab(script: Path) -> Any:
    """A page with the script of a peer."""
    tab = _browser().new_page()
    tab.add_script_tag(path=script)
    return tab


@cache
def _browser() -> Any:
    from playwright.sync_api import sync_playwright

    from ..renderer.browser.chromium import find_chromium

    # Playwright's driver ends with this process, and the browser with it.
    playwright = sync_playwright().start()
    found = find_chromium(playwright.chromium.executable_path)
    return playwright.chromium.launch(executable_path=found.path, chromium_sandbox=not is_root())


def _trafilatura(source: bytes | str, url: str) -> Answer:
    from trafilatura import bare_extraction

    document: Any = bare_extraction(source, url=url, include_comments=False, with_metadata=True)
    return (
        Answer() if document is None else Answer(document.text or "", document.title, document.date)
    )


def _readability(source: bytes | str, url: str) -> Answer:
    from readability import Document

    # It would guess the encoding by the detector that happens to be installed.
    page: Any = Document(_text(source), url=url)
    return Answer(_text_of(page.summary(html_partial=True)), page.short_title())


def _text_of(html: str) -> str:
    """Text of an answer in HTML; line breaks around blocks keep words of adjacent blocks apart."""
    from lxml.html import fromstring

    body = fromstring(html)
    for element in body.iter():
        if isinstance(element.tag, str) and element.tag not in INLINE_TAGS:
            element.text = "\n" + (element.text or "")
            element.tail = "\n" + (element.tail or "")
        elif element.tag == "br":
            element.tail = "\n" + (element.tail or "")
    return body.text_content()


def _newspaper(source: bytes | str, url: str) -> Answer:
    from newspaper import Article

    article: Any = Article(url, fetch_images=False)
    article.download(input_html=_text(source))
    article.parse()
    return Answer(article.text, article.title, str(article.publish_date or "") or None)


def _resiliparse(source: bytes | str, url: str) -> Answer:
    from resiliparse.extract.html2text import extract_plain_text

    return Answer(extract_plain_text(_text(source), main_content=True, alt_texts=False))


def _justext(source: bytes | str, url: str) -> Answer:
    from justext import justext

    paragraphs: Any = justext(_text(source), _stop_words())
    return Answer("\n".join(each.text for each in paragraphs if not each.is_boilerplate))


@cache
def _stop_words() -> frozenset[str]:
    """Stop words of all languages of jusText, because the language of a page is unknown."""
    from justext import get_stoplist, get_stoplists

    return frozenset(word for name in get_stoplists() for word in get_stoplist(name))


def _run_goose(source: bytes | str, url: str) -> Answer:
    from goose3 import Goose

    with Goose({"enable_image_fetching": False}) as goose:
        article: Any = goose.extract(raw_html=_text(source))
    return Answer(article.cleaned_text, article.title, str(article.publish_date or "") or None)


PEERS = {
    "trafilatura": _of_python("trafilatura", "trafilatura", _trafilatura),
    "readability-lxml": _of_python("readability-lxml", "readability", _readability),
    "newspaper4k": _of_python("newspaper4k", "newspaper", _newspaper),
    "resiliparse": _of_python("resiliparse", "resiliparse.extract.html2text", _resiliparse),
    "justext": _of_python("justext", "justext", _justext),
    "goose3": _of_python("goose3", "goose3", _run_goose),
    "readability.js": _of_javascript(
        "@mozilla/readability",
        "Readability.js",
        """(page) => {
          const found = new Readability(page).parse();
          return found && {...found, date: found.publishedTime};
        }""",
    ),
    "defuddle": _of_javascript(
        "defuddle",
        "dist/index.js",
        """(page, url) => {
          const found = new Defuddle(page, {url}).parse();
          return {...found, date: found.published};
        }""",
    ),
}
"""All peers by name."""
