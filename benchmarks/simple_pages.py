"""Simple pages for training: blocks of labelled pages in a plain layout, some with filler text.

People try an extractor on pages with a heading and five paragraphs, often of the same filler text.
No such page is among the labelled ones, where similar short texts are almost always menus. Lists in
equally plain layouts are the counterexamples for the kind of a page.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from random import Random

import miolo
from miolo.models.article.samples import LabelledPage, PageTruth, label_page

__all__ = ["SET", "simple_list", "simple_markup", "simple_page"]

SET = "simple"
"""Name of the set of these pages."""

Blocks = Sequence[tuple[str, str]]
"""Pairs (letter of the role, text); see `miolo.models.article.roles.LETTERS`."""

PARAGRAPH, TITLE, BOILERPLATE = "B", "T", "."
HEAD = "TKSYD"
"""Letters of roles before the text, in the order in which they are laid out."""

BODY = "BHLQG"
FURTHER = "OF."
"""Letters of roles that surround the article."""

MAX_PARAGRAPHS = 40
MAX_FURTHER = 12
LONGEST = 2000

WORDS = (
    "a ac ad aliqua aliquip amet anim aute cillum commodo consectetur consequat culpa cupidatat "
    "deserunt do dolor dolore duis ea eiusmod elit enim erat esse est et eu ex excepteur fugiat id "
    "in incididunt ipsum irure labore laboris laborum lorem magna minim mollit nisi non nostrud "
    "nulla occaecat officia pariatur proident qui quis reprehenderit sed sint sit sunt tempor "
    "ullamco ut velit veniam voluptate"
).split()
OPENING = "Lorem ipsum dolor sit amet, consectetur adipiscing elit"
LIST_NAMES = ("Archive", "News", "Latest posts", "Blog", "All articles", "Category: sport")
CLASSES = ("content", "post", "entry", "main", "text", "container", "wrapper", "body", "page", "")


def simple_page(page: LabelledPage, blocks: Blocks, rng: Random) -> LabelledPage | None:
    """A simple page made of the texts of a labelled page; None if that has no paragraph.

    Parameters
    ----------
    page
        The labelled page; the new page has the same group.
    blocks
        Its labelled blocks.
    rng
        Source of the layout and of the filler text.
    """
    laid_out, markup = simple_markup(blocks, rng)
    if not markup:
        return None
    snapshot = miolo.Snapshot.from_html(markup)
    return label_page(snapshot, PageTruth(laid_out), set=SET, id=page.id, group=page.group)


def simple_markup(blocks: Blocks, rng: Random) -> tuple[Blocks, str]:
    """Blocks and HTML of a simple page of some of the blocks; both are empty without paragraphs."""
    chosen = _chosen_blocks(blocks, rng)
    if not any(letter == PARAGRAPH for letter, _ in chosen):
        return (), ""
    return _lay_out(chosen, rng)


def simple_list(pages: Sequence[Blocks], rng: Random) -> str:
    """HTML of a list of articles: a link for each, in some lists with its date and first texts.

    Parameters
    ----------
    pages
        Labelled blocks of the listed articles; those without a title are left out. The blocks that
        surround the first article surround the list.
    rng
        Source of the layout.
    """
    letters = [TITLE, *(letter for letter in "DY" if rng.random() < 0.5)]
    paragraphs = rng.choice([0, 0, 1, 1, 3])
    longest = rng.choice([100, 200, 600])
    start = _start(("li", "li", "div", "article", "section"), rng)
    heading, other = rng.choice(["h2", "h3", "p", "span"]), rng.choice(["div", "p", "span"])
    entries = ""
    for number, page in enumerate(map(_usable, pages)):
        head = [_first(page, letter) for letter in letters]
        if head[0] is None:
            continue
        link = f'<a href="/{number}">{escape(head[0][1])}</a>'
        body = [pair for pair in page if pair[0] in (PARAGRAPH, "S")][:paragraphs]
        texts = [text[:longest] for _, text in (*filter(None, head[1:]), *body)]
        texts = [_element(other, text) for text in texts]
        entries += _within(start, "".join([f"<{heading}>{link}</{heading}>", *texts]))
    name = rng.choice(LIST_NAMES)
    title = [] if rng.random() < 0.3 else [_element(rng.choice(["h1", "h2"]), name)]
    body = "".join([*title, f"<ul>{entries}</ul>" if start.startswith("<li") else entries])
    further = _further(_usable(pages[0]), rng)
    return _document([name], _surround(body, further, rng.randrange(len(further) + 1), rng))


def _usable(blocks: Blocks) -> list[tuple[str, str]]:
    """The blocks in a single line each, of limited length."""
    return [(letter, " ".join(text.split())[:LONGEST]) for letter, text in blocks]


def _first(blocks: Blocks, letter: str) -> tuple[str, str] | None:
    return next((pair for pair in blocks if pair[0] == letter), None)


def _further(blocks: Blocks, rng: Random) -> list[tuple[str, str]]:
    """Some of the short blocks around an article."""
    further = [pair for pair in blocks if pair[0] in FURTHER and len(pair[1]) < 200]
    rng.shuffle(further)
    return further[: rng.randrange(MAX_FURTHER)]


def _chosen_blocks(blocks: Blocks, rng: Random) -> list[tuple[str, str]]:
    """Some of the blocks in the order of the new page, at random with filler paragraphs."""
    usable = _usable(blocks)
    head = [_first(usable, letter) for letter in HEAD if letter == TITLE or rng.random() < 0.4]
    count = round(2 ** rng.uniform(1, 5.3))
    body = [pair for pair in usable if pair[0] in BODY][: min(count, MAX_PARAGRAPHS)]
    if rng.random() < 0.7:
        body = [pair for pair in body if pair[0] == PARAGRAPH]
    if body and rng.random() < 0.7:
        fill = _filler([text for letter, text in body if letter == PARAGRAPH] or [OPENING], rng)
        body = [
            (x, fill(number) if x == PARAGRAPH else text) for number, (x, text) in enumerate(body)
        ]
    return [*filter(None, head), *body, *_further(usable, rng)]


def _filler(paragraphs: Sequence[str], rng: Random) -> Callable[[int], str]:
    """Function from a paragraph's number to its filler text; the texts are alike or repeat."""
    source: list[str] = rng.choice(
        [
            [rng.choice(paragraphs)],
            [OPENING + ". " + _latin(rng, 50)],
            [OPENING + "."],
            [_latin(rng, rng.randrange(4, 30)) for _ in range(rng.randrange(1, 6))],
            list(paragraphs[: rng.randrange(1, 5)]),
        ]
    )
    lengths = rng.choice([4, 8, 16, 1000])
    source = [" ".join(text.split()[:lengths]) for text in source]
    pattern = rng.choice(["{text}", "{text}", "{number} {text}", "{text} {number}.", "{text}"])
    return lambda number: pattern.format(text=source[number % len(source)], number=number + 1)


