"""The page that answers each address."""

from collections.abc import Iterator
from pathlib import Path

from . import hostile, special
from .hostile.responses import not_found
from .layouts import LAYOUTS
from .markup import PLAIN, esc, join
from .page import Page, page_of
from .paper import PAPERS, Paper
from .pictures import png, svg
from .web import Handler, Reply, Request, page

ASSETS = Path(__file__).parent / "assets"
KINDS = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8"}


def _pages(paper: Paper) -> tuple[Page, ...]:
    return tuple(
        page_of(story, paper.path(story), story.slug, paper.template) for story in paper.stories
    )


PAGES = special.PAGES
ROUTES = hostile.ROUTES
ARTICLES = {name: _pages(paper) for name, paper in PAPERS.items()}


def _paper_handlers(paper: Paper) -> Iterator[tuple[str, Handler]]:
    layout = LAYOUTS[paper.template]
    yield paper.home, lambda request: page(layout.index("Today's stories", paper.stories))
    for name in paper.sections:
        stories = tuple(story for story in paper.stories if story.section == name)
        index = layout.index(name, stories)
        yield paper.section_path(name), lambda request, index=index: page(index)
    for story in paper.stories:
        yield paper.path(story), lambda request, story=story: page(layout.article(story, PLAIN))


def addresses() -> list[tuple[str, str]]:
    """The kind and path of every page that is worth a visit."""
    fronts = [(paper.name, paper.home) for paper in PAPERS.values()]
    return [*fronts, *((kind, each.path) for kind, each in PAGES.items()), *ROUTES.items()]


def _directory(request: Request) -> Reply:
    entries = join(f'<li><a href="{esc(url)}">{esc(kind)}</a></li>' for kind, url in addresses())
    return page(f"<!doctype html><title>All pages</title><h1>All pages</h1><ul>{entries}</ul>")


HANDLERS: dict[str, Handler] = {
    "/": _directory,
    "/favicon.ico": lambda request: Reply(png("icon", 32, 32), kind="image/png"),
    **special.HANDLERS,
    **hostile.HANDLERS,
}
for _paper in PAPERS.values():
    HANDLERS.update(_paper_handlers(_paper))
# A route with its own handler, such as the slow style sheet, takes precedence over a file.
for _file in ASSETS.iterdir():
    _reply = Reply(_file.read_bytes(), kind=KINDS[_file.suffix])
    HANDLERS.setdefault(f"/assets/{_file.name}", lambda request, reply=_reply: reply)


def _picture(request: Request) -> Reply:
    match request.path.strip("/").split("/"):
        case ["thumbs", name]:
            return Reply(png(name), kind="image/png")
        case ["pictures", _, name]:
            return Reply(svg(name), kind="image/svg+xml")
        case _:
            return not_found(request)


def answer(request: Request) -> Reply:
    """The reply to a request."""
    return HANDLERS.get(request.path, _picture)(request)
