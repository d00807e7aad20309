"""Every error Miolo raises, one family under `MioloError`.

::

    MioloError
    ├── BrowserNotFoundError           no Chromium on this machine
    ├── PageError                      this page failed
    │   ├── RenderError                it could not be rendered
    │   │   ├── NavigationError        an HTTP status, a network cause, or no address
    │   │   │   └── EgressRefusedError the address leads to one that may not be reached
    │   │   ├── NotHTMLError           the address answers with something other than a page
    │   │   ├── PageTimeoutError       the deadline passed before anything could be captured
    │   │   ├── TooLargeError          a limit passed before anything could be captured
    │   │   ├── BrowserCrashedError    Chromium died under this page, twice
    │   │   ├── PageBlockedError       a bot check, a consent or login wall, or an error page
    │   │   ├── BadLineError           its line of a list cannot be read
    │   │   ├── RobotsDisallowedError  the site's robots.txt keeps this page from robots
    │   │   ├── DuplicatePageError     the address leads to a page that is there already
    │   │   └── BrowserRequiredError   the server's HTML is not an article without a browser
    │   └── ExtractionError            its extraction, or the output of it, failed
    ├── ArchiveError                   a Miolo file is truncated, foreign or tampered with
    ├── CollectionLockedError          another run is writing to this folder
    ├── StorageError                   results cannot be written: the disk is full, or gone
    ├── MissingScreenshotError         the snapshot was taken without its picture
    ├── ElementNotFoundError           what is to be cut out of a picture is not on it
    ├── MissingSiteError               the method needs to know the page's site
    ├── PageNotAcceptedError           no wrapper of the site takes the page
    ├── MissingDependencyError         something optional is not installed
    ├── EmptyInputError                there is nothing to learn from
    ├── SettingsError                  a settings file has what does not exist, or is none
    ├── UnknownMethodError             no extraction method of this name
    ├── UnsupportedSystemError         this operating system lacks what is needed
    └── UnknownRoleError               no role or preset of this name

Where a page ends early but something of it was captured, no error is raised: the
snapshot comes back with a warning instead.
"""

from __future__ import annotations

__all__ = [
    "ArchiveError",
    "BadLineError",
    "BrowserCrashedError",
    "BrowserNotFoundError",
    "BrowserRequiredError",
    "CollectionLockedError",
    "DuplicatePageError",
    "EgressRefusedError",
    "ElementNotFoundError",
    "EmptyInputError",
    "ExtractionError",
    "MioloError",
    "MissingDependencyError",
    "MissingScreenshotError",
    "MissingSiteError",
    "NavigationError",
    "NotHTMLError",
    "PageBlockedError",
    "PageError",
    "PageNotAcceptedError",
    "PageTimeoutError",
    "RenderError",
    "RobotsDisallowedError",
    "SettingsError",
    "StorageError",
    "TooLargeError",
    "UnknownMethodError",
    "UnknownRoleError",
    "UnsupportedSystemError",
]


class MioloError(Exception):
    """Base class of all errors. The message names what the caller can do.

    Parameters
    ----------
    lacks
        What the input lacks, for callers that can name a remedy of their own: ``"column"`` of a
        table, ``"labels"`` or ``"snapshots"`` of a collection, ``"wrappers"`` of a site.

    Attributes
    ----------
    traceback
        Of an unexpected exception that a page failed by, as text, since `__cause__` does not
        travel between processes; None for a failure that is foreseen.
    """

    exit_code = 1
    traceback: str | None = None

    def __init__(self, *message: object, lacks: str | None = None) -> None:
        super().__init__(*message)
        self.lacks = lacks


class BrowserNotFoundError(MioloError):
    """No Chromium was found; `miolo install` gets one."""

    exit_code = 3


class PageError(MioloError):
    """A page failed.

    Parameters
    ----------
    message
        One line for people.
    url
        The requested page.
    """

    def __init__(self, message: str, *, url: str = "") -> None:
        super().__init__(message)
        self.url = url

    def __reduce__(self) -> tuple[object, ...]:
        # Keyword-only parameters are lost by the default; errors travel between processes.
        return _rebuild, (type(self), self.args[0], self.__dict__)


