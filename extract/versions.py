"""`extract_fullest`: the fullest version of a page's article that is honest.

A page has up to three versions: as it was captured, as its server sent it, and in its data. The
first is read. Where its result is doubtful, the others are read, too, and used if they hold more of
the same article.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from html import unescape
from itertools import islice
from urllib.parse import unquote, urljoin

from ..errors import PageWarning
from ..features.unfold_buttons import unfold_label
from ..features.words import collapse, count_words, words
from ..models.article.decision import LEAST
from ..models.kinds.blocked import BLOCKED
from ..models.kinds.model import ARTICLE, FORUM, LISTING
from ..output.body import parse_body
from ..output.extraction import Block, Extraction
from ..output.metadata import Deferred, Metadata, known
from ..patterns import lazy_re
from ..renderer.network.origins import origin_of
from ..renderer.page.button_words import MAX_LABEL
from ..renderer.page.snapshot import Snapshot
from .page_data import DataProse, prose_in_data, snapshot_of_prose

AS_SERVED_INSTEAD = "as-served-instead"
FROM_DATA = "from-data"
NEEDS_BROWSER = "needs-browser"
"""Codes of the warnings: which version the text is from, and that no version has an article."""

Read = Callable[[Snapshot], Extraction]

FEW_WORDS = 60
"""A text of fewer words may be anything that a page shows beside its article."""

WHOLE_WORDS = 400
"""A text of more words behind a declared paywall, or before a button, need not be cut."""

GAIN = 1.25
"""Another version is used if it has this many times the words of the page's text."""

MIN_GAIN = 25
"""It must also have this many words more."""

CONTAINED = 0.8
"""Minimum share of a page's text that another version of the same article contains."""

LONG = 80
"""Minimum number of characters of a text that can be a paragraph."""

TITLE_SHARE = 0.5
"""Minimum share of a title's words that occur in its article."""

MAX_RUNS, MAX_KEYS, WINDOW, MAX_CHARS_A_WORD = 5, 5, 2000, 12
"""Places at which a text is looked up in the data, and characters that are read after each, with
those for each word that a longer text must have more."""

FURNITURE_WORDS = 40
"""Maximum number of words of a text that may be nothing but a box beside a missing article."""

UNLIKELY = 0.1
"""Confidence below which so short a text is nothing but such a box."""

UNSURE, SURE = 0.5, 0.8
"""Confidence below which a list may be what scripts added to an article, and least confidence in
that article as the server sent it."""

MAX_URL = 200
"""Number of characters of an address that a warning names."""

AT_ONCE = 10
"""Maximum number of seconds after which a page sends its readers to another."""

FRAMES = ("iframe", "frame")

NO_BOX = (0.0, 0.0, 0.0, 0.0)

REFRESH = lazy_re(
    r"\s{0,9}(\d{1,4})[.\d]{0,9}\s{0,9}[;,]\s{0,9}url\s{0,9}=\s{0,9}[\"']?([^\"'\s]+)", re.I
)
# Scripts do not hold long texts between tags.
TEXT_RUN = lazy_re(r">([^<>]{80,5000})<")
SCRIPTS = lazy_re(r"<(?i:(script|style)\b[^>]*+>(?:[^<]++|<(?!/\1))*+)")
PLAIN_RUN = lazy_re(r"[^\W_][\w ,]{24,40}")
ESCAPED = lazy_re(r"\\u([0-9a-fA-F]{4})")
PROSE_RUN = lazy_re(r"(?:[^\W\d_]++|[ ,.;:!?'’-]++|\\u[0-9a-fA-F]{4})++")
SENTENCE_END = lazy_re(r"(?<=[.!?…])\s+|(?<=[。！？])")
PARTS = lazy_re(r"(?<!\s)\s++[|–—·:»-]\s+|\|")


def extract_fullest(
    snapshot: Snapshot, read: Read, *, restore: bool = True, is_whole: bool = True
) -> Extraction:
    """Extract the article from the fullest honest version of a page.

    It is that of the page as captured, unless this is doubtful (blocked, without text, with little,
    declared to be cut) or lacks text that another version has, and that version holds prose that
    agrees with the page's title or contains what the page shows. Then a warning and the provenance
    of the text say which version it is from. Other versions are read if `restore`, from the page's
    ``served``. If the text has not all roles of a body (`is_whole`), its few words may be what is
    asked for.
    """
    shown = read(snapshot)
    if not restore or not snapshot.served:
        # Nobody asks for them any more, and their source refers to the page.
        return replace(shown, deferred_limits=known((False, False)))
    page = _Page(snapshot, shown)
    best = _as_served(page, read) or shown
    best = _from_data(page, best, read) or best
    return _without_furniture(page) if best is shown and is_whole else best


