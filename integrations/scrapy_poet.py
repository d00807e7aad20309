"""scrapy-poet: spider callbacks and page objects that declare an `Extraction` receive one.

    SCRAPY_POET_PROVIDERS = {"miolo.integrations.scrapy_poet.ExtractionProvider": 500}

A callback then declares ``async def parse(self, response, article: Extraction)``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

# scrapy-poet evaluates the annotations of `__call__` at run time, so their names must exist here.
from scrapy.http import Response
from scrapy_poet.page_input_providers import PageObjectInputProvider

from ..output.extraction import Extraction
from .scrapy import extract_response

__all__ = ["ExtractionProvider"]


class ExtractionProvider(PageObjectInputProvider):
    """Provides the `Extraction` of a response, rendered or not."""

    # scrapy-poet reads this attribute from the class.
    provided_classes = {Extraction}  # noqa: RUF012

    async def __call__(
        self, to_provide: set[Callable[..., Any]], response: Response
    ) -> Sequence[Extraction]:
        """Extract the article of the response."""
        result = await extract_response(response)
        return [result.unwrap()]
