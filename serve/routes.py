"""The application: its routes, their OpenAPI description, and the files of the web page."""

from __future__ import annotations

import mimetypes
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, FastAPI, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.security import HTTPBearer
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, RedirectResponse
from starlette.routing import Route
from starlette.types import ASGIApp

from ..debug.reports.report_parts import VIEW_FILES
from ..errors import MioloError
from ..extract.methods.registry import DEFAULT_METHOD, grouped_methods
from ..models.article.roles import DEFAULT_PRESET
from ..names import wrong_value
from ..output.schema import json_schema
from ..version import __version__
from .admission import Admission, BodyLimits, build_work_route
from .dispatcher import Dispatcher
from .drafts import MAX_KEY_CHARS, Drafts
from .guard import is_foreign
from .labelling import LabelQueue, add_label_routes
from .metrics import Metrics
from .problems import REFUSALS, Problem, problem_of
from .requests import (
    DraftRequest,
    ExtractRequest,
    InspectRequest,
    Method,
    MethodRequest,
    PageRequest,
    Role,
    Url,
)
from .service_options import ServiceOptions
from .shell import Shell, problem_answer
from .work import MEDIA

# The OpenAPI description of the answers: media types, the schema of errors, examples.

Responses = dict[int | str, dict[str, Any]]

# Kinds that the examples show.
KINDS = {**REFUSALS, 501: "MissingDependencyError", 502: "NavigationError", 504: "PageTimeoutError"}


class ErrorFacts(BaseModel):
    """The kind of an error, a message for people, and the requested page."""

    kind: str
    message: str
    url: str
    status: int | None = None
    cause: str | None = None


class ErrorAnswer(BaseModel):
    """The body of every error."""

    error: ErrorFacts


def errors(*statuses: int) -> Responses:
    """Descriptions of errors by HTTP status."""
    responses: Responses = {}
    for status in statuses:
        example = {"error": {"kind": KINDS[status], "message": "…", "url": ""}}
        responses[status] = {
            "model": ErrorAnswer,
            "description": "An error, with its kind and a message.",
            "content": {"application/json": {"example": example}},
        }
    if 429 in responses:
        seconds = {"description": "Seconds to wait.", "schema": {"type": "integer"}}
        responses[429]["headers"] = {"Retry-After": seconds}
    return responses


def content(schemas: Mapping[str, Mapping[str, Any]]) -> Responses:
    """Description of a successful answer, from the schemas of its media types."""
    types = {media.partition(";")[0]: {"schema": schema} for media, schema in schemas.items()}
    return {200: {"description": "The result.", "content": types}}


TEXT = {"type": "string"}

ARTICLE = content({**dict.fromkeys(MEDIA.values(), TEXT), MEDIA["json"]: json_schema()})
SNAPSHOT = content({"application/octet-stream": {"type": "string", "format": "binary"}})
INSPECTION = content({MEDIA["json"]: {"type": "object"}})
REPORT = content({MEDIA["html"]: TEXT})
METRICS = content({"text/plain": TEXT})

MAX_MESSAGES = 3

OPEN = ("/healthz", "/readyz")

ERRORS = errors(401, 403, 408, 413, 415, 422, 429, 500, 501, 502, 503, 504)

PAGE = Path(__file__).with_name("page")
LABEL_PAGE = Path(__file__).with_name("label_page")

PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


@dataclass(frozen=True)
class StaticFile:
    """A file of the web page."""

    body: bytes
    media: str


def build_app(
    options: ServiceOptions,
    admission: Admission,
    dispatcher: Dispatcher,
    metrics: Metrics,
    drafts: Drafts,
    queue: LabelQueue | None = None,
) -> ASGIApp:
    """Build the application: the service's routes, wrapped in its shell."""
    # No docs pages, since they load scripts from elsewhere; the schema is at /openapi.json.
    app = FastAPI(title="Miolo", version=__version__, docs_url=None, redoc_url=None)
    files = page_files(labels=queue is not None)
    # Only for the description: the shell has already checked the token.
    guards = [Depends(HTTPBearer(auto_error=False))] if options.token else []
    work_route = build_work_route(admission, BodyLimits(options.max_body))
    work = APIRouter(route_class=work_route, responses=ERRORS, dependencies=guards)
    _add_work(work, dispatcher)
    _add_drafts(work, drafts)
    if queue is not None:
        add_label_routes(work, queue)
    app.include_router(work)
    _add_facts(app, metrics, guards, has_sites=options.sites is not None)
    _add_health(app, admission)
    for path, file in files.items():
        _add_file(app, path, file)
    for kind in (HTTPException, RequestValidationError, MioloError, Exception):
        app.add_exception_handler(kind, _answer_error)
    paths = {route.path for route in (*app.routes, *work.routes) if isinstance(route, Route)}
    return Shell(app, options, metrics, frozenset(paths), frozenset((*files, *OPEN)))