@dataclass(frozen=True, eq=False)
class _Page:
    """A page with what was extracted from it as captured."""

    snapshot: Snapshot
    shown: Extraction

    @cached_property
    def size(self) -> int:
        """Number of words of the text."""
        return count_words(self.shown.text)

    @property
    def has_little(self) -> bool:
        """Whether the text need not be of the article."""
        return self.size < FEW_WORDS or self.shown.kind == BLOCKED

    @property
    def is_doubtful(self) -> bool:
        """Whether the page itself indicates that its article is missing or cut."""
        if self.has_little:
            return True
        is_locked, is_cut = self.shown.deferred_limits.value
        return is_cut or (is_locked and self.size < WHOLE_WORDS)

    @property
    def may_be_grown(self) -> bool:
        """Whether its scripts may have added so many entries that it looks like a list."""
        return self.shown.kind == LISTING and (self.shown.confidence or 0) < UNSURE

    @property
    def is_unlikely(self) -> bool:
        """Whether the text is most certainly not the article."""
        return self.shown.confidence is not None and self.shown.confidence < UNLIKELY

    def prose(self, having: str = "") -> list[DataProse]:
        """Prose in the data that may be a fuller article, the longest first."""
        found = prose_in_data(self.snapshot.served, having, self.min_words)
        return [each for each in found if not each.is_beside]

    @cached_property
    def data(self) -> list[DataProse]:
        """The same in all scripts."""
        return self.prose()

    @property
    def min_words(self) -> int:
        """Minimum number of words of a text that is clearly longer."""
        return int(max(GAIN * self.size, self.size + MIN_GAIN, FEW_WORDS))

    def is_gain(self, size: int) -> bool:
        """Whether a text of so many words is clearly longer."""
        return size >= self.min_words

    def is_contained(self, text: str) -> bool:
        """Whether most of the page's text is part of another text."""
        kept = [_letters(block.text) for block in self.shown.blocks if block.kept]
        found = _letters(text)
        total = sum(map(len, kept))
        return total > 0 and sum(len(each) for each in kept if each in found) >= CONTAINED * total

    def message(self, source: str) -> str:
        """The message of a warning that the text is from another version."""
        shows = f"{self.size:,} of its words" if self.size else "none of it"
        return f"the text is from {source}; the page as captured shows {shows}"

    def restored(self, other: Extraction, source: str, warning: PageWarning) -> Extraction:
        """Another version's article in place of the page's own."""
        return replace(
            other,
            url=self.shown.url,
            blocks=_on_page(self.shown.blocks, other.blocks),
            scores=self.shown.scores,
            reason=self.shown.reason,
            reasons=self.shown.reasons,
            marks={},
            passages=(),
            records=self.shown.records,
            deferred_metadata=Deferred(
                lambda: self._metadata(other.metadata, source), title=lambda: other.title
            ),
            warnings=(*other.warnings, warning),
        )

    def _metadata(self, other: Metadata, source: str) -> Metadata:
        """The metadata of another version, which may not declare the paywall."""
        paywalled = self.shown.paywalled if other.paywalled is None else other.paywalled
        provenance = {**other.provenance, "text": source}
        return replace(other, paywalled=paywalled, provenance=provenance)


def _letters(text: str) -> str:
    return "".join(words(text)).casefold()


