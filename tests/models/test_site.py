"""Learned sites: wrappers of mixed templates, drift and files."""

import json
import random

import miolo
import pytest
from miolo import Site, Snapshot, learn_site

WORDS = "harbour bakery tram choir ferry market snow bridge school river stamp lamp".split()
SENTENCE = "The {0} by the {1} was closed again, said the {2}, and nobody knew of a {3}."


def article(number: int, template: str = "news") -> Snapshot:
    """A page of one of two templates, with content that depends on its number."""
    chance = random.Random(number)
    paragraphs = [
        "<p>" + " ".join(SENTENCE.format(*chance.sample(WORDS, 4)) for _ in range(3))
        for _ in range(chance.randrange(4, 9))
    ]
    title = f"The {WORDS[number % 12]} and the {WORDS[number % 7]} of day {number}"
    menu = "<ul><li><a href=/>Home</a><li><a href=/about>About the paper</a></ul>"
    body = "".join(paragraphs)
    if template == "news":
        body = f"<nav>{menu}</nav><main><h1>{title}</h1><div class=text>{body}</div></main>"
    else:
        body = f"<table><tr><td>{menu}<td><h2>{title}</h2><section>{body}</section></table>"
    return Snapshot.from_html(
        f"<title>{title}</title><body>{body}<footer><p>Printed at the harbour</footer>",
        url=f"https://example.org/{template}/{number}",
    )


@pytest.fixture(scope="module")
def mixed_site() -> Site:
    return learn_site(article(n, ("news", "old")[n % 2]) for n in range(16))


def test_each_template_has_its_wrapper(mixed_site):
    assert len(mixed_site.level) == 16
    assert [(w.template, w.labels) for w in mixed_site.wrappers] == [
        (0, "classes"), (1, "classes"), (0, "tags"), (1, "tags")
    ]  # fmt: skip
    assert {url.split("/")[3] for url in mixed_site.wrappers[0].urls} == {"news"}
    assert mixed_site.alone == ()


@pytest.mark.parametrize("template", ["news", "old"])
def test_an_unseen_page_is_read_with_the_wrapper_of_its_template(mixed_site, template):
    page = article(99, template)
    match = mixed_site.match(page)
    assert match is not None
    assert match[0].template == ("news", "old").index(template)
    read = miolo.extract_snapshot(page, "rtdm", site=mixed_site)
    assert read.title == page.page.title
    assert read.text.count("nobody knew") >= 12
    assert "Home" not in read.text
    assert "Printed" not in read.text
    assert [p.name for p in read.passages] == ["title", "body"]
    assert read.passages[1].place.endswith(("main/div/+", "section/+"))


def test_a_template_without_a_body_is_reported():
    def short(number):
        return Snapshot.from_html(
            f"<body><nav><a href=/>Home</a></nav><h1>Notice {number}</h1><p>Closed today.",
            url=f"https://example.org/{number}",
        )

    site = learn_site(short(n) for n in range(4))
    read = miolo.extract_snapshot(short(9), "rtdm", site=site)
    assert read.text == ""
    assert read.warnings[0].code == "no-body"
    assert [passage.text for passage in read.passages] == ["Notice 9"]


def test_a_redesign_is_detected(mixed_site):
    assert mixed_site.accepted_share > 0.5
    same = mixed_site.observe(article(n) for n in range(100, 150))
    assert same.accepted_share == 1
    redesigned = (
        Snapshot.from_html(f"<body><aside>New</aside><p>Text {n}", url=f"https://example.org/{n}")
        for n in range(50)
    )
    assert same.observe(redesigned).accepted_share == 0
    assert same.accepted_share == 1


def test_a_page_that_no_pattern_accepts_is_an_error(mixed_site):
    page = Snapshot.from_html("<body><form>Quite another page</form>")
    assert mixed_site.match(page) is None
    with pytest.raises(miolo.PageNotAcceptedError, match="none of the site's 4 patterns"):
        miolo.extract_snapshot(page, "rtdm", site=mixed_site)


def test_a_site_without_wrappers_is_not_enough():
    alone = learn_site([article(1), Snapshot.from_html("<p>Other", url="https://example.org/2")])
    assert alone.wrappers == ()
    assert len(alone.alone) == 2
    for site in (None, alone, learn_site([])):
        with pytest.raises(miolo.MissingSiteError, match="wrappers"):
            miolo.extract_snapshot(article(3), "rtdm", site=site)


def test_a_saved_site_equals_the_learned_one(mixed_site, tmp_path):
    seen = mixed_site.observe([article(50)])
    seen.save(tmp_path / "a.json")
    again = Site.load(tmp_path / "a.json")
    again.save(tmp_path / "b.json")
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()
    assert again.recent == seen.recent
    page = article(60)
    texts = [miolo.extract_snapshot(page, "rtdm", site=site).text for site in (mixed_site, again)]
    assert texts[0] == texts[1]
    labels = [site.level.label(page).template for site in (mixed_site, again)]
    assert (labels[0] == labels[1]).all()
    # The saved pattern is readable.
    document = json.loads((tmp_path / "a.json").read_text())
    lines = document["wrappers"][0]["pattern"]
    assert [line.strip() for line in lines if '"' in line][:2] == ['"Home', '"About the paper']
