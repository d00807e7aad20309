"""The request for a page, and its `Tab`: one page in a browser context with a proxy of its own.

A context is never used for a second page. Credentials, caches, storage and requests that outlive
their page end with it, whatever kinds of state the browser has. Playwright, which starts the
browser, does not know these contexts: for its own, it watches every request and script once more.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from ...errors import BrowserCrashedError, RenderError
from ..archives.archive import Archive
from ..network.egress_proxy import EgressProxy, Network
from ..network.exchange import Exchange
from ..network.origins import host_of, joined_host
from ..network.policy import check_proxy, proxy_server
from ..options import RenderOptions
from ..page.snapshot import Snapshot
from .chromium import DEAD_PROXY, EVEN_LOOPBACK
from .engine import Engine
from .interceptor import SuppliedDocument
from .protocol import Command, ProtocolSession
from .watches import NO_WORKERS_OR_LOGS

LacksArticle = Callable[[Snapshot], Awaitable[bool]]

CLOSE_SECONDS = 3.0

# Share of a page's time after which a browser that opens no context is taken not to answer, so that
# another one has the rest.
OPENING_SHARE = 0.5

# Fonts of the generic families. Without them, code is set in another font than in a window.
FAMILIES = ("standard", "fixed", "serif", "sansSerif", "cursive", "fantasy")
FONTS = {
    "linux": (
        "Times New Roman",
        "Monospace",
        "Times New Roman",
        "Arial",
        "Comic Sans MS",
        "Impact",
    ),
    "darwin": ("Times", "Courier", "Times", "Helvetica", "Apple Chancery", "Papyrus"),
    "win32": ("Times New Roman", "Consolas", "Times New Roman", "Arial", "Comic Sans MS", "Impact"),
}

# Preferences other than the colour scheme do not depend on the machine.
NEUTRAL = {
    "prefers-reduced-motion": "no-preference", "forced-colors": "none",
    "prefers-contrast": "no-preference",
}  # fmt: skip


@dataclass(frozen=True)
class Request:
    """What to render: a URL, or HTML as if it had come from one.

    An archive answers every request in place of the network. `lacks_article` is asked whether a
    page that is not complete still lacks its article.
    """

    url: str
    document: SuppliedDocument | None = None
    archive: Archive | None = None
    recorded: list[Exchange] | None = None
    lacks_article: LacksArticle | None = None

    @property
    def is_file(self) -> bool:
        """Whether the page is a local file."""
        return self.url.startswith("file:")

    @property
    def is_cut_off(self) -> bool:
        """Whether nothing may be fetched from the network."""
        is_alone = self.document is not None and not self.document.fetch
        return self.archive is not None or is_alone or self.is_file


def _proxy_of(
    request: Request, options: RenderOptions, egress_proxy: EgressProxy | None
) -> dict[str, str]:
    """Parameters of the protocol that set the proxy of a page's context."""
    if request.is_cut_off:
        server = DEAD_PROXY
    elif egress_proxy:
        server = f"socks5://127.0.0.1:{egress_proxy.port}"
    elif options.proxy:
        server = proxy_server(options.proxy)
    else:
        return {}
    return {"proxyServer": server, "proxyBypassList": EVEN_LOOPBACK}


def _cookie(cookie: Mapping[str, Any]) -> dict[str, Any]:
    """A cookie in Playwright's form as the protocol takes it."""
    own = {name: value for name, value in cookie.items() if value is not None}
    if url := own.get("url"):
        parts = urlsplit(url)
        own |= {"domain": joined_host(host_of(url)), "path": parts.path.rpartition("/")[0] + "/"}
        own["secure"] = parts.scheme == "https"
    if site := own.get("partitionKey"):
        is_nested = own.get("_crHasCrossSiteAncestor", True)
        own["partitionKey"] = {"topLevelSite": site, "hasCrossSiteAncestor": is_nested}
    return own


def emulation(options: RenderOptions, agent: Mapping[str, Any]) -> Iterator[Command]:
    """Commands of the protocol by which a page, and each frame of it in another process, sees the
    browser that the options ask for; the first says how it identifies itself.
    """
    language = {"acceptLanguage": options.locale} if options.locale else {}
    yield "Emulation.setUserAgentOverride", {**agent, **language}
    media = {"prefers-color-scheme": options.color_scheme, **NEUTRAL}
    features = [{"name": name, "value": value} for name, value in media.items()]
    yield "Emulation.setEmulatedMedia", {"features": features}
    if fonts := FONTS.get(sys.platform):
        yield "Page.setFontFamilies", {"fontFamilies": dict(zip(FAMILIES, fonts, strict=True))}
    if options.locale:
        yield "Emulation.setLocaleOverride", {"locale": options.locale}
    if options.timezone:
        yield "Emulation.setTimezoneOverride", {"timezoneId": options.timezone}
    if options.shown_on and options.shown_on.has_touch:
        yield "Emulation.setTouchEmulationEnabled", {"enabled": True}
    if options.javascript:
        yield "Page.addScriptToEvaluateOnNewDocument", {"source": NO_WORKERS_OR_LOGS}
    else:
        yield "Emulation.setScriptExecutionDisabled", {"value": True}


