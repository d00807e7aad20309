"""The Estuary Ledger: semantic HTML5 with JSON-LD and OpenGraph."""

import json

from newsroom.markup import PLAIN, Slots, esc, inline, join, links, long_date, names
from newsroom.paper import LEDGER
from newsroom.pictures import picture_url, thumb_url
from newsroom.story import Block, Comment, Story, row_cells

SHARE = ("Share", "Email", "Copy link", "Print")
FOOTER = (
    "About the Ledger",
    "Contact the newsroom",
    "Corrections",
    "Privacy",
    "Terms",
    "Advertise",
)


def _block(block: Block) -> str:
    if block.kind == "table":
        head, *rows = ([f"{esc(cell)}" for cell in row_cells(line)] for line in block.lines)
        top = "".join(f"<th>{cell}</th>" for cell in head)
        body = "".join(
            "<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows
        )
        return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"
    if block.kind == "code":
        return f"<pre><code>{esc(chr(10).join(block.lines))}</code></pre>"
    if block.kind in {"list", "ordered"}:
        tag = "ul" if block.kind == "list" else "ol"
        items = join(f"<li>{inline(line)}</li>" for line in block.lines)
        return f"<{tag}>\n{items}\n</{tag}>"
    tags = {"heading": "<h2>{}</h2>", "quote": "<blockquote><p>{}</p></blockquote>"}
    return join(tags.get(block.kind, "<p>{}</p>").format(inline(line)) for line in block.lines)


def body(story: Story, count: int | None = None) -> str:
    """The story's blocks (the first `count` of them) as this newspaper marks them up."""
    return join(_block(block) for block in story.blocks[:count])


def figure(story: Story) -> str:
    """The picture above the text."""
    if not story.caption:
        return ""
    return (
        f'<figure><img src="{picture_url(story.scene, story.slug)}" width="960" height="540"'
        f' alt=""><figcaption>{esc(story.caption)}</figcaption></figure>'
    )


def heading(story: Story) -> str:
    """Section, headline, standfirst, byline and share links."""
    by = (
        f'By <span itemprop="author">{esc(names(story.authors))}</span> · ' if story.authors else ""
    )
    share = "".join(f'<li><a href="#share">{label}</a></li>' for label in SHARE)
    return f"""<header class="article-head">
<p class="kicker"><a href="{LEDGER.section_path(story.section)}">{esc(story.section)}</a></p>
<h1>{esc(story.title)}</h1>
<p class="standfirst">{esc(story.standfirst)}</p>
<p class="byline">{by}<time datetime="{story.date}">{long_date(story.date)}</time></p>
<ul class="share">{share}</ul>
</header>"""


def remarks(comments: tuple[Comment, ...]) -> str:
    """The readers' comments."""
    if not comments:
        return ""
    items = join(
        f'<li class="comment"><div class="comment-meta"><b>{esc(each.author)}</b>'
        f" <time>{esc(each.date)}</time></div><p>{esc(each.text)}</p>"
        f'<footer><a href="#reply">Reply</a> <a href="#report">Report</a></footer></li>'
        for each in comments
    )
    return (
        f'<section id="comments" class="comments"><h2>Comments ({len(comments)})</h2>'
        f"<ol>{items}</ol></section>"
    )


def rails(story: Story) -> str:
    """The right-hand column: related stories, most read, newsletter."""
    cards = join(
        f'<li><a href="{LEDGER.path(other)}"><img alt="" width="96" height="64"'
        f' src="{picture_url(other.scene, other.slug)}"><span>{esc(other.title)}</span></a></li>'
        for other in LEDGER.others(story, 4)
    )
    return f"""<aside class="rail" aria-label="More stories">
<section class="related"><h2>Related stories</h2><ul>{cards}</ul></section>
<section class="most-read"><h2>Most read</h2>
<ol>{links(LEDGER.targets(story, 5, 4))}</ol></section>
<section class="newsletter"><h2>The Morning Tide</h2>
<p>The day's news from the estuary in your inbox at six.</p>
<form action="/ledger/newsletter"><input type="email" name="to" placeholder="Your email">
<button>Sign up</button></form></section>
</aside>"""


def _metadata(story: Story) -> str:
    data = {
        "@context": "https://schema.org",
        "@type": "NewsArticle",
        "headline": story.title,
        "datePublished": story.date,
        "author": [{"@type": "Person", "name": name} for name in story.authors],
        "publisher": {"@type": "Organization", "name": LEDGER.name},
    }
    linked = json.dumps(data, ensure_ascii=False).replace("</", "<\\/")
    return f"""<meta property="og:type" content="article">
<meta property="og:title" content="{esc(story.title)}">
<meta property="og:description" content="{esc(story.standfirst)}">
<meta property="og:site_name" content="{esc(LEDGER.name)}">
<meta property="article:published_time" content="{story.date}">
<meta name="author" content="{esc(names(story.authors))}">
<script type="application/ld+json">{linked}</script>"""


def masthead() -> str:
    """The newspaper's name and its navigation."""
    nav = links([(LEDGER.section_path(name), name) for name in LEDGER.sections])
    return f"""<header class="masthead" role="banner">
<div class="strip"><span>Tuesday 14 May 2024</span><span>Saltmere: 14°, light westerly</span>
<a href="/ledger/account">Sign in</a></div>
<a class="nameplate" href="{LEDGER.home}">{LEDGER.name}</a>
<p class="motto">{LEDGER.motto}</p>
<nav aria-label="Sections"><ul><li><a href="{LEDGER.home}">Home</a></li>
{nav}
<li><a href="/ledger/puzzles/">Puzzles</a></li></ul></nav>
</header>"""


def footer() -> str:
    """The footer of every page."""
    entries = links([(f"/ledger/{label.split()[0].lower()}", label) for label in FOOTER])
    return f"""<footer class="colophon" role="contentinfo"><ul>{entries}</ul>
<p>© 2024 The Estuary Ledger Press. Printed on the Old Quay, Saltmere.</p></footer>"""


def document(
    title: str,
    main: str,
    *,
    head: str = "",
    lang: str = "en-GB",
    attrs: str = "",
    paper: str = LEDGER.name,
) -> str:
    """A whole document around `main`."""
    direction = ' dir="rtl"' if lang.startswith(("ar", "fa")) else ""
    return f"""<!doctype html>
<html lang="{lang}"{direction}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{esc(title)} | {paper}</title>
<link rel="stylesheet" href="/assets/ledger.css">
<link rel="icon" href="{thumb_url("ledger")}">
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
{masthead()}
<div class="page">
<main>
{slots.before}
<article>
{top}
<div class="article-body">
{text}
</div>
</article>
{slots.after}
{remarks(story.comments)}
</main>
{rails(story)}
</div>
{footer()}
{slots.bottom}"""
    attrs = f' class="{slots.body_class}"' if slots.body_class else ""
    head = _metadata(story) + slots.head
    return document(story.title, main, head=head, lang=story.language, attrs=attrs)


def _teaser(story: Story) -> str:
    return f"""<article class="teaser"><a href="{LEDGER.path(story)}">
<img src="{picture_url(story.scene, story.slug)}" alt="" width="320" height="180">
<h2>{esc(story.title)}</h2></a><p>{esc(story.standfirst)}</p>
<p class="byline">{esc(names(story.authors))}</p></article>"""


def index(title: str, stories: tuple[Story, ...]) -> str:
    cards = join(_teaser(story) for story in stories)
    main = f"""{masthead()}
<main class="index"><h1>{esc(title)}</h1>
<div class="cards">{cards}</div></main>
{footer()}"""
    return document(title, main)
