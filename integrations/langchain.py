"""LangChain: a document loader that renders pages and yields their articles.

documents = MioloLoader(["https://example.org/story"], chunk_size=2000).load()
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing
from typing import Any

from langchain_core.document_loaders import BaseLoader
from langchain_core.documents import Document

from ..extract.pages import extract_many
from ..output.extraction import Extraction
from ..renderer.options import RenderOptions


class MioloLoader(BaseLoader):
    """Loads the article of each page as one document, or as one document per passage.

    Parameters
    ----------
    urls
        Address of a page, or addresses of several.
    chunk_size
        Maximum length of a passage in characters; None for one Markdown document per page.
    continue_on_failure
        Whether pages that fail are left out; by default the first failure is raised.
    options
        How pages are rendered; private addresses as in `extract_many`.
    concurrency
        Maximum number of pages that are open at once.
    **extract
        Further arguments of `extract_many`, such as ``preset``.
    """

    def __init__(
        self,
        urls: str | Sequence[str],
        *,
        chunk_size: int | None = None,
        continue_on_failure: bool = False,
        options: RenderOptions | None = None,
        concurrency: int = 4,
        **extract: Any,
    ) -> None:
        self.urls = (urls,) if isinstance(urls, str) else tuple(urls)
        self.chunk_size = chunk_size
        self.continue_on_failure = continue_on_failure
        self._arguments = {"options": options, "concurrency": concurrency, **extract}

    async def alazy_load(self) -> AsyncGenerator[Document]:
        """Yield documents in the order in which pages are finished.

        Raises
        ------
        MioloError
            A page failed, and `continue_on_failure` is not set.
        """
        # If an abandoned iteration were left to the garbage collector, its browser would close too
        # late.
        async with aclosing(extract_many(self.urls, **self._arguments)) as results:
            async for result in results:
                if self.continue_on_failure and result.error is not None:
                    continue
                for document in self._documents(result.unwrap()):
                    yield document

    def lazy_load(self) -> Iterator[Document]:
        """Yield documents, rendering pages on demand; for callers without an event loop."""
        with asyncio.Runner() as runner:
            documents = self.alazy_load()
            try:
                while (document := runner.run(anext(documents, None))) is not None:
                    yield document
            finally:
                runner.run(documents.aclose())

    def _documents(self, extraction: Extraction) -> Iterator[Document]:
        metadata = _metadata(extraction)
        if self.chunk_size is None:
            yield Document(extraction.markdown, metadata=metadata)
            return
        for chunk in extraction.chunks(self.chunk_size):
            yield Document(chunk.text, metadata={**metadata, "headings": list(chunk.headings)})


def _metadata(extraction: Extraction) -> dict[str, Any]:
    values = {
        "source": extraction.url,
        "title": extraction.title,
        "authors": list(extraction.authors),
        "date": extraction.date,
        "language": extraction.language,
    }
    return {name: value for name, value in values.items() if value}
