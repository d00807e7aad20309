"""Pages whose text is inserted or moved by scripts."""

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
    article = story("client-rendered")
    cards = [
        {"url": LEDGER.path(o), "title": o.title, "thumb": picture_url(o.scene, o.slug)}
        for o in LEDGER.others(article, 9)
    ]
    answer = {
        "paper": {"name": LEDGER.name, "motto": LEDGER.motto, "home": LEDGER.home},
        "sections": [{"url": LEDGER.section_path(n), "title": n} for n in LEDGER.sections],
        "story": {
            "section": article.section,
            "title": article.title,
            "standfirst": article.standfirst,
            "authors": article.authors,
            "date": article.date,
            "picture": picture_url(article.scene, article.slug),
            "caption": article.caption,
            "blocks": [
                {"kind": block.kind, "lines": [inline(line) for line in block.lines]}
                for block in article.blocks
            ],
        },
        "comments": [dataclasses.asdict(comment) for comment in article.comments],
        "related": cards[:4],
        "mostRead": cards[4:],
        "share": semantic.SHARE,
        "footer": semantic.FOOTER,
    }
    return Reply(json.dumps(answer, ensure_ascii=False).encode(), kind="application/json")


def _client_rendered(request: Request) -> Reply:
    main = f'<div id="app"></div>\n{asset_script("app")}'
    return page(semantic.document(LEDGER.name, main))


def _hydrated(article: Story) -> Slots:
    picks = [{"url": url, "title": title} for url, title in LEDGER.targets(article, 3, 7)]
    data = json.dumps(picks, ensure_ascii=False)
    state = f'<script type="application/json" id="state">{data}</script>'
    return Slots(bottom=state + asset_script("hydrate"))


def _lazy_image(article: Story, index: int) -> str:
    url = picture_url(article.scene, f"{article.slug}-{index}")
    if index % 2:
        return f'<div class="c-media"><img loading="lazy" src="{url}" height="380" alt=""></div>'
    empty = "data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw=="
    return (
        f'<div class="c-media"><img class="lazy" src="{empty}" data-src="{url}" height="380"'
        f' alt=""></div>'
    )


def _lazy_images(article: Story) -> Slots:
    pairs = (
        (divsoup.body(dataclasses.replace(article, blocks=(block,))), _lazy_image(article, index))
        for index, block in enumerate(article.blocks)
    )
    text = divsoup.figure(article) + join(chain.from_iterable(pairs))
    head = style(".lazy { background: #dfe6ea; width: 100%; min-height: 380px; }")
    return Slots(head=head, body=text, bottom=asset_script("lazy-images"))


def _infinite(article: Story) -> Slots:
    return Slots(after='<div id="next"></div>', bottom=asset_script("infinite-scroll"))


def _api_next(request: Request) -> Reply:
    number = int(request.query("n", "0"))
    article = FENMOOR.stories[number % len(FENMOOR.stories)]
    parts = divsoup.heading(article) + f'<div class="c-body">{divsoup.body(article)}</div>'
    return page(f'<div class="c-art" style="margin-top:20px">{parts}</div>')


def _next_texts() -> tuple[str, ...]:
    return tuple(text for article in FENMOOR.stories for text in (article.title, *article.truth))


SPECIALS = (
    Special("client-rendered", "semantic", _client_rendered),
    special("hydrated", "semantic", _hydrated),
    special("lazy-images", "divsoup", _lazy_images),
    special("infinite-scroll", "divsoup", _infinite, _next_texts()),
)
HELPERS = {"/api/story": _api_story, "/api/next": _api_next}
