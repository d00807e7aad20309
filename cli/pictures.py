"""The PNGs and PDFs that `miolo extract` and `render` write beside their output."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import MioloError, MissingScreenshotError
from ..renderer.options import RenderOptions
from .console import print_error

if TYPE_CHECKING:
    from ..output.extraction import Extraction
    from ..output.page_result import PageResult
    from ..renderer.page.snapshot import Snapshot
    from ..renderer.renderer import Renderer

__all__ = ["ArticlePictures", "PagePictures"]


@dataclass(frozen=True)
class ArticlePictures:
    """Files for the pictures of a source.

    Attributes
    ----------
    page
        A PNG of the page with boxes.
    article
        A PNG of the article alone.
    pdf
        A PDF of the article.
    """

    page: Path | None = None
    article: Path | None = None
    pdf: Path | None = None

    @property
    def need_screenshot(self) -> bool:
        """Whether a screenshot of the page is needed."""
        return bool(self.page or self.article)

    def for_source(self, number: int, total: int) -> ArticlePictures:
        """The files of one source: ``page.png``, or ``page-1.png`` etc. for several sources."""
        files = (self.page, self.article, self.pdf)
        return self if total == 1 else ArticlePictures(*(_number(file, number) for file in files))

    def draw(self, dark: bool, result: PageResult) -> None:
        """Write the PNGs."""
        from ..debug.pictures.crops import article_screenshot
        from ..debug.pictures.picture import annotated_screenshot

        assert result.snapshot is not None
        snapshot, extraction = result.snapshot, result.unwrap()
        if self.page:
            self.page.write_bytes(annotated_screenshot(snapshot, extraction, dark=dark))
        if self.article:
            self.article.write_bytes(article_screenshot(snapshot, extraction))

    async def print_article(
        self, extraction: Extraction, renderer: Renderer, options: RenderOptions
    ) -> int:
        """Write the PDF, if requested; an error is printed, and its exit code returned."""
        from ..extract.printing import print_article

        if self.pdf is None:
            return 0
        try:
            self.pdf.write_bytes(await print_article(extraction, renderer, options))
        except MioloError as error:
            print_error(f"{extraction.url}: {error}")
            return error.exit_code
        return 0


@dataclass(frozen=True)
class PagePictures:
    """Files for the screenshot and the PDF of a page.

    Attributes
    ----------
    screenshot
        A PNG of the page.
    element
        CSS selector of the element that the screenshot is cropped to.
    pdf
        A PDF of the page.
    """

    screenshot: Path | None = None
    element: str | None = None
    pdf: Path | None = None

    def save(self, snapshot: Snapshot) -> None:
        """Write the files.

        Raises
        ------
        MissingScreenshotError
            The snapshot lacks the screenshot or PDF, as a saved one may.
        ElementNotFoundError
            The element is not on the screenshot.
        """
        if self.screenshot:
            self.screenshot.write_bytes(self._picture(snapshot))
        if self.pdf:
            if snapshot.pdf is None:
                raise MissingScreenshotError("the snapshot has no PDF: render the page again")
            self.pdf.write_bytes(snapshot.pdf)

    def _picture(self, snapshot: Snapshot) -> bytes:
        if snapshot.screenshot is None:
            raise MissingScreenshotError(
                "the snapshot has no screenshot: render the page again with a screenshot"
            )
        if self.element is None:
            return snapshot.screenshot
        from ..debug.pictures.crops import element_screenshot

        return element_screenshot(snapshot, self.element)


def _number(path: Path | None, number: int) -> Path | None:
    return path and path.with_stem(f"{path.stem}-{number}")
