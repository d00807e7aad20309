"""The section in the kicker of an article, for methods that have roles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from urllib.parse import unquote, urlsplit

from ...features.links import absolute_url
from ...renderer.network.origins import site_of
from ...renderer.page.snapshot import Snapshot
from .finding import Finding, RoleText, link_around, tidy
from .names import name_key

__all__ = ["kicker_sections"]

MAX_KICKER = 30
MAX_KICKER_WORDS = 3
AROUND_KICKER = " |/»›>·•:-–—#,"

# Kickers that are no sections, as keys, and parts of addresses that sections do not have.
NO_SECTION = frozenset(
    """article blog brandedcontent breaking breakingnews event exclusive featured home live
    mainfeature new podcast premium product review reviews sponsored story topstories topstory
    update updated video videos
    """.split()
)
OTHER_PATHS = frozenset(("author", "authors", "brand", "people", "profile", "staff", "store",
                         "stores", "tag", "tags", "topic", "u", "user", "users"))  # fmt: skip


def kicker_sections(snapshot: Snapshot, blocks: Sequence[RoleText]) -> Iterator[Finding]:
    """The section in the first kicker, if the page's address or the kicker's link confirms it.

    Other kickers are topics: "Fire in a bakery".
    """
    kickers = (node for block in blocks if block.role == "kicker" for node in block.nodes)
    for node in kickers:
        text = tidy(snapshot.text[node]).strip(AROUND_KICKER)
        key = name_key(text)
        if not key or key == "home":
            continue
        if _is_section(snapshot, node, text):
            yield Finding("section", (text,), f"kicker block, node {node}")
        return


def _is_section(snapshot: Snapshot, node: int, text: str) -> bool:
    key = name_key(text)
    if len(text) > MAX_KICKER or len(text.split()) > MAX_KICKER_WORDS or key in NO_SECTION:
        return False
    url = snapshot.page.url
    if key in _steps(url)[:-1]:
        return True
    element = link_around(snapshot, node)
    if element is None:
        return False
    link = absolute_url(snapshot, element, snapshot.attributes.get(element, "href") or "")
    steps = _steps(link) if link and site_of(link) == site_of(url) else []
    return key in steps[-1:] and OTHER_PATHS.isdisjoint(steps)


def _steps(url: str) -> list[str]:
    """Keys of the parts of an address's path."""
    try:
        path = urlsplit(url).path
    except ValueError:
        return []
    return [name_key(unquote(step)) for step in path.split("/") if step]
