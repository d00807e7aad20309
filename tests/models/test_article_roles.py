"""Roles of blocks: labels, rules, learned forests, and their file."""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from miolo import ArchiveError, Snapshot
from miolo.features.article.blocks import article_blocks
from miolo.features.article.features import block_features
from miolo.models.article.role_features import asked_names, role_rows, says_day
from miolo.models.article.role_labels import LEARNED, UNKNOWN, RoleTruth, label_roles, role_labels
from miolo.models.article.role_training import RoleOptions, train_roles
from miolo.models.article.roles import ROLES, RoleModel, roles

PEOPLE = "Ada Bell|Carl Dunn|Eva Frost|Gus Hart|Ida Jones|Karl Lund|Mia North|Olaf Peck".split("|")
THINGS = "bridge harbour library station market theatre school river".split()
MONTHS = "January February March April May June July August".split()
PARAGRAPH = (
    "The council met on Monday to vote on the new {thing}, whose cost has doubled, said the"
    " mayor, since the first plans for it were drawn by the town in line {line}."
)
COMMENT = "I have lived beside the {thing} for {line} years and nobody ever asked me about it."


def truth(number: int) -> RoleTruth:
    thing = THINGS[number]
    return RoleTruth(
        text="\n".join(PARAGRAPH.format(thing=thing, line=line) for line in range(6)),
        title=f"Town votes on its new {thing} at last",
        author=PEOPLE[number],
        date=f"2021-0{number + 1}-1{number}",
        comments="\n".join(COMMENT.format(thing=thing, line=line) for line in range(4)),
    )


def markup(number: int) -> str:
    told = truth(number)
    links = "".join(f"<li><a href='/{name}'>{name.title()}</a></li>" for name in THINGS)
    more = "".join(f"<li><a href='/{n}'>More news on the {n} today</a></li>" for n in THINGS)
    body = "".join(f"<p>{line}</p>" for line in told.text.split("\n"))
    talk = "".join(
        f"<div class='comment'><p>{line}</p></div>" for line in told.comments.split("\n")
    )
    day = f"{MONTHS[number]} 1{number}, 2021"
    return f"""<title>{told.title} - The Daily Loaf</title><nav><ul>{links}</ul></nav><main>
    <h1>{told.title}</h1><p class="byline">By {told.author}</p><p class="date">{day}</p>{body}
    <figure><img><figcaption>The {THINGS[number]} in spring.</figcaption></figure></main>
    <section id="comments"><h2>4 comments</h2>{talk}</section>
    <aside class="related"><h3>Related</h3><ul>{more}</ul></aside><footer>© The Loaf</footer>"""


def seen(html: str):
    page = article_blocks(Snapshot.from_html(html))
    return page, block_features(page)


@pytest.fixture(scope="module")
def model() -> RoleModel:
    pages = [
        label_roles(Snapshot.from_html(markup(n)), truth(n), set="loaf", group=PEOPLE[n])
        for n in range(6)
    ]
    return train_roles(pages, RoleOptions(trees=20, folds=2, thinned=1))


@given(
    st.dates(date(1995, 1, 1), date(2030, 12, 31)),
    st.sampled_from(
        ("%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y", "%B %d, %Y", "%d %B %Y", "%d. %b %Y, %H:%M",
         "Updated %d-%b-%Y", "%Y年%m月%d日", "%m/%d/%y")
    ),
    st.integers(1, 400),
)  # fmt: skip
def test_a_written_day_is_that_day_and_hardly_another(day, form, later):
    text = day.strftime(form)
    assert says_day(text, day)
    other = day + timedelta(days=later)
    assume(other.day != day.day)
    # Other orders of the same three numbers may be meant.
    assume(not text[0].isdigit() or day.day > 12 or other.day > 31)
    assume("%y" not in form or other.day not in (day.month, day.year % 100))
    assume("%H" not in form or other.day)
    assert not says_day(text, other)


def test_labels_say_what_the_truth_says_by_the_body():
    told = truth(0)
    page, features = seen(
        markup(0) + "<p>sponsored</p>" * 20 + f"<p>By {told.author}</p><p>January 10, 2021</p>"
    )
    body = np.array([text in told.text for text in page.texts])
    labels = role_labels(page, features, body, told)

    def said(role: str, label: int) -> list[str]:
        return [page.texts[n] for n in np.flatnonzero(labels[:, LEARNED.index(role)] == label)]

    assert said("title", 1) == [told.title]
    assert said("byline", 1) == ["By Ada Bell"] == said("byline", UNKNOWN)
    assert said("date", 1) == ["January 10, 2021"] == said("date", UNKNOWN)
    assert said("comment", 1) == told.comments.split("\n")
    assert set(said("title", 0)) & set(said("comment", 0)) >= {"By Ada Bell", "Related"}


