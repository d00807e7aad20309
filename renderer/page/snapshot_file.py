"""Snapshot files: containers of ``meta.json`` (version, page facts, string tables), ``texts.json``,
arrays (``.npy``), and ``served.html`` and ``screenshot.png`` if there are such.
"""

from __future__ import annotations

import json
import zipfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import ArchiveError, PageWarning
from ...untrusted_json import parse_json
from .arrays import (
    MAX_PX,
    NODE_ARRAYS,
    POSITIONS,
    Frame,
    Page,
    PageInfo,
    SnapshotArrays,
    column_shape,
)
from .attributes import Attributes
from .container import Member, open_container, read_array, save_container
from .tree import is_preorder, tree_arrays

FORMAT, VERSION = "miolo-snapshot", 1

PNG_HEAD = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"

# Four bytes per pixel when unpacked. The default limit on screenshots is a quarter of this.
MAX_PIXELS = 160_000_000

ATTRIBUTE_ARRAYS = {"start": np.int32, "name": np.int32, "value": np.int32}

TEXT_FACTS = tuple(name for name, value in asdict(PageInfo("")).items() if value == "")


def save_snapshot(snapshot: SnapshotArrays, path: Path) -> None:
    """Write a snapshot; the file appears complete or not at all."""
    meta = {
        "format": FORMAT,
        "version": VERSION,
        "page": asdict(snapshot.page),
        "frames": [asdict(frame) for frame in snapshot.frames],
        "tags": snapshot.tags,
        "displays": snapshot.displays,
    }
    texts = {"text": snapshot.text, "attributes": snapshot.attributes.strings}
    members: dict[str, Member] = {
        "meta.json": json.dumps(meta, ensure_ascii=True).encode(),
        "texts.json": json.dumps(texts, ensure_ascii=True).encode(),
    }
    members |= {f"{name}.npy": getattr(snapshot, name) for name in NODE_ARRAYS}
    rows = snapshot.attributes
    members |= {f"attribute_{name}.npy": getattr(rows, name) for name in ATTRIBUTE_ARRAYS}
    if snapshot.served:
        members["served.html"] = snapshot.served.encode("utf-8", "surrogatepass")
    if snapshot.screenshot is not None:
        members["screenshot.png"] = snapshot.screenshot
    save_container(path, members)


def load_snapshot(kind: type[Page], path: Path) -> Page:
    """Read and validate a snapshot of the given class; see `open_container` for the errors."""
    with open_container(path, "snapshot") as archive:
        return _read(kind, archive)


def _read(kind: type[Page], archive: zipfile.ZipFile) -> Page:
    meta = parse_json(archive.read("meta.json"))
    if meta.get("format") != FORMAT or meta.get("version") != VERSION:
        raise ArchiveError(f"not a snapshot of version {VERSION}")
    texts = parse_json(archive.read("texts.json"))
    text, strings = _strings(texts["text"]), _strings(texts["attributes"])
    arrays: dict[str, Any] = {
        name: read_array(archive, name, dtype) for name, dtype in NODE_ARRAYS.items()
    }
    rows = {
        name: read_array(archive, f"attribute_{name}", dtype)
        for name, dtype in ATTRIBUTE_ARRAYS.items()
    }
    tags, displays = _strings(meta["tags"]), _strings(meta["displays"])
    frames = tuple(Frame(str(f["url"]), str(f["base_url"])) for f in meta["frames"])
    _check_arrays(arrays, len(text), (len(tags), len(displays), len(frames)))
    _check_attributes(rows, len(text), len(strings))
    if tags[0] != "#text":
        raise ArchiveError("the tag table does not start with #text")
    parent = arrays["parent"]
    if (parent == -1).sum() != 1 or not is_preorder(parent.tolist()):
        raise ArchiveError("the nodes are not one tree in document order")
    end, depth = tree_arrays(parent)
    served = ""
    if "served.html" in archive.namelist():
        served = archive.read("served.html").decode("utf-8", "surrogatepass")
    return kind(
        **arrays,
        end=end,
        depth=depth,
        tags=tags,
        displays=displays,
        text=text,
        attributes=Attributes(**rows, strings=strings),
        frames=frames,
        page=_page(meta["page"]),
        served=served,
        screenshot=_picture(archive),
    )


def _picture(archive: zipfile.ZipFile) -> bytes | None:
    """The screenshot; its header must be that of a PNG small enough to be unpacked."""
    name = "screenshot.png"
    if name not in archive.namelist():
        return None
    picture = archive.read(name)
    width, height = (int.from_bytes(picture[at : at + 4], "big") for at in (16, 20))
    if not picture.startswith(PNG_HEAD) or not 0 < width * height <= MAX_PIXELS:
        raise ArchiveError("the screenshot is not a picture of a page")
    return picture


def _strings(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ArchiveError("a table of strings is damaged")
    return tuple(value)


def _check_arrays(
    arrays: dict[str, NDArray[Any]], nodes: int, tables: tuple[int, int, int]
) -> None:
    if nodes == 0:
        raise ArchiveError("there is no node")
    for name, array in arrays.items():
        if array.shape != column_shape(name, nodes):
            raise ArchiveError(f"{name} has shape {array.shape} for {nodes} nodes")
    # The negated comparison also rejects NaN.
    if (
        not (np.abs(arrays["box"]) <= 2 * MAX_PX).all()
        or (arrays["box"][:, 2:] < 0).any()
        or not np.isfinite(arrays["font_size"]).all()
    ):
        raise ArchiveError("geometry is beyond any page")
    tags, displays, frames = tables
    limits = {"tag": tags, "display": displays, "frame": frames, "position": len(POSITIONS)}
    for name, limit in limits.items():
        if arrays[name].min() < 0 or arrays[name].max() >= limit:
            raise ArchiveError(f"{name} points outside its table")


def _check_attributes(rows: dict[str, NDArray[Any]], nodes: int, strings: int) -> None:
    start, name, value = rows["start"], rows["name"], rows["value"]
    is_sorted = start.shape == (nodes + 1,) and start[0] == 0 and (np.diff(start) >= 0).all()
    if not is_sorted or not name.shape == value.shape == (start[-1],):
        raise ArchiveError("attribute rows are damaged")
    for column in (name, value):
        if len(column) and (column.min() < 0 or column.max() >= strings):
            raise ArchiveError("an attribute points outside its table")


def _page(facts: dict[str, Any]) -> PageInfo:
    facts["warnings"] = tuple(
        PageWarning(str(w["code"]), str(w["message"])) for w in facts["warnings"]
    )
    facts["meta"] = tuple((str(k), str(v)) for k, v in facts["meta"])
    facts["json_ld"] = _strings(facts["json_ld"])
    facts["stages"] = tuple((str(name), float(seconds)) for name, seconds in facts["stages"])
    facts["pending"] = _strings(facts["pending"])
    for name in ("viewport", "page_size"):
        width, height = facts[name]
        facts[name] = (int(width), int(height))
    for name in TEXT_FACTS:
        if not isinstance(facts[name], str):
            raise ArchiveError(f"{name} is damaged")
    if not isinstance(facts["has_geometry"], bool):
        raise ArchiveError("has_geometry is damaged")
    if facts["status"] is not None:
        facts["status"] = int(facts["status"])
    return PageInfo(**facts)
