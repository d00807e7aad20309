"""Structure of Markdown output, against pages whose truth is Markdown.

    python benchmarks/markdown.py [--sites zhangrxiang] [--pages 40]

The pages are those of docsify sites, with the Markdown that each is rendered from, and the
constructs of tests/shared/constructs.py, with the expected Markdown. Every system writes the same
element, as rendered by Chromium, so that the choice of the text does not affect the figures. Its
output and the truth are rendered by markdown-it-py and compared as multisets: headings with their
level, the first lines of items with their depth, cells with row and column, blocks of code with
language and text, links, pictures, emphasis other than strong type of a whole heading, formulas and
footnotes. F1 is over all pages of a set. The last line is one JSON object.

docsify's parser differs from CommonMark: it has no formulas, links bare addresses, and changes the
indentation of code. No system can write what the page does not show. On sites a feature therefore
counts only if the source, read as CommonMark, and the page's own elements agree; a feature of only
one of them is neither a hit nor an error. The program prints how many these are.
"""

from __future__ import annotations

import asyncio
import json
import sys
from argparse import Namespace
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from textwrap import dedent
from urllib.parse import unquote, urlsplit

import absent_peers  # noqa: F401
import html2text
import markdownify
import miolo
import numpy as np
import trafilatura
from bs4 import BeautifulSoup, Tag
from corpus import ROOT, parser, rendered_posts, site_table, unpack
from markdown_it import MarkdownIt
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.front_matter import front_matter_plugin
from miolo.features.blocks import text_blocks
from miolo.output.body import body_of
from miolo.renderer.page.markup import outer_html

KINDS = ("headings", "items", "cells", "code", "links", "images", "emphasis", "formulas", "notes")

READER = (
    MarkdownIt("commonmark", {"html": True, "linkify": False})
    .enable(["table", "strikethrough"])
    .use(front_matter_plugin)
    .use(footnote_plugin)
    .use(deflist_plugin)
    .use(dollarmath_plugin)
)

BLOCKS = frozenset("p ul ol pre table blockquote h1 h2 h3 h4 h5 h6 hr dl div".split())

Feature = tuple[object, ...]
Features = dict[str, Counter[Feature]]


@dataclass(frozen=True)
class Page:
    """A page, the element that holds its text, and the expected Markdown.

    `is_source` means that the site's own parser made the page from that Markdown.
    """

    name: str
    snapshot: miolo.Snapshot
    node: int
    truth: str
    is_source: bool = False


def ours(page: Page) -> str:
    inside = np.zeros(len(page.snapshot), bool)
    inside[page.node : page.snapshot.end[page.node]] = True
    blocks = text_blocks(page.snapshot)
    return body_of(page.snapshot, blocks.select(inside[blocks.first]), inside).markdown


def trafilatura_markdown(page: Page) -> str:
    source = f"<html><body><article>{outer_html(page.snapshot, page.node)}</article></body></html>"
    return (
        trafilatura.extract(
            source,
            output_format="markdown",
            include_links=True,
            include_images=True,
            include_formatting=True,
            include_tables=True,
            favor_recall=True,
            url=page.snapshot.page.url,
        )
        or ""
    )


def markdownify_markdown(page: Page) -> str:
    return markdownify.markdownify(outer_html(page.snapshot, page.node), heading_style="ATX")


def html2text_markdown(page: Page) -> str:
    writer = html2text.HTML2Text(baseurl=page.snapshot.page.url, bodywidth=0)
    return writer.handle(outer_html(page.snapshot, page.node))


SYSTEMS: dict[str, Callable[[Page], str]] = {
    "ours": ours,
    "trafilatura": trafilatura_markdown,
    "markdownify": markdownify_markdown,
    "html2text": html2text_markdown,
}


