"""Quillon Valley Gazette: nested tables, font tags and inline attributes, as in 2005."""

from newsroom.markup import PLAIN, Slots, esc, inline, join, links, names, us_date
from newsroom.paper import GAZETTE
from newsroom.pictures import picture_url, thumb_url
from newsroom.story import Block, Comment, Story, row_cells

TEXT = '<font face="Verdana, Arial, Helvetica" size="2">'
SMALL = '<font face="Verdana, Arial, Helvetica" size="1">'
TABLE = '<table border="0" cellpadding="0" cellspacing="0"'


def _block(block: Block) -> str:
    if block.kind == "table":
        rows = join(
            "<tr>" + "".join(f"<td>{SMALL}{esc(c)}</font></td>" for c in row_cells(line)) + "</tr>"
            for line in block.lines
        )
        return f'<table border="1" cellpadding="3" cellspacing="0" width="100%">{rows}</table><br>'
    if block.kind == "code":
        return f"<pre>{esc(chr(10).join(block.lines))}</pre>"
    if block.kind in {"list", "ordered"}:
        tag = "ul" if block.kind == "list" else "ol"
        items = join(f"<li>{inline(line)}" for line in block.lines)
        return f"<{tag}>{items}</{tag}>"
    marks = {
        "heading": '<b><font color="#7a1f1f">{}</font></b>',
        "quote": "<blockquote><i>{}</i></blockquote>",
    }
    return join(marks.get(block.kind, "{}").format(inline(line)) for line in block.lines)


def body(story: Story, count: int | None = None) -> str:
    """The blocks; half of the stories separate them by line breaks, as old editors did."""
    broken = len(story.slug) % 2 == 0
    pieces: list[str] = []
    for block in story.blocks[:count]:
        text = _block(block)
        if block.kind in {"table", "code", "list", "ordered", "quote"}:
            pieces.append(f"{TEXT}{text}</font>")
        elif broken:
            pieces.append(f"{TEXT}{text}</font><br><br>")
        else:
            pieces.append(f'<p align="left">{TEXT}{text}</font></p>')
    return join(pieces)


def figure(story: Story) -> str:
    """The picture, floating in a table of its own."""
    if not story.caption:
        return ""
    return f"""{TABLE} align="right" width="260"><tr><td><img
src="{picture_url(story.scene, story.slug)}" width="250" height="141" hspace="5" border="0"
alt=""></td></tr><tr><td align="center">{SMALL}<i>{esc(story.caption)}</i></font></td></tr>
</table>"""


def heading(story: Story) -> str:
    """Headline, deck, byline and tools."""
    by = (
        f"By <b>{esc(names(story.authors))}</b><br>Gazette Staff Writer<br>"
        if story.authors
        else ""
    )
    return f"""<font face="Georgia, Times" size="5" color="#1b2a49"><b>{esc(story.title)}</b></font>
<br><font face="Georgia, Times" size="3" color="#555555"><i>{esc(story.standfirst)}</i></font><br>
<br>{SMALL}{by}Posted {us_date(story.date)}</font>
<div align="right">{SMALL}<a href="#mail">E-mail this story</a> | <a href="#print">Printer
friendly</a> | <a href="#big">Bigger type</a></font></div><hr size="1" noshade>"""


def remarks(comments: tuple[Comment, ...]) -> str:
    """The guest book below a story."""
    if not comments:
        return ""
    rows = join(
        f'<tr><td bgcolor="#e6e6d8">{SMALL}<b>{esc(each.author)}</b> wrote on'
        f" {esc(each.date)}:</font></td></tr><tr><td>{TEXT}{esc(each.text)}</font><br>"
        f'{SMALL}<a href="#flag">Report abuse</a></font><br><br></td></tr>'
        for each in comments
    )
    return (
        f'<table border="0" cellpadding="4" cellspacing="0" width="100%"><tr><td>{TEXT}'
        f"<b>Reader comments</b></font></td></tr>{rows}</table>"
    )


def _box(title: str, content: str, colour: str = "#1b2a49") -> str:
    return f"""<table border="0" cellpadding="4" cellspacing="0" width="100%">
<tr><td bgcolor="{colour}">{SMALL}<font color="#ffffff"><b>{title}</b></font></font></td></tr>
<tr><td bgcolor="#f3f1e4">{SMALL}{content}</font></td></tr></table><br>"""


