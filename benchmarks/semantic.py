"""Partly-semantic noise reduction, measured as in its paper.

    python benchmarks/semantic.py [--pages 12] [--sites yulingtianxia,maku77] [--sets publishers]

Completeness is the length of the topic's text that is kept over its total length. The paper also
counts related links and judges by eye; here the topic is the labelled body. Compression is the size
of the kept HTML over that of the page as rendered. The F1 of the tokens is given as well. Figures
are averaged over pages, then over sites. Chinese and Japanese are printed first, by site, and then
all languages. Single pages (`--sets`) must have been rendered by `benchmarks/pages.py` before.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import miolo
import numpy as np
from corpus import parser, post_truth, rendered_posts, site_table, unpack
from miolo.extract.methods.semantic import semantic
from miolo.extract.pipeline import compose
from miolo.extract.scoring import token_score
from miolo.features.segmenters import SEGMENTED, segmenter, text_language
from miolo.features.words import words
from miolo.models.blocks.semantic import SemanticOptions
from miolo.renderer.page.markup import outer_html

READINGS = {
    "corrected": SemanticOptions(),
    "corrected, no dictionary": SemanticOptions(dictionary=False),
    "literal": SemanticOptions(literal=True),
    "literal, no dictionary": SemanticOptions(literal=True, dictionary=False),
}

Figures = dict[str, np.ndarray]


@dataclass(frozen=True)
class LabelledText:
    """A page, the text of its topic, its site or set, and its language."""

    snapshot: miolo.Snapshot
    truth: str
    source: str
    language: str


def main() -> None:
    options = parser(__doc__ or "")
    options.add_argument("--sites", help="comma-separated; all without, none with -")
    options.add_argument("--sets", default="", help="sets of single pages, comma-separated")
    options.add_argument("--pages", type=int, default=12, help="pages a site or set, 0 for all")
    chosen = options.parse_args()
    if not all(map(segmenter, SEGMENTED)):
        print("the extra cjk is not installed: all is without dictionary", file=sys.stderr)
    by_source: dict[tuple[str, str], list[Figures]] = {}
    for page in labelled_pages(chosen.data, chosen.cache, chosen.sites, chosen.sets, chosen.pages):
        by_source.setdefault((page.language, page.source), []).append(measure(page))
    report({place: mean(pages) for place, pages in by_source.items()})


def labelled_pages(
    data: Path, cache: Path, sites: str | None, sets: str, pages: int
) -> Iterator[LabelledText]:
    table = site_table(data)
    for name in [s for s in sites.split(",") if s != "-"] if sites else table:
        facts = table[name]
        posts = facts["posts"][: pages or None]
        files = asyncio.run(rendered_posts(data, cache, name, posts))
        folder = unpack(data / "sites" / f"{name}.tar.xz", cache)
        for path, file in zip(posts, files, strict=True):
            if file:
                truth = post_truth(folder, path, facts["body_selector"])
                yield LabelledText(miolo.Snapshot.load(file), truth, name, facts["language"][:2])
    for name in filter(None, sets.split(",")):
        folder = unpack(data / "pages" / f"{name}.tar.xz", cache)
        for file in sorted((cache / f"{name}-snapshots").glob("*.miolo"))[: pages or None]:
            truth = json.loads((folder / f"{file.stem}.json").read_text("utf-8"))["text"] or ""
            snapshot = miolo.Snapshot.load(file)
            language = text_language([truth], snapshot.page.language)[:2].lower()
            yield LabelledText(snapshot, truth, name, language or "?")


def measure(page: LabelledText) -> Figures:
    """Completeness, compression and F1 of a page for each reading; float64, shape (3,)."""
    source = len(outer_html(page.snapshot, 0).encode())
    figures = {}
    for name, options in READINGS.items():
        article = compose(page.snapshot, semantic(page.snapshot, options), "semantic")
        f1 = token_score(page.truth, article.text).f1
        complete = completeness(page.truth, article.text)
        figures[name] = np.array([complete, len(article.html.encode()) / max(1, source), f1])
    return figures


def completeness(truth: str, kept: str) -> float:
    """Share of a text, by characters in words, that is kept."""
    true_words = Counter(words(truth))
    common = true_words & Counter(words(kept))
    length, whole = (sum(len(w) * n for w, n in bag.items()) for bag in (common, true_words))
    return length / whole if whole else 1.0


def mean(figures: list[Figures]) -> Figures:
    return {name: np.mean([page[name] for page in figures], axis=0) for name in READINGS}


def report(by_source: dict[tuple[str, str], Figures]) -> None:
    print(f"{'':28}" + "".join(f"{name:>24}" for name in READINGS))
    print(f"{'language, source':28}" + f"{'compl.':>10}{'compr.':>7}{'F1':>7}" * len(READINGS))
    spaceless = {p: f for p, f in by_source.items() if p[0] in SEGMENTED}
    for (language, source), figures in sorted(spaceless.items()):
        print_row(f"{language}, {source}", figures)
    means = {"all languages": mean(list(by_source.values()))}
    for language in sorted({language for language, _ in by_source}):
        means[language] = mean([f for (code, _), f in by_source.items() if code == language])
    print()
    for name, figures in means.items():
        print_row(f"mean of {name}", figures)
    print(json.dumps({name: as_json(figures) for name, figures in means.items()}))


def print_row(name: str, figures: Figures) -> None:
    cells = [f"{c:>10.3f}{s:>7.3f}{f1:>7.3f}" for c, s, f1 in figures.values()]
    print(f"{name:28}" + "".join(cells))


def as_json(figures: Figures) -> dict[str, dict[str, float]]:
    names = ("completeness", "compression", "f1")
    return {
        reading: dict(zip(names, np.round(values, 4).tolist(), strict=True))
        for reading, values in figures.items()
    }


if __name__ == "__main__":
    main()
