"""A page is captured when its article is there, at its own address, with all that it has shown."""

from __future__ import annotations

import asyncio
import contextlib
import threading

import miolo
import pytest
from local_server import Handler, serving
from stage import codes

WORDS = (
    "the harbour took in its first cargo ship since the spring, the port director said on Monday"
)
STORY = [f"Paragraph {n}: {WORDS}, and {WORDS} again." for n in range(1, 8)]
HTML = "".join(f"<p>{each}</p>" for each in STORY)
CODE = "\n".join(f"bake({number}, '{WORDS[:40]}');" for number in range(9))
ROWS = [f"Row {n:03d}: {WORDS}." for n in range(1, 61)]
NAV = "<nav><a href=/x>Politics</a> <a href=/y>Sport</a></nav>"
WALL = "<div class=wall><h2>Subscribe to read on</h2></div>"


def page(body: str, script: str = "", head: str = "") -> str:
    return f"""<!doctype html><html lang=en><head><meta charset=utf-8><title>Harbour</title>{head}
        </head><body>{NAV}<main><h1>Harbour</h1>{body}</main><script>{script}</script></body></html>"""


ARTICLE = f"<div id=b>{HTML}</div>"
EMPTY = "<div id=b></div>"
CUT = "[...b.children].slice(2).forEach((each) => each.remove())"
FILL = f"b.innerHTML = {HTML!r}"
FETCH = "fetch('/story').then((answer) => answer.text()).then((html) => { b.innerHTML = html })"

COMING = {
    "timer": page(EMPTY, f"setTimeout(() => {{ {FILL} }}, 5000)"),
    "slow request": page(EMPTY, FETCH),
    "chain": page(EMPTY, f"fetch('/config').then(() => setTimeout(() => {{ {FETCH} }}, 800))"),
    "one after the other": page(
        EMPTY,
        "const add = (n) => fetch(`/part${n}`).then((answer) => answer.text()).then((html) => {"
        " b.insertAdjacentHTML('beforeend', html); if (n < 3) setTimeout(add, 300, n + 1) });"
        "setTimeout(add, 300, 0)",
    ),
    "worker": page(
        EMPTY, "new Worker('/worker.js').onmessage = (event) => { b.innerHTML = event.data }"
    ),
    "stream": page(
        EMPTY, "new EventSource('/events').onmessage = (event) => { b.innerHTML = event.data }"
    ),
    "seen": page(
        EMPTY + "<div id=end></div>",
        f"new IntersectionObserver((all) => {{ if (all[0].isIntersecting) {FETCH} }}).observe(end)",
    ),
}

REMOVED = {
    "timer": page(ARTICLE, f"setTimeout(() => {{ {CUT}; b.innerHTML += {WALL!r} }}, 2000)"),
    "at once": page(ARTICLE, CUT),
    "whole": page(ARTICLE, f"setTimeout(() => {{ b.innerHTML = {WALL!r} }}, 300)"),
    "backwards": page(
        ARTICLE, "while (b.children.length > 2) b.lastChild.remove(); b.insertAdjacentHTML("
        f"'beforeend', {WALL!r})",
    ),
    "shortened": page(
        ARTICLE, "for (const each of b.children) each.firstChild.data = "
        "each.firstChild.data.slice(0, 30) + '…'",
    ),
    "other words": page(
        ARTICLE,
        "setTimeout(() => [...b.children].slice(2).forEach((each) => "
        "{ each.textContent = 'Members read this paragraph.' }), 300)",
    ),
}  # fmt: skip

