"""Layers that cover a page's text: hides them for the screenshot and shows them again."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import RenderError
from ..page.tree import tree_shape
from .capture import STYLES
from .protocol import ProtocolSession

# A layer with a larger share of the page's text is the page itself: whole sites scroll in a layer.
MAX_TEXT_SHARE = 0.5

# A hostile page may have any number of layers, and each is compared with every text.
MAX_CANDIDATES = 500
MAX_LAYERS = 50

# Overlap in px up to which a text counts as beside a layer.
TOUCH = 2.0

WORLD = "miolo-layers"

# Hides an element without changing the layout. Two properties are needed: a dialog's backdrop
# inherits only visibility, and descendants may override that. An element with a negative z-index
# is left alone: the paint order does not show that it is no layer.
HIDE = """function () {
  if (getComputedStyle(this).zIndex < 0) return null;
  const before = {style: this.getAttribute('style')};
  for (const [name, value] of [['opacity', '0'], ['visibility', 'hidden']]) {
    this.style.setProperty(name, value, 'important');
  }
  return before;
}"""
# A style attribute that was only set through properties cannot be removed, and would remain empty.
# It is therefore written first.
SHOW = """function ({style}) {
  this.setAttribute('style', style ?? '');
  if (style === null) this.removeAttribute('style');
}"""


def covering_layers(reply: dict[str, Any]) -> list[int]:
    """Backend node ids of the outermost layers that are painted over text of the main document.

    A layer is either fixed or sticky and does not contain most of the text, or is absolutely
    positioned and contains no text, such as a decorative canvas. The reply is that of `capture`.
    """
    boxes = _Boxes(reply)
    nodes: list[int] = []
    stop = 0
    for row in boxes.candidates():
        node = int(boxes.node[row])
        if node >= stop and boxes.covers_text(row):
            nodes.append(node)
            stop = boxes.end[node]
    ids = reply["documents"][0]["nodes"]["backendNodeId"]
    return [ids[node] for node in nodes[:MAX_LAYERS]]


class _Boxes:
    """Boxes of a reply's main document, by node in document order."""

    def __init__(self, reply: dict[str, Any]) -> None:
        document, strings = reply["documents"][0], reply["strings"]
        layout = document["layout"]
        node = np.asarray(layout["nodeIndex"], np.int64)
        rows = np.argsort(node, kind="stable")
        self.node = node[rows]
        box = np.asarray(layout["bounds"], np.float64).reshape(-1, 4)[rows]
        self.low, self.high = box[:, :2], box[:, :2] + box[:, 2:]
        self.order = np.asarray(layout["paintOrders"], np.int64)[rows]
        self.position = _style(layout, strings, "position")[rows]
        self.is_shown = (_style(layout, strings, "visibility")[rows] == "visible") & (
            box[:, 2:] > 0
        ).all(axis=1)
        texts = [strings[text].strip() if text >= 0 else "" for text in layout["text"]]
        chars = np.fromiter(map(len, texts), np.int64, len(texts))[rows] * self.is_shown
        self.is_text = chars > 0
        self.before = np.concatenate([[0], np.cumsum(chars)])
        self.end, _ = tree_shape(document["nodes"]["parentIndex"])

    def candidates(self) -> list[int]:
        """Rows of boxes that may be layers, in document order."""
        floats = np.isin(self.position, ("fixed", "sticky", "absolute"))
        return np.flatnonzero(floats & self.is_shown)[:MAX_CANDIDATES].tolist()

    def covers_text(self, row: int) -> bool:
        """Whether a box is a layer that is painted over text outside of it."""
        stop = int(np.searchsorted(self.node, self.end[int(self.node[row])]))
        chars = self.before[stop] - self.before[row]
        is_bare = self.position[row] == "absolute"
        if chars > (0 if is_bare else MAX_TEXT_SHARE * self.before[-1]):
            return False
        below = self.is_text & (self.order < self.order[row:stop].max())
        below[row:stop] = False
        overlap = np.minimum(self.high, self.high[row]) - np.maximum(self.low, self.low[row])
        return bool((below & (overlap > TOUCH).all(axis=1)).any())


def _style(layout: dict[str, Any], strings: list[str], name: str) -> NDArray[np.str_]:
    column = STYLES.index(name)
    return np.array([strings[row[column]] if row else "" for row in layout["styles"]], str)


HiddenLayer = tuple[str, Any]
"""An element and its style before it was hidden."""


async def hide_layers(
    session: ProtocolSession, nodes: list[int], hidden: list[HiddenLayer]
) -> bool:
    """Hide elements by their backend node ids, without the page's scripts; skip what is gone.

    They are added to `hidden` one by one, since the caller may not wait for all. True at the end.
    """
    world = await session.isolated_world(WORLD) if nodes else 0
    for node in nodes:
        try:
            answer = await session.send(
                "DOM.resolveNode", backendNodeId=node, executionContextId=world
            )
        except RenderError:
            continue
        element = answer["object"]["objectId"]
        before = await _call(session, element, HIDE)
        if before is not None:
            hidden.append((element, before))
    return True


async def show_layers(session: ProtocolSession, hidden: list[HiddenLayer]) -> None:
    """Show the hidden elements again as they were."""
    while hidden:
        element, before = hidden.pop()
        await _call(session, element, SHOW, {"value": before})


async def _call(
    session: ProtocolSession, element: str, function: str, *arguments: dict[str, Any]
) -> Any:
    answer = await session.send(
        "Runtime.callFunctionOn",
        objectId=element,
        functionDeclaration=function,
        arguments=list(arguments),
        returnByValue=True,
    )
    return answer["result"].get("value")
