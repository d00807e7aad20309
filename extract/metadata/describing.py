"""`Description`: collects the findings of all sources, and chooses a value for each field."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache, cached_property
from itertools import chain

from ...features.links import absolute_url
from ...features.unfilled import has_undrawn_end
from ...features.unfold_buttons import whole_text_label
from ...features.words import collapse
from ...models.fields.ranker import shipped_rankers
from ...models.site_titles import DeclaredTitles
from ...output.extraction import Post, TemplateField
from ...output.metadata import Metadata
from ...patterns import lazy_re
from ...renderer.network.origins import site_of
from ...renderer.page.html_tags import cut_attributes
from ...renderer.page.markup import outer_html
from ...renderer.page.snapshot import Snapshot
from .bylines import shown_authors, shown_dates
from .dates import DAY_CHARS, url_date
from .declared import declared_findings, precedence
from .evidence import Places, Value, author_values, date_values, title_values
from .finding import Finding, Scene, tidy
from .names import author_names, credits_others, name_key, spelled
from .site_names import choose_site_name, site_in_title
from .titles import title_texts
from .values import clean_section, clean_tags, is_placeholder, kicker_sections

# A day in numbers, which may be the month or the day of the month first.
IN_NUMBERS = lazy_re(r"(?<!\d)(\d{1,2})/(\d{1,2})/(\d{4}|\d\d)(?!\d)")

# A body shorter than this share of the declared length is truncated.
WHOLE = 0.6

# Shorter declared lengths are those of teasers.
SHORTEST = {"words": 100, "characters": 500}

MAX_CHARS_A_WORD = 15

# Every title is compared with each name.
MAX_SITE_NAMES = 20

SHARED, FIRST_POST = "title shared by many pages", "first post"
LANGUAGE = lazy_re(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*")
YES = frozenset(("true", "yes", "1", "http://schema.org/true", "https://schema.org/true"))
NO = frozenset(("false", "no", "0", "http://schema.org/false", "https://schema.org/false"))
PASSAGES = {
    "author": ("authors", "byline"),
    "date": ("date", "dateline block"),
    "title": ("title", "h1 element"),
}
"""Fields of wrappers, each with its field and the source that its values are ranked as."""

Chosen = tuple[object, str] | None
"""The value of a field, and its source."""


@dataclass(frozen=True, eq=False)
class Description:
    """The metadata of a page, whose sources are read once, when they are first needed.

    Title, authors and date are the values that the rankers of `miolo.models.fields` find most
    probable; a field is empty if none reaches the ranker's bound. Other fields are those of the
    first usable source. If no date is chosen and ``htmldate`` is installed, what it finds is
    ranked, too.
    """

    scene: Scene
    passages: Sequence[TemplateField] = ()
    """Named fields of the site's wrapper."""
    site_titles: DeclaredTitles | None = None
    """Titles that the pages of the site declare: its names, and the template of its titles."""
    no_titles: Sequence[str] = ()
    """Texts that look like headlines but are on most pages of the site."""
    posts: Sequence[Post] = ()
    """Posts of a thread."""

    @cached_property
    def metadata(self) -> Metadata:
        """All fields, each with its provenance."""
        chosen = {name: each for name, each in self._chosen() if each is not None}
        return Metadata(
            **{name: value for name, (value, _) in chosen.items()},  # pyright: ignore[reportArgumentType]
            provenance={name: source for name, (_, source) in chosen.items()},
            field_confidence=self._ranked[1],
        )

    @property
    def title(self) -> str:
        """The title of the metadata, without the other fields."""
        chosen = self._ranked[0]["title"]
        return str(chosen[0]) if chosen else ""

    @property
    def date(self) -> str | None:
        """The date of the metadata, without the other fields."""
        chosen = self._ranked[0]["date"]
        return str(chosen[0]) if chosen else None

    @property
    def is_locked_or_cut(self) -> tuple[bool, bool]:
        """Whether the page declares a paywall, and a body that is longer than what it shows.

        Most of the other sources are not read for it.
        """
        locked, cut = self._paywalled, self._truncated
        return (locked is not None and locked[0] is True, cut is not None and cut[0] is True)

    @cached_property
    def values(self) -> dict[str, list[Value]]:
        """The values that the page offers for the ranked fields, with their features."""
        scene, places = self.scene, self._places
        declared = [finding.values[0] for finding in self._findings("site_name")]
        # The domain of a person's site is often that person's name.
        named = site_in_title(scene.snapshot.page.title, scene.headline, scene.snapshot.page.url)
        publication = (declared or self._sites) + ([named] if named else [])
        names = name_sets(self._findings("authors"), publication)
        no_titles = (*self._sites, *self.no_titles)
        titles = [self._without_template(finding) for finding in self._findings("title")]
        signs = () if self.site_titles is None else self.site_titles.of_headings()
        texts = [*title_texts(scene, titles, no_titles, signs)]
        # What most pages of the site declare is the title of its home page at most.
        of_site = {*map(name_key, self.site_names), *map(name_key, self.no_titles)}
        texts = [each for each in texts if name_key(each[0]) not in of_site] or texts
        return {
            "title": title_values(places, texts, no_titles),
            "authors": author_values(places, names, publication),
            "date": self._dates(),
        }

    @cached_property
    def site_names(self) -> tuple[str, ...]:
        """Titles, and parts of titles, that many pages of the site declare: names of the site."""
        return () if self.site_titles is None else self.site_titles.names()

    def _without_template(self, finding: Finding) -> Finding:
        """A declared title without what many pages of the site add to theirs."""
        if self.site_titles is None or finding.node >= 0:
            return finding
        declared = finding.values[0]
        title = self.site_titles.own_title(declared)
        return replace(finding, values=(title,), whole=title == declared)

    def htmldate_values(self) -> list[Value]:
        """The day that only `htmldate` finds; on a list, it is that of an entry."""
        day = None if self.scene.entries is not None else ask_htmldate(self.scene)
        found = [] if day is None else [Finding("date", (day,), "htmldate")]
        return [value for value in self._dates(found) if value.findings == found]

    def _dates(self, more: Sequence[Finding] = ()) -> list[Value]:
        changes = [day for day, _ in self.scene.dates(self._findings("modified"))]
        found = self.scene.dates([*self._findings("date"), *more])
        return date_values(self._places, found, changes)

    @cached_property
    def _places(self) -> Places:
        return Places(self.scene)

    @cached_property
    def _ranked(self) -> tuple[dict[str, Chosen], dict[str, float]]:
        """The most probable value of each ranked field with its source, and its probability."""
        chosen: dict[str, Chosen] = dict.fromkeys(self.values)
        confidence: dict[str, float] = {}
        for field, values in self.values.items():
            ranker = shipped_rankers().rankers[field]
            best = ranker.best([value.row for value in values])
            # Who began a thread, and when, is its author and its day, unless another is likely.
            opening = (n for n, value in enumerate(values) if _is_of_first_post(value))
            if best is None and (first := next(opening, None)) is not None:
                best = first, float(ranker.rank([values[first].row])[0])
            if best is None and field == "date":
                values = self.htmldate_values()
                best = ranker.best([value.row for value in values])
            if best is not None:
                chosen[field] = self._written(field, values[best[0]])
                confidence[field] = round(best[1], 4)
        return chosen, confidence

    def _written(self, field: str, value: Value) -> tuple[object, str]:
        """A value as it is reported, and its source."""
        source = value.findings[0].place
        if field == "authors":
            others = (author_names(finding.values) for finding in self._findings("authors"))
            return spelled(value.value, chain.from_iterable(others)), source
        if field == "title":
            shown = (finding.place for finding in value.findings if finding.node >= 0)
            return value.value, next(shown, source)
        dates = self.scene.dates(value.findings)
        # Several sources may give the same day, and only some of them the time.
        day, finding = next((pair for pair in dates if "T" in pair[0]), dates[0])
        return day, finding.place

    @cached_property
    def _sites(self) -> list[str]:
        """Names of the site: those declared, those in many titles, and the domain."""
        domain = site_of(self.scene.snapshot.page.url)
        names = [finding.values[0] for finding in self._findings("site_name")]
        return names + ([domain, domain.split(".")[0]] if domain else [])

    @cached_property
    def _declared(self) -> list[Finding]:
        return list(declared_findings(self.scene))

    @cached_property
    def _by_field(self) -> dict[str, list[Finding]]:
        by_field: dict[str, list[Finding]] = {}
        shown = (shown_authors(self.scene), shown_dates(self.scene), kicker_sections(self.scene))
        for finding in chain(self._declared, *shown, self._given()):
            if not self.scene.is_of_entry(finding.field, finding.node):
                by_field.setdefault(finding.field, []).append(finding)
        for findings in by_field.values():
            findings.sort(key=precedence)
        shared = [Finding("site_name", (tidy(name),), SHARED) for name in self.site_names]
        by_field["site_name"] = [*by_field.get("site_name", [])[:MAX_SITE_NAMES], *shared]
        return by_field

    def _findings(self, field: str) -> list[Finding]:
        """Findings of a field, the most specific source first."""
        return self._by_field.get(field, [])

    def _declared_of(self, field: str) -> list[Finding]:
        """What the page declares for a field, the most specific source first."""
        findings = [finding for finding in self._declared if finding.field == field]
        return sorted(findings, key=precedence)

    def _given(self) -> Iterator[Finding]:
        """Findings in the site's wrapper, the title element, the address and the first post."""
        for passage in self.passages:
            if passage.name in PASSAGES and passage.text:
                # Wrappers are learned from other pages of the site, and the rankers know none.
                field, group = PASSAGES[passage.name]
                source = f"passage at {passage.place}"
                yield Finding(field, (tidy(passage.text),), source, group=group)
        page = self.scene.snapshot.page
        if page.title:
            yield Finding("title", (tidy(page.title),), "title element")
        if page.language:
            yield Finding("language", (page.language,), "html lang")
        if day := url_date(page.url):
            yield Finding("date", (day,), "address")
        for post in self.posts[:1]:
            for field, value in (("authors", post.author), ("date", post.date)):
                if value:
                    yield Finding(field, (value,), FIRST_POST, post.node)

    def _chosen(self) -> Iterator[tuple[str, Chosen]]:
        """Each field with its value and its source."""
        scene, page, ranked = self.scene, self.scene.snapshot.page, self._ranked[0]
        headline, published = self.title, ranked["date"]

        def first(field: str, clean: Callable[[Finding], object]) -> Chosen:
            return _first(self._findings(field), clean)

        def link_of(finding: Finding) -> str | None:
            url = absolute_url(scene.snapshot, 0, finding.values[0])
            return url if url and url.startswith("http") else None

        def picture_of(finding: Finding) -> str | None:
            link = link_of(finding)
            return None if link is None or is_placeholder(link, page.url, self._sites) else link

        yield from ranked.items()
        modified = first(
            "modified", lambda each: next((day for day, _ in scene.dates([each])), None)
        )
        yield "modified", None if _is_before(modified, published) else modified
        declared = first("language", _language)
        code = scene.languages.choose(str(declared[0]) if declared else "")
        yield "language", (code, "text") if code else declared
        yield "declared_language", declared
        site = choose_site_name(scene.snapshot, headline, self._by_field)
        own = [name for name in (site and str(site[0]), site_of(page.url)) if name]
        yield "site_name", site
        yield "image", first("image", picture_of)
        yield "tags", first("tags", lambda each: clean_tags(each.values, headline, page.url))
        yield (
            "section",
            first("section", lambda each: clean_section(each.values[0], headline, page.url, own)),
        )
        yield "description", first("description", lambda each: each.values[0])
        yield "canonical_url", first("url", link_of)
        yield "paywalled", self._paywalled
        yield "truncated", self._truncated

    @cached_property
    def _paywalled(self) -> Chosen:
        free = _first(self._declared_of("free"), _requires_payment)
        return free or _first(self._declared_of("tier"), _is_locked)

    @cached_property
    def _truncated(self) -> Chosen:
        """Whether an end is not drawn, all of the text has another address, or the body is shorter
        than the first plausible length.
        """
        snapshot, kept = self.scene.snapshot, self.scene.kept
        if kept is None:
            return None
        if has_undrawn_end(snapshot, kept):
            return True, "an end that is not drawn"
        body = self.scene.body
        if len(body) and whole_text_label(snapshot, int(snapshot.parent[body[-1]])):
            return True, "a link to the whole text"
        for finding in self._declared_of("length"):
            amount, unit = finding.values
            if not amount.isdecimal() or not SHORTEST[unit] <= int(amount[:9]):
                continue
            text = collapse(" ".join([snapshot.text[node] for node in body.tolist()]))
            size = len(text) if unit == "characters" else text.count(" ") + 1
            # A text without spaces has no words to count.
            if unit == "characters" or len(text) <= MAX_CHARS_A_WORD * size:
                return size < WHOLE * int(amount[:9]), finding.place
        return None


