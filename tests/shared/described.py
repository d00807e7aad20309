"""Metadata of small pages whose elements have roles."""

from dataclasses import replace

import numpy as np
from miolo import Snapshot
from miolo.extract.metadata.describing import Description
from miolo.extract.metadata.finding import RoleText, Scene
from miolo.output.metadata import Metadata

URL = "https://www.example.org/news/bread"


def describe(page: Snapshot, title=None, kept=None, blocks=(), **site) -> Metadata:
    """Metadata of a page with a headline and a body, and with what its site teaches."""
    return Description(Scene(page, title, kept, blocks), **site).metadata


def fetched(html: str, url: str = URL) -> Snapshot:
    """A page as if it had been fetched at a known time."""
    page = Snapshot.from_html(html, url=url)
    return replace(page, page=replace(page.page, time="2024-01-02T10:00:00+00:00", status=200))


def described(html: str, body: str = "Dough rises.", foot: str = "") -> Metadata:
    """Metadata of a page whose blocks are the elements with the attribute ``role``, then a body."""
    page = fetched(f"{html}<p role=paragraph>{body}</p>{foot}")
    kept = np.zeros(len(page), bool)
    blocks, title = [], None
    for node, role in page.attributes.with_attribute("role"):
        inside = slice(node, page.end[node])
        blocks.append(RoleText(role, (page.is_text[inside].nonzero()[0] + node).tolist()))
        kept[inside] = role == "paragraph"
        title = node if role == "title" else title
    return describe(page, title, kept, blocks)
