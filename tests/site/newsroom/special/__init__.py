"""Pages that are hard to extract, each with its ground truth."""

from newsroom.page import Page, page_of
from newsroom.web import Handler

from . import behaviours, frames, furniture, languages, scripted
from .base import path, story

_ALL = (
    *scripted.SPECIALS,
    *furniture.SPECIALS,
    *frames.SPECIALS,
    *languages.SPECIALS,
    *behaviours.SPECIALS,
)


def _pages() -> dict[str, Page]:
    page_by_kind = {special.kind: special.page for special in _ALL}
    for number in (2, 3):
        kind, target = f"paginated-{number}", f"{path('paginated')}?page={number}"
        page_by_kind[kind] = page_of(story(kind), target, kind, "semantic")
    return page_by_kind


PAGES = _pages()
HANDLERS: dict[str, Handler] = {
    **{path(special.kind): special.handler for special in _ALL},
    **scripted.HELPERS,
    **furniture.HELPERS,
    **frames.HELPERS,
    **behaviours.HELPERS,
}

__all__ = ["HANDLERS", "PAGES"]
