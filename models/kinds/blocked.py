"""Pages that stand in place of the requested one: bot checks, consent and login walls, errors.

No labelled set of such pages exists, so they are recognised by rules: *signs*, each with the
log-odds that it adds. A page is blocked if these and `BASE` sum to more than 0. Most pages mention
captchas, logins and cookies somewhere, so signs other than the HTTP status count only on a page
with less prose than an article has, and phrases count most in a headline.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import compress

from ...errors import PageWarning
from ...features.blocks import TextBlocks
from ...features.overlays import overlay_mask
from ...patterns import lazy_re
from ...renderer.network.origins import split_url
from ...renderer.page.button_words import MAX_LABEL, button_words
from ...renderer.page.snapshot import Snapshot
from .model import ARTICLE, Evidence, PageKind

BLOCKED = "blocked"
"""The kind of such a page, and the code of its warning."""

BASE = -3.5
"""Log-odds of a page without signs."""

ARTICLE_WORDS = 150
"""A page with more words of prose can be blocked only by its HTTP status."""

SHORT_WORDS = 60
"""Few interstitials have more words of prose."""

NO_WORDS = 20
"""A page with fewer words of prose may have nothing but a layer about consent."""

SPARSE_WORDS = 120
"""A page with fewer visible words has little besides its first text."""

BLOCK_CHARS = 400
"""Number of characters beyond which a block contains no phrase of an interstitial."""

MIN_SHARE = 0.4
"""Minimum share of a headline's characters that a phrase makes up; with less, the headline is that
of an article."""

STATUSES = frozenset((401, 403, 404, 410, 429, 451))

BOT_CHECK, CONSENT, LOGIN, ERROR = "a bot check", "a consent wall", "a login wall", "an error page"

OF_STATUS = {401: LOGIN, 403: BOT_CHECK, 429: BOT_CHECK}

PHRASES = {
    BOT_CHECK: (
        r"just a moment(?:\.\.\.|…)|checking your browser|verif(?:y|ying) (?:that )?you are (?:a )?"
        r"human|(?:are you|you are not|not) a robot|are you (?:a )?human|attention required|"
        r"you are (?:a )?(?:real|human) (?:person|being|visitor)|automated (?:visit|request|"
        r"traffic|access|quer|program|tool)|flagged as (?:suspicious|automated)|"
        r"suspicious (?:activity|traffic|request|behaviou?r)|(?:sind sie|bist du) (?:wirklich )?"
        r"ein mensch|êtes.vous "
        r"(?:bien )?(?:un )?humain|(?:eres|es usted) (?:un )?(?:ser )?humano|"
        r"sei (?:un )?(?:essere )?umano|"
        r"(?:é|seja) (?:um )?(?:ser )?humano|bent u een mens|jesteś człowiekiem|вы человек|"
        r"insan olduğunuzu|请证明您不是|人間であること|사람인지 확인|"
        r"access (?:to this (?:page|site) (?:has been|is) )?(?:denied|blocked)|"
        r"(?:please )?enable (?:java ?script|js) and (?:cookies|disable any ad blocker)|"
        r"security (?:check|verification)|unusual (?:traffic|activity)|ddos protection|"
        r"complete the (?:captcha|security check)|request (?:was )?(?:blocked|unsuccessful)|"
        r"pardon our interruption|you(?: have|'ve) been blocked|your ip (?:address )?(?:is|was)"
        r" blocked|bot (?:detection|verification)|human verification|press (?:&|and) hold|"
        r"sicherheitsüberprüfung|zugriff verweigert|kein roboter|ihr browser wird überprüft|"
        r"accès (?:refusé|interdit|bloqué)|pas un robot|vérification de sécurité|"
        r"acceso denegado|no (?:eres|soy) un robot|comprobando (?:su|tu) navegador|"
        r"acesso negado|não (?:é|sou) um rob[ôo]|verificando (?:seu|o seu) navegador|"
        r"accesso negato|non sei un robot|toegang geweigerd|geen robot|dostęp zabroniony|"
        r"nie jestem robotem|доступ (?:запрещ[её]н|ограничен)|вы не робот|проверка браузера|"
        r"erişim engellendi|robot olmadığınızı|访问被拒绝|安全验证|人机验证|请完成验证|訪問被拒絕|"
        r"アクセスが拒否|ロボットではありません|접근이 거부|로봇이 아닙니다|تم رفض الوصول|لست روبوت"
    ),
    CONSENT: (
        r"before you continue to|bevor (?:sie|du) (?:zu .{1,40} )?(?:weiter|fort)|"
        r"avant d.accéder à|antes de (?:ir a|continuar)|prima di continuare|voordat je verdergaat|"
        r"we (?:value|respect) your privacy|we care about your privacy|your privacy (?:choices|"
        r"matters)|is part of the yahoo family of brands|(?:zustimmung|einwilligung) erforderlich|"
        r"mit werbung (?:und tracking )?(?:weiter|lesen)|votre vie privée|tu privacidad|"
        r"sua privacidade|la tua privacy|your consent is (?:required|needed)|continue without "
        r"accepting"
    ),
    LOGIN: (
        r"(?:sign|log) in to (?:continue|your account|view|read|see|access)|"
        r"(?:please |you (?:must|need to) (?:be )?)(?:sign|log)(?:ged)? in|login required|"
        r"^\W*(?:sign|log)[ -]?in\b|anmelden, um|bitte (?:melden sie sich an|einloggen|anmelden)|"
        r"^\W*(?:anmelden|anmeldung|einloggen|login)\W*$|connectez-vous|^\W*(?:connexion|"
        r"se connecter|identifiez-vous)\W*$|inici(?:a|e|ar) sesión|^\W*acceder\W*$|"
        r"(?:faça|iniciar|fazer) (?:o )?(?:login|sessão)|^\W*accedi\W*$|effettua (?:il login|"
        r"l.accesso)|^\W*inloggen\W*$|zaloguj się|войти|авторизация|giriş yap|登录|登錄|登入|"
        r"ログイン|로그인|تسجيل الدخول|ورود به"
    ),
    ERROR: (
        r"\b404\b.{0,20}(?:error|not found|page)|(?:^\W*+|\b(?:error|fehler|erreur|errore|erro|"
        r"fout|fel|virhe|chyba|błąd|hata|hiba|ошибка|помилка|σφάλμα|エラー|错误|오류)\W{1,3})"
        r"(?:40[0134]|410|451|429|50[0234])\b|"
        r"page (?:not|cannot be|could not be|can.t be) found|"
        r"page (?:you (?:requested|are looking for) )?(?:does not|doesn.t|no longer) exist|"
        r"^\W*not found\W*$|(?:this page|page) (?:isn.t|is not|is no longer) available|"
        r"(?:can.t|couldn.t|could not) find (?:the|that|this|your) (?:page|story|article)|"
        r"(?:page|story|article) (?:that )?(?:you .{1,30} )?(?:is gone|never existed|(?:has been|"
        r"was) (?:moved or )?(?:removed|deleted))|"
        r"(?:internal server|server|application|database) error|bad gateway|"
        r"service (?:temporarily )?unavailable|gateway time-?out|too many requests|"
        r"(?:under|scheduled) maintenance|account (?:has been )?suspended|site is not available|"
        r"error establishing a database|seite (?:\w+ ){0,3}nicht (?:gefunden|verfügbar|vorhanden)|"
        r"seite (?:existiert nicht|gibt es nicht)|page (?:\w+ ){0,3}(?:introuvable|non trouvée)|"
        r"page (?:\w+ ){0,3}n.existe (?:pas|plus)|"
        r"p[áa]gina (?:\w+ ){0,3}n(?:o|ão) (?:\w+ ){0,2}(?:encontrada|existe|disponible)|"
        r"(?:hemos encontrado|encontramos|se encontró|se ha encontrado) la página|"
        r"pagina (?:\w+ ){0,3}(?:non (?:\w+ )?trovata|non esiste|niet gevonden|bestaat niet)|"
        r"strona nie (?:istnieje|została znaleziona)|"
        r"nie (?:znaleziono|możemy znaleźć|znaleźliśmy) (?:tej )?strony|"
        r"strona,? której (?:pan |pani )?szuka\w*,? (?:nie istnieje|została)|"
        r"страница не (?:найдена|существует)|sayfa bulunamadı|sidan (?:hittades inte|kunde inte)|"
        r"siden (?:blev )?ikke (?:fundet|funnet)|sivua ei löy|stránka (?:nebyla )?nenalezena|"
        r"halaman tidak ditemukan|页面(?:不存在|未找到|没有找到)|找不到(?:页面|頁面|网页|網頁)|"
        r"頁面不存在|(?:ページ|頁)(?:が|は)(?:見つかりません|存在しません)|페이지를 찾을 수 없|"
        r"الصفحة غير موجودة|صفحه (?:مورد نظر )?(?:یافت|پیدا) نشد"
    ),
}
"""Phrases of common interstitials in lower case, by the kind of interstitial."""

IS_PHRASE = {reason: lazy_re(phrases) for reason, phrases in PHRASES.items()}

SPEAKS, REFUSES = lazy_re(button_words("consent")), lazy_re(button_words("refuse"))

# Elements of a page that is shown in place of another. Scripts by which the same vendors watch
# visitors on every page of a site are not among them.
CHALLENGE = lazy_re(
    r"cf-challenge|challenge-(?:form|running|stage|error)|cf-error-details|cf-browser-verification|"
    r"captcha-delivery\.com|datadome-captcha|px-captcha|_incapsula_resource\?.*incident_id|"
    r"ddos-guard/(?:check|captcha)|sec-(?:if-)?cpt-|awswaf-captcha|distil_r_captcha"
)
CAPTCHA = lazy_re(
    r"hcaptcha|recaptcha|challenges\.cloudflare\.com|arkoselabs|funcaptcha|geetest|cf-turnstile"
)
WALL_HOST = lazy_re(r"^(?:consent|guce|myprivacy|accounts?|login|signin|auth|sso)\.", re.IGNORECASE)
WALL_PATH = lazy_re(
    r"/(?:login|log-in|signin|sign-in|sso|captcha|consent|collectconsent|access-denied)\b",
    re.IGNORECASE,
)

TITLE_PART = lazy_re(r"(?<!\s)\s++[|–—»·:-]++\s+|\|")

# Each ideograph, kana or syllable counts as half a word.
SPACELESS = lazy_re("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")

MAX_EVIDENCE = 4


@dataclass(frozen=True)
class Sign(Evidence):
    """A sign that a page is blocked, or is not, with the log-odds that it adds as its part."""

    reason: str = ""
    """What it is a sign of, such as ``"a login wall"``; empty if that is undetermined."""

    def __str__(self) -> str:
        return self.feature


@dataclass(frozen=True)
class BlockedKind(PageKind):
    """The kind of a page that stands in place of another."""

    reason: str = ""
    """What the page is: ``"a bot check"``, ``"a consent wall"``, ``"a login wall"`` or ``"an error
    page"``."""

    @property
    def warnings(self) -> tuple[PageWarning, ...]:
        """A warning that names the signs."""
        sure = self.probabilities[BLOCKED]
        message = f"this looks like {self.reason}, not like the requested page (p {sure:.2f})"
        return (PageWarning(BLOCKED, f"{message}: {', '.join(map(str, self.evidence))}"),)


