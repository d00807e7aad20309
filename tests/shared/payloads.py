"""Markup of malicious pages: a list of well-known kinds, and a grammar for hypothesis."""

import html

import numpy as np
from hypothesis import strategies as st
from miolo import Snapshot
from miolo.features.blocks import text_blocks
from miolo.output.body import Body, body_of

CANARY = "window.harmed=1"

SCHEMES = (
    "javascript:",
    "JaVaScRiPt:",
    "java\tscript:",
    "\x01javascript:",
    " javascript:",
    "java\nscript:",
    "javascript&colon;",
    "&#106;avascript:",
    "&#x0000006A;avascript:",
    "vbscript:",
    "data:text/html,",
    "data:image/svg+xml,",
    "blob:",
    "//evil.example/",
    "https://ok.example/",
)

VECTORS = (
    f"<script>{CANARY}</script>",
    f"<img src=x onerror='{CANARY}'>",
    f"<img/src=x/onerror={CANARY}>",
    f"<svg/onload='{CANARY}'>",
    f"<svg><script>{CANARY}</script></svg>",
    f"<svg><style><img src=x onerror='{CANARY}'></style></svg>",
    f"<svg><animate onbegin='{CANARY}' attributeName=x dur=1s>",
    f"<svg><a xlink:href='javascript:{CANARY}'><text y=20>go</text></a></svg>",
    f"<math><mtext><table><mglyph><style><img src=x onerror='{CANARY}'>",
    f"<math><mi//xlink:href='data:x,<script>{CANARY}</script>'>",
    f"<form><math><mtext></form><form><mglyph><style></math><img src=x onerror='{CANARY}'>",
    f"<noscript><p title='</noscript><img src=x onerror={CANARY}>'>",
    f"<template><script>{CANARY}</script></template>",
    f"<iframe srcdoc='<script>parent.{CANARY}</script>'></iframe>",
    f"<iframe src='javascript:parent.{CANARY}'></iframe>",
    f"<object data='javascript:{CANARY}'></object><embed src='javascript:{CANARY}'>",
    f"<body onload='{CANARY}'><p>text",
    f"<details open ontoggle='{CANARY}'>text</details>",
    f"<input autofocus onfocus='{CANARY}'><select autofocus onfocus='{CANARY}'>",
    f"<video><source onerror='{CANARY}'></video><audio src=x onerror='{CANARY}'>",
    f"<meta http-equiv=refresh content='0;url=javascript:{CANARY}'>",
    "<base href='javascript:/a/-'><a href='//x'>text</a>",
    f"<form action='javascript:{CANARY}'><button>go</button></form>",
    f"<p style='background:url(javascript:{CANARY})'>text",
    f"<style>@import 'javascript:{CANARY}'</style><link rel=stylesheet href='data:,*{{}}'>",
    f"<!--><img src=x onerror='{CANARY}'>-->",
    f"<!-- --!><img src=x onerror='{CANARY}'>",
    f"<![CDATA[<img src=x onerror='{CANARY}'>]]>",
    f"<?xml <img src=x onerror='{CANARY}'> ?>",
    f"<textarea></textarea><img src=x onerror='{CANARY}'></textarea>",
    f"<title></title><img src=x onerror='{CANARY}'></title>",
    f"<xmp></xmp><img src=x onerror='{CANARY}'></xmp>",
    f"<plaintext><img src=x onerror='{CANARY}'>",
    f"<a href='javascript:{CANARY}' target=_top ping='javascript:{CANARY}'>text</a>",
    f"<p>&lt;script&gt;{CANARY}&lt;/script&gt;</p>",
    f"<p>&amp;lt;img src=x onerror={CANARY}&amp;gt;</p>",
    f"<pre>```\n&lt;img src=x onerror={CANARY}&gt;</pre>",
    f"<p><code>`</code>&lt;img src=x onerror={CANARY}&gt;<code>`</code></p>",
    f"<a href='/x'><code>`](javascript:{CANARY})</code></a>",
    f"<a href='/x'>]<b>](javascript:{CANARY})</b><i>[</i></a>",
    f"<p>[text](javascript:{CANARY}) ![text](javascript:{CANARY})</p>",
    f"<p>[text]: javascript:{CANARY}</p><p>[text]</p><p>&lt;javascript:{CANARY}&gt;</p>",
    f"<p>&lt;<span>script</span>&gt;{CANARY}&lt;/script></p>",
    f"<img src=/pic alt='](x) &lt;img src=x onerror={CANARY}> [go](javascript:{CANARY})'>",
    f"<a href='/x) [go](javascript:{CANARY}'>text</a><a href='/x y `z'>text</a>",
    f"<blockquote><pre>a&#13;```&#x2028;&lt;img src=x onerror={CANARY}&gt;</pre></blockquote>",
    f"<dl><dd><pre>\na\n\n&lt;img src=x onerror={CANARY}&gt;\n</pre></dl>",
    f"<ol start=9999999999><li><pre>\n\n\n&lt;img src=x onerror={CANARY}&gt;</pre></ol>",
    f"<table><tr><td>a|b<td><code>|</code><td><pre>|`\n&lt;img src=x onerror={CANARY}&gt;</table>",
)
"""Each sets `window.harmed` if it runs in the context that it is made for."""

