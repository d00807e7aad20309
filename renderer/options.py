"""`RenderOptions`: how a page is rendered, in one frozen object.

`resolve_policy` and `restrict_policy` give the options for the pages that a page leads to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args
from urllib.parse import urlsplit

from . import option_kinds as kinds
from .devices import Device, device_of
from .network.blocking import BlockEntry, Blocking, blocking_of
from .network.ip_addresses import Address
from .network.origins import host_of, is_host_name, is_host_within, port_of
from .network.policy import EgressPolicy
from .option_kinds import Kind, check_type, choice_of

if TYPE_CHECKING:
    from .network.resolver import Resolve

BrowserUse = Literal["always", "auto", "never"]
ColorScheme = Literal["light", "dark"]
Wait = Literal["settle", "load", "dom", "idle"]
VIEWPORT_SIZE = (1280, 1024)

MAX_SECONDS = 86_400  # maximum of `Limits.seconds`: a day, since timers overflow for infinity


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
    device
        Device that pages are shown on, by its name in Playwright, such as ``"Pixel 7"``: its
        viewport and user agent unless they are set, its scale, touch and client hints.
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
        are also sent with plain requests, to the hosts that they name. A path is that of a file,
        which is read at once; see `read_cookies`.
    storage_state
        Playwright's storage state, as a mapping or as the path of a file, which is read at once.
    proxy
        Proxy for all requests, such as ``"http://127.0.0.1:3128"``. It resolves names itself, and
        so decides which addresses a page reaches; see `docs/security.md`. The URL may contain a
        user name and a password.
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
    within, without
        CSS selectors or XPaths of the elements that the text of a page is extracted from, and of
        those that it is not; they do not affect how it is rendered. See `ExtractOptions`.
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
        Fields that differ for the pages of a host and its subdomains, by the host's name, which
        may have a port. The longest matching name is used, and one with a port before all others.
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
    viewport: tuple[int, int] = VIEWPORT_SIZE
    # Left out of the repr, like the other options that a collection identifies only if set.
    device: str | None = field(default=None, repr=False)
    javascript: bool = True
    user_agent: str | None = None
    locale: str | None = None
    timezone: str | None = None
    # Secrets are left out of the repr, so that they appear in no message and no log.
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
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
    # They change no snapshot, so a collection identifies them only if they are set.
    within: tuple[str, ...] = field(default=(), repr=False)
    without: tuple[str, ...] = field(default=(), repr=False)
    screenshot: bool = False
    hide_overlays: bool = False
    pdf: bool = False
    fetch: bool = False
    hosts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, repr=False)
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        if (self.screenshot or self.pdf) and self.browser != "always":
            raise ValueError("a page that may be read without a browser has no screenshot or PDF")
        if self.acts and self.browser != "always":
            raise ValueError(
                "to wait for elements, click, hide or run a script needs a browser for every page"
            )
        check_type(self.egress, EgressPolicy, "egress")
        check_type(self.limits, Limits, "limits")
        for name, each in OPTIONS.items():
            value = getattr(self, name)
            if value is None and each.default is None:
                continue
            try:
                # Files are read once, not for every page.
                object.__setattr__(self, name, each.kind.convert(value))
            except ValueError as error:
                raise ValueError(f"{name}: {error}") from None
            except TypeError:
                # Headers, cookies and proxies may be secrets, so the value is not repeated.
                raise ValueError(f"{name}: the value is of a wrong type") from None
        if self.hosts:
            hosts = {name: _checked_fields(name, fields) for name, fields in self.hosts.items()}
            object.__setattr__(self, "hosts", hosts)

    @property
    def shown_on(self) -> Device | None:
        """The device that pages are shown on; None for a window without any."""
        return None if self.device is None else device_of(self.device)

    @property
    def window(self) -> tuple[int, int]:
        """Width and height of the window, CSS px: the viewport, or that of the device."""
        device = self.shown_on if self.viewport == VIEWPORT_SIZE else None
        return self.viewport if device is None else device.viewport

    @property
    def agent(self) -> str | None:
        """The user agent, or that of the device; None for Chromium's own."""
        device = self.shown_on
        return self.user_agent or (None if device is None else device.user_agent)

    @property
    def acts(self) -> bool:
        """Whether any action on the page is requested, which needs a browser."""
        return any(actions(self.__dict__))

    def for_page(self, url: str) -> RenderOptions:
        """The options of one page: those of its host, with headers restricted to its host."""
        if not (self.headers or self.hosts):
            return self
        names = [name for name in self.hosts if _is_of(url, name)]
        # A port is more specific than any name of a host.
        names.sort(key=lambda name: (_place(name)[1] is not None, len(name)))
        own = self.hosts[names[-1]] if names else {}
        # Headers that are set for a host go to that host, whatever `headers_for` says.
        home = None if "headers" in own else self.headers_for
        if self.screenshot or self.pdf or self.acts or any(actions(own)):
            own = {**own, "browser": "always"}
        return replace(self, **own, hosts={}, headers_for=home or url)

    @property
    def plain_cookies(self) -> list[Mapping[str, Any]]:
        """Cookies of plain requests: those of the storage state, then `cookies`."""
        state: Any = self.storage_state or {}
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