def blocked_kind(blocks: TextBlocks, prose: int) -> BlockedKind | None:
    """The kind ``"blocked"`` with its evidence; None for any other page.

    `prose`: Number of words of the prose that was found on it; see `word_count`.
    """
    status, signs = blocks.snapshot.page.status, []
    if status in STATUSES or 500 <= (status or 0) < 600:
        signs = [_sign(f"HTTP status {status}", 6.0, OF_STATUS.get(status or 0, ERROR))]
    if prose <= ARTICLE_WORDS:
        signs += _signs(blocks, prose)
    odds = BASE + sum(sign.part for sign in signs)
    if odds <= 0:
        return None
    signs.sort(key=lambda sign: -sign.part)
    probability = 1 / (1 + math.exp(-odds))
    return BlockedKind(
        kind=BLOCKED,
        probabilities={BLOCKED: probability, ARTICLE: 1 - probability},
        evidence=tuple(signs[:MAX_EVIDENCE]),
        is_article=False,
        reason=_reason(signs),
    )


def word_count(texts: Iterable[str]) -> int:
    """Approximate number of words, each two characters long in scripts without spaces.

    >>> word_count(["Two words", "東京都庁"])
    4
    """
    count = 0
    for text in texts:
        spaceless = 0 if text.isascii() else len(SPACELESS.findall(text))
        count += spaceless // 2 if spaceless > len(text) // 2 else len(text.split())
    return count


