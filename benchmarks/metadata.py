"""Title, authors and date of single pages, against trafilatura and htmldate.

    python benchmarks/metadata.py [--sets news2023,publishers,wcxb] [--limit 60]
    python benchmarks/metadata.py --shown [--exam] [--limit 0]

Pages are spread evenly over each set; from wcxb only articles are used. Title: equal words, apart
from case and punctuation (`title`), and a token F1 of at least 0.9 (`title_near`). Authors: F1 of
the sets of names, averaged over the pages whose truth names an author. Date: the same day. Peers
read the HTML as it was served, and Miolo reads the snapshot rendered from it. Milliseconds are
medians of processor time: the peer's include parsing, and ours are of the whole extraction without
rendering.
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

import absent_peers  # noqa: F401
import miolo
import trafilatura
from corpus import OPTIONS, parser, saved_page, unpack
from dateparser.search import search_dates
from htmldate import find_date
from miolo.evaluate.page_sets import page_cases
from miolo.extract.metadata.dates import relative_date
from miolo.extract.metadata.names import is_written_as_name
from miolo.extract.scoring import token_score
from miolo.features.words import words

CREDENTIAL = re.compile(r"(?:[A-Z]\.?){2,6}|Jr\.?|Sr\.?|PhD|Ph\.D\.?")

SHOWN = ("news2023", "publishers", "wcxb", "world")
"""Sets whose pages have role labels."""

NOW = "2026-01-01T12:00:00+00:00"
"""An arbitrary time, since whether a date is relative does not depend on it."""

Scores = dict[str, dict[str, list[float]]]


def main() -> None:
    options = parser(__doc__ or "")
    options.add_argument("--sets", default="news2023,publishers,wcxb")
    options.add_argument("--limit", type=int, default=60, help="pages a set, 0 for all")
    options.add_argument("--shown", action="store_true", help="judge by what the page shows")
    options.add_argument("--exam", action="store_true", help="on the pages of the exam")
    chosen = options.parse_args()
    if chosen.shown:
        report({"shown": score_shown(chosen)})
        return
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
            truth, markup = truth_of(page), page.read_bytes()
            compare(truth, "miolo", *ours(snapshot, scores), scores)
            compare(truth, "trafilatura", *of_trafilatura(markup, truth["url"], scores), scores)
            if day_of(truth.get("date")):
                date = find_date(markup, original_date=True)
                scores["date"]["htmldate"].append(day_of(date) == day_of(truth["date"]))
    return scores


def score_shown(chosen: Namespace) -> Scores:
    folders = [unpack(chosen.data / "pages" / f"{name}.tar.xz", chosen.cache) for name in SHOWN]
    labels = chosen.data / "roles"
    cases = page_cases(folders, chosen.cache, labels=labels, exam=chosen.exam, log=print)
    step = max(1, len(cases) // chosen.limit) if chosen.limit else 1
    scores: Scores = defaultdict(lambda: defaultdict(list))
    for case in cases[::step]:
        if not case.labels or not case.saved.exists():
            continue
        shown: dict[str, list[str]] = defaultdict(list)
        for letter, text in case.labels.blocks:
            shown[letter].append(text)
        description = ours(miolo.Snapshot.load(case.saved), scores)
        compare_shown(shown, "miolo", *description[1:], scores)
        peer = of_trafilatura(case.source.read_bytes(), case.url, scores)
        compare_shown(shown, "trafilatura", *peer[1:], scores)
    return scores


def compare_shown(
    shown: dict[str, list[str]],
    system: str,
    authors: Iterable[str],
    date: str | None,
    scores: Scores,
) -> None:
    names = [name for name in authors if plain(name)]
    lines = " ".join(shown["Y"])
    if any(is_written_as_name(word) for word in words(lines)):
        # A byline often lacks spaces where only the style separates words: "ByJane Doe".
        joined = plain(lines).replace(" ", "")
        parts = [part for name in names for part in plain(name).split()]
        scores["author"][system].append(bool(parts) and all(part in joined for part in parts))
    # The page was captured long after "2 hours ago" was written, so such a line names no day.
    dates = [line for line in shown["D"] if relative_date(line[:90], NOW) is None]
    days = {day for line in dates for day in days_of(line)}
    if days:
        scores["date"][system].append(day_of(date) in days)


def days_of(line: str) -> set[str]:
    days = set()
    # Other parsers in dateparser read "8 min read" as today.
    parsers = ["timestamp", "absolute-time"]
    for order in ("DMY", "MDY", "YMD"):
        required = ["day", "month", "year"]
        settings: Any = {"DATE_ORDER": order, "REQUIRE_PARTS": required, "PARSERS": parsers}
        for _, moment in search_dates(line[:200], settings=settings) or ():
            days.add(moment.date().isoformat())
    return days


Described = tuple[str | None, Iterable[str], str | None]


def ours(snapshot: miolo.Snapshot, scores: Scores) -> Described:
    start = time.process_time()
    extraction = miolo.extract_snapshot(snapshot)
    scores["ms"]["miolo"].append(1e3 * (time.process_time() - start))
    return extraction.title, extraction.authors, extraction.date


def of_trafilatura(markup: bytes, url: str, scores: Scores) -> Described:
    start = time.process_time()
    tree = trafilatura.load_html(markup)
    peer = None if tree is None else trafilatura.extract_metadata(tree, url)
    scores["ms"]["trafilatura"].append(1e3 * (time.process_time() - start))
    return (peer.title, (peer.author or "").split(";"), peer.date) if peer else (None, [], None)


def is_article(page: Path) -> bool:
    return truth_of(page).get("type") in (None, "article")


def truth_of(page: Path) -> dict[str, Any]:
    return json.loads(page.with_suffix(".json").read_text("utf-8"))


def compare(
    truth: dict[str, Any],
    system: str,
    title: str | None,
    authors: Iterable[str],
    date: str | None,
    scores: Scores,
) -> None:
    """Add a page's scores for the fields that the truth does not leave empty."""
    if truth.get("title"):
        true_title, own = plain(truth["title"]), plain(title or "")
        scores["title"][system].append(true_title == own)
        scores["title_near"][system].append(token_score(true_title, own).f1 >= 0.9)
    wanted_names = people([truth.get("author") or ""])
    if wanted_names:
        names = people(authors)
        common = len(names & wanted_names)
        scores["author"][system].append(2 * common / (len(names) + len(wanted_names)))
    if day_of(truth.get("date")):
        scores["date"][system].append(day_of(date) == day_of(truth["date"]))


