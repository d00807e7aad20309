"""Captures a page, by one `DOMSnapshot.captureSnapshot` for each process that renders it.

The call goes to the browser itself, not to a script in the page: a page cannot tamper with it, and
the result includes closed shadow roots and frames, composed as they are rendered. Screenshots are
taken in tiles if the page is tall.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import io
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from ...errors import PageWarning, RenderError, TooLargeError
from ..options import Limits
from ..page.snapshot import Snapshot
from .protocol import WORLD, BrowserWire, ProtocolSession
from .watches import stop_scripts

STYLES = (
    "display", "visibility", "opacity", "position", "overflow-x", "overflow-y", "font-size",
    "font-weight", "color", "background-color", "white-space", "background-clip", "text-shadow",
)  # fmt: skip
"""Requested computed styles, in the order of the reply's columns."""

# A page with more frames is an attack or an advertisement exchange.
MAX_FRAMES = 64

# Nodes captured per node that a snapshot may have, because a snapshot leaves out comments and
# unrendered space.
SPARE_NODES = 1.25

# Chromium repeats or drops what lies beyond 16,384 px of a surface.
MAX_TILE_HEIGHT = 16_000
TILE_PIXELS = 20_000_000
MAX_WIDTH = 8192

# Size of the paper and margins of a PDF, inches.
A4, MARGIN = (8.27, 11.7), 15 / 25.4


@dataclass(frozen=True)
class Capture:
    """The replies for one page: its own first, then one for each frame in another process."""

    replies: list[dict[str, Any]]
    # The host of each further reply: number of the reply that contains it, backend node id.
    hosts: list[tuple[int, int]] = field(default_factory=list)
    # Space between the border box and the content box of a frame's host, CSS px, by host.
    insets: dict[tuple[int, int], tuple[float, float]] = field(default_factory=dict)
    cut: bool = False  # whether the end of the main document was cut off before
    # Backend node ids of subtrees of the page's own process that were put back for the capture.
    restored: frozenset[int] = frozenset()


async def capture(
    wire: BrowserWire, page: ProtocolSession, max_nodes: int, *, has_frames: bool = True
) -> Capture:
    """Capture a page with all its frames.

    `has_frames` is whether other processes may have some of them. If the main document has far more
    than `max_nodes` nodes, its end is cut off first.
    """
    limit = int(SPARE_NODES * max_nodes)
    count = await node_count(page)
    cut = count > limit and await cut_document(page, limit, count)
    page_capture = Capture([await _snapshot(page)], cut=cut)
    await _add_insets(page_capture, page, 0)
    number = {page.target: 0}
    sessions = [page]
    for info in await frame_targets(wire, page.target) if has_frames else ():
        above = number.get(info["parent"])
        if above is None or len(sessions) > MAX_FRAMES:
            continue
        session = await wire.attach(info["target"])
        try:
            owner = await sessions[above].send("DOM.getFrameOwner", frameId=info["target"])
            reply = await _snapshot(session)
        except RenderError:
            # The frame is gone, or its process died: the page is captured without it.
            await wire.detach(session)
            continue
        number[info["target"]] = len(page_capture.replies)
        page_capture.replies.append(reply)
        page_capture.hosts.append((above, owner["backendNodeId"]))
        sessions.append(session)
        await _add_inset(page_capture, sessions[above], (above, owner["backendNodeId"]))
        await _add_insets(page_capture, session, len(page_capture.replies) - 1)
    for session in sessions[1:]:
        await wire.detach(session)
    return page_capture


async def _snapshot(session: ProtocolSession) -> dict[str, Any]:
    return await session.send(
        "DOMSnapshot.captureSnapshot", computedStyles=list(STYLES), includePaintOrder=True
    )


async def frame_targets(wire: BrowserWire, target: str) -> list[dict[str, str]]:
    """Frames in other processes below a page, outer ones first."""
    infos = (await wire.send("Target.getTargets"))["targetInfos"]
    pending = [
        {"target": info["targetId"], "parent": info.get("parentId") or info["parentFrameId"]}
        for info in infos
        if info["type"] == "iframe" and ("parentId" in info or "parentFrameId" in info)
    ]
    below, targets = [], {target}
    while children := [info for info in pending if info["parent"] in targets]:
        below += children
        targets |= {info["target"] for info in children}
        pending = [info for info in pending if info["parent"] not in targets]
    return below


async def _add_insets(page_capture: Capture, session: ProtocolSession, number: int) -> None:
    for document in page_capture.replies[number]["documents"]:
        nodes = document["nodes"]
        for node in nodes["contentDocumentIndex"]["index"][:MAX_FRAMES]:
            await _add_inset(page_capture, session, (number, nodes["backendNodeId"][node]))


async def _add_inset(
    page_capture: Capture, session: ProtocolSession, host: tuple[int, int]
) -> None:
    try:
        model = (await session.send("DOM.getBoxModel", backendNodeId=host[1]))["model"]
    except RenderError:
        return  # a hidden frame has no box
    content, border = model["content"], model["border"]
    page_capture.insets[host] = (content[0] - border[0], content[1] - border[1])


# Cuts off the end of a document before it is captured, if all of it would be too much to transfer.

# Seconds between two counts of the nodes of a page that is being loaded.
COUNT_EVERY = 0.5

# Multiple of the limit that may remain after the cut: nodes in shadow roots, in frames, or without
# a parent.
HIDDEN_FACTOR = 4