def _latin(rng: Random, count: int) -> str:
    return " ".join(rng.choices(WORDS, k=count)).capitalize() + "."


def _lay_out(blocks: Blocks, rng: Random) -> tuple[Blocks, str]:
    """The blocks in the order of a page in one of the usual layouts, and its markup."""
    article = [pair for pair in blocks if pair[0] not in FURTHER]
    others = [pair for pair in blocks if pair[0] in FURTHER]
    cut = rng.randrange(len(others) + 1)
    names = _element_names(rng)
    body = "\n".join(_element(names[letter], text) for letter, text in article)
    for _ in range(rng.randrange(3)):
        body = _within(_start(("article", "main", "div", "section"), rng), body)
    body = _surround(body, others, cut, rng)
    titles = [text for letter, text in article if letter == TITLE and rng.random() < 0.8]
    return [*others[:cut], *article, *others[cut:]], _document(titles, body)


def _surround(body: str, others: Blocks, cut: int, rng: Random) -> str:
    """The other blocks up to `cut` before the body, and the rest after it."""
    before = _links(others[:cut], ("nav", "header", "div"), rng)
    return before + body + _links(others[cut:], ("footer", "aside", "div"), rng)


def _document(titles: Sequence[str], body: str) -> str:
    declared = "".join(_element("title", text) for text in titles)
    return f"<!doctype html><html><head>{declared}</head><body>{body}</body></html>"


def _element_names(rng: Random) -> dict[str, str]:
    """Name of the element of each role."""
    paragraph = rng.choices(["p", "div", "section"], [6, 2, 1])[0]
    names = dict.fromkeys((*HEAD, *BODY), paragraph)
    names[TITLE] = rng.choices(["h1", "h2", "div"], [6, 1, 1])[0]
    return names | {"H": rng.choice(["h2", "h3"]), "L": "li", "G": "pre", "Q": "blockquote"}


def _start(names: Sequence[str], rng: Random) -> str:
    """A start tag, often with a class."""
    name, kind = rng.choice(names), rng.choice(CLASSES)
    return f'<{name} class="{kind}">' if kind and rng.random() < 0.6 else f"<{name}>"


def _element(name: str, text: str) -> str:
    return f"<{name}>{escape(text)}</{name}>"


def _within(start: str, body: str) -> str:
    name = start[1:-1].split()[0]
    return f"{start}\n{body}\n</{name}>\n"


def _links(blocks: Blocks, names: Sequence[str], rng: Random) -> str:
    """Blocks as links of a list, or as lines; the empty string without blocks."""
    if not blocks:
        return ""
    linked, element = rng.random() < 0.7, rng.choice(["li", "p", "div"])
    lines = [
        f'<{element}><a href="/{number}">{escape(text)}</a></{element}>'
        if linked
        else _element(element, text)
        for number, (_, text) in enumerate(blocks)
    ]
    body = "".join(lines)
    return _within(_start(names, rng), f"<ul>{body}</ul>" if element == "li" else body)
