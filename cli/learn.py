"""`miolo learn` and `drift`: what the pages of a site have in common."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, cast

import typer

from ..errors import EmptyInputError
from ..patterns import lazy_re
from .choice_options import argument, choice, existing_file, option, written_file
from .console import counted, print_note, print_rows, progress
from .render_options import QUIET
from .shared_options import element_labels

if TYPE_CHECKING:
    from ..collect.collections.collection import Collection
    from ..features.page_tree import Labels
    from ..models.site import Site
    from ..models.wrappers.clusters import Linkage
    from ..models.wrappers.wrappers import WrapperOptions
    from ..renderer.page.snapshot import Snapshot

LEAST_PAGES = 3  # minimum number of pages of a site that is learned from a collection of several

# Selectors of the elements around everything, also with classes.
WHOLE_PAGE = lazy_re(r"(?:html|body)(?![\w-])")

MAX_TRIED = 20  # maximum number of pages that are tried for a picture of the site

SITE_FOLDER = argument(
    ..., "DIR", "Snapshots of one site's pages, or a collection.", exists=True, file_okay=False
)
DOMAIN = option(None, "Use only pages of this registrable domain, if the folder has several.")


def learn(
    folder: Path = SITE_FOLDER,
    output: Path = written_file("Site file to write.", "--output", "-o", default="site.json"),
    similarity: float = option(
        0.8, "Minimum similarity of pages that share a template.", min=0, max=1
    ),
    linkage: str = choice(
        "average",
        ("average", "complete", "single"),
        "How the similarity of two clusters is defined.",
    ),
    literal: bool = option(
        False, "Merge, select and name by the dissertation's rules.", "--literal"
    ),
    labels: str = option(
        "classes,tags",
        "Labels of elements, separated by commas: classes, tags, looks.",
        callback=element_labels,
    ),
    max_pages: int = option(200, "Maximum number of pages to learn from; 0 for all.", min=0),
    domain: str | None = DOMAIN,
    sites: Path | None = option(
        None,
        "Folder for the files of all sites of the collection, in place of --output.",
        "--sites",
        file_okay=False,
    ),
    quiet: bool = QUIET,
) -> None:
    """Learn a site from saved pages, and draw what was learned on one."""
    from ..models.wrappers.wrappers import WrapperOptions

    kinds = cast("tuple[Labels, ...]", tuple(labels.split(",")))
    options = WrapperOptions(similarity, cast("Linkage", linkage), kinds, literal)
    if sites is None:
        _learn(single_site_pages(folder, domain), output, options, max_pages)
    elif domain is not None:
        raise typer.BadParameter("--domain is for one site, and --sites for all")
    else:
        learn_folder(folder, sites, options, max_pages)


def drift(
    folder: Path = argument(
        ..., "DIR", "Snapshots of further pages, or a collection.", exists=True, file_okay=False
    ),
    site: Path = existing_file("Site file written by `miolo learn`.", "--site", default=...),
    domain: str | None = DOMAIN,
    quiet: bool = QUIET,
) -> None:
    """Count the further pages that match a site's patterns, and note it in the site file."""
    from ..models.site import Site

    learned = Site.load(site)
    pages = single_site_pages(folder, domain).snapshots()
    matches = [learned.match(page) is not None for _, page in pages]
    learned = learned.with_outcomes(matches)
    learned.save(site)
    print_rows(f"{sum(matches)} of {len(matches)} pages match a pattern")
    if matches and not any(matches):
        print_note("learn the site anew if these are its pages, which it has redesigned then")
    _print_share(learned)


def learn_folder(folder: Path, sites: Path, options: WrapperOptions, max_pages: int) -> None:
    """Learn every site of a collection that has several pages, into a folder of site files."""
    from ..collect.collections.collection import Collection
    from ..models.site_folder import SiteFolder

    collection, files = Collection(folder, log=print_note), SiteFolder(sites)
    known = collection.sites()
    if unknown := known.pop("", 0):
        print_note(
            f"{counted(unknown, 'page')} without an address, as of damaged files, not learned"
        )
    large = [name for name, pages in known.items() if pages >= LEAST_PAGES]
    if not large:
        raise EmptyInputError(f"no site has {LEAST_PAGES} pages or more in {folder}")
    sites.mkdir(parents=True, exist_ok=True)
    for name in large:
        _learn(collection.of_site(name), files.file(name), options, max_pages)
    if left := len(known) - len(large):
        print_note(f"{counted(left, 'site')} with fewer than {LEAST_PAGES} pages not learned")


