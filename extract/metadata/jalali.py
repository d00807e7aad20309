"""The Solar Hijri (Jalali) calendar, which is used on Iranian pages."""

from __future__ import annotations

from datetime import date

__all__ = ["JALALI_MONTHS", "jalali_date"]

JALALI_MONTHS = tuple("فروردین اردیبهشت خرداد تیر مرداد شهریور مهر آبان آذر دی بهمن اسفند".split())

YEARS = range(1206, 1498)
"""Years in which the arithmetic agrees with the astronomical calendar of Iran."""

# Ordinal of the day before 1 Farvardin of the year 0 by the arithmetic below.
BEFORE_YEAR_0 = 226_529

# Years of 366 days in a cycle of 33 years.
CYCLE_YEARS, CYCLE_LEAPS = 33, (1, 5, 9, 13, 17, 22, 26, 30)


def jalali_date(year: int, month: int, day: int) -> date | None:
    """The Gregorian date of a day in the Jalali calendar; None for a day that does not exist.

    Notes
    -----
    Leap years follow the cycle of 33 years, which agrees with the calendar of Iran in `YEARS`.

    Examples
    --------
    >>> jalali_date(1403, 1, 1), jalali_date(1399, 12, 30), jalali_date(1400, 12, 30)
    (datetime.date(2024, 3, 20), datetime.date(2021, 3, 20), None)
    """
    if year not in YEARS or not 1 <= month <= 12:
        return None
    length = 31 if month <= 6 else 30 if month <= 11 or _is_leap(year) else 29
    if not 1 <= day <= length:
        return None
    cycles, rest = divmod(year, CYCLE_YEARS)
    leaps = cycles * len(CYCLE_LEAPS) + sum(leap < rest for leap in CYCLE_LEAPS)
    before = 31 * (month - 1) - max(month - 7, 0)
    return date.fromordinal(BEFORE_YEAR_0 + 365 * year + leaps + before + day)


def _is_leap(year: int) -> bool:
    return year % CYCLE_YEARS in CYCLE_LEAPS
