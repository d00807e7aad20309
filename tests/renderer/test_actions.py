"""Actions on a page before it is captured, on pages of a real server in a real browser."""

import miolo
import pytest
from local_server import answering
from stage import codes, visible_text

STORY = "<p>" + "The harbour was rebuilt within a year of the storm, by the town alone. " * 20

PAGES = {
    "late": """<main></main><script>setTimeout(() => {
        document.querySelector('main').innerHTML = '<p class=late>It came late.</p>'}, 2600)
        </script><p>Here at once.</p>""",
    "folded": f"""<article>{STORY}<button onclick="rest.hidden = false">More</button>
        <p id=rest hidden>The rest of the story.</p><aside class=box>Advert</aside></article>""",
    "list": f"""<main>{STORY * 4}</main><button onclick="main(this.value)">Open</button>
        <script>function main(story) {{ document.querySelector('main').textContent = story }}
        const rest = new Promise((resolve) => setTimeout(resolve, 100))</script>""",
    "folds": f"""<main>{STORY}</main><button>More</button><script>
        const main = document.querySelector('main'), story = main.innerHTML
        document.querySelector('button').onclick = () => {{ main.innerHTML = story }}
        document.addEventListener('DOMContentLoaded',
          () => setTimeout(() => {{ main.innerHTML = '' }}))</script>""",
    "next": f"<article>{STORY}<a class=next href=/second>Next</a></article>",
    "second": "<p>The second page.</p>",
    "away": f"<article>{STORY}<a class=next href=http://nowhere.invalid/>Away</a></article>",
    "wall": f"""<article>{STORY}</article><div id=w style="position:fixed;inset:0;background:#fff">
        We value your privacy: everything about partners.</div>""",
    "dialog": f"""<article>{STORY}</article>
        <div id=onetrust-banner-sdk style="position:fixed;bottom:0;height:200px;background:#fff">
        <p>Cookies of ours.</p><div id=onetrust-button-group>
        <button id=onetrust-accept-btn-handler>Accept</button>
        <button id=onetrust-reject-all-handler onclick="
          document.getElementById('onetrust-banner-sdk').remove();
          document.body.append('It was refused.')">Reject all</button></div></div>""",
    "long": """<main></main><script>let n = 0; const more = () => { n += 1;
        document.querySelector('main').insertAdjacentHTML('beforeend',
          `<p style='height:900px'>Part ${n}</p>`) }; more(); more();
        addEventListener('scroll', () => {
          if (n < 6 && scrollY + innerHeight > document.body.scrollHeight - 300) more() })
        </script>""",
    "leaves": f"""<article>{STORY}</article><script>document.addEventListener('DOMContentLoaded',
        () => setTimeout(() => {{ location = '/second' }}))</script>""",
}


@pytest.fixture(scope="module")
def address():
    head = "<!doctype html><meta charset=utf-8>"
    with answering({f"/{name}": head + body for name, body in PAGES.items()}) as (url, _):
        yield url


@pytest.fixture
def visit(stage, address):
    def visit(name: str, **options):
        return stage.render(f"{address}/{name}", **options)

    return visit


@pytest.mark.parametrize(
    ("name", "options", "shown", "gone"),
    [
        ("late", {"wait_for": "main .late"}, "It came late", None),
        ("folded", {"click": ("button",), "hide": (".box",)}, "The rest of the story", "Advert"),
        ("long", {"scroll": "end"}, "Part 6", None),
        ("wall", {"dismiss_consent": True}, None, "privacy"),
    ],
)
def test_an_action_changes_what_is_shown(visit, name, options, shown, gone):
    before, page = visible_text(visit(name, wait="dom")), visit(name, **options)
    after = visible_text(page)
    assert shown is None or (shown in after and shown not in before)
    assert gone is None or (gone in before and gone not in after)
    assert "harbour" in after or name in ("late", "long")
    assert not codes(page)