@dataclass(frozen=True)
class Option:
    """A rendering option as users set it."""

    name: str  # field of `RenderOptions`
    kind: Kind
    help: str  # what it does, in one sentence
    key: str = ""  # its name in settings files; by default that of the field, with hyphens
    flag: str = ""  # its name on the command line; by default that in settings files
    is_action: bool = False  # whether it needs a browser, as it acts on the page
    in_requests: bool = False  # whether requests to the service may set it
    # Whether it is about what is extracted, so that commands that only render lack it.
    is_of_text: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "key", self.key or self.name.replace("_", "-"))
        object.__setattr__(self, "flag", self.flag or self.key)

    @property
    def default(self) -> Any:
        """The value if it is not set."""
        return getattr(RenderOptions, self.name, {})


requested = partial(Option, in_requests=True)
"""An option that requests to the service may set."""

OPTIONS: Mapping[str, Option] = {
    option.name: option
    for option in (
        Option(
            "browser",
            choice_of(get_args(BrowserUse)),
            "Render every page (always), no page (never), or only those whose article cannot "
            "be extracted reliably without a browser (auto).",
        ),
        requested("viewport", kinds.VIEWPORT, "Width and height in CSS px."),
        requested("javascript", kinds.FLAG, "Whether the page's scripts run.", key="scripts"),
        requested("device", kinds.DEVICE, "Device to show pages on, such as Pixel 7."),
        Option("user_agent", kinds.AGENT, "User agent of the browser."),
        requested("locale", kinds.LANGUAGE, "Preferred language, such as pt-BR."),
        requested("timezone", kinds.TIMEZONE, "Time zone, such as Europe/Paris."),
        Option(
            "headers",
            kinds.HEADERS,
            "Header, as NAME: VALUE, sent only to the page's own host.",
            flag="header",
        ),
        Option("cookies", kinds.COOKIES, "Cookie file, in cookies.txt or JSON format."),
        Option("storage_state", kinds.STORAGE_STATE, "Storage state saved by Playwright."),
        Option("proxy", kinds.PROXY, "Proxy for all requests."),
        requested(
            "block",
            kinds.BLOCK,
            "What pages do not load, separated by commas: ads, trackers, images, fonts, "
            "media, a host, the path of a list of hosts, or none.",
        ),
        requested(
            "wait",
            choice_of(get_args(Wait)),
            "Wait until nothing is under way that the article may come from (settle), until "
            "no request is pending (idle), for the load event (load), or for the document "
            "(dom).",
        ),
        requested("settle_seconds", kinds.SECONDS, "Maximum seconds to wait for a page to settle."),
        requested("restore", kinds.FLAG, "Whether text that scripts took away is put back."),
        requested(
            "expand", kinds.FLAG, "Whether the button that unfolds a cut article is clicked."
        ),
        requested("wait_for", kinds.SELECTOR, "Element to wait for.", is_action=True),
        requested(
            "dismiss_consent",
            kinds.FLAG,
            "Whether consent dialogs are refused, and layers that still cover the text hidden.",
        ),
        requested("click", kinds.SELECTORS, "Element to click.", is_action=True),
        Option("script", kinds.SCRIPT, "JavaScript to run in the page.", is_action=True),
        requested("scroll", kinds.SCROLL, "Screens to scroll to load lazy content, or end."),
        requested(
            "within",
            kinds.SCOPE,
            "CSS selector or XPath of the element that the text comes from.",
            is_of_text=True,
        ),
        requested(
            "without",
            kinds.SCOPE,
            "CSS selector or XPath of an element that the text never comes from.",
            is_of_text=True,
        ),
        requested("hide", kinds.SELECTORS, "Elements to hide.", is_action=True),
        requested(
            "color_scheme", choice_of(get_args(ColorScheme)), "Colour scheme of pages and pictures."
        ),
    )
}
"""The options that users set, by the name of their field. The command line, settings files and
requests to the service take them from here. All of them may differ for a host."""


def _place(name: str) -> tuple[str, int | None]:
    """Host and port of a host's name in settings; None if it has no port."""
    host, _, port = name.rpartition(":")
    is_host = bool(host) and (":" not in host or host[0] + host[-1] == "[]")
    has_port = is_host and port.isascii() and port.isdecimal()
    return (host.strip("[]"), int(port)) if has_port else (name, None)


def _is_of(url: str, name: str) -> bool:
    """Whether a URL is of a host or a subdomain of it, and of its port if the name has one."""
    host, (own, port) = host_of(url), _place(name)
    return bool(host) and is_host_within(host, own) and port in (None, port_of(url))


def _checked_fields(host: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a host, with its storage state read."""
    if not is_host_name(_place(host)[0]):
        raise ValueError(
            f"{host!r} is not the name of a host, such as example.org or example.org:8080"
        )
    if unknown := fields.keys() - OPTIONS.keys():
        raise ValueError(f"{min(unknown)!r} is not a field that may differ for a host")
    OPTIONS["browser"].kind.convert(fields.get("browser", "always"))
    options = RenderOptions(**{**fields, "browser": "always"})
    # Files that some fields name are read once.
    return {name: fields[name] if name == "browser" else getattr(options, name) for name in fields}


def actions(values: Mapping[str, Any]) -> Iterator[str]:
    """Names of the options among values by name that need a browser, as they act on the page."""
    return (name for name, each in OPTIONS.items() if each.is_action and values.get(name))


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
    only if the host of this URL is a private home (see `private_home`). The host is resolved before
    its page is rendered. Later its name may resolve to other addresses, possibly under the control
    of whoever wrote the links. The policy therefore keeps the URL as its `home`: a page may reach
    private addresses only if this home and the page's own host are both still private.

    Options with the user's own proxy are returned unchanged. Host resolver rules among Chromium's
    `switches` apply; `on_grant` is called if the host of the URL is a private home.
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
