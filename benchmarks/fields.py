"""Titles, authors and dates of pages, in folds by domain, and the training of their rankers.

    python benchmarks/fields.py [--limit 60] [--peers]
    python benchmarks/fields.py --train models/fields/fields.json --limit 200

Pages are read as they were served, and spread evenly over each set. Their truth is that of the
data sets, of the role labels (names in bylines, days in datelines) and of the selectors of
platforms. Each page is judged by rankers that were trained on pages of other domains. Title: equal
words, apart from case and punctuation. Authors: F1 of the sets of names. Date: the same day. Where
the truth is that a page has none, no answer is right. `bound` is the share of pages of which a
candidate is right. The calibration is the mean stated probability beside the share of right values.
"""

from __future__ import annotations

import json
import random
import re
import sys
import time
from argparse import Namespace
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import md5
from itertools import chain
from pathlib import Path
from statistics import fmean
from typing import Any
from unittest.mock import patch

import absent_peers  # noqa: F401
import miolo
import numpy as np
from corpus import parser, unpack
from miolo.collect.labels.label_files import read_role_lines
from miolo.extract import pipeline
from miolo.extract.metadata.dates import find_date, relative_date
from miolo.extract.metadata.describing import Description
from miolo.extract.metadata.names import is_written_as_name
from miolo.features.words import words
from miolo.models.fields.ranker import FieldRanker, FieldRankers, fit_ranker
from miolo.renderer.network.origins import site_of

FOLDS = 5
FIELDS = ("title", "authors", "date")
SETS = ("news2023", "publishers", "wcxb", "world", "blogs2012")
FAMILIES = ("news", "blogs", "docs", "threads", "misc", "lists")
UNSIGNED = ("documentation", "wiki", "listing", "product", "service")
"""Kinds of platform pages that have no author and no date where none is selected."""

CREDENTIAL = re.compile(r"(?:[A-Z]\.?){2,6}|Jr\.?|Sr\.?|PhD|Ph\.D\.?")
NOW = "2026-01-01T12:00:00+00:00"
"""An arbitrary time, since whether a date is relative does not depend on it."""

BOUNDS = {"title": 0.02, "authors": 0.45, "date": 0.35}
"""Minimum probabilities of answers."""


@dataclass(frozen=True)
class Truth:
    """What is known of a page; a field that is not known is None."""

    title: str | None = None
    names: frozenset[str] | None = None
    byline: str | None = None
    days: frozenset[str] | None = None

    def knows(self, name: str) -> bool:
        """Whether the value of a field is known."""
        authors = self.names is not None or self.byline is not None
        return {"title": self.title is not None, "authors": authors, "date": self.days is not None}[
            name
        ]

    def score(self, name: str, value: Any) -> float:
        """How right a value is; None is right where the page has no value."""
        if name == "title":
            return float(plain(self.title or "") == plain(value or ""))
        if name == "date":
            return float(value[:10] in (self.days or ()) if value else not self.days)
        if self.names is not None:
            names = people(value or ())
            both = len(names) + len(self.names)
            return 2 * len(names & self.names) / both if both else 1.0
        line = plain(self.byline or "").replace(" ", "")
        parts = [part for each in value or () for part in plain(each).split()]
        # A byline often lacks spaces where only the style separates words: "ByJane Doe".
        return float(bool(parts) and all(part in line for part in parts))

    def right(self, name: str, values: Sequence[Any]) -> list[bool]:
        """Which of the values that a page offers are to be chosen."""
        scores = [self.score(name, value) for value in values]
        if name != "authors" or not scores:
            return [score == 1 for score in scores]
        if self.names is not None:
            # Sets of names that are nearly right are better than none.
            return [score == max(scores) and score >= 0.5 for score in scores]
        sizes = [score * len("".join(value)) for score, value in zip(scores, values, strict=True)]
        return [size == max(sizes) and size > 0 for size in sizes]


