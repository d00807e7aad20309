"""Facts that are read from a page's tree: title, language, meta elements, content hash."""

from __future__ import annotations

import hashlib
from dataclasses import replace

from .arrays import PageInfo, SnapshotArrays
from .attributes import Attributes


def page_facts(snapshot: SnapshotArrays, json_ld: tuple[str, ...]) -> PageInfo:
    """The snapshot's `PageInfo`, completed with the facts that are read from its tree."""
    attributes = snapshot.attributes
    main = snapshot.frame == 0
    titles = (snapshot.with_tag("title") & main).nonzero()[0]
    title = ""
    if len(titles):
        i = int(titles[0])
        title = " ".join("".join(snapshot.text[i : snapshot.end[i]]).split())
    meta = []
    for node in (snapshot.with_tag("meta") & main).nonzero()[0].tolist():
        row = attributes.of(node)
        name = row.get("property") or row.get("name") or row.get("itemprop")
        if name and "content" in row:
            meta.append((name, row["content"]))
    language = attributes.get(0, "lang") or attributes.get(0, "xml:lang") or ""
    return replace(
        snapshot.page,
        title=title,
        language=language.strip(),
        meta=tuple(meta),
        json_ld=json_ld,
        content_hash=content_hash(snapshot),
    )


def content_hash(snapshot: SnapshotArrays) -> str:
    """SHA-256 over tree, tags, texts and attributes, hexadecimal."""
    digest = hashlib.sha256()
    attributes: Attributes = snapshot.attributes
    digest.update(snapshot.parent.astype("<i4").tobytes())
    digest.update(attributes.start.astype("<i4").tobytes())
    names = [snapshot.tags[code] for code in snapshot.tag.tolist()]
    strings = attributes.strings
    pairs = [strings[i] for i in attributes.name.tolist() + attributes.value.tolist()]
    for part in (names, snapshot.text, pairs):
        digest.update("\0".join(part).encode("utf-8", "surrogatepass"))
        digest.update(b"\1")
    return digest.hexdigest()
