"""The PDF of an article."""

from __future__ import annotations

from dataclasses import replace
from html import escape

from ..errors import PageTimeoutError
from ..output.extraction import Extraction
from ..renderer.options import RenderOptions
from ..renderer.renderer import Renderer

# Only pictures are loaded, whatever the HTML of the article contains.
POLICY = "default-src 'none'; img-src http: https:; style-src 'unsafe-inline'"

STYLE = """
body { font: 11pt/1.5 Georgia, "Liberation Serif", serif; color: #1c1c1c; }
h1 { font-size: 22pt; line-height: 1.2; margin: 0 0 4pt; }
h1, h2, h3, h4 { break-after: avoid; }
header p { color: #555; font-size: 9.5pt; margin: 0 0 14pt; overflow-wrap: anywhere; }
img { max-width: 100%; max-height: 200mm; }
figure, pre, tr { break-inside: avoid; }
figure { margin: 12pt 0; }
figcaption { color: #555; font-size: 9.5pt; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font-size: 9pt; }
table { border-collapse: collapse; }
td, th { border: 0.5pt solid #999; padding: 2pt 5pt; }
blockquote { border-left: 2pt solid #999; margin-left: 0; padding-left: 12pt; }
"""


async def print_article(
    extraction: Extraction, renderer: Renderer, options: RenderOptions | None = None
) -> bytes:
    """Print an article, without the rest of its page, as a PDF on A4 paper.

    Parameters
    ----------
    extraction
        An article.
    renderer
        The renderer that loads the pictures of the article and prints it.
    options
        Options whose egress policy, proxy, headers and limits apply to the loading of pictures; by
        default those of the renderer.

    Raises
    ------
    PageTimeoutError
        The article could not be printed within the time limit of a page.
    RenderError
        The browser failed.
    """
    options = replace(
        options or renderer.options,
        browser="always",
        javascript=False,
        wait="load",
        scroll=0,
        screenshot=False,
        fetch=True,
        pdf=True,
    )
    page = await renderer.render_html(
        _printed_page(extraction), url=extraction.url, options=options
    )
    if page.pdf is None:
        seconds = options.limits.seconds
        raise PageTimeoutError(
            f"{extraction.url} could not be printed within {seconds:g} s", url=extraction.url
        )
    return page.pdf


def _printed_page(extraction: Extraction) -> str:
    facts = (*extraction.authors, extraction.date, extraction.site_name, extraction.url)
    line = " · ".join(escape(fact) for fact in facts if fact)
    title = escape(extraction.title)
    return (
        f'<!doctype html><html lang="{escape(extraction.language)}"><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        f"<title>{title}</title><style>{STYLE}</style>"
        f"<header><h1>{title}</h1><p>{line}</p></header><main>{extraction.html}</main></html>"
    )