@dataclass(frozen=True)
class Job:
    """A page: its set, its file or platform, its address and what is known of it."""

    set: str
    file: Path
    url: str
    truth: dict[str, Any]
    group: str


@dataclass(frozen=True, eq=False)
class Page:
    """A page with its truth, the values that it offers with their features, and what peers say."""

    set: str
    group: str
    truth: Truth
    values: dict[str, list[tuple[Any, dict[str, float]]]]
    peers: dict[str, dict[str, Any]] = field(default_factory=dict)
    ms: float = 0.0

    @property
    def fold(self) -> int:
        """Number of the fold that the page's domain is in."""
        return int(md5(self.group.encode()).hexdigest(), 16) % FOLDS


def main() -> None:
    options = parser(__doc__ or "")
    options.add_argument("--sets", default=",".join((*SETS, *FAMILIES)))
    options.add_argument("--limit", type=int, default=60, help="pages a set, 0 for all")
    options.add_argument("--peers", action="store_true", help="ask other extractors, too")
    options.add_argument("--train", type=Path, help="file of the rankers to write")
    options.add_argument("--workers", type=int, default=2)
    chosen = options.parse_args()
    pages = list(read_pages(chosen))
    rows, figures = judge(pages)
    if chosen.train:
        rankers = {name: replace(fit(pages, name), bound=BOUNDS[name]) for name in FIELDS}
        about = {
            "data": f"{len(pages)} pages of {chosen.sets}",
            "command": f"python benchmarks/fields.py --train FILE --limit {chosen.limit}",
            "date": time.strftime("%Y-%m-%d"),
            "figures in folds": figures,
        }
        FieldRankers(rankers, about).save(chosen.train)
    for row in rows:
        print(row)
    print(json.dumps(figures))


def read_pages(chosen: Namespace) -> Iterator[Page]:
    jobs = [job for name in chosen.sets.split(",") for job in jobs_of(name, chosen)]
    random.Random(0).shuffle(jobs)
    print(f"{len(jobs)} pages", file=sys.stderr)
    with ProcessPoolExecutor(chosen.workers) as pool:
        read = partial(read_page, peers=chosen.peers)
        yield from filter(None, pool.map(read, jobs, chunksize=8))