def _reason(signs: Iterable[Sign]) -> str:
    """The reason that most of the evidence supports."""
    weights: dict[str, float] = {}
    for sign in signs:
        if sign.reason:
            weights[sign.reason] = weights.get(sign.reason, 0) + sign.part
    return max(weights, key=weights.__getitem__)


def _sign(feature: str, part: float, reason: str = "") -> Sign:
    return Sign(feature, 1.0, part, reason)


def _signs(blocks: TextBlocks, prose: int) -> list[Sign]:
    sparse = word_count(blocks.texts) < SPARSE_WORDS
    signs = [*_phrases(blocks, sparse), *_elements(blocks.snapshot, sparse)]
    if prose < NO_WORDS and _asks_for_consent(blocks):
        signs.append(_sign("layer with a button that refuses consent", 4.0, CONSENT))
    if not signs:
        return []
    # Neither an address nor a lack of text is a sign by itself.
    if sparse:
        signs.append(_sign("little text", 1.0))
    if prose > SHORT_WORDS:
        signs.append(_sign("some prose", -1.5))
    return signs + _address_signs(blocks.snapshot.page.url)


def _phrases(blocks: TextBlocks, sparse: bool) -> Iterator[Sign]:
    """At most one phrase per reason; outside headlines only if the page has little text."""
    title = blocks.snapshot.page.title
    in_heading = blocks.snapshot.with_tag("h1", "h2")[blocks.owner]
    headings = list(compress(blocks.texts, in_heading.tolist()))
    others = blocks.texts if sparse else []
    for reason, pattern in IS_PHRASE.items():
        # Layers and margins of any page may have headings about privacy and logging in.
        of_page = reason in (BOT_CHECK, ERROR)
        heads = [title, *headings] if of_page or sparse else [title]
        if phrase := _search(pattern, heads, MIN_SHARE):
            yield _sign(f"headline {phrase!r}", 4.0 if of_page else 3.0, reason)
        elif phrase := _search(pattern, others):
            yield _sign(f"text {phrase!r}", 3.0 if of_page else 1.0, reason)


