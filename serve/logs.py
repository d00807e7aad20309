"""Lines of JSON on standard error: never of a page's content, a full address or a token."""

from __future__ import annotations

import json
import logging
import re
import sys
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

__all__ = ["JsonLines", "frames", "host_name", "log"]

FRAME = re.compile(r'File "[^"]+", line \d+, in \S+$')


def log(event: str, **facts: Any) -> None:
    """Write a line."""
    time = datetime.now(UTC).isoformat(timespec="milliseconds")
    line = json.dumps({"time": time, "event": event, **facts})
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


def host_name(url: str | None) -> str:
    """All of an address that is logged."""
    try:
        return urlsplit(url or "").hostname or ""
    except ValueError:
        return ""


def frames(traceback: str) -> list[str]:
    """Where an exception was raised, innermost last, without its message and the code's values."""
    lines = (line.strip() for line in traceback.splitlines())
    return [line for line in lines if FRAME.match(line)]


class JsonLines(logging.Handler):
    """What libraries log, by logger and level alone: their messages may quote a request."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write a line."""
        kind = record.exc_info[0].__name__ if record.exc_info and record.exc_info[0] else ""
        log("library", logger=record.name, level=record.levelname, kind=kind)
