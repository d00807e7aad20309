"""Fenmoor Now: a content-management system where everything is a div with a class."""

from newsroom.markup import PLAIN, Slots, esc, inline, join, links, long_date, names
from newsroom.paper import FENMOOR
from newsroom.pictures import picture_url, thumb_url
from newsroom.story import Block, Comment, Story, row_cells

SHARE = ("Facepage", "Chirp", "WhatsUp", "Mail")
COOKIE_LINKS = ("Imprint", "Cookie settings", "Jobs at Fenmoor Now", "Media kit", "House rules")


def _block(block: Block) -> str:
    if block.kind == "table":
        rows = (
            "".join(f'<div class="c-grid__cell">{esc(cell)}</div>' for cell in row_cells(line))
            for line in block.lines
        )
        return (
            '<div class="c-grid">'
            + join(f'<div class="c-grid__row">{r}</div>' for r in rows)
            + ("</div>")
        )
    if block.kind == "code":
        return f'<pre class="c-code">{esc(chr(10).join(block.lines))}</pre>'
    if block.kind in {"list", "ordered"}:
        tag = "ul" if block.kind == "list" else "ol"
        items = join(f'<li class="c-list__item">{inline(line)}</li>' for line in block.lines)
        return f'<div class="cb cb--list"><{tag} class="c-list">{items}</{tag}></div>'
    name = {"heading": "c-sub", "quote": "c-pull"}.get(block.kind, "c-txt")
    return join(
        f'<div class="cb"><div class="{name}">{inline(line)}</div></div>' for line in block.lines
    )


def body(story: Story, count: int | None = None) -> str:
    """The story's blocks (the first `count` of them), with a read-also box between them."""
    pieces = [_block(block) for block in story.blocks[:count]]
    if len(pieces) > 4:
        pieces.insert(3, read_also(story))
    return join(pieces)


def read_also(story: Story, skip: int = 9) -> str:
    """The box that interrupts the text with another story."""
    ((url, label),) = FENMOOR.targets(story, 1, skip)
    return (
        f'<div class="cb cb--also"><span class="also__tag">Read also</span>'
        f'<a class="also__link" href="{url}">{esc(label)}</a></div>'
    )


def figure(story: Story) -> str:
    """The picture above the text."""
    if not story.caption:
        return ""
    return (
        f'<div class="c-media"><img src="{picture_url(story.scene, story.slug)}" alt="">'
        f'<div class="c-media__legend">{esc(story.caption)}</div></div>'
    )


def heading(story: Story) -> str:
    """Breadcrumbs, headline, lead, byline and share buttons."""
    share = "".join(f'<a class="btn btn--sm" href="#share">{label}</a>' for label in SHARE)
    crumbs = links(
        [(FENMOOR.home, "Home"), (FENMOOR.section_path(story.section), story.section)],
        "<span class='crumb'>{}</span>",
    )
    return f"""<div class="crumbs">{crumbs}</div>
<div class="c-title">{esc(story.title)}</div>
<div class="c-lead">{esc(story.standfirst)}</div>
<div class="c-meta"><div class="c-meta__by">{esc(names(story.authors))}</div>
<div class="c-meta__date">Published {long_date(story.date)}, 07:30</div></div>
<div class="c-share">{share}</div>"""


def remarks(comments: tuple[Comment, ...]) -> str:
    """The readers' comments."""
    if not comments:
        return ""
    items = join(
        f'<div class="cmt"><div class="cmt__top">{esc(each.author)} <span>{esc(each.date)}</span>'
        f'</div><div class="cmt__txt">{esc(each.text)}</div>'
        f'<div class="cmt__ft"><a href="#up">Agree</a><a href="#flag">Report</a></div></div>'
        for each in comments
    )
    return f'<div class="cmts" id="cmts"><div class="blk__ttl">What readers say</div>{items}</div>'


