"""What a learned site changes for `auto`: on whole sites, and on styled sites of many platforms.

    python benchmarks/learned_sites.py [--sites flink misc] [--pages 12] [--rows rows.json]
    python benchmarks/learned_sites.py --fit models/article/site_blocks.json --reader earlier.npz

Every site of six pages or more is cut into two halves, and each half is read without a learned site
and with what was learned from the other half. Pages are read as their servers send them. On whole
sites, text that half of a site's posts have is no truth, since the selector of the body also
contains boxes of the theme. Boilerplate is the number of words of kept blocks that two other pages
of the site have and that the truth lacks; lines of fewer than eight words, such as headings, may be
on half of the posts. `--fit`
trains the model that weighs the evidence of a site, on the styled sites alone, with the judgements
of the shipped reader, which has learned these pages, and of an earlier one that has not
(``--reader``): the judgements on a new site are between the two. Without `--fit`, this reader is
scored in place of the shipped one.
"""

from __future__ import annotations

import json
import os
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import mean
from typing import Any

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):  # before NumPy is imported
    os.environ.setdefault(variable, "1")

import miolo  # noqa: E402
import numpy as np  # noqa: E402
from bs4 import BeautifulSoup  # noqa: E402
from corpus import parser, post_lines, post_source, site_table, unpack  # noqa: E402
from miolo.extract.methods.registry import find_method  # noqa: E402
from miolo.extract.scoring import PageScore, scored_text, shingle_score, token_score  # noqa: E402
from miolo.features.article.features import block_features  # noqa: E402
from miolo.features.blocks import article_blocks  # noqa: E402
from miolo.features.words import count_words  # noqa: E402
from miolo.models.article.article_site import ArticleSite  # noqa: E402
from miolo.models.article.decision import LONG  # noqa: E402
from miolo.models.article.model import Reader, shipped_reader  # noqa: E402
from miolo.models.article.roles import PRESETS  # noqa: E402
from miolo.models.article.site_blocks import SiteModel, text_keys  # noqa: E402
from miolo.models.kinds.model import ARTICLE, kind_of  # noqa: E402
from miolo.models.logistic import fit_logistic  # noqa: E402
from miolo.models.templates.sitelevel import SiteLevel  # noqa: E402
from platform_pages import (  # noqa: E402
    NodeTruth,
    PlatformPage,
    block_truth,
    node_truth,
    platform_pages,
)

LEAST_PAGES = 6
MAX_ARTICLE = 0.1

REPEATED = 3
"""Minimum number of pages of a text that is boilerplate if it is no truth."""

TITLES = {
    "openehr": "h2", "wechange": ".title1, h1.titre", "yulingtianxia": "h1:not(.site-name)",
    "algorithmics": "h1:not(.project-name)", "moxfive": ".article-title",
    "vstinner": ".article-title", "jerryc127": ".post-title", "zhengbomo": ".post-title",
    "leonstafford": "body.single .entry-title",
}  # fmt: skip
"""Selectors of the titles of whole sites; h1 elsewhere. The first match is the title."""

Row = dict[str, Any]


@dataclass(frozen=True)
class Page:
    """A page with its truth.

    Attributes
    ----------
    snapshot
        The page as its server sends it.
    truth, title
        Its text, and its title if that is known.
    own
        The text that is no boilerplate.
    nodes
        Truth of its nodes, on styled sites.
    """

    snapshot: miolo.Snapshot
    truth: str
    title: str | None
    own: str
    nodes: NodeTruth | None = None


def main() -> None:
    options = parser(__doc__ or "")
    options.add_argument("--sites", nargs="*", default=[], help="names of sites or families")
    options.add_argument("--pages", type=int, default=12, help="pages of each whole site")
    options.add_argument("--rows", type=Path, help="file for the figures of every page")
    options.add_argument("--fit", type=Path, help="train the model, and write it to this file")
    options.add_argument("--reader", type=Path, help="another reader")
    chosen = options.parse_args()
    reader = Reader.load(chosen.reader) if chosen.reader else None
    if chosen.fit:
        fit(chosen.data, chosen.cache, chosen.fit, reader)
        return
    rows: list[Row] = []
    for family, name, pages, score in every_site(chosen):
        found = list(compare(family, name, pages, score, reader))
        rows += found
        report(f"{name}: {len(found)} pages, {figures(found)}")
        if chosen.rows:
            chosen.rows.write_text(json.dumps(rows), "utf-8")
    for family in dict.fromkeys(row["family"] for row in rows):
        of = [row for row in rows if row["family"] == family]
        print(family, len(of), json.dumps(figures(of)))
    print("all", len(rows), json.dumps(figures(rows)))


