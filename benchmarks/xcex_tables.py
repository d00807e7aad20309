"""The tables of the X-CEX thesis, chapter 5, on the real sites.

A block is relevant if half of its words or more lie in the element that the site's
`body_selector` matches. Precision is r / t, where r of the t blocks taken are relevant. Recall is
r / (r + m), where m counts the relevant blocks that were not taken, and the paragraphs of the body
(as rendered) that no block contains: text that is lost before any comparison is missed too.
Accuracy is (r + p) / blocks, where p counts the other blocks that were left out. Its denominator
counts only existing blocks, which explains why the thesis has accuracies above what its recalls
allow.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import mean

import miolo
import numpy as np
from corpus import rendered_posts, site_table
from miolo.features.block_sets import TAG_LISTS, BlockSet, Cut, rendered_blocks
from miolo.features.readable import readable_texts
from miolo.features.words import count_words
from miolo.models.blocks.likeness import X_CEX, Likeness
from miolo.models.blocks.profiles import block_profiles
from miolo.models.blocks.redundancy import RedundancyOptions, classify
from numpy.typing import NDArray
from template_pages import body_node
from xcex_variants import CONTENTS, STRUCTURES, THESIS

PAGES = 40

# The only similarity whose time grows with the product of two texts' lengths, and the limit of that
# for a site.
QUADRATIC, MAX_CELLS = CONTENTS["damerau-levenshtein"], 2e10

# For sites whose truth is Markdown: the element into which it is rendered.
MARKDOWN_BODY = "article.markdown-section"


@dataclass(frozen=True)
class Variant:
    """One way to run the system."""

    about: str
    options: RedundancyOptions
    cut: Cut


def xcex(about: str, likeness: Likeness | None = None, cut: Cut | None = None, **rules) -> Variant:
    """X-CEX as in the thesis, with structures compared as in its package and other options."""
    options = RedundancyOptions(likeness=likeness or THESIS, **rules)
    return Variant(about, options, cut or Cut())


def importance(percent: int) -> Likeness:
    return replace(THESIS, importance=percent / 100)


def text_by(content: str) -> Likeness:
    return replace(THESIS, content=CONTENTS[content])


def extractor(about: str, cut: Cut, content: str = "vector") -> Variant:
    """Content Extractor."""
    rules = RedundancyOptions.content_extractor()
    likeness = replace(rules.likeness, content=CONTENTS[content])
    return Variant(about, replace(rules, likeness=likeness), cut)


OLD_TAGS = Cut(TAG_LISTS["content-extractor"])
SECTION = Cut(TAG_LISTS["x-cex-section"])
AS_RENDERED = Cut(())

TABLES = {
    "5.1": xcex("X-CEX"),
    "5.2": extractor("Content Extractor", OLD_TAGS),
    "5.3": xcex("list 1: with section", cut=SECTION),
    "5.4": xcex("list 2: Content Extractor's", cut=OLD_TAGS),
    "5.5": xcex("without IBDF = -1", identical=False),
    "5.6": xcex("15 % of the pages", share=0.15),
    "5.7": xcex("25 % of the pages", share=0.25),
    "5.7b": xcex("30 % of the pages", share=0.30),
    "5.7c": xcex("35 % of the pages", share=0.35),
    "5.8": xcex("importance of content 50 %", importance(50)),
    "5.9": xcex("importance of content 55 %", importance(55)),
    "5.10": xcex("importance of content 60 %", importance(60)),
    "5.11": xcex("importance of content 75 %", importance(75)),
    "5.12": xcex("importance of content 80 %", importance(80)),
    "5.13": xcex("structure by cosine", replace(X_CEX, structure=STRUCTURES["cosine"])),
    "5.14": xcex("structure by Griazev", replace(X_CEX, structure=STRUCTURES["griazev"])),
    "5.15": xcex("Levenshtein", text_by("levenshtein")),
    "5.16": xcex("Damerau-Levenshtein", text_by("damerau-levenshtein")),
    "5.16b": xcex("Damerau-Levenshtein, restricted", text_by("osa")),
    "5.17": xcex("Hamming", text_by("hamming")),
    "jaro-winkler": xcex("Jaro-Winkler", text_by("jaro-winkler")),
    "other-pages": xcex("without the block's own page", own_page=False),
    "drop": xcex("list 1, blocks without the tag dropped", cut=replace(SECTION, missing="drop")),
    "all": xcex("nested blocks all taken", cut=Cut(nested="all")),
    "lcs": xcex("structure by LCS, no wrapping: the method x-cex", X_CEX),
    "rendered": xcex("blocks as rendered: the method x-cex:rendered", X_CEX, AS_RENDERED),
    "extractor-words": extractor("Content Extractor, words counted", OLD_TAGS, "vector with words"),
    "extractor-rendered": extractor("Content Extractor, blocks as rendered", AS_RENDERED),
}
"""The thesis's tables by number, and variants that are not in the thesis."""