def jobs_of(name: str, chosen: Namespace) -> list[Job]:
    jobs = platform_jobs(name, chosen) if name in FAMILIES else set_jobs(name, chosen)
    step = max(1, len(jobs) // chosen.limit) if chosen.limit else 1
    return jobs[::step]


def set_jobs(name: str, chosen: Namespace) -> list[Job]:
    folder = unpack(chosen.data / "pages" / f"{name}.tar.xz", chosen.cache)
    labels: dict[str, Any] = {}
    roles = chosen.data / "roles" / f"{name}.jsonl.xz"
    if name == "world":
        labels = {each.id: each.blocks for each in read_role_lines(roles)}
    jobs = []
    for file in sorted(folder.glob("*.html")):
        truth = json.loads(file.with_suffix(".json").read_text("utf-8"))
        if truth.get("exam"):
            continue
        url = truth.get("url") or ""
        kept = {key: truth.get(key) for key in ("title", "author", "date")}
        kept["blocks"] = labels.get(file.stem)
        jobs.append(Job(name, file, url, kept, site_of(url) or f"{name}/{file.stem}"))
    return jobs


def platform_jobs(name: str, chosen: Namespace) -> list[Job]:
    folder = unpack(chosen.data / "platforms" / f"{name}.tar.xz", chosen.cache)
    table = json.loads((chosen.data / "platforms.json").read_text("utf-8"))
    jobs = []
    for key, entry in table.items():
        if entry["family"] != name or entry.get("rendered_by_script"):
            continue
        site = key.partition("/")[2]
        for path in entry["pages"]:
            file = folder / site / path
            if file.is_file():
                jobs.append(Job(name, file, f"https://www.{site}.example/{path}", entry, site))
    return jobs


def read_page(job: Job, peers: bool) -> Page | None:
    # No reader sees the marks of the truth.
    markup = re.sub(rb'\sdata-truth="[^"]*"', b"", job.file.read_bytes())
    truth = selected_truth(job) if job.set in FAMILIES else known_truth(job)
    descriptions: list[Description] = []
    make = pipeline._description

    def kept(*arguments: Any) -> Description:
        descriptions.append(make(*arguments))
        return descriptions[-1]

    try:
        with patch.object(pipeline, "_description", kept):
            snapshot = miolo.Snapshot.from_html(markup, url=job.url or "about:blank")
            _ = miolo.extract_snapshot(snapshot).title  # its sources are read when it is asked for
    except miolo.MioloError as error:
        print(f"{job.file}: {error}", file=sys.stderr)
        return None
    start = time.process_time()
    page = descriptions[0]
    candidates = page.values | {"htmldate": page.htmldate_values()}
    ms = 1e3 * (time.process_time() - start)
    values = {name: [(v.value, v.row) for v in each] for name, each in candidates.items()}
    answers = ask_peers(markup, job.url) if peers else {}
    return Page(job.set, job.group, truth, values, answers, ms)


def known_truth(job: Job) -> Truth:
    known = job.truth
    names = people([known["author"] or ""]) or None
    day = day_of(known["date"])
    truth = Truth(known["title"], frozenset(names) if names else None,
                  days=frozenset((day,)) if day else None)  # fmt: skip
    return shown_truth(truth, known["blocks"]) if known["blocks"] else truth


def shown_truth(truth: Truth, blocks: Sequence[Sequence[str]]) -> Truth:
    """The truth with the names and days that the page shows, by the roles of its blocks."""
    byline = " ".join(text for role, text in blocks if role == "Y")
    lines = [text for role, text in blocks if role == "D"]
    # The page was captured long after "2 hours ago" was written, so such a line names no day.
    relative = any(relative_date(line[:90], NOW) for line in lines)
    days = frozenset(() if relative else (day for line in lines for day in days_of(line)))
    is_named = any(map(is_written_as_name, words(byline)))
    return replace(truth, byline=byline if is_named else None, days=days or None)


def selected_truth(job: Job) -> Truth:
    """The truth of a page by the selectors of its platform."""
    from bs4 import BeautifulSoup

    soup = BeautifulSoup(job.file.read_bytes(), "lxml")

    def texts(name: str) -> list[str]:
        found = soup.select(job.truth[name]) if job.truth[name] else ()
        return [" ".join(each.get_text(" ").split()) for each in found]

    is_unsigned = job.truth["kind"] in UNSIGNED
    titles, bylines, dates = texts("title"), texts("byline"), texts("date")
    days = frozenset(day for line in dates[:1] for day in days_of(line))
    return Truth(
        title=titles[0] if titles else None,
        names=frozenset() if is_unsigned and not job.truth["byline"] else None,
        byline=" ".join(bylines) or None,
        days=days or (frozenset() if is_unsigned and not job.truth["date"] else None),
    )


def ask_peers(markup: bytes, url: str) -> dict[str, dict[str, Any]]:
    import trafilatura
    from htmldate import find_date

    answers: dict[str, dict[str, Any]] = {}
    tree = trafilatura.load_html(markup)
    peer = None if tree is None else trafilatura.extract_metadata(tree, url)
    if peer is not None:
        names = [name for name in (peer.author or "").split("; ") if name]
        answers["trafilatura"] = {"title": peer.title, "authors": names, "date": peer.date}
    answers["htmldate"] = {"date": find_date(markup, original_date=True)}
    try:
        from newspaper import Article
    except ImportError:
        return answers
    article = Article(url or "https://example.org/")
    try:
        article.download(input_html=markup.decode("utf-8", "replace"))
        article.parse()
    except Exception:  # a peer that fails has no answers
        return answers
    date = article.publish_date.isoformat() if article.publish_date else None
    answers["newspaper4k"] = {"title": article.title, "authors": article.authors, "date": date}
    return answers


def fit(pages: Iterable[Page], name: str) -> FieldRanker:
    examples, folds = [], []
    for page in pages:
        values = page.values[name] + (page.values["htmldate"] if name == "date" else [])
        if page.truth.knows(name) and values:
            scores = [page.truth.score(name, value) for value, _ in values]
            right = page.truth.right(name, [value for value, _ in values])
            rows = [row for _, row in values]
            examples.append(list(zip(rows, right, scores, strict=True)))
            folds.append(page.fold)
    return fit_ranker(examples, BOUNDS[name], folds)


def judge(pages: Sequence[Page]) -> tuple[list[str], dict[str, Any]]:
    """Lines of a table, and its figures."""
    rows: list[str] = []
    figures: dict[str, Any] = {}
    for name in FIELDS:
        scores: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
        stated: list[tuple[float, float]] = []
        for number in range(FOLDS):
            ranker = fit([page for page in pages if page.fold != number], name)
            for page in pages:
                if page.fold == number and page.truth.knows(name):
                    score_page(page, name, ranker, scores[page.set], stated)
        figures[name] = {}
        for set_, systems in sorted(scores.items()):
            means = {system: round(fmean(each), 3) for system, each in systems.items()}
            figures[name][set_] = means | {"pages": len(systems["miolo"])}
            shown = "  ".join(f"{system} {mean:.3f}" for system, mean in means.items())
            rows.append(f"{name:8} {set_:11} {len(systems['miolo']):5}  {shown}")
        mean = [round(float(each), 3) for each in np.mean(stated, axis=0)]
        figures[name]["calibration"] = mean
        rows.append(
            f"{name:8} stated {mean[0]:.3f}, right {mean[1]:.3f}; error {error_of(stated):.3f}"
        )
    figures["ms"] = round(fmean(page.ms for page in pages), 2)
    return rows, figures


def error_of(stated: Sequence[tuple[float, float]]) -> float:
    """Expected calibration error over ten bins of equal size."""
    bins = np.array_split(np.array(sorted(stated)), 10)
    apart = [len(each) * abs(each[:, 0].mean() - each[:, 1].mean()) for each in bins if len(each)]
    return sum(apart) / max(len(stated), 1)


def score_page(
    page: Page,
    name: str,
    ranker: FieldRanker,
    scores: dict[str, list[float]],
    stated: list[tuple[float, float]],
) -> None:
    score: Callable[[Any], float] = partial(page.truth.score, name)
    values = page.values[name]
    best = ranker.best([row for _, row in values])
    if best is None and name == "date":
        values = page.values["htmldate"]
        best = ranker.best([row for _, row in values])
    chosen = None if best is None else values[best[0]][0]
    if best is not None:
        stated.append((best[1], score(chosen)))
    scores["miolo"].append(score(chosen))
    scores["bound"].append(
        max(chain([score(None)], (score(value) for value, _ in page.values[name])))
    )
    for system, answers in page.peers.items():
        if name in answers:
            scores[system].append(score(answers[name]))


def plain(text: str) -> str:
    return " ".join(word.casefold() for word in words(text))


def people(values: Iterable[str]) -> set[str]:
    """Names in a common form; credentials such as "MD" after a name are not people."""
    found = set()
    for value in values:
        names = [name.strip() for name in re.split("[;,]", value) if name.strip()]
        found |= {plain(n) for i, n in enumerate(names) if not (i and CREDENTIAL.fullmatch(n))}
    return found - {""}


def day_of(date: str | None) -> str | None:
    """The day of an ISO 8601 date; None if it has no day."""
    return date[:10] if date and re.match(r"\d{4}-\d\d-\d\d", date) else None


def days_of(line: str) -> set[str]:
    """The days that a line may name, with day and month in either order."""
    parts = [line[:200], *re.split(r"[|•·]| - ", line[:200])]
    days = {find_date(part, month_first=order) for part in parts for order in (True, False)}
    return {day for day in days if day}


if __name__ == "__main__":
    main()
