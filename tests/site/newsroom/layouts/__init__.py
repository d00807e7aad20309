"""How each newspaper lays out its pages."""

from collections.abc import Callable
from typing import NamedTuple

from newsroom.markup import Slots
from newsroom.story import Story

from . import divsoup, semantic, tables

Article = Callable[[Story, Slots], str]


class Layout(NamedTuple):
    """The three kinds of pages a newspaper has."""

    article: Article
    front: Callable[[], str]
    section: Callable[[str], str]


LAYOUTS = {
    "semantic": Layout(semantic.article, semantic.front, semantic.section),
    "divsoup": Layout(divsoup.article, divsoup.front, divsoup.section),
    "tables": Layout(tables.article, tables.front, tables.section),
}

__all__ = ["LAYOUTS", "Article", "Layout"]