# What was cut may still be held by a script that is just being ended.
COLLECTIONS = 3

# The first node beyond the limit, in document order; null if there are no more nodes.
FIRST_BEYOND = """((most) => {
  const walker = document.createTreeWalker(document, NodeFilter.SHOW_ALL);
  for (let n = 0; n < most; n++) if (!walker.nextNode()) return null;
  return walker.nextNode();
})"""

# Removes a node and all that follow it in document order; the observer of removed nodes, which
# is in the same world, must not keep them.
CUT = """((first) => {
  if (!first) return false;
  globalThis.mioloRemovals?.stop();
  const rest = document.createRange();
  rest.setStartBefore(first);
  rest.setEndAfter(document.lastChild);
  rest.deleteContents();
  return true;
})"""


async def node_count(session: ProtocolSession) -> int:
    """Number of nodes that a page's process holds, including those of its frames."""
    return int((await session.send("Memory.getDOMCounters"))["nodes"])


async def wait_for_excess(session: ProtocolSession, max_nodes: int) -> int:
    """Wait until a document has far more than `max_nodes` nodes; the number in its process."""
    limit, counted = int(SPARE_NODES * max_nodes), 0
    while True:
        await asyncio.sleep(COUNT_EVERY)
        with contextlib.suppress(RenderError):  # the document was replaced meanwhile
            count = await node_count(session)
            if count - counted > limit:
                # They may also be those of other pages, or nodes that scripts have discarded.
                if await _evaluate(session, f"{FIRST_BEYOND}({limit}) !== null"):
                    return count
                counted = count


async def cut_document(session: ProtocolSession, limit: int, count: int) -> bool:
    """Stop a page's scripts, and keep the first nodes of its main document; whether it had more."""
    stop_scripts(session)
    cut = partial(_evaluate, session, f"{CUT}({FIRST_BEYOND}({limit}))")
    try:
        is_cut = await cut()
    except RenderError:
        # A page that takes long has its scripts ended meanwhile, and this one with them.
        is_cut = await cut()
    for _ in range(COLLECTIONS):
        if count > HIDDEN_FACTOR * limit:
            await session.send("HeapProfiler.collectGarbage")
            count = await node_count(session)
    if count > HIDDEN_FACTOR * limit:
        raise TooLargeError(f"the page holds {count:,} nodes, too many to be captured")
    return is_cut


async def _evaluate(session: ProtocolSession, expression: str) -> bool:
    """Whether an expression is true in a page's main document, apart from the page's scripts."""
    return await session.evaluate(expression, await session.isolated_world(WORLD)) is True


async def take_screenshot(
    session: ProtocolSession, snapshot: Snapshot, limits: Limits, seconds: float
) -> Snapshot:
    """The snapshot with its screenshot, or with a warning that explains why there is none."""
    width, height = snapshot.page.page_size
    width = max(1, min(width, MAX_WIDTH))
    rows = max(1, min(height, limits.screenshot_pixels // width))
    try:
        async with asyncio.timeout(seconds):
            picture = await _tiles(session, width, rows)
    except (TimeoutError, RenderError, OSError):
        return snapshot.with_warnings(
            PageWarning("screenshot", "the screenshot could not be taken in time")
        )
    snapshot = replace(snapshot, screenshot=picture)
    if rows < height:
        note = f"the screenshot ends after {rows:,} of {height:,} px"
        return snapshot.with_warnings(PageWarning("screenshot", note))
    return snapshot


async def _tiles(session: ProtocolSession, width: int, height: int) -> bytes:
    step = min(MAX_TILE_HEIGHT, TILE_PIXELS // width)
    if height <= step:
        return await _tile(session, width, 0, height)
    from PIL import Image  # few pages are so tall

    whole = Image.new("RGB", (width, height), "white")
    for top in range(0, height, step):
        data = await _tile(session, width, top, min(step, height - top))
        with Image.open(io.BytesIO(data)) as tile:
            whole.paste(tile.convert("RGB"), (0, top))
    buffer = io.BytesIO()
    whole.save(buffer, "PNG", compress_level=3)
    return buffer.getvalue()


async def _tile(session: ProtocolSession, width: int, top: int, height: int) -> bytes:
    answer = await session.send(
        "Page.captureScreenshot",
        format="png",
        clip={"x": 0, "y": top, "width": width, "height": height, "scale": 1},
        captureBeyondViewport=True,
        optimizeForSpeed=True,
    )
    return base64.b64decode(answer["data"])


async def print_page(
    session: ProtocolSession, snapshot: Snapshot, limits: Limits, seconds: float
) -> Snapshot:
    """The snapshot with its PDF on A4, or with a warning that explains why there is none."""
    try:
        async with asyncio.timeout(seconds):
            answer = await session.send(
                "Page.printToPDF",
                paperWidth=A4[0],
                paperHeight=A4[1],
                **{f"margin{side}": MARGIN for side in ("Top", "Right", "Bottom", "Left")},
                printBackground=True,
                pageRanges=f"1-{limits.pdf_pages}",
                generateTaggedPDF=True,
                generateDocumentOutline=True,
            )
    except (TimeoutError, RenderError):
        return snapshot.with_warnings(PageWarning("pdf", "the page could not be printed in time"))
    return replace(snapshot, pdf=base64.b64decode(answer["data"]))