def _window(options: RenderOptions) -> dict[str, Any]:
    """Parameters of the protocol's `Emulation.setDeviceMetricsOverride`."""
    width, height = options.window
    device = options.shown_on
    screen = device.screen if device else (width, height)
    is_mobile = device is not None and device.is_mobile
    is_upright = is_mobile and screen[0] <= screen[1]
    orientation = {
        "type": "portraitPrimary" if is_upright else "landscapePrimary",
        "angle": 90 if is_mobile and not is_upright else 0,
    }
    return {
        "width": width,
        "height": height,
        "screenWidth": screen[0],
        "screenHeight": screen[1],
        "mobile": is_mobile,
        "deviceScaleFactor": device.scale if device else 1,
        "screenOrientation": orientation,
    }


@dataclass(eq=False)
class Tab:
    """A tab in which one page is opened, and its context's proxy, if Miolo makes its connections.

    `url` is the address of the page's document, and the events are set once that document has come,
    is parsed and is loaded.
    """

    engine: Engine
    egress_proxy: EgressProxy | None = None
    context: str = ""
    session: ProtocolSession = field(init=False)
    url: str = ""
    committed: asyncio.Event = field(default_factory=asyncio.Event)
    parsed: asyncio.Event = field(default_factory=asyncio.Event)
    loaded: asyncio.Event = field(default_factory=asyncio.Event)

    @classmethod
    async def open(
        cls, engine: Engine, network: Network, request: Request, options: RenderOptions
    ) -> Tab:
        """Open a context with a blank page."""
        tab = cls(engine)
        if not request.is_cut_off:
            check_proxy(options.proxy, options.egress)
            if options.is_filtered:
                hosts = options.blocking.hosts
                tab.egress_proxy = await network.open_proxy(options.egress, request.url, hosts)
        try:
            await tab._fill(request, options)
        except BaseException:
            await asyncio.shield(tab.close())
            raise
        return tab

    async def _fill(self, request: Request, options: RenderOptions) -> None:
        engine = self.engine
        proxy = _proxy_of(request, options, self.egress_proxy)
        opening = asyncio.ensure_future(engine.open_context(proxy, options.storage_state))
        try:
            async with asyncio.timeout(OPENING_SHARE * options.limits.seconds):
                self.context = await asyncio.shield(opening)
        except TimeoutError:
            engine.give_up()
            opening.cancel()
            raise BrowserCrashedError("the browser opens no pages") from None
        except asyncio.CancelledError:
            # The caller closes a context that still opens.
            await asyncio.wait({opening}, timeout=CLOSE_SECONDS)
            if not opening.done():
                engine.give_up()
                opening.cancel()
            elif not opening.exception():
                self.context = opening.result()
            raise
        own, send = {"browserContextId": self.context}, engine.wire.send
        works = [
            send("Target.createTarget", url="about:blank", **own),
            send("Browser.setDownloadBehavior", behavior="deny", **own),
            send("Browser.grantPermissions", permissions=[], **own),
        ]
        if cookies := [_cookie(cookie) for cookie in options.plain_cookies]:
            works.append(send("Storage.setCookies", cookies=cookies, **own))
        page, *_ = await asyncio.gather(*works)
        self.session = await engine.wire.attach(page["targetId"])
        self._watch()

    def _watch(self) -> None:
        session = self.session
        session.on("Page.frameNavigated", self._on_document)
        session.on("Page.navigatedWithinDocument", self._on_move)
        session.on("Page.domContentEventFired", lambda _: self.parsed.set())
        session.on("Page.loadEventFired", lambda _: self.loaded.set())
        session.on("Page.javascriptDialogOpening", self._close_dialog)
        session.on("Inspector.targetCrashed", lambda _: session.close())

    def _on_document(self, event: dict[str, Any]) -> None:
        frame = event["frame"]
        if frame["id"] == self.session.target:
            self.url = frame["url"] + frame.get("urlFragment", "")
            self.parsed.clear()
            self.loaded.clear()
            self.committed.set()

    def _on_move(self, event: dict[str, Any]) -> None:
        if event["frameId"] == self.session.target:
            self.url = event["url"]

    def _close_dialog(self, event: dict[str, Any]) -> None:
        # A question whether to leave the page is answered by yes, every other one by no.
        leaves = event["type"] == "beforeunload"
        self.session.post("Page.handleJavaScriptDialog", accept=leaves)

    async def set_up(self, options: RenderOptions, commands: Iterable[Command]) -> None:
        """Show the page the browser that the options ask for."""
        send = self.session.send
        await asyncio.gather(
            send("Page.enable"),
            *(send(*command) for command in commands),
            send("Emulation.setDeviceMetricsOverride", _window(options)),
            send("Emulation.setFocusEmulationEnabled", enabled=True),
        )

    async def navigate(self, url: str) -> str:
        """Navigate, and wait for the document; the browser's error if there is none."""
        for event in (self.committed, self.parsed, self.loaded):
            event.clear()
        try:
            answer = await self.session.send("Page.navigate", url=url)
        except BrowserCrashedError:
            raise
        except RenderError as error:
            return str(error)
        if answer.get("isDownload"):
            return "Download is starting"
        if not answer.get("errorText") and "loaderId" in answer:
            await self.committed.wait()
        return answer.get("errorText", "")

    async def close(self) -> None:
        """Close context and proxy; a browser that does not close a context in time is given up."""
        try:
            if self.context:
                async with asyncio.timeout(CLOSE_SECONDS):
                    await self.engine.close_context(self.context)
        except TimeoutError:
            self.engine.give_up()
        finally:
            if self.egress_proxy is not None:
                await self.egress_proxy.close()
