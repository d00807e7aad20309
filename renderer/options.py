"""`RenderOptions`: how a page is rendered, in one frozen object."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

from .network.policy import EgressPolicy

__all__ = ["BrowserUse", "Limits", "RenderOptions"]

BrowserUse = Literal["always", "auto", "never"]
Wait = Literal["settle", "load", "dom"]


@dataclass(frozen=True)
class Limits:
    """What one page may cost. Past a limit the page ends early, with a warning.

    Attributes
    ----------
    seconds
        Wall time of the whole page, capture and screenshot included.
    response_bytes
        Bytes received for the page and all it loads, decoded.
    nodes
        Nodes of the snapshot; the rest, in document order, is left out.
    depth
        Levels of the snapshot; what lies deeper is left out.
    screenshot_pixels
        Pixels of the screenshot; the bottom of a taller page is left out.
    pdf_pages
        Pages of the PDF; what comes later is left out.
    """

    seconds: float = 30.0
    response_bytes: int = 64 << 20
    nodes: int = 200_000
    depth: int = 20_000
    screenshot_pixels: int = 40_000_000
    pdf_pages: int = 200


@dataclass(frozen=True)
class RenderOptions:
    """How a page is rendered.

    Attributes
    ----------
    browser
        ``"always"``: every page is rendered. ``"never"``: pages are read from the HTML that their
        server sends, without scripts, geometry and pictures; no browser starts. ``"auto"``: a page
        that is extracted is read without a browser first, and rendered if that cannot be trusted
        (see `miolo.extract.plain`); a page that is only rendered is as with ``"always"``.
    viewport
        Width and height, CSS px.
    javascript
        Whether the page's scripts run.
    user_agent, locale, timezone
        What the page is told; None leaves Chromium's own.
    headers
        Sent with every request.
    cookies
        In Playwright's form: mappings with name, value, and url or domain and path.
    storage_state
        Playwright's storage state, as a mapping or as a file's path.
    proxy
        Server that all requests go through, such as ``"http://127.0.0.1:3128"``. It resolves
        names itself, so whom a page reaches is then for it to decide; see `docs/egress.md`.
    egress
        Whom the page may reach.
    wait
        ``"settle"``: the visible text has stopped growing; ``"load"``: the load event;
        ``"dom"``: the document is parsed.
    settle_seconds
        Cap on settling.
    scroll
        Screens to scroll down, for content that loads lazily; 0 for none.
    color_scheme
        ``"light"`` or ``"dark"``: what the page learns of its reader's preference.
    screenshot
        Whether to take the picture of the whole page.
    hide_overlays
        Whether layers that lie over the page's text, such as a consent dialog or a decorative
        canvas, are left out of the picture. The snapshot has them all the same.
    pdf
        Whether to print the page.
    fetch
        Whether `render_html` may load what the HTML refers to.
    reuse
        Whether the page may be opened in the tab of an earlier page of its very origin, cleared of
        cookies, storage, name and history: half the work, and what pages of a site share is
        fetched once. What is given cookies, is recorded or pictured has a context of its own.
    limits
        What the page may cost.

    Raises
    ------
    ValueError
        A screenshot is wanted of a page that may be read without a browser.
    """

    browser: BrowserUse = "always"
    viewport: tuple[int, int] = (1280, 1024)
    javascript: bool = True
    user_agent: str | None = None
    locale: str | None = None
    timezone: str | None = None
    headers: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    cookies: tuple[Mapping[str, Any], ...] = ()
    storage_state: Mapping[str, Any] | str | None = None
    proxy: str | None = None
    # What changes no page is kept out of what tells collections apart.
    egress: EgressPolicy = field(default_factory=EgressPolicy, repr=False)
    wait: Wait = "settle"
    settle_seconds: float = 8.0
    scroll: int = 0
    color_scheme: Literal["light", "dark"] = "light"
    screenshot: bool = False
    hide_overlays: bool = False
    pdf: bool = False
    fetch: bool = False
    reuse: bool = field(default=False, repr=False)
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        if self.screenshot and self.browser != "always":
            raise ValueError("a page that may be read without a browser has no screenshot")

    @property
    def is_filtered(self) -> bool:
        """Whether every connection of the page is made, and checked, by Miolo."""
        return not self.proxy and self.egress.is_filter

    def __getstate__(self) -> dict[str, Any]:
        # Options travel between processes, and a read-only view of a mapping does not.
        return {**self.__dict__, "headers": dict(self.headers)}
