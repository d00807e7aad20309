"""Pages that keep their text in frames or shadow trees."""

import dataclasses
import json

from newsroom.layouts import semantic
from newsroom.markup import Slots, esc
from newsroom.story import Story
from newsroom.web import Handler, Reply, Request, page

from .base import Special, asset_script, story


def _frame(kind: str, elsewhere: bool) -> Handler:
    def handler(request: Request) -> Reply:
        article = story(kind)
        origin = request.other_origin if elsewhere else request.origin
        frame = (
            f'<iframe src="{origin}/frames/{kind}" width="720" height="1080" title="The story"'
            f' style="border:6px solid #8c2f25;width:100%;padding:4px"></iframe>'
        )
        return page(semantic.article(article, Slots(body=semantic.figure(article) + frame)))

    return handler


def _frame_content(kind: str) -> Handler:
    def handler(request: Request) -> Reply:
        article = story(kind)
        text = f'<div class="article-body" style="padding:14px">{semantic.body(article)}</div>'
        return page(
            f'<!doctype html><html lang="en-GB"><head><meta charset="utf-8">'
            f"<title>{esc(article.title)}</title>"
            f'<link rel="stylesheet" href="/assets/ledger.css"></head><body>{text}</body></html>'
        )

    return handler


def _shadow(mode: str) -> Handler:
    def handler(request: Request) -> Reply:
        article = story(f"shadow-{mode}")
        return page(semantic.article(article, _shadow_slots(article, mode)))

    return handler


def _shadow_slots(article: Story, mode: str) -> Slots:
    # The headline stays outside the shadow tree and is shown through a slot.
    untitled = semantic.heading(dataclasses.replace(article, title=""))
    parts = {
        "mode": mode,
        "head": untitled.replace("<h1></h1>", '<slot name="title"></slot>'),
        "body": semantic.figure(article) + semantic.body(article),
    }
    data = json.dumps(parts, ensure_ascii=False).replace("</", "<\\/")
    element = f'<news-story><h1 slot="title">{esc(article.title)}</h1></news-story>'
    state = f'<script type="application/json" id="parts">{data}</script>'
    return Slots(heading="", body=element, bottom=state + asset_script("shadow"))


SPECIALS = (
    Special("frame-other-origin", "semantic", _frame("frame-other-origin", elsewhere=True)),
    Special("frame-same-origin", "semantic", _frame("frame-same-origin", elsewhere=False)),
    Special("shadow-closed", "semantic", _shadow("closed")),
    Special("shadow-open", "semantic", _shadow("open")),
)
HELPERS = {
    f"/frames/{kind}": _frame_content(kind) for kind in ("frame-other-origin", "frame-same-origin")
}
