"""A report on one page in one HTML file: its picture with boxes, and the reason for each."""

from __future__ import annotations

from pathlib import Path

from ...extract.methods.registry import DEFAULT_METHOD
from ...extract.pipeline import extract_snapshot
from ...output.extraction import Extraction
from ...renderer.page.snapshot import Snapshot
from .inspection import inspection
from .report_parts import fill, inert_json, picture
from .scripts import VIEW_FILES, one_script

__all__ = ["html_report"]

TEMPLATE = Path(__file__).with_name("report.html")


def html_report(
    snapshot: Snapshot, extraction: Extraction | None = None, method: str = DEFAULT_METHOD
) -> str:
    """Write a report that shows what was extracted from a page, and why.

    Parameters
    ----------
    snapshot
        The page. Without a screenshot the boxes are drawn on blank paper; without geometry
        there are only the texts.
    extraction
        Extraction of this very snapshot; by default, `method` is run.
    method
        Name of a method; see `METHODS`.

    Returns
    -------
    Self-contained HTML that needs no network, and in which no content of the page is markup. Every
    block shows its figures and its reason when it is hovered or focused.

    Raises
    ------
    UnknownMethodError
        There is no method of this name.
    ValueError
        The extraction is of another page.
    """
    if extraction is None:
        extraction = extract_snapshot(snapshot, method)
    title = snapshot.page.title or snapshot.page.url
    data = inert_json(inspection(snapshot, extraction))
    parts = {
        "VIEWSTYLE": VIEW_FILES["view.css"].read_text("utf-8"),
        "SCRIPT": one_script("report.js"),
    }
    return fill(TEMPLATE, title, {"PICTURE": picture(snapshot), "DATA": data}, parts)
