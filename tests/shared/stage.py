"""The local news site, and a renderer that synchronous tests can call."""

import asyncio
import io
import signal
import threading
from collections.abc import Sequence

import miolo
import numpy as np
import pytest
from hypothesis import settings
from newsroom import PAGES, ROUTES, NewsSite, Page
from patience import patient
from PIL import Image

# Examples have no deadline, since tests run on machines of any speed. Each property is tested with
# the same examples in every run; `--hypothesis-profile search` looks for others.
settings.register_profile("search", deadline=None, max_examples=1000)
settings.register_profile("thorough", deadline=None, max_examples=300, derandomize=True)
settings.register_profile("miolo", deadline=None, max_examples=15, derandomize=True)
settings.load_profile("miolo")

# Number of pages that are rendered at a time if a test needs many.
CONCURRENCY = 4

# Tests reach nothing but loopback, whatever a page requests.
OFFLINE = ("--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",)


def codes(snapshot: miolo.Snapshot) -> set[str]:
    """Codes of the warnings of a page."""
    return {warning.code for warning in snapshot.page.warnings}


def visible_text(snapshot: miolo.Snapshot) -> str:
    """Texts that a page shows, with single spaces."""
    pairs = zip(snapshot.text, snapshot.visible, strict=True)
    return " ".join(" ".join(text for text, shown in pairs if shown).split())


def pixels(data: bytes) -> np.ndarray:
    """Pixels of a PNG; uint8, shape (height, width, 3)."""
    with Image.open(io.BytesIO(data), formats=["PNG"]) as image:
        return np.asarray(image.convert("RGB"))


def picture(snapshot: miolo.Snapshot) -> np.ndarray:
    """Pixels of the screenshot; see `pixels`."""
    assert snapshot.screenshot
    return pixels(snapshot.screenshot)


class Stage:
    """The site, an event loop in a thread, and one renderer in this loop."""

    def __init__(self, site: NewsSite) -> None:
        self.site = site
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self._thread.start()
        self.renderer = miolo.Renderer(
            miolo.RenderOptions(egress=miolo.EgressPolicy("named")), switches=OFFLINE
        )
        self._known: dict[str, miolo.Snapshot] = {}

    def run(self, work):
        """Result of a coroutine."""
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(patient(60))

    def url(self, name: str) -> str:
        """URL of a page, given its kind, a route, a path, or the URL itself."""
        if name in PAGES:
            return self.site.url(PAGES[name])
        if "://" in name:
            return name
        return self.site.url(ROUTES.get(name, name))

    def render(self, name: str, into: list | None = None, **options) -> miolo.Snapshot:
        """Snapshot of a page of the site; with default options each page is rendered only once.

        Its exchanges are added to a list.
        """
        if into is None and not options and name in self._known:
            return self._known[name]
        chosen = miolo.RenderOptions(**{"egress": miolo.EgressPolicy("named"), **options})
        snapshot = self.run(self.renderer.render(self.url(name), chosen, into=into))
        if not options and name in PAGES:
            self._known[name] = snapshot
        return snapshot

    def render_all(self, urls: list[str]) -> list[miolo.Snapshot]:
        """Snapshots of URLs, several of which are rendered at a time."""

        async def rendered() -> list[miolo.Snapshot]:
            places = asyncio.Semaphore(CONCURRENCY)

            async def one(url: str) -> miolo.Snapshot:
                async with places:
                    return await self.renderer.render(url)

            return await asyncio.gather(*map(one, urls))

        return self.run(rendered())

    def articles(self, pages: Sequence[Page]) -> list[miolo.Snapshot]:
        """Snapshots of articles of the site."""
        new = [page.path for page in pages if page.path not in self._known]
        self._known.update(zip(new, self.render_all([*map(self.url, new)]), strict=True))
        return [self.render(page.path) for page in pages]

    def html(self, source: str | bytes, url: str = "https://page.invalid/", **options):
        """Snapshot of HTML."""
        chosen = miolo.RenderOptions(**{"egress": miolo.EgressPolicy("named"), **options})
        return self.run(self.renderer.render_html(source, url=url, options=chosen))

    def close(self) -> None:
        self.run(self.renderer.close())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join()
        self.loop.close()


@pytest.fixture(scope="session")
def site():
    with NewsSite() as running:
        yield running


@pytest.fixture(scope="session")
def stage(site):
    ready = Stage(site)
    yield ready
    ready.close()


@pytest.fixture
def handles_ctrl_c():
    """Programs that a test starts do not ignore SIGINT.

    A shell without job control starts background processes that ignore SIGINT, and so do all their
    descendants. Such a program would wait for its page until the deadline.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
