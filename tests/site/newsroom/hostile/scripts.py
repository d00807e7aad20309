"""Documents that a script or a refresh blocks, reloads or replaces."""

from newsroom.layouts import semantic
from newsroom.markup import Slots
from newsroom.paper import LEDGER
from newsroom.web import Handler, always

from .responses import ARTICLE

_STORY = LEDGER.stories[0]
MARK = _STORY.truth[0]

BUSY = "<script>while (true) {}</script>"
RELOAD = "<script>setTimeout(() => location.reload(), 50);</script>"


def _refresh_page(url: str) -> str:
    refresh = f'<meta http-equiv="refresh" content="0; url={url}">'
    return semantic.document("One moment", "<main><p>One moment, please.</p></main>", head=refresh)


HANDLERS: dict[str, Handler] = {
    "busy-script": always(semantic.article(_STORY, Slots(bottom=BUSY))),
    "busy-script-early": always(semantic.article(_STORY, Slots(head=BUSY))),
    "self-navigation": always(semantic.article(_STORY, Slots(bottom=RELOAD))),
    "meta-refresh": always(_refresh_page(ARTICLE)),
    "refresh-to-nowhere": always(_refresh_page("http://nowhere.invalid/")),
    "refresh-to-not-found": always(_refresh_page("not-found")),
}
