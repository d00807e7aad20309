"""Pages for training whose text is that of labelled pages, in furniture of small sites.

The furniture of the labelled pages is easy to tell from their texts: it has names, many links and
few sentences. That of small, old and printed pages need not: other stories have a sentence each,
offers and imprints are paragraphs, and no element has a name. Here the texts of some labelled pages
are laid out among teasers of other pages, offers, notices and links, with layouts, names and style
sheets drawn at random.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import groupby
from pathlib import Path
from random import Random

from miolo.evaluate.case import Case
from simple_pages import Blocks, one_line, write_page

__all__ = ["furnished_markup", "write_furnished_pages"]

SET = "furnished"
"""Name of the set of these pages."""

TITLE, PARAGRAPH, RELATED, OFFER, OTHER = "T", "B", "O", "F", "."
HEAD, BODY, BESIDE = "KSYD", "BHLQGX", "NAI"
"""Letters of roles above a text, in it, and below it."""

MAX_BLOCKS = 40
CANDIDATES = 250
"""Number of pages among which those in the most similar language give the furniture."""

OTHERS = 10
SENTENCE = re.compile(r".{20,}?(?:[.!?…](?=\s|$)|[。！？])")
NAMES = (
    "content post entry main text wrapper body page left right col col2 box item list more foot "
    "head top side panel block wrap inner outer area section widget rechts spalte droite colonne "
    "lateral pie caja kolumna sidfot yla s1 s2 g7 _ab3 _k9 x1 c-1 css-1q8 mb-4 flex grid"
).split()


def write_furnished_pages(cases: Sequence[Case], folder: Path, count: int, seed: int) -> list[Case]:
    """Write furnished pages made of the texts of some labelled pages, and return their cases.

    Parameters
    ----------
    cases
        The labelled pages, whose groups the new pages have. A page that is drawn and has no title
        or no paragraph gives none.
    folder
        Folder of the HTML and of the snapshots, which do not exist yet.
    count
        Number of pages to draw.
    seed
        Of the random numbers.
    """
    rng = Random(seed)
    blocks_of = {case: one_line(case.labels.blocks) for case in cases if case.labels is not None}
    sources = [
        case for case, blocks in blocks_of.items() if {TITLE, PARAGRAPH} <= dict(blocks).keys()
    ]
    common = {case: _common_words(blocks_of[case]) for case in sources}
    made = list[Case]()
    folder.mkdir(parents=True, exist_ok=True)
    for case in rng.sample(sources, min(count, len(sources))):
        others = rng.sample(sources, min(CANDIDATES, len(sources)))
        others.sort(key=lambda other: -len(common[case] & common[other]))
        others = [other for other in others if other is not case][:OTHERS]
        rng.shuffle(others)
        laid_out, markup = furnished_markup(blocks_of[case], [blocks_of[o] for o in others], rng)
        made.append(
            write_page(case, SET, folder / f"{seed}-{case.set}-{case.id}", laid_out, markup)
        )
    return made


def furnished_markup(blocks: Blocks, others: Sequence[Blocks], rng: Random) -> tuple[Blocks, str]:
    """Blocks and HTML of a page with the text of a labelled page, and furniture from others."""
    return _Page(blocks, others, rng).lay_out()


def _common_words(blocks: Blocks) -> frozenset[str]:
    """The most common words of a page, or characters where words are not separated."""
    text = " ".join(text for letter, text in blocks if letter == PARAGRAPH).lower()
    words = text.split()
    units = text.replace(" ", "") if len(text) > 15 * len(words) else words
    return frozenset(unit for unit, _ in Counter(units).most_common(40))


@dataclass
class _Part:
    """A part of a page: its blocks in order, and its HTML."""

    blocks: list[tuple[str, str]] = field(default_factory=list)
    html: str = ""

    def add(self, letter: str, text: str, html: str) -> None:
        if text:
            self.blocks.append((letter, text))
            self.html += html + "\n"

    def put(self, other: _Part) -> None:
        self.blocks += other.blocks
        self.html += other.html

    def within(self, start: str) -> _Part:
        name = start[1:-1].split()[0]
        return _Part(self.blocks, f"{start}\n{self.html}</{name}>\n")


class _Page:
    """One page with its choices."""

    def __init__(self, blocks: Blocks, others: Sequence[Blocks], rng: Random) -> None:
        self.blocks, self.others, self.rng = blocks, others, rng
        self.names = rng.random() < 0.6
        self.paragraph = rng.choices(["p", "div"], [5, 1])[0]
        self.linked = rng.choice([0, 0, 0.2, 0.5])
        self.number = 0

    def lay_out(self) -> tuple[Blocks, str]:
        """The page in one of the usual layouts, flat or with columns."""
        rng = self.rng
        head, text, foot = self._head(), self._text(), self._foot()
        side, below = _Part(), _Part()
        if rng.random() < 0.3:
            text.put(self._share())
        for make in (self._teasers, self._offer, self._teasers, self._notice, self._tags):
            if rng.random() < 0.55:
                part = make()
                place = rng.random()
                (side if place < 0.5 else below if place < 0.8 else text).put(part)
        flat = rng.random() < 0.35
        if not flat:
            for _ in range(rng.randrange(1, 3)):
                text = text.within(self._start("div", "article", "main", "section", "div"))
            side = side.within(self._start("div", "aside", "div")) if side.html else side
            head = head.within(self._start("div", "header", "nav"))
            foot = foot.within(self._start("div", "footer", "div"))
        rule = "<hr>\n" if flat and rng.random() < 0.5 else ""
        parts = [text, below, side] if rng.random() < 0.75 else [side, text, below]
        page = _Part()
        page.put(head)
        columns = _Part()
        for part in parts:
            if part.html:
                columns.html += rule
                columns.put(part)
        style = "" if flat else self._styles()
        page.put(columns.within('<div class="cols">') if style else columns)
        page.html += rule
        page.put(foot)
        titles = [text for letter, text in self.blocks if letter == TITLE][:1]
        name = rng.choice(["", "", f" | {self._short()}", f" - {self._short()}"])
        declared = "".join(f"<title>{escape(title + name)}</title>" for title in titles)
        html = (
            f"<!doctype html><html><head>{declared}{style}</head><body>\n{page.html}</body></html>"
        )
        return page.blocks, html

    def _start(self, *elements: str) -> str:
        """A start tag, with a name on most pages; columns have one that the style sheet knows."""
        rng = self.rng
        element = rng.choice(elements)
        if not self.names or rng.random() < 0.3:
            return f"<{element}>"
        kind = rng.choice(["class", "class", "id"])
        return f'<{element} {kind}="{rng.choice(NAMES)}{rng.choice(["", "", "-a", "_1", "Box"])}">'

    def _element(self, name: str, text: str) -> str:
        return f"<{name}>{escape(text)}</{name}>"

    def _link(self, text: str) -> str:
        self.number += 1
        href = self.rng.choice(["/{}", "/news/{}.html", "/p/{}", "story-{}.php", "?id={}"])
        return f'<a href="{href.format(self.number)}">{escape(text)}</a>'

    def _of(self, letters: str, longest: int = 2000, least: int = 1) -> list[str]:
        """Texts of some roles of the other pages, in random order."""
        found = [
            text
            for blocks in self.others
            for letter, text in blocks
            if letter in letters and least <= len(text) <= longest
        ]
        self.rng.shuffle(found)
        return found

    def _short(self) -> str:
        return next(iter(self._of(RELATED + OTHER, 24, 3)), "Home")

    def _head(self) -> _Part:
        """The name of the site and its links."""
        rng, part = self.rng, _Part()
        name = self._short()
        part.add(
            OTHER,
            name,
            self._element(rng.choice(["p", "div", "h2", "strong"]), name)
            if rng.random() < 0.6
            else f"<div>{self._link(name)}</div>",
        )
        links = self._of(OTHER + RELATED, 24, 2)[: rng.randrange(0, 11)]
        part.put(self._links(links))
        if rng.random() < 0.3 and links:
            line = rng.choice([" / ", " > ", " » "]).join(links[:2])
            part.add(OTHER, line, f"<div>{escape(line)}</div>")
        return part

    def _links(self, texts: Sequence[str]) -> _Part:
        """Links in a list, or in a line."""
        part = _Part()
        if not texts:
            return part
        if self.rng.random() < 0.6:
            items = "".join(f"<li>{self._link(text)}</li>" for text in texts)
            part.blocks += [(OTHER, text) for text in texts]
            part.html = f"<ul>{items}</ul>\n"
        else:
            between = self.rng.choice([" ", " | ", " · "])
            part.add(
                OTHER, between.join(texts), f"<div>{between.join(map(self._link, texts))}</div>"
            )
        return part

    def _text(self) -> _Part:
        """Title, head and body of the labelled page."""
        rng, part = self.rng, _Part()
        first = dict(reversed(self.blocks))
        head = [letter for letter in HEAD if letter in first and rng.random() < 0.6]
        title = rng.choices(["h1", "h2", "div", "p"], [12, 3, 1, 1])[0]
        above = [letter for letter in head if letter == "K" or rng.random() < 0.15]
        for letter in (*above, TITLE, *(letter for letter in head if letter not in above)):
            name = title if letter == TITLE else rng.choice(["p", "div", "span", "p"])
            if name == "span":
                part.add(letter, first[letter], f"<div><span>{escape(first[letter])}</span></div>")
            else:
                part.add(letter, first[letter], self._element(name, first[letter]))
        count = min(round(2 ** rng.uniform(0.5, 5.3)), MAX_BLOCKS)
        body = [
            pair for pair in self.blocks if pair[0] in BODY + (BESIDE if rng.random() < 0.3 else "")
        ]
        names = {
            "B": self.paragraph,
            "H": rng.choice(["h2", "h3", "p", "h2"]),
            "L": "li",
            "Q": "blockquote",
            "G": "pre",
            "X": "td",
            "N": "p",
            "A": "p",
            "I": "p",
        }
        for name, run in groupby(body[:count], key=lambda pair: names[pair[0]]):
            pairs = list(run)
            inner = "\n".join(self._body_element(name, text) for _, text in pairs)
            if name == "li":
                inner = f"<ul>{inner}</ul>"
            elif name == "td":
                rows = "".join(f"<tr>{self._element('td', text)}</tr>" for _, text in pairs)
                inner = f"<table>{rows}</table>"
            part.blocks += pairs
            part.html += inner + "\n"
        return part

    def _body_element(self, name: str, text: str) -> str:
        """An element of the text, with links in some, and some that are links as a whole."""
        chance = self.rng.random()
        if name not in ("p", "div", "li", "h2", "h3") or chance > self.linked:
            return self._element(name, text)
        inner = self._link(text) if chance < self.linked / 3 else self._partly_linked(text)
        return f"<{name}>{inner}</{name}>"

    def _heading(self, texts: Sequence[str], letter: str) -> _Part:
        part = _Part()
        if texts and self.rng.random() < 0.85:
            name = self.rng.choice(["h2", "h3", "h4", "p", "div", "strong"])
            html = self._element(name, texts[0])
            part.add(letter, texts[0], f"<p>{html}</p>" if name == "strong" else html)
        return part

    def _teasers(self) -> _Part:
        """Titles of other pages, with a sentence of each, a date or an author in some."""
        rng = self.rng
        part = self._heading(self._of(RELATED, 40, 4), RELATED)
        pages = rng.sample(list(self.others), min(len(self.others), rng.randrange(1, 7)))
        with_sentence, further = rng.random() < 0.7, [x for x in "DYK" if rng.random() < 0.2]
        form = rng.choice(["line", "line", "card", "item", "break"])
        between = rng.choice([". ", " ", ": ", " – ", " "])
        for page in pages:
            first = dict(reversed(page))
            if TITLE not in first:
                continue
            title, texts = first[TITLE], [first[x] for x in further if x in first]
            if with_sentence:
                texts.append(
                    self._sentence(first.get("S") if rng.random() < 0.4 else first.get(PARAGRAPH))
                )
            texts = [text for text in texts if text]
            self._teaser(part, form, between, title, texts)
        if form == "item":
            part.html = part.html.replace("<li>", "<ul><li>", 1) + "</ul>\n"
        return self._perhaps_within(part, "div", "section", "aside", "div")

    def _teaser(self, part: _Part, form: str, between: str, title: str, texts: list[str]) -> None:
        link = self._link(title)
        if form == "card":
            name = self.rng.choice(["h3", "h4", "h2", "div"])
            picture = f'<img src="/{self.number}.jpg" width="200" height="120" alt="">'
            picture *= self.rng.random() < 0.3
            start = self._start("div", "article", "li")
            element = start[1:-1].split()[0]
            part.html += f"{start}{picture}"
            part.add(RELATED, title, f"<{name}>{link}</{name}>")
            for text in texts:
                part.add(RELATED, text, self._element(self.rng.choice(["p", "div"]), text))
            part.html += f"</{element}>\n"
            return
        name = "li" if form == "item" else self.rng.choice(["p", "p", "div"])
        between = "<br>" if form == "break" else between
        line = between.join([link, *map(escape, texts)])
        text = (" " if between == "<br>" else between).join([title, *texts])
        part.add(RELATED, text, f"<{name}>{line}</{name}>")

    def _sentence(self, text: str | None) -> str:
        """The first sentence of a text, or its beginning."""
        if not text:
            return ""
        found = SENTENCE.match(text)
        longest = self.rng.choice([60, 110, 200])
        if found and len(found[0]) <= longest:
            return found[0].strip()
        return text[:longest].rsplit(" ", 1)[0].strip() + self.rng.choice(["", "…", " ..."])

    def _offer(self) -> _Part:
        """An offer such as a newsletter: a line, a sentence, a field or a button."""
        rng = self.rng
        texts = self._of(OFFER, 160, 8)
        part = self._heading(texts[:1] if rng.random() < 0.7 else [], OFFER)
        for text in texts[1 : 1 + rng.randrange(1, 3)]:
            inner = escape(text) if rng.random() < 0.6 else self._partly_linked(text)
            part.add(OFFER, text, f"<{self.paragraph}>{inner}</{self.paragraph}>")
        if not part.html:
            return part
        control = rng.choice(
            ["", "", '<input type="email">', "button", "<label>E-mail <input></label>"]
        )
        if control == "button":
            name = self._short()
            part.add(OFFER, name, f"<button>{escape(name)}</button>")
        elif "label" in control:
            part.add(OTHER, "E-mail", control)
        else:
            part.html += control
        return self._perhaps_within(part, "div", "form", "section", "aside")

    def _perhaps_within(self, part: _Part, *elements: str) -> _Part:
        return part.within(self._start(*elements)) if self.rng.random() < 0.65 else part

    def _maybe_linked(self, text: str) -> str:
        return self._partly_linked(text) if self.rng.random() < 0.5 else escape(text)

    def _partly_linked(self, text: str) -> str:
        """A text of which some words are a link."""
        words = text.split()
        if len(words) < 3:
            return self._link(text)
        start = self.rng.randrange(len(words) - 1)
        end = min(start + self.rng.randrange(1, 4), len(words))
        parts = (" ".join(words[:start]), " ".join(words[start:end]), " ".join(words[end:]))
        return f"{escape(parts[0])} {self._link(parts[1])} {escape(parts[2])}".strip()

    def _notice(self) -> _Part:
        """Longer lines that belong to the site."""
        part = _Part()
        for text in self._of(OTHER, 300, 30)[: self.rng.randrange(1, 3)]:
            html = f"<{self.paragraph}>{self._maybe_linked(text)}</{self.paragraph}>"
            part.add(OTHER, text, html)
        return self._perhaps_within(part, "div", "aside")

    def _share(self) -> _Part:
        texts = self._of(OTHER, 14, 3)[: self.rng.randrange(2, 5)]
        part = _Part()
        html = f"<{self.paragraph}>{' '.join(map(self._link, texts))}</{self.paragraph}>"
        part.add(OTHER, " ".join(texts), html)
        return part

    def _tags(self) -> _Part:
        return self._links(self._of(OTHER, 18, 3)[: self.rng.randrange(1, 6)])

    def _foot(self) -> _Part:
        """Lines of the imprint, and links."""
        rng, part = self.rng, _Part()
        for text in self._of(OTHER, 220, 20)[: rng.randrange(1, 4)]:
            name = rng.choice(["p", "div", "small", "p"])
            html = self._maybe_linked(text)
            part.add(
                OTHER,
                text,
                f"<p><small>{html}</small></p>" if name == "small" else f"<{name}>{html}</{name}>",
            )
        part.put(self._links(self._of(OTHER, 24, 3)[: rng.randrange(0, 7)]))
        return part

    def _styles(self) -> str:
        """A style sheet that lays out columns, or none."""
        rng = self.rng
        if rng.random() < 0.3:
            return ""
        side, wide = rng.choice([220, 260, 320]), rng.choice([560, 660, 760])
        family = rng.choice(["Georgia, serif", "sans-serif", "system-ui", "Arial", "Verdana"])
        columns = rng.choice(
            [
                f".cols{{display:flex;max-width:{wide + side + 40}px;margin:auto;gap:40px}}",
                f".cols{{display:grid;grid-template-columns:{wide}px {side}px;margin:auto}}",
                f".cols{{max-width:{wide}px;margin:0 auto}}",
                f".cols>*{{float:left;width:{wide}px}}.cols>:last-child{{width:{side}px}}",
            ]
        )
        small = rng.choice([12, 13, 14, 16])
        rules = [
            f"body{{margin:{rng.choice([0, 8, 20])}px}}",
            f"body{{font:{rng.choice([14, 16, 18, 20])}px/1.5 {family}}}",
            f"h1{{font-size:{rng.choice([24, 32, 44])}px}}",
            columns,
            f"aside,footer,small,.side,.foot,.more{{font-size:{small}px}}",
            f"nav,header,footer{{padding:12px;background:{rng.choice(['#eee', '#fff', '#234'])}}}",
            rng.choice(["nav li,header li{display:inline-block;margin-right:12px}", ""]),
        ]
        return f"<style>{''.join(rules)}</style>"
