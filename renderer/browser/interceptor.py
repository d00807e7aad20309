"""Decides whether documents may load, and supplies the document if its HTML is given.

Only documents are paused (one round trip each). A page's other requests are paused only if supplied
HTML may fetch nothing, if they are recorded or replayed, if they may need the user's headers, or if
they are blocked by more than their host.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...errors import RenderError
from ..network.egress_proxy import EgressProxy, refusal
from ..network.origins import OwnHeaders, is_for_host
from .blocker import PageBlocker
from .protocol import Command, ProtocolSession, Tasks
from .traffic import (
    ChildTargets,
    Recorder,
    Replay,
    Watch,
    continue_request,
    fulfil_request,
    refuse_request,
)

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


@dataclass(eq=False)
class RequestInterceptor:
    """Intercepts the requests of one page."""

    session: ProtocolSession
    text_mass: Callable[[], int]  # number of characters of the page's visible text
    recorder: Recorder | None
    replay: Replay | None
    blocker: PageBlocker
    # What each frame in another process is set up with, and each worker with the first of it.
    emulation: Sequence[Command]
    proxy_login: Mapping[str, str]  # user name and password for the page's proxy, if it needs them
    document: SuppliedDocument | None = None  # answers the first request for the page's document
    egress_proxy: EgressProxy | None = None
    headers: OwnHeaders | None = None
    # URLs to which a script tried to navigate after the article had loaded.
    refused: list[str] = field(default_factory=list)
    is_acting: bool = False  # whether the user's clicks may lead to other pages of the page's host
    stays: bool = False  # whether every other document is refused
    _targets: ChildTargets | None = None
    _private: str = ""
    _here: str = ""
    _hops: int = 0
    _logged_in: set[str] = field(default_factory=set)
    _tasks: Tasks = field(default_factory=Tasks)

    async def open(self, watch_worker: Watch) -> None:
        """Start to intercept; `watch_worker` is called with the session and URL of each worker."""

        async def watch(session: ProtocolSession, url: str) -> None:
            # Unlike the rest of how the browser identifies itself, its languages are not inherited.
            await session.send(*self.emulation[0])
            await watch_worker(session, url)

        self._targets = ChildTargets(self.session, self._guard_frame, watch)
        await asyncio.gather(self._intercept(self.session), self._targets.attach())

    async def _guard_frame(self, session: ProtocolSession) -> None:
        """Set up a frame in another process, before it loads anything."""
        # Locale and time zone are those of a process, and cannot be set for its second frame.
        works = (session.send(*command) for command in (("Page.enable", {}), *self.emulation))
        await asyncio.gather(*works, return_exceptions=True)
        if self.recorder or self.replay or self.proxy_login or self.blocker.patterns():
            await self._intercept(session)

    async def _intercept(self, session: ProtocolSession) -> None:

        async def decide(event: dict[str, Any]) -> None:
            # If the page is gone, so is its request.
            with contextlib.suppress(RenderError):
                has_answer = "responseStatusCode" in event or "responseErrorReason" in event
                if self.recorder and has_answer:
                    await self.recorder.take(session, event)
                else:
                    await self._answer(session, event)

        session.on("Fetch.requestPaused", lambda event: self._tasks.start(decide(event)))
        session.on(
            "Fetch.authRequired", lambda event: self._tasks.start(self._log_in(session, event))
        )
        is_alone = self.document and not self.document.fetch
        everything = self.replay or is_alone or self.proxy_login
        patterns = [EVERYTHING if everything else DOCUMENTS]
        if not everything:
            patterns += self.blocker.patterns()
        if self.headers and not everything:
            patterns += [{"urlPattern": f"{origin}/*"} for origin in self.headers.origins()]
        if self.recorder:
            patterns.append(ANSWERS)
        await session.send(
            "Fetch.enable", patterns=patterns, handleAuthRequests=bool(self.proxy_login)
        )

    async def _log_in(self, session: ProtocolSession, event: dict[str, Any]) -> None:
        """Answer a proxy that asks for a password; a second time, the password is wrong."""
        request, answer = event["requestId"], {"response": "Default"}
        if event["authChallenge"]["source"] == "Proxy":
            is_again = request in self._logged_in
            answer = {"response": "CancelAuth" if is_again else "ProvideCredentials"}
            answer |= {} if is_again else self.proxy_login
            self._logged_in.add(request)
        with contextlib.suppress(RenderError):
            await session.send(
                "Fetch.continueWithAuth", requestId=request, authChallengeResponse=answer
            )

    @property
    def has_frames(self) -> bool:
        """Whether the page has had a frame in another process."""
        return self._targets is not None and self._targets.has_frames

    def close(self) -> None:
        """Fail the pending commands of frames and workers."""
        if self._targets is not None:
            self._targets.close()

    def supply(self, document: SuppliedDocument) -> None:
        """Answer the next request for the page's document with a given one."""
        self.document, self._hops = document, 0

    def check(self, url: str) -> None:
        """Check that the page has not tried to navigate to an address that it may not reach."""
        if self._private:
            raise refusal(url, self._private)

    async def _answer(self, session: ProtocolSession, event: dict[str, Any]) -> None:
        request = event["requestId"]
        main = event["resourceType"] == "Document" and event["frameId"] == self.session.target
        if main and not event.get("redirectedRequestId"):
            self._hops += 1
        if self.document and main and self._hops == 1:
            document = self.document
            headers = (("Content-Type", "text/html"), *document.headers)
            await fulfil_request(session, request, document.status, headers, document.html)
        elif self.document and not self.document.fetch:
            await refuse_request(session, request)
        elif main and self._hops > 1 and self._leaves(event["request"]["url"]):
            self.refused.append(event["request"]["url"])
            await refuse_request(session, request, "Aborted")
        elif (
            main and self._hops > 1 and self.egress_proxy
            and await self.egress_proxy.refuses(event["request"]["url"])
        ):  # fmt: skip
            # Not "Aborted": with that reason the previous document would never finish loading.
            self._private = event["request"]["url"]
            await refuse_request(session, request)
        elif self.replay:
            # What the archive has is loaded, whatever is blocked. What was blocked while the page
            # was recorded is not missing.
            is_expected = not self.blocker.blocks(event)
            if not await self.replay.answer(session, event, is_expected=is_expected):
                await self.blocker.answer(session, event)
        elif not main and self.blocker.blocks(event):
            await self.blocker.answer(session, event)
        else:
            if main:
                self.blocker.admit(event["request"]["url"])
            await continue_request(session, request, **self._with_headers(event))
        if main:
            self._here = event["request"]["url"]

    def _with_headers(self, event: dict[str, Any]) -> dict[str, Any]:
        """The headers of a request together with the user's own, if those are for its host."""
        request = event["request"]
        own = self.headers.for_url(request["url"]) if self.headers else {}
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
        return self._hops > MAX_HOPS or self.text_mass() >= ARRIVED_CHARS