def rails(story: Story) -> str:
    """The right-hand column."""
    more = join(
        f'<div class="tile"><a href="{FENMOOR.path(other)}">'
        f'<img src="{picture_url(other.scene, other.slug)}"'
        f' alt=""><div class="tile__ttl">{esc(other.title)}</div></a></div>'
        for other in FENMOOR.others(story, 4)
    )
    top = links(FENMOOR.targets(story, 5, 4), '<div class="rank">{}</div>')
    return f"""<div class="col col--side">
<div class="ad"><div class="ad__lbl">Advertisement</div><div class="ad__box">Bramley &amp; Foss
kitchens: spring fitting offer</div></div>
<div class="blk"><div class="blk__ttl">More from the city</div>{more}</div>
<div class="blk blk--rank"><div class="blk__ttl">Most read today</div>{top}</div>
<div class="blk blk--news"><div class="blk__ttl">Fenmoor at Five</div>
<div>One mail each weekday, when you leave work.</div>
<a class="btn" href="/fenmoor/newsletter">Subscribe</a></div>
</div>"""


def chrome_top() -> str:
    """The bar with logo and menu."""
    menu = links(
        [(FENMOOR.section_path(name), name) for name in FENMOOR.sections],
        '<div class="mn__it">{}</div>',
    )
    return f"""<div class="hd"><div class="hd__in"><a class="hd__logo" href="{FENMOOR.home}">Fenmoor
<b>Now</b></a><div class="mn">{menu}<div class="mn__it"><a href="/fenmoor/live">Live</a></div>
</div><div class="hd__acc"><a href="/fenmoor/login">Log in</a></div></div></div>"""


def chrome_bottom() -> str:
    """The footer of every page."""
    entries = links(
        [(f"/fenmoor/{label.split()[0].lower()}", label) for label in COOKIE_LINKS], "{}"
    )
    return f"""<div class="ft"><div class="ft__in">{entries}
<div class="ft__c">Fenmoor Now is a publication of Fen Lane Media, 3 Fen Lane, Fenmoor.</div>
</div></div>"""


def document(title: str, main: str, *, head: str = "", lang: str = "en", attrs: str = "") -> str:
    """A whole document around `main`."""
    return f"""<!DOCTYPE html>
<html lang="{lang}">
<head>
<meta charset="utf-8">
<title>{esc(title)} - {FENMOOR.name}</title>
<meta name="viewport" content="width=device-width">
<link rel="stylesheet" type="text/css" href="/assets/fenmoor.css">
<link rel="icon" href="{thumb_url("fenmoor")}">
{head}
</head>
<body{attrs}>
{main}
</body>
</html>
"""


def article(story: Story, slots: Slots = PLAIN) -> str:
    """An article's page."""
    text = slots.body if slots.body is not None else figure(story) + body(story)
    top = slots.heading if slots.heading is not None else heading(story)
    main = f"""{slots.top}
<div id="wrap">
{chrome_top()}
<div class="lay">
{slots.left}
<div class="col col--main">
{slots.before}
<div class="c-art">
{top}
<div class="c-body">
{text}
</div>
</div>
{slots.after}
{remarks(story.comments)}
</div>
{rails(story)}
</div>
{chrome_bottom()}
</div>
{slots.bottom}"""
    attrs = f' class="{slots.body_class}"' if slots.body_class else ""
    return document(story.title, main, head=slots.head, lang=story.language, attrs=attrs)


def _teaser(story: Story) -> str:
    return f"""<div class="tz"><a href="{FENMOOR.path(story)}"><img
src="{picture_url(story.scene, story.slug)}" alt="">
<div class="tz__ttl">{esc(story.title)}</div></a>
<div class="tz__txt">{esc(story.standfirst)}</div></div>"""


def index(title: str, stories: tuple[Story, ...]) -> str:
    cards = join(_teaser(story) for story in stories)
    main = f"""<div id="wrap">{chrome_top()}
<div class="lay lay--idx"><div class="idx__ttl">{esc(title)}</div>
<div class="tzs">{cards}</div></div>
{chrome_bottom()}</div>"""
    return document(title, main)
