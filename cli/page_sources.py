"""The input of the commands: a page as URL, file, snapshot or ``-``, and the method for it."""

from __future__ import annotations

import sys
from collections.abc import AsyncGenerator, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, nullcontext
from dataclasses import replace
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from ..errors import ArchiveError, MioloError, UnknownMethodError
from ..renderer.network.ip_addresses import Address, as_address
from ..renderer.network.written_addresses import ADDRESS, unquoted, whole_address
from ..renderer.network.written_addresses import whole_source as typed_source
from ..renderer.options import OPTIONS, RenderOptions
from .console import counted, print_note, without_collection

if TYPE_CHECKING:
    from ..extract.job import PageJob
    from ..extract.options import ExtractOptions
    from ..extract.sources import Source
    from ..output.extraction import Extraction
    from ..output.page_result import PageResult
    from ..renderer.page.snapshot import Snapshot
    from ..renderer.renderer import Renderer

# Options that concern pages, too, that are rendered already.
OF_RENDERED = ("browser", "restore", "color_scheme")

SHOWN = 3  # maximum number of addresses in a message, since a name may have any number of them

GRACE_SECONDS = 120.0
"""Time beyond a page's deadline after which the process is ended, whatever it is doing. It is long
because the first use of a method compiles code, and an article may continue on other pages."""


# What the page of an address needs, in the order in which it is imported while a browser starts.
MODULES = (
    "extract.sources", "extract.job_run", "renderer.renderer", "renderer.browser.visit",
    "extract.warm_up", "renderer.page.static", "output.formats",
)  # fmt: skip


@asynccontextmanager
async def lazy_renderer(
    options: RenderOptions, archive: Path | None = None, source: str = ""
) -> AsyncGenerator[Renderer]:
    """A renderer that starts a browser only when a page needs one, and may read an archive.

    If the page of `source` certainly needs one, the browser starts at once, while the rest is
    imported. The renderer's own options refuse private addresses; see `named_options`.
    """
    on_start, first = cache(warn_of_root), None
    is_address = archive is None and source.lower().startswith(("http://", "https://"))
    if is_address and (of_page := options.for_page(source)).browser == "always":
        on_start()
        with without_collection():
            import asyncio

            from ..renderer.browser.engine import Engine

            is_filtered = of_page.is_filtered
            first = asyncio.ensure_future(Engine.start(sealed=is_filtered)), is_filtered
            for name in MODULES:
                await asyncio.sleep(0)  # in which the start goes on
                import_module(f"..{name}", __package__)
    from ..renderer.archives.open_archive import open_archive
    from ..renderer.options import restrict_policy
    from ..renderer.renderer import Renderer

    with open_archive(archive) if archive else nullcontext() as replay:
        renderer = Renderer(restrict_policy(options), replay=replay, on_start=on_start, first=first)
        try:
            yield renderer
        finally:
            await renderer.close()


def page_source(text: str, url: str | None = None) -> Source:
    """Parse a source on the command line.

    With `url`, the source is an HTML file, or standard input, whose content came from that address.
    """
    from ..extract.sources import HTML, check_file, parse_source

    if text == "-":
        content = sys.stdin.buffer.read()
        return HTML(content, url) if url else HTML(content)
    if url is None:
        source = parse_source(text)
        return _with_kept_screenshot(source) if isinstance(source, Path) else source
    check_file(Path(text), text)
    return HTML(Path(text).read_bytes(), url)


def _with_kept_screenshot(file: Path) -> Source:
    """The snapshot in a file with the screenshot that its collection keeps; else the file."""
    from ..collect.batch.files import screenshot_beside, with_screenshot
    from ..renderer.page.snapshot import Snapshot

    screenshot = screenshot_beside(file)
    if screenshot is None:
        return file
    try:
        return with_screenshot(Snapshot.load(file), screenshot)
    except (MioloError, OSError):  # whoever reads it reports the cause
        return file


def check_one_stdin(*sources: str) -> None:
    """Refuse a second ``-``, for which nothing is left to read."""
    if sources.count("-") > 1:
        raise typer.BadParameter("standard input (-) can be only one of the sources")


async def named_options(renderer: Renderer, source: str, options: RenderOptions) -> RenderOptions:
    """Options for a source that the user typed, whose private address may be reached."""
    from ..renderer.options import resolve_policy

    if renderer.replay is not None:
        return options
    return await resolve_policy(options, source, on_grant=report_private_host)


def report_private_host(host: str, addresses: Sequence[Address]) -> None:
    """Print that a page may reach private addresses, and why."""
    sample = ", ".join(map(str, addresses[:SHOWN]))
    more = ", ..." if len(addresses) > SHOWN else ""
    is_name = as_address(host) is None
    home = f"has only private addresses ({sample}{more})" if is_name else "is a private address"
    print_note(
        f"{host} {home}, so its page may reach private addresses (use --no-private to refuse them)"
    )


async def load_page(
    renderer: Renderer, source: str, options: RenderOptions, **more: Any
) -> Snapshot:
    """The snapshot of a source that the user typed; `more` are further fields of its job."""
    job = await typed_job(renderer, source, options, keep_snapshot=True, **more)
    result = (await extract_job(job, renderer)).raise_for_error()
    assert result.snapshot is not None
    return result.snapshot


async def typed_job(
    renderer: Renderer,
    source: str,
    options: RenderOptions,
    tab: Snapshot | None = None,
    **more: Any,
) -> PageJob:
    """The job of a source that the user typed, or of a tab of the user's own browser."""
    if tab is not None:
        return replace(page_job(source, options, **more), source=tab)
    return page_job(source, await named_options(renderer, source, options), **more)