def left_rail() -> str:
    """The navigation column."""
    menu = links(
        [(GAZETTE.section_path(name), name) for name in GAZETTE.sections], "&raquo; {}<br>"
    )
    more = links(
        [
            (f"/gazette/{name.lower()}.htm", name)
            for name in ("Obituaries", "Classifieds", "Weather")
        ],
        "&raquo; {}<br>",
    )
    return _box("SECTIONS", menu + more) + _box(
        "POLL", "Should Mill Street stay one-way?<br><a href='#yes'>Yes</a> | <a href='#no'>No</a>"
    )


def right_rail(story: Story) -> str:
    """Related stories, most-read list and newsletter box."""
    related = links(GAZETTE.targets(story, 4), "{}<br><br>")
    popular = "<ol>" + links(GAZETTE.targets(story, 5, 4), "<li>{}") + "</ol>"
    mail = 'Headlines by e-mail, every Friday. <a href="/gazette/signup.htm">Sign up</a>'
    return (
        _box("RELATED STORIES", related, "#7a1f1f")
        + _box("MOST READ", popular)
        + _box("NEWSLETTER", mail, "#4d6b3c")
    )


def banner() -> str:
    """The top of every page."""
    return f"""{TABLE} width="100%"><tr><td bgcolor="#1b2a49" height="64">&nbsp;&nbsp;<font
face="Georgia, Times" size="6" color="#ffffff"><b>{GAZETTE.name}</b></font></td>
<td bgcolor="#1b2a49" align="right">{SMALL}<font color="#cfd6e4">{GAZETTE.motto}</font></font>&nbsp;
</td></tr><tr><td colspan="2" bgcolor="#7a1f1f">&nbsp;{SMALL}<font color="#ffffff"><a
href="{GAZETTE.home}"><font color="#ffffff">Home</font></a> &middot; Subscribe &middot; Letters
&middot; Archive</font></font></td></tr></table>"""


def bottom() -> str:
    """The footer of every page."""
    return f"""<hr size="1" noshade><center>{SMALL}<a href="{GAZETTE.home}">Home</a> | <a
href="/gazette/contact.htm">Contact us</a> | <a href="/gazette/ads.htm">Advertise</a><br>
Copyright &copy; 2005 Quillon Valley Publishing Co. All rights reserved.</font></center>"""


def document(title: str, main: str, *, head: str = "", attrs: str = "") -> str:
    """A whole document around `main`."""
    return f"""<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN">
<HTML>
<HEAD><TITLE>{GAZETTE.name}: {esc(title)}</TITLE>
<META http-equiv="Content-Type" content="text/html; charset=utf-8">
<LINK rel="shortcut icon" href="{thumb_url("gazette")}">
{head}</HEAD>
<BODY bgcolor="#ffffff" text="#000000" link="#1b2a49" vlink="#1b2a49" topmargin="0"{attrs}>
<center>{TABLE} width="900"><tr><td align="left">
{main}
</td></tr></table></center>
</BODY></HTML>
"""


def article(story: Story, slots: Slots = PLAIN) -> str:
    """An article's page."""
    text = slots.body if slots.body is not None else figure(story) + body(story)
    top = slots.heading if slots.heading is not None else heading(story)
    main = f"""{slots.top}{banner()}<br>
{TABLE} width="100%"><tr>
<td width="150" valign="top">{left_rail()}</td><td width="15">&nbsp;</td>
<td valign="top">{slots.before}
{TABLE} width="100%"><tr><td>{top}</td></tr><tr><td>
{text}
</td></tr></table>
{slots.after}
{remarks(story.comments)}</td>
<td width="15">&nbsp;</td><td width="180" valign="top">{right_rail(story)}</td>
</tr></table>
{bottom()}{slots.bottom}"""
    return document(story.title, main, head=slots.head)


def _teaser(story: Story) -> str:
    return f"""<tr><td valign="top" width="130"><img src="{thumb_url(story.slug)}" width="120"
height="80" border="1" alt=""></td><td valign="top">{TEXT}<a href="{GAZETTE.path(story)}"><b>
{esc(story.title)}</b></a></font><br>{SMALL}{esc(story.standfirst)}<br><i>
{us_date(story.date)}</i></font><br><br></td></tr>"""


def index(title: str, stories: tuple[Story, ...]) -> str:
    rows = join(_teaser(story) for story in stories)
    main = f"""{banner()}<br>{TABLE} width="100%"><tr>
<td width="150" valign="top">{left_rail()}</td>
<td width="15">&nbsp;</td><td valign="top"><font face="Georgia, Times" size="5"><b>{esc(title)}</b>
</font><hr size="1" noshade>{TABLE} width="100%">{rows}</table></td></tr></table>{bottom()}"""
    return document(title, main)
