"""A feature article with a block of every role, for pictures and for inspection by eye."""

from newsroom.layouts import semantic
from newsroom.markup import Slots, esc
from newsroom.paper import LEDGER
from newsroom.pictures import picture_url
from newsroom.story import Comment, Story
from newsroom.web import Handler, page

from .base import style

STORY = Story(
    slug="every-role",
    title="The tide mill that grinds again, and the tables that tell it when",
    standfirst="Nine volunteers spent four winters on a wheel that had not turned since 1931. What"
    " they needed most was not oak but arithmetic.",
    authors=("Nora Haldane",),
    date="2024-05-14",
    section="Coast",
    scene="harbour",
    caption="",
    language="en",
    blocks=(),
    comments=(
        Comment(
            "Tom A.",
            "14 May 2024, 09:12",
            "My grandfather carried sacks there. I never thought that I would smell that flour"
            " again, and I bought three bags on Saturday.",
        ),
        Comment(
            "quayside_jo",
            "14 May 2024, 10:40",
            "Does the gate open on Sundays as well? The table in the paper stops on a Saturday.",
        ),
    ),
)

RULES = """
.dateline, .factbox, .tweet, .inline-newsletter, .author-bio {
  font: 15px/1.5 "Liberation Sans", Arial, sans-serif; }
.dateline { color: var(--soft); margin: 0 0 14px; }
.credit { font-style: italic; }
.pullquote { margin: 1.2em 0; padding: 14px 0; border-block: 2px solid var(--accent);
  color: var(--accent); font-size: 27px; line-height: 1.3; text-align: center; }
.pullquote p, .inline-newsletter p { margin: 0; }
.factbox { margin: 1.5em 0; padding: 6px 22px 16px; background: #e9e3d5; }
.factbox h3 { margin: .6em 0 .3em; } .factbox p { margin: 0 0 .4em; }
.tweet { border: 1px solid var(--rule); border-radius: 12px; padding: 12px 18px;
  background: #fff; margin: 1.2em 0; }
.tweet p { margin: 0 0 6px; }
.inline-newsletter { border: 2px solid var(--ink); padding: 12px 20px; margin: 1.4em 0; }
.inline-newsletter a { font-weight: 700; }
.read-also { margin: 1.2em 0; padding-left: 16px; border-left: 4px solid var(--rule);
  font-size: 16px; }
.correction, .author-bio { border-top: 1px solid var(--rule); padding-top: 10px; }
.correction { font-size: 15px; font-style: italic; color: var(--soft); }
"""


def _heading() -> str:
    return f"""<header class="article-head">
<p class="kicker"><a href="{LEDGER.section_path(STORY.section)}">{esc(STORY.section)}</a></p>
<h1>{esc(STORY.title)}</h1>
<p class="standfirst">{esc(STORY.standfirst)}</p>
<p class="byline author">By <span itemprop="author">{STORY.authors[0]}</span></p>
<p class="dateline"><time datetime="2024-05-14T06:30">Tuesday 14 May 2024, 6.30 am</time></p>
</header>"""


def _body() -> str:
    url, title = LEDGER.targets(STORY, 1)[0]
    return f"""<figure>
<img src="{picture_url("harbour", STORY.slug)}" width="960" height="540" alt="">
<figcaption><span class="caption">The mill at high water, an hour before the gate is
lifted.</span></figcaption>
<p class="credit photo-credit">Photograph: Jonas Weil</p></figure>
<p>The wheel of the tide mill at Cooper's Hard turned at four minutes past six on Saturday
morning, slowly at first, with a noise that one of the onlookers compared to a piano being
moved downstairs.</p>
<p>For ninety-three years it had stood still. The sea came into the pond twice a day and went
out again, and nobody asked it for anything. Then a retired surveyor, a baker and seven others
who had never built so much as a shed decided that it should go back to work.</p>
<h2>Oak, iron and patience</h2>
<p>The first winter went on mud. The second went on oak, which came green from an estate
upstream and had to be cut before it dried. "You work with the wood or you do not work at all,"
said Hanne Osterlund, who ran the yard and lost two fingernails to it.</p>
<aside class="pullquote"><p>“You work with the wood or you do not work at all.”</p></aside>
<p>Three parts of the old machine could be used again, after they had been cleaned and
measured:</p>
<ul>
<li>the cast-iron shaft, which had been greased before it was abandoned;</li>
<li>one of the two millstones, of French burr, cracked but sound;</li>
<li>the sluice gate, of which the hinges alone are new.</li>
</ul>
<aside class="factbox"><h3>The mill in figures</h3>
<p>Built in 1784, closed in 1931. The wheel is 4.6 metres across and has 32 floats.</p>
<p>The pond holds eleven thousand cubic metres of water at a spring tide.</p></aside>
<h2>When to lift the gate</h2>
<p>The hard part was to know when. A mill of this kind works for some four hours around low
water, and low water comes fifty minutes later each day. The old millers kept it in their heads,
or so the story goes. The county archive has a letter of 1803 that says otherwise, in which the
miller wrote:</p>
<blockquote class="quote"><p>“I have had no sleep this fortnight, for the sea keeps no hours.</p>
<p>My wife says that I am married to the gate.”</p></blockquote>
<p>The volunteers keep a table on the wall instead, which is printed anew every week:</p>
<table><thead><tr><th>Day</th><th>Gate opens</th><th>Grinding</th></tr></thead><tbody>
<tr><td>Tuesday</td><td>07.40</td><td>3 h 50 min</td></tr>
<tr><td>Wednesday</td><td>08.31</td><td>3 h 45 min</td></tr>
<tr><td>Thursday</td><td>09.24</td><td>3 h 35 min</td></tr></tbody></table>
<p>Behind the table is a program of four lines, written by the surveyor's granddaughter, who is
fifteen and did it in a free period:</p>
<pre><code>def gate_opens(day, first=7 * 60 + 40):
    minutes = (first + 51 * day) % (24 * 60)
    return f"{{minutes // 60:02}}.{{minutes % 60:02}}"</code></pre>
<div class="inline-newsletter newsletter-signup"><p>Get the news from the estuary in your
inbox at six. <a href="/ledger/newsletter">Sign up for The Morning Tide</a></p></div>
<p>It was the table, she said, that people photographed most on Saturday, more than the wheel.
One picture of it was shared two thousand times before noon.</p>
<blockquote class="twitter-tweet tweet"><p>The tide mill has a timetable and it is better than
the bus's. Proud of this town today.</p>— Mina Thorsby (@minathorsby)
<a href="https://twitter.com/minathorsby/status/1">May 11, 2024</a></blockquote>
<p>Flour is sold at the door from Thursday, in bags of a kilogram. There is enough for about
forty customers a day, and the baker has asked to be one of them.</p>
<p class="read-also related-link">Read more: <a href="{url}">{esc(title)}</a></p>
<p class="correction"><em>Correction, 14 May: an earlier version of this article gave the year
of the closure as 1913. It was 1931.</em></p>
<div class="author-bio about-the-author"><p>Nora Haldane covers the harbour and the coast for
the Ledger. She grew up in Greyholt and has written about boats since 2009.</p></div>"""


def _markup() -> str:
    return semantic.article(STORY, Slots(head=style(RULES), heading=_heading(), body=_body()))


HELPERS: dict[str, Handler] = {"/special/every-role": lambda request: page(_markup())}
