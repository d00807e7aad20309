"""`Dispatcher`: passes validated requests to the pool, and returns the answers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from time import monotonic

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from ..collect.page_worker import PROGRAM, WorkerSetup
from ..errors import MioloError, MissingSiteError
from ..extract.methods.registry import find_method
from ..extract.options import ExtractOptions
from ..models.site_folder import SiteFolder
from ..renderer.network.policy import EgressPolicy
from ..renderer.options import RenderOptions
from ..workers.pool import Pool, PoolOptions
from .logs import host_name, log_error, log_worker_line
from .problems import CLIENT_GONE, problem_of
from .requests import ExtractRequest, PageRequest
from .service_options import ServiceOptions
from .shell import facts_of, problem_answer
from .work import Action, WorkRequest, WorkResponse

INTERNAL_ERROR = 500

# Time for a worker to abandon a page after it is cancelled; then the worker is killed.
GRACE_SECONDS = 2.0

NO_SANDBOX = "--no-sandbox"


def service_pool(options: ServiceOptions, on_death: Callable[[], None] = lambda: None) -> Pool:
    """The workers of the service, each with one page at a time."""
    worker = WorkerSetup(
        "miolo.serve.answers:answer_request",
        None,
        _render_options(options),
        (*options.switches, *(() if options.sandbox else (NO_SANDBOX,))),
        first=WorkRequest("warm_up", ""),
    )
    limits = PoolOptions(
        options.workers,
        grace=GRACE_SECONDS,
        lifetime=options.max_pages,
        max_memory=options.max_memory,
        lasting=True,
    )
    return Pool(PROGRAM, worker, limits, note=log_worker_line, on_death=on_death)


def _render_options(options: ServiceOptions) -> RenderOptions:
    """The service's rendering options: no page may reach an address that its caller could not."""
    return RenderOptions(
        egress=EgressPolicy("always" if options.private else "never", options.allowed),
        block=options.block,
    )


class Dispatcher:
    """Passes admitted requests to the pool, and answers them."""

    def __init__(self, options: ServiceOptions, pool: Pool) -> None:
        self._options = options
        self._pool = pool
        self._render = _render_options(options)

    async def answer(self, request: Request, action: Action, page_request: PageRequest) -> Response:
        """The answer to a request, which may be an error."""
        facts = facts_of(request.scope)
        facts.host = host_name(page_request.url)
        try:
            work_request = self._order(action, page_request)
            seconds = min(page_request.deadline or self._options.deadline, self._options.deadline)
            work_response = await self._work(request, work_request, facts.arrived + seconds)
        except MioloError as error:
            problem = problem_of(error)
            if problem.status == INTERNAL_ERROR:
                log_error(problem.name, error.traceback or "", id=facts.id)
            return problem_answer(problem, request.scope)
        if work_response is None:
            raise HTTPException(CLIENT_GONE, "the client has disconnected")
        policy = work_response.policy
        headers = {"Content-Security-Policy": policy} if policy else None
        return Response(work_response.body, media_type=work_response.media, headers=headers)

    async def read_saved(self, action: Action, file: Path, picture: Path | None) -> bytes:
        """The response for a saved snapshot."""
        work_request = WorkRequest(
            action, str(file), file=file, picture=picture, model=self._options.model
        )
        response = await self._pool.run(work_request, monotonic() + self._options.deadline)
        return response.body

    def _order(self, action: Action, page_request: PageRequest) -> WorkRequest:
        render = page_request.options(self._render)
        if action in ("report", "inspect"):
            render = replace(render, screenshot=True, hide_overlays=True)
        ways = self._ways(page_request.extract)
        url, html = page_request.url or "", page_request.html
        work_request = WorkRequest(action, url, html, extract=ways, render=render)
        if not isinstance(page_request, ExtractRequest):
            return work_request
        return replace(work_request, form=page_request.format, writing=page_request.writing)

    def _ways(self, ways: tuple[ExtractOptions, ...]) -> tuple[ExtractOptions, ...]:
        """How the text is extracted, with the learned sites of the service."""
        sites = self._options.sites
        for way in ways:
            if sites is None and find_method(way.method).needs_site:
                raise MissingSiteError(
                    f"{way.method} needs a learned site, and this service has none (it is started "
                    "with --sites DIR)"
                )
        site = sites and SiteFolder(sites)
        return tuple(replace(way, site=site) for way in ways)

    async def _work(
        self, request: Request, work_request: WorkRequest, due: float
    ) -> WorkResponse | None:
        """The response to a request; None if the client has disconnected."""
        work = asyncio.ensure_future(self._pool.run(work_request, due))

        async def disconnect() -> None:
            while (await request.receive())["type"] != "http.disconnect":
                continue

        gone = asyncio.ensure_future(disconnect())
        try:
            await asyncio.wait((work, gone), return_when=asyncio.FIRST_COMPLETED)
            return work.result() if work.done() else None
        finally:
            work.cancel()
            gone.cancel()
            await asyncio.gather(work, gone, return_exceptions=True)