def report(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


Score = Callable[[str, str], PageScore]


def every_site(chosen: Any) -> Iterator[tuple[str, str, list[Page], Score]]:
    """Family, name, pages and measure of each site."""
    for name, facts in site_table(chosen.data).items():
        if facts["body_selector"] and is_chosen(chosen, "sites", name):
            yield "sites", name, whole_site(chosen, name, facts), token_score
    for name, pages in styled_sites(chosen.data, chosen.cache).items():
        family = name.partition("/")[0]
        if is_chosen(chosen, family, name):
            yield family, name, [styled(page) for page in pages], shingle_score


def is_chosen(chosen: Any, family: str, name: str) -> bool:
    return not chosen.sites or bool({family, name} & set(chosen.sites))


def whole_site(chosen: Any, name: str, facts: dict[str, Any]) -> list[Page]:
    folder = unpack(chosen.data / "sites" / f"{name}.tar.xz", chosen.cache)
    posts = facts["posts"][: chosen.pages]
    lines = [post_lines(folder, post, facts["body_selector"]) for post in posts]
    on_pages = Counter(line for each in lines for line in set(each))
    pages = []
    for post, each in zip(posts, lines, strict=True):
        source = post_source(folder, post)
        rare = {line for line in each if on_pages[line] < max(3, len(posts) / 2)}
        truth, own = (
            "\n".join(line for line in each if line in rare or count_words(line) < least)
            for least in (0, LONG)
        )
        title = BeautifulSoup(source, "lxml").select_one(TITLES.get(name, "h1"))
        url = f"https://{name}.example/{post}"
        snapshot = miolo.Snapshot.from_html(source, url=url)
        of_title = (key(title.get_text()) if title else "") or None
        pages.append(Page(snapshot, truth, of_title, own))
    return pages


def styled_sites(data: Path, cache: Path) -> dict[str, list[PlatformPage]]:
    sites: dict[str, list[PlatformPage]] = defaultdict(list)
    for page in platform_pages(data, cache):
        sites[f"{page.family}/{page.site}"].append(page)
    return {name: pages for name, pages in sites.items() if len(pages) >= LEAST_PAGES}


def styled(page: PlatformPage) -> Page:
    marked = miolo.Snapshot.from_html(page.marked, url=page.case.url)
    truth = node_truth(marked, page.facts)
    own = page.truth()
    return Page(page.served(), own, headline(marked, page.facts), own, truth)


def headline(snapshot: miolo.Snapshot, facts: dict[str, Any]) -> str | None:
    """Text that the selector of a site's titles matches, without permalinks and buttons."""
    if not facts.get("title"):
        return None
    facts = {"body": facts["title"], "kind": facts["kind"], "drop": facts.get("drop")}
    title = node_truth(snapshot, facts).own
    texts = [snapshot.text[node] for node in np.flatnonzero(title & snapshot.is_text).tolist()]
    return key("".join(texts)) or None


def key(title: str | None) -> str:
    """Letters and digits of a title, for comparison."""
    return "".join(filter(str.isalnum, title or "")).casefold()


def compare(
    family: str, name: str, pages: Sequence[Page], score: Score, reader: Reader | None
) -> Iterator[Row]:
    """Figures of each page, without a site and with one learned from the other half."""
    texts = [set(article_blocks(page.snapshot).texts) for page in pages]
    on_pages = Counter(text for each in texts for text in each)
    repeated = {text for text, count in on_pages.items() if count >= REPEATED}
    for half in (0, 1):
        site = learn((page for n, page in enumerate(pages) if n % 2 != half), reader)
        for number, page in enumerate(pages):
            if number % 2 == half:
                row: Row = {"family": family, "site": name, "page": number, "title": page.title}
                for key_, learned in (("alone", None), ("learned", site)):
                    article = miolo.extract_snapshot(page.snapshot, site=learned, model=reader)
                    of = score(page.truth, scored_text(article))
                    row[key_] = {
                        "f1": of.f1, "precision": of.precision, "exact": of.exact,
                        "boilerplate": boilerplate(article, page.own, repeated),
                        "title": article.title, "date": article.date,
                        "authors": list(article.authors),
                    }  # fmt: skip
                yield row


def boilerplate(article: miolo.Extraction, own: str, repeated: set[str]) -> int:
    """Number of words of the kept blocks that repeat on the site and are no text of the page."""
    known = key(own)
    kept = {block.text for block in article.blocks if block.kept and block.text in repeated}
    lacking = (text for text in kept if not any(half in known for half in halves(key(text))))
    return sum(map(count_words, lacking))


def halves(text: str) -> tuple[str, str]:
    """Halves of a text: a heading with a button beside it is no boilerplate."""
    return text[: (len(text) + 1) // 2], text[len(text) // 2 :]


def learn(pages: Iterator[Page], reader: Reader | None) -> miolo.Site:
    """What `auto` learns of a site, without the parts of other methods."""
    parts = {name: new(reader) for name, new in find_method("auto").site_parts.items()}
    for page in pages:
        for part in parts.values():
            part.add(page.snapshot)
    return miolo.Site(SiteLevel(), parts)


def figures(rows: Sequence[Row]) -> dict[str, list[float]]:
    """Means without and with the site; `worse` is the share of pages that lose .02 or more."""
    both = ("alone", "learned")
    values = {
        name: [round(mean(float(row[each][name]) for row in rows), 4) for each in both]
        for name in ("f1", "precision", "exact")
    }
    titled = [row for row in rows if row["title"]]
    if titled:
        values["wrong titles"] = [
            sum(key(r[each]["title"]) != r["title"] for r in titled) for each in both
        ]
    values["boilerplate"] = [sum(row[each]["boilerplate"] for row in rows) for each in both]
    for name in ("date", "authors"):
        values[f"other {name}"] = [sum(row["alone"][name] != row["learned"][name] for row in rows)]
    return values


# The model that weighs the evidence of a site.


def fit(data: Path, cache: Path, file: Path, other: Reader | None) -> None:
    """Train the model on the blocks of styled sites, each page with the other half of its site."""
    samples: list[tuple[Any, ...]] = []
    sites = styled_sites(data, cache)
    for name, pages in sites.items():
        for reader in filter(None, (shipped_reader(), other)):
            samples += site_samples([styled(page) for page in pages], reader)
        report(name)
    rows, own, words = (np.concatenate(column) for column in zip(*samples, strict=True))
    model = fit_logistic(SiteModel, rows, own, words, 1.0)
    provenance = {
        "sites": len(sites),
        "pages": len(samples),
        "command": "learned_sites.py --fit --reader",
    }
    replace(model, provenance=provenance).save(file)


def site_samples(pages: Sequence[Page], reader: Reader) -> Iterator[tuple[Any, ...]]:
    """Features, truth and weights of the blocks of each page."""
    for half in (0, 1):
        learned = ArticleSite(reader)
        for number, page in enumerate(pages):
            if number % 2 != half:
                learned.add(page.snapshot)
        for number, page in enumerate(pages):
            blocks = article_blocks(page.snapshot)
            if number % 2 != half or not len(blocks) or page.nodes is None:
                continue
            features = block_features(blocks)
            article = kind_of(blocks, reader.kinds).probabilities[ARTICLE]
            alone = reader.read(features).of_text(PRESETS["article"], article)
            element = learned.elements.find(blocks, features.words, alone >= 0.5)
            other = article < MAX_ARTICLE
            weight = np.sqrt(features.words + 0.1)
            yield (
                learned.blocks.features(blocks, text_keys(blocks), alone, element, is_other=other),
                block_truth(blocks, page.nodes)[1],
                100 * weight / weight.sum(),
            )


if __name__ == "__main__":
    main()