def _add_work(app: APIRouter, dispatcher: Dispatcher) -> None:
    @app.post("/extract", responses=ARTICLE, response_class=Response)
    async def extract(body: ExtractRequest, request: Request) -> Response:
        """Render a page and extract its article."""
        return await dispatcher.answer(request, "extract", body)

    @app.post("/render", responses=SNAPSHOT, response_class=Response)
    async def render(body: PageRequest, request: Request) -> Response:
        """Render a page and return its snapshot file."""
        return await dispatcher.answer(request, "render", body)

    @app.post("/inspect", responses=INSPECTION, response_class=Response)
    async def inspect(body: InspectRequest, request: Request) -> Response:
        """Inspect a page with one or two methods, as the web page shows it."""
        return await dispatcher.answer(request, "inspect", body)

    @app.get("/inspect", responses=REPORT, response_class=Response)
    async def report(
        request: Request,
        url: Annotated[Url, Query(description="URL of the page.")],
        method: Annotated[Method, Query(description="A name from GET /methods.")] = DEFAULT_METHOD,
        preset: Annotated[
            Role, Query(description="Roles that count as the text: article, body or everything.")
        ] = DEFAULT_PRESET,
    ) -> Response:
        """Return a self-contained HTML report on a page."""
        fields = {"url": url, "method": method, "preset": preset}
        return await dispatcher.answer(request, "report", MethodRequest.model_validate(fields))


def _add_drafts(app: APIRouter, drafts: Drafts) -> None:
    @app.post("/drafts", status_code=204)
    def save_draft(draft: DraftRequest) -> None:
        """Save the corrections that a user of the web page made on a page."""
        drafts.save(draft.key, draft.text)

    @app.get("/drafts")
    def load_draft(
        key: Annotated[str, Query(max_length=MAX_KEY_CHARS, description="Key of the page.")],
    ) -> dict[str, str | None]:
        """Return the saved corrections of a page; null if there are none."""
        return {"text": drafts.load(key)}


def _add_facts(app: FastAPI, metrics: Metrics, guards: Sequence[Any], *, has_sites: bool) -> None:
    @app.get("/methods", responses=errors(401, 403, 500), dependencies=guards)
    async def methods() -> list[dict[str, Any]]:
        """List the methods by group, the default first, with the names of their variants."""
        return [
            {"name": name, "group": group, "about": method.about, "needs_site": method.needs_site,
             "available": has_sites or not method.needs_site,
             "variants": [f"{name}:{variant}" for variant in method.variants]}
            for group, members in grouped_methods().items()
            for name, method in members.items()
        ]  # fmt: skip

    described = {**METRICS, **errors(401, 403, 500)}

    @app.get("/metrics", responses=described, dependencies=guards, response_class=Response)
    async def metrics_text() -> Response:
        """Metrics for Prometheus."""
        return Response(metrics.to_text(), media_type="text/plain; version=0.0.4; charset=utf-8")


def _add_health(app: FastAPI, admission: Admission) -> None:
    @app.head("/healthz", include_in_schema=False)
    @app.get("/healthz", responses=errors(403, 500))
    async def healthz() -> dict[str, str]:
        """Whether the service is up."""
        return {"status": "up"}

    @app.head("/readyz", include_in_schema=False)
    @app.get("/readyz", responses={**errors(403, 500), 503: {"description": "No worker is ready."}})
    async def readyz() -> Response:
        """Whether the service can process a request now."""
        status = "ready" if admission.is_ready else "not ready"
        return JSONResponse({"status": status}, 200 if admission.is_ready else 503)


def _add_file(app: FastAPI, path: str, file: StaticFile) -> None:
    @app.head(path, include_in_schema=False)
    @app.get(path, include_in_schema=False)
    async def page_file(request: Request, url: str | None = None) -> Response:
        # A link with an address starts an extraction; from another site it only fills the form in.
        if url is not None and is_foreign(request.headers):
            return RedirectResponse(f"/?{urlencode({'fill': url})}", 303)
        headers = {"Content-Security-Policy": PAGE_POLICY}
        return Response(file.body, media_type=file.media, headers=headers)


async def _answer_error(request: Request, error: Exception) -> Response:
    if isinstance(error, HTTPException):
        headers = dict(error.headers or {})
        # The rest of a body that is too large is dropped, so that its client receives the answer.
        if error.status_code == 408:
            headers["Connection"] = "close"
        problem = Problem(error.status_code, str(error.detail), headers=headers)
    elif isinstance(error, RequestValidationError):
        messages = [_validation_message(each) for each in error.errors()[:MAX_MESSAGES]]
        problem = Problem(422, "; ".join(messages))
    elif isinstance(error, MioloError):
        problem = problem_of(error)
    else:
        problem = Problem(500, "the service failed unexpectedly")
    return problem_answer(problem, request.scope)


def _validation_message(error: dict[str, Any]) -> str:
    """Where the request is invalid and why."""
    place = ".".join(str(part)[:40] for part in error["loc"] if part not in ("body", "query"))
    message = wrong_value(error)
    return f"{place}: {message}" if place else message


def page_files(*, labels: bool = False) -> Mapping[str, StaticFile]:
    """Static files by path: the page's own, those of reports, and on request those of label
    pages.
    """
    folders = (PAGE, LABEL_PAGE) if labels else (PAGE,)
    own = {path.name: path for folder in folders for path in sorted(folder.iterdir())}
    paths = {**VIEW_FILES, **own}
    files = {}
    for name, path in paths.items():
        media = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
        if media.startswith(("text/", "application/javascript")):
            media += "; charset=utf-8"
        files[f"/{name}"] = StaticFile(path.read_bytes(), media)
    return {**files, "/": files["/index.html"]}