NOT_REMOVED = {
    "another view": page(
        ARTICLE.replace("Paragraph", "Teaser"),
        f"setTimeout(() => {{ b.innerHTML = {(HTML + HTML.replace('Parag', 'Sect'))!r} }}, 300)",
    ),
    **{
        name: page(
            f"{ARTICLE}<pre id=c>{CODE}</pre>",
            f"const [first, ...rest] = {CODE!r}.split('\\n'); c.firstChild.data = first;"
            f"rest.forEach((line, number) => c.insertAdjacentHTML('beforeend', {line}))",
        )
        for name, line in (
            ("highlighted", "`<li><i>${line}</i></li>`"),
            ("numbered", "`<div><b>${number}</b>${line}</div>`"),
        )
    },
    "moved": page(
        ARTICLE + "<section id=s></section>", "setTimeout(() => { s.append(...b.children) }, 300)"
    ),
    "dialog": page(
        f"{ARTICLE}<div id=d role=dialog style='position:fixed;top:0'>We and our partners {WORDS}. "
        f"We and our partners {WORDS}. We and our partners {WORDS}. <button>No</button></div>",
        "setTimeout(() => d.remove(), 300)",
    ),
}

KANJI = "港が九か月の工事を終えて最初の貨物船を迎えたと港の責任者が月曜日に話した。" * 2
UNFOLDING = {
    "link": "<a href=#rest onclick=more()>Tap to read the remainder</a>",
    "focus": "<div tabindex=0 onclick=more()>Jetzt vollständigen Artikel lesen</div>",
    "polish": "<p><button onclick=more()>Czytaj całość</button></p>",
    "among teasers": "<button onclick=more()>Continue reading</button>"
    + f"<section><p>{WORDS}</p><button>Read more</button></section>" * 3,
    "closed": "<button aria-expanded=false onclick=more()>✛ 5 min</button>",
    "wide": "<button onclick=more()>この記事の全文を読む</button>",
}

PAGES = {
    "/hanging": page(ARTICLE, head="<script src=/never.js></script>"),
    "/hanging-sheet": page(
        EMPTY, FILL, head="<link rel=stylesheet href=/never.css><script>1</script>"
    ),
    "/more": page(
        f"<div id=b>{''.join(f'<p>{each}</p>' for each in STORY[:2])}</div>"
        "<button onclick=\"fetch('/story', {method: 'POST'}).then((a) => a.text())"
        '.then((html) => { b.innerHTML = html; this.remove() })">Weiterlesen</button>'
    ),
    "/more-nothing": page(
        f"{ARTICLE}<button onclick=\"document.body.innerHTML = 'gone'\">Read more</button>"
    ),
    "/more-form": page(
        f"{ARTICLE}<form action=/left><button>Read more</button></form>"
        "<p><a href=/left>Read more</a></p>"
    ),
    "/next": page(
        ARTICLE,
        "setTimeout(() => { history.pushState({}, '', '/another'); b.insertAdjacentHTML("
        f"'afterend', {HTML.replace('Paragraph', 'Next')!r}) }}, 500)",
    ),
    "/replaced": page(
        ARTICLE,
        f"setTimeout(() => {{ b.innerHTML = {HTML.replace('Paragraph', 'Next')[:-200]!r};"
        " history.pushState({}, '', '/another') }, 2000)",
    ),
    "/route": page(EMPTY, f"history.replaceState({{}}, '', '/routed'); {FILL}"),
    "/worker-page": page(
        EMPTY,
        "navigator.serviceWorker.register('/sw.js').then(() => navigator.serviceWorker.ready)"
        f".then(() => {{ {FILL} }})",
    ),
    "/ended-workers": page(
        ARTICLE,
        "for (let n = 0; n < 60; n++) { const one = new Worker('/tick.js?' + n);"
        " one.onmessage = () => n % 3 || one.terminate();"
        " if (n % 5 > 3) setTimeout(() => one.terminate(), n) }",
    ),
    "/worker-beside": page(ARTICLE, "navigator.serviceWorker.register('/sw.js')"),
    "/consent": page(
        EMPTY,
        "for (const each of document.querySelectorAll('.c button')) each.onclick = () => {"
        f"{FILL}; document.querySelector('.c').remove() }}",
    ).replace(
        "</main>",
        "</main><div class=c style='position:fixed;inset:0;background:white'>Wir verwenden Cookies "
        "und bitten um Ihre Einwilligung. <button>Alle akzeptieren</button> "
        "<button>Nur notwendige</button></div>",
    ),
    "/sections": page(
        "".join(
            f"<section style='min-height:900px'>{'' if n else HTML}</section>" for n in range(5)
        )
    ),
    "/islands": page(
        HTML + "<div style='min-height:700px'><span aria-hidden=true>···</span></div>" * 4
    ),
    "/tall-picture": page(f"{HTML}<img alt='' width=600 height=4000>"),
    "/list": page(
        "<div id=v style='position:relative'></div>",
        f"const rows = {ROWS!r};"
        """const H = 64;
        v.style.height = rows.length * H + 'px';
        function draw() {
          const from = Math.max(0, Math.floor(-v.getBoundingClientRect().top / H) - 2);
          v.innerHTML = '';
          for (let n = from; n < Math.min(rows.length, from + 20); n++) {
            const row = document.createElement('p');
            row.textContent = rows[n];
            row.style.cssText = `position: absolute; margin: 0; top: ${n * H}px`;
            v.append(row);
          }
        }
        addEventListener('scroll', draw);
        draw();""",
    ),
    **{f"/coming/{name.replace(' ', '-')}": html for name, html in COMING.items()},
    **{f"/removed/{name.replace(' ', '-')}": html for name, html in REMOVED.items()},
    **{f"/kept/{name.replace(' ', '-')}": html for name, html in NOT_REMOVED.items()},
}