def name_sets(
    findings: Sequence[Finding], publication: Sequence[str]
) -> list[tuple[tuple[str, ...], Finding]]:
    """The names that each finding gives.

    Those of the publication are left out, unless a finding gives no others.
    """
    # Most sources give the same names.
    names_of = cache(lambda values, barred: author_names(values, barred))
    barred = tuple(publication)
    credited = [v for finding in findings for v in finding.values if credits_others(v)]
    sets: list[tuple[tuple[str, ...], Finding]] = []
    for finding in findings:
        names = names_of(finding.values, barred) or names_of(finding.values, ())
        authors = tuple(name for name in names if not any(name in value for value in credited))
        sets += [(each, finding) for each in dict.fromkeys((names, authors)) if each]
    return sets


def _is_of_first_post(value: Value) -> bool:
    return any(finding.source == FIRST_POST for finding in value.findings)


def _is_before(one: Chosen, other: Chosen) -> bool:
    """Whether a date is before another: by time if both have a time zone, or else by day."""
    if one is None or other is None:
        return False
    dates = str(one[0]), str(other[0])
    times = [datetime.fromisoformat(date) for date in dates]
    if all(time.tzinfo for time in times):
        return times[0] < times[1]
    return dates[0][:DAY_CHARS] < dates[1][:DAY_CHARS]


