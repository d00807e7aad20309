"""Title, authors and date of single pages, against trafilatura and htmldate.

    python benchmarks/metadata.py [--sets news2023,publishers,wcxb] [--limit 60]

Pages are spread evenly over each set; of wcxb only articles. Title: equal words, case and
punctuation aside (`title`), and token F1 of 0.9 at least (`title_near`). Authors: F1 of the
sets of names, mean over the pages whose truth names one. Date: the same day. Peers read the
HTML as it was served, we the snapshot rendered from it; milliseconds (median, processor time) of
the peer include parsing, ours leave out rendering.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
import time
from argparse import Namespace
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from statistics import fmean, median
from typing import Any

import miolo
import trafilatura
from corpus import parser, unpack
from htmldate import find_date
from miolo.extract.metadata import describe
from miolo.extract.methods.default import DEFAULT_METHOD
from miolo.extract.methods.learned import Learned
from miolo.extract.methods.table import method_named
from miolo.extract.scoring import token_score
from miolo.features.words import words
from pages import OPTIONS, saved_page

CREDENTIAL = re.compile(r"(?:[A-Z]\.?){2,6}|Jr\.?|Sr\.?|PhD|Ph\.D\.?")

Scores = dict[str, dict[str, list[float]]]


def main() -> None:
    options = parser(__doc__ or "")
    options.add_argument("--sets", default="news2023,publishers,wcxb")
    options.add_argument("--limit", type=int, default=60, help="pages a set, 0 for all")
    options.add_argument("--method", default=DEFAULT_METHOD, help="finds headline and body")
    chosen = options.parse_args()
    results = {name: asyncio.run(score(name, chosen)) for name in chosen.sets.split(",")}
    report(results)


async def score(name: str, chosen: Namespace) -> Scores:
    folder = unpack(chosen.data / "pages" / f"{name}.tar.xz", chosen.cache)
    pages = [page for page in sorted(folder.glob("*.html")) if is_article(page)]
    step = max(1, len(pages) // chosen.limit) if chosen.limit else 1
    pages = pages[::step][: chosen.limit or None]
    print(f"{name}: {len(pages)} pages", file=sys.stderr)
    cache = chosen.cache / f"{name}-snapshots"
    cache.mkdir(parents=True, exist_ok=True)
    scores: Scores = defaultdict(lambda: defaultdict(list))
    async with miolo.Renderer(OPTIONS) as renderer:
        for page in pages:
            saved = await saved_page(renderer, page, cache)
            snapshot = miolo.Snapshot.load(saved) if saved else miolo.Snapshot.from_html("")
            judge(page, snapshot, chosen.method, scores)
    return scores


def is_article(page: Path) -> bool:
    return truth_of(page).get("type") in (None, "article")


def truth_of(page: Path) -> dict[str, Any]:
    return json.loads(page.with_suffix(".json").read_text("utf-8"))


def judge(page: Path, snapshot: miolo.Snapshot, method: str, scores: Scores) -> None:
    truth = truth_of(page)
    selection = method_named(method).select(snapshot, Learned(None, None))
    start = time.process_time()
    ours = describe(
        snapshot, title_node=selection.title, kept=selection.kept, passages=selection.passages
    )
    scores["ms"]["miolo"].append(1e3 * (time.process_time() - start))
    markup = page.read_bytes()
    start = time.process_time()
    tree = trafilatura.load_html(markup)
    peer = None if tree is None else trafilatura.extract_metadata(tree, truth["url"])
    scores["ms"]["trafilatura"].append(1e3 * (time.process_time() - start))
    compare(truth, "miolo", ours.title, ours.authors, ours.date, scores)
    names = (peer.author or "").split(";") if peer else []
    said = (peer.title, names, peer.date) if peer else (None, names, None)
    compare(truth, "trafilatura", *said, scores)
    if day_of(truth.get("date")):
        found = find_date(markup, original_date=True)
        scores["date"]["htmldate"].append(day_of(found) == day_of(truth["date"]))


def compare(
    truth: dict[str, Any],
    system: str,
    title: str | None,
    authors: Iterable[str],
    date: str | None,
    scores: Scores,
) -> None:
    """Add a page's scores; of fields that the truth leaves empty there are none."""
    if truth.get("title"):
        wanted, said = plain(truth["title"]), plain(title or "")
        scores["title"][system].append(wanted == said)
        scores["title_near"][system].append(token_score(wanted, said).f1 >= 0.9)
    wanted_names = people([truth.get("author") or ""])
    if wanted_names:
        found = people(authors)
        common = len(found & wanted_names)
        scores["author"][system].append(2 * common / (len(found) + len(wanted_names)))
    if day_of(truth.get("date")):
        scores["date"][system].append(day_of(date) == day_of(truth["date"]))


def plain(text: str) -> str:
    return " ".join(word.casefold() for word in words(text))


def people(said: Iterable[str]) -> set[str]:
    """Names in a common form; titles such as "MD" behind a name are not people."""
    found = set()
    for value in said:
        names = [name.strip() for name in re.split("[;,]", value) if name.strip()]
        found |= {plain(n) for i, n in enumerate(names) if not (i and CREDENTIAL.fullmatch(n))}
    return found - {""}


def day_of(date: str | None) -> str | None:
    """The day of an ISO 8601 date, None for one without a day."""
    return date[:10] if date and re.match(r"\d{4}-\d\d-\d\d", date) else None


def report(results: dict[str, Scores]) -> None:
    print(
        f"{'set':12} {'field':11} {'pages':>5}  " + "  ".join(("miolo", "trafilatura", "htmldate"))
    )
    figures: dict[str, dict[str, dict[str, float]]] = {}
    for name, fields in results.items():
        for field in ("title", "title_near", "author", "date", "ms"):
            means = {
                system: round((median if field == "ms" else fmean)(found), 3)
                for system, found in fields[field].items()
            }
            figures.setdefault(field, {})[name] = means
            pages = len(fields[field]["miolo"])
            shown = "  ".join(f"{mean:>9.3f}" for mean in means.values())
            print(f"{name:12} {field:11} {pages:5}  {shown}")
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
