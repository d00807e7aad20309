"""Names of authors in bylines: one grammar of lines and of names in `words.json`'s words.

A line has segments between bars, dates and brackets. A segment may begin with "by" and lists names,
which commas and words for "and" separate; a role or a credential after a name is no name.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import dropwhile

from ...features.words import collapse
from ...patterns import lazy_re
from .dates import MARK, WEEKDAYS, WHOLE_LABEL, divided_at_dates
from .vocabulary import alternatives, words_of

MAX_CHARS = 60
MAX_WORDS = 7
MAX_AUTHORS = 20

# In lower case, most words for "by" also occur in sentences, so a capital letter, a script without
# capitals or an address must follow.
BY = lazy_re(
    rf"^[(（]?(?i:{alternatives('by')})"
    r"(?:\s*[:：|]\s*|(?<=[文者ー])[｜丨╱/／・＝=]\s*|"
    r"\s+(?:(?<=[Bb]y )the )?(?=[\"“'‘]?[^\W\d_a-zß-ÿά-ώа-џ]|\S{4,60}\.[a-z]{2,3}$)|$)"
)
# A word for "by" with a colon, where other labels may precede it.
BY_LABEL = lazy_re(rf"(?<!\S)(?i:{alternatives('by')})\s?[:：]\s*(?=\S)")
# "Reporter" after a Korean or Japanese name.
REPORTER = lazy_re(r"\s[가-힣]{0,4}(?:기자|특파원)$|(?<=[ぁ-ヿ一-鿿])\s?(?:記者|特派員)$")
# Text that follows a name: a role, a place, another line.
AFTER = lazy_re(
    rf"(?<!\s)\s*(?:[|•·∙●‧<(（\[{MARK}]|\s[–—-]\s| @|\s/\s|/(?=[A-Z])|"
    rf"(?i:{alternatives('after a name')})|"
    r"\s\d{1,2}[:.]\d\d(?!\d)|"
    r"\s(?:Senior|Staff|Special|AP) (?:[A-Z]\w{2,20} )?(?:Reporter|Writer|Editor|Correspondent)$|"
    # Labels and reporters of Chinese, Japanese and Korean papers.
    r"(?:责任编辑|责编|編輯|编辑|来源|來源|浏览|写真|撮影|摄影|攝影)\s*[:：・/／=＝]|"
    r"[\s/／]\S{0,4}(?:報導|報道|报道)$|"
    rf"{REPORTER.pattern}|"
    r"\s(?:Follow|Posted|Published|Updated)$|"
    # The name of an agency or a paper, but not that in "Friends of The Earth".
    r"(?<!\b[Oo]f)(?<!\band)\sThe\s(?=[A-Z])|"
    # A day without a year.
    r"\s(?:Jan|Feb|Mar|Apr|May|June?|July?|Aug|Sept?|Oct|Nov|Dec)[a-z]{0,6}\.?\s\d{1,2}(?!\d))"
)
# Between a name and a date.
ON_DAY = lazy_re(
    rf"(?<!\s)\s+(?:on|am|le|el|em|den|op|于|於)(?:\s+(?i:{'|'.join(WEEKDAYS)}))?[\s,.]*$"
)
BAR = lazy_re(rf"[|•·∙●‧{MARK}]")
# The label of a date.
BEFORE_DATE = lazy_re(rf"(?<![^{MARK}|•·,;])[^{MARK}|•·,;:：]+[:：]\s?{MARK}")
COLONS = (":", "：")
SPLIT = lazy_re(r"[;\n、，]")
ANDS = alternatives("and")
"""Words for "and"."""
# In capitals, single letters are initials.
CAPITAL_ANDS = "|".join(each.upper() for each in ANDS.split("|") if len(each) > 1)
AND = lazy_re(rf"(?<!\s)\s+(?:&|\+|And|{ANDS}|{CAPITAL_ANDS})\s+(?=[^\W\d_])")
# The Hebrew "and" is written together with the word after it, with which some names begin, too.
PREFIXED_AND = lazy_re(r" ו(?=[א-ת]{2,} )")
FIRST_AND = lazy_re(rf"^(?:&|{ANDS}) ")
CREDENTIAL = lazy_re(alternatives("credential"))
# A given name with initials, or only initials.
GIVEN = lazy_re(r"[^\W\d_]{3,}(?: [^\W\d_]\.?)*|[^\W\d_]\.(?:[ -]?[^\W\d_]\.)*")
# Words that follow a name after a comma but are not given names.
SUFFIXES = frozenset(("Esq", "Inc", "Ltd"))
# A name before a sentence: "Jane Doe. This story first appeared in May."
BEFORE_SENTENCE = lazy_re(r"^(\S+(?: \S+){1,3})\.\s+[^\W\d_]\w+ \w+ \w.*")
# The place of an organization may follow it.
ORGANIZATION = lazy_re(r"(?:University|College|Institute|Ltd|Inc)\.?$")
ROLE = lazy_re(rf"(?i:{alternatives('role')})(?:in)?\b")
# A role without a name.
ROLE_ALONE = lazy_re(
    rf"(?:(?:(?i:{alternatives('before a role')})[ -]|(?i:co)-)++(?:[A-Z][a-z]+ )?)?"
    rf"{ROLE.pattern}(?: (?:to|of|for|at|and|in|&) .*)?"
)
# A role after words that are not a name: "Daily Loaf Contributor". "Head" is a surname, too.
ROLE_LAST = lazy_re(rf"[^,;、\n]*[ -](?![Hh]ead){ROLE.pattern}")
# Reporters of Chinese papers. Names of two characters are spaced to the width of three.
REPORTERS = lazy_re(
    r"(?:本报|本報|本网|新华社)(?:记者|記者)\s*(?=\S)|[\u4e00-\u9fff·]{1,8}[╱/／]?(?:记者|記者)\s+|"
    r"(?:\S{1,6}[╱/／])?(?:记者|記者)(?=[\u4e00-\u9fff]{2,4}(?:[╱/／、\s]|$))"
)
# The department of a Japanese reporter: 社会部・大渡美咲.
DEPARTMENT = lazy_re(r"^[\u4e00-\u9fff]{1,6}(?:部|局|班)[・\s]\s*(?=[\u4e00-\u9fff])")
APART = lazy_re(r"(?<!\S)(\S) (\S)(?!\S)")
ADDRESS = lazy_re(r"^(?:https?:|www\.|@|/|mailto:)|\S@\S|://|\\", re.IGNORECASE)
# Credits of people who are not the author, and buttons and counts beside a byline.
OTHER_CREDIT = lazy_re(alternatives("other credit"), re.IGNORECASE)
BUTTON = lazy_re(alternatives("button"), re.IGNORECASE)
EMAIL = lazy_re(r"(?:(?<![\s/(<|])[\s/(<|]++|(?<![\w.+-]))[\w.+-]++@[\w-]++\.[\w.-]++[)>]?")
NOBODY = words_of("nobody") | {"".join(filter(str.isalnum, each)) for each in WEEKDAYS}
NO_NAME = lazy_re(r"[:：]|^[(【■]|(?i: by$)|\d{3}|\d{1,2}:\d\d")
LETTER = lazy_re(r"[^\W\d_]")
INITIAL = lazy_re(r"(?:^|[\s.])(?:[^\W\d_]|[JS]r|Dr)\.$")
BEFORE_KEY = lazy_re(
    r"^(?:the|der|die|das|le|la|el) |\.(?:com|org|net|co\.uk|de)$|(?<=\w{4})\.[a-z]{2}$"
)


def author_names(values: Iterable[str], publication: Iterable[str] = ()) -> tuple[str, ...]:
    """Names of people or teams in the values of one source; empty if there are none.

    `values` are names or whole bylines. Names of the `publication` and its site are no authors.

    >>> author_names(["By Jane Doe and John Roe | 3 May 2021", "https://example.org/jane"])
    ('Jane Doe', 'John Roe')
    >>> author_names(["The Daily Loaf", "admin", "@loaf"], ["Daily Loaf"])
    ()
    """
    barred = {name_key(name) for name in publication} | NOBODY
    by_key: dict[str, str] = {}
    for value in values:
        for name in _names_in_line(value, barred):
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


def is_full_name(text: str) -> bool:
    """Whether a text is written as a name of several words, if its script has capitals.

    >>> is_full_name("Jane Doe"), is_full_name("Made"), is_full_name("en vigueur depuis")
    (True, False, False)
    """
    has_capitals = text.lower() != text.upper()
    return not has_capitals or (" " in text and is_written_as_name(text))


def spelled(names: Sequence[str], others: Iterable[str]) -> tuple[str, ...]:
    """Names, those in capitals as among `others`, or else with capitalized words."""
    known = {name.upper(): name for name in others if not name.isupper()}
    # Beside other names, one in capitals is an agency.
    recase = _capitalized if all(map(str.isupper, names)) or known else str
    return tuple(known.get(name) or recase(name) for name in names)


def _capitalized(name: str) -> str:
    """The words of a name in capitals, other than initials, with small letters."""
    parts = name.split()
    if len(parts) < 2 or not name.isupper():
        return name
    return " ".join(part.capitalize() if len(part) > 2 else part for part in parts)


def _names_in_line(value: str, barred: Container[str]) -> Iterator[str]:
    text = _without_brackets(EMAIL.sub(" ", collapse(value[:1000])).strip())
    if text.endswith(COLONS) and not BY.match(text):
        return
    if label := BY_LABEL.search(text):
        text = text[label.start() :]
    text = BEFORE_DATE.sub(MARK, MARK.join(divided_at_dates(text)))
    segments = [*dropwhile(_is_label, BAR.split(text))]
    text = without_by(next(filter(has_by, segments), "|".join(segments)).strip(" ,|"))
    text = DEPARTMENT.sub("", text)
    if REPORTERS.match(text):
        text = APART.sub(r"\1\2", REPORTERS.sub("", text)).replace(" ", "、")
    if ADDRESS.match(text) or _is_other(text) or ROLE_ALONE.fullmatch(text):
        return
    text = BEFORE_SENTENCE.sub(r"\1", _strip(text))
    cut = AFTER.search(text)
    text = ON_DAY.sub("", text[: cut.start()] if cut and cut.start() > 1 else text)
    if name_key(text) in barred or ROLE_LAST.fullmatch(text) or text.rstrip().endswith(COLONS):
        return
    for part in SPLIT.split(text):
        pieces = _pieces(part)
        # In "The Daily Loaf, Berlin, Germany" the rest describes the publication.
        if name_key(pieces[0]) not in barred:
            names = map(_without_brackets, pieces)
            yield from (name for name in names if _is_name(name) and name_key(name) not in barred)


def _is_label(segment: str) -> bool:
    """Whether a segment of a line is empty, or the label of a date."""
    return not segment.strip(" ,") or WHOLE_LABEL.fullmatch(segment.strip()) is not None


def _pieces(part: str) -> list[str]:
    """Names of a list such as "Jane Doe, MD, and John Roe"; never empty."""
    first, *others = [without_by(_strip(piece)) for piece in part.split(",")]
    if len(others) == 1 and _is_single(first) and _is_given(others[0]):
        # "Doe, Jane A.", as in library catalogues.
        return [f"{others[0]} {first}"]
    if ORGANIZATION.search(first):
        return [first]
    others = [each for each in others if not (CREDENTIAL.fullmatch(each) or ROLE.search(each))]
    if len(others) == 1 and " " in first and _is_single(others[0]):
        # "Jane Doe, Berlin"
        others = []
    if first[:1].isupper():
        # "Jane Doe, of the Rye Institute"
        others = [each for each in others if not FIRST_AND.sub("", each)[:1].islower()]
    return [_strip(name) for piece in [first, *others] for name in _split_pair(piece)]


def _split_pair(piece: str) -> list[str]:
    """Split names joined by "and", unless only some have one word: "Home and Digital Security"."""
    piece = FIRST_AND.sub("", piece)
    names = AND.split(piece)
    sizes = [len(name.split()) for name in names]
    if len(names) == 1:
        names = PREFIXED_AND.split(piece)
        return names if all(" " in name for name in names) else [piece]
    return names if min(sizes) > 1 or max(sizes) == 1 else [piece]


def without_by(text: str) -> str:
    """A text without the words for "by" that it begins with."""
    for _ in range(3):
        text = BY.sub("", text)
    return text


def _strip(piece: str) -> str:
    piece = piece.strip(" \t\"'“”‘’,，:;|–—-·•*+/~" + MARK).lstrip(". ")
    return piece if INITIAL.search(piece) else piece.rstrip(". ")


def _without_brackets(piece: str) -> str:
    """The name in "[Jane Doe]"."""
    inside = piece[1:-1]
    is_whole = piece[:1] + piece[-1:] in ("()", "[]", "（）") and piece[:1] not in inside
    # The opening bracket may stand before "by".
    is_open = piece[-1:] in ")）" and not {"(", "（"} & set(piece)
    return inside.strip() if is_whole else piece[:-1] if is_open else piece


def _is_other(text: str) -> bool:
    """Whether a text is a credit of someone else, or a button."""
    return OTHER_CREDIT.match(text) is not None or BUTTON.match(text) is not None


def _is_single(piece: str) -> bool:
    return len(piece) > 2 and piece.isalpha() and piece.istitle()


def _is_given(piece: str) -> bool:
    return GIVEN.fullmatch(piece) is not None and piece.istitle() and piece not in SUFFIXES


def _is_name(piece: str) -> bool:
    return (
        1 < len(piece) <= MAX_CHARS
        and len(piece.split()) <= MAX_WORDS
        and LETTER.search(piece) is not None
        and not any(form.search(piece) for form in (NO_NAME, ADDRESS))
        and not (ROLE_ALONE.fullmatch(piece) or ROLE_LAST.fullmatch(piece))
        and not (_is_other(piece) or WHOLE_LABEL.fullmatch(piece))
        # Such as "de" before the link of a name.
        and not (len(piece) == 2 and piece.islower())
        # An account of an administrator.
        and (" " in piece or "admin" not in piece.casefold())
    )
