"""`Learning`: a crawl learns its site as it goes.

As soon as enough pages are done, a worker learns the site from their snapshots. Pages that follow
are read with what was learned, and earlier ones are read again from their snapshots, without a
visit. When pages stop matching what was learned, the site is learned anew from the latest pages.
All of this is in the job store, so that a crawl that is resumed continues it.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from ...errors import MioloError
from ...models.site_folder import SiteFolder
from ...renderer.network.origins import learned_name
from ..batch.files import RESULTS, file_of
from ..batch.job_store import JobStore
from ..batch.jobs import Job
from ..batch.runner import Runner
from ..batch.visits import Answer, Learn

logger = logging.getLogger(__name__)

SITES = "sites"  # folder of the learned site in the collection
STATE = "learning"  # name of the fact with the state of learning

FIRST_PAGES, GROWTH = 8, 4
"""Number of done pages at which the site is learned first, and the factor to the next time."""

MAX_PAGES = 40  # maximum number of pages to learn from, the latest ones: a worker's time is limited
WINDOW = 8  # number of the latest pages that show whether a site still matches

MIN_SHARE, LOST = 0.5, 1 / 3
"""Minimum share of pages that matched when the site was learned, for a loss to mean something, and
the part of this share below which the site has changed."""


@dataclass(frozen=True)
class LearnedNote:
    """What a crawl has learned."""

    file: Path  # of the site
    pages: int  # that it was learned from
    again: int  # earlier pages that are read again
    changed: bool  # whether the site was learned anew because it has changed


OnLearned = Callable[[LearnedNote], None]


@dataclass
class _State:
    """What is stored: number of pages done when the site was learned, and the share that matched;
    latest pages with whether each matches; and the place in the results where this site begins."""

    pages: int = 0
    share: float = 0.0
    latest: list[tuple[int, bool]] = field(default_factory=list)
    begin: int = 0

    @property
    def is_changed(self) -> bool:
        matches = sum(is_match for _, is_match in self.latest)
        is_full = len(self.latest) == WINDOW and self.share >= MIN_SHARE
        return is_full and matches < LOST * self.share * WINDOW


class Learning:
    """Learns the site of a crawl, and calls `on_learned` whenever it has."""

    def __init__(
        self, job_store: JobStore, runner: Runner, folder: Path, on_learned: OnLearned
    ) -> None:
        self._job_store = job_store
        self._runner = runner
        self._folder = folder
        self._on_learned = on_learned
        self._state = _State(**json.loads(job_store.fact(STATE) or "{}"))
        self._done = job_store.counts().done
        self._learning = False
        runner.reread(job_store.rereads())

    def note_done(self, job: Job, answer: Answer) -> None:
        """Take note of a page that is done, and learn the site if that is due."""
        state = self._state
        self._done += 1
        if answer.matches is not None:
            state.latest = [*state.latest, (job.id, answer.matches)][-WINDOW:]
            self._save()
        elif state.pages:
            # Its visit began before the site was learned.
            place = self._job_store.journals[RESULTS].length - len(answer.row)
            self._read_again([job], {job.id: place})
        if self._learning:
            return
        if state.is_changed:
            self._begin([page for page, _ in state.latest], changed=True)
        elif self._done >= max(FIRST_PAGES, GROWTH * state.pages):
            self._begin(None, changed=False)

    def _begin(self, latest: Sequence[int] | None, *, changed: bool) -> None:
        """Have a worker learn from the latest pages; of a changed site only from those given."""
        places = self._places()
        if latest is not None:
            self._state.begin = min(places.get(page, 0) for page in latest)
            places = self._places()
        chosen = sorted(places, key=places.__getitem__)[-MAX_PAGES:]
        urls = [job.url for job in self._job_store.done_jobs(chosen)]
        files = [file_of(self._folder, "snapshots", url, ".miolo") for url in urls]
        if not files:
            return
        url = urls[-1]
        sites = SiteFolder(self._folder / SITES)
        sites.path.mkdir(exist_ok=True)
        learn = Learn(url, tuple(files), sites.file(learned_name(url) or url))
        self._learning = True
        self._runner.start(self._learn(learn, changed=changed))

    async def _learn(self, learn: Learn, *, changed: bool) -> None:
        share = await self._runner.ask(learn)
        self._learning = False
        # A failure is not repeated before the crawl has grown again.
        self._state.pages, self._state.latest = self._done, []
        if isinstance(share, MioloError):
            logger.warning("the site was not learned: %s", share)
            self._save()
            return
        self._state.share = share
        self._save()
        places = self._places()
        again = self._job_store.done_jobs(places)
        self._read_again(again, places)
        self._job_store.commit()
        self._on_learned(LearnedNote(learn.file, len(learn.files), len(again), changed))

    def _read_again(self, jobs: Sequence[Job], places: Mapping[int, int]) -> None:
        self._job_store.note_rereads({job.id: places[job.id] for job in jobs})
        self._runner.reread(jobs)

    def _places(self) -> dict[int, int]:
        """Place of the row of each page since the site began."""
        self._job_store.commit()  # the results are read from the disk
        places = self._job_store.row_places()
        return {page: place for page, place in places.items() if place >= self._state.begin}

    def _save(self) -> None:
        self._job_store.note(STATE, json.dumps(asdict(self._state)))
