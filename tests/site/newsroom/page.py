"""A page of the site, with the facts that tests compare."""

from dataclasses import dataclass

from .story import Story


@dataclass(frozen=True)
class Page:
    """A page with an article, and the text an extraction should find on it."""

    path: str
    kind: str
    template: str
    language: str
    title: str
    paragraphs: tuple[str, ...]
    comments: tuple[str, ...]
    authors: tuple[str, ...]
    date: str | None
    #: Texts of the article that are neither required nor wrong: standfirst, caption, table, code.
    optional: tuple[str, ...] = ()
    #: Texts on the same page that are wrong in an extraction (not a complete list).
    unwanted: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The whole article: one line for each paragraph."""
        return "\n".join(self.paragraphs)


def page_of(
    story: Story, path: str, kind: str, template: str, unwanted: tuple[str, ...] = ()
) -> Page:
    """The page that shows `story` at `path`."""
    return Page(
        path=path,
        kind=kind,
        template=template,
        language=story.language,
        title=story.title,
        paragraphs=story.truth,
        comments=tuple(comment.text for comment in story.comments),
        authors=story.authors,
        date=story.date,
        optional=story.optional,
        unwanted=unwanted,
    )