CHECKS = {
    "/check/passed": "<p>One moment.<script>setTimeout(() => { document.cookie = 'passed=1';"
    " location.reload() }, 1500)</script>",
    "/check/failed": "<p>One moment.<script>setTimeout(() => 1, 500)</script>",
    "/check/plain": "<p>Come back later.",
}
"""Pages that a visitor sees instead of another until its browser has passed a check."""


class Pages(Handler):
    """The pages, some of whose parts come late, never, or in a stream."""

    def do_GET(self) -> None:
        self.rfile.read(int(self.headers.get("content-length") or 0))
        facts, path = self.server.__dict__, self.path.partition("?")[0]
        facts["requests"].append(path)
        late = {"/story": 1, "/data": 1}.get(path, 60 if path.startswith("/never") else 0)
        late = 1 if path.startswith("/part") else late
        facts["ending"].wait(late)
        worker = "fetch('/data').then((answer) => answer.text()).then(postMessage)"
        bodies = {
            "/story": HTML, "/data": HTML, "/events": f"data: {HTML}\n\n", "/worker.js": worker,
            "/tick.js": "importScripts('/1.js'); fetch('/1.js').then(() => postMessage(1))",
            "/1.js": "1",
            **{
                f"/part{n}": "".join(f"<p>{each}</p>" for each in STORY[2 * n : 2 * n + 2])
                for n in range(4)
            },
        }  # fmt: skip
        scripts = dict.fromkeys(("/worker.js", "/tick.js", "/1.js"), "text/javascript")
        kinds = {"/events": "text/event-stream", **scripts}
        kind = kinds.get(path, "text/html; charset=utf-8")
        refused = path.startswith("/check") and "passed=1" not in self.headers.get("cookie", "")
        body = CHECKS.get(path, "") if refused else bodies.get(path) or PAGES.get(path, ARTICLE)
        with contextlib.suppress(ConnectionError):
            self.send(body, 503 if refused else 200, {"Content-Type": kind})

    do_POST = do_GET


@pytest.fixture(scope="module")
def site():
    """Address of the site, and the list of the paths that were requested."""
    ending = threading.Event()
    with serving(Pages, ending=ending) as server:
        yield server
        ending.set()


