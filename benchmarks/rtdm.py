"""The rtdm method on whole sites: the dissertation's table, and how many pages it needs.

    python benchmarks/rtdm.py [--sites flink,openehr] [--labels classes,tags] [--literal]

The last 15 posts of each site (a third on small sites) are held out; wrappers are learned from the
first of the others, unlabelled, at most 50. The dissertation compared the extracted text with the
page by hand. Here an article is *correct* if its F1 over words is 90 % or more, *not extracted* if
no pattern matches the page or the pattern has no body, and *incorrect* otherwise. Texts of two or
more words that occur in the bodies of half of a site's posts belong to the theme (share buttons,
boxes) and count for neither side. The title counts if the body's element contains it. The F1 by
number of pages learned from counts an article that is not extracted as 0, and includes the sites
that have so many pages.
"""

from __future__ import annotations

import asyncio
import json
import sys
from argparse import ArgumentParser
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

import miolo
from corpus import parser, post_lines, rendered_posts, site_table, unpack
from miolo.extract.scoring import token_score
from miolo.features.words import count_words
from miolo.models.wrappers.wrappers import WrapperOptions

LEARNED = (2, 5, 10, 20, 50)
HELD_OUT = 15
CORRECT = 0.9
THEME = 0.5


@dataclass(frozen=True)
class Truths:
    """Texts of bodies without those of the theme, and the texts of the theme."""

    bodies: list[list[str]]
    theme: set[str]


def main() -> None:
    chosen = arguments().parse_args()
    table = site_table(chosen.data)
    names = chosen.sites.split(",") if chosen.sites else list(table)
    options = WrapperOptions(labels=tuple(chosen.labels.split(",")), literal=chosen.literal)
    by_site: dict[str, list[float | None]] = {}
    by_pages: dict[int, list[float]] = {count: [] for count in LEARNED}
    print(f"{'site':13} learned correct incorrect not extracted held out")
    for name in names:
        learned, unseen, truths = posts(chosen.data, chosen.cache, name, table[name])
        for count in {*LEARNED, len(learned)}:
            f1s = scores(learned[:count], unseen, truths, options)
            if count in by_pages and count <= len(learned):
                by_pages[count].append(mean(f1 or 0.0 for f1 in f1s))
            if count == len(learned):
                by_site[name] = f1s
                print(row(name, count, f1s))
    print(json.dumps(figures(by_site, by_pages)))


def arguments() -> ArgumentParser:
    options = parser(__doc__ or "")
    options.add_argument("--sites", help="comma-separated; all without")
    options.add_argument("--labels", default="classes,tags", help="labels of elements, in order")
    options.add_argument("--literal", action="store_true", help="the dissertation's rules")
    return options


def posts(
    data: Path, cache: Path, name: str, facts: dict[str, Any]
) -> tuple[list[miolo.Snapshot], list[miolo.Snapshot], Truths]:
    """Posts to learn from, held-out posts, and the texts of the bodies of the latter."""
    print(f"{name}: {len(facts['posts'])} posts", file=sys.stderr)
    files = asyncio.run(rendered_posts(data, cache, name, facts["posts"]))
    pairs = [(path, file) for path, file in zip(facts["posts"], files, strict=True) if file]
    held_out = min(HELD_OUT, len(pairs) // 3)
    folder = unpack(data / "sites" / f"{name}.tar.xz", cache)
    truths = [post_lines(folder, path, facts["body_selector"]) for path, _ in pairs]
    theme = repeated_texts(truths)
    learned = [miolo.Snapshot.load(file) for _, file in pairs[:-held_out][: max(LEARNED)]]
    unseen = [miolo.Snapshot.load(file) for _, file in pairs[-held_out:]]
    truth_lines = [[line for line in lines if line not in theme] for lines in truths[-held_out:]]
    return learned, unseen, Truths(truth_lines, theme)


def scores(
    learned: list[miolo.Snapshot],
    unseen: list[miolo.Snapshot],
    truths: Truths,
    options: WrapperOptions,
) -> list[float | None]:
    """F1 of each held-out post; None if nothing is extracted."""
    site = miolo.learn_site(learned, options)
    return [
        f1(extract_verdict(page, site, truth), truth, truths.theme)
        for page, truth in zip(unseen, truths.bodies, strict=True)
    ]


def extract_verdict(page: miolo.Snapshot, site: miolo.Site, truth: list[str]) -> str:
    try:
        article = miolo.extract_snapshot(page, "rtdm", site=site)
    except (miolo.PageNotAcceptedError, miolo.MissingSiteError):
        return ""
    if article.text and article.title in " ".join(truth):
        return f"{article.title}\n{article.text}"
    return article.text


def repeated_texts(bodies: list[list[str]]) -> set[str]:
    """Texts of two or more words that are in the bodies of half of the posts."""
    counts = Counter(line for lines in bodies for line in set(lines))
    return {
        line
        for line, count in counts.items()
        if count >= THEME * len(bodies) and count_words(line) >= 2
    }


def f1(text: str, truth: list[str], theme: set[str]) -> float | None:
    if not text:
        return None
    lines = [line for line in text.splitlines() if " ".join(line.split()) not in theme]
    return token_score(" ".join(truth), " ".join(lines)).f1


def row(name: str, count: int, f1s: list[float | None]) -> str:
    correct, incorrect, none = parts(f1s)
    return f"{name:13} {count:7} {correct:7.1%} {incorrect:9.1%} {none:13.1%} {len(f1s):8}"


def parts(f1s: list[float | None]) -> tuple[float, float, float]:
    """Shares of correct, incorrect and not extracted articles."""
    none = f1s.count(None) / len(f1s)
    correct = mean(f1 is not None and f1 >= CORRECT for f1 in f1s)
    return correct, abs(1 - correct - none), none


def figures(
    by_site: dict[str, list[float | None]], by_pages: dict[int, list[float]]
) -> dict[str, Any]:
    shares = [parts(f1s) for f1s in by_site.values()]
    pooled = parts([f1 for f1s in by_site.values() for f1 in f1s])
    correct, incorrect, none = (round(mean(column), 4) for column in zip(*shares, strict=True))
    return {
        "correct_share": correct,
        "incorrect_share": incorrect,
        "not_extracted_share": none,
        "correct_share_of_all_pages": round(pooled[0], 4),
        "f1_by_pages": {str(count): round(mean(f1s), 4) for count, f1s in by_pages.items()},
        "sites_by_pages": {str(count): len(f1s) for count, f1s in by_pages.items()},
    }


if __name__ == "__main__":
    main()
