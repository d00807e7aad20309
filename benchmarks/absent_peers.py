"""A one-line error for a peer that is not installed; import this module before any peer."""

from __future__ import annotations

import sys
from types import TracebackType

__all__ = ["EXTRAS", "report_absent_peer"]

EXTRAS = {
    **dict.fromkeys(
        (
            "trafilatura",
            "readability",
            "newspaper",
            "resiliparse",
            "justext",
            "goose3",
            "markdownify",
            "html2text",
        ),
        "peers",
    ),
    **dict.fromkeys(("apted", "edist", "zss"), "tree-peers"),
    **dict.fromkeys(("crawlee", "scrapy", "scrapy_poet", "langchain_core"), "frameworks"),
}
"""The extra that installs each peer, by the module's name."""


def report_absent_peer(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    """Name the extra that installs a missing peer; report other errors as usual."""
    name = (getattr(error, "name", None) or "").partition(".")[0]
    if isinstance(error, ModuleNotFoundError) and name in EXTRAS:
        print(f"{name} is not installed: pip install 'miolo[{EXTRAS[name]}]'", file=sys.stderr)
    else:
        sys.__excepthook__(kind, error, trace)


sys.excepthook = report_absent_peer
