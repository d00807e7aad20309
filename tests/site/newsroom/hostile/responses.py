"""Unusual responses: status, redirects, media type and timing."""

import json
from collections.abc import Iterator

from newsroom.layouts import semantic
from newsroom.markup import esc
from newsroom.paper import LEDGER
from newsroom.pictures import png
from newsroom.web import Handler, HangUpError, Reply, Request, endless, page, redirect

ARTICLE = LEDGER.path(LEDGER.stories[0])


def message(title: str, text: str, status: int) -> Reply:
    """A page with the newspaper's header and footer and a message instead of an article."""
    main = f'<main class="index"><h1>{esc(title)}</h1><p>{esc(text)}</p></main>'
    markup = semantic.document(title, semantic.masthead() + main + semantic.footer())
    return page(markup, status)


def not_found(request: Request) -> Reply:
    """The answer for a missing page."""
    text = "The page may have moved, or it may have gone out with the tide."
    return message("Page not found", text, 404)


def server_error(request: Request) -> Reply:
    """The answer when something broke."""
    return message("Something went wrong", "Our presses have jammed. Please try again.", 500)


def chain(request: Request) -> Reply:
    """One of five redirects that lead to an article."""
    last = request.path.rpartition("/")[2]
    step = int(last) if last.isdigit() else 0
    return redirect(f"/hostile/redirect-chain/{step + 1}" if step < 4 else ARTICLE, 301 + step % 2)


def _loop(request: Request) -> Reply:
    return redirect("/hostile/redirect-loop")


def _json(request: Request) -> Reply:
    tides = {"port": "Saltmere", "high": ["04:12", "16:40"], "low": ["10:25", "22:51"]}
    return Reply(json.dumps(tides).encode(), kind="application/json")


def _download(request: Request) -> Reply:
    headers = (("Content-Disposition", 'attachment; filename="tides.csv"'),)
    return Reply(b"port,high,low\nSaltmere,04:12,10:25\n", kind="text/csv", headers=headers)


def _article_bytes() -> bytes:
    return semantic.article(LEDGER.stories[0]).encode()


def _never_ends(request: Request) -> Reply:
    first = _article_bytes().replace(b"</body>\n</html>", b"")
    return Reply(endless(request, first, b"<p>The tide is still coming in.</p>\n", 0.1))


def _stall(request: Request, *pieces: bytes) -> Reply:
    """A reply whose body does not continue after its first pieces."""

    def body() -> Iterator[bytes]:
        yield from pieces
        request.stop.wait()

    return Reply(body())


def _hangs(request: Request) -> Reply:
    request.stop.wait()
    raise HangUpError


def _slow_headers(request: Request) -> Reply:
    request.wait(3)
    return Reply(_article_bytes())


def _truncate(request: Request) -> Reply:
    whole = _article_bytes()
    # The cut comes after the text, so that a lenient reader still gets it.
    cut = whole.index(b"</article>")
    return Reply(whole[:cut], claimed_length=len(whole))


def _truncate_at_once(request: Request) -> Reply:
    return Reply(b"", claimed_length=1000)


def _false_gzip(request: Request) -> Reply:
    return Reply(_article_bytes(), headers=(("Content-Encoding", "gzip"),))


def _basic_auth(request: Request) -> Reply:
    refused = message("Members only", "Please sign in with your reader's card.", 401)
    headers = (("WWW-Authenticate", 'Basic realm="Ledger members"'),)
    return Reply(refused.body, status=401, headers=headers)


def _no_content(request: Request) -> Reply:
    return Reply(b"", status=204)


HANDLERS: dict[str, Handler] = {
    "not-found": not_found,
    "server-error": server_error,
    "redirect-chain": chain,
    "redirect-loop": _loop,
    "pdf": lambda request: Reply(b"%PDF-1.4\n", kind="application/pdf"),
    "image": lambda request: Reply(png("image", 640, 400), kind="image/png"),
    "json": _json,
    "download": _download,
    "never-ends": _never_ends,
    "hangs": _hangs,
    "no-body": _stall,
    "no-text": lambda request: _stall(request, b"<!doctype html><title>Tides</title>"),
    "detached-without-end": lambda request: _stall(
        request,
        b"<p>Ships in port.<script>kept = Array.from({length: 3000}, () => new Text())</script>",
    ),
    "wide-without-end": lambda request: _stall(request, b"<p>Ships in port.\n" * 3000),
    "slow-headers": _slow_headers,
    "truncated": _truncate,
    "truncated-at-once": _truncate_at_once,
    "false-gzip": _false_gzip,
    "basic-auth": _basic_auth,
    "no-content": _no_content,
}