def _as_served(page: _Page, read: Read) -> Extraction | None:
    """The article as the server sent it, if it has more than the captured page."""
    snapshot = page.snapshot
    if not snapshot.page.has_geometry:
        return None
    missing = sum(map(count_words, _missing_texts(snapshot)))
    least = FEW_WORDS if page.is_doubtful else max(FEW_WORDS, (GAIN - 1) * page.size)
    # What scripts add may also hide the article from the reader, so its text need not be missing.
    has_prose = (page.has_little or page.may_be_grown) and _has_prose(snapshot.served)
    if missing < least and not has_prose:
        return None
    facts = snapshot.page
    served = Snapshot.from_html(snapshot.served, url=facts.url)
    own = replace(
        served.page,
        requested_url=facts.requested_url,
        status=facts.status,
        time=facts.time,
        warnings=facts.warnings,
    )
    other = read(replace(served, page=own))
    source, size = "the page as its server sent it", count_words(other.text)
    is_sure = other.kind == ARTICLE and (other.confidence or 0) >= SURE and size >= FEW_WORDS
    if page.may_be_grown and is_sure:
        message = f"the text is from {source}, to which its scripts added a list"
        return page.restored(other, source, PageWarning(AS_SERVED_INSTEAD, message))
    if not page.is_gain(size) or other.kind not in (ARTICLE, FORUM):
        return None
    if not page.has_little and not page.is_contained(other.text):
        return None
    return page.restored(other, source, PageWarning(AS_SERVED_INSTEAD, page.message(source)))


def _has_prose(served: str) -> bool:
    """Whether the elements of a page as served have as many words as an article."""
    runs = TEXT_RUN.finditer(SCRIPTS.sub("<", served))
    return sum(count_words(run[1]) for run in islice(runs, 200)) >= FEW_WORDS


def _missing_texts(snapshot: Snapshot) -> Iterator[str]:
    """Long texts of the page as served that the captured page does not have."""
    own = {collapse(text) for text in snapshot.text if len(text) >= LONG}
    for run in TEXT_RUN.finditer(SCRIPTS.sub("<", snapshot.served)):
        text = collapse(unescape(run[1]))
        if text not in own and text:
            own.add(text)
            yield text


def _from_data(page: _Page, best: Extraction, read: Read) -> Extraction | None:
    """The article in the page's data, if it has more than the best of the other versions."""
    snapshot = page.snapshot
    # A fuller article contains what the page shows, unless that is too little to compare.
    having = "" if page.has_little else _continued_in_data(snapshot.served, page)
    if not page.has_little and not having:
        return None
    if best is not page.shown and not page.is_gain(count_words(best.text)):
        return None
    chosen = _choose(page, page.prose(having) if having else page.data)
    if chosen is None:
        return None
    # Sentences that it repeats count once.
    size = sum(map(count_words, set(SENTENCE_END.split(chosen.text))))
    if size < GAIN * count_words(best.text):
        return None
    other = read(snapshot_of_prose(chosen, snapshot.page, page.shown.title))
    if not page.is_gain(count_words(other.text)):
        return None
    source = f"the page's data, {chosen.place[:200]}"
    return page.restored(other, source, PageWarning(FROM_DATA, page.message(source)))


def _continued_in_data(served: str, page: _Page) -> str:
    """A run of the text in a script that goes on with more prose; empty if there is none.

    It is that of the end of the text; on a page that is cut, whose end may be a notice, of others.
    """
    kept = (block.text for block in reversed(page.shown.blocks) if block.kept)
    runs = filter(None, (PLAIN_RUN.search(text) for text in islice(kept, 20)))
    missing = page.min_words - page.size
    for number, run in enumerate(islice(runs, MAX_RUNS)):
        text = run[0].strip()
        for key in dict.fromkeys((text, text.encode("ascii", "backslashreplace").decode())):
            for end in _ends_in_scripts(served, key):
                if number and not page.is_doubtful:
                    return ""
                following = served[end : end + WINDOW + MAX_CHARS_A_WORD * missing]
                if _has_more(following, page.shown.text, missing):
                    return key
    return ""


def _ends_in_scripts(served: str, key: str) -> Iterator[int]:
    """Where a text ends at the first few places that are in a script."""
    place = -1
    for _ in range(MAX_KEYS):
        place = served.find(key, place + 1)
        if place < 0:
            return
        opened = served.rfind("<script", 0, place)
        if opened >= 0 and served.find("</script", opened, place) < 0:
            yield place + len(key)


def _has_more(following: str, text: str, missing: int) -> bool:
    """Whether what follows in a script has so many words of prose that are not in the text."""
    program = following.partition("</script")[0]
    found = filter(_is_long, PROSE_RUN.findall(program))
    # The first run is the rest of the sentence.
    runs = [ESCAPED.sub(lambda code: chr(int(code[1], 16)), run) for run in found][1:]
    known = _letters(text)
    return sum(count_words(run) for run in runs if _letters(run)[:40] not in known) >= missing / 2


