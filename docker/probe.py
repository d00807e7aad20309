"""Checks a running service, from inside its container, for what the image promises."""

from __future__ import annotations

import json
import os
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

SERVICE = "http://127.0.0.1:8080"
READY_SECONDS = 120
STORY = "<title>{0}</title><h1>{0}</h1>" + "<p>{0} 文章的正文在这里，读者为此而来。</p>" * 6


def ask(path: str, body: object = None, *, with_token: bool = True) -> tuple[int, bytes]:
    """Status and body of an answer."""
    token = Path("/run/secrets/miolo_token").read_text("utf-8").strip()
    headers = {"Content-Type": "application/json"}
    headers |= {"Authorization": f"Bearer {token}"} if with_token else {}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(SERVICE + path, data, headers)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()
    except OSError:
        return 0, b""


def wait_until_ready() -> None:
    """Until a worker is there."""
    until = time.monotonic() + READY_SECONDS
    while ask("/readyz")[0] != 200:
        if time.monotonic() > until:
            raise SystemExit("the service is not ready")
        time.sleep(0.2)


def picture(letter: str) -> str:
    """A letter as the browser draws it; the same box for all letters that no font has."""
    page = f"<title>t</title><p style='font-size:90px'>{letter}"
    status, body = ask("/inspect", {"html": page, "methods": ["nce"]})
    assert status == 200, body[:300]
    answer: dict[str, Any] = json.loads(body)
    return answer["picture"]


def promises() -> dict[str, bool]:
    """Each promise, and whether it is kept."""
    status, body = ask("/extract", {"html": STORY.format("نص"), "method": "nce"})
    reply = json.loads(body) if status == 200 else {}
    facts = Path("/proc/self/status").read_text("utf-8")
    return {
        "an article is taken out": "文章的正文" in reply.get("text", ""),
        "without the token nothing is": ask("/extract", {"html": "x"}, with_token=False)[0] == 401,
        "Chinese has letters": picture("永") != picture("国"),
        "Arabic has letters": picture("ج") != picture("ش"),
        "Hindi has letters": picture("क") != picture("म"),
        "the user is not root": os.getuid() == 10001,
        "the root is read only": not any(map(_writable, ("/", "/opt/miolo", "/etc", "/var/tmp"))),
        "no right can be gained": "NoNewPrivs:\t1" in facts
        and "CapBnd:\t0000000000000000" in facts,
    }


def _writable(folder: str) -> bool:
    try:
        (Path(folder) / "probe").touch()
    except OSError:
        return False
    return True


if __name__ == "__main__":
    wait_until_ready()
    print(json.dumps(promises()))
