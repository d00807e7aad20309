"""Results and reports of malicious pages, opened in Chromium with scripts enabled."""

import json
import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import miolo
import pytest
from cases import case_of
from hypothesis import HealthCheck, given, settings
from markdown_it import MarkdownIt
from miolo.collect.batch.jobs import Counts
from miolo.collect.collections.export import ExportResult, TableSize, data_card
from miolo.debug.reports.compare_report import html_report_of_pair
from miolo.debug.reports.html_reports import html_report, html_report_of_site
from miolo.errors import PageWarning
from miolo.evaluate.evaluation_run import Result
from miolo.evaluate.summary import judge
from miolo.evaluate.systems import Answer
from miolo.evaluate.worst import worst_cases, write_worst
from payloads import CANARY, MARKUP, VECTORS, everything, frame_all
from samples import sample

# Shows markup as the page of a user may: parsed, serialized and parsed again. Then waits for the
# events of all earlier images and returns whether any script ran.
SHOW = """markup => new Promise(done => {
  delete window.harmed;
  const stage = document.createElement('div');
  document.body.replaceChildren(stage);
  stage.innerHTML = markup;
  stage.innerHTML = stage.innerHTML;
  const last = new Image();
  last.onerror = () => setTimeout(() => done(window.harmed ?? 0));
  last.src = 'data:,';
})"""

# Dispatches the pointer and keyboard events that a reader can cause without following a link.
# Returns whether any script ran, and the addresses of all links.
TOUCH = """() => {
  const kinds = ['mouseover', 'mouseenter', 'pointerover', 'pointerenter', 'focusin', 'focus',
                 'click', 'input', 'change', 'toggle'];
  for (const element of document.querySelectorAll('*'))
    for (const kind of kinds) element.dispatchEvent(new Event(kind, {bubbles: true}));
  return [window.harmed ?? 0,
          ...[...document.querySelectorAll('[href]')].map(e => e.getAttribute('href'))];
}"""

# Its end keeps a script element open whose text holds it, if only ">" is escaped there.
HOSTILE = (
    f"</script></style></title><img src=x onerror={CANARY}>\" onx='{CANARY} @@DATA@@ \u2028"
    "<!--<script "
)


@pytest.fixture(scope="module")
def runs_script(chromium):
    """Shows markup in a page without any policy; returns whether a script ran."""
    context = chromium.new_context()
    context.route("**/*", lambda route: route.abort())
    page = context.new_page()
    page.set_content("<!doctype html><body></body>")
    page.on("dialog", lambda dialog: pytest.fail("a dialog opened"))
    yield lambda markup: page.evaluate(SHOW, markup)
    context.close()


@pytest.fixture(scope="module")
def vector_page(stage):
    """All vectors, as Chromium parsed them."""
    return stage.html(frame_all(), url="https://site.example/a/b")


@pytest.fixture(scope="module")
def hostile_page(stage):
    """A page with a vector in every text and attribute that is read."""
    quoted = HOSTILE.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
    facts = "".join(
        f'<meta name="{name}" property="{name}" content="{quoted}">'
        for name in ("author", "article:author", "og:site_name", "og:title", "description",
                     "article:section", "article:published_time", "og:image", "keywords")
    )  # fmt: skip
    source = f"""<title>{quoted}</title>{facts}<body id="{quoted}" class="{quoted}">
    <a rel="author" href="https://x.example/{quoted}">{quoted}</a>
    <h1 id="{quoted}">{quoted}</h1><p class="{quoted}" title="{quoted}">{quoted} {"words " * 40}
    <a href="javascript:{CANARY}">one</a> <a href="https://x.example/{quoted}">two</a></p>
    <img alt="{quoted}" src="https://x.example/{quoted}"><p>{"Other words. " * 60}</p>"""
    page = stage.html(source, url=f"https://site.example/?{CANARY}'\"><img>", screenshot=True)
    altered = replace(
        page.page,
        warnings=(PageWarning(HOSTILE, HOSTILE),),
        language=HOSTILE,
        time=HOSTILE,
        url=HOSTILE,
    )
    return replace(page, page=altered)


def markdown_shown(markdown: str) -> str:
    reader = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    reader.validateLink = lambda url: True
    return reader.render(markdown)