def _is_long(run: str) -> bool:
    return len(run) >= LONG and len(ESCAPED.sub("-", run)) >= LONG


def _choose(page: _Page, candidates: Sequence[DataProse]) -> DataProse | None:
    """The longest prose that is certainly the article of the page."""
    if not page.has_little:
        return next((each for each in candidates if page.is_contained(each.text)), None)
    agreement = partial(_agreement, page)
    best = max(candidates, key=lambda each: (agreement(each), each.words), default=None)
    if best is None:
        return None
    if agreement(best):
        return best
    # A page that has only the title of its site does not say which story it shows.
    rivals = [each for each in candidates if 2 * each.words > best.words]
    return best if len(rivals) == 1 and best.title and not best.is_entry else None


def _agreement(page: _Page, prose: DataProse) -> int:
    """How strongly prose agrees with the page, 0 for not at all."""
    names = {_letters(name) for name in prose.names} - {""}
    facts = page.snapshot.page
    if page.size >= MIN_GAIN and page.is_contained(prose.text):
        return 4
    titles = list(_titles(page))
    keys = {_letters(title) for title in titles} - {""}
    own = _letters(prose.title)
    if own and any(own == key or (len(own) > 12 and own in key) for key in keys):
        return 3
    text = prose.text
    letters = _letters(text)
    if any(len(key) > 12 and key in letters for key in keys):
        return 3
    segments = re.split(r"[/?&=#]", unquote(facts.url))[3:]
    if names & {_letters(segment) for segment in segments if len(segment) > 1}:
        return 2
    description = _letters(facts.meta_value("og:description", "description") or "")[:60]
    if len(description) > 30 and description in letters:
        return 2
    of_text = {_stem(word) for word in words(text)}
    return int(any(_share(title, of_text) >= TITLE_SHARE for title in titles))


def _titles(page: _Page) -> Iterator[str]:
    """Titles that the page has, each also without what may be the name of the site."""
    facts = page.snapshot.page
    for title in (facts.meta_value("og:title", "twitter:title"), page.shown.title, facts.title):
        if title:
            yield title
            yield from (part for part in PARTS.split(title) if part != title)


def _stem(word: str) -> str:
    return word.casefold()[:5]


def _share(title: str, of_text: set[str]) -> float:
    """Share of the longer words of a title that a text has; 0 for a title of few words."""
    stems = [_stem(word) for word in words(title) if len(word) > 3 or not word.isascii()]
    return sum(stem in of_text for stem in stems) / len(stems) if len(stems) > 2 else 0.0


def _without_furniture(page: _Page) -> Extraction:
    """The result, without text if all that it has is a box beside a missing article."""
    shown, snapshot = page.shown, page.snapshot
    if not snapshot.page.has_geometry and (url := _sends_away(snapshot)):
        message = (
            f"the page sends its readers to {url[:MAX_URL]}: render it in a browser, or read that"
        )
        return replace(shown, warnings=(*shown.warnings, PageWarning(NEEDS_BROWSER, message)))
    if page.size >= FURNITURE_WORDS:
        return _with_cut(page)
    kept = [block for block in shown.blocks if block.kept]
    # The few words of a product or a list are its own, and so are those of a page whose article
    # nothing could bring.
    is_unlikely = page.is_unlikely and shown.kind in (ARTICLE, FORUM) and _has_programs(snapshot)
    is_unlikely |= bool(kept) and _is_beside(snapshot, [block.node for block in kept])
    is_unfinished = _is_unfinished(snapshot)
    if not (is_unlikely or is_unfinished):
        return _with_cut(page)
    is_furniture = is_unlikely or all(block.score < LEAST for block in kept)
    if not is_furniture and snapshot.page.has_geometry:
        return shown
    warnings = shown.warnings
    if is_unfinished and not snapshot.page.has_geometry:
        place = f" (its data have {page.data[0].words:,} words more)" if page.data else ""
        message = (
            f"the page as served has no article, or only its beginning{place}, and scripts or"
            " frames would bring it: render the page in a browser"
        )
        warnings += (PageWarning(NEEDS_BROWSER, message),)
    elif kept:
        warnings += (PageWarning("no-content", "no block looks like article text"),)
    if not is_furniture:
        return replace(shown, warnings=warnings)
    blocks = tuple(
        replace(block, kept=False, role="boilerplate") if block.kept else block
        for block in shown.blocks
    )
    return replace(
        shown,
        body=parse_body("", shown.url),
        blocks=blocks,
        posts=(),
        warnings=warnings,
        deferred_confidence=known(0.0),
    )


