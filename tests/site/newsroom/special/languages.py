"""Pages in other scripts, with navigation and labels in the same language."""

from dataclasses import dataclass

from newsroom.layouts import semantic
from newsroom.markup import esc, join
from newsroom.story import Story
from newsroom.web import Handler, Reply, Request, page

from .base import Special, story


@dataclass(frozen=True)
class Labels:
    """The words around the text."""

    paper: str
    motto: str
    nav: tuple[str, ...]
    share: tuple[str, ...]
    related: str
    headlines: tuple[str, ...]
    popular: str
    mail: str
    footer: str
    date: str


LABELS = {
    "right-to-left": Labels(
        paper="صحيفة المرفأ",
        motto="أخبار الساحل كل صباح",
        nav=("الرئيسية", "المدينة", "الثقافة", "الرياضة", "الطقس"),
        share=("مشاركة", "إرسال", "طباعة"),
        related="أخبار ذات صلة",
        headlines=(
            "سوق السمك ينتقل إلى المبنى الجديد",
            "حافلة ليلية بين المدينة والميناء",
            "موسم الزيتون يبدأ مبكرا هذا العام",
            "فريق الناشئين يفوز بكأس الساحل",
        ),
        popular="الأكثر قراءة",
        mail="اشترك في النشرة اليومية",
        footer="جميع الحقوق محفوظة لصحيفة المرفأ",
        date="١٢ مارس ٢٠٢٤",
    ),
    "chinese": Labels(
        paper="江城晚报",
        motto="写给街坊邻里的报纸",
        nav=("首页", "本地", "文化", "体育", "天气"),
        share=("分享", "收藏", "打印"),
        related="相关新闻",
        headlines=("菜市场搬进新大楼", "末班公交车延长一小时", "老城墙修缮完工", "少年足球队夺冠"),
        popular="热门排行",
        mail="订阅每日新闻邮件",
        footer="江城晚报社 版权所有",
        date="2024年4月18日",
    ),
}


def _items(labels: tuple[str, ...]) -> str:
    return join(
        f'<li><a href="#{number}">{esc(text)}</a></li>' for number, text in enumerate(labels)
    )


def _article(article: Story, words: Labels) -> str:
    by = " · ".join(article.authors)
    return f"""<article><header class="article-head"><p class="kicker">{words.nav[2]}</p>
<h1>{esc(article.title)}</h1><p class="standfirst">{esc(article.standfirst)}</p>
<p class="byline">{esc(by)} · <time datetime="{article.date}">{words.date}</time></p>
<ul class="share">{_items(words.share)}</ul></header>
<div class="article-body">{semantic.figure(article)}{semantic.body(article)}</div></article>"""


def _markup(article: Story, words: Labels) -> str:
    main = f"""<header class="masthead"><div class="strip"><span>{words.date}</span></div>
<a class="nameplate" href="#top">{words.paper}</a><p class="motto">{words.motto}</p>
<nav><ul>{_items(words.nav)}</ul></nav></header>
<div class="page"><main>{_article(article, words)}</main>
<aside class="rail"><section class="most-read"><h2>{words.related}</h2>
<ol>{_items(words.headlines)}</ol></section>
<section class="most-read"><h2>{words.popular}</h2>
<ol>{_items(words.headlines[::-1])}</ol></section>
<section class="newsletter"><h2>{words.mail}</h2><form action="#mail"><input type="email">
<button>→</button></form></section></aside></div>
<footer class="colophon"><ul>{_items(words.nav)}</ul><p>{words.footer}</p></footer>"""
    return semantic.document(article.title, main, lang=article.language, paper=words.paper)


def _handler(kind: str) -> Handler:
    def handler(request: Request) -> Reply:
        return page(_markup(story(kind), LABELS[kind]))

    return handler


SPECIALS = tuple(
    Special(kind, "semantic", _handler(kind), words.headlines) for kind, words in LABELS.items()
)
