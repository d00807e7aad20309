"""Documents that are too deep, too wide, too tall or too heavy, or have invalid markup."""

from .hostile import MARK, Hostile, document, script

__all__ = ["PAGES"]

TOO_BIG = ("TooLargeError", "PageTimeoutError", "BrowserCrashedError")
PICTURE = {"screenshot": True}


def _repeat(unit: str, times: int) -> str:
    return document(after=unit * times)


def _grow(code: str) -> str:
    """A page that a script makes large; its response stays small."""
    return script(f"const d = document.createElement('div'); {code}; document.body.append(d)")


SIZES = (
    Hostile("nodes-million", _repeat("<p>x", 500_000), errors=TOO_BIG, warns="too-many-nodes",
            seconds=12),
    Hostile("nodes-inline", _repeat("<i>x</i>", 300_000), errors=TOO_BIG, seconds=8),
    Hostile("nodes-grown", _grow("for (let i = 0; i < 2e6; i++)"
            "d.append(document.createElement('b'))"), errors=TOO_BIG, seconds=8),
    Hostile("levels-ten-thousand", _repeat("<div>", 10_000), errors=TOO_BIG, seconds=8),
    Hostile("levels-hundred-thousand", _grow("let e = d; for (let i = 0; i < 1e5; i++)"
            "{ const n = document.createElement('div'); e.append(n); e = n }"), errors=TOO_BIG),
    Hostile("levels-inline", _repeat("<b>", 20_000), errors=TOO_BIG, seconds=8),
    Hostile("attribute-huge", document(after=f"<p title='{'x' * 10_000_000}'>end</p>")),
    Hostile("attributes-many", document(after="<p " + " ".join(
            f"a{i}=x" for i in range(300_000)) + ">end</p>"), errors=TOO_BIG, seconds=8),
    Hostile("attribute-names-grown", _grow("for (let i = 0; i < 40000; i++) { const e = document"
            ".createElement('x-' + i); e.setAttribute('a' + i, i); d.append(e) }"), seconds=8),
    Hostile("text-huge", document(after="<p>" + "word " * 2_000_000 + "</p>"), errors=TOO_BIG,
            seconds=8),
    Hostile("text-unbroken", document(after="<p>" + "x" * 5_000_000 + "</p>"), errors=TOO_BIG,
            seconds=8),
    Hostile("title-huge", document(head=f"<title>{'t' * 5_000_000}</title>")),
    Hostile("comments", _repeat("<!-- x -->", 500_000), errors=TOO_BIG, seconds=8),
    Hostile("tables-nested", _repeat("<table><tr><td>", 2000), errors=TOO_BIG, seconds=8),
    Hostile("formatting-misnested", _repeat("<a><b><i><u><p>", 2000), errors=TOO_BIG, seconds=8),
    Hostile("select-options", document(after="<select>" + "<option>x" * 30_000 + "</select>"),
            errors=TOO_BIG),
)  # fmt: skip

LAYOUTS = (
    Hostile("css-selectors", document(head="<style>" + "".join(
            f".a{i}:has(.b{i} ~ .c{i} > *):not(:nth-child({i}n+1)) * {{color: red}}"
            for i in range(3000)) + "</style>", after="<div class=a1><p class=b1><p class=c1>"
            "<b></b></div>" * 300), errors=TOO_BIG),
    Hostile("css-variables", document(head="<style>:root {--a0: xxxxxxxxxx;" + "".join(
            f"--a{i + 1}: var(--a{i}) var(--a{i});" for i in range(40))
            + "} p::before {content: var(--a40)}</style>")),
    Hostile("css-counters", document(head="<style>p::after {content: '" + "y" * 10**6
            + "'; counter-increment: a 2147483647}</style>"), errors=TOO_BIG),
    Hostile("boxes-odd", document(after="<div style='width: calc(1px / 0); height: calc(NaN * 1px);"
            "margin: -1e30px'>a</div><div style='transform: scale(1e30) translate(1e30px, -1e30px)'"
            ">b</div><div style='position: absolute; left: -1e9px; top: infinity'>c</div>"
            "<div style='zoom: 1e9'>d</div><div style='width: 0; height: 0'>e</div>"
            "<div style='transform: matrix(0, 0, 0, 0, 0, 0)'>f</div>"), options=PICTURE),
    Hostile("font-million", document(after="<p style='font-size: 1e6px'>Big</p>"
            "<p style='font-size: 1e-9px'>small</p><p style='line-height: 1e9'>tall</p>"),
            options=PICTURE),
    Hostile("page-tall", document(after="<div style='height: 10000000px'>tall</div>"),
            warns="screenshot", options=PICTURE, seconds=8),
    Hostile("page-wide", document(after="<div style='width: 10000000px; height: 9px'>w</div>"),
            options=PICTURE),
    Hostile("content-visibility", document(head="<style>section {content-visibility: auto;"
            "contain-intrinsic-size: 1e6px}</style>", after="<section>s</section>" * 2000),
            options=PICTURE, seconds=8),
    Hostile("fonts-huge", document(head="<style>" + "".join(
            f"@font-face {{font-family: f{i}; src: url(/endless-fast?{i})}} p:nth-of-type({i + 1})"
            f"{{font-family: f{i}}}" for i in range(5)) + "</style>"), errors=("TooLargeError",)),
    Hostile("svg-bomb", document(after="<svg width=99999 height=99999><defs><g id=a0><rect width=9 "
            "height=9 /></g>" + "".join(f"<g id=a{i + 1}>" + f"<use href='#a{i}' />" * 10 + "</g>"
            for i in range(9)) + "</defs><use href='#a9' /></svg>"), errors=TOO_BIG,
            options=PICTURE),
    Hostile("svg-filter", document(after="<svg width=4000 height=4000><filter id=f>" +
            "<feTurbulence baseFrequency=.9 numOctaves=999 /><feGaussianBlur stdDeviation=900 />"
            * 20 + "</filter><rect width=4000 height=4000 filter='url(#f)' /></svg>"),
            errors=TOO_BIG, options=PICTURE),
    Hostile("picture-bomb", document(after="<img src=/bomb.png width=100 height=100>"),
            errors=TOO_BIG, options=PICTURE),
)  # fmt: skip