def _asks_for_consent(blocks: TextBlocks) -> bool:
    """Whether a layer over the page speaks of consent and has a button that refuses it."""
    of_layer = overlay_mask(blocks.snapshot)[blocks.first].tolist()
    texts = [text.lower() for text in compress(blocks.texts, of_layer)]
    short = [text for text in texts if len(text) <= MAX_LABEL]
    return any(map(REFUSES.search, short)) and any(map(SPEAKS.search, texts))


def _search(pattern: re.Pattern[str], texts: Iterable[str], min_share: float = 0.0) -> str:
    """The first match that makes up at least `min_share` of a text, or of a part of a title."""
    for text in texts:
        parts = TITLE_PART.split(text) if min_share else [text]
        for part in parts if len(text) <= BLOCK_CHARS else ():
            # Ignoring case would take thrice the time. Only this capital has a longer small form.
            match = pattern.search(part.replace("İ", "i").lower())
            if match and len(match[0]) >= min_share * len(part.strip()):
                return part[slice(*match.span())].strip()
    return ""


def _elements(snapshot: Snapshot, sparse: bool) -> Iterator[Sign]:
    """Challenges and captchas by names and addresses of elements, and a visible password box."""
    attributes = snapshot.attributes
    names = ("id", "class", "src", "action")
    values = {value[:BLOCK_CHARS] for name in names for _, value in attributes.with_attribute(name)}
    if match := _search(CHALLENGE, sorted(values)):
        yield _sign(f"element {match!r}", 4.0, BOT_CHECK)
    elif match := _search(CAPTCHA, sorted(values)):
        yield _sign(f"element {match!r}", 1.5, BOT_CHECK)
    if sparse and any(
        value.lower() == "password" and (snapshot.visible[node] or not snapshot.page.has_geometry)
        for node, value in attributes.with_attribute("type")
    ):
        yield _sign("password box", 2.0, LOGIN)


def _address_signs(url: str) -> list[Sign]:
    parts = split_url(url)
    if WALL_HOST.match(parts.hostname or ""):
        return [_sign("host name", 2.5)]
    return [_sign("path of the address", 1.5)] if WALL_PATH.search(parts.path) else []
