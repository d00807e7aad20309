"""`describe`: collect the findings of all sources, and choose a value for each field."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache, cached_property
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...features.links import absolute_url
from ...features.unfilled import has_undrawn_rows
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
from .dates import iso_date, url_date
from .declared import declared_findings, precedence
from .evidence import Places, Value, author_values, date_values, title_values
from .finding import Finding, RoleText, Scene, tidy
from .names import author_names, credits_others, name_key, spelled
from .rendered import find_rendered
from .role_findings import kicker_sections, role_findings
from .site_names import choose_site_name, site_in_title
from .titles import title_texts, without_site
from .values import clean_section, clean_tags, is_placeholder

# A body shorter than this share of the declared length is truncated.
WHOLE = 0.6

# Shorter declared lengths are those of teasers.
SHORTEST = {"words": 100, "characters": 500}

MAX_CHARS_A_WORD = 15

# Every title is compared with each name.
MAX_SITE_NAMES = 20

# Length of a date without a time, such as 2023-12-20.
DAY_CHARS = 10

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


def describe(
    snapshot: Snapshot,
    *,
    title_node: int | None = None,
    kept: NDArray[np.bool_] | None = None,
    passages: Sequence[TemplateField] = (),
    blocks: Sequence[RoleText] = (),
    site_titles: DeclaredTitles | None = None,
    kind: str = "",
    posts: Sequence[Post] = (),
) -> Metadata:
    """Metadata of the article of a page, each field with its provenance.

    Parameters
    ----------
    snapshot
        The page.
    title_node
        Node of the headline, if the method found one. It is the strongest source of the title.
    kept
        bool, shape (n,): nodes of the body.
    passages
        Named fields of the site's wrapper.
    blocks
        The page's text blocks with their roles, if the method has roles.
    site_titles
        Titles that the pages of the site declare: its names, and the template of its titles.
    kind
        Kind of the page, such as ``"article"`` or ``"forum"``; empty if unknown.
    posts
        Posts of a thread.

    Notes
    -----
    Title, authors and date are the values that the rankers of `miolo.models.fields` find most
    probable; a field is empty if none reaches the ranker's bound. Other fields are those of the
    first usable source. If no date is chosen and ``htmldate`` is installed, what it
    finds is ranked, too.
    """
    more = {"passages": passages, "blocks": blocks, "site_titles": site_titles}
    more |= {"kind": kind, "posts": posts}
    return Description.of(snapshot, title_node, kept, **more).metadata


@dataclass(frozen=True, eq=False)
class Description:
    """The sources of a page's metadata, each of which is read once, when it is first needed.

    Attributes
    ----------
    scene
        The page with its headline and body.
    kept, passages, blocks, site_titles, kind, posts
        See `describe`.
    no_titles
        Texts that look like headlines but are on most pages of the site.
    """

    scene: Scene
    kept: NDArray[np.bool_] | None = None
    passages: Sequence[TemplateField] = ()
    blocks: Sequence[RoleText] = ()
    site_titles: DeclaredTitles | None = None
    no_titles: Sequence[str] = ()
    kind: str = ""
    posts: Sequence[Post] = ()

    @classmethod
    def of(
        cls, snapshot: Snapshot, title: int | None, kept: NDArray[np.bool_] | None, **more: Any
    ) -> Description:
        """The sources of a page, given its headline and its body; see `describe`."""
        return cls(_scene(snapshot, title, kept), kept, **more)

    @cached_property
    def metadata(self) -> Metadata:
        """The metadata; see `describe`."""
        findings, sites = self._findings, self._sites
        fields: dict[str, Any] = {}
        provenance: dict[str, str] = {}
        ranked, confidence = self._ranked
        for field, chosen in chain(
            _choices(self.scene, findings, sites, ranked),
            [("paywalled", self._paywalled), ("truncated", self._truncated)],
        ):
            if chosen is not None:
                fields[field], provenance[field] = chosen
        return Metadata(**fields, provenance=provenance, field_confidence=confidence)

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

    @cached_property
    def site_names(self) -> tuple[str, ...]:
        """Titles, and parts of titles, that many pages of the site declare."""
        return () if self.site_titles is None else self.site_titles.names()

    @cached_property
    def _findings(self) -> dict[str, list[Finding]]:
        """Findings by field, with the titles that many pages of the site declare."""
        findings = self._rank_findings()
        names = [
            Finding("site_name", (tidy(name),), "title shared by many pages")
            for name in self.site_names
        ]
        findings["site_name"] = [*findings.get("site_name", [])[:MAX_SITE_NAMES], *names]
        return findings

    @cached_property
    def _sites(self) -> list[str]:
        return _site_names(self.scene.snapshot, self._findings["site_name"])

    def candidates(self) -> dict[str, list[Value]]:
        """The values that the page offers for the ranked fields, with their features."""
        findings = self._rank_findings()
        sites = _site_names(self.scene.snapshot, findings.get("site_name", []))
        values = self._values(findings, [*sites, *self.site_names])
        return values | {"htmldate": self._of_htmldate(findings, sites)}

    def _values(
        self, findings: Mapping[str, Sequence[Finding]], sites: Sequence[str]
    ) -> dict[str, list[Value]]:
        scene = self.scene
        dates, changes = (_dates(scene, findings.get(each, ())) for each in ("date", "modified"))
        places = Places(scene, self.blocks, self.kind)
        declared = [finding.values[0] for finding in findings.get("site_name", ())]
        # The domain of a person's site is often that person's name.
        named = site_in_title(scene.snapshot.page.title, scene.headline, scene.snapshot.page.url)
        publication = (declared or list(sites)) + ([named] if named else [])
        names = name_sets(findings.get("authors", ()), publication)
        authors = {name_key(name) for each, _ in names for name in each}
        no_titles = (*sites, *self.no_titles)
        titles = [self._without_template(finding) for finding in findings.get("title", ())]
        signs = () if self.site_titles is None else self.site_titles.of_headings()
        texts = [*title_texts(scene, titles, no_titles, self.blocks, authors, signs)]
        # What most pages of the site declare is the title of its home page at most.
        of_site = {*map(name_key, self.site_names), *map(name_key, self.no_titles)}
        texts = [each for each in texts if name_key(each[0]) not in of_site] or texts
        return {
            "title": title_values(places, texts, no_titles),
            "authors": author_values(places, names, publication),
            "date": date_values(places, dates, [day for day, _ in changes]),
        }

    def _without_template(self, finding: Finding) -> Finding:
        """A declared title without what many pages of the site add to theirs."""
        if self.site_titles is None or finding.node >= 0:
            return finding
        declared = finding.values[0]
        title = self.site_titles.own_title(declared)
        # What is before a title may be a part of it, such as the name of a list.
        named = without_site(title, self.site_names)
        title = named if title.startswith(named) else title
        return replace(finding, values=(title,), whole=title == declared)

    @cached_property
    def _ranked(self) -> tuple[dict[str, Chosen], dict[str, float]]:
        """The most probable value of each ranked field with its source, and its probability."""
        findings, sites = self._findings, self._sites
        values = self._values(findings, sites)
        chosen: dict[str, Chosen] = dict.fromkeys(values)
        confidence: dict[str, float] = {}
        for field, each in values.items():
            best = _most_probable(field, each)
            if best is None and field == "date":
                best = _most_probable("date", self._of_htmldate(findings, sites))
            if best is not None:
                value, probability = best
                text = _written(self.scene, field, value, findings)
                chosen[field], confidence[field] = text, round(probability, 4)
        return chosen, confidence

    def _of_htmldate(
        self, findings: Mapping[str, Sequence[Finding]], sites: Sequence[str]
    ) -> list[Value]:
        """The day that only `htmldate` finds."""
        day = ask_htmldate(self.scene)
        if day is None:
            return []
        added = Finding("date", (day,), "htmldate")
        dates = [*findings.get("date", ()), added]
        values = self._values({"date": dates, "modified": findings.get("modified", [])}, sites)
        return [value for value in values["date"] if value.findings == [added]]

    @property
    def is_locked_or_cut(self) -> tuple[bool, bool]:
        """Whether the page declares a paywall, and a body that is longer than what it shows.

        Most of the other sources are not read for it.
        """
        return (
            self._paywalled is not None and self._paywalled[0] is True,
            self._truncated is not None and self._truncated[0] is True,
        )

    @cached_property
    def _paywalled(self) -> Chosen:
        free = _first(self._declared_of("free"), _requires_payment)
        return free or _first(self._declared_of("tier"), _is_locked)

    @cached_property
    def _truncated(self) -> Chosen:
        if self.kept is None:
            return None
        return _is_truncated(self.scene.snapshot, self.kept, self._declared_of("length"))

    def _declared_of(self, field: str) -> list[Finding]:
        """What the page declares for a field, the most specific source first."""
        findings = [finding for finding in self._declared if finding.field == field]
        return sorted(findings, key=precedence)

    @cached_property
    def _declared(self) -> list[Finding]:
        return list(declared_findings(self.scene))

    def _rank_findings(self) -> dict[str, list[Finding]]:
        """Findings by field, the most specific source first."""
        scene, snapshot = self.scene, self.scene.snapshot
        by_field: dict[str, list[Finding]] = {}
        for finding in chain(
            self._declared,
            role_findings(snapshot, self.blocks, scene.month_first),
            find_rendered(scene),
            kicker_sections(snapshot, self.blocks),
            _declared_passages(self.passages),
            _page_findings(scene),
            _first_post(self.posts),
        ):
            by_field.setdefault(finding.field, []).append(finding)
        for findings in by_field.values():
            findings.sort(key=precedence)
        return by_field


def _most_probable(field: str, values: Sequence[Value]) -> tuple[Value, float] | None:
    """The most probable value and its probability; None if no value reaches the bound."""
    ranker = shipped_rankers().rankers[field]
    if not values:
        return None
    probabilities = ranker.rank([value.row for value in values])
    best = int(np.argmax(probabilities))
    probability = float(probabilities[best])
    return (values[best], probability) if probability >= ranker.bound else None


def _written(
    scene: Scene, field: str, value: Value, findings: Mapping[str, Sequence[Finding]]
) -> tuple[object, str]:
    """A value as it is reported, and its source."""
    source = value.findings[0].source
    if field == "authors":
        others = (author_names(finding.values) for finding in findings.get("authors", ()))
        return spelled(value.value, chain.from_iterable(others)), source
    if field == "title":
        shown = (finding.source for finding in value.findings if finding.node >= 0)
        return value.value, next(shown, source)
    dates = _dates(scene, value.findings)
    # Several sources may give the same day, and only some of them the time.
    exact = next((pair for pair in dates if "T" in pair[0]), dates[0])
    return exact[0], exact[1].source


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


def _dates(scene: Scene, findings: Sequence[Finding]) -> list[tuple[str, Finding]]:
    time, month_first = scene.snapshot.page.time, scene.month_first
    pairs = ((iso_date(f.values[0], time, month_first=month_first), f) for f in findings)
    return [(day, finding) for day, finding in pairs if day]


def _scene(snapshot: Snapshot, title: int | None, kept: NDArray[np.bool_] | None) -> Scene:
    # Ancestors of the body may be kept too, up to the root.
    body = (kept & snapshot.is_text).nonzero()[0] if kept is not None else np.zeros(0, np.intp)
    n = len(snapshot)
    start, stop = (int(body[0]), int(body[-1]) + 1) if len(body) else (n, n)
    return Scene(snapshot, title, start, stop, body)


def _declared_passages(passages: Sequence[TemplateField]) -> Iterator[Finding]:
    for passage in passages:
        if passage.name in PASSAGES and passage.text:
            source = f"passage at {passage.place}"
            # Wrappers are learned from other pages of the site, and the rankers know none.
            field, group = PASSAGES[passage.name]
            yield Finding(field, (tidy(passage.text),), source, group)


def _page_findings(scene: Scene) -> Iterator[Finding]:
    page = scene.snapshot.page
    if page.title:
        yield Finding("title", (tidy(page.title),), "title element")
    if page.language:
        yield Finding("language", (page.language,), "html lang")
    day = url_date(page.url)
    if day:
        yield Finding("date", (day,), "address")


def _first_post(posts: Sequence[Post]) -> Iterator[Finding]:
    for post in posts[:1]:
        source = f"first post, node {post.node}"
        if post.author:
            yield Finding("authors", (post.author,), source)
        if post.date:
            yield Finding("date", (post.date,), source)


def _site_names(snapshot: Snapshot, findings: Sequence[Finding]) -> list[str]:
    names = [finding.values[0] for finding in findings]
    domain = site_of(snapshot.page.url)
    return names + ([domain, domain.split(".")[0]] if domain else [])


def _choices(
    scene: Scene,
    findings: dict[str, list[Finding]],
    sites: Sequence[str],
    ranked: Mapping[str, Chosen],
) -> Iterator[tuple[str, Chosen]]:
    page = scene.snapshot.page

    def first(field: str, clean: Callable[[Finding], object]) -> tuple[str, Chosen]:
        return field, _first(findings.get(field, ()), clean)

    def date_of(finding: Finding) -> str | None:
        return iso_date(finding.values[0], page.time, month_first=scene.month_first)

    def plain(finding: Finding) -> str:
        return finding.values[0]

    def link_of(finding: Finding) -> str | None:
        url = absolute_url(scene.snapshot, 0, finding.values[0])
        return url if url and url.startswith("http") else None

    def picture_of(finding: Finding) -> str | None:
        link = link_of(finding)
        return None if link is None or is_placeholder(link, page.url, sites) else link

    def section_of(finding: Finding) -> str | None:
        return clean_section(finding.values[0], headline, page.url, own)

    headline = str(ranked["title"][0]) if ranked["title"] else ""
    yield "title", ranked["title"]
    yield "authors", ranked["authors"]
    published = ranked["date"]
    yield "date", published
    modified = _first(findings.get("modified", ()), date_of)
    yield "modified", None if _is_before(modified, published) else modified
    declared = _first(findings.get("language", ()), _language)
    yield "language", _written_language(scene, declared)
    yield "declared_language", declared
    site = choose_site_name(scene.snapshot, headline, findings)
    own = [name for name in (site and str(site[0]), site_of(page.url)) if name]
    yield "site_name", site
    yield first("image", picture_of)
    yield first("tags", lambda finding: clean_tags(finding.values, headline, page.url))
    yield first("section", section_of)
    yield first("description", plain)
    yield "canonical_url", _first(findings.get("url", ()), link_of)


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
    for finding in findings:
        value = clean(finding)
        if value is not None and value != "" and value != ():
            return value, finding.source
    return None


def _language(finding: Finding) -> str:
    match = LANGUAGE.fullmatch(finding.values[0].strip())
    return match[0].replace("_", "-") if match else ""


def _written_language(scene: Scene, declared: Chosen) -> Chosen:
    """The language of the body, or the declared one if the body is too short to decide."""
    code = scene.languages.choose(str(declared[0]) if declared else "")
    return (code, "text") if code else declared


def _requires_payment(finding: Finding) -> bool | None:
    value = finding.values[0].lower()
    return False if value in YES else True if value in NO else None


def _is_locked(finding: Finding) -> bool | None:
    return {"locked": True, "free": False}.get(finding.values[0].lower())


def _is_truncated(
    snapshot: Snapshot, kept: NDArray[np.bool_], findings: Sequence[Finding]
) -> Chosen:
    """Whether rows are not drawn, or the body is shorter than the first plausible length."""
    if has_undrawn_rows(snapshot, kept):
        return True, "rows that are not drawn"
    for finding in findings:
        amount, unit = finding.values
        if not amount.isdecimal() or not SHORTEST[unit] <= int(amount[:9]):
            continue
        nodes = (kept & snapshot.is_text).nonzero()[0].tolist()
        text = collapse(" ".join([snapshot.text[node] for node in nodes]))
        size = len(text) if unit == "characters" else text.count(" ") + 1
        # A text without spaces has no words to count.
        if unit == "words" and len(text) > MAX_CHARS_A_WORD * size:
            continue
        return size < WHOLE * int(amount[:9]), finding.source
    return None


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
    """Whether the page writes a day in numbers that could also be another day."""
    year, month, of_month = day.split("-")
    if int(of_month) > 12 or month == of_month:
        return False
    written = (f"{month}/{of_month}/{year}", f"{of_month}/{month}/{year}")
    return any(each in text for text in snapshot.text for each in written)