def main() -> None:
    options = parser(__doc__ or "")
    options.add_argument("--sites", default="zhangrxiang", help="docsify sites, comma-separated")
    options.add_argument("--pages", type=int, default=40, help="pages of a site")
    options.add_argument("--show", default="", help="kinds whose differences of ours are printed")
    chosen = options.parse_args()
    sets = {"constructs": list(construct_pages())}
    for name in filter(None, chosen.sites.split(",")):
        sets[name] = list(site_pages(chosen, name))
    figures = {name: compare(pages, chosen.show) for name, pages in sets.items()}
    for name, of_system in figures.items():
        print(f"{name}: {len(sets[name])} pages")
        for system, scores in of_system.items():
            print(f"  {system:12} " + "  ".join(f"{k} {v:.3f}" for k, v in scores.items()))
    print(json.dumps(figures))


def construct_pages() -> Iterator[Page]:
    sys.path.insert(0, str(ROOT / "tests" / "shared"))
    from constructs import constructs

    # The small ones are about pictures and controls that a page without its files does not show.
    pairs = {name: each for name, each in constructs().items() if not name.startswith("small ")}
    for name, (source, truth) in pairs.items():
        page = f"<!doctype html><body><main>{source}</main>"
        snapshot = miolo.render_html(page, url="https://site.example/a")
        yield Page(name, snapshot, int(np.flatnonzero(snapshot.with_tag("main"))[0]), truth)


def site_pages(chosen: Namespace, name: str) -> Iterator[Page]:
    posts = site_table(chosen.data)[name]["posts"][: chosen.pages]
    folder = unpack(chosen.data / "sites" / f"{name}.tar.xz", chosen.cache)
    files = asyncio.run(rendered_posts(chosen.data, chosen.cache, name, posts))
    for path, saved in zip(posts, files, strict=True):
        snapshot = miolo.Snapshot.load(saved) if saved else None
        node = None if snapshot is None else article_node(snapshot)
        if snapshot is not None and node is not None:
            truth = (folder / path).read_text("utf-8", "replace")
            # docsify's own parser replaces tabs in the same way.
            yield Page(path, snapshot, node, truth.replace("\t", "    "), is_source=True)


def article_node(snapshot: miolo.Snapshot) -> int | None:
    """The element into which docsify renders the Markdown."""
    for node, value in snapshot.attributes.with_attribute("class"):
        if "markdown-section" in value.split() and int(snapshot.end[node]) > node + 3:
            return node
    return None


def compare(pages: list[Page], show: str) -> dict[str, dict[str, float]]:
    """F1 of each kind, by system; kinds that occur in no truth are left out."""
    truths, disputed = zip(*map(truth_of, pages), strict=True)
    for kind in KINDS:
        if left_out := sum(each[kind].total() for each in disputed):
            agreed = sum(truth[kind].total() for truth in truths)
            print(f"{kind}: {agreed} counted, {left_out} left out", file=sys.stderr)
    scores: dict[str, dict[str, float]] = {}
    for system, write in SYSTEMS.items():
        page_features = [features(READER.render(write(page))) for page in pages]
        scores[system] = {}
        for kind in KINDS:
            total = same = extra = 0
            for page, truth, open_to_both, each in zip(
                pages, truths, disputed, page_features, strict=True
            ):
                wrong = each[kind] - truth[kind] - open_to_both[kind]
                total += truth[kind].total()
                same += (truth[kind] & each[kind]).total()
                extra += wrong.total()
                if system == "ours" and kind in show.split(","):
                    show_differences(page, truth[kind] - each[kind], wrong)
            if total:
                scores[system][kind] = round(2 * same / (total + same + extra), 4)
    return scores


def truth_of(page: Page) -> tuple[Features, Features]:
    """Features of a page that count, and those on which its source and its elements disagree."""
    written = features(READER.render(page.truth))
    if not page.is_source:
        return written, {kind: Counter() for kind in KINDS}
    shown = features(outer_html(page.snapshot, page.node))
    agreed = {kind: written[kind] & shown[kind] for kind in KINDS}
    either = {kind: written[kind] | shown[kind] for kind in KINDS}
    return agreed, {kind: either[kind] - agreed[kind] for kind in KINDS}


