"""Save the pictures of an article in a folder."""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from ..errors import MioloError, PageWarning
from ..patterns import lazy_re
from ..renderer.options import RenderOptions, resolve_policy
from ..renderer.page.container import whole_file
from ..renderer.renderer import Renderer
from .document.document import images_of
from .extraction import Extraction

# In WebP and AVIF, the name of the format follows a length.
SIGNATURES = {
    ".png": lazy_re(rb"\x89PNG\r\n\x1a\n"), ".jpg": lazy_re(rb"\xff\xd8\xff"),
    ".gif": lazy_re(rb"GIF8[79]a"), ".webp": lazy_re(rb"RIFF.{4}WEBP", re.DOTALL),
    ".avif": lazy_re(rb".{4}ftypavi[fs]", re.DOTALL),
}  # fmt: skip


@dataclass(frozen=True)
class ImageLimits:
    """Bounds on the pictures of one article. Pictures beyond them keep their addresses.

    They are the number of pictures, the bytes and seconds of one and of all together, and the
    number of pictures that are fetched at the same time.
    """

    count: int = 200
    bytes: int = 20 << 20
    total_bytes: int = 200 << 20
    seconds: float = 20.0
    total_seconds: float = 60.0
    concurrency: int = 4


@dataclass(frozen=True)
class SavedImages:
    """Names of files by addresses of pictures, and a warning for each that was not saved."""

    files: dict[str, str] = field(default_factory=dict)
    warnings: tuple[PageWarning, ...] = ()


async def save_images(
    extraction: Extraction,
    folder: str | Path,
    *,
    options: RenderOptions | None = None,
    limits: ImageLimits | None = None,
) -> SavedImages:
    """Save the pictures of an article in a folder.

    The name of a file is a hash of its content with the suffix of its type, which is recognised by
    the first bytes: PNG, JPEG, GIF, WebP or AVIF. SVG is not saved, since it may contain scripts.

    Parameters
    ----------
    folder
        Where the files are written. It is created if it does not exist.
    options
        Options whose proxy, cookies and egress policy the requests use, and also their headers if
        these are restricted to a host (`RenderOptions.headers_for`). As for the links of a page,
        ``EgressPolicy("named")`` allows private addresses only if the page's own are private.

    Raises
    ------
    OSError
        A file cannot be written.

    Examples
    --------
    >>> async def write(article):
    ...     saved = await save_images(article, "images")
    ...     paths = {url: f"images/{name}" for url, name in saved.files.items()}
    ...     return format_extraction(article, "markdown", WriteOptions(image_paths=paths))
    """
    limits = limits or ImageLimits()
    urls = list(dict.fromkeys(each.url for each in images_of(extraction.body.document())))
    options = options or RenderOptions()
    if options.headers_for is None:
        options = replace(options, headers={})  # the pictures may be on any server
    options = await resolve_policy(options, extraction.url)
    files, failures = await _download(urls[: limits.count], options, Path(folder), limits)
    for url in urls[limits.count :]:
        failures[url] = f"the limit of {limits.count} images was reached"
    warnings = tuple(
        PageWarning("image", f"{url[:200]} was not saved: {failures[url]}")
        for url in urls
        if url in failures
    )
    return SavedImages({url: files[url] for url in urls if url in files}, warnings)


async def _download(
    urls: Sequence[str], options: RenderOptions, folder: Path, limits: ImageLimits
) -> tuple[dict[str, str], dict[str, str]]:
    """Names of the files of pictures, and why others were not saved, by their addresses."""
    files: dict[str, str] = {}
    failures: dict[str, str] = {}
    slots = asyncio.Semaphore(limits.concurrency)
    bytes_left = limits.total_bytes
    too_many_bytes = f"the size limit for all images ({limits.total_bytes:,} bytes) was reached"

    async def save(url: str) -> None:
        nonlocal bytes_left
        try:
            async with slots:
                most = min(limits.bytes, bytes_left)
                if most <= 0:
                    raise MioloError(too_many_bytes)
                answer = await renderer.fetch(url, seconds=limits.seconds, max_bytes=most)
            if answer.status != 200:
                raise MioloError(f"its server returned status {answer.status}")
            bytes_left -= len(answer.body)
            if bytes_left < 0:
                raise MioloError(too_many_bytes)
            if not (suffix := _suffix(answer.body)):
                raise MioloError("it is not a PNG, JPEG, GIF, WebP or AVIF image")
        except MioloError as error:
            failures[url] = str(error)
            return
        name = hashlib.sha256(answer.body).hexdigest()[:20] + suffix
        await asyncio.to_thread(_write, folder / name, answer.body)
        files[url] = name

    renderer = Renderer(options)  # plain requests start no browser
    try:
        async with asyncio.timeout(limits.total_seconds), asyncio.TaskGroup() as group:
            for url in urls:
                group.create_task(save(url))
    except TimeoutError:
        late = f"the time limit for all images ({limits.total_seconds:g} s) was reached"
        failures = {url: late for url in urls if url not in files} | failures
    except ExceptionGroup as errors:
        raise errors.exceptions[0] from None
    finally:
        await renderer.close()
    return files, failures


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path) as file:
        file.write(data)


def _suffix(data: bytes) -> str:
    """The suffix for a picture's type, recognised by its first bytes; empty for other content."""
    return next((suffix for suffix, start in SIGNATURES.items() if start.match(data)), "")
