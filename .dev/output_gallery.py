"""Draws the gallery of docs/output.md: each construct as its page and its Markdown show it.

    python .dev/output_gallery.py

Reads the pairs of HTML and Markdown from the page and writes docs/images/output/NAME.png.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import miolo
from markdown_it import MarkdownIt
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.tasklists import tasklists_plugin

ROOT = Path(__file__).resolve().parents[1]
PAIR = re.compile(r"^### (.+?)\n.*?```html\n(.*?)\n```\n.*?````markdown\n(.*?)\n````", re.M | re.S)
PICTURE = (
    "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='150' height='90'>"
    "<rect width='150' height='90' fill='%239fc5c0'/><circle cx='110' cy='28' r='12' fill='white'/>"
    "<path d='M0 90 L50 40 L85 70 L110 50 L150 90Z' fill='%230a7d6c'/></svg>"
)
STYLE = """
body { margin: 0; padding: 14px; width: 872px; font: 15px/1.45 "DejaVu Sans", sans-serif }
main { display: grid; grid-template-columns: 1fr 1fr; gap: 14px; align-items: start }
main > section { border: 1px solid #bbb; border-radius: 6px; padding: 4px 14px 10px }
main > section { overflow: hidden }
b.label { display: block; color: #777; font-size: 12px; font-weight: normal; margin: 4px 0 6px }
section table { border-collapse: collapse }
section td, section th { border: 1px solid #bbb; padding: 2px 8px }
section pre { background: #f3f3f3; margin: 4px 0; padding: 6px 8px; font-size: 13px }
iframe, video { width: 220px; height: 90px; background: #222; border: 0 }
h2, h3, h4, h5, p, ul { margin: 6px 0 } .katex-mathml { display: none }
"""


def pairs() -> Iterator[tuple[str, str, str]]:
    """Names, HTML and Markdown of the gallery."""
    page = (ROOT / "docs" / "output.md").read_text("utf-8")
    for title, source, markdown in PAIR.findall(page[page.index("## Gallery") :]):
        yield re.sub(r"\W+", "-", title.lower()).strip("-"), source, markdown


def draw_output(source: str, markdown: str) -> bytes:
    """A picture of both, as Chromium shows them."""
    reader = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    rendered_html = (
        reader.use(footnote_plugin).use(deflist_plugin).use(tasklists_plugin).render(markdown)
    )
    original = re.sub(r"(<iframe src=)[^\s>]+", r"\1about:blank", source)
    # While a video loads, the browser draws a turning circle over it.
    original = original.replace("<video", "<video preload=none")
    original, rendered_html = (
        re.sub(r"(<img[^>]*?\bsrc=)(?!/spacer)(\"[^\"]*\"|[^\s>]+)", rf'\1"{PICTURE}"', each)
        for each in (original, rendered_html)
    )
    page = (
        f"<!doctype html><meta charset=utf-8><style>{STYLE}</style><main>"
        f"<section><b class=label>the page</b>{original}</section>"
        f"<section><b class=label>its Markdown, rendered</b>{rendered_html}</section></main>"
    )
    options = miolo.RenderOptions(viewport=(900, 120), screenshot=True, javascript=False)
    snapshot = miolo.render_html(page, options=options)
    assert snapshot.screenshot is not None
    return snapshot.screenshot


def main() -> None:
    """Draw every construct."""
    folder = ROOT / "docs" / "images" / "output"
    folder.mkdir(parents=True, exist_ok=True)
    for name, source, markdown in pairs():
        (folder / f"{name}.png").write_bytes(draw_output(source, markdown))
        print(name)


if __name__ == "__main__":
    main()
