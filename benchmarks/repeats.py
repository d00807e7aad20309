"""Whether the same page gives the same text each time it is rendered, alone and under load.

    python benchmarks/repeats.py [--sites 12] [--times 50]

One page of each of some styled sites, served on loopback, is rendered many times: one page at a
time, then eight at a time, beside a busy process for each core. A text that differs from the
commonest one of its page is reported with its first difference and its warnings; of an error, the
name counts as the text and as its warning.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import zip_longest

import miolo
from corpus import OFFLINE, parser, serve_folder
from miolo.evaluate.case import Case
from miolo.evaluate.rendering import render_case
from platform_pages import OPTIONS, platform_pages

AT_ONCE = 8
LIMITS = miolo.Limits(seconds=60)


def main() -> None:
    options = parser(__doc__ or "")
    options.add_argument("--sites", type=int, default=12)
    options.add_argument("--times", type=int, default=50)
    options.add_argument("--only", default="", help="names of sites, with commas")
    chosen = options.parse_args()
    pages = [page for page in platform_pages(chosen.data, chosen.cache) if page.number == 0]
    only = [page.case for page in pages if page.site in chosen.only.split(",")]
    cases = only or [page.case for page in pages[:: max(len(pages) // chosen.sites, 1)]]
    cases = cases[: chosen.sites]
    alone = asyncio.run(texts(cases, chosen.times, 1))
    with busy():
        loaded = asyncio.run(texts(cases, chosen.times, AT_ONCE))
    differing, silent = {"alone": 0, "under_load": 0}, 0
    for case, of_alone, of_loaded in zip(cases, alone, loaded, strict=True):
        ((usual, _),) = Counter(text for text, _ in (*of_alone, *of_loaded)).most_common(1)
        for name, found in (("alone", of_alone), ("under_load", of_loaded)):
            others = [each for each in found if each[0] != usual]
            differing[name] += len(others)
            silent += sum(not codes for _, codes in others)
            for (text, codes), count in Counter(others).most_common(3):
                where = f"{case.site}/{case.path}, {name}, {count} times"
                print(f"{where}, {codes or 'no warning'}: {difference(usual, text)}")
    figures = {"differing": differing, "without_warning": silent}
    print(json.dumps({"pages": len(cases), "times": chosen.times} | figures))


Text = tuple[str, str]
"""A text and the codes of its warnings."""


async def texts(cases: list[Case], times: int, at_once: int) -> list[list[Text]]:
    """The texts of each page; an error's name where it is not rendered."""
    gate = asyncio.Semaphore(at_once)
    async with miolo.Renderer(replace(OPTIONS, limits=LIMITS), switches=OFFLINE) as renderer:

        async def text_of(case: Case, origin: str) -> Text:
            async with gate:
                try:
                    snapshot = await render_case(renderer, case, origin)
                except miolo.MioloError as error:
                    return type(error).__name__, type(error).__name__
            article = miolo.extract_snapshot(snapshot)
            return article.text, ", ".join(sorted({each.code for each in article.warnings}))

        found = []
        for case in cases:
            assert case.site is not None
            with serve_folder(case.site) as origin:
                found.append(await asyncio.gather(*(text_of(case, origin) for _ in range(times))))
            print(f"{case.site.name}: {len(set(found[-1]))} texts", file=sys.stderr)
        return found


@contextmanager
def busy() -> Iterator[None]:
    """A process for each core that does nothing else than to compute."""
    context = multiprocessing.get_context("spawn")
    burning = [context.Process(target=burn, daemon=True) for _ in range(os.cpu_count() or 1)]
    for each in burning:
        each.start()
    try:
        yield
    finally:
        for each in burning:
            each.kill()


def burn() -> None:
    while True:
        pass


def difference(one: str, other: str) -> str:
    """The first lines in which two texts differ."""
    lines = zip_longest(one.splitlines(), other.splitlines(), fillvalue="")
    first = next(((a, b) for a, b in lines if a != b), ("", ""))
    return " | ".join(repr(line[:80]) for line in first)


if __name__ == "__main__":
    main()
