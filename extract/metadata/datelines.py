"""Datelines: the days that a line names, each as that of publication or of a later change."""

from __future__ import annotations

import re
from itertools import pairwise

from ...patterns import lazy_re
from .dates import HAS_YEAR, find_date, plain_digits

__all__ = ["DIGIT", "PUBLISHED", "UPDATED", "labelled_days", "names_a_change"]

PUBLISHED = lazy_re(
    r"publi(?!cs?\b)|posted|entry-date|created|veröff|erschienen|pubblic|опублик|опублік|yayın|"
    r"diterbitkan|đăng|نشر|منتشر|发布|發布|公開|掲載|입력|등록",
    re.IGNORECASE,
)
UPDATED = lazy_re(
    r"updat|modif|revis(?:ed|ion)|reviewed|last edit|a[ck]tuali[sz]|atualiz|mis(?:e)? à jour|"
    r"aggiorn|bijgewerkt|gewijzigd|geändert|oppdater|uppdater|opdater|päivitet|ažurir|frissít|"
    r"обновл|оновл|изменен|ενημέρωση|güncelle|diperbarui|cập nhật|تحديث|"
    r"به‌?روز|更新|修改|수정|업데이트",
    re.IGNORECASE,
)
# The day on which the author of a post became a member of the forum.
JOINED = lazy_re(
    r"\b(?:joined\b|join(?:ing)? date|registered\b|(?:member|user) since|registriert\b|"
    r"mitglied seit|beigetreten|inscri(?:t|ption)\b|registrado\b|miembro desde|fecha de ingreso|"
    r"iscritto\b|membro d|lid geworden|geregistreerd\b|dołączył|rejestracja|registrován|"
    r"csatlakozott|liittynyt|blev medlem|tilmeldt|katılım|зарегистрирован|регистрация)|"
    r"注册时间|註冊時間|가입",
    re.IGNORECASE,
)
LABEL = lazy_re(
    f"(?P<updated>{UPDATED.pattern})|(?P<joined>{JOINED.pattern})|{PUBLISHED.pattern}",
    re.IGNORECASE,
)
DIGIT = lazy_re(r"\d")


def labelled_days(line: str, month_first: bool | None = None) -> list[tuple[str, str]]:
    """Days that a line names, each with its field: ``date`` or ``modified``.

    Parameters
    ----------
    line
        A dateline, or a byline with a date.
    month_first
        Whether 3/4/2021 is a day in March; None if that is uncertain.

    >>> labelled_days("Posted 3 May 2021, 10:00 | Last updated: 4 May 2021")
    [('date', '2021-05-03'), ('modified', '2021-05-04')]
    >>> labelled_days("2019年12月17日更新"), labelled_days("Jane Doe")
    ([('modified', '2019-12-17')], [])
    >>> labelled_days("Joined: Mon Jul 24, 2017 9:28 am")
    []
    """
    # Most lines have no date, and labels take longer to find than years.
    if not (DIGIT.search(line) and HAS_YEAR.search(plain_digits(line))):
        return []
    labels = list(LABEL.finditer(line))
    places = [0, *[label.start() for label in labels], len(line)]
    fields = ["date", *map(_field, labels)]
    days: list[tuple[str, str]] = []
    for field, (start, stop) in zip(fields, pairwise(places), strict=True):
        part = line[start:stop]
        day = find_date(part, month_first=month_first)
        if day and field:
            days.append((field, day))
        elif field and start and len(labels) == 1 and not DIGIT.search(part):
            # The only label follows the date.
            days = [(field, day) for _, day in days]
    return days


def _field(label: re.Match[str]) -> str | None:
    """The field of the date after a label; None if it is not about the page."""
    return "modified" if label["updated"] else None if label["joined"] else "date"


def names_a_change(label: str) -> bool:
    """Whether a text is a label for the date of a change, without a date: "Last updated:"."""
    return UPDATED.search(label) is not None and not DIGIT.search(label)
