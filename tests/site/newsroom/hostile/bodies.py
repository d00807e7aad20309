"""Documents that are too deep, too wide, too long or too many."""

from collections.abc import Iterator

from newsroom.layouts import semantic
from newsroom.markup import Slots, join
from newsroom.paper import LEDGER
from newsroom.web import Handler, Reply, Request, page

DEEP, WIDE, TALL, FRAMES = 10_000, 60_000, 60_000, 10
HUGE = 30 * 1024 * 1024


def _deep(request: Request) -> Reply:
    text = "<p>At the bottom of ten thousand boxes lay a note: the key is under the mat.</p>"
    return page(semantic.document("Boxes", "<div>" * DEEP + text + "</div>" * DEEP))


def _wide(request: Request) -> Reply:
    marks = "".join(f"<i>{number}</i>" for number in range(WIDE))
    return page(semantic.article(LEDGER.stories[1], Slots(after=f"<div>{marks}</div>")))


def _huge_pieces() -> Iterator[bytes]:
    head, tail = semantic.article(LEDGER.stories[2]).encode().split(b"</main>")
    yield head
    row = b"<p>Ships in port on this day, as entered by the harbour office in its book.</p>\n"
    piece = row * 4096
    for _ in range(HUGE // len(piece) + 1):
        yield piece
    yield b"</main>" + tail


def _huge(request: Request) -> Reply:
    return Reply(_huge_pieces())


def _tall(request: Request) -> Reply:
    space = f'<div style="height:{TALL}px;background:linear-gradient(#fff,#8fb8d8)"></div>'
    return page(semantic.article(LEDGER.stories[3], Slots(bottom=space)))


def _columns(request: Request) -> Reply:
    rules = """<style>.article-body { column-count: 3; column-gap: 26px; font-size: 15px; }
.article-body figure { column-span: all; }</style>"""
    return page(semantic.article(LEDGER.stories[4], Slots(head=rules)))


def _ten_frames(request: Request) -> Reply:
    level = int(request.query("level", "1"))
    if level == FRAMES:
        texts = join(f"<p>{text}</p>" for text in LEDGER.stories[5].truth)
        return page(semantic.document("The innermost frame", texts))
    frame = f'<iframe src="?level={level + 1}" width="95%" height="900"></iframe>'
    return page(semantic.document(f"Frame {level}", f"<p>This is frame {level}.</p>{frame}"))


def _bomb(request: Request) -> Reply:
    number = int(request.query("n", "0"))
    frame = f'<iframe src="?n={number + 1}" width="90%" height="400"></iframe>'
    if number:
        return page(semantic.document(f"Echo {number}", f"<p>Echo {number}</p>{frame}"))
    return page(semantic.article(LEDGER.stories[6], Slots(after=frame)))


HANDLERS: dict[str, Handler] = {
    "deep": _deep,
    "wide": _wide,
    "huge-body": _huge,
    "tall": _tall,
    "css-columns": _columns,
    "ten-frames": _ten_frames,
    "frame-bomb": _bomb,
}
