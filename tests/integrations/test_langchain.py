"""The document loader of LangChain on the local site."""

import asyncio

import psutil
import pytest
from miolo import EgressPolicy, EgressRefusedError, MioloError, RenderOptions
from newsroom import ARTICLES, PAGES

pytest.importorskip("langchain_core", reason="langchain-core is not installed")

MioloLoader = pytest.importorskip("miolo.integrations.langchain").MioloLoader

LOCAL = RenderOptions(egress=EgressPolicy("always"))


def processes() -> set[int]:
    return {process.pid for process in psutil.Process().children(recursive=True)}


def test_each_page_is_a_document(site):
    pages = [PAGES["client-rendered"], ARTICLES["tables"][0]]
    loader = MioloLoader([site.url(page) for page in pages], options=LOCAL)
    documents = {each.metadata["source"]: each for each in loader.load()}
    for page in pages:
        document = documents[site.url(page)]
        assert page.paragraphs[1] in document.page_content
        assert document.metadata["title"] == page.title


def test_passages_are_the_text_under_their_headings(site):
    page = ARTICLES["tables"][0]
    loader = MioloLoader([site.url(page)], chunk_size=400, options=LOCAL)
    documents = asyncio.run(loader.aload())
    assert len(documents) > 1
    assert all(len(each.page_content) <= 400 for each in documents)
    assert all(each.metadata["headings"][0] == page.title for each in documents)


def test_failures_are_raised_or_left_out(site):
    page = site.url(ARTICLES["tables"][0])
    with pytest.raises(EgressRefusedError):
        MioloLoader(page).load()
    urls = ["http://nowhere.invalid/", page]
    with pytest.raises(MioloError):
        MioloLoader(urls, options=LOCAL, concurrency=1).load()
    documents = MioloLoader(urls, options=LOCAL, continue_on_failure=True).load()
    assert [each.metadata["source"] for each in documents] == [page]


def test_an_abandoned_loader_leaves_no_page_open(site):
    urls = [site.url(PAGES["client-rendered"]), site.url(ARTICLES["tables"][0])]
    before = processes()
    documents = MioloLoader(urls, options=LOCAL).lazy_load()
    next(documents)
    assert processes() > before
    documents.close()
    assert processes() == before
