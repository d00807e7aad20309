"""The headline search over spans of texts against a scan of every node."""

import miolo
import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from miolo.extract.methods.reading import read
from miolo.extract.methods.title import TITLE_SHARE, find_title
from miolo.features.words import collapse, count_chars

WORDS = ("Straße", "wird", "neu", "Site", "|", "gebaut", "\u200b", "ﬁn")
TEXTS = st.lists(st.sampled_from(WORDS), max_size=5).map(" ".join)
MARKS = st.sampled_from(["<h1>", "</h1>", "<p>", "</p>", "<div>", "</div>", "<b>", "</b>"])


def visible_title(page, texts, last):
    """The element up to `last` whose text the title element repeats, by a scan of every node."""
    title, node_of = page.page.title.casefold(), {}
    for node in range(last + 1):
        inside = [page.text[i] for i in range(node, page.end[node]) if texts[i]]
        text = collapse(" ".join(inside)).casefold()
        # A text of characters without a width has no content.
        if not count_chars(text):
            continue
        if not page.is_text[node] and len(text) > TITLE_SHARE * len(title) and text in title:
            node_of.setdefault(text, node)
    whole = [text for text in node_of if not any(text != t and text in t for t in node_of)]
    return max((node_of[text] for text in whole), default=None)


@given(TEXTS, st.lists(st.one_of(TEXTS, MARKS), max_size=14).map("".join))
def test_the_shown_title_matches_a_scan_of_every_node(title, source):
    page = miolo.Snapshot.from_html(f"<title>{title}</title><body>{source}<p>the body")
    reading, kept = read(page), np.zeros(len(page), bool)
    kept[-2:] = True
    headline = find_title(page, reading.texts, reading.counts, kept)
    expected = visible_title(page, reading.texts, len(page) - 1) if page.page.title else None
    if expected is not None:
        assert headline == (expected, "the title: the title element repeats its text")
    else:
        assert headline is None or "is that of" not in headline[1]