def _is_beside(snapshot: Snapshot, nodes: Sequence[int]) -> bool:
    """Whether a page declares where its main content stands, and none of the nodes is there."""
    main = snapshot.in_tag("main", "article")
    return bool(main.any()) and not main[list(nodes)].any()


def _sends_away(snapshot: Snapshot) -> str:
    """The address to which the page itself sends its readers at once; empty if it does not."""
    scriptless = snapshot.in_tag("noscript")
    for node, value in snapshot.attributes.with_attribute("http-equiv"):
        refresh = REFRESH.match(snapshot.attributes.get(node, "content") or "")
        if value.strip().lower() != "refresh" or not refresh or scriptless[node]:
            continue
        with contextlib.suppress(ValueError):
            url = urljoin(snapshot.page.url, refresh[2])
            if int(refresh[1]) <= AT_ONCE and url != snapshot.page.url:
                return url
    return ""


def _with_cut(page: _Page) -> Extraction:
    """The result, with a warning if a button or a frame has more of a page without its scripts."""
    shown, snapshot = page.shown, page.snapshot
    if snapshot.page.has_geometry or page.size >= WHOLE_WORDS:
        return shown
    # The button may be taken for the last text itself.
    texts = (block for block in shown.blocks if block.kept and len(block.text) > MAX_LABEL)
    nodes = [block.node for block in texts]
    label = unfold_label(snapshot, max(nodes)) if nodes else ""
    frame = _own_frame(snapshot, nodes) if nodes and not label else ""
    if not (label or frame):
        return shown
    rest = f"{label!r} would show the rest" if label else f"a frame among it shows {frame}"
    message = (
        f"the page as served may have only the beginning of its article: {rest}: render the page"
        " in a browser"
    )
    return replace(shown, warnings=(*shown.warnings, PageWarning(NEEDS_BROWSER, message)))


def _own_frame(snapshot: Snapshot, nodes: Sequence[int]) -> str:
    """The address of a frame of the page's own origin beside some of its nodes; empty if none."""
    around = min(nodes)
    while snapshot.end[around] <= max(nodes):
        around = int(snapshot.parent[around])
    url = snapshot.page.url
    for node, source in snapshot.attributes.with_attribute("src"):
        if around < node < snapshot.end[around] and snapshot.tag_name(node) in FRAMES:
            with contextlib.suppress(ValueError):
                address = urljoin(url, source)
                if origin_of(address) == origin_of(url) is not None and snapshot.visible[node]:
                    return address[:MAX_URL]
    return ""


def _is_unfinished(snapshot: Snapshot) -> bool:
    """Whether scripts or frames could still bring an article."""
    is_rendered = snapshot.page.has_geometry and not snapshot.page.pending
    return not is_rendered and _has_programs(snapshot)


def _has_programs(snapshot: Snapshot) -> bool:
    """Whether a page has scripts or frames."""
    types = dict(snapshot.attributes.with_attribute("type"))
    scripts = snapshot.with_tag("script").nonzero()[0].tolist()
    has_script = any("json" not in types.get(script, "").lower() for script in scripts)
    return has_script or bool(snapshot.with_tag(*FRAMES).any())


def _on_page(shown: tuple[Block, ...], other: tuple[Block, ...]) -> tuple[Block, ...]:
    """Blocks of another version: those that the page has with their nodes and boxes there.

    The page's other blocks follow as boilerplate.
    """
    places: dict[str, list[int]] = {}
    for number, block in enumerate(shown):
        places.setdefault(block.text, []).append(number)
    reason = {"code": 0, "reasons": ("the text is from another version of the page",)}
    blocks, used = [], set()
    for block in other:
        number = next((n for n in places.get(block.text, ()) if n not in used), None)
        if number is None:
            if block.kept:
                blocks.append(replace(block, node=-1, box=NO_BOX, evidence=()))
            continue
        used.add(number)
        own = shown[number]
        blocks.append(replace(block, node=own.node, box=own.box, evidence=()))
    rest = [
        replace(block, kept=False, role="boilerplate", evidence=(), **reason)
        for number, block in enumerate(shown)
        if number not in used
    ]
    return (*blocks, *rest)