def _first(findings: Iterable[Finding], clean: Callable[[Finding], object]) -> Chosen:
    values = ((clean(finding), finding.place) for finding in findings)
    return next((pair for pair in values if pair[0] not in (None, "", ())), None)


def _language(finding: Finding) -> str:
    match = LANGUAGE.fullmatch(finding.values[0].strip())
    return match[0].replace("_", "-") if match else ""


def _requires_payment(finding: Finding) -> bool | None:
    value = finding.values[0].lower()
    return False if value in YES else True if value in NO else None


def _is_locked(finding: Finding) -> bool | None:
    return {"locked": True, "free": False}.get(finding.values[0].lower())


# `htmldate` parses the markup again, which takes about 30 ms. It is not used for larger pages.
MAX_NODES = 10_000
MAX_DEPTH = 250
DIGITS = lazy_re(r"\d\d")


def ask_htmldate(scene: Scene) -> str | None:
    """Day of publication according to `htmldate`; None if it is not installed or finds none."""
    snapshot = scene.snapshot
    if len(snapshot) > MAX_NODES or snapshot.depth.max(initial=0) > MAX_DEPTH:
        return None
    # Every date that it reads has two digits in a row.
    if not any(map(DIGITS.search, chain(snapshot.text, snapshot.attributes.strings))):
        return None
    try:
        from htmldate import find_date
    except ImportError:
        return None
    # Its warnings quote the page, whose content does not belong in a log.
    logging.getLogger("htmldate").setLevel(logging.CRITICAL)
    latest = snapshot.page.time[:10] or None
    # Its parser takes time quadratic in the number of attributes of an element.
    markup = cut_attributes(outer_html(snapshot, 0).encode("utf-8", "replace")).decode()
    try:
        # The extensive search reads the year of a copyright notice as its first of January.
        day = find_date(markup, extensive_search=False, original_date=True, max_date=latest)
    except (ValueError, TypeError, RecursionError):
        return None
    return None if day is None or _is_ambiguous(snapshot, day) else day


def _is_ambiguous(snapshot: Snapshot, day: str) -> bool:
    """Whether the page shows or declares a day in numbers that could also be another day."""
    year, month, of_month = map(int, day.split("-"))
    if of_month > 12 or month == of_month:
        return False
    texts = chain(snapshot.text, (content for _, content in snapshot.page.meta))
    written = (match for text in texts if "/" in text for match in IN_NUMBERS.finditer(text))
    return any(
        {int(match[1]), int(match[2])} == {month, of_month} and int(match[3]) in (year, year % 100)
        for match in written
    )
