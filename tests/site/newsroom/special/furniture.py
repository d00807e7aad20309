"""Pages with difficult content around, over or between the text."""

from newsroom.layouts import divsoup, semantic, tables
from newsroom.markup import PLAIN, Slots, esc, join
from newsroom.paper import FENMOOR
from newsroom.story import Story
from newsroom.web import Reply, Request, page

from .base import Special, path, special, story, style

CONSENT = (
    "We and our 214 partners store cookies on your device and process personal data such as your"
    " address on the network, the pages you read and how long you stay on each of them, in order"
    " to measure our audience, to show you advertising that fits your interests and to improve"
    " this offer.",
    "Some of our partners process your data on the basis of a legitimate interest, to which you"
    " can object at any time. Your choice applies to all pages of Fen Lane Media and is kept for"
    " thirteen months. You may change it whenever you like by following the link at the foot of"
    " each page.",
    "By choosing Accept all you agree to the storage of and the access to information, to"
    " personalised advertising, to the measurement of advertising and of content, and to the"
    " combination of your data with data from other sources. With Only what is necessary you go"
    " on with those cookies which the page cannot work without.",
)
HIDDEN = (
    ("display:none", "Subscribers read this story with a map of all crossings and a film."),
    ("visibility:hidden", "The editors have withdrawn an earlier version of this paragraph."),
    ("opacity:0", "Cheap ferry tickets, ferry timetable, ferry swan, ferry offers, ferry hotel."),
    (
        "position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(0 0 0 0)",
        "End of the picture gallery, press escape to return to the beginning of the list.",
    ),
    ("position:absolute;left:-9999px", "Buy discount car parts online with free delivery today."),
    ("font-size:0", "Best casino bonus without deposit, no registration, play now, win big."),
)


def _consent() -> Slots:
    text = join(f"<p>{words}</p>" for words in CONSENT)
    overlay = f"""<div class="cmp"><div class="cmp__box" role="dialog" aria-modal="true">
<div class="cmp__ttl">Your privacy is important to us</div>{text}
<button class="btn">Accept all</button> <button class="btn btn--sm">Only what is necessary</button>
<a href="#partners">List of partners</a></div></div>"""
    rules = """body { overflow: hidden; }
.cmp { position: fixed; inset: 0; z-index: 99; background: #000c; display: flex;
  align-items: center; justify-content: center; }
.cmp__box { background: #fff; border-radius: 10px; max-width: 720px; padding: 30px 36px; }
.cmp__ttl { font-size: 24px; font-weight: 800; }"""
    return Slots(head=style(rules), bottom=overlay)


def _related(article: Story) -> Slots:
    parts = [divsoup.figure(article)]
    for number, words in enumerate(article.truth):
        parts.append(f'<div class="cb"><div class="c-txt">{esc(words)}</div></div>')
        parts.append(divsoup.read_also(article, number) if number % 2 == 0 else "")
    tiles = join(
        f'<div class="rank"><a href="{url}">{esc(title)}</a></div>'
        for url, title in FENMOOR.targets(article, 11)
    )
    left = (
        f'<div class="col blk" style="width:230px"><div class="blk__ttl">Latest</div>{tiles}</div>'
    )
    below = f'<div class="blk"><div class="blk__ttl">You may also like</div>{tiles}</div>'
    return Slots(left=left, body=join(parts), after=below)


def _paginated(request: Request) -> Reply:
    number = int(request.query("page", "1"))
    article = story("paginated" if number == 1 else f"paginated-{number}")
    base = path("paginated")
    previous = base if number == 2 else f"{base}?page={number - 1}"
    entries = [(f"{base}?page={n}" if n > 1 else base, f"Page {n}") for n in (1, 2, 3)]
    pager = " · ".join(f'<a href="{url}">{label}</a>' for url, label in entries)
    head, more = "", ""
    if number > 1:
        head += f'<link rel="prev" href="{previous}">'
        more += f'<a rel="prev" href="{previous}">‹ Previous page</a> '
    if number < 3:
        head += f'<link rel="next" href="{base}?page={number + 1}">'
        more += f'<a rel="next" href="{base}?page={number + 1}">Next page ›</a>'
    after = f'<nav class="byline" aria-label="Pages">{pager}<br>{more}</nav>'
    return page(semantic.article(article, Slots(head=head, after=after)))


def _hidden(article: Story) -> Slots:
    parts = [semantic.figure(article)]
    pairs = zip(article.truth, HIDDEN, strict=False)
    for shown, (rules, words) in pairs:
        parts.append(f"<p>{esc(shown)}</p>")
        parts.append(f'<p style="{rules}">{esc(words)}</p>')
    rules, words = HIDDEN[-1]
    parts.append(f'<p style="{rules}">{esc(words)}</p>')
    return Slots(body=join(parts))


def _nested(article: Story) -> Slots:
    inner = tables.figure(article) + tables.body(article)
    for colour in ("#ffffff", "#cccccc", "#ffffff", "#1b2a49"):
        inner = (
            f'<table border="0" cellpadding="1" cellspacing="0" width="100%"><tr>'
            f'<td bgcolor="{colour}">{inner}</td></tr></table>'
        )
    return Slots(body=inner)


SHELL = """html, body { height: 100%; overflow: hidden; }
#wrap { position: fixed; inset: 0; overflow: auto; }"""
SLOW = '<link rel="stylesheet" href="/assets/slow.css">'

SPECIALS = (
    special("consent-banner", "divsoup", _consent(), CONSENT),
    special("related-rails", "divsoup", _related),
    special("comments", "semantic", PLAIN),
    Special("paginated", "semantic", _paginated),
    special("hidden-text", "semantic", _hidden, tuple(words for _, words in HIDDEN)),
    special("nested-tables", "tables", _nested),
    special("fixed-app-shell", "divsoup", Slots(head=style(SHELL))),
    special("slow-stylesheet", "semantic", Slots(head=SLOW)),
    special("short-article", "semantic", PLAIN),
)


def _slow_sheet(request: Request) -> Reply:
    request.wait(2)
    return Reply(b".standfirst { color: #1f4e5f; }", kind="text/css")


HELPERS = {"/assets/slow.css": _slow_sheet}