def _learn(collection: Collection, output: Path, options: WrapperOptions, max_pages: int) -> None:
    """Learn one site, and print what was learned."""
    from ..extract.learn_site import learn_site

    total = sum(collection.sites().values())
    with progress("pages", min(total, max_pages or total)) as advance:

        def pages() -> Iterator[Snapshot]:
            for _, page in collection.snapshots():
                yield page
                advance()

        site = learn_site(pages(), options, max_pages=max_pages or None)
    site.save(output)
    for line in site_lines(site, output):
        print_note(line)
    _draw_site(collection, site, output.with_suffix(".png"))
    _print_share(site)


def _draw_site(collection: Collection, site: Site, output: Path) -> None:
    """Draw what was learned on a page that has a screenshot, preferably an article of the largest
    template.
    """
    from ..collect.batch.files import screenshot_of, with_screenshot
    from ..debug.pictures.canvas import screenshot_if_any
    from ..debug.pictures.learned import learned_screenshot
    from ..features.blocks import article_blocks
    from ..models.kinds.model import kind_of

    sizes = {url: len(wrapper.urls) for wrapper in site.wrappers for url in wrapper.urls}

    def use(page: Snapshot) -> tuple[bool, int]:
        return kind_of(article_blocks(page)).is_article, sizes.get(page.page.url, 0)

    shown = (
        with_screenshot(page, screenshot_of(collection.path, page.page.url))
        for _, page in islice(collection.snapshots(), MAX_TRIED)
    )
    pages = (page for page in shown if screenshot_if_any(page) is not None)
    page = max(pages, key=use, default=None)
    if page is None:
        print_note("no picture of the learned parts: the pages have no screenshots (--screenshots)")
        return
    output.write_bytes(learned_screenshot(site, page, output.stem))
    print_note(f"picture of {page.page.url} with the learned parts written to {output}")


def site_lines(site: Site, output: Path) -> Iterator[str]:
    """What was learned of a site: its parts, each with its number of pages."""
    from ..extract.methods.method import TITLES
    from ..models.article.article_site import ArticleSite
    from ..models.site_titles import DeclaredTitles

    sizes = {wrapper.template: len(wrapper.urls) for wrapper in site.wrappers}
    of = ", ".join(map(str, sizes.values())) or "none"
    templates = f"{counted(len(sizes), 'template')} (pages: {of})"
    yield (
        f"{counted(len(site.level), 'distinct page')}, {templates}, "
        f"{counted(len(site.alone), 'page')} without a template; written to {output}"
    )
    if articles := site.part("auto", ArticleSite):
        for selector, pages, fit in articles.elements.chosen:
            of = f"the text of {counted(pages, 'page')}"
            if WHOLE_PAGE.match(selector):
                yield f"no element holds {of} alone: they mix it with menus"
            else:
                yield f"{selector} holds {of} (F1 {fit:.2f} by words)"
        if repeated := articles.blocks.repeated_texts:
            yield f"{counted(repeated, 'text')} on at least half of the pages, as of menus"
    titles = site.part(TITLES, DeclaredTitles)
    if titles and (names := titles.names()):
        yield f"pages declare the name of the site as their title or in it: {names[0]}"
    yield f"`miolo inspect {output}` shows the templates"


def single_site_pages(folder: Path, domain: str | None) -> Collection:
    """A folder's pages, limited to one site if a domain is given."""
    from ..collect.collections.collection import Collection

    collection = Collection(folder, log=print_note).of_site(domain)
    sites = {name: pages for name, pages in collection.sites().items() if name}
    if len(sites) > 1:
        most = ", ".join(f"{name} ({pages})" for name, pages in list(sites.items())[:3])
        print_note(
            f"pages of {len(sites)} domains are treated as one site: {most}; use --domain to "
            "select one"
        )
    return collection


def _print_share(site: Site) -> None:
    share = site.accepted_share
    if share is not None:
        print_note(
            f"patterns matched {share:.0%} of the last {counted(len(site.recent), 'page')} when "
            "they were first seen"
        )
