"""Pages made node by node, which may be deeper than any parser builds."""

from collections.abc import Iterable
from dataclasses import replace

import miolo
import numpy as np
from miolo.renderer.page.attributes import Attributes


def page_of_nodes(parents: Iterable[int], texts: Iterable[str]) -> miolo.Snapshot:
    """A page of visible ``div`` elements and, where there is a text, of text nodes."""
    parent, text = list(parents), tuple(texts)
    n = len(parent)
    end, depth = list(range(1, n + 1)), [0] * n
    for node in range(1, n):
        depth[node] = depth[parent[node]] + 1
    for node in range(n - 1, 0, -1):
        end[parent[node]] = max(end[parent[node]], end[node])
    model = miolo.Snapshot.from_html("<p>x")
    columns = {
        name: np.zeros((n, *value.shape[1:]), value.dtype)
        for name, value in vars(model).items()
        if isinstance(value, np.ndarray) and len(value) == len(model)
    }
    columns |= {
        "parent": np.array(parent, np.int32),
        "end": np.array(end, np.int32),
        "depth": np.array(depth, np.int32),
        "tag": np.array([not each for each in text], np.int16),
        "visible": np.ones(n, bool),
    }
    attributes = Attributes.from_columns([0] * n, [], [])
    return replace(model, **columns, tags=("#text", "div"), text=text, attributes=attributes)


def chain(depth: int, text: str) -> miolo.Snapshot:
    """Nested elements with a text in the innermost."""
    return page_of_nodes(range(-1, depth), [""] * depth + [text])
