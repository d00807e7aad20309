"""Decides whether documents may load, and supplies the document if its HTML is given.

Only documents are paused (one round trip each). A page's other requests are paused only if supplied
HTML may fetch nothing, if they are recorded or replayed, if they may need the user's headers, or if
they are blocked by more than their host.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ...errors import RenderError
from ..network.egress_proxy import EgressProxy, refusal
from ..network.origins import OwnHeaders, is_for_host
from .blocker import PageBlocker
from .protocol import ProtocolSession
from .traffic import Traffic, Watch, continue_request, fulfil_request, refuse_request

__all__ = ["RequestInterceptor", "SuppliedDocument"]

# Characters of visible text from which the article counts as loaded: a script that then navigates
# away is refused. Interstitials ("you are being redirected") have less text. The figure is the
# minimum size of an article in NCE (`miolo.extract.methods.nce`).
ARRIVED_CHARS = 600

# Documents that one visit may load in the main frame, including redirects by script or meta tag.
MAX_HOPS = 10

EVERYTHING = {"urlPattern": "*"}
DOCUMENTS = {"resourceType": "Document"}
ANSWERS = {"urlPattern": "*", "requestStage": "Response"}


@dataclass(frozen=True)
class SuppliedDocument:
    """HTML to render as if it had come from a URL."""

    html: bytes
    url: str
    fetch: bool
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()


class RequestInterceptor:
    """Intercepts the requests of one page.

    Parameters
    ----------
    session, main_frame
        The page's session and the ID of its main frame.
    text_mass
        Returns the number of characters of the page's visible text.
    traffic, blocker
        The page's recorder and replay, and what it does not load.
    agent
        Parameters of the protocol's `Emulation.setUserAgentOverride`.
    document
        HTML of the page, if it is supplied.
    egress_proxy, headers
        The page's proxy and the user's own headers, if there are any.

    Attributes
    ----------
    refused
        URLs to which a script tried to navigate after the article had loaded.
    is_acting
        Whether the user's own clicks may lead the page to other pages of its host.
    stays
        Whether every other document is refused.
    """

    def __init__(
        self,
        session: ProtocolSession,
        main_frame: str,
        text_mass: Callable[[], int],
        traffic: Traffic,
        blocker: PageBlocker,
        agent: Mapping[str, Any],
        document: SuppliedDocument | None = None,
        egress_proxy: EgressProxy | None = None,
        headers: OwnHeaders | None = None,
    ) -> None:
        self.is_acting = self.stays = False
        self.refused: list[str] = []
        self._private = ""
        self._session = session
        self._main_frame = main_frame
        self._text_mass = text_mass
        self._traffic = traffic
        self._blocker = blocker
        self._agent = agent
        self._document = document
        self._egress_proxy = egress_proxy
        self._headers = headers
        self._here = ""
        self._hops = 0
        self._tasks: set[asyncio.Task[None]] = set()

    async def open(self, watch_worker: Watch) -> None:
        """Start to intercept; `watch_worker` is called with the session and URL of each worker."""
        await asyncio.gather(
            self._identify(self._session),
            self._intercept(self._session),
            self._traffic.open(self._session, self._guard_frame, watch_worker),
        )

    async def _guard_frame(self, session: ProtocolSession) -> None:
        """Set up a frame in another process, before it loads anything."""
        await self._identify(session)
        if self._traffic.recorder or self._traffic.replay or self._blocker.patterns():
            await self._intercept(session)

    async def _identify(self, session: ProtocolSession) -> None:
        await session.send("Emulation.setUserAgentOverride", **self._agent)

    async def _intercept(self, session: ProtocolSession) -> None:
        session.on("Fetch.requestPaused", lambda event: self._on_paused(session, event))
        everything = self._traffic.replay or (self._document and not self._document.fetch)
        patterns = [EVERYTHING if everything else DOCUMENTS]
        if not everything:
            patterns += self._blocker.patterns()
        if self._headers and not everything:
            patterns += [{"urlPattern": f"{origin}/*"} for origin in self._headers.origins()]
        if self._traffic.recorder:
            patterns.append(ANSWERS)
        await session.send("Fetch.enable", patterns=patterns)

    def supply(self, document: SuppliedDocument) -> None:
        """Answer the next request for the page's document with a given one."""
        self._document, self._hops = document, 0

    def check(self, url: str) -> None:
        """Check that the page has not tried to navigate to an address that it may not reach."""
        if self._private:
            raise refusal(url, self._private)

    def _on_paused(self, session: ProtocolSession, event: dict[str, Any]) -> None:
        task = asyncio.ensure_future(self._decide(session, event))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _decide(self, session: ProtocolSession, event: dict[str, Any]) -> None:
        # If the page is gone, so is its request.
        with contextlib.suppress(RenderError):
            has_answer = "responseStatusCode" in event or "responseErrorReason" in event
            if self._traffic.recorder and has_answer:
                await self._traffic.recorder.take(session, event)
            else:
                await self._answer(session, event)

    async def _answer(self, session: ProtocolSession, event: dict[str, Any]) -> None:
        request = event["requestId"]
        main = event["resourceType"] == "Document" and event["frameId"] == self._main_frame
        if main and not event.get("redirectedRequestId"):
            self._hops += 1
        if self._document and main and self._hops == 1:
            document = self._document
            headers = (("Content-Type", "text/html"), *document.headers)
            await fulfil_request(session, request, document.status, headers, document.html)
        elif self._document and not self._document.fetch:
            await refuse_request(session, request)
        elif main and self._hops > 1 and self._leaves(event["request"]["url"]):
            self.refused.append(event["request"]["url"])
            await refuse_request(session, request, "Aborted")
        elif (
            main and self._hops > 1 and self._egress_proxy
            and await self._egress_proxy.refuses(event["request"]["url"])
        ):  # fmt: skip
            # Not "Aborted": with that reason the previous document would never finish loading.
            self._private = event["request"]["url"]
            await refuse_request(session, request)
        elif replay := self._traffic.replay:
            # What the archive has is loaded, whatever is blocked. What was blocked while the page
            # was recorded is not missing.
            if not await replay.answer(session, event, is_expected=not self._blocker.blocks(event)):
                await self._blocker.answer(session, event)
        elif not main and self._blocker.blocks(event):
            await self._blocker.answer(session, event)
        else:
            if main:
                self._blocker.admit(event["request"]["url"])
            await continue_request(session, request, **self._with_headers(event))
        if main:
            self._here = event["request"]["url"]

    def _with_headers(self, event: dict[str, Any]) -> dict[str, Any]:
        """The headers of a request together with the user's own, if those are for its host."""
        request = event["request"]
        own = self._headers.for_url(request["url"]) if self._headers else {}
        if not own:
            return {}
        names = {name.lower() for name in own}
        headers = {n: v for n, v in request["headers"].items() if n.lower() not in names}
        return {"headers": [{"name": n, "value": v} for n, v in {**headers, **own}.items()]}

    def _leaves(self, url: str) -> bool:
        if self.stays:
            return True
        if self._hops <= MAX_HOPS and self.is_acting and is_for_host(url, self._here):
            return False  # the user's own click leads there
        # The last measurement, because a page does not respond while it waits to navigate.
        return self._hops > MAX_HOPS or self._text_mass() >= ARRIVED_CHARS
