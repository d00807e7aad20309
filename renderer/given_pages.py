"""Pages that the caller gives as HTML or as a file, read without a browser in this thread."""

from __future__ import annotations

from pathlib import Path
from time import monotonic

from ..errors import NavigationError, PageTimeoutError, TooLargeError
from .network.source_kinds import START_BYTES, check_content, is_archive, is_mhtml
from .options import Limits
from .page.encoding import check_html
from .page.served import named_address, with_address
from .page.snapshot import NOWHERE, Snapshot


def parse_given_html(html: str | bytes, url: str, limits: Limits) -> Snapshot | None:
    """Snapshot of HTML; None for MHTML, whose page is read from an archive."""
    check_html(html)
    if is_mhtml(html):
        return None
    check_content(html, "the HTML" if url == NOWHERE else url, url)
    if url == NOWHERE:
        url = named_address(html) or url
    return _parse(html, url, limits)


def parse_given_file(path: Path, limits: Limits) -> Snapshot | None:
    """Snapshot of a file with HTML; None for a web archive."""
    start = read_start(path, START_BYTES)
    if is_archive(path, start):
        return None
    check_content(start, str(path))
    data = read_start(path, limits.response_bytes + 1)
    if len(data) > limits.response_bytes:
        raise TooLargeError(f"{path} is larger than {limits.response_bytes} bytes", url=str(path))
    snapshot = _parse(data, path.as_uri(), limits)
    address = named_address(start)
    return with_address(snapshot, address) if address else snapshot


def read_start(path: Path, max_bytes: int) -> bytes:
    """The first bytes of a file."""
    try:
        with path.open("rb") as file:
            return file.read(max_bytes)
    except OSError as error:
        raise NavigationError(f"{path} cannot be read: {error}", url=str(path)) from error


def _parse(html: str | bytes, url: str, limits: Limits) -> Snapshot:
    started = monotonic()
    snapshot = Snapshot.from_html(html, url=url, limits=limits)
    if monotonic() - started > limits.seconds:
        raise PageTimeoutError(f"{url} could not be read in time", url=url)
    return snapshot
