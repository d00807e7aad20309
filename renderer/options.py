"""`RenderOptions`: how a page is rendered, in one frozen object."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Literal

from .network.policy import EgressPolicy
from .origins import host_of, is_host_within

__all__ = ["HOST_FIELDS", "BrowserUse", "Limits", "RenderOptions", "check_selectors"]

BrowserUse = Literal["always", "auto", "never"]
Wait = Literal["settle", "load", "dom"]
NOTHING: Mapping[str, Any] = MappingProxyType({})


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
        Values that the page sees; None keeps Chromium's own.
    headers
        Sent with requests to the host of the requested page, and to no other host.
    headers_for
        Address whose host the headers are for, if it is not that of each page.
    cookies
        In Playwright's form: mappings with name, value, and url or domain and path. They are sent
        with plain requests, too, to the hosts that they name. See `read_cookies`.
    storage_state
        Playwright's storage state, as a mapping or as a file's path.
    proxy
        Server that all requests go through, such as ``"http://127.0.0.1:3128"``. It resolves
        names itself, so whom a page reaches is then for it to decide; see `docs/egress.md`.
        User name and password may stand before the host.
    egress
        Whom the page may reach.
    wait
        ``"settle"``: the visible text has stopped growing; ``"load"``: the load event;
        ``"dom"``: the document is parsed.
    settle_seconds
        Cap on settling.
    scroll
        Screens to scroll down, for content that loads lazily; 0 for none, and ``"end"`` for as
        many as there are in the page's time, up to 200.
    wait_for
        CSS selector of an element that is waited for, until it is visible.
    dismiss_consent
        Whether consent dialogs are refused, by the rules of ``miolo[consent]`` if that is
        installed; what still lies over the text is hidden.
    click
        CSS selectors of elements that are clicked, one after the other, the first of each.
    script
        JavaScript that is run in the page, with the page's own rights, after the clicks.
    hide
        CSS selectors of elements that are hidden, so that they are no part of text and pictures.
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
        fetched once. A page with cookies, a recording or a picture has a context of its own.
    hosts
        Fields that differ for pages of a host and of its subdomains, by the host's name. The
        longest name that fits is used.
    limits
        What the page may cost.

    Raises
    ------
    ValueError
        A screenshot or an action is wanted of a page that may be read without a browser; a field
        of a host is none, or none that may differ.
    """

    browser: BrowserUse = "always"
    viewport: tuple[int, int] = (1280, 1024)
    javascript: bool = True
    user_agent: str | None = None
    locale: str | None = None
    timezone: str | None = None
    # Secrets are in no representation, and so in no message and no log.
    headers: Mapping[str, str] = field(default_factory=lambda: NOTHING, repr=False)
    headers_for: str | None = field(default=None, repr=False)
    cookies: tuple[Mapping[str, Any], ...] = field(default=(), repr=False)
    storage_state: Mapping[str, Any] | str | None = field(default=None, repr=False)
    proxy: str | None = field(default=None, repr=False)
    # Fields that change no page are left out of the identity of a collection.
    egress: EgressPolicy = field(default_factory=EgressPolicy, repr=False)
    wait: Wait = "settle"
    settle_seconds: float = 8.0
    scroll: int | Literal["end"] = 0
    wait_for: str | None = None
    dismiss_consent: bool = False
    click: tuple[str, ...] = ()
    script: str | None = None
    hide: tuple[str, ...] = ()
    color_scheme: Literal["light", "dark"] = "light"
    screenshot: bool = False
    hide_overlays: bool = False
    pdf: bool = False
    fetch: bool = False
    reuse: bool = field(default=False, repr=False)
    hosts: Mapping[str, Mapping[str, Any]] = field(default_factory=lambda: NOTHING, repr=False)
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        if self.screenshot and self.browser != "always":
            raise ValueError("a page that may be read without a browser has no screenshot")
        if self.acts and self.browser != "always":
            raise ValueError(
                "to wait for elements, click, hide or run a script needs a browser for every page"
            )
        check_selectors(*self.click, *self.hide, *([self.wait_for] if self.wait_for else ()))
        for fields in self.hosts.values():
            if unknown := fields.keys() - HOST_FIELDS:
                raise ValueError(f"{min(unknown)!r} is not a field that may differ for a host")

    @property
    def acts(self) -> bool:
        """Whether something is done with the page that needs a browser."""
        return bool(self.wait_for or self.click or self.script or self.hide)

    def for_page(self, url: str) -> RenderOptions:
        """The options of one page: those of its host, with headers for its host alone."""
        if not (self.headers or self.hosts):
            return self
        host = host_of(url)
        names = [name for name in self.hosts if host and is_host_within(host, name)]
        own = self.hosts[max(names, key=len)] if names else NOTHING
        # Headers that are the host's own are for it, whatever the others are for.
        home = None if "headers" in own else self.headers_for
        acts = self.acts or any(own.get(name) for name in ("click", "hide", "script", "wait_for"))
        if self.screenshot or acts:
            own = {**own, "browser": "always"}
        return replace(self, **own, hosts=NOTHING, headers_for=home or url)

    @property
    def is_filtered(self) -> bool:
        """Whether every connection of the page is made, and checked, by Miolo."""
        return not self.proxy and self.egress.is_filter

    def __getstate__(self) -> dict[str, Any]:
        # Options travel between processes, and a read-only view of a mapping does not.
        hosts = {name: dict(fields) for name, fields in self.hosts.items()}
        return {**self.__dict__, "headers": dict(self.headers), "hosts": hosts}


HOST_FIELDS = frozenset(
    "browser viewport javascript user_agent locale timezone headers cookies storage_state proxy "
    "wait settle_seconds scroll wait_for dismiss_consent click script hide color_scheme".split()
)
"""Fields of `RenderOptions` that may differ for a host."""


def check_selectors(*selectors: str) -> None:
    """Refuse an invalid CSS selector.

    Raises
    ------
    ValueError
        One of them is none.
    """
    if not selectors:
        return
    import soupsieve

    for selector in selectors:
        try:
            soupsieve.compile(selector)
        except soupsieve.SelectorSyntaxError as error:
            message = str(error).splitlines()[0]
            raise ValueError(f"{selector!r} is not a CSS selector: {message}") from None
