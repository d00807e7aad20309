"""How each newspaper lays out its pages."""

from collections.abc import Callable
from typing import NamedTuple

from newsroom.markup import Slots
from newsroom.story import Story

from . import divsoup, semantic, tables


class Layout(NamedTuple):
    """The two kinds of pages a newspaper has."""

    article: Callable[[Story, Slots], str]
    index: Callable[[str, tuple[Story, ...]], str]


LAYOUTS = {
    "semantic": Layout(semantic.article, semantic.index),
    "divsoup": Layout(divsoup.article, divsoup.index),
    "tables": Layout(tables.article, tables.index),
}
