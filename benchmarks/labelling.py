"""Number of key presses for labelling with the reader's suggestions, and without.

    python benchmarks/labelling.py
    python benchmarks/labelling.py --pages 50 --teach 600 --seed 1
    python benchmarks/labelling.py --shipped
    python benchmarks/labelling.py --sites blogs/docpadru misc/elsadorfman --model earlier.npz

`benchmarks/active_learning.py` measures the benefit of the queue's order. A scripted labeller knows
the truth of pages with role labels (never those of the exam). It labels them in Chromium using only
the keys of the queue (`miolo serve --collection`), as a person who knows all keys would: the
shortest way to the next wrong run of blocks, its range, its letter. Each page is labelled twice,
starting from the reader's suggestions and from boilerplate throughout. The final contents of the
store are compared with the truth. The suggestions come from a reader trained on ``--teach`` pages
of other domains, or with ``--shipped`` from the reader of the package, which was trained on these
very pages. Boilerplate and links to other stories count as one role. Pages without a snapshot in
the cache are rendered first, with scripts off.

With ``--sites``, ten pages of each of these styled sites are labelled, as served, and a third time
by a labeller who presses Z where labels of the template are offered. `seconds` is the time that
the keystroke-level model expects of a person who knows the keys: .28 s a key, and 1.35 s to decide
on each run of blocks and on each page.

References
----------
Card, Moran, Newell (1980), "The Keystroke-Level Model for User Performance Time with Interactive
Systems", https://doi.org/10.1145/358886.358895
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
import threading
from argparse import Namespace
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np
from corpus import parser, unpack
from miolo.collect.labels.sheet import MAX_BLOCKS
from miolo.collect.labels.store import LabelStore
from miolo.evaluate.case import Case
from miolo.evaluate.page_sets import page_cases
from miolo.evaluate.rendering import PAGE_OPTIONS, render_missing
from miolo.evaluate.training.article_reader import label_cases, train_cases
from miolo.features.blocks import article_blocks
from miolo.models.article.roles import LETTERS, ROLES
from miolo.models.article.samples import UNKNOWN, align_roles
from miolo.models.article.training import TrainingOptions
from miolo.renderer.browser.chromium import find_chromium
from miolo.renderer.page.snapshot import Snapshot
from platform_pages import block_truth, node_truth, platform_pages
from playwright.sync_api import Page, sync_playwright

SETS = ("news2023", "publishers", "wcxb", "world")
SURROUNDINGS = {"boilerplate", "related"}
PAGE_STEP = 12
MOST_BLOCKS = 400
"""Pages with more blocks are left out: they are few, and would outweigh the others."""

KEY_SECONDS, DECISION_SECONDS = 0.28, 1.35

SITE_PAGES = 10

QUICK = TrainingOptions(networks=1, epochs=8, plain=0)


def main() -> None:
    options = parser(__doc__ or "")
    options.add_argument("--pages", type=int, default=50)
    options.add_argument("--teach", type=int, default=600, help="pages that the reader learns from")
    options.add_argument("--shipped", action="store_true", help="suggest by the package's reader")
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--sites", nargs="*", default=[], help="styled sites, as blogs/docpadru")
    options.add_argument("--model", type=Path, help="with --sites: reader that suggests")
    chosen = options.parse_args()
    for name in chosen.sites:
        print(name, json.dumps(label_site(chosen, name)))
    if chosen.sites:
        return
    order = shuffle(labelled_cases(chosen), np.random.default_rng(chosen.seed))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "pages"
        truth = fill(folder, order, chosen.pages)
        held_out = {case.group for case in truth.values()}
        model = None if chosen.shipped else Path(name) / "reader.npz"
        if model is not None:
            teach(order, held_out, chosen.teach, model)
        started = monotonic()
        figures = label_all(folder, {name: roles_of(case) for name, case in truth.items()}, model)
    figures["seconds"] = round(monotonic() - started)
    print(json.dumps(figures))


def report(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def labelled_cases(chosen: Namespace) -> list[Case]:
    """Pages with role labels that are not in the exam."""
    folders = [unpack(chosen.data / "pages" / f"{name}.tar.xz", chosen.cache) for name in SETS]
    return page_cases(folders, chosen.cache, labels=chosen.data / "roles", exam=False, log=report)


def shuffle(cases: Sequence[Case], rng: np.random.Generator) -> list[Case]:
    return [cases[number] for number in rng.permutation(len(cases))]


def with_snapshots(cases: Sequence[Case]) -> list[Case]:
    """Render pages that have no snapshot yet; returns those that have one afterwards."""
    asyncio.run(render_missing(cases, PAGE_OPTIONS, log=report))
    return [case for case in cases if case.saved.exists()]


def roles_of(case: Case) -> list[str | None]:
    """Role of each block of a page; None where it is not known."""
    assert case.labels is not None
    page = article_blocks(Snapshot.load(case.saved))
    codes = align_roles(page.texts, case.labels.blocks)
    return [None if code == UNKNOWN else ROLES[code] for code in codes.tolist()]


def fill(folder: Path, order: Sequence[Case], pages: int) -> dict[str, Case]:
    """Fill a folder with pages to label; returns the case of each file."""
    folder.mkdir()
    cases: dict[str, Case] = {}
    for begin in range(0, len(order), pages):
        for case in with_snapshots(order[begin : begin + pages]):
            if len(cases) == pages:
                return cases
            if 1 <= len(article_blocks(Snapshot.load(case.saved))) <= MOST_BLOCKS:
                name = f"{len(cases):03}.miolo"
                (folder / name).write_bytes(case.saved.read_bytes())
                cases[name] = case
    return cases


def teach(order: Sequence[Case], held_out: set[str], pages: int, file: Path) -> None:
    """Train a reader on pages of other domains, and write it to a file."""
    others = with_snapshots([case for case in order if case.group not in held_out][:pages])
    reader = train_cases(label_cases(others, plain=False, report=report), QUICK, {}, report)
    reader.save(file)


def label_site(chosen: Namespace, name: str) -> dict[str, Any]:
    """Label pages of a styled site in each way."""
    truth: dict[str, list[str | None]] = {}
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home) / "pages"
        folder.mkdir()
        for page in platform_pages(chosen.data, chosen.cache):
            if f"{page.family}/{page.site}" != name or page.number >= SITE_PAGES:
                continue
            marked = Snapshot.from_html(page.marked, url=page.case.url)
            roles, _ = block_truth(article_blocks(marked), node_truth(marked, page.facts))
            file = f"{page.number:03}.miolo"
            page.served().save(folder / file)
            truth[file] = [ROLES[code] for code in roles.tolist()]
        return label_all(folder, truth, chosen.model, ("suggested", APPLYING, "blind"))


def label_all(
    folder: Path,
    truth: dict[str, list[str | None]],
    model: Path | None,
    names: Sequence[str] = ("suggested", "blind"),
) -> dict[str, Any]:
    """Label all pages with suggestions and without, and compare the two."""
    figures: dict[str, Any] = {"pages": len(truth)}
    words = [] if model is None else ["--model", str(model)]
    with serving(folder, *words) as address, sync_playwright() as playwright:
        executable = find_chromium(playwright.chromium.executable_path).path
        browser = playwright.chromium.launch(executable_path=executable)
        for name in names:
            page = browser.new_page()
            page.goto(f"{address}/label.html?labeller={name}&blind={int(name == 'blind')}")
            presses, decisions = zip(
                *(Labeller(page, folder, name).label(truth) for _ in truth), strict=True
            )
            page.get_by_role("heading", name="No page is left").wait_for()
            figures[name] = {
                "presses_per_page": round(float(np.mean(presses)), 1),
                "median": float(np.median(presses)),
                "presses": sum(presses),
                "seconds": round(KEY_SECONDS * sum(presses) + DECISION_SECONDS * sum(decisions)),
                "untouched_pages": sum(count == 1 for count in presses),
            }
        browser.close()
    return figures | judge(folder, truth)


def judge(folder: Path, truth: dict[str, list[str | None]]) -> dict[str, Any]:
    """Share of correct suggestions, and number of labels unlike the truth, which should be 0."""
    right = blocks = wrong = 0
    own = own_right = 0
    with LabelStore(folder) as store:
        for state in store.labelled_pages():
            for role, suggested, true in zip(
                state.roles, state.suggested, truth[state.file], strict=True
            ):
                if true is None:
                    continue
                wrong += not same(role, true)
                if state.labeller == "suggested":
                    blocks += 1
                    right += same(suggested, true)
                    is_own = true not in SURROUNDINGS
                    own += is_own
                    own_right += is_own and same(suggested, true)
    return {
        "blocks": blocks,
        "suggestions_right": round(right / blocks, 4),
        "suggestions_right_of_the_article": round(own_right / max(1, own), 4),
        "labels_unlike_the_truth": wrong,
    }


def same(role: str, other: str) -> bool:
    return role == other or {role, other} <= SURROUNDINGS


@contextmanager
def serving(folder: Path, *words: str) -> Iterator[str]:
    """Run a service with the queue; yields its address."""
    command = [sys.executable, "-m", "miolo", "serve", "--port", "0", "--no-sandbox"]
    more = ["--log-json", "--workers", "1", "--collection", str(folder)]
    with subprocess.Popen(
        [*command, *more, "--overlap", "1", "--blind", "0", *words],
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        lines = iter(process.stderr)
        drain = threading.Thread(target=lambda: deque(lines, maxlen=0))
        try:
            address = _event(lines, "listening")["address"]
            # The queue is ordered by uncertainty, so wait until it is computed.
            _event(lines, "uncertainty computed")
            # A pipe that nobody reads would block the service.
            drain.start()
            yield address
        finally:
            process.terminate()
            if drain.ident:
                drain.join()


def _event(lines: Iterator[str], name: str) -> dict[str, Any]:
    """The next log entry of an event."""
    return next(event for line in lines if (event := json.loads(line))["event"] == name)


@dataclass(frozen=True)
class Labeller:
    """Labels the page that is shown, using only keys."""

    page: Page
    folder: Path
    name: str

    def label(self, truth: dict[str, list[str | None]]) -> tuple[int, int]:
        """Label a page and go to the next; returns the numbers of keys and of decisions."""
        shown = self.page.locator("#work:not(.waiting) #rows [role=option]").first
        shown.wait_for()
        number = int(self.page.locator("#work").get_attribute("data-page") or 0)
        applied = self.name == APPLYING and self.page.evaluate(OFFERED, [number, self.name]) > 0
        if applied:
            self.page.keyboard.press("z")
            self.page.locator(".row.applied").first.wait_for()
        with LabelStore(self.folder) as store:
            state = store.state(number, self.name)
        around = self.page.evaluate(AROUND, [number, self.name])
        at = int(self.page.locator(".row.at").get_attribute("data-row") or 0)
        sheet = Sheet(list(state.roles), truth[state.file], around, at)
        keys = [*sheet.keys(), "Enter"]
        for key in keys:
            self.page.keyboard.press(key)
        here = f"#work:not([hidden]):not(.waiting)[data-page='{number}']"
        self.page.wait_for_selector(here, state="detached")
        return len(keys) + applied, sheet.runs + applied + 1


APPLYING = "applying"
"""Name of the labeller who applies what other pages of the template have."""

OFFERED = """([page, labeller]) => fetch(`/label/pages/${page}/offered?labeller=${labeller}`)
    .then((answer) => answer.json()).then((found) => found.offered)"""

AROUND = """([page, labeller]) => fetch(`/label/pages/${page}?labeller=${labeller}`)
    .then((answer) => answer.json()).then((found) => found.blocks.map((block) => block.around))"""


class Sheet:
    """The current and true roles of a page, and the keys that lead from one to the other.

    Parameters
    ----------
    roles
        Current roles.
    truth
        True roles; None for blocks that may have any role.
    around
        Ranges of blocks of the elements around each block.
    at
        Block at which the page was opened.
    """

    def __init__(
        self, roles: list[str], truth: Sequence[str | None], around: list[list[list[int]]], at: int
    ) -> None:
        self._roles, self._around = roles, around
        self._truth = list(truth)[:MAX_BLOCKS]
        self._at = at
        self.runs = 0

    def keys(self) -> Iterator[str]:
        """Keys that change the roles to the true ones."""
        while (wrong := next(self._wrong(), None)) is not None:
            first, last, role = wrong
            self.runs += 1
            yield from self._way(first, self._moves(extends=False))
            letter = LETTERS[ROLES.index(role)].lower()
            if [first, last] in self._around[first][:1] and last > first:
                yield f"Alt+{letter}"
            else:
                yield from self._way(last, self._moves(extends=True), "Shift+")
                yield letter
            self._roles[first : last + 1] = [role] * (last + 1 - first)
            self._at = min(last + 1, len(self._roles) - 1)

    def _wrong(self) -> Iterator[tuple[int, int, str]]:
        """Runs of blocks to give one role, each from its first wrong block to its last."""
        for first, role in enumerate(self._truth):
            if role is None or same(self._roles[first], role):
                continue
            last = end = first
            while end + 1 < len(self._truth) and self._is_free(end + 1, role):
                end += 1
                if not same(self._roles[end], self._truth[end] or self._roles[end]):
                    last = end
            yield first, last, role

    def _is_free(self, block: int, role: str) -> bool:
        """Whether a block may be given a role without becoming wrong."""
        true = self._truth[block]
        return true is None or same(true, role)

    def _moves(self, *, extends: bool) -> dict[str, Callable[[int], int]]:
        last = len(self._roles) - 1

        def clamp(block: int) -> int:
            return max(0, min(last, block))

        def run_end(block: int) -> int:
            while block < last and self._roles[block + 1] == self._roles[block]:
                block += 1
            return block

        def jump(block: int) -> int:
            end = run_end(block)
            if not extends:
                return clamp(end + 1)
            return run_end(clamp(block + 1)) if end == block else end

        return {
            "ArrowDown": lambda block: clamp(block + 1),
            "ArrowUp": lambda block: clamp(block - 1),
            "PageDown": lambda block: clamp(block + PAGE_STEP),
            "PageUp": lambda block: clamp(block - PAGE_STEP),
            "Home": lambda _: 0,
            "End": lambda _: last,
            "j": jump,
        }

    def _way(
        self, goal: int, moves: dict[str, Callable[[int], int]], before: str = ""
    ) -> list[str]:
        """The shortest sequence of keys that leads to a block."""
        before_of: dict[int, tuple[int, str]] = {}
        waiting = deque([self._at])
        while waiting and goal != self._at and goal not in before_of:
            block = waiting.popleft()
            for key, move in moves.items():
                next_block = move(block)
                if next_block != self._at and next_block not in before_of:
                    before_of[next_block] = block, f"{before}{key}"
                    waiting.append(next_block)
        keys: list[str] = []
        block = goal
        while block != self._at:
            block, key = before_of[block]
            keys.append(key)
        self._at = goal
        return keys[::-1]


if __name__ == "__main__":
    main()
