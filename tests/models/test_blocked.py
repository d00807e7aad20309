"""Pages that are served in place of the requested one are recognised, and other pages are not."""

from dataclasses import replace

import miolo
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from miolo.features.blocks import text_blocks
from miolo.models.kinds.blocked import ARTICLE_WORDS, blocked_kind

NAV = "".join(f"<a href=/{n}>Section number {n}</a> " for n in range(60))
NEWS = "<p>" + "Travellers waited for hours on Monday as the guards were on strike. " * 6
LONG = "<p>" + "Travellers waited for hours on Monday as the guards were on strike. " * 20

BLOCKED = {
    "a bot check": [
        "<title>Just a moment...</title><h1>example.org</h1><h2>Verify you are human by completing"
        " the action below.</h2><div id=challenge-stage></div><p>example.org needs to review the"
        " security of your connection before proceeding.",
        "<title>Attention Required! | Cloudflare</title><div id=cf-error-details><h1>Sorry, you"
        " have been blocked</h1></div>",
        "<title>Access Denied</title><h1>Access Denied</h1><p>You don't have permission to access"
        ' "http://x/" on this server.<p>Reference #18.2d',
        "<title>example.org</title><p>Please enable JS and disable any ad blocker</p>"
        "<iframe src='https://geo.captcha-delivery.com/captcha/?a=1'></iframe>",
        "<title>Pardon Our Interruption</title><p>Something about your browser made us think that"
        " you might be a bot.",
        "<title>Wait</title><h1>Verifying that you are a real person</h1><p>It takes a moment.",
        "<title>Prüfung</title><h1>Sind Sie ein Mensch?</h1><p>Halten Sie den Schalter gedrückt.",
        "<title>安全验证</title><p>请完成验证后继续访问",
        "<title>Доступ ограничен</title><h1>Доступ ограничен</h1><p>Подтвердите, что вы не робот",
    ],
    "a consent wall": [
        "<title>Before you continue to Search</title><h1>Before you continue to Search</h1>"
        "<p>We use cookies and data to deliver and maintain services.</p>"
        "<button>Reject all</button><button>Accept all</button>",
        *(
            f"<title>Loaf</title><nav>{NAV}</nav><main></main><div aria-modal=true>{dialog}</div>"
            for dialog in (
                "<h2>Ihre Daten</h2><p>Wir und unsere Partner verwenden Cookies.</p>"
                "<button>Alles annehmen</button><button>Ablehnen</button>",
                "<p>Używamy plików cookie. Prosimy o zgodę.<button>Zgoda</button><a>Odrzuć</a>",
                "<p>当社はクッキーを使用します。</p><button>同意する</button><button>拒否</button>",
            )
        ),
    ],
    "a login wall": [
        "<title>Log in - Forum</title><h1>Log in</h1><form><label>User<input name=u></label>"
        "<input type=password><button>Log in</button></form>",
        "<title>Anmelden</title><form>Name <input name=u> <input type=password></form>",
        "<title>ログイン</title><form>名前 <input name=u> <input type=password></form>",
    ],
    "an error page": [
        f"<title>Page not found - The Daily Loaf</title><nav>{NAV}</nav><h1>404</h1><p>Sorry.",
        "<title>404 Not Found</title><center><h1>404 Not Found</h1></center><hr>nginx",
        "<title>503 Service Temporarily Unavailable</title><h1>503</h1>",
        "<title>Seite nicht gefunden</title><p>Die Seite gibt es nicht.",
        "<title>Nie znaleziono strony</title><p>Nie znaleziono strony, której szukasz.",
        "<title>Error</title><h1>Error</h1><p>No hemos encontrado la página que buscas.",
        "<title>页面不存在</title><h1>页面不存在</h1><p>您访问的页面不存在",
        "<title>Página no encontrada</title><p>No está.",
        "<title>Oups</title><h1>Oups, cette page est introuvable</h1><p>Le lien est rompu.",
        "<title>Ops</title><h1>Ops</h1><p>La pagina che cerchi non esiste più.",
        "<title>Hoppsan</title><h1>Hoppsan</h1><p>Sidan är borta. Fel 404.",
    ],
}  # fmt: skip


def extract(html: str, url: str = "https://example.org/story", status: int | None = None):
    page = miolo.Snapshot.from_html(html, url=url)
    return miolo.extract_snapshot(replace(page, page=replace(page.page, status=status)))


@pytest.mark.parametrize(
    ("reason", "html"), [(reason, html) for reason, pages in BLOCKED.items() for html in pages]
)
def test_interstitials_are_blocked_with_evidence(reason, html):
    extraction = extract(html)
    assert extraction.kind == "blocked"
    assert 0.5 < extraction.kind_probability <= 1
    (warning,) = [each for each in extraction.warnings if each.code == "blocked"]
    assert warning.message.startswith(f"this looks like {reason}, not like the requested page")
    assert warning.message.rpartition(": ")[2]
    assert "not-an-article" not in {each.code for each in extraction.warnings}


@pytest.mark.parametrize(
    "html",
    [
        "",
        f"<title>Just a moment...</title><h1>Just a moment...</h1>{LONG}",
        f"<title>404 Not Found</title><h1>404 Not Found</h1>{LONG}<div id=cf-challenge></div>",
        f"<title>Security check at the airport takes hours</title>{NEWS}",
        "<title>Contact</title><h1>Contact us</h1><p>Write to us.<div class=g-recaptcha></div>",
        f"<title>Anchors</title><nav>{NAV}</nav><h1>Anchors</h1>"
        + "<div><a href=/x>Anchor</a> $ 99.00</div>" * 30
        + "<div><h2>We value your privacy</h2><p>We use cookies.</div>",
        "<title>My blog</title><h1>Hello</h1><p>Today I baked bread with rye and a little salt, and"
        " it took all of the morning until the oven was hot.<div aria-modal=true>We use cookies."
        "<button>Refuse</button></div>",
        "<title>My blog</title><h1>Hello</h1><p>Today I baked bread.</p><a href=/login>Log in</a>",
        f"<title>Forum</title><nav>{NAV}</nav><h2>Login</h2><input type=password>"
        "<h1>Which flour?</h1><p>I use rye.",
    ],
)
def test_other_pages_are_not_blocked(html):
    extraction = extract(html)
    assert extraction.kind != "blocked"
    assert "blocked" not in {each.code for each in extraction.warnings}


@pytest.mark.parametrize("status", [401, 403, 404, 410, 429, 451, 500, 503])
def test_an_error_status_is_enough(status):
    extraction = extract(f"<title>Strike</title>{LONG}", status=status)
    assert extraction.kind == "blocked"
    assert f"HTTP status {status}" in extraction.warnings[-1].message
    assert extract(f"<title>Strike</title>{LONG}", status=200).kind == "article"


def test_an_address_counts_only_together_with_other_signs():
    html = f"<title>Before you continue to Video</title><nav>{NAV}</nav><p>{'We use data. ' * 30}"
    assert extract(html, "https://consent.example.org/m?continue=x").kind == "blocked"
    assert extract(html).kind != "blocked"
    assert extract(f"<h1>Bread</h1>{NEWS}", "https://example.org/login/bread").kind != "blocked"


@given(st.text(max_size=200), st.integers(0, 2 * ARTICLE_WORDS))
def test_a_page_with_enough_prose_is_never_blocked(text, prose):
    page = miolo.Snapshot.from_html("<title>x</title><p>x")
    page = replace(page, page=replace(page.page, title=text, url=text))
    kind = blocked_kind(text_blocks(page, np.zeros(len(page), bool)), prose)
    assert kind is None or prose <= ARTICLE_WORDS
