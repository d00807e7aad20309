"""The OpenAPI description of the answers: media types, the schema of errors, examples."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from ..output.schema import json_schema
from .problems import REFUSALS
from .work import MEDIA

__all__ = ["ARTICLE", "INSPECTION", "METRICS", "REPORT", "SNAPSHOT", "errors"]

Responses = dict[int | str, dict[str, Any]]

# Kinds that the examples show.
KINDS = {
    **REFUSALS,
    501: "MissingDependencyError",
    502: "NavigationError",
    504: "PageTimeoutError",
}


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
"""Description of an extracted article in any format."""

SNAPSHOT = content({"application/octet-stream": {"type": "string", "format": "binary"}})
"""Description of a snapshot file."""

INSPECTION = content({MEDIA["json"]: {"type": "object"}})
"""Description of the data of the web page."""

REPORT = content({MEDIA["html"]: TEXT})
"""Description of a report."""

METRICS = content({"text/plain": TEXT})
"""Description of the metrics."""