@pytest.fixture(scope="module")
def render(site):
    """Renders a page of the site."""
    with asyncio.Runner() as runner:
        renderer = miolo.Renderer(miolo.RenderOptions(egress=miolo.EgressPolicy("always")))

        def render(path: str, lacks_article=None, **more) -> miolo.Snapshot:
            chosen = miolo.RenderOptions(egress=miolo.EgressPolicy("always"), **more)
            url = site[0] + path.replace(" ", "-")
            return runner.run(renderer.render(url, chosen, lacks_article=lacks_article))

        yield render
        runner.run(renderer.close())


def paragraphs(snapshot: miolo.Snapshot, beginning: str = "Paragraph") -> list[str]:
    return [text for text in snapshot.text if text.startswith(beginning)]


@pytest.mark.parametrize("name", COMING)
def test_text_that_comes_later_is_waited_for(render, name):
    snapshot = render(f"/coming/{name}")
    assert paragraphs(snapshot) == STORY
    assert not codes(snapshot)


@pytest.mark.parametrize("name", REMOVED)
def test_prose_that_scripts_remove_is_put_back_in_its_place(render, name):
    snapshot = render(f"/removed/{name}")
    assert paragraphs(snapshot) == STORY
    assert codes(snapshot) == {"wiped"}
    if name in ("timer", "whole", "body"):
        assert not paragraphs(snapshot, "Subscribe"), "the notice in its place"
    assert snapshot.restored[snapshot.text.index(STORY[-1])]
    assert not snapshot.restored[0]


def test_a_story_that_replaces_the_one_that_was_asked_for_is_not_kept(render, site):
    snapshot = render("/replaced")
    assert paragraphs(snapshot) == STORY
    assert not paragraphs(snapshot, "Next")
    assert snapshot.page.url == site[0] + "/replaced"


def test_what_scripts_remove_stays_away_if_that_is_asked(render):
    snapshot = render("/removed/at-once", restore=False)
    assert paragraphs(snapshot) == STORY[:2]
    assert not snapshot.restored.any()


@pytest.mark.parametrize("name", NOT_REMOVED)
def test_what_a_page_replaces_moves_or_closes_stays_away(render, name):
    snapshot = render(f"/kept/{name}")
    assert paragraphs(snapshot) == STORY
    assert not snapshot.restored.any()
    assert "wiped" not in codes(snapshot)


@pytest.mark.parametrize("path", ["/hanging", "/hanging-sheet"])
def test_what_holds_up_a_document_and_never_comes_is_left_out(render, site, path):
    snapshot = render(path)
    assert paragraphs(snapshot) == STORY
    assert codes(snapshot) == {"unanswered"}
    # The document itself is not requested again.
    assert site[1].count(path) == 1


def test_rows_that_a_list_recycles_are_kept_in_order(render):
    assert len(paragraphs(render("/list"), "Row")) < len(ROWS)
    snapshot = render("/list", scroll="end")
    assert paragraphs(snapshot, "Row") == ROWS
    assert "wiped" not in codes(snapshot)


@pytest.mark.parametrize(
    ("path", "is_cut"),
    [("/list", True), ("/sections", True), ("/islands", True), ("/tall-picture", None)],
)
def test_a_page_whose_end_is_not_drawn_is_truncated(render, path, is_cut):
    assert miolo.extract_snapshot(render(path)).truncated is is_cut


def test_a_cut_article_is_unfolded(render):
    assert paragraphs(render("/more")) == STORY
    assert paragraphs(render("/more", expand=False)) == STORY[:2]


@pytest.mark.parametrize("name", UNFOLDING)
def test_a_cut_article_is_unfolded_by_whatever_shows_the_rest(render, name):
    begin = [KANJI, KANJI] if name == "wide" else STORY[:2]
    PAGES["/unfolding"] = page(
        f"<div id=b>{''.join(f'<p>{each}</p>' for each in begin)}</div>{UNFOLDING[name]}",
        f"const more = () => {{ b.innerHTML = {HTML!r} }}",
    )
    assert paragraphs(render("/unfolding")) == STORY


