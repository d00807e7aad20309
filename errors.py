"""Every error Miolo raises, one family under `MioloError`, and the warnings of pages.

::

    MioloError
    ├── BrowserNotFoundError           no Chromium on this machine
    ├── PageError                      this page failed
    │   ├── RenderError                it could not be rendered
    │   │   ├── NavigationError        an HTTP status, a network cause, or no address
    │   │   │   └── EgressRefusedError the address leads to one that may not be reached
    │   │   ├── NotHTMLError           a file or a response is something other than a page
    │   │   ├── PageTimeoutError       the deadline passed before anything could be captured
    │   │   ├── TooLargeError          a limit was exceeded before anything could be captured
    │   │   ├── BrowserCrashedError    Chromium crashed twice on this page
    │   │   ├── PageBlockedError       a bot check, a consent or login wall, or an error page
    │   │   ├── BadLineError           a line of the list of pages cannot be read
    │   │   ├── RobotsDisallowedError  the site's robots.txt disallows this page
    │   │   ├── DuplicatePageError     the address leads to a page that the collection already has
    │   │   └── BrowserRequiredError   the server's HTML has no article without a browser
    │   ├── TextError                  it was read, but has no usable text
    │   │   ├── EmptyPageError         no text was found on it
    │   │   └── LowConfidenceError     its text is probably wrong, and the run asks for better
    │   └── ExtractionError            its extraction or output failed
    ├── ArchiveError                   a Miolo file is truncated, inconsistent or of another kind
    ├── CollectionLockedError          another run is writing to this folder
    ├── StorageError                   results cannot be written: the disk is full or unavailable
    ├── MissingScreenshotError         the snapshot was captured without a screenshot
    ├── ElementNotFoundError           no element matches a selector
    ├── MissingSiteError               the method needs a learned site
    ├── PageNotAcceptedError           no wrapper of the site matches the page
    ├── MissingDependencyError         an optional dependency is not installed
    ├── EmptyInputError                there is nothing to learn from
    ├── SettingsError                  a settings file is damaged, or has an unknown key or value
    ├── UnknownMethodError             no extraction method of this name
    ├── UnsupportedSystemError         this operating system lacks what is needed
    └── UnknownRoleError               no role or preset of this name

A file or folder that is to be read and cannot be opened raises an `OSError`, such as
`FileNotFoundError`; only the source of a page raises a `NavigationError`, like an address.

If rendering ends early but part of the page was captured, no error is raised; the
snapshot carries a warning instead.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path


class MioloError(Exception):
    """Base class of all errors. The message says what the caller can do.

    Parameters
    ----------
    lacks
        What the input lacks, for callers that can suggest their own remedy: ``"column"`` of a
        table, ``"labels"`` or ``"snapshots"`` of a collection, ``"wrappers"`` of a site, the
        ``"screenshot"`` of a snapshot, or the learned ``"sites"`` of a method.

    Attributes
    ----------
    traceback
        Traceback, as text, of the unexpected exception that made a page fail, since `__cause__`
        is not passed between processes; None for an expected failure.
    """

    exit_code = 1
    traceback: str | None = None

    def __init_subclass__(cls, exit_code: int | None = None) -> None:
        cls.exit_code = exit_code or cls.exit_code

    def __init__(self, *message: object, lacks: str | None = None) -> None:
        super().__init__(*message)
        self.lacks = lacks


class BrowserNotFoundError(MioloError, exit_code=3):
    """No Chromium was found; `miolo install` installs one."""


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
        # Errors are passed between processes; the default would lose keyword-only parameters.
        return _rebuild, (type(self), self.args[0], self.__dict__)


def _rebuild(kind: type[PageError], message: str, state: dict[str, object]) -> PageError:
    error = kind(message)
    error.__dict__.update(state)
    return error


class RenderError(PageError, exit_code=4):
    """A page could not be rendered."""


class ExtractionError(PageError, exit_code=22):
    """The extraction of a page, or its output, failed unexpectedly; `__cause__` is the error."""


class TextError(PageError):
    """A page was read, but has no usable text. The result keeps the extraction."""


class EmptyPageError(TextError, exit_code=27):
    """No text was found on the page; the message says what the page is or has instead."""


class LowConfidenceError(TextError, exit_code=28):
    """The text of the page is probably wrong: its confidence is below the minimum of the run."""


class NavigationError(RenderError, exit_code=5):
    """The address could not be opened.

    Parameters
    ----------
    status
        HTTP status, if the server sent one.
    cause
        Chromium's network error, such as ``ERR_NAME_NOT_RESOLVED``, if there was no status.
    retry_after
        Seconds from the server's ``Retry-After`` header, if it sent one.
    unreachable
        Whether no connection to the host of the address itself could be made; False if unknown.
    """

    def __init__(
        self,
        message: str,
        *,
        url: str = "",
        status: int | None = None,
        cause: str | None = None,
        retry_after: float | None = None,
        unreachable: bool = False,
    ) -> None:
        super().__init__(message, url=url)
        self.status = status
        self.cause = cause
        self.retry_after = retry_after
        self.unreachable = unreachable


class EgressRefusedError(NavigationError, exit_code=20):
    """The address is, or leads to, one outside the public internet that was not allowed.

    To allow it, add its host to `EgressPolicy.allowed`. For a single private page that you chose
    yourself, use ``EgressPolicy("named")``.
    """


class NotHTMLError(RenderError, exit_code=6):
    """A file or a response is a picture, a PDF, a feed, a download or empty instead of a page.

    Attributes
    ----------
    lists_pages
        Whether it is a feed or a sitemap, from which `miolo crawl` can start.
    """

    lists_pages = False


class PageTimeoutError(RenderError, exit_code=7):
    """The deadline passed and nothing could be captured."""


class TooLargeError(RenderError, exit_code=8):
    """The page exceeded a limit and nothing could be captured."""


class BrowserCrashedError(RenderError, exit_code=9):
    """Chromium, or the process that renders the page, crashed, and crashed again on a retry."""


class PageBlockedError(RenderError, exit_code=21):
    """The response is a bot check, a consent wall, a login wall or an error page, not the page.

    The message names what was found and the signs by which it was recognised.
    """


class BadLineError(RenderError, exit_code=24):
    """A line of a list of pages cannot be read as an address: it is not UTF-8, or too long."""


class RobotsDisallowedError(RenderError, exit_code=18):
    """The site's robots.txt disallows this page, and the run obeys robots.txt."""


