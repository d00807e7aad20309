"""Cuts a document down before it is captured, where all of it would be too much to take over."""

from __future__ import annotations

from ..errors import TooLarge
from .flood import stop_scripts
from .protocol import ProtocolSession

__all__ = ["cut_document", "node_count"]

WORLD = "miolo-cut"

# Beyond what is cut off, nodes may hang in shadow roots, in frames, or in the air.
HIDDEN_FACTOR = 4

# Takes away the node that is one too many and all that follows it in document order.
CUT = """((most) => {
  const walker = document.createTreeWalker(document, NodeFilter.SHOW_ALL);
  for (let n = 0; n < most; n++) if (!walker.nextNode()) return false;
  if (!walker.nextNode()) return false;
  const rest = document.createRange();
  rest.setStartBefore(walker.currentNode);
  rest.setEndAfter(document.lastChild);
  rest.deleteContents();
  return true;
})"""


async def node_count(session: ProtocolSession) -> int:
    """Nodes that a page's process holds, those of its frames included."""
    return int((await session.send("Memory.getDOMCounters"))["nodes"])


async def cut_document(session: ProtocolSession, most: int) -> bool:
    """Stop a page's scripts, and leave the first nodes of its main document.

    Returns
    -------
    bool
        Whether there were more.

    Raises
    ------
    TooLarge
        There is far more than that elsewhere: in shadow roots, in frames.
    """
    stop_scripts(session)
    tree = await session.send("Page.getFrameTree")
    frame = tree["frameTree"]["frame"]["id"]
    world = await session.send("Page.createIsolatedWorld", frameId=frame, worldName=WORLD)
    answer = await session.send(
        "Runtime.evaluate",
        expression=f"{CUT}({most})",
        contextId=world["executionContextId"],
        returnByValue=True,
    )
    await session.send("HeapProfiler.collectGarbage")
    left = await node_count(session)
    if left > HIDDEN_FACTOR * most:
        raise TooLarge(f"the page holds {left:,} nodes, too many to be captured")
    return answer["result"].get("value") is True