def _rebuild(kind: type[PageError], message: str, state: dict[str, object]) -> PageError:
    error = kind(message)
    error.__dict__.update(state)
    return error


class RenderError(PageError):
    """A page could not be rendered."""

    exit_code = 4


class ExtractionError(PageError):
    """The extraction of a page, or its output, failed unexpectedly; `__cause__` is the error."""

    exit_code = 22


class NavigationError(RenderError):
    """The address could not be opened.

    Parameters
    ----------
    status
        HTTP status, where the server gave one.
    cause
        Chromium's network error such as ``ERR_NAME_NOT_RESOLVED``, where there was none.
    retry_after
        Seconds of the server's ``Retry-After``, if it sends one.
    """

    exit_code = 5

    def __init__(
        self,
        message: str,
        *,
        url: str = "",
        status: int | None = None,
        cause: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message, url=url)
        self.status = status
        self.cause = cause
        self.retry_after = retry_after


class EgressRefusedError(NavigationError):
    """The address leads to one that is not of the public internet, and was not allowed."""

    exit_code = 20


class NotHTMLError(RenderError):
    """The address answers with a picture, a PDF, a download: not with a page."""

    exit_code = 6


class PageTimeoutError(RenderError):
    """The deadline passed and nothing could be captured."""

    exit_code = 7


class TooLargeError(RenderError):
    """The page passed a limit and nothing could be captured."""

    exit_code = 8


class BrowserCrashedError(RenderError):
    """Chromium, or the process that renders this page, died and died again on retrying."""

    exit_code = 9


class PageBlockedError(RenderError):
    """A bot check, a consent wall, a login wall or an error page stands in place of the page.

    The message names what it shows and the signs that it was recognised by.
    """

    exit_code = 21


class BadLineError(RenderError):
    """A line of a list of pages cannot be read as an address: it is not UTF-8, or too long."""

    exit_code = 24


class RobotsDisallowedError(RenderError):
    """The site's robots.txt keeps robots from this page, and it is to be obeyed."""

    exit_code = 18


class DuplicatePageError(RenderError):
    """The address leads to a page that the collection has already."""

    exit_code = 19


class BrowserRequiredError(RenderError):
    """The server's HTML is not a page, or not an article, without a browser."""

    exit_code = 23


class ArchiveError(MioloError):
    """A Miolo file cannot be read: it is truncated, of another kind, or inconsistent."""

    exit_code = 10


class MissingScreenshotError(MioloError):
    """The page's picture is needed, and the snapshot was taken without it."""

    exit_code = 11


class ElementNotFoundError(MioloError):
    """What is to be cut out of the page's picture is not on it."""

    exit_code = 25


class UnknownMethodError(MioloError):
    """There is no extraction method of this name."""

    exit_code = 2


class SettingsError(MioloError):
    """A settings file cannot be read, or has a key or a value that does not exist."""

    exit_code = 2


class MissingSiteError(MioloError):
    """The method learns from a site's pages, and none was given."""

    exit_code = 12


class UnknownRoleError(MioloError):
    """There is no role or preset of this name; the message lists those there are."""

    exit_code = 2


class UnsupportedSystemError(MioloError):
    """The operating system lacks what is needed; the message names what works there."""

    exit_code = 26


class MissingDependencyError(MioloError):
    """Something optional is not installed; the message names how to install it."""

    exit_code = 13


class EmptyInputError(MioloError):
    """There is nothing to learn from: no page, or none that can be read."""

    exit_code = 14


class PageNotAcceptedError(MioloError):
    """No wrapper of the site takes the page: another template, or the site was redesigned."""

    exit_code = 15


class CollectionLockedError(MioloError):
    """Another run is writing to this collection."""

    exit_code = 16


class StorageError(MioloError):
    """Results cannot be written. What was agreed on is safe: run the same command again."""

    exit_code = 17
