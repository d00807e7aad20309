"""Documents in unusual encodings, and one with invalid markup."""

from newsroom.markup import join
from newsroom.web import Handler, Reply

LATIN1 = "Über den Dächern von Fenmoor: Käthe Größl fängt an, die Störche zu zählen - naïve Idee?"
CP1252 = "The café’s “Crème Brûlée” costs €7 – or so it said on the menu… until Thursday™."
BROKEN = "The printer's devil left every tag open, and the paper came out all the same."

MORE = (
    "Nobody had asked her to, and nobody had told her not to, so that she climbed up on the first"
    " fine morning of the year with a flask, a pencil and a school exercise book.",
    "By noon there were people in the street who shaded their eyes with their hands. By evening a"
    " second exercise book was called for, and somebody went to fetch a chair.",
)


def _document(first: str, meta: str = "") -> str:
    texts = join(f"<p>{text}</p>" for text in (first, *MORE))
    return f"""<!doctype html><html lang="en"><head>{meta}<title>Odd news</title></head>
<body><div><a href="/ledger/">Home</a> | <a href="/ledger/town/">Town</a></div>
<article><h1>Odd news</h1>{texts}</article></body></html>"""


BROKEN_MARKUP = f"""<html><title>Broken news</title><body bgcolor=white
<table><tr><td><a href=/ledger/>Home<a href=/ledger/town/>Town</td>
<div class=story id="story"><h1>Broken news<h2>An <i>inquiry</h2></i> is held
<p><b>{BROKEN}<p>{MORE[0]}</b><table><p>{MORE[1]}</tr></div></span>
<p align=center title="unclosed><img src="/thumbs/broken.png" alt='>'>" &nbsp &copy 2024
<select><option>One<option>Two</article></form><!-- never closed
"""


def _bytes(body: bytes, kind: str) -> Handler:
    return lambda request: Reply(body, kind=kind)


HANDLERS: dict[str, Handler] = {
    "latin1": _bytes(_document(LATIN1).encode("iso-8859-1"), "text/html; charset=iso-8859-1"),
    "meta-charset-1252": _bytes(
        _document(CP1252, '<meta charset="windows-1252">').encode("cp1252"), "text/html"
    ),
    "broken-markup": _bytes(BROKEN_MARKUP.encode(), "text/html; charset=utf-8"),
}
MARKS = {
    "latin1": LATIN1,
    "meta-charset-1252": CP1252,
    "broken-markup": BROKEN,
}
