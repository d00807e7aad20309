"""Helpers that the modules of special pages share."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from newsroom.layouts import LAYOUTS
from newsroom.markup import Slots
from newsroom.page import Page, page_of
from newsroom.story import Story, load
from newsroom.web import Handler, page


@dataclass(frozen=True)
class Special:
    """A page of a kind whose article is hard to extract."""

    kind: str
    template: str
    handler: Handler
    unwanted: tuple[str, ...] = ()

    @property
    def page(self) -> Page:
        """The facts that tests compare."""
        return page_of(story(self.kind), path(self.kind), self.kind, self.template, self.unwanted)


@cache
def _stories() -> dict[str, Story]:
    return {each.slug: each for name in ("special", "languages") for each in load(name)}


def story(kind: str) -> Story:
    """The story that the special page of this kind prints."""
    return _stories()[kind]


def path(kind: str) -> str:
    """The address of the special page of this kind."""
    return f"/special/{kind}"


def special(
    kind: str,
    template: str,
    slots: Slots | Callable[[Story], Slots],
    unwanted: tuple[str, ...] = (),
) -> Special:
    """A special page: an ordinary page with content in its slots."""
    article = LAYOUTS[template].article

    def markup() -> str:
        printed = story(kind)
        return article(printed, slots if isinstance(slots, Slots) else slots(printed))

    return Special(kind, template, lambda request: page(markup()), unwanted)


def script(code: str) -> str:
    """An inline script."""
    return f"<script>\n{code}\n</script>"


def asset_script(name: str) -> str:
    """A script from the assets folder."""
    return f'<script src="/assets/{name}.js"></script>'


def style(rules: str) -> str:
    """An inline style sheet."""
    return f"<style>{rules}</style>"