def show_differences(page: Page, missing: Counter[Feature], wrong: Counter[Feature]) -> None:
    for sign, rest in (("-", missing), ("+", wrong)):
        for feature in list(rest)[:8]:
            print(f"{page.name} {sign} {feature!r:.200}", file=sys.stderr)


def features(html: str) -> Features:
    """Multisets of the features of HTML, by kind."""
    tree = BeautifulSoup(f"<body>{html}", "html5lib")
    counters: Features = {kind: Counter() for kind in KINDS}
    for formula in tree.select(".math"):
        counters["formulas"][("".join(formula.get_text().split()),)] += 1
    for mark in tree.select(".footnote-ref a"):
        counters["notes"][(plain(mark),)] += 1
    for extra in tree.select(".footnote-backref, .footnotes-sep, .mathlabel, sup.footnote-ref"):
        extra.decompose()
    for number in range(1, 7):
        for heading in tree.find_all(f"h{number}"):
            counters["headings"][(number, plain(heading))] += 1
    for item in tree.find_all("li"):
        own = "".join(_own_text(item))
        counters["items"][(len(item.find_parents(["ul", "ol"])), "".join(own.split()))] += 1
    for table in tree.find_all("table"):
        for number, row in enumerate(table.find_all("tr")):
            for column, cell in enumerate(row.find_all(["td", "th"])):
                if text := plain(cell):
                    counters["cells"][(number, column, text)] += 1
    for block in tree.find_all("pre"):
        code = block.code or block
        counters["code"][(_language(code), _code(code.get_text()))] += 1
    for link in tree.find_all("a", href=True):
        url = unquote(str(link["href"]))
        # A bare address is a link for some Markdown parsers, and text for others.
        is_bare = url.rstrip("/") == link.get_text().strip().rstrip("/")
        if url.startswith("http") and not is_local(url) and not is_bare:
            counters["links"][(url.rstrip("/"), plain(link))] += 1
    for image in tree.find_all("img"):
        counters["images"][(unquote(urlsplit(str(image.get("src"))).path).rpartition("/")[2],)] += 1
    for kind, names in (("em", ("em", "i")), ("strong", ("strong", "b")), ("s", ("s", "del"))):
        for phrase in tree.find_all(list(names)):
            if (text := plain(phrase)) and not (kind == "strong" and _is_heading(phrase)):
                counters["emphasis"][(kind, text)] += 1
    return counters


def _is_heading(phrase: Tag) -> bool:
    """Whether a phrase has all letters of a heading, which is strong anyway."""
    heading = phrase.find_parent([f"h{number}" for number in range(1, 7)])
    return heading is not None and _letters(heading) == _letters(phrase)


def _letters(element: Tag) -> str:
    return "".join(filter(str.isalpha, element.get_text()))


def _language(code: Tag) -> str:
    """The language that markdown-it-py or docsify names in a class."""
    for name in code.get("class") or []:
        if name.startswith(("language-", "lang-")):
            return name.partition("-")[2].lower()
    return ""


def _code(text: str) -> str:
    lines = [line if line.strip() else "" for line in text.strip("\n").split("\n")]
    return dedent("\n".join(lines)).rstrip()


def is_local(url: str) -> bool:
    """Whether an address only results from serving the site locally."""
    host = urlsplit(url).hostname or ""
    return host in ("localhost", "127.0.0.1")


def plain(element: Tag) -> str:
    return "".join(element.get_text().split())


def _own_text(item: Tag) -> Iterator[str]:
    """The first line of an item, since parsers differ on which further blocks are in the item."""
    for child in item.children:
        if isinstance(child, Tag) and child.name in BLOCKS:
            if child.name == "p":
                yield child.get_text()
            return
        yield child.get_text() if isinstance(child, Tag) else str(child).strip("\n")


if __name__ == "__main__":
    main()
