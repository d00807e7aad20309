"""Features of a static page that indicate whether scripts bring or replace its text.

They are the presence of scripts, the sizes of their data and of the text, and empty elements. All
are computed from the HTML that the server sends; no script is read.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from ..patterns import lazy_re
from ..renderer.page.snapshot import Snapshot
from ..renderer.page.tree import subtree_sums

__all__ = ["SCRIPT_FEATURES", "script_features"]

SCRIPT_FEATURES = (
    "no scripts", "data characters", "text characters", "text share", "empty containers",
    "empty article", "empty root", "loading",
)  # fmt: skip
"""Columns of `script_features`."""

CONTAINERS = ("div", "section", "main", "article")
ARTICLE_PARTS = ("main", "article")

ROOTS = frozenset(
    "root app app-root react-root main-app application __next __nuxt ___gatsby svelte".split()
)
"""Usual ids of the element that a framework of client-side rendering fills."""

# An element with less text may hold only a placeholder.
MIN_CHARS = 200

LOADING = lazy_re(
    r"\bloading\b|javascript|please wait|skeleton|wird geladen|chargement|cargando|carregando|"
    r"caricamento|загрузка|加载|載入|読み込み|로딩",
    re.IGNORECASE,
)

MAX_TEXT, SHORT = 20_000, 80


def script_features(snapshot: Snapshot) -> NDArray[np.float64]:
    """Features of the scripts of a page.

    float64, shape (f,), in the order of `SCRIPT_FEATURES`: whether the page has no script; log(1 +
    n) of the characters of JSON in scripts, and of the visible text; the share of the visible text
    in the markup; log(1 + n) of the number of containers without any content; whether all main and
    article elements are nearly empty, and whether a framework's root is; log(1 + n) of the number
    of short texts about loading.
    """
    lengths = np.fromiter(map(len, snapshot.text), np.int64, len(snapshot))
    shown = snapshot.visible & snapshot.is_text
    text = int(lengths[shown].sum())
    inside = subtree_sums(lengths, snapshot.end)
    nodes = snapshot.end - np.arange(len(snapshot))
    empty = snapshot.with_tag(*CONTAINERS) & (inside == 0) & (nodes <= 2)
    parts = inside[snapshot.with_tag(*ARTICLE_PARTS)]
    has_scripts, data = _scripts(snapshot)
    ids = snapshot.attributes.with_attribute("id")
    texts = (snapshot.text[node] for node in shown.nonzero()[0].tolist())
    short = [text for text in texts if len(text) <= SHORT]
    return np.array(
        [
            not has_scripts,
            np.log1p(data),
            np.log1p(text),
            text / max(int(snapshot.html_chars.sum()), 1),
            np.log1p(empty.sum()),
            len(parts) > 0 and int(parts.max()) < MIN_CHARS,
            any(value in ROOTS and inside[node] < MIN_CHARS for node, value in ids),
            np.log1p(len(LOADING.findall("\n".join(short)[:MAX_TEXT]))),
        ],
        np.float64,
    )


def _scripts(snapshot: Snapshot) -> tuple[bool, int]:
    """Whether the page has scripts that run, and the number of characters of their data."""
    has_scripts, data = False, 0
    for node in snapshot.with_tag("script").nonzero()[0].tolist():
        kind = (snapshot.attributes.get(node, "type") or "").lower()
        if "json" not in kind:
            has_scripts = True
        elif "ld+json" not in kind:
            data += int(snapshot.html_chars[node])
    return has_scripts, data