def plain(text: str) -> str:
    return " ".join(word.casefold() for word in words(text))


def people(values: Iterable[str]) -> set[str]:
    """Names in a common form; credentials such as "MD" after a name are not people."""
    plain_names = set()
    for value in values:
        names = [name.strip() for name in re.split("[;,]", value) if name.strip()]
        plain_names |= {
            plain(n) for i, n in enumerate(names) if not (i and CREDENTIAL.fullmatch(n))
        }
    return plain_names - {""}


def day_of(date: str | None) -> str | None:
    """The day of an ISO 8601 date; None if it has no day."""
    return date[:10] if date and re.match(r"\d{4}-\d\d-\d\d", date) else None


def report(results: dict[str, Scores]) -> None:
    print(
        f"{'set':12} {'field':11} {'pages':>5}  " + "  ".join(("miolo", "trafilatura", "htmldate"))
    )
    figures: dict[str, dict[str, dict[str, float]]] = {}
    for name, fields in results.items():
        for field in ("title", "title_near", "author", "date", "ms"):
            if field not in fields:
                continue
            means = {
                system: round((median if field == "ms" else fmean)(values), 3)
                for system, values in fields[field].items()
            }
            figures.setdefault(field, {})[name] = means
            pages = len(fields[field]["miolo"])
            shown = "  ".join(f"{mean:>9.3f}" for mean in means.values())
            print(f"{name:12} {field:11} {pages:5}  {shown}")
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
