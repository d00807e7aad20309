"""Common parts of the reports: HTML in which no content of a page is markup, and page facts.

The web page loads the script's modules as they are. A report contains one classic script, which
also runs from a file. Modules therefore import only by name and from their own folder, with one
line per import; they export only declarations; and no two modules of a report declare the
same name.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import math
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from ...output.extraction import Extraction
from ...renderer.page.snapshot import Snapshot

PNG = b"\x89PNG\r\n\x1a\n"

# Browsers lay out at most some 33 million px, but a page may claim any size.
MAX_STAGE = (8192, 1_000_000)

HERE = Path(__file__).parent

VIEW_FILES: dict[str, Path] = {
    "reports.css": HERE / "reports.css",
    **{
        path.name: path
        for path in sorted((HERE / "view").iterdir())
        if path.suffix in (".js", ".css")
    },
}
"""Files to serve beside the web page, by name."""

IMPORT = re.compile(r'^import \{[^}]*\} from "\./([a-z]+\.js)";\n', re.MULTILINE)
PARTS = re.compile(r"<(style|script)>(.*?)</\1>", re.DOTALL)
EXPORT = re.compile(r"^export (?=(?:const|function|class) )", re.MULTILINE)


def fill(template: Path, title: str, values: Mapping[str, str], script: str = "") -> str:
    """Fill in the template of a report: a style, a script, and ``@@NAME@@`` in place of each value.

    `values` are the HTML for each name; ``HEAD``, ``POLICY``, ``TITLE``, the styles and ``SCRIPT``,
    made of the module `script` of the views, are provided here. Our own parts are inserted first,
    since the policy allows the complete style and script by their hashes.
    """
    files = {"HEAD": "head.html", "STYLE": "reports.css", "VIEWSTYLE": "view/view.css"}
    parts = {name: (HERE / file).read_text("utf-8") for name, file in files.items()}
    source = template.read_text("utf-8")
    for name, part in {**parts, "SCRIPT": one_script(script) if script else ""}.items():
        source = source.replace(f"@@{name}@@", part)
    by_name = {
        "POLICY": _policy(source),
        "TITLE": html.escape(title.encode("utf-8", "replace").decode()),
        **values,
    }
    # One pass, so that texts of a page are not searched for placeholders.
    return re.sub("@@([A-Z]+)@@", lambda match: by_name[match[1]], source)


def _policy(template: str) -> str:
    """Content security policy that allows this very style and script, and nothing else."""
    parts = dict(PARTS.findall(template))
    digests = (hashlib.sha256(parts[tag].encode()).digest() for tag in ("style", "script"))
    style, script = (f"'sha256-{base64.b64encode(each).decode()}'" for each in digests)
    return (
        f"default-src 'none'; img-src data:; style-src {style}; script-src {script}; "
        "base-uri 'none'; form-action 'none'"
    )


def inert_json(value: object) -> str:
    """JSON that is inert inside a script element, whatever its strings hold.

    Restricting it to ASCII also escapes U+2028, U+2029 and lone surrogates.
    """
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def picture(snapshot: Snapshot, name: str = "picture") -> str:
    """Image element of the page's screenshot; the empty string without one."""
    if picture_size(snapshot) is None:
        return ""
    data = base64.b64encode(snapshot.screenshot or b"").decode()
    return f'<img id="{name}" alt="" src="data:image/png;base64,{data}">'


def picture_size(snapshot: Snapshot) -> tuple[int, int] | None:
    """Width and height of the screenshot, from its PNG header; None without one."""
    data = snapshot.screenshot or b""
    if not data.startswith(PNG) or len(data) < 24:
        return None
    return int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")


def stage_size(snapshot: Snapshot) -> list[int] | None:
    """Width and height of the page as it is drawn; None for a page without geometry."""
    if not snapshot.page.has_geometry:
        return None
    sizes = zip(snapshot.page.page_size, picture_size(snapshot) or (1, 1), strict=True)
    return [max(1, min(most, max(size))) for size, most in zip(sizes, MAX_STAGE, strict=True)]


def numbers(values: Iterable[float], digits: int) -> list[float]:
    """Rounded numbers; 0 for a number that is not finite."""
    return [number(value, digits) or 0 for value in values]


def number(value: float, digits: int) -> float | None:
    """A rounded number; None for a number that is not finite."""
    return round(float(value), digits) if math.isfinite(value) else None


YES_OR_NO = {True: "yes", False: "no", None: ""}


def page_facts(snapshot: Snapshot) -> list[tuple[str, str]]:
    """Name and value of each known fact about the page."""
    page = snapshot.page
    facts = {
        "Address": page.url,
        "Requested": page.requested_url if page.requested_url != page.url else "",
        "HTTP status": str(page.status or ""),
        "Title element": page.title,
        "Language": page.language,
        "Viewport": "{} × {} px".format(*page.viewport) if page.has_geometry else "",
        "Page": "{:,} × {:,} px".format(*page.page_size) if page.has_geometry else "",
        "Nodes": f"{len(snapshot):,}",
        "Documents": f"{len(snapshot.frames):,}",
        "Captured": page.time,
        "Content": page.content_hash,
    }
    return [(name, value) for name, value in facts.items() if value]


def page_fields(extraction: Extraction) -> list[tuple[str, str, str]]:
    """Name, value and source of each field that is not empty."""
    kind = extraction.kind
    values = {
        "title": extraction.title,
        "kind": kind and f"{kind} ({extraction.kind_probability:.2f})",
        "confidence": "" if extraction.confidence is None else f"{extraction.confidence:.2f}",
        "authors": ", ".join(extraction.authors),
        "date": extraction.date or "",
        "modified": extraction.modified or "",
        "language": extraction.language,
        "site_name": extraction.site_name or "",
        "section": extraction.section or "",
        "tags": ", ".join(extraction.tags),
        "description": extraction.description or "",
        "image": extraction.image or "",
        "canonical_url": extraction.canonical_url or "",
        "paywalled": YES_OR_NO[extraction.paywalled],
        "truncated": YES_OR_NO[extraction.truncated],
    }
    return [
        (name, value, extraction.provenance.get(name, ""))
        for name, value in values.items()
        if value
    ]


def one_script(entry: str) -> str:
    """Join a module and all its imports to one classic script, each after those that it needs."""
    sources: dict[str, str] = {}
    waiting = [entry]
    while waiting:
        name = waiting[-1]
        source = VIEW_FILES[name].read_text("utf-8")
        missing = [other for other in IMPORT.findall(source) if other not in sources]
        if missing:
            waiting += missing
            continue
        sources[waiting.pop()] = EXPORT.sub("", IMPORT.sub("", source))
    return '"use strict";\n' + "\n".join(sources.values())
