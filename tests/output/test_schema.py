"""The schema of results holds for any page, caller and format."""

import asyncio
import json
from itertools import product
from pathlib import Path

import jsonschema
import miolo
import pytest
from hypothesis import given
from hypothesis import strategies as st
from miolo.output.schema import SCHEMA_VERSION, json_schema
from newsroom import ARTICLES, PAGES

PUBLISHED = Path(__file__).resolve().parents[2] / "docs" / "schema.json"
VALIDATOR = jsonschema.Draft202012Validator(json.loads(PUBLISHED.read_text("utf-8")))


def check(result: miolo.PageResult) -> None:
    """Check that a result is valid and survives a round trip through JSON."""
    for blocks in (True, False):
        values = result.to_dict(blocks=blocks)
        VALIDATOR.validate(values)
        line = json.dumps(values, ensure_ascii=False, allow_nan=False).encode()
        again = miolo.PageResult.from_dict(json.loads(line))
        assert again.to_dict() == values
        assert again.to_dict(blocks=False) == result.to_dict(blocks=False)


def result_of(snapshot: miolo.Snapshot, method: str, **options) -> miolo.PageResult:
    job = miolo.PageJob(snapshot, extract=miolo.ExtractOptions(method, **options))
    return asyncio.run(miolo.extract_page(job))


def test_the_published_schema_matches_the_code() -> None:
    assert PUBLISHED.read_text("utf-8") == json.dumps(json_schema(), indent=2) + "\n"
    jsonschema.Draft202012Validator.check_schema(json_schema())


@pytest.mark.parametrize("name", sorted(PAGES)[::4])
def test_pages_of_the_site_have_valid_results(stage, name) -> None:
    snapshot = stage.render(name)
    for method in ("auto", "nce"):
        check(result_of(snapshot, method))


def test_a_list_and_a_template_are_in_the_result(stage) -> None:
    pages = stage.articles(ARTICLES["tables"][:4])
    article = result_of(pages[0], "rtdm", site=miolo.learn_site(pages))
    assert article.to_dict()["passages"]
    rows = "".join(
        f"<li><a href=/{n}>Story number {n} of the day</a> <time>2024-05-{n:02}</time></li>"
        for n in range(10, 25)
    )
    listing = result_of(miolo.Snapshot.from_html(f"<ul>{rows}</ul>"), "records")
    assert len(listing.to_dict()["records"]["rows"]) == 15
    check(listing)
    check(article)


ERRORS = [
    miolo.NavigationError("no", url="u", status=404, retry_after=3.0),
    miolo.NavigationError("no", cause="ERR_FAILED"),
    miolo.PageTimeoutError("late"),
    miolo.MioloError("half \ud800"),
]


@pytest.mark.parametrize("error", ERRORS)
def test_failures_are_valid_results(error) -> None:
    check(miolo.PageResult("https://page.invalid/", error=error))
    restored_error = miolo.PageResult.from_dict(miolo.PageResult("u", error=error).to_dict()).error
    assert type(restored_error) is type(error)
    assert restored_error.url == "u"
    assert getattr(restored_error, "status", None) == getattr(error, "status", None)


SCRAPS = st.sampled_from(
    ["<p>", "<h1>", "<a href='//a.example/x'>", "<table><tr><td>", "<img src=/a.png alt=", "<pre>",
     "<script type='application/ld+json'>", "<meta name=author content='", "'>", "</p>", "\ud800",
     "\0", "word " * 30]
)  # fmt: skip


@given(st.lists(st.one_of(SCRAPS, st.text(max_size=20)), max_size=30))
def test_results_are_valid_whatever_is_on_the_page(scraps) -> None:
    html = "".join(scraps)
    for method in ("auto", "nce"):
        check(result_of(miolo.Snapshot.from_html(html, url="https://page.invalid/"), method))


DAMAGE = (
    {"schema_version": SCHEMA_VERSION + 1},
    {"schema_version": None},
    {"links": 3},
    {"links": [{"href": "x"}]},
)


@pytest.mark.parametrize(
    ("kind", "change"),
    [*product((miolo.PageResult, miolo.Extraction), DAMAGE), (miolo.PageResult, {"error": 7})],
)
def test_damaged_values_and_values_of_another_version_are_refused(kind, change) -> None:
    values = result_of(miolo.Snapshot.from_html("<p>Text"), "nce").to_dict() | change
    with pytest.raises(miolo.ArchiveError):
        kind.from_dict(values)
