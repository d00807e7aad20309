"""Answers that are errors or that break a careless client; they have no ground truth."""

from newsroom.web import Handler

from . import responses, scripts

_ALL: dict[str, Handler] = {
    **responses.HANDLERS,
    **scripts.HANDLERS,
}


def _path(kind: str) -> str:
    return f"/hostile/{kind}"


ROUTES = {kind: _path(kind) for kind in _ALL}
HANDLERS: dict[str, Handler] = {_path(kind): handler for kind, handler in _ALL.items()}
HANDLERS |= {f"/hostile/redirect-chain/{step}": responses.chain for step in range(1, 5)}

#: A text on the page, for each route that shows one.
MARKS = dict.fromkeys((*scripts.HANDLERS, "never-ends", "truncated"), scripts.MARK)

__all__ = ["HANDLERS", "MARKS", "ROUTES"]