NAMES = (
    "p h2 ul li ol dl dt dd blockquote pre code kbd table tr td th a b em q img br hr svg math "
    "mtext mglyph style script title textarea noscript template iframe object form select option "
    "foreignObject desc annotation-xml xmp plaintext base meta video details"
).split()

# fmt: off
PIECES = (
    "text", " ", "\n\n", "`", "```", "~~~", "~~", "*", "_", "[", "]", "](", ")", "!", "|", "\\",
    "# ", "- ", "1. ", "> ", "===", "---", "<", ">", "&lt;", "&gt;", "&amp;lt;", "&#13;",
    "&#x2028;", "&#x0b;", "&#x85;", "&#27;", "<!--", "-->", "<![CDATA[", "]]>", "<?", "</", "'",
    '"', "\x00", f"&lt;img src=x onerror={CANARY}&gt;", f"[go](javascript:{CANARY})",
    f"[go]: javascript:{CANARY}", f"&lt;script&gt;{CANARY}&lt;/script&gt;",
    f"<img src=x onerror='{CANARY}'>",
    f"</title></textarea></style></script><img src=x onerror={CANARY}>",
)
ATTRIBUTES = (
    "href", "src", "alt", "title", "style", "onclick", "onerror", "srcdoc", "start", "colspan",
    "xlink:href", "id", "class",
)
# fmt: on


def _element(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    values = st.lists(st.sampled_from((*PIECES, *SCHEMES, CANARY, "/x", "3")), max_size=3)
    attribute = st.tuples(
        st.sampled_from(ATTRIBUTES),
        values.map("".join).map(lambda value: value.replace('"', "&quot;")),
    )
    written = st.lists(attribute, max_size=2).map(
        lambda pairs: "".join(f' {name}="{value}"' for name, value in pairs)
    )
    name = st.sampled_from(NAMES)
    return st.builds(
        lambda tag, attributes, parts, closed: (
            f"<{tag}{attributes}>{''.join(parts)}" + (f"</{tag}>" if closed else "")
        ),
        name,
        written,
        st.lists(inner, max_size=4),
        st.booleans(),
    )


MARKUP = st.lists(
    st.recursive(st.sampled_from((*PIECES, *VECTORS)), _element, max_leaves=10), max_size=4
).map("".join)
"""Pages of closed and unclosed elements, with pieces of HTML, Markdown and scripts in them."""


def everything(snapshot: Snapshot) -> Body:
    """A body with the whole content of a page, so that no method can remove the payload."""
    return body_of(snapshot, text_blocks(snapshot), np.ones(len(snapshot), bool))


def frame_all() -> str:
    """One page with every vector in a frame of its own, so that no vector contains the next."""
    frames = (f'<iframe srcdoc="{html.escape(vector)}"></iframe>' for vector in VECTORS)
    return f"<title>Vectors</title><h1>Vectors</h1>{''.join(frames)}"
