"""NCE on pages of the local news site and on pages made to test its properties."""

import miolo
import pytest
from miolo.extract.methods.nce import nce
from miolo.extract.scoring import token_score
from miolo.models.nce import NCEOptions
from newsroom import ARTICLES, PAGES

LITERAL = NCEOptions(literal=True)
LINKS = "".join(f"<a href=/{i}>Another headline number {i} of the day</a> " for i in range(12))
BODY = "".join(
    f"<p>Paragraph {i} of the story goes on at some length about matter {i * 7}, so that the "
    f"text is long enough to be taken for prose by anyone who reads it, twice {i}, and for a leaf "
    f"of two hundred characters by the letter of the chapter, which wants no less than that.</p>"
    for i in range(8)
)


def page_of(body: str = BODY, tail: str = "", head: str = "") -> miolo.Snapshot:
    return miolo.Snapshot.from_html(
        f"<title>The story of the day</title><nav>{LINKS}</nav><h1>The story of the day</h1>"
        f"{head}<div id=main><div id=story>{body}{tail}</div></div><div>{LINKS}</div>"
    )


@pytest.mark.parametrize("method", ["nce", "auto", "template"])
@pytest.mark.parametrize("template", list(ARTICLES))
def test_articles_of_every_template_are_found(stage, template, method):
    pages = ARTICLES[template][:4]
    for page, snapshot in zip(pages, stage.articles(pages), strict=True):
        article = miolo.extract_snapshot(snapshot, method)
        assert article.title == page.title
        assert token_score(page.text, article.text).recall > 0.97
        assert token_score(page.text, article.text).precision > 0.6


@pytest.mark.parametrize("method", ["nce", "auto"])
@pytest.mark.parametrize(
    "kind", ["client-rendered", "shadow-closed", "frame-other-origin", "right-to-left", "chinese",
             "nested-tables", "fixed-app-shell", "consent-banner"]
)  # fmt: skip
def test_special_pages(stage, kind, method):
    article = miolo.extract_snapshot(stage.render(kind), method)
    assert article.title == PAGES[kind].title
    assert token_score(PAGES[kind].text, article.text).recall > 0.97
    assert not any(text in article.text for text in PAGES[kind].unwanted if len(text) > 40)


def test_a_page_without_a_long_leaf_is_kept_whole():
    snapshot = page_of()
    selection = nce(snapshot, NCEOptions(min_leaf_chars=10**6))
    assert selection.kept.all()
    assert [warning.code for warning in selection.warnings] == ["no-separator"]


REMARKS = (
    "Never heard of it before today, but it makes one think of the winter of the great flood.",
    "My aunt says so too, and she has lived in the street for longer than the trees have.",
    "Well, who would have thought that anything of the kind could happen twice in one town?",
)


def comment(i: int) -> str:
    return (
        f"<div class=c><div>Posted by reader number {i:02} on the 3rd of May</div>"
        f"<div>{REMARKS[i % 3]} So much for my {i * i} pennies' worth of an opinion.</div></div>"
    )


def test_comments_are_separated_from_the_body():
    comments = "".join(comment(i) for i in range(6))
    article = miolo.extract_snapshot(page_of(tail=comments), "nce")
    assert "Paragraph 7" in article.text
    assert "reader number" not in article.text
    assert sum("reader number" in text for text in article.comments) == 6
    assert all(block.reason.startswith("after the first repetition")
               for block in article.blocks if block.role == "comment")  # fmt: skip


def test_lists_and_code_are_not_comments():
    items = "".join(f"<li>Function number {i} returns value {i}</li>" for i in range(8))
    code = "".join(f"<pre>call the function with argument {i}</pre><p>so {i}</p>" for i in "abc")
    for tail in (f"<ul>{items}</ul>", code):
        assert "comments" not in nce(page_of(tail=tail)).marks
        assert "comments" in nce(page_of(tail=tail), LITERAL).marks


def test_the_site_name_is_no_part_of_the_title():
    source = f"<title>A headline of five words | Site</title><nav>{LINKS}</nav>"
    headline = "<h1>A headline of five words</h1>"
    snapshot = miolo.Snapshot.from_html(f"{source}{headline}<div><div>{BODY}</div></div>{LINKS}")
    assert miolo.extract_snapshot(snapshot, "nce").title == "A headline of five words"
    node = nce(snapshot, NCEOptions(literal=True)).title
    assert node is not None
    assert snapshot.tag_name(node) == "title"
