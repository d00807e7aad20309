"""Small pieces of HTML that all newspapers share."""

import datetime
import html
from collections.abc import Iterable
from dataclasses import dataclass

from .story import EMPHASIS, LINK


@dataclass(frozen=True)
class Slots:
    """The places where a special page adds to an ordinary page or replaces a part of it."""

    head: str = ""
    top: str = ""
    #: A column to the left of the article (only in the layout of divs).
    left: str = ""
    before: str = ""
    #: HTML in place of the headline and byline.
    heading: str | None = None
    #: HTML in place of the story's own body.
    body: str | None = None
    after: str = ""
    bottom: str = ""
    body_class: str = ""


PLAIN = Slots()


def esc(text: str) -> str:
    """Escape `text` for an HTML text or a quoted attribute."""
    return html.escape(text, quote=True)


def inline(text: str) -> str:
    """A content line as HTML, with links and emphasis."""
    linked = LINK.sub(r'<a href="\2">\1</a>', html.escape(text, quote=False))
    return EMPHASIS.sub(r"<em>\1</em>", linked)


def join(parts: Iterable[str]) -> str:
    """The parts, one on each line."""
    return "\n".join(parts)


def links(targets: Iterable[tuple[str, str]], item: str = "<li>{}</li>") -> str:
    """Anchors for (address, label) pairs, each inside `item`."""
    return join(item.format(f'<a href="{esc(url)}">{esc(label)}</a>') for url, label in targets)


def long_date(iso: str) -> str:
    """``2024-05-04`` as ``4 May 2024``."""
    day = datetime.date.fromisoformat(iso[:10])
    return f"{day.day} {day:%B %Y}"


def us_date(iso: str) -> str:
    """``2024-05-04`` as ``May 4, 2024``."""
    day = datetime.date.fromisoformat(iso[:10])
    return f"{day:%B} {day.day}, {day.year}"


def names(authors: tuple[str, ...]) -> str:
    """Authors as a byline lists them."""
    return " and ".join(filter(None, (", ".join(authors[:-1]), *authors[-1:])))
