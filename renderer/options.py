"""`RenderOptions`: how a page is rendered, in one frozen object.

`resolve_policy` and `restrict_policy` give the options for the pages that a page leads to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, get_args
from urllib.parse import urlsplit

from .network.blocking import BlockEntry, Blocking, Entries, blocking_of, read_block
from .network.cookies import check_cookies, check_storage_state, read_storage_state
from .network.ip_addresses import Address
from .network.origins import host_of, is_host_name, is_host_within
from .network.policy import EgressPolicy
from .option_checks import (
    check_choice,
    check_headers,
    check_locale,
    check_proxy_address,
    check_scroll,
    check_seconds,
    check_selector_list,
    check_selectors,
    check_timezone,
    check_type,
    check_user_agent,
    check_viewport,
)

if TYPE_CHECKING:
    from .network.resolver import Resolve

__all__ = [
    "ACTIONS",
    "CHECKS",
    "HOST_FIELDS",
    "MAX_SECONDS",
    "BrowserUse",
    "Limits",
    "OnGrant",
    "RenderOptions",
    "ignore_grant",
    "resolve_policy",
    "restrict_policy",
]

BrowserUse = Literal["always", "auto", "never"]
ColorScheme = Literal["light", "dark"]
Wait = Literal["settle", "load", "dom", "idle"]
NOTHING: Mapping[str, Any] = MappingProxyType({})

MAX_SECONDS = 86_400
"""Maximum of `Limits.seconds`: a day, since timers overflow for infinity."""


@dataclass(frozen=True)
class Limits:
    """Resource limits of one page, all positive.

    A page that exceeds a limit is cut off, with a warning.

    Attributes
    ----------
    seconds
        Wall time of the whole page, including capture and screenshot; at most a day.
    response_bytes
        Bytes received for the page and everything that it loads, decoded.
    nodes
        Nodes of the snapshot; later nodes in document order are left out.
    depth
        Levels of the snapshot; deeper nodes are left out.
    screenshot_pixels
        Pixels of the screenshot; the bottom of a taller page is left out.
    pdf_pages
        Pages of the PDF; later pages are left out, without a warning.

    Raises
    ------
    ValueError
        A limit is not positive, or the time limit is longer than a day.
    """

    seconds: float = 30.0
    response_bytes: int = 64 << 20
    nodes: int = 200_000
    depth: int = 20_000
    screenshot_pixels: int = 40_000_000
    pdf_pages: int = 200

    def __post_init__(self) -> None:
        if not 0 < self.seconds <= MAX_SECONDS:
            raise ValueError(
                f"seconds: must be positive and at most {MAX_SECONDS:,} seconds, a day"
            )
        for name in ("response_bytes", "nodes", "depth", "screenshot_pixels", "pdf_pages"):
            if not getattr(self, name) >= 1:
                raise ValueError(f"{name}: must be at least 1")


@dataclass(frozen=True)
class RenderOptions:
    """How a page is rendered.

    Attributes
    ----------
    browser
        ``"always"``: every page is rendered. ``"never"``: pages are read from the HTML that their
        server sends, without scripts, geometry and screenshots; no browser starts. ``"auto"``: a
        page that is extracted is read without a browser first, and rendered if the result cannot
        be trusted (see `miolo.extract.plain`); a page that is only rendered is treated as with
        ``"always"``.
    viewport
        Width and height, CSS px.
    javascript
        Whether the page's scripts run.
    user_agent, locale, timezone
        Values that the page sees; None keeps Chromium's own. The time zone has a name of the IANA
        database, such as ``"Europe/Paris"``, checked if this machine lists all of them.
    headers
        HTTP headers that are sent with requests to the host of the requested page, and to no other
        host.
    headers_for
        URL whose host receives the headers, if it is not that of each page.
    cookies
        Cookies in Playwright's form: mappings with name, value, and url or domain and path. They
        are also sent with plain requests, to the hosts that they name. See `read_cookies`.
    storage_state
        Playwright's storage state, as a mapping or as the path of a file, which is read at once.
    proxy
        Proxy for all requests, such as ``"http://127.0.0.1:3128"``. It resolves names itself, and
        so decides which addresses a page reaches; see `docs/egress.md`. The URL may contain a user
        name and a password.
    block
        What pages do not load: the lists ``"ads"`` and ``"trackers"``, the kinds ``"images"``,
        ``"fonts"`` and ``"media"``, names of hosts, which include their subdomains, and lists of
        hosts by their paths (a `Path`, or a string with a slash), which are read at once. A string
        has its entries separated by commas. The page itself is loaded in any case. None, the
        default, blocks nothing, and in batches and crawls ads and trackers; ``"none"`` blocks
        nothing in them either.
    egress
        Which addresses the page may reach.
    wait
        What to wait for. ``"settle"``: no timer or request is under way that the article may come
        from; ``"idle"``: no request but those for pictures, fonts and media has been pending for
        half a second; ``"load"``: the load event; ``"dom"``: the document is parsed.
    settle_seconds
        Maximum time to wait for the page to settle or to be idle.
    restore
        Whether text that scripts took away after it was shown is put back, and other versions of
        the page are read where it lacks its article.
    expand
        Whether a button that unfolds the rest of the article is clicked.
    scroll
        Number of screens to scroll down, for content that loads lazily; 0 for none, and ``"end"``
        for as many as the page's time allows, up to 200.
    wait_for
        CSS selector of an element; rendering waits until the element is visible.
    dismiss_consent
        Whether consent dialogs are refused, by the rules of ``miolo[consent]`` if that is
        installed; layers that still cover the text are hidden.
    click
        CSS selectors of elements to click, one after the other; each selects its first match.
    script
        JavaScript to run in the page after the clicks, with the rights of the page's own scripts.
    hide
        CSS selectors of elements to hide, so that neither text nor screenshot contains them.
    color_scheme
        ``"light"`` or ``"dark"``: the preferred colour scheme that is reported to the page.
    screenshot
        Whether to take a screenshot of the whole page.
    hide_overlays
        Whether layers that cover the page's text, such as a consent dialog or a decorative canvas,
        are left out of the screenshot. They remain in the snapshot.
    pdf
        Whether to print the page to a PDF.
    fetch
        Whether `render_html` may load the resources that the HTML refers to.
    hosts
        Fields that differ for the pages of a host and its subdomains, by the host's name. The
        longest matching name is used.
    limits
        Resource limits of the page.

    Raises
    ------
    ValueError
        A field is invalid, a screenshot, a PDF or an action is requested for pages that may be read
        without a browser, or `hosts` has a name that is not a host's, or a field that is unknown or
        may not differ.
    ArchiveError
        The file of a storage state is damaged.
    """

    browser: BrowserUse = "always"
    viewport: tuple[int, int] = (1280, 1024)
    javascript: bool = True
    user_agent: str | None = None
    locale: str | None = None
    timezone: str | None = None
    # Secrets are left out of the repr, so that they appear in no message and no log.
    headers: Mapping[str, str] = field(default_factory=lambda: NOTHING, repr=False)
    headers_for: str | None = field(default=None, repr=False)
    cookies: tuple[Mapping[str, Any], ...] = field(default=(), repr=False)
    storage_state: Mapping[str, Any] | str | Path | None = field(default=None, repr=False)
    proxy: str | None = field(default=None, repr=False)
    # Lists may be long; a collection identifies them by their digests.
    block: tuple[BlockEntry, ...] | str | None = field(default=None, repr=False)
    # Fields that change no page are left out of the repr too: it identifies a collection's options.
    egress: EgressPolicy = field(default_factory=EgressPolicy, repr=False)
    wait: Wait = "settle"
    settle_seconds: float = 8.0
    restore: bool = True
    expand: bool = True
    scroll: int | Literal["end"] = 0
    wait_for: str | None = None
    dismiss_consent: bool = False
    click: tuple[str, ...] = ()
    script: str | None = None
    hide: tuple[str, ...] = ()
    color_scheme: ColorScheme = "light"
    screenshot: bool = False
    hide_overlays: bool = False
    pdf: bool = False
    fetch: bool = False
    hosts: Mapping[str, Mapping[str, Any]] = field(default_factory=lambda: NOTHING, repr=False)
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        if (self.screenshot or self.pdf) and self.browser != "always":
            raise ValueError("a page that may be read without a browser has no screenshot or PDF")
        if self.acts and self.browser != "always":
            raise ValueError(
                "to wait for elements, click, hide or run a script needs a browser for every page"
            )
        if isinstance(self.storage_state, (str, Path)):
            # Read once, not for every page; a damaged file is reported before a page is visited.
            object.__setattr__(self, "storage_state", read_storage_state(self.storage_state))
        if self.block is not None:
            object.__setattr__(self, "block", _read_block(self.block))
        for name, check in CHECKS.items():
            value = getattr(self, name)
            if value is None and name in NULLABLE:
                continue
            try:
                check(value)
            except ValueError as error:
                raise ValueError(f"{name}: {error}") from None
            except TypeError:
                # Headers, cookies and proxies may be secrets, so the value is not repeated.
                raise ValueError(f"{name}: the value is of a wrong type") from None
        if self.hosts:
            hosts = {name: _checked_fields(name, fields) for name, fields in self.hosts.items()}
            object.__setattr__(self, "hosts", hosts)

    @property
    def acts(self) -> bool:
        """Whether any action on the page is requested, which needs a browser."""
        return any(getattr(self, name) for name in ACTIONS)

    def for_page(self, url: str) -> RenderOptions:
        """The options of one page: those of its host, with headers restricted to its host."""
        if not (self.headers or self.hosts):
            return self
        host = host_of(url)
        names = [name for name in self.hosts if host and is_host_within(host, name)]
        own = self.hosts[max(names, key=len)] if names else NOTHING
        # Headers that are set for a host go to that host, whatever `headers_for` says.
        home = None if "headers" in own else self.headers_for
        if self.screenshot or self.pdf or self.acts or _has_action(own):
            own = {**own, "browser": "always"}
        return replace(self, **own, hosts=NOTHING, headers_for=home or url)

    @property
    def plain_cookies(self) -> list[Mapping[str, Any]]:
        """Cookies of plain requests: those of the storage state, then `cookies`."""
        state: Any = self.storage_state or NOTHING
        return [*(state.get("cookies") or ()), *self.cookies]

    @property
    def is_filtered(self) -> bool:
        """Whether Miolo itself makes and checks every connection of the page."""
        return not self.proxy and self.egress.is_filter

    @property
    def blocking(self) -> Blocking:
        """What `block` stands for."""
        assert not isinstance(self.block, str)
        return blocking_of(self.block)

    def __getstate__(self) -> dict[str, Any]:
        # Options are pickled for other processes, and a read-only view of a mapping cannot be.
        hosts = {name: dict(fields) for name, fields in self.hosts.items()}
        return {**self.__dict__, "headers": dict(self.headers), "hosts": hosts}


CHECKS: Mapping[str, Callable[[Any], None]] = {
    "browser": lambda value: check_choice(value, get_args(BrowserUse)),
    "viewport": check_viewport,
    "user_agent": check_user_agent,
    "locale": check_locale,
    "timezone": check_timezone,
    "headers": check_headers,
    "cookies": check_cookies,
    "storage_state": check_storage_state,
    "proxy": lambda value: value and check_proxy_address(value),
    "wait": lambda value: check_choice(value, get_args(Wait)),
    "settle_seconds": check_seconds,
    "scroll": check_scroll,
    "wait_for": lambda value: value and check_selectors(value),
    "click": check_selector_list,
    "hide": check_selector_list,
    "restore": lambda value: check_type(value, bool),
    "expand": lambda value: check_type(value, bool),
    "color_scheme": lambda value: check_choice(value, get_args(ColorScheme)),
    "egress": lambda value: check_type(value, EgressPolicy),
    "limits": lambda value: check_type(value, Limits),
}
"""Checks of fields, which raise a `ValueError` for an invalid value."""

NULLABLE = frozenset(each.name for each in fields(RenderOptions) if each.default is None)
"""Fields of `RenderOptions` that may be None."""

READ_FIELDS = ("storage_state", "block")
"""Fields of `RenderOptions` whose files are read when the options are made."""

ACTIONS = ("wait_for", "click", "script", "hide")
"""Fields of `RenderOptions` that need a browser."""

HOST_FIELDS = frozenset(
    "block "
    "browser viewport javascript user_agent locale timezone headers cookies storage_state proxy "
    "wait settle_seconds restore expand scroll wait_for dismiss_consent click script hide "
    "color_scheme".split()
)
"""Fields of `RenderOptions` that may differ for a host."""


def _checked_fields(host: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a host, with its storage state read.

    Raises
    ------
    ValueError
        The name is not a host's, or a field may not differ or is invalid by itself.
    """
    if not is_host_name(host):
        raise ValueError(f"{host!r} is not the name of a host, such as example.org, without a port")
    if unknown := fields.keys() - HOST_FIELDS:
        raise ValueError(f"{min(unknown)!r} is not a field that may differ for a host")
    CHECKS["browser"](fields.get("browser", "always"))
    options = RenderOptions(**{**fields, "browser": "always"})
    read = {name: getattr(options, name) for name in READ_FIELDS if name in fields}
    return {**fields, **read}