def test_a_truth_that_is_not_on_the_page_teaches_nothing():
    page, features = seen(markup(1))
    body = np.array(["council" in text for text in page.texts])
    labels = role_labels(page, features, body, RoleTruth("", "No such title", "Nobody", "soon"))
    assert (labels == UNKNOWN).all()
    no_body = np.zeros(len(page), bool)
    assert (role_labels(page, features, no_body, truth(1)) == UNKNOWN).all()


def test_roles_of_a_page_whose_domain_was_not_seen(model):
    told = truth(7)
    page, features = seen(markup(7))
    body = np.array([text in told.text for text in page.texts])
    of = dict(zip(page.texts, (ROLES[c] for c in roles(page, features, body, model)), strict=True))
    assert of[told.title] == "title"
    assert of["By Olaf Peck"] == "byline"
    assert of["August 17, 2021"] == "date"
    assert {of[text] for text in told.comments.split("\n")} == {"comment"}
    assert {of[text] for text in told.text.split("\n")} == {"body"}
    assert of["The river in spring."] == "caption"
    assert of["Harbour"] == "navigation"
    assert of["More news on the market today"] == "related"
    assert of["© The Loaf"] == "boilerplate"


@settings(deadline=None, max_examples=40)
@given(data=st.data())
def test_body_stays_body_but_for_one_title(model, data):
    page, features = seen(markup(6))
    size = len(page)
    body, doubted = (
        np.array(data.draw(st.lists(st.booleans(), min_size=size, max_size=size))) for _ in range(2)
    )
    codes = roles(page, features, body, model)
    title, kept = (codes == ROLES.index(role) for role in ("title", "body"))
    assert title.sum() <= 1
    assert (kept == (body & ~title)).all()
    with_doubts = roles(page, features, body, model, doubted=doubted)
    changed = with_doubts != codes
    assert (changed <= (body & doubted)).all()
    assert (with_doubts[changed] == ROLES.index("byline")).all()


@pytest.mark.parametrize(
    "html",
    ["", "<p>one", "<p>\ud800 \ud800", "<div>" * 10_000 + "deep", "<b>9" + "9" * 5_000,
     "<script type='application/ld+json'>{\"author\": [{\"name\": 3, \"author\":</script><p>a b"],
    ids=["empty", "one", "surrogates", "deep", "digits", "json"],
)  # fmt: skip
def test_any_page_has_roles(model, html):
    page, features = seen(html)
    for body in (np.zeros(len(page), bool), np.ones(len(page), bool)):
        codes = roles(page, features, body, model)
        assert codes.shape == (len(page),)


def test_what_is_saved_is_read_again_and_nothing_else(model, tmp_path):
    path = tmp_path / "roles.npz"
    model.save(path)
    page, features = seen(markup(7))
    body = np.array(["council" in text for text in page.texts])
    again = RoleModel.load(path)
    assert again.provenance == model.provenance
    assert again.provenance["reached"]["title"]["f1"] > 0.9
    assert (roles(page, features, body, again) == roles(page, features, body, model)).all()
    content = path.read_bytes()
    for damaged in (b"", content[: len(content) // 2], b"PK" + content[3:], b"{}"):
        path.write_bytes(damaged)
        with pytest.raises(ArchiveError):
            RoleModel.load(path)
    with pytest.raises(ArchiveError):
        RoleModel.load(tmp_path / "none.npz")


def test_columns_are_found_by_name(model):
    page, features = seen(markup(3))
    body = np.zeros(len(page), bool)
    names = asked_names(features.names)
    turned = role_rows(names[::-1], page, features, body)
    np.testing.assert_array_equal(turned[:, ::-1], role_rows(names, page, features, body))
    with pytest.raises(ValueError, match="other features"):
        role_rows((*names, "no.such"), page, features, body)


def test_without_labels_nothing_is_learned():
    page = label_roles(Snapshot.from_html(markup(0)), RoleTruth(""), set="loaf", group="loaf")
    with pytest.raises(ValueError, match="title"):
        train_roles([page])
