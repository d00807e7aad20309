"""An `Extraction` written out: text, Markdown, HTML, JSON, XML-TEI."""

from __future__ import annotations

import json
from collections.abc import Callable

from bs4 import BeautifulSoup

from .extraction import Extraction
from .markdown import escape, heading
from .page_result import PageResult
from .record_table import write_csv
from .sanitise import printable
from .tei import to_tei

__all__ = ["FORMATS", "format_extraction", "format_result"]

ARTICLE_COLUMNS = ("title", "url", "date", "authors", "kind", "kind_probability", "text")


def _text(extraction: Extraction) -> str:
    parts = (extraction.title, extraction.text)
    return "\n\n".join(part for part in parts if part)


def _markdown(extraction: Extraction) -> str:
    head = heading(1, escape(extraction.title))
    return "\n\n".join(part for part in (head, extraction.markdown) if part)


def _html(extraction: Extraction) -> str:
    page = BeautifulSoup("", "lxml")
    article = page.new_tag("article")
    if extraction.title:
        heading = page.new_tag("h1")
        heading.string = extraction.title
        article.append(heading)
    body = BeautifulSoup(extraction.html, "html.parser")
    for element in list(body.contents):
        article.append(element.extract())
    return str(article)


def _json(extraction: Extraction) -> str:
    url, method = extraction.url, extraction.method
    result = PageResult(url, url, extractions={method: extraction})
    return json.dumps(result.to_dict(), ensure_ascii=False)


def _csv(extraction: Extraction) -> str:
    """The records of a list page; of an article one record with what is known of it."""
    table = extraction.records
    if table is not None:
        return write_csv(table.columns, table.rows).rstrip("\n")
    row = {name: str(getattr(extraction, name) or "") for name in ARTICLE_COLUMNS}
    row["authors"] = "; ".join(extraction.authors)
    return write_csv(ARTICLE_COLUMNS, [row]).rstrip("\n")


FORMATS: dict[str, Callable[[Extraction], str]] = {
    "text": _text,
    "markdown": _markdown,
    "html": _html,
    "json": _json,
    "csv": _csv,
    "tei": to_tei,
}
"""Writers by name; JSON is one line an article."""


def format_extraction(extraction: Extraction, form: str) -> str:
    """An extraction in one of the `FORMATS`, fit for a terminal: no control characters."""
    return printable(FORMATS[form](extraction))


def format_result(result: PageResult, form: str) -> str:
    """The result of a page that did not fail in one of the `FORMATS`.

    Raises
    ------
    MioloError
        The page failed.
    """
    extraction = result.unwrap()
    if form == "json":
        return printable(json.dumps(result.to_dict(), ensure_ascii=False))
    return format_extraction(extraction, form)