@pytest.mark.parametrize(
    ("options", "code", "messages"),
    [
        ({"wait_for": ".never", "limits": miolo.Limits(seconds=4)}, "not-found", ["'.never'"]),
        ({"click": ("button",), "hide": (".box",)}, "not-found", ["'button'", "'.box'"]),
        ({"script": "null.length"}, "script", ["TypeError"]),
    ],
)
def test_an_action_that_fails_is_a_warning_within_the_deadline(visit, options, code, messages):
    page = visit("second", **options)
    assert "The second page." in visible_text(page)
    assert codes(page) == {code}
    for warning, message in zip(page.page.warnings, messages, strict=True):
        assert message in warning.message


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"click": ("button",)}, "Open"),
        ({"script": "main('One story')"}, "One story Open"),
        ({"script": "await rest; main('One story')"}, "One story Open"),
        ({"script": "document.body.textContent = ''"}, ""),
        ({"script": "await rest; document.body.textContent = ''"}, ""),
    ],
)
def test_text_that_actions_remove_is_not_restored(visit, options, text):
    page = visit("list", **options)
    assert " ".join(visible_text(page).split()) == text
    assert not codes(page)


def test_text_that_the_page_removes_is_restored(visit):
    assert codes(visit("folds")) == {"wiped"}
    page = visit("folds", hide=("button",))
    assert "harbour" in visible_text(page)
    assert codes(page) == {"wiped"}
    page = visit("folds", click=("button",))
    assert "harbour" in visible_text(page)
    assert not codes(page)


@pytest.mark.parametrize("selector", ["html", "body", "*"])
def test_a_whole_page_can_be_hidden(visit, selector):
    assert not visible_text(visit("second", hide=(selector,), screenshot=True)).strip()


def test_a_click_can_lead_only_to_pages_of_the_same_host(visit, address):
    assert visit("next", click=(".next",)).page.url == f"{address}/second"
    page = visit("away", click=(".next",))
    assert page.page.url == f"{address}/away"
    assert "left" in codes(page)


def test_a_script_reaches_no_private_address(stage, visit, address):
    script = f"try {{ await fetch('{address}/second') }} catch (e) {{ document.title = 'refused' }}"
    page = stage.run(
        stage.renderer.render(
            "data:text/html,<p>Here", miolo.RenderOptions(script=script, scroll=0)
        )
    )
    assert page.page.title == "refused"


def test_a_known_consent_dialog_is_refused_by_its_own_button(visit):
    pytest.importorskip("duckduckgo_autoconsent")
    assert "It was refused." in visible_text(visit("dialog", dismiss_consent=True))


def test_a_page_that_leaves_keeps_its_text_while_consent_dialogs_are_refused(visit):
    pytest.importorskip("duckduckgo_autoconsent")
    page = visit("leaves", dismiss_consent=True)
    assert "harbour" in visible_text(page)
    assert "left" in codes(page)


DIALOG = """<div style="position:fixed;inset:0;background:#fff"><p>Cenimy Twoją prywatność.</p>
    <button>Akceptuję wszystko</button><button onclick="{act}">Odrzuć wszystko</button></div>"""


@pytest.mark.parametrize("place", ["shadow root", "frame of the same site"])
def test_a_consent_dialog_is_refused_wherever_it_stands(stage, place):
    in_shadow = DIALOG.format(act="document.body.append('It was refused.')")
    shadow = f"""<div id=host></div><script>
        host.attachShadow({{mode: 'open'}}).innerHTML = `{in_shadow}`</script>"""
    asking = DIALOG.format(act="parent.postMessage('no', '*')").replace("position:fixed", "")
    with answering({"/cmp": "<meta charset=utf-8>" + asking}) as (other, _):
        framed = f"""<iframe src={other}/cmp></iframe><script>
            addEventListener('message', () => document.body.append('It was refused.'))</script>"""
        body = {"shadow root": shadow, "frame of the same site": framed}[place]
        with answering({"/": f"<meta charset=utf-8><main>{STORY}</main>{body}"}) as (url, _):
            page = stage.render(url, dismiss_consent=True)
    assert "It was refused." in visible_text(page)