FRAMES = (
    Hostile("frames-recursive", document(after="<iframe src='?again'></iframe>" * 3)),
    Hostile("frames-many", document(after="<iframe srcdoc='<p>frame</p>'></iframe>" * 300),
            errors=TOO_BIG, seconds=8),
    Hostile("frames-nested", _grow("let w = document; d.innerHTML = '<iframe></iframe>';"
            "document.body.append(d); let f = d.firstChild; for (let i = 0; i < 60; i++) {"
            "const c = f.contentDocument; if (!c) break; c.body.innerHTML = '<iframe></iframe>';"
            "f = c.body.firstChild }"), errors=TOO_BIG),
    Hostile("frames-data", document(after="<iframe src='data:text/html,<script>for(;;){}</script>'>"
            "</iframe>" * 4)),
    Hostile("frames-growing", script("setInterval(() => { const f = document.createElement("
            "'iframe'); f.srcdoc = '<p>' + Math.random(); document.body.append(f) }, 5)"),
            errors=TOO_BIG),
    Hostile("shadow-roots", _grow("for (let i = 0; i < 5000; i++) { const e = document"
            ".createElement('div'); e.attachShadow({mode: i % 2 ? 'open' : 'closed'})"
            ".innerHTML = '<p>in the shadow<slot></slot>'; e.append('x'); d.append(e) }"),
            seconds=8),
    Hostile("shadow-nested", _grow("let e = d; for (let i = 0; i < 2000; i++) { const n = document"
            ".createElement('div'); e.attachShadow({mode: 'closed'}).append(n); e = n }"),
            errors=TOO_BIG),
    Hostile("templates-nested", _repeat("<template>", 3000)),
)  # fmt: skip

MARKUP = {
    "nul": b"<p>a\0b\0</p><p \0=\0 title='\0'>",
    "unclosed": b"<div title=\"<p>'</div><!-- <![CDATA[ <script><!--<script></p>",
    "plaintext": b"<plaintext></plaintext><script>",
    "frameset": b"<frameset><frame><noframes><p></frameset></html><p>after",
    "tables": b"<table><p><tr><form><td></table></form><caption><col><svg><td>",
    "foreign": b"<math><mi><p></math><svg><foreignObject><body><svg><title><p></svg>",
    "entities": b"&#0;&#x110000;&#xd800;&#128;&amp&lt&notit;&" + b"a" * 9999 + b";",
    "noncharacters": "<p>\ufffe\uffff\u202e\u2066\U0010ffff</p><p \u0130\u0131=x>".encode(),
    "selects": b"<select><select><option><textarea><button><button><isindex><keygen>",
    "bodies": b"</body><body a=b><html c=d><head></head></html></p></br>",
}
ODD = tuple(
    Hostile(f"markup-{name}", MARK.encode() + odd, keeps=False) for name, odd in MARKUP.items()
)

PAGES = (*SIZES, *LAYOUTS, *FRAMES, *ODD)