class DuplicatePageError(RenderError, exit_code=19):
    """The address leads to a page that the collection already has."""


class BrowserRequiredError(RenderError, exit_code=23):
    """The server's HTML is not a page, or has no article, unless a browser renders it."""


class ArchiveError(MioloError, exit_code=10):
    """A Miolo file cannot be read: it is truncated, of another kind, or inconsistent."""


class MissingScreenshotError(MioloError, exit_code=11):
    """The page's screenshot is needed, but the snapshot was captured without one."""


class ElementNotFoundError(MioloError, exit_code=25):
    """No element of the page, or of its screenshot, matches a selector."""


class UnknownMethodError(MioloError, exit_code=2):
    """There is no extraction method of this name."""


class SettingsError(MioloError, exit_code=2):
    """A settings file is damaged, or has an unknown key or value."""


class MissingSiteError(MioloError, exit_code=12):
    """The method learns from a site's pages, and no site was given."""


class UnknownRoleError(MioloError, exit_code=2):
    """There is no role or preset of this name; the message lists the existing ones."""


class UnsupportedSystemError(MioloError, exit_code=26):
    """The operating system lacks a required feature; the message names what works on it."""


class MissingDependencyError(MioloError, exit_code=13):
    """An optional dependency is not installed; the message says how to install it."""

    @classmethod
    def of_extra(cls, purpose: str, extra: str) -> MissingDependencyError:
        """The error for a purpose that needs an extra of Miolo."""
        clone = Path(__file__).parent
        in_clone = Path(sys.prefix) == clone / ".venv"  # set up by `make demo`, without pip
        advice = f"run `make browser` in {clone}" if in_clone else f"pip install 'miolo[{extra}]'"
        return cls(f"{purpose} needs the extra `{extra}`: {advice}")


class EmptyInputError(MioloError, exit_code=14):
    """There is nothing to learn from: no page, or none that can be read."""


class PageNotAcceptedError(MioloError, exit_code=15):
    """No wrapper of the site matches the page, as for another template or after a redesign."""


class CollectionLockedError(MioloError, exit_code=16):
    """Another run is writing to this collection."""


class StorageError(MioloError, exit_code=17):
    """Results cannot be written. Those already saved are safe: run the same command again."""


@dataclass(frozen=True)
class PageWarning:
    """Something that the reader of a result should know.

    Attributes
    ----------
    code
        Short and stable, such as ``"deadline"`` or ``"scripts-off"``.
    message
        One human-readable sentence.
    """

    code: str
    message: str
