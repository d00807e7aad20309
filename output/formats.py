"""Write an `Extraction` as text, Markdown, HTML, JSON, CSV, XML-TEI or chunks."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict

from ..names import unknown_name
from .extraction import Extraction
from .extraction_parts import write_csv
from .page_result import PageResult
from .write.html import escape as escape_html
from .write.html import to_html
from .write.markdown import escape as escape_markdown
from .write.markdown import heading, to_markdown
from .write.terminal import printable
from .write_options import DEFAULT_OPTIONS, WriteOptions

ARTICLE_COLUMNS = (
    "title", "url", "date", "authors", "kind", "kind_probability", "confidence", "text",
)  # fmt: skip


def _text(extraction: Extraction, options: WriteOptions) -> str:
    parts = (extraction.title, extraction.text)
    return "\n\n".join(part for part in parts if part)


def _markdown(extraction: Extraction, options: WriteOptions) -> str:
    plain = heading(1, escape_markdown(extraction.title))
    head = front_matter(extraction) if options.front_matter else plain
    written = to_markdown(extraction.body.document(options), wrap=options.wrap)
    return "\n\n".join(part for part in (head, written) if part)


def _html(extraction: Extraction, options: WriteOptions) -> str:
    title = escape_html(extraction.title)
    head = f"<h1>{title}</h1>" if title else ""
    return f"<article>{head}{to_html(extraction.body.document(options))}</article>"


def _json(extraction: Extraction, options: WriteOptions) -> str:
    return json.dumps(extraction.to_dict(), ensure_ascii=False)


def _csv(extraction: Extraction, options: WriteOptions) -> str:
    """The records of a list page; for an article, one row with its text and metadata."""
    table = extraction.records
    if table is not None:
        return write_csv(table.columns, table.rows).rstrip("\n")
    values = {name: getattr(extraction, name) for name in ARTICLE_COLUMNS}
    row = {name: "" if value is None else str(value) for name, value in values.items()}
    row["authors"] = "; ".join(extraction.authors)
    return write_csv(ARTICLE_COLUMNS, [row]).rstrip("\n")


def _tei(extraction: Extraction, options: WriteOptions) -> str:
    from .write.tei import to_tei

    document = extraction.body.document(options)
    return to_tei(extraction.metadata, extraction.url, document, extraction.comments)


def _chunks(extraction: Extraction, options: WriteOptions) -> str:
    chunks = extraction.chunks(options.chunk_size, overlap=options.chunk_overlap)
    return "\n".join(json.dumps(asdict(chunk), ensure_ascii=False) for chunk in chunks)


FORMATS: dict[str, Callable[[Extraction, WriteOptions], str]] = {
    "text": _text,
    "markdown": _markdown,
    "html": _html,
    "json": _json,
    "csv": _csv,
    "tei": _tei,
    "chunks": _chunks,
}
"""Writers by name of the format. JSON has one line per article, chunks have one line each."""


def format_extraction(
    extraction: Extraction, form: str, options: WriteOptions = DEFAULT_OPTIONS
) -> str:
    """Write an extraction in a format, with control characters replaced.

    Parameters
    ----------
    extraction
        An extraction.
    form
        ``"text"``, ``"markdown"``, ``"html"``, ``"json"``, ``"csv"``, ``"tei"`` or ``"chunks"``.
    options
        How it is written.

    Raises
    ------
    ValueError
        There is no format of this name.
    """
    if form not in FORMATS:
        raise ValueError(unknown_name("format", form, FORMATS))
    return printable(FORMATS[form](extraction, options))


def format_result(result: PageResult, form: str, options: WriteOptions = DEFAULT_OPTIONS) -> str:
    """Write the result of a page in one of the `FORMATS`."""
    extraction = result.extraction or result.unwrap()
    if form == "json":
        return printable(json.dumps(result.to_dict(), ensure_ascii=False))
    return format_extraction(extraction, form, options)


def front_matter(extraction: Extraction) -> str:
    """What is known of an article; as all values are quoted, no content is read as YAML."""
    values = {
        "title": extraction.title,
        "authors": extraction.authors,
        "date": extraction.date,
        "url": extraction.url,
        "site": extraction.site_name,
        "language": extraction.language,
        "tags": extraction.tags,
        "description": extraction.description,
    }
    lines = [f"{name}: {_yaml_value(value)}" for name, value in values.items() if value]
    return "\n".join(("---", *lines, "---"))


def _yaml_value(value: str | tuple[str, ...]) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_yaml_value, value))}]"
    # As in JSON, but without surrogate pairs. YAML reads some characters, such as U+0085, as line
    # ends.
    plain = value.encode("utf-8", "replace").decode()
    written = json.dumps(plain, ensure_ascii=False)
    return "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in written)
