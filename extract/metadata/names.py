"""Names of authors: parsing of bylines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ...features.words import collapse
from ...patterns import lazy_re
from .dates import WEEKDAYS, divided_by_spans, without_dates
from .vocabulary import alternatives, words_of

__all__ = ["author_names", "credits_others", "has_by", "is_written_as_name", "name_key"]

MAX_CHARS = 60
MAX_WORDS = 7
MAX_AUTHORS = 20

# Words before names. In lower case, most of them also occur in sentences, so a capital letter or a
# script without capitals must follow.
BY = lazy_re(
    r"^[(（]?(?i:(?:(?:(?:article |this (?:article|post|story) was )?written|posted|published|"
    r"report(?:ed|ing)|"
    r"(?:photos? and )?(?:story|text|words)|article|created|submitted|"
    r"authored|researched|recommended|interview|opinion|analysis|"
    r"view (?:all )?(?:posts|articles)|(?:more|read more|all posts|posts|articles)) "
    r"(?:and photos? )?(?:by|from)|by(?: author)?|"
    r"(?:about the )?authors?|from|(?:beitrag )?von|(?:(?:propos )?recueillis? )?par|por|"
    r"di|av|af|door|oleh|autor(?:in|en)?(?:/autor)?|auteur|"
    r"texte?|(?:geschrieben|verfasst) von|escrito por|[ée]crit par|scritto da|a cura di|penulis|"
    r"tekst(?: av)?|"
    r"автор|текст|piše|rep|yaz(?:an|ar)|szerző|kirjoittaja|skrevet av|skriven av|tác giả|"
    r"γράφει|από|του|της|опубликовал[аи]?|كتبت?|بقلم|نویسنده|מאת|文|作者|著者|筆者|記者|记者|采写|"
    r"撰文|ライター|投稿者|質問者|(?:words|contributors?)(?=:)))"
    r"(?:\s*[:：|]\s*|(?<=[文者ー])[｜丨╱/／・]\s*|"
    r"\s+(?:(?<=[Bb]y )the )?(?=[\"“'‘]?[^\W\d_a-zß-ÿ]|\S{4,60}\.[a-z]{2,3}$)|$)"
)
# The name of a section before a byline on the same line.
SECTION = lazy_re(r"^[^|•·/]{1,30}[|•·/]\s*(?=[Bb]y\s)")
# Text that follows a name: a role, a place, another line.
AFTER = lazy_re(
    r"(?<!\s)\s*(?:[|•·∙●‧<(（\[]|\s[–—-]\s| @|\s/\s|/(?=[A-Z])|"
    r"(?i: for (?:the |cnn|reuters)| leave a comment| \d+(?:[–-]\d+)? min|"
    r" \d[\d.,]*k? (?:comments?|views?|shares?)\b|"
    r" (?:last )?(?:updated|modified|published|posted)\b|"
    r", (?:cnn|reuters|associated press|staff|senior|contributing|special to|editor\b|"
    r"reporter|for |the |a |an |in ))|\s\d{1,2}[:.]\d\d(?!\d)|"
    r"\s(?:Senior|Staff|Special|AP) (?:[A-Z]\w{2,20} )?(?:Reporter|Writer|Editor|Correspondent)$|"
    # Labels and reporters of Chinese, Japanese and Korean papers.
    r"(?:责任编辑|责编|編輯|编辑|来源|來源|浏览|写真|摄影|攝影)\s*[:：・/／]|"
    r"[\s/／]\S{0,4}(?:報導|報道|报道)$|\s[가-힣]{0,4}(?:기자|특파원)$|"
    # Buttons and words of a date.
    r"\s(?:Follow|Posted|Published|Updated)$|"
    # A day without a year, which is not treated as a date elsewhere.
    r"\s(?:Jan|Feb|Mar|Apr|May|June?|July?|Aug|Sept?|Oct|Nov|Dec)[a-z]{0,6}\.?\s\d{1,2}(?!\d))"
)
# Words that remain after a name when a date is removed.
ON_DAY = lazy_re(
    rf"(?<!\s)\s+(?:on|am|le|el|em|den|op|于|於)(?:\s+(?i:{'|'.join(WEEKDAYS)}))?[\s,.]*$"
)
# The time after a date that was removed, and the bar after it.
TIME_FIRST = lazy_re(r"^[^\w(]*\d{1,2}[:.]\d\d(?::\d\d)?(?: ?(?:h|Uhr|WIB|[ap]\.?m\.?))?\s*[|•·]")
COLONS = (":", "：")
SPLIT = lazy_re(r"[;\n、，]")
ANDS = alternatives("and")
"""Words for "and"."""
# In capitals, single letters are initials.
CAPITAL_ANDS = "|".join(each.upper() for each in ANDS.split("|") if len(each) > 1)
AND = lazy_re(rf"(?<!\s)\s+(?:&|\+|And|{ANDS}|{CAPITAL_ANDS})\s+(?=[^\W\d_])")
FIRST_AND = lazy_re(rf"^(?:&|{ANDS}) ")
CREDENTIAL = lazy_re(
    r"(?:[A-Z]\.?){2,6}[®™]?|Ph\.?\s?D\.?|M\.?Sc\.?|B\.?Sc\.?|M\.?Ed\.?|Psy\.?D\.?|Pharm\.?D\.?|"
    r"Jr\.?|Sr\.?|I{2,3}|IV|Esq\.?|CPA®?|CFP®?|R\.?N\.?|Ed\.?D\.?|E-RYT \d+|"
    r"Inc\.?|Ltd\.?|LLC"
)
# A given name with initials, or only initials.
GIVEN = lazy_re(r"[^\W\d_]{3,}(?: [^\W\d_]\.?)*|[^\W\d_]\.(?:[ -]?[^\W\d_]\.)*")
# Words that follow a name after a comma but are not given names.
SUFFIXES = frozenset(("Esq", "Inc", "Ltd"))
# The place of an organization may follow it.
ORGANIZATION = lazy_re(r"(?:University|College|Institute|Ltd|Inc)\.?$")
ROLE = lazy_re(
    r"(?i:editor|reporter|writer|correspondent|expert|specialist|director|manager|author|"
    r"journalist|contributor|columnist|analyst|professor|representative|president|founder|officer|"
    r"consultant|reviewer|educator|clinician|dietitian|nutritionist|horticulturalist|winemaker|"
    r"estimator|designer|intern|award winner|"
    r"head|c[eft]o|redakteur|korrespondent)(?:in)?\b"
)
# A role without a name.
ROLE_ALONE = lazy_re(
    r"(?:(?:(?i:assistant|associate|chief|content|contributing|copy|deputy|digital|executive|featured|"
    r"features?|former|freelance|guest|lead|managing|marketing|medical|national|news|political|"
    r"sales|senior|special|sports|staff|vice|web)[ -]|(?i:co)-)++(?:[A-Z][a-z]+ )?)?"
    rf"{ROLE.pattern}(?: (?:to|of|for|at|and|in|&) .*)?"
)
# A role after words that are not a name: "Daily Loaf Contributor". "Head" is a surname, too.
ROLE_LAST = lazy_re(rf"[^,;、\n]*[ -](?![Hh]ead){ROLE.pattern}")
# Reporters of Chinese papers. Names of two characters are spaced to the width of three.
REPORTERS = lazy_re(
    r"(?:本报|本報|本网|新华社)(?:记者|記者)\s*(?=\S)|[\u4e00-\u9fff·]{1,8}[╱/／]?(?:记者|記者)\s+|"
    r"(?:\S{1,6}[╱/／])?(?:记者|記者)(?=[\u4e00-\u9fff]{2,4}(?:[╱/／、\s]|$))"
)
APART = lazy_re(r"(?<!\S)(\S) (\S)(?!\S)")
ADDRESS = lazy_re(r"^(?:https?:|www\.|@|/|mailto:)|\S@\S|://|\\", re.IGNORECASE)
# Credits of people who are not the author.
OTHER_CREDIT = lazy_re(
    r"(?:updated|reviewed|edit(?:ed|ing)|photos?|photograph(?:y|s|ed)|images?|illustrat(?:ions?|ed)|art|"
    r"videos?|graphics?|styl(?:ed|ing)|design(?:ed)?|developed|medically reviewed|narrated|"
    r"translat(?:ed|ion))(?: provided)? by\b|fact[ -]checked\b|"
    r"\(?\s*(?:image|photo|picture|video|source|bild|foto|quelle|źródło|fuente|fonte)s?:|"
    r"[\[【（(]?\s*(?:责任|責任|网络|網路)?(?:编辑|編輯|编审|校对|审核|选稿|监制)(?:\s*[:：/／]|\s)|[(（]?(?:责编|責編)|"
    r"题图|来自|來自|发布于|發佈於",
    re.IGNORECASE,
)
# Buttons, counts and other links beside a byline.
BUTTON = lazy_re(
    r"(?:add|follow|leave a|more about|share|special to|tweet|view in|visit the) |\d+ ",
    re.IGNORECASE,
)
EMAIL = lazy_re(r"(?:(?<![\s/(<|])[\s/(<|]++|(?<![\w.+-]))[\w.+-]++@[\w-]++\.[\w.-]++[)>]?")
NOBODY = words_of("nobody") | {"".join(filter(str.isalnum, each)) for each in WEEKDAYS}
ENDS_IN_BY = lazy_re(r" by$", re.IGNORECASE)
DIGITS = lazy_re(r"\d{3,}|\d{1,2}:\d\d")
LETTER = lazy_re(r"[^\W\d_]")
INITIAL = lazy_re(r"(?:^|[\s.])(?:[^\W\d_]|[JS]r|Dr)\.$")
BEFORE_KEY = lazy_re(
    r"^(?:the|der|die|das|le|la|el) |\.(?:com|org|net|co\.uk|de)$|(?<=\w{4})\.[a-z]{2}$"
)


def author_names(values: Iterable[str], publication: Iterable[str] = ()) -> tuple[str, ...]:
    """Names of people or teams in the values of one source; empty if there are none.

    Parameters
    ----------
    values
        Names, or whole bylines.
    publication
        Names of the site and its publisher, which are not authors.

    >>> author_names(["By Jane Doe and John Roe | 3 May 2021", "https://example.org/jane"])
    ('Jane Doe', 'John Roe')
    >>> author_names(["The Daily Loaf", "admin", "@loaf"], ["Daily Loaf"])
    ()
    """
    barred = {name_key(name) for name in publication} | NOBODY
    by_key: dict[str, str] = {}
    for value in values:
        for name in _split_names(value, barred):
            by_key.setdefault(name_key(name), name)
        if len(by_key) >= MAX_AUTHORS:
            break
    return tuple(by_key.values())[:MAX_AUTHORS]


def name_key(name: str) -> str:
    """Letters and digits of a name in lower case, without a leading article or a domain suffix.

    >>> name_key("The Daily-Loaf.com") == name_key("Daily Loaf")
    True
    """
    return "".join(filter(str.isalnum, BEFORE_KEY.sub("", name.strip().casefold())))


def has_by(text: str) -> bool:
    """Whether a text begins with "by" or an equivalent.

    >>> has_by("By Jane Doe"), has_by("Jane Doe"), has_by("by the sea")
    (True, False, False)
    """
    return BY.match(text.strip()) is not None


def credits_others(text: str) -> bool:
    """Whether a text begins with the credit of an editor, illustrator or the like.

    >>> credits_others("Photography by Jane Doe"), credits_others("By Jane Doe")
    (True, False)
    """
    return OTHER_CREDIT.match(text.strip()) is not None


def is_written_as_name(text: str) -> bool:
    """Whether the longer words of a text start with capitals, if its script has capitals.

    >>> is_written_as_name("Jane van den Berg"), is_written_as_name("Personal finance")
    (True, False)
    """
    longer = [word for word in text.split() if len(word) > 3]
    return len(text) > 3 and not any(word[0].islower() for word in longer or text.split())


def _split_names(value: str, barred: set[str]) -> Iterator[str]:
    text = SECTION.sub("", EMAIL.sub(" ", collapse(value[:1000])).strip())
    text = divided_by_spans(_without_brackets(text))
    if text.endswith(COLONS) and not BY.match(text):
        return
    text = _strip_by(text)
    if REPORTERS.match(text):
        text = APART.sub(r"\1\2", REPORTERS.sub("", text)).replace(" ", "、")
    if ADDRESS.match(text) or _is_other(text) or ROLE_ALONE.fullmatch(text):
        return
    if name_key(text) in barred:
        return
    text = _strip(_strip_by(collapse(TIME_FIRST.sub("", without_dates(text)))))
    cut = AFTER.search(text)
    text = ON_DAY.sub("", text[: cut.start()] if cut and cut.start() > 1 else text)
    if name_key(text) in barred or ROLE_LAST.fullmatch(text) or text.rstrip().endswith(COLONS):
        return
    for part in SPLIT.split(text):
        pieces = _pieces(part)
        # In "The Daily Loaf, Berlin, Germany" the rest describes the publication.
        if name_key(pieces[0]) in barred:
            continue
        for piece in map(_without_brackets, pieces):
            if _is_name(piece) and name_key(piece) not in barred:
                yield piece


def _pieces(part: str) -> list[str]:
    """Names of a list such as "Jane Doe, MD, and John Roe"; never empty."""
    pieces = [_strip_by(_strip(piece)) for piece in part.split(",")]
    if len(pieces) == 2 and _is_single(pieces[0]) and _is_given(pieces[1]):
        # "Doe, Jane A.", as in library catalogues.
        return [f"{pieces[1]} {pieces[0]}"]
    if ORGANIZATION.search(pieces[0]):
        return pieces[:1]
    kept = pieces[:1] + [
        piece for piece in pieces[1:] if not CREDENTIAL.fullmatch(piece) and not ROLE.search(piece)
    ]
    return [_strip(name) for piece in kept for name in _split_pair(piece)]


def _split_pair(piece: str) -> list[str]:
    """Split names joined by "and", unless only some have one word: "Home and Digital Security"."""
    piece = FIRST_AND.sub("", piece)
    names = AND.split(piece)
    sizes = [len(name.split()) for name in names]
    return names if min(sizes) > 1 or max(sizes) == 1 else [piece]


def _strip_by(text: str) -> str:
    for _ in range(3):
        shorter = BY.sub("", text)
        if shorter == text:
            break
        text = shorter
    return text


def _strip(piece: str) -> str:
    piece = piece.strip(" \t\"'“”‘’,，:;|–—-·•*+/~")
    return piece if INITIAL.search(piece) else piece.rstrip(". ")


def _without_brackets(piece: str) -> str:
    """The name in "[Jane Doe]"."""
    inside = piece[1:-1]
    is_whole = piece[:1] + piece[-1:] in ("()", "[]", "（）") and piece[:1] not in inside
    return inside.strip() if is_whole else piece


def _is_other(text: str) -> bool:
    """Whether a text is a credit of someone else, or a button."""
    return OTHER_CREDIT.match(text) is not None or BUTTON.match(text) is not None


def _is_account(piece: str) -> bool:
    """Whether a name is an account of an administrator."""
    return " " not in piece and "admin" in piece.casefold()


def _is_single(piece: str) -> bool:
    return len(piece) > 2 and piece.isalpha() and piece.istitle()


def _is_given(piece: str) -> bool:
    return GIVEN.fullmatch(piece) is not None and piece.istitle() and piece not in SUFFIXES


def _is_name(piece: str) -> bool:
    return (
        1 < len(piece) <= MAX_CHARS
        and len(piece.split()) <= MAX_WORDS
        and LETTER.search(piece) is not None
        # Text with a colon is labelled as something else, an opening bracket precedes a place, and
        # 【 a column.
        and not (
            ":" in piece
            or "：" in piece
            or piece.startswith(("(", "【", "■"))
            or ENDS_IN_BY.search(piece)
        )
        and not ADDRESS.search(piece)
        and not _is_other(piece)
        and not _is_account(piece)
        and not DIGITS.search(piece)
        and not ROLE_ALONE.fullmatch(piece)
        and not ROLE_LAST.fullmatch(piece)
    )
