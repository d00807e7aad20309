"""Dates relative to the time of reading: "3 hours ago", "yesterday", 昨天.

Spans of up to weeks are exact enough to give a day. Months and years are not, and are ignored.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from ...patterns import lazy_re
from .dates import plain_digits

__all__ = ["divided_by_spans", "relative_date"]

HOURS = {"minute": 1 / 60, "hour": 1.0, "day": 24.0, "week": 168.0}

# English, German, French, Spanish, Portuguese, Italian, Dutch, Swedish, Polish, Russian, Turkish,
# Indonesian, Vietnamese, Persian, Arabic, Chinese, Japanese, Korean.
UNITS = {
    "minute": "minutes?|mins?|minuten?|minuti|minutos?|minuter|minut[ęy]?|минут[уы]?|dakika|menit|"
    "phút|دقیقه|دقائق|دقيقة|分钟|分鐘|分|분",
    "hour": "hours?|hrs?|h|stunden?|heures?|horas?|or[ae]|uur|uren|timm(?:e|ar)|godzin[ęy]?|"
    "час(?:а|ов)?|saat|jam|giờ|ساعت|ساعات?|ساعة|小时|小時|時間|시간",
    "day": "days?|d|tag(?:en)?|jours?|d[ií]as?|giorn[oi]|dag(?:en|ar)?|dni|дня|дней|день|gün|hari|"
    "ngày|روز|أيام|يوم|天|日|일",
    "week": "weeks?|wochen?|semaines?|semanas?|settiman[ae]|we(?:ek|ken)|veck(?:a|or)|tydzień|"
    "tygodnie|недел[юьи]|hafta|minggu|tuần|هفته|أسابيع|周|週間?|주",
}
UNIT = "|".join(f"(?P<{name}>{words})" for name, words in UNITS.items())
ONE = "an?|one|eine[rm]?|une?|un[ao]?|uma|één|en|ett"
COUNT = rf"(?P<count>(?<!\d)\d{{1,3}}|(?<!\w)(?:{ONE})(?=\s))"
SPANS = tuple(
    lazy_re(pattern, re.IGNORECASE)
    for pattern in (
        rf"{COUNT}\s?(?:{UNIT})\s?(?:ago|fa\b|geleden|sedan|temu|назад|önce|(?:yang )?lalu|"
        r"trước|پیش|قبل|前|전)",
        rf"(?<!\w)(?:vor|il y a|hace|há|hà|för|منذ|قبل)\s+{COUNT}\s?(?:{UNIT})(?!\w)",
    )
)
DAYS_AGO = {
    0: "just now|(?<!usa )today|heute|gerade eben|aujourd.hui|hoy|hoje|oggi|vandaag|idag|dzisiaj|"
    "dziś|сегодня|bugün|hari ini|hôm nay|امروز|اليوم|今天|今日|本日|刚刚|剛剛|오늘",
    1: "yesterday|gestern|hier|ayer|ontem|ieri|gisteren|igår|wczoraj|вчера|dün|kemarin|hôm qua|"
    "دیروز|أمس|昨天|昨日|어제",
    2: "vorgestern|avant-hier|anteayer|anteontem|eergisteren|przedwczoraj|позавчера|前天|一昨日|"
    "おととい|그저께",
}
# The earliest day first, since "vorgestern" contains "gestern".
NAMED = tuple(
    (days, lazy_re(rf"(?<![^\W\d_])(?:{words})(?![a-zà-ÿа-я])", re.IGNORECASE))
    for days, words in sorted(DAYS_AGO.items(), reverse=True)
)

MAX_CHARS = 90


def relative_date(text: str, captured: str) -> str | None:
    """Day that a line gives relative to the time of capture, as ``YYYY-MM-DD``; None for none.

    Parameters
    ----------
    text
        A dateline or byline; longer texts are ignored.
    captured
        Time at which the page was captured, in ISO 8601.

    Examples
    --------
    >>> relative_date("Published 3 hours ago", "2024-05-02T01:30:00+00:00")
    '2024-05-01'
    >>> relative_date("昨天 10:30", "2024-05-02T12:00:00+00:00"), relative_date("2 years ago", "")
    ('2024-05-01', None)
    """
    text = plain_digits(text)
    if len(text) > MAX_CHARS:
        return None
    try:
        time = datetime.fromisoformat(captured)
    except ValueError:
        return None
    hours = _hours_ago(text)
    return None if hours is None else (time - timedelta(hours=hours)).date().isoformat()


def divided_by_spans(text: str) -> str:
    """The text with a bar in place of spans such as "3 hours ago", which divide a byline.

    >>> divided_by_spans("Jane Doe 2 hours ago Politics")
    'Jane Doe  |  Politics'
    """
    for pattern in SPANS:
        text = pattern.sub(" | ", text)
    return text


def _hours_ago(text: str) -> float | None:
    for pattern in SPANS:
        match = pattern.search(text)
        if match:
            unit = next(name for name in HOURS if match[name])
            count = int(match["count"]) if match["count"].isdecimal() else 1
            return count * HOURS[unit]
    return next((24.0 * days for days, words in NAMED if words.search(text)), None)
