"""`extract_many` yields results as they finish, in bounded memory, and isolates failures."""

import asyncio

import miolo
import pytest
from batches import LOOPBACK
from newsroom import ARTICLES


async def gather(pages) -> dict[str, miolo.PageResult]:
    return {page.requested_url: page async for page in pages}


def test_articles_of_many_pages_and_the_errors_of_others(stage) -> None:
    urls = [stage.url(page.path) for page in ARTICLES["semantic"][:3]]
    missing = stage.url("not-found")
    local = miolo.RenderOptions(egress=LOOPBACK)
    work = miolo.extract_many(
        iter([*urls, missing]), method="nce", options=local, renderer=stage.renderer
    )
    results = stage.run(gather(work))
    assert set(results) == {*urls, missing}
    assert isinstance(results[missing].error, miolo.NavigationError)
    for url in urls:
        alone = miolo.extract_snapshot(stage.run(stage.renderer.render(url)), "nce")
        assert results[url].extraction.text == alone.text != ""


def test_private_addresses_are_refused_unless_allowed(stage) -> None:
    url = stage.url(ARTICLES["semantic"][0].path)
    (page,) = stage.run(gather(miolo.extract_many([url], renderer=stage.renderer))).values()
    assert isinstance(page.error, miolo.EgressRefusedError)


def test_addresses_are_consumed_lazily(stage) -> None:
    started: list[int] = []

    async def endless():
        while True:
            started.append(len(started))
            yield "data:text/html,<p>One%20more%20page."

    async def some() -> int:
        pages = miolo.extract_many(endless(), method="nce", concurrency=2, renderer=stage.renderer)
        count = 0
        async for page in pages:
            assert page.error is None
            count += 1
            assert len(started) <= count + 2
            if count == 5:
                break
        await pages.aclose()
        return count

    assert stage.run(some()) == 5
    assert len(started) <= 7


def test_results_are_yielded_while_the_source_waits(stage) -> None:
    async def in_turn() -> list[str]:
        arrived = asyncio.Event()

        async def source():
            yield "data:text/html,<p>First."
            await arrived.wait()
            yield "data:text/html,<p>Second."

        texts = []
        async for page in miolo.extract_many(source(), method="nce", renderer=stage.renderer):
            texts.append(page.extraction.text)
            arrived.set()
        return texts

    assert stage.run(in_turn()) == ["First.", "Second."]


def test_an_error_of_the_source_is_raised(stage) -> None:
    async def source():
        yield "data:text/html,<p>A page."
        raise LookupError("no more addresses")

    with pytest.raises(LookupError, match="no more addresses"):
        stage.run(gather(miolo.extract_many(source(), renderer=stage.renderer)))


def test_an_item_that_is_no_address_fails_alone(stage) -> None:
    items = ["data:text/html,<p>First.", None, "", "data:text/html,<p>Last."]
    results = stage.run(gather(miolo.extract_many(items, method="nce", renderer=stage.renderer)))
    failed = {url for url, result in results.items() if result.error}
    assert (len(results), failed) == (4, {"None", ""})
