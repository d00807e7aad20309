"""Pages whose text is put there, or moved, by scripts."""

import dataclasses
import json
from itertools import chain

from newsroom.layouts import divsoup, semantic
from newsroom.markup import Slots, inline, join
from newsroom.paper import FENMOOR, LEDGER
from newsroom.pictures import picture_url
from newsroom.story import Story
from newsroom.web import Reply, Request, page

from .base import Special, asset_script, special, story, style

#: How long the client-rendered page waits for its story.
API_SECONDS = 0.4


def _api_story(request: Request) -> Reply:
    request.wait(API_SECONDS)
    told = story("client-rendered")
    cards = [
        {"url": LEDGER.path(o), "title": o.title, "thumb": picture_url(o.scene, o.slug)}
        for o in LEDGER.others(told, 9)
    ]
    answer = {
        "paper": {"name": LEDGER.name, "motto": LEDGER.motto, "home": LEDGER.home},
        "sections": [{"url": LEDGER.section_path(n), "title": n} for n in LEDGER.sections],
        "story": {
            "section": told.section,
            "title": told.title,
            "standfirst": told.standfirst,
            "authors": told.authors,
            "date": told.date,
            "picture": picture_url(told.scene, told.slug),
            "caption": told.caption,
            "blocks": [
                {"kind": block.kind, "lines": [inline(line) for line in block.lines]}
                for block in told.blocks
            ],
        },
        "comments": [dataclasses.asdict(comment) for comment in told.comments],
        "related": cards[:4],
        "mostRead": cards[4:],
        "share": semantic.SHARE,
        "footer": semantic.FOOTER,
    }
    return Reply(json.dumps(answer, ensure_ascii=False).encode(), kind="application/json")


def _client_rendered(request: Request) -> Reply:
    main = f'<div id="app"></div>\n{asset_script("app")}'
    return page(semantic.document(LEDGER.name, main))


def _hydrated(told: Story) -> Slots:
    picks = [{"url": url, "title": title} for url, title in LEDGER.targets(told, 3, 7)]
    data = json.dumps(picks, ensure_ascii=False)
    state = f'<script type="application/json" id="state">{data}</script>'
    return Slots(bottom=state + asset_script("hydrate"))


def _lazy_image(told: Story, index: int) -> str:
    url = picture_url(told.scene, f"{told.slug}-{index}")
    if index % 2:
        return f'<div class="c-media"><img loading="lazy" src="{url}" height="380" alt=""></div>'
    empty = "data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw=="
    return (
        f'<div class="c-media"><img class="lazy" src="{empty}" data-src="{url}" height="380"'
        f' alt=""></div>'
    )


def _lazy_images(told: Story) -> Slots:
    pairs = (
        (divsoup.body(dataclasses.replace(told, blocks=(block,))), _lazy_image(told, index))
        for index, block in enumerate(told.blocks)
    )
    text = divsoup.figure(told) + join(chain.from_iterable(pairs))
    head = style(".lazy { background: #dfe6ea; width: 100%; min-height: 380px; }")
    return Slots(head=head, body=text, bottom=asset_script("lazy-images"))


def _lazy_text(told: Story) -> Slots:
    half = len(told.blocks) // 2
    later = [semantic.body(dataclasses.replace(told, blocks=(b,))) for b in told.blocks[half:]]
    text = semantic.figure(told) + semantic.body(told, half)
    data = json.dumps(later, ensure_ascii=False).replace("</", "<\\/")
    state = f'<script type="application/json" id="later">{data}</script>'
    more = '<div id="more" class="byline">Loading the rest of the story…</div>'
    return Slots(body=text + more, bottom=state + asset_script("lazy-text"))


def _infinite(told: Story) -> Slots:
    return Slots(after='<div id="next"></div>', bottom=asset_script("infinite-scroll"))


def _api_next(request: Request) -> Reply:
    number = int(request.query("n", "0"))
    told = FENMOOR.stories[number % len(FENMOOR.stories)]
    parts = divsoup.heading(told) + f'<div class="c-body">{divsoup.body(told)}</div>'
    return page(f'<div class="c-art" style="margin-top:20px">{parts}</div>')


def _next_texts() -> tuple[str, ...]:
    return tuple(text for told in FENMOOR.stories for text in (told.title, *told.truth))


SPECIALS = (
    Special("client-rendered", "semantic", _client_rendered),
    special("hydrated", "semantic", _hydrated),
    special("lazy-images", "divsoup", _lazy_images),
    special("lazy-text", "semantic", _lazy_text),
    special("infinite-scroll", "divsoup", _infinite, _next_texts()),
)
HELPERS = {"/api/story": _api_story, "/api/next": _api_next}
