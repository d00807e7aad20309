"""The service's log, as readable or JSON lines, without page content, addresses or tokens."""

from __future__ import annotations

import json
import logging
import traceback
from datetime import UTC, datetime
from typing import Any

from ..output.write.terminal import printable, printable_line
from ..renderer.network.origins import split_url

LOGGER = logging.getLogger("miolo.serve")

MAX_FRAMES, MAX_CHAIN = 40, 5


def begin_log(*, as_json: bool) -> None:
    """Write the log to standard error."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines() if as_json else ReadableLines())
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    LOGGER.setLevel(logging.INFO)
    # It warns of invalid requests, which have lines of their own.
    logging.getLogger("uvicorn.error").setLevel(logging.ERROR)


def log(event: str, **facts: Any) -> None:
    """Log an event of the service."""
    LOGGER.info(event, extra={"facts": facts})


def log_error(kind: str, trace: str, **facts: Any) -> None:
    """Log an internal error of the service, and where it occurred."""
    LOGGER.error("error", extra={"facts": {**facts, "kind": kind, "trace": trace}})


def log_worker_line(line: str) -> None:
    """Log a line that a worker has written to standard error."""
    LOGGER.warning("worker", extra={"facts": {"line": printable(line)}})


def trace_of(error: BaseException) -> str:
    """Where an error occurred, without its message, which may quote a page: the stack traces and
    types of the error and of those that led to it, the earliest first.
    """
    parts: list[str] = []
    each: BaseException | None = error
    while each is not None and len(parts) < MAX_CHAIN:
        stack = traceback.format_tb(each.__traceback__, -MAX_FRAMES)
        parts.append("".join([*stack, type(each).__qualname__]))
        each = each.__cause__ or (None if each.__suppress_context__ else each.__context__)
    return "\n".join(reversed(parts))


def host_name(url: str | None) -> str:
    """The host of an address, the only part of it that is logged."""
    return split_url(url or "").hostname or ""


class JsonLines(logging.Formatter):
    """Formats each record as one JSON object."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as one line."""
        time = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        event, facts = _event_of(record)
        return json.dumps({"time": time, "event": event, **facts})


class ReadableLines(logging.Formatter):
    """Formats each record as one readable line, with the trace of an error below it."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as one line, or as several if there is a trace."""
        event, facts = _event_of(record)
        if event == "listening":
            return f"Miolo is running at {facts['address']}/ (press Ctrl-C to stop)"
        if event == "labelling":
            return f"Label pages at {facts['address']}/label.html"
        trace = facts.pop("trace", "")
        words = " ".join(f"{name}={fact}" for name, fact in facts.items() if fact != "")
        time = datetime.fromtimestamp(record.created).strftime("%H:%M:%S")
        line = printable_line(f"{time} {event} {words}")
        return f"{line}\n{trace}" if trace else line


def _event_of(record: logging.LogRecord) -> tuple[str, dict[str, Any]]:
    """Event and facts of a record; messages of libraries may quote a request and are left out."""
    if record.name == LOGGER.name:
        return record.getMessage(), dict(getattr(record, "facts", {}))
    kind = record.exc_info[0].__name__ if record.exc_info and record.exc_info[0] else ""
    return "library", {"logger": record.name, "level": record.levelname, "kind": kind}