def test_a_button_in_a_shadow_root_is_found(render):
    begin = "".join(f"<p>{each}</p>" for each in STORY[:2])
    PAGES["/shadow"] = page(
        "<x-story></x-story>",
        "const root = document.querySelector('x-story').attachShadow({mode: 'open'});"
        f"root.innerHTML = {f'<div>{begin}</div><button>Read more</button>'!r};"
        f"root.lastChild.onclick = () => {{ root.firstChild.innerHTML = {HTML!r} }}",
    )
    assert paragraphs(render("/shadow")) == STORY


def test_buttons_for_other_things_are_not_clicked(render):
    begin = "".join(f"<p>{each}</p>" for each in STORY[:2])
    for button in (
        "<button onclick=more()>Read all comments</button>",
        "<div style='position:fixed;top:0'><button onclick=more()>Continue</button></div>",
        "<button onclick=more()>Settings</button>",
    ):
        PAGES["/others"] = page(
            f"<div id=b>{begin}</div>{button}", f"const more = () => {{ b.innerHTML = {HTML!r} }}"
        )
        assert paragraphs(render("/others")) == STORY[:2]


def test_a_button_that_shows_no_more_text_changes_nothing(render):
    assert paragraphs(render("/more-nothing")) == STORY


def test_unfolding_submits_nothing_and_leads_nowhere(render, site):
    assert paragraphs(render("/more-form")) == STORY
    assert "/left" not in site[1]


def test_an_address_that_changes_after_the_text_has_come_is_another(render, site):
    page = render("/next").page
    assert [stage for stage, _ in page.stages] == ["document", "settle", "actions"]
    assert (page.url, page.later_url) == (site[0] + "/next", site[0] + "/another")


def test_an_address_that_changes_before_the_text_comes_is_the_pages(render, site):
    page = render("/route").page
    assert (page.url, page.later_url) == (site[0] + "/routed", "")


def test_a_page_that_needs_a_service_worker_says_so(render):
    assert "service-worker" in codes(render("/worker-page"))
    assert not codes(render("/worker-beside"))


def test_workers_that_end_do_not_end_the_page(render):
    for _ in range(3):  # the moment at which a worker ends is another each time
        assert paragraphs(render("/ended-workers")) == STORY


def test_a_visitor_who_passes_the_check_of_a_script_gets_the_page(render):
    assert paragraphs(render("/check/passed")) == STORY
    for path in ("/check/failed", "/check/plain"):
        with pytest.raises(miolo.NavigationError, match="status 503"):
            render(path)
    with pytest.raises(miolo.NavigationError, match="status 503"):
        render("/check/passed", javascript=False)


def test_a_dialog_is_refused_by_the_words_of_its_button(render):
    assert paragraphs(render("/consent", dismiss_consent=True)) == STORY


def test_the_reader_decides_how_long_a_request_is_awaited(render):
    questions = []

    async def lacks_article(snapshot: miolo.Snapshot) -> bool:
        questions.append(snapshot)
        return True

    html = page(EMPTY, "fetch('/never')")
    PAGES["/waiting"] = html
    snapshot = render("/waiting", lacks_article, settle_seconds=2.0)
    assert 1 <= len(questions) <= 4
    assert codes(snapshot) == {"unsettled"}
    assert [each.endswith("/never") for each in snapshot.page.pending] == [True]


def test_a_page_that_polls_without_end_is_bounded(render, site):
    PAGES["/polling"] = page(ARTICLE, "setInterval(() => fetch('/poll'), 5)")
    site[1].clear()
    assert paragraphs(render("/polling")) == STORY
    assert site[1].count("/poll") < 2_000


def test_what_a_page_was_is_part_of_its_file(render, tmp_path):
    snapshot = render("/removed/at-once")
    snapshot.save(tmp_path / "page.miolo")
    again = miolo.Snapshot.load(tmp_path / "page.miolo")
    assert (again.restored == snapshot.restored).all()
    assert again.page == snapshot.page
    assert again.served == snapshot.served == PAGES["/removed/at-once"]