@dataclass(frozen=True)
class Counts:
    """Counts of a site's blocks for the measures; `content` counts those judged content."""

    blocks: int
    content: int
    right: int
    missed: int
    rightly_left: int
    seconds: float

    @property
    def measures(self) -> tuple[float, float, float, float]:
        """Precision, recall, F and accuracy."""
        precision = self.right / self.content if self.content else 0.0
        positives = self.right + self.missed
        recall = self.right / positives if positives else 0.0
        total = precision + recall
        f1 = 2 * precision * recall / total if total else 0.0
        return precision, recall, f1, (self.right + self.rightly_left) / max(1, self.blocks)


@dataclass(frozen=True, eq=False)
class Page:
    """A page with the word count of each text, which texts are in the body, and its paragraphs."""

    snapshot: miolo.Snapshot
    words: NDArray[np.int64]
    in_body: NDArray[np.bool_]
    paragraphs: BlockSet


def site_snapshots(data: Path, cache: Path, name: str, count: int) -> list[miolo.Snapshot]:
    posts = site_table(data)[name]["posts"][:count]
    files = asyncio.run(rendered_posts(data, cache, name, posts))
    return [miolo.Snapshot.load(file) for file in files if file]


def tables(data: Path, cache: Path, table_names: Sequence[str], *, by_site: bool) -> None:
    """Print tables of the thesis, or only their means, and at the end the figures as JSON."""
    figures: dict[str, dict[str, list[float]]] = {name: {} for name in table_names}
    for site in site_table(data):
        pages = site_pages(data, cache, site)
        for name in table_names:
            if TABLES[name].options.likeness.content == QUADRATIC and cells(pages) > MAX_CELLS:
                print(f"{site}: table {name} left out, its texts are long", file=sys.stderr)
                continue
            counts = measure(pages, TABLES[name])
            rounded = [round(value, 4) for value in counts.measures]
            figures[name][site] = [counts.blocks, *rounded, round(counts.seconds, 3)]
        print(f"{site}: {len(pages)} pages", file=sys.stderr)
    languages = {name: facts["language"] for name, facts in site_table(data).items()}
    for name in table_names:
        if by_site:
            print_sites(figures[name], languages)
        print_row(f"{name:18} {TABLES[name].about}", means(figures[name]))
    result = figures if by_site else {name: means(figures[name]) for name in table_names}
    print(json.dumps(result))


def site_pages(data: Path, cache: Path, site: str) -> list[Page]:
    selector = site_table(data)[site]["body_selector"] or MARKDOWN_BODY
    pages = [page(s, selector) for s in site_snapshots(data, cache, site, PAGES)]
    return [each for each in pages if each is not None]


