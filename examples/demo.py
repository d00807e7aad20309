"""Extract the article of a page that a script builds, served from the local news site.

Run by ``make demo``. Writes ``demo-boxes.png`` (the page with the kept blocks and the reasons) and
``demo-report.html`` to the current folder.
"""

from __future__ import annotations

import sys
from pathlib import Path
from urllib.request import urlopen

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "site"))

import miolo
from newsroom import PAGES, NewsSite


def main() -> None:
    """Render the page, extract its article and write the pictures."""
    with NewsSite() as site:
        url = site.url(PAGES["client-rendered"])
        with urlopen(url) as answer:
            raw = answer.read().decode()
        snapshot = miolo.render_url(
            url, miolo.RenderOptions(screenshot=True, egress=miolo.EgressPolicy("named"))
        )
    article = miolo.extract_snapshot(snapshot)
    last_line = article.text.splitlines()[-1]
    print(f"The server sent {len(raw):,} characters, the article's text not among them:")
    print(f"  {last_line[:60]!r} in the source: {last_line in raw}\n")
    print(miolo.format_extraction(article, "markdown"), "\n")
    Path("demo-boxes.png").write_bytes(miolo.annotated_screenshot(snapshot, article))
    Path("demo-report.html").write_text(miolo.html_report(snapshot, article), "utf-8")
    print(f"{len(snapshot):,} nodes; boxes in demo-boxes.png, reasons in demo-report.html")


if __name__ == "__main__":
    main()