def _read_block(value: Any) -> Entries:
    try:
        return read_block(value)
    except ValueError as error:
        raise ValueError(f"block: {error}") from None


def _has_action(fields: Mapping[str, Any]) -> bool:
    """Whether the fields of a host include an action."""
    return any(fields.get(name) for name in ACTIONS)


OnGrant = Callable[[str, Sequence[Address]], None]
"""Called with the name and the addresses of a host that is granted as a private home."""


def ignore_grant(host: str, addresses: Sequence[Address]) -> None:
    """Report nothing."""


async def resolve_policy(
    options: RenderOptions,
    url: str,
    resolve: Resolve | None = None,
    switches: Iterable[str] = (),
    on_grant: OnGrant = ignore_grant,
) -> RenderOptions:
    """Options for a URL that the user named, and for all pages that it leads to.

    The user named this URL, but not those of its links: linked pages may reach private addresses
    only if the host of this URL is a private home (see `private_home`). The host is resolved
    before its page is rendered. Later its name may resolve to other addresses, possibly under the
    control of whoever wrote the links. The policy therefore keeps the URL as its `home`: a page
    may reach private addresses only if this home and the page's own host are both still private.

    Parameters
    ----------
    options
        Options of the first page. Options with the user's own proxy are returned unchanged.
    url
        The URL that the user named.
    resolve
        Resolver that replaces the system's.
    switches
        Further switches of Chromium's command line; host resolver rules among them apply.
    on_grant
        Called if the host of the URL is a private home.
    """
    from .network.egress_proxy import Network, private_home
    from .network.resolver import Names

    egress = options.egress
    if egress.private != "named" or egress.home is not None or options.proxy:
        return options
    network = Network(resolve, switches)
    names = Names(network.resolve)
    try:
        addresses = await private_home(url, egress, names)
    finally:
        await names.close()
        network.close()
    if not addresses:
        return restrict_policy(options)
    on_grant(urlsplit(url).hostname or "", addresses)
    return replace(options, egress=replace(egress, home=url))


def restrict_policy(options: RenderOptions) -> RenderOptions:
    """Options for URLs that the user did not name individually."""
    return replace(options, egress=options.egress.for_unnamed())