def test_harmful_markup_is_detected(runs_script):
    assert runs_script(f"<p>text<img src='data:,' onerror='{CANARY}'>") == 1
    assert runs_script("<p>text") == 0


@pytest.mark.parametrize("number", sample(range(len(VECTORS)), 4))
def test_known_vectors_do_not_run_in_the_output(runs_script, number):
    body = everything(miolo.Snapshot.from_html(VECTORS[number], url="https://site.example/"))
    assert runs_script(body.html) == 0
    assert runs_script(markdown_shown(body.markdown)) == 0


def test_vectors_rendered_by_chromium_do_not_run_in_the_output(vector_page, runs_script):
    assert len(vector_page.frames) > len(VECTORS)
    body = everything(vector_page)
    assert "harmed" in body.html
    assert runs_script(body.html) == 0
    assert runs_script(markdown_shown(body.markdown)) == 0


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(source=MARKUP)
def test_no_page_runs_a_script_in_the_output(runs_script, source):
    body = everything(miolo.Snapshot.from_html(source, url="https://site.example/"))
    assert runs_script(body.html) == 0
    assert runs_script(markdown_shown(body.markdown)) == 0


def site_report(page: miolo.Snapshot) -> str:
    return html_report_of_site(miolo.learn_site([page, page, page]), HOSTILE)


def worst_report(page: miolo.Snapshot) -> str:
    case = case_of(HOSTILE, HOSTILE, url=f"javascript:{CANARY}", title=HOSTILE)
    judged = judge([case], {"nce": [Result(Answer(HOSTILE, HOSTILE))]})
    return write_worst(judged, worst_cases(judged, 1), {})


REPORTS = {
    "page": html_report,
    "pair": lambda page: html_report_of_pair(page, page),
    "site": site_report,
    "worst": worst_report,
}


def test_nothing_of_a_collection_runs_in_its_data_card(runs_script):
    facts = {"about": f"`{HOSTILE}\n\n<script>{CANARY}</script>"}
    collection = SimpleNamespace(
        path=Path(f"<img src=x onerror={CANARY}>|\n# heading"),
        counts=lambda: Counts(0, 0, 1, 1, {HOSTILE: 1}),
        hosts=dict,
        facts=lambda: facts,
    )
    tables = {"pages": TableSize(1, 1, 1)}
    result = ExportResult(tables, f"[m](javascript:{CANARY})", False, 0, (HOSTILE, "now"))
    card = data_card(cast("Any", collection), result)
    shown = markdown_shown(card.partition("\n---\n")[2])
    assert runs_script(shown) == 0
    assert "<img" not in shown
    assert "javascript:" not in re.findall(r'href="([^"]*)"', shown)
    assert shown.count("<tr>") == 10


@pytest.mark.parametrize("kind", REPORTS)
@pytest.mark.parametrize("policy", ["its own policy", "none"])
def test_nothing_of_a_page_runs_in_a_report(hostile_page, open_report, kind, policy):
    """The policy of a report is a second line of defence; the first one holds without it."""
    report = REPORTS[kind](hostile_page)
    assert "Content-Security-Policy" in report
    if policy == "none":
        report = re.sub("<meta http-equiv=.?Content-Security-Policy[^>]*>", "", report)
        assert "Content-Security-Policy" not in report
    page = open_report(report)
    harmed, *links = page.evaluate(TOUCH)
    assert harmed == 0
    for data in page.locator("#data").all_text_contents():
        json.loads(data)
    for link in links:
        assert link.startswith(("#", "https://", "http://", "data:image/")), link


@pytest.mark.parametrize("kind", REPORTS)
def test_the_policy_of_a_report_lets_nothing_else_run(hostile_page, chromium, kind):
    """The policy stops an injected script and any request that would reveal the reader."""
    report = REPORTS[kind](hostile_page)
    broken = report.replace("<body", f"<img src='data:,' onerror='{CANARY}'><body", 1)
    broken = broken.replace("</body>", f"<script>{CANARY}</script></body>")
    assert broken != report
    page = chromium.new_page()
    requested = []
    page.on("request", lambda request: requested.append(request.url))
    page.set_content(broken)
    harmed, *_ = page.evaluate(TOUCH)
    page.close()
    assert harmed == 0
    assert [url for url in requested if not url.startswith(("data:", "about:"))] == []
