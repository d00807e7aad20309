"""Simple pages for training: blocks of labelled pages in a plain layout, some with filler text.

People try an extractor on pages with a heading and five paragraphs, often of the same filler text.
No such page is among the labelled ones, where similar short texts are almost always menus. Some of
the pages have short lists, tables, facts and cards of their own, a style sheet, and teasers of
other stories beside, between or below their texts.
Lists in equally plain layouts are the counterexamples for the kind of a page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from html import escape
from itertools import groupby
from pathlib import Path
from random import Random

from miolo.collect.labels.label_files import PageRoles
from miolo.evaluate.case import Case

__all__ = ["Blocks", "one_line", "simple_list", "simple_markup", "write_page", "write_simple_pages"]

SET = "composed"
"""Name of the set of these pages."""

Blocks = Sequence[tuple[str, str]]
"""Pairs (letter of the role, text); see `miolo.models.article.roles.LETTERS`."""

PARAGRAPH, TITLE, SUBHEADING, RELATED = "B", "T", "H", "O"
HEAD = "TKSYD"
"""Letters of roles before the text, in the order in which they are laid out."""

BODY = "BHLQG"
FURTHER = "OF."
"""Letters of roles that surround the article."""

MAX_PARAGRAPHS = 40
MAX_FURTHER = 12
MAX_TEASERS = 6
MAX_ENTRIES = 12
LISTINGS, BARE = 0.12, 0.3
"""Shares of the pages that list other pages, and of those with hardly more than a paragraph."""

LONGEST = 2000
LONGEST_HEADING = 40
SHORT = 100
"""Number of characters of a paragraph below which its text is repeated in a bare page."""

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


def write_simple_pages(cases: Sequence[Case], folder: Path, count: int, seed: int) -> list[Case]:
    """Write simple pages made of the texts of some labelled pages, and return their cases.

    Parameters
    ----------
    cases
        The labelled pages, whose groups the new pages have. A page that is drawn and has no
        paragraph gives none.
    folder
        Folder of the HTML and of the snapshots, which do not exist yet.
    count
        Number of pages to draw.
    seed
        Of the random numbers.
    """
    rng = Random(seed)
    blocks_of = {case: case.labels.blocks for case in cases if case.labels is not None}
    sources, made = list(blocks_of), list[Case]()
    folder.mkdir(parents=True, exist_ok=True)
    for case in rng.sample(sources, min(count, len(sources))):
        alike = [other for other in sources if other.set == case.set]
        others = [blocks_of[other] for other in rng.sample(alike, min(MAX_ENTRIES, len(alike)))]
        make = rng.choices(
            [listing_markup, bare_markup, simple_markup], [LISTINGS, BARE, 1 - LISTINGS - BARE]
        )[0]
        laid_out, markup = make(blocks_of[case], rng, others)
        if markup:
            path = folder / f"{seed}-{case.set}-{case.id}"
            made.append(write_page(case, SET, path, laid_out, markup))
    return made


def write_page(case: Case, name: str, path: Path, blocks: Blocks, markup: str) -> Case:
    """Write a page of the set `name` that is made of a labelled one; `path` has no suffix."""
    source = path.with_name(f"{path.name}.html")
    source.write_text(markup, encoding="utf-8")
    labels = PageRoles(path.name, "", "", tuple(blocks))
    saved = source.with_suffix(".miolo")
    return Case(path.name, name, case.group, "", "", source, saved, labels=labels)


def simple_markup(blocks: Blocks, rng: Random, others: Sequence[Blocks] = ()) -> tuple[Blocks, str]:
    """Blocks and HTML of a simple page of some of the blocks; both are empty without paragraphs.

    Many pages have short structures made of words of their paragraphs. With the blocks of other
    pages, many have teasers of these, and most a style sheet.
    """
    chosen = _chosen_blocks(blocks, rng)
    if not any(letter == PARAGRAPH for letter, _ in chosen):
        return (), ""
    own = Structures(blocks, rng).sections() if rng.random() < 0.6 else ((), "")
    if not others or rng.random() < 0.2:
        return _lay_out(chosen, rng, own)
    teasers = _teasers([one_line(each) for each in others], rng) if rng.random() < 0.7 else ((), "")
    return _lay_out(chosen, rng, own, teasers, _styles(rng))


def bare_markup(blocks: Blocks, rng: Random, _: Sequence[Blocks] = ()) -> tuple[Blocks, str]:
    """Blocks and HTML of one to three paragraphs, most of them filler; empty without paragraphs."""
    usable = one_line(blocks)
    texts = [text for letter, text in usable if letter == PARAGRAPH][: rng.randrange(1, 4)]
    if not texts:
        return (), ""
    title = _first(usable, TITLE) if rng.random() < 0.5 else None
    fill = _filler(texts, rng) if rng.random() < 0.6 else texts.__getitem__
    body = [fill(number) for number in range(len(texts))]
    if len(body) == 1 and len(body[0]) < SHORT:
        body = [" ".join(body * rng.randrange(3, 30))]
    name = rng.choices(["p", "div"], [5, 1])[0]
    link = " ".join(body[-1].split()[:2]) if rng.random() < 0.4 else ""
    parts = [_element(name, text) for text in body]
    if link:
        parts[-1] = _within(f"<{name}>", f'{escape(body[-1])} <a href="b">{escape(link)}</a>')
        body[-1] += f" {link}"
    heading = [title] if title else []
    parts = [*(_element("h1", text) for _, text in heading), *parts]
    declared = [text for _, text in heading if rng.random() < 0.7]
    return [*heading, *((PARAGRAPH, text) for text in body)], _document(declared, "".join(parts))


def listing_markup(blocks: Blocks, rng: Random, others: Sequence[Blocks]) -> tuple[Blocks, str]:
    """Blocks and HTML of a list of other pages, below one of the names that such lists have."""
    entries, markup = _entries([one_line(each) for each in others], rng)
    letters = {TITLE: SUBHEADING, "S": PARAGRAPH}
    own = [(letters.get(letter, letter), text) for letter, text in entries]
    head = [(TITLE, rng.choice(LIST_NAMES))]
    return _lay_out(
        [*head, *_further(one_line(blocks), rng)], rng, (own, markup), styles=_styles(rng)
    )


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
    for number, page in enumerate(map(one_line, pages)):
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
    further = _further(one_line(pages[0]), rng)
    return _document([name], _surround(body, further, rng.randrange(len(further) + 1), rng))


def one_line(blocks: Blocks) -> list[tuple[str, str]]:
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
    usable = one_line(blocks)
    head = [_first(usable, letter) for letter in HEAD if letter == TITLE or rng.random() < 0.4]
    count = round(2 ** rng.uniform(0, 5.3))
    body = [pair for pair in usable if pair[0] in BODY][: min(count, MAX_PARAGRAPHS)]
    if rng.random() < 0.7:
        body = [pair for pair in body if pair[0] == PARAGRAPH]
    if body and rng.random() < 0.4:
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


Section = tuple[Blocks, str]
"""Blocks of a part of a page, and its HTML."""


def _lay_out(
    blocks: Blocks,
    rng: Random,
    own: Section = ((), ""),
    teasers: Section = ((), ""),
    styles: str = "",
) -> tuple[Blocks, str]:
    """The blocks in the order of a page in one of the usual layouts, and its markup.

    Where a page has structures of its own, these end its text, and some have no other text.
    """
    article = [pair for pair in blocks if pair[0] not in FURTHER]
    if own[0] and rng.random() < 0.5:
        body = [pair for pair in article if pair[0] in BODY]
        article = [pair for pair in article if pair[0] in HEAD] + body[: rng.randrange(3)]
    others = [pair for pair in blocks if pair[0] in FURTHER]
    boxed = [others.pop() for _ in range(min(len(others), rng.randrange(-3, 4)))]
    cut = rng.randrange(len(others) + 1)
    names = _element_names(rng)
    place = rng.choices(["between", "inside", "after"], [1, 3, 6])[0]
    at = rng.randrange(1, len(article)) if place == "between" and len(article) > 1 else len(article)
    parts = [_elements(names, article[:at]), _elements(names, article[at:]) + own[1]]
    parts[1] += _box(boxed, rng)
    body = teasers[1].join(parts) if place != "after" else "".join(parts)
    for _ in range(rng.randrange(3)):
        body = _within(_start(("article", "main", "div", "section"), rng), body)
    if place == "after":
        body += teasers[1]
        if styles:
            body = _within(f'<div class="{rng.choice(["columns", "page"])}">', body)
    body = _surround(body, others, cut, rng)
    titles = [text for letter, text in article if letter == TITLE and rng.random() < 0.8]
    end = [*article[at:], *own[0], *boxed]
    between = [*teasers[0], *end] if place != "after" else [*end, *teasers[0]]
    laid_out = [*others[:cut], *article[:at], *between, *others[cut:]]
    return laid_out, _document(titles, body, styles)


def _box(blocks: Blocks, rng: Random) -> str:
    """A box of lines without links, such as an invitation, with a field or a button in some."""
    if not blocks:
        return ""
    first, other = rng.choice(["h3", "strong", "div", "p"]), rng.choice(["p", "div", "label"])
    lines = [_element(other if number else first, text) for number, (_, text) in enumerate(blocks)]
    field = rng.choice(["", '<input type="email">', "<textarea></textarea>", "<button>OK</button>"])
    return _within(_start(("form", "div", "section", "aside"), rng), "".join(lines) + field)


def _elements(names: dict[str, str], blocks: Blocks) -> str:
    """Elements of the blocks; items that follow each other are a list."""
    markup = ""
    for name, run in groupby(blocks, key=lambda pair: names[pair[0]]):
        elements = "\n".join(_element(name, text) for _, text in run)
        markup += f"<ul>{elements}</ul>\n" if name == "li" else elements + "\n"
    return markup


def _teasers(pages: Sequence[list[tuple[str, str]]], rng: Random) -> Section:
    """Teasers of other pages below a heading, each a title with some further texts.

    The heading is a short link to other stories of one of these pages.
    """
    headings = [
        text
        for page in pages
        for letter, text in page
        if letter == RELATED and len(text) <= LONGEST_HEADING
    ]
    heading = list[tuple[str, str]]()
    markup = ""
    if headings and rng.random() < 0.85:
        heading.append((RELATED, rng.choice(headings)))
        markup += _element(rng.choice(["h2", "h3", "h4", "div", "p"]), heading[0][1])
    entries, inner = _entries(pages[: rng.randrange(2, MAX_TEASERS + 1)], rng)
    blocks = [*heading, *((RELATED, text) for _, text in entries)]
    return blocks, _within(_start(("section", "div", "aside"), rng), markup + inner)


def _entries(pages: Sequence[list[tuple[str, str]]], rng: Random) -> Section:
    """Titles of pages as links, each with some further texts, in a list or in cards."""
    blocks = list[tuple[str, str]]()
    markup = ""
    letters = [letter for letter in "KDS" if rng.random() < 0.25]
    excerpt, longest = rng.random() < 0.5, rng.choice([60, 120, 250])
    name, heading = rng.choice(["li", "div", "article", "a"]), rng.choice(["h3", "h4", "p", "div"])
    other, picture = rng.choice(["p", "div"]), rng.random() < 0.4
    for number, page in enumerate(pages):
        title = _first(page, TITLE)
        if title is None:
            continue
        further = [_first(page, letter) for letter in letters]
        further += [_first(page, PARAGRAPH)] if excerpt else []
        texts = [(pair[0], pair[1][:longest].strip()) for pair in filter(None, further)]
        link, start = escape(title[1]), f'a href="/{number}"'
        if name != "a":
            link, start = f"<{start}>{link}</a>", name
        inner = f'<img src="/{number}.jpg" width="200" height="120" alt="">' if picture else ""
        inner += f"<{heading}>{link}</{heading}>"
        inner += "".join(_element(other, text) for _, text in texts)
        markup += f'<{start} class="card">{inner}</{name}>'
        blocks += [title, *texts]
    return blocks, markup


class Structures:
    """Short lists, tables, facts, questions and cards that belong to the text of a page.

    Parameters
    ----------
    blocks
        Blocks of a page with paragraphs, whose words the structures have.
    rng
        Source of the words and of the layout.
    """

    def __init__(self, blocks: Blocks, rng: Random) -> None:
        texts = [text for letter, text in one_line(blocks) if letter == PARAGRAPH]
        self._words = " ".join(texts).split()
        self._rng = rng
        self._heading = rng.choice(["h2", "h3", "h2", "div"])

    def sections(self) -> Section:
        """Up to four structures, most of them below a heading."""
        rng = self._rng
        kinds = [self._list, self._table, self._facts, self._questions, self._cards]
        blocks = list[tuple[str, str]]()
        markup = ""
        for make in rng.choices(kinds, k=rng.randrange(1, 5)):
            section: list[tuple[str, str]] = []
            if rng.random() < 0.7:
                section.append((SUBHEADING, self._phrase(1, 5)))
                markup += _element(self._heading, section[0][1])
            further, inner = make(rng.randrange(1, 9))
            blocks += [*section, *further]
            markup += inner
        return blocks, markup

    def _phrase(self, least: int, most: int) -> str:
        """Words that follow each other on the page, or a number with a word."""
        rng, words = self._rng, self._words
        if rng.random() < 0.15:
            number = rng.choice(["{}", "{}.50", "{} %", "19{:02}", "{}:30", "£{}", "{} km"])
            return number.format(rng.randrange(1, 99))
        count = min(rng.randrange(least, most + 1), len(words))
        start = rng.randrange(len(words) - count + 1)
        text = " ".join(words[start : start + count]).strip(",.;:()")
        return (text[:1].upper() + text[1:])[:LONGEST] or "One"

    def _list(self, count: int) -> Section:
        longest = self._rng.choice([2, 4, 12])
        blocks = [("L", self._phrase(1, longest)) for _ in range(count)]
        name = self._rng.choice(["ul", "ul", "ol"])
        linked = self._rng.random() < 0.2
        items = [
            f'<li><a href="https://other.example/{number}">{escape(text)}</a></li>'
            if linked
            else _element("li", text)
            for number, (_, text) in enumerate(blocks)
        ]
        return blocks, _within(f"<{name}>", "".join(items))

    def _table(self, count: int) -> Section:
        rng, columns = self._rng, self._rng.randrange(2, 6)
        heads = rng.choice(["row", "column", "none"])
        blocks, rows = list[tuple[str, str]](), ""
        for row in range(count + 1):
            cells = [self._phrase(1, 4) for _ in range(columns)]
            names = [
                "th" if (heads == "row" and row == 0) or (heads == "column" and x == 0) else "td"
                for x in range(columns)
            ]
            rows += _within("<tr>", "".join(map(_element, names, cells)))
            blocks += [("X", cell) for cell in cells]
        return blocks, _within("<table>", rows)

    def _facts(self, count: int) -> Section:
        """Names with their values, in a definition list, in lines or in cards."""
        start, names = self._rng.choice(
            [
                ("<dl>", ("dt", "dd")),
                ('<div class="facts">', ("dt", "dd")),
                ('<div class="facts">', ("strong", "span")),
                ("<section>", ("div", "div")),
            ]
        )
        blocks, markup = list[tuple[str, str]](), ""
        for _ in range(count):
            pair = self._phrase(1, 3), self._phrase(1, 8)
            inner = "".join(map(_element, names, pair))
            together = start != "<dl>" and names[0] == "strong"
            markup += inner if start == "<dl>" else _within('<div class="fact">', inner)
            blocks += [("X", " ".join(pair))] if together else [("X", text) for text in pair]
        return blocks, _within(start, markup)

    def _questions(self, count: int) -> Section:
        start, name = self._rng.choice(
            [
                ("<details>", "summary"),
                ('<div class="item">', "button"),
                ("<div>", "h3"),
                ("<section>", "h4"),
            ]
        )
        blocks, markup = list[tuple[str, str]](), ""
        for _ in range(count):
            pair = self._phrase(3, 9) + "?", self._phrase(4, 30) + "."
            blocks += [(SUBHEADING, pair[0]), (PARAGRAPH, pair[1])]
            markup += _within(start, _element(name, pair[0]) + _element("p", pair[1]))
        return blocks, markup

    def _cards(self, count: int) -> Section:
        """A grid of cards, each with a heading and a short text, without links to stories."""
        name = self._rng.choice(["h3", "h4", "div", "strong"])
        blocks, markup = list[tuple[str, str]](), ""
        for number in range(max(2, count)):
            pair = self._phrase(1, 5), self._phrase(2, 20) + "."
            blocks += [(SUBHEADING, pair[0]), (PARAGRAPH, pair[1])]
            picture = f'<img src="/{number}.png" width="200" height="120" alt="">'
            inner = picture if self._rng.random() < 0.3 else ""
            inner += _element(name, pair[0]) + _element("p", pair[1])
            markup += _within('<div class="card">', inner)
        return blocks, _within(_start(("section", "div"), self._rng), markup)


def _styles(rng: Random) -> str:
    """A style sheet as small sites have it, or none."""
    if rng.random() < 0.2:
        return ""
    family = rng.choice(["Georgia, serif", "sans-serif", "system-ui", "Arial"])
    rules = [
        f"body{{margin:{rng.choice([0, 8, 20])}px;font-family:{family}}}",
        f"body{{font-size:{rng.choice([14, 16, 18, 20])}px;line-height:1.5}}",
        f"h1{{font-size:{rng.choice([24, 32, 44])}px}}",
        f".card{{display:block;font-size:{rng.choice([12, 14, 16])}px;margin:8px}}",
        f"nav,header,footer{{padding:12px;background:{rng.choice(['#eee', '#fff', '#234'])}}}",
    ]
    wide = rng.choice([560, 680, 760, 1100])
    rules += rng.choice(
        [
            [f".columns{{display:flex;max-width:{wide + 320}px;margin:auto}}"],
            [f".columns,.page{{max-width:{wide}px;margin:0 auto}}"],
            [f"article,main{{max-width:{wide}px;margin:0 auto}}", "aside{padding:16px}"],
            [f"body{{max-width:{wide}px;margin:0 auto}}", "aside{float:right;width:220px}"],
        ]
    )
    if rng.random() < 0.5:
        rules.append("section,aside{display:grid;grid-template-columns:repeat(3,1fr)}")
    if rng.random() < 0.5:
        rules.append("td,th{padding:4px 12px}.fact{display:flex;gap:12px}.facts{padding:16px}")
    return f"<style>{''.join(rules)}</style>"


def _surround(body: str, others: Blocks, cut: int, rng: Random) -> str:
    """The other blocks up to `cut` before the body, and the rest after it."""
    before = _links(others[:cut], ("nav", "header", "div"), rng)
    return before + body + _links(others[cut:], ("footer", "aside", "div"), rng)


def _document(titles: Iterable[str], body: str, styles: str = "") -> str:
    declared = "".join(_element("title", text) for text in titles) + styles
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