def page_job(source: str, options: RenderOptions, url: str | None = None, **more: Any) -> PageJob:
    """The job of a source, which only renders unless `more` has `extract`; see `page_source`."""
    from ..extract.job import PageJob

    deadline = options.limits.seconds
    chosen = {"extract": (), "requested_url": source, "deadline": deadline, **more}
    return PageJob(page_source(source, url), options, **chosen)


def with_learned(extract: ExtractOptions, site: Path | None, model: Path | None) -> ExtractOptions:
    """The options of extraction, with a site and a model read from files before a browser
    starts.
    """
    if site is None and model is None:
        return extract
    from ..extract.methods.registry import METHODS, find_method

    method = extract.method
    model_type = find_method(method).model_type
    if model and model_type is None:
        others = " and ".join(name for name, each in METHODS.items() if each.model_type)
        raise UnknownMethodError(f"--model is used by the methods {others}, not by {method}")
    if site and extract.site is not None:
        raise typer.BadParameter("use either --site or --sites")
    if site:
        from ..models.site import Site

        extract = replace(extract, site=Site.load(site))
    if model is None:
        return extract
    return replace(extract, model=load_model(model, method))


def load_model(file: Path, method: str) -> Any:
    """The model of a method; if the file has one for another method, the error names that."""
    from ..extract.methods.registry import METHODS, find_method

    model_type = find_method(method).model_type
    assert model_type is not None
    try:
        return model_type.load(file)
    except ArchiveError:
        for name, other in METHODS.items():
            if other.model_type not in (None, model_type) and _can_load(other.model_type, file):
                raise ArchiveError(
                    f"{file} is a model for --method {name}, not for {method}"
                ) from None
        raise


def _can_load(model_type: Any, file: Path) -> bool:
    try:
        model_type.load(file)
    except ArchiveError:
        return False
    return True


async def connected_tab(address: str | None, part: str, options: RenderOptions) -> Snapshot | None:
    """The tab of the user's own browser; None if no address is given."""
    if address is None:
        return None
    from ..integrations.live_page import capture_tab

    return await capture_tab(address, part, options.limits)


def report_unused(options: RenderOptions, sources: Iterable[str], connect: str | None) -> None:
    """Print the options that have no effect on pages that are rendered already."""
    unused = [
        f"--{option.flag}"
        for name, option in OPTIONS.items()
        if not (name in OF_RENDERED or option.is_of_text)
        and getattr(options, name) != option.default
    ]
    if not unused:
        return
    from ..extract.sources import is_saved

    rendered = "a tab that is open"
    if connect is None:
        rendered = counted(sum(map(is_saved, sources)), "saved snapshot")
    if rendered[0] != "0":
        print_note(f"no effect on {rendered}: {', '.join(unused)}")


async def extract_job(job: PageJob, renderer: Renderer) -> PageResult:
    """Run a job in this thread; code that never returns is ended with the process."""
    from ..extract.job_run import CallingThread, extract_given, extract_page

    with _limits(job):
        given = extract_given(job)
        return given or await extract_page(job, renderer, executor=CallingThread())


def extract_given_job(job: PageJob, options: RenderOptions) -> PageResult:
    """Run a job, without an event loop if its page is given; see `extract_job`."""
    from ..extract.job_run import extract_given

    with _limits(job):
        given = extract_given(job)
    if given is not None:
        return given
    import asyncio

    async def extract_alone() -> PageResult:
        async with lazy_renderer(options) as renderer:
            return await extract_job(job, renderer)

    return asyncio.run(extract_alone())


@contextmanager
def _limits(job: PageJob) -> Iterator[None]:
    from ..workers.process_limits import end_within, limit_cpu, limit_memory

    limit_memory()
    if job.deadline is not None:
        end_within(job.deadline + GRACE_SECONDS)
        limit_cpu(job.deadline + GRACE_SECONDS)
    try:
        yield
    finally:
        end_within(None)
        limit_cpu(None)
        limit_memory(None)


async def load_source(source: str, options: RenderOptions, archive: Path | None = None) -> Snapshot:
    """The snapshot of a source, rendered with its own browser."""
    async with lazy_renderer(options, archive, source) as renderer:
        return await load_page(renderer, source, options)


def print_warnings(extraction: Extraction, source: str, error: MioloError | None = None) -> None:
    """Print the warnings of an extraction that its error does not quote."""
    for warning in extraction.warnings:
        if error is not None and warning.message in str(error):
            continue
        print_note(f"{source}: {warning.message} ({warning.code})")


def warn_of_root() -> None:
    """Print a note if pages are rendered without a sandbox."""
    from ..workers.system import is_root

    if is_root():
        print_note(
            "running as root, so Chromium has no sandbox: render only pages that you trust, or run "
            "as another user"
        )


def listed_source(text: str, *, files: bool) -> str:
    """The address or file that a line of a list names; if it names neither, an error has the
    reason.

    Whoever writes a list is not always the one who uses it, so a line names a file only if the list
    is trusted (`files`) or the line can be nothing else.
    """
    may_be_file = files or unquoted(text).startswith(("./", "/"))
    source = typed_source(text) if may_be_file else whole_address(text)
    if _is_file_url(source):
        source = typed_source(source)
        # It is kept if it has no path, or the host of another machine.
        if _is_file_url(source):
            raise ValueError("a file: address without a path on this machine")
    elif not may_be_file and not ADDRESS.match(source):
        raise ValueError(
            "no address that starts with http:// or https://; paths of files start with ./ or /, "
            "or need --files"
        )
    return source


def _is_file_url(source: str) -> bool:
    return source[:5].lower() == "file:"


def typed_address(text: str) -> str:
    """Read an http or https address, which may lack its scheme."""
    address = typed_source(text)
    if not address.lower().startswith(("http://", "https://")):
        raise typer.BadParameter(f"{text!r} is not an http or https URL")
    return address