def page(snapshot: miolo.Snapshot, selector: str) -> Page | None:
    node = body_node(snapshot, selector)
    if node is None:
        return None
    readable = readable_texts(snapshot)
    words = np.array([count_words(text) for text in snapshot.text]) * readable
    in_body = np.zeros(len(snapshot), bool)
    in_body[node : snapshot.end[node]] = True
    return Page(snapshot, words, in_body & readable, rendered_blocks(snapshot))


def measure(pages: Sequence[Page], variant: Variant) -> Counts:
    """Run a variant over the pages of a site; the seconds are those of comparing blocks."""
    cuts = [variant.cut.blocks(each.snapshot) for each in pages]
    by_text = not variant.cut.tags
    profiles = [
        block_profiles(each.snapshot, cut, by_text=by_text)
        for each, cut in zip(pages, cuts, strict=True)
    ]
    start = time.perf_counter()
    index = {b: i for i, b in enumerate(dict.fromkeys(b for p in profiles for b in p.values()))}
    numbers = [[index[block] for block in page_profiles.values()] for page_profiles in profiles]
    all_verdicts = classify(numbers, list(index), range(len(pages)), variant.options)
    seconds = time.perf_counter() - start
    totals = np.zeros(5, np.int64)
    for each, cut, page_profiles, own, verdicts in zip(
        pages, cuts, profiles, numbers, all_verdicts, strict=True
    ):
        place = np.searchsorted(verdicts.blocks, own)
        totals += count_blocks(
            each, cut, np.array(list(page_profiles), int), verdicts.content[place]
        )
    blocks, content, right, missed, rightly_left = totals.tolist()
    return Counts(blocks, content, right, missed, rightly_left, seconds)


def count_blocks(
    each: Page, cut: BlockSet, blocks: NDArray[np.int64], content: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Numbers of blocks: all, judged content, right, missed, and rightly left out."""
    relevant = body_share(each, cut)[blocks] >= 0.5
    lost = (body_share(each, each.paragraphs) >= 0.5) & ~covered_paragraphs(each, cut)
    right = int((relevant & content).sum())
    missed = int((relevant & ~content).sum() + lost.sum())
    rightly_left = int((~relevant & ~content).sum())
    return np.array([len(blocks), content.sum(), right, missed, rightly_left])


def body_share(each: Page, blocks: BlockSet) -> NDArray[np.float64]:
    """Share of each block's words in the body."""
    inside = blocks.of >= 0
    total, body = (
        np.bincount(blocks.of[inside], weights=counted_words[inside], minlength=len(blocks))
        for counted_words in (each.words, each.words * each.in_body)
    )
    return np.divide(body, total, out=np.zeros(len(blocks)), where=total > 0)


def covered_paragraphs(each: Page, cut: BlockSet) -> NDArray[np.bool_]:
    """Whether any text of each paragraph is in a block; bool."""
    both = (cut.of >= 0) & (each.paragraphs.of >= 0) & each.snapshot.is_text
    is_covered = np.zeros(len(each.paragraphs), bool)
    is_covered[each.paragraphs.of[both]] = True
    return is_covered


def cells(pages: Sequence[Page]) -> float:
    """The number of characters of all blocks, squared."""
    blocks = [
        each
        for p in pages
        for each in block_profiles(p.snapshot, Cut().blocks(p.snapshot)).values()
    ]
    return float(sum(len(block.text) for block in blocks)) ** 2


def means(sites: dict[str, list[float]]) -> list[float]:
    rows = list(zip(*sites.values(), strict=True))
    return [sum(rows[0]), *(round(mean(row), 4) for row in rows[1:-1]), round(sum(rows[-1]), 3)]


def print_sites(sites: dict[str, list[float]], languages: dict[str, str]) -> None:
    for name, row in sites.items():
        print_row(f"{name:14} {languages[name]:6}", row)


def print_row(about: str, row: Sequence[float]) -> None:
    blocks, *measures, seconds = row
    print(
        f"{about:66} {blocks:6} " + " ".join(f"{m:6.3f}" for m in measures) + f" {seconds:8.3f} s"
    )
