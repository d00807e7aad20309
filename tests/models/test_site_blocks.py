"""Texts and places of a site's blocks: counts, files, and what they change for `auto`."""

import json
from collections import Counter

import miolo
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from miolo.features.blocks import article_blocks
from miolo.models.article.site_blocks import SiteBlocks, text_keys
from miolo.models.site_folder import SiteFolder
from miolo.renderer.page.markup import outer_html

CLAUSE = "said the harbour master on Monday, and the ships went on to wait for the tide to turn"

texts = st.lists(st.sampled_from(["Menu", "News", "A story", "Another"]), max_size=6)


def page_of(lines: list[str]) -> miolo.Snapshot:
    return miolo.Snapshot.from_html("".join(f"<p>{line}</p>" for line in lines))


def learn(pages: list[list[str]]) -> SiteBlocks:
    blocks = SiteBlocks()
    for lines in pages:
        page = article_blocks(page_of(lines))
        blocks.add(
            page, np.full(len(page), 0.5), np.array([x[0] in "AM" for x in page.texts], bool)
        )
    return blocks


@given(st.lists(texts, max_size=6), texts)
def test_shared_headlines_look_like_those_of_half_of_the_pages(pages, lines):
    blocks, page = learn(pages), article_blocks(page_of(lines))
    counts = Counter(line for lines in pages for line in set(lines))
    least = max(3, len(pages) / 2)
    shared = [counts[line] >= least and line[0] in "AM" for line in lines]
    assert blocks.shared_headlines(text_keys(page)).tolist() == shared
    assert blocks.repeated_texts == sum(count >= least for count in counts.values())


@given(st.lists(texts, max_size=6), texts)
def test_saved_counts_say_the_same_of_further_pages(pages, lines):
    blocks = learn(pages)
    saved = json.loads(json.dumps(blocks.to_json()))
    assert learn(pages[::-1]).to_json() == blocks.to_json()
    read = SiteBlocks.from_json(saved)
    assert read.to_json() == blocks.to_json()
    keys = text_keys(article_blocks(page_of(lines)))
    assert read.shared_headlines(keys).tolist() == blocks.shared_headlines(keys).tolist()


def story(number: int, heading: str = "", *, links: bool = False) -> miolo.Snapshot:
    sentences = [f"Sentence {number} and {part} of it {CLAUSE}." for part in range(4)]
    body = "".join(f"<p>{text}</p>" for text in sentences)
    notice = f"<div class=support><p>Our readers pay for this, {CLAUSE}, so join them.</p></div>"
    recent = "".join(f"<li><a href=/{n}>Story {n} of the tide</a></li>" for n in range(6))
    recent = f"<ul class=recent>{recent}</ul>"
    return miolo.Snapshot.from_html(
        f"<title>{heading or f'Story {number} of the tide'}</title><h1>The Harbour Gazette</h1>"
        f"<h2>Story {number} of the tide</h2>{body}{notice}{recent if links else ''}",
        url=f"https://news.example.org/{number}",
    )


def test_what_siblings_repeat_is_neither_title_nor_text(tmp_path):
    site = miolo.learn_site(map(story, range(6)))
    site.save(SiteFolder(tmp_path).file("example.org"))
    for learned in (site, miolo.SiteFolder(tmp_path)):
        page = story(9, "The Harbour Gazette")
        article = miolo.extract_html(
            outer_html(page, 0), url=page.page.url, site=learned, options=PLAIN
        )
        assert article.title == "Story 9 of the tide"
        assert "Sentence 9 and 3" in article.text
        assert "Our readers pay" not in article.text
        assert "The Harbour Gazette" not in article.text


def test_a_headline_that_other_pages_list_stays_the_title():
    pages = [story(number, links=True) for number in range(6)]
    site = miolo.learn_site(pages[1:])
    assert miolo.extract_snapshot(pages[2], site=site).title == "Story 2 of the tide"


def test_a_page_of_another_host_has_no_learned_site(tmp_path):
    site = miolo.learn_site(map(story, range(3)))
    site.save(SiteFolder(tmp_path).file("example.org"))
    folder = SiteFolder(tmp_path)
    assert folder(story(1)) is not None
    elsewhere = miolo.Snapshot.from_html("<p>A page", url="https://example.net/")
    assert folder(elsewhere) is None
    assert folder(miolo.Snapshot.from_html("<p>A page")) is None
    with pytest.raises(miolo.MissingSiteError, match=r"none for https://example\.net/"):
        miolo.extract_html(
            "<p>A page", url="https://example.net/", site=folder, method="sitelevel", options=PLAIN
        )


def test_the_file_of_a_host_is_used_before_that_of_its_domain(tmp_path):
    folder = SiteFolder(tmp_path)
    miolo.learn_site(map(story, range(3))).save(folder.file("example.org"))
    assert len(folder(story(1)).level) == 3
    miolo.learn_site(map(story, range(4))).save(folder.file("news.example.org"))
    assert len(folder(story(1)).level) == 4


PLAIN = miolo.RenderOptions(browser="never")
