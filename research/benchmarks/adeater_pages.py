"""Labelled images for the study of advertisements, from named ones and from the local site.

Pages of `pages/` are read without a browser, since they were saved without style sheets and images.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import miolo
import numpy as np
from corpus import OFFLINE, ROOT, unpack
from miolo.renderer.network.origins import site_of
from miolo_research.adeater.images import page_images
from miolo_research.adeater.training import LabelledImages

SETS = ("blogs2012", "news2023", "publishers", "wcxb")

NAMED = frozenset(
    "ad ads adblock adbox adcontainer adserver adslot adspace adspot adunit advert adverts"
    " advertise advertisement advertisements advertising adwrap adwrapper adzone"
    " sponsor sponsors".split()
)
"""Words of a class or id that name an advertisement."""

NOT_ADS = frozenset(
    "after before below blocked blocker body category close entry has header info is label layout"
    " link manager menu moments nav no page post product sense skin tag with without".split()
)
"""Words that rule out an advertisement when they occur beside one of `NAMED`: for classes of the
page, entries about advertising, and `AdSense`, whose advertisements are scripts and whose images
are edit marks."""

NEAR = (f"{OFFLINE[0]}, EXCLUDE localhost",)
"""Switches that allow the local site's other host, which serves its advertisements."""

LEVELS = 5  # number of ancestors of an image whose names count
SMALLEST = 20  # px; smaller images inside an advertisement are its marks and close buttons

MOST = 40  # advertisements on a page; a page with more is a directory of advertisers

CANONICAL = re.compile(
    rb'(?:rel=["\']canonical["\'][^>]*?href|property=["\']og:url["\'][^>]*?content)'
    rb'\s*=\s*["\'](http[^"\']+)'
)
ABSOLUTE = re.compile(rb'href\s*=\s*["\'](https?://[^"\'/]+/?)')

Sites = dict[str, list[LabelledImages]]


def labelled_sites(data: Path, cache: Path) -> Sites:
    """Linked images of pages that name an advertisement, by site; each image once per site."""
    sites: Sites = defaultdict(list)
    for name in SETS:
        folder = unpack(data / "pages" / f"{name}.tar.xz", cache)
        for file in sorted(folder.glob("*.html")):
            source = file.read_bytes()
            # Half of the time would be spent on parsing pages that name no advertisement.
            if not re.search(rb"\bad|sponsor|Ad[A-Z]|_ad", source):
                continue
            url = json.loads(file.with_suffix(".json").read_text("utf-8")).get("url")
            snapshot = miolo.Snapshot.from_html(source, url=url or address_of(source))
            page = label_images(snapshot)
            if 0 < page.ad.sum() <= MOST:
                site = site_of(snapshot.page.url) or file.stem
                sites[site].append(replace(page, site=site))
    return {name: without_repeats(pages) for name, pages in sorted(sites.items())}


def address_of(source: bytes) -> str:
    """Address of a page saved without one: the declared one, or the host it links to most."""
    match = CANONICAL.search(source)
    addresses = (
        [match[1]]
        if match
        else [url for url, _ in Counter(ABSOLUTE.findall(source)).most_common(1)]
    )
    url = addresses[0].decode("ascii", "replace") if addresses else "about:blank"
    return url if site_of(url) else "about:blank"


def label_images(snapshot: miolo.Snapshot) -> LabelledImages:
    """Linked images of a page, labelled by the names in its markup."""
    images = page_images(snapshot)
    names = [ad_name(snapshot, node) for node in images.nodes.tolist()]
    sizes = images.numbers[:, :2]
    small = ((sizes >= 0) & (sizes < SMALLEST)).any(axis=1)
    named = np.array(names, bool)
    kept = (images.links >= 0) & ~(named & small)
    return LabelledImages(images.take(kept), named[kept])


def ad_name(snapshot: miolo.Snapshot, image: int) -> bool:
    """Whether a class or id of an image, or of a near ancestor, names an advertisement."""
    get = snapshot.attributes.get
    for node in (image, *snapshot.ancestors(image)[:LEVELS]):
        if snapshot.tag_name(node) in ("body", "html"):
            return False
        attributes = f"{get(node, 'class') or ''} {get(node, 'id') or ''}"
        if any(map(names_ad, attributes.split())):
            return True
    return False


def names_ad(name: str) -> bool:
    """Whether a class name or id names an advertisement.

    Names with letters after digits, such as `6ad62c5` and `hQ1Ad`, are machine-generated.
    """
    if re.search(r"\d(?!x\d)[A-Za-z]", re.sub(r"\d+x\d+", "", name)):
        return False
    words = set(re.findall(r"[a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", "-", name).lower()))
    return bool(words & NAMED) and not words & NOT_ADS


def without_repeats(pages: Iterable[LabelledImages]) -> list[LabelledImages]:
    """Keep each image with its link once, since a site's header is on all its pages."""
    seen: set[frozenset[str]] = set()
    kept = []
    for page in pages:
        new = []
        for place, phrases in enumerate(page.images.phrases):
            phrase_set = frozenset(p for p in phrases if not p.startswith("page:"))
            if phrase_set not in seen:
                seen.add(phrase_set)
                new.append(place)
        chosen = np.array(new, np.int64)
        kept.append(replace(page, images=page.images.take(chosen), ad=page.ad[chosen]))
    return kept


def local_pages() -> list[LabelledImages]:
    """The local site's pages with advertisements, rendered and labelled by its own attribute."""
    sys.path[:0] = [str(ROOT / "tests" / "site"), str(ROOT / "research" / "tests")]
    import adverts
    from newsroom import NewsSite

    async def render_site(site: NewsSite) -> list[miolo.Snapshot]:
        options = miolo.RenderOptions(egress=miolo.EgressPolicy("named"))
        async with miolo.Renderer(options, switches=NEAR) as renderer:
            return [await renderer.render(site.url(path)) for path in adverts.PATHS]

    pages = []
    with NewsSite() as site:
        for snapshot in asyncio.run(render_site(site)):
            images = page_images(snapshot)
            images = images.take(images.links >= 0)
            label = [snapshot.attributes.get(n, adverts.LABEL) for n in images.nodes.tolist()]
            pages.append(LabelledImages(images, np.array([v == adverts.AD for v in label], bool)))
    return pages
