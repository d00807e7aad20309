"""Names of months and of weekdays in many languages, and the calendar of Iranian pages (Jalali)."""

from __future__ import annotations

from datetime import date

__all__ = [
    "JALALI_MONTHS",
    "MARKED_MONTHS",
    "MONTH_NAME",
    "WEEKDAYS",
    "jalali_date",
    "month_number",
]

# Twelve months each: English, German, French, Spanish, Italian, Portuguese, Dutch, Swedish,
# Danish and Norwegian, Polish, Czech, Turkish, Indonesian, Russian, Ukrainian, Bulgarian, Greek (in
# the genitive and in the nominative), Romanian, Hungarian, Finnish, Estonian, Latvian, Lithuanian,
# Albanian, Azerbaijani, Serbian, Belarusian, Arabic (of Egypt, of the Levant, of the Maghreb, and
# without hamza), Persian, Hebrew (without and with "in"). Prefixes are enough.
MONTHS = (
    "jan feb mar apr may jun jul aug sep oct nov dec",
    "jan feb mär apr mai jun jul aug sep okt nov dez",
    "janv févr mars avr mai juin juil août sept oct nov déc",
    "ene feb mar abr may jun jul ago sep oct nov dic",
    "gen feb mar apr mag giu lug ago set ott nov dic",
    "jan fev mar abr mai jun jul ago set out nov dez",
    "jan feb maa apr mei jun jul aug sep okt nov dec",
    "jan feb mar apr maj jun jul aug sep okt nov dec",
    "jan feb mar apr mai jun jul aug sep okt nov des",
    "sty lut mar kwi maj cze lip sie wrz paź lis gru",
    "led úno bře dub kvě červn července srp zář říj lis pro",
    "oca şub mar nis may haz tem ağu eyl eki kas ara",
    "jan feb mar apr mei jun jul agu sep okt nov des",
    "янв фев мар апр мая июн июл авг сен окт ноя дек",
    "січ лют бер кві тра чер лип сер вер жов лис гру",
    "яну фев мар апр май юни юли авг сеп окт ное дек",
    "ιαν φεβ μαρ απρ μαΐ ιουν ιουλ αυγ σεπ οκτ νοε δεκ",
    "ιαν φεβ μάρ απρ μάι ιούν ιούλ αύγ σεπ οκτ νοέ δεκ",
    "ian feb mar apr mai iun iul aug sep oct noi dec",
    "jan feb már ápr máj jún júl aug szep okt nov dec",
    "tammi helmi maalis huhti touko kesäk heinä elok syysk lokak marras joulu",
    "jaan veeb mär apr mai juuni juuli aug sep okt nov dets",
    "janv febr mart aprī maij jūni jūli aug sep okt nov dec",
    "sausi vasar kovo balan gegu birž liepos rugpj rugsė spali lapkr gruod",
    "janar shkurt mars prill maj qersh korrik gusht shtat tetor nënt dhjet",
    "yanv fevr mart aprel may iyun iyul avq sent oktya noya dek",
    "јан феб мар апр мај јун јул авг сеп окт нов дец",
    "студз лют сака краса мая чэрв ліпен жніў верас кастр лістап снеж",
    "يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر",
    "كانون_الثاني شباط آذار نيسان أيار حزيران تموز آب أيلول تشرين_الأول تشرين_الثاني كانون_الأول",
    "جانفي فيفري مارس أفريل ماي جوان جويلية أوت سبتمبر أكتوبر نوفمبر ديسمبر",
    "يناير فبراير مارس ابريل مايو يونيو يوليو اغسطس سبتمبر اكتوبر نوفمبر ديسمبر",
    "ژانویه فوریه مارس آوریل مه ژوئن ژوئیه اوت سپتامبر اکتبر نوامبر دسامبر",
    "ינואר פברואר מרץ אפריל מאי יוני יולי אוגוסט ספטמבר אוקטובר נובמבר דצמבר",
    "בינואר בפברואר במרץ באפריל במאי ביוני ביולי באוגוסט בספטמבר באוקטובר בנובמבר בדצמבר",
)
MONTH = {start: number + 1 for names in MONTHS for number, start in enumerate(names.split())}
# Austrian January, German and Dutch abbreviations, French without accents, nominatives, South
# Slavic August.
MONTH |= {"jän": 1, "mrt": 3, "mrz": 3, "fevr": 2, "aou": 8, "май": 5, "červen": 6, "červene": 7,
          "avg": 8}  # fmt: skip
# Croatian genitives. Some begin as the names of other months in Polish and Czech.
MONTH |= {"siječ": 1, "velja": 2, "ožuj": 3, "travnj": 4, "svib": 5, "lipnj": 6, "srpnj": 7,
          "kolov": 8, "ruj": 9, "studen": 11, "prosin": 12}  # fmt: skip
LONGEST = max(map(len, MONTH))

MONTH_NAME = r"(?:(?:كانون|تشرين) (?:الأول|الثاني)|آب|مه|[^\W\d_]{3,12})"
"""Regular expression for a word that may be the name of a month; see `month_number`."""

# Scripts with vowel signs, which regular expressions do not match as letters: Thai (in full and
# abbreviated), Hindi (in two spellings), Bengali.
IN_MARKED = (
    "มกราคม กุมภาพันธ์ มีนาคม เมษายน พฤษภาคม มิถุนายน กรกฎาคม สิงหาคม กันยายน ตุลาคม พฤศจิกายน ธันวาคม",
    "ม.ค. ก.พ. มี.ค. เม.ย. พ.ค. มิ.ย. ก.ค. ส.ค. ก.ย. ต.ค. พ.ย. ธ.ค.",
    "जनवरी फरवरी मार्च अप्रैल मई जून जुलाई अगस्त सितंबर अक्टूबर नवंबर दिसंबर",
    "जनवरी फ़रवरी मार्च अप्रैल मई जून जुलाई अगस्त सितम्बर अक्तूबर नवम्बर दिसम्बर",
    "জানুয়ারি ফেব্রুয়ারি মার্চ এপ্রিল মে জুন জুলাই আগস্ট সেপ্টেম্বর অক্টোবর নভেম্বর ডিসেম্বর",
)
MARKED_MONTHS = {
    name: number + 1 for names in IN_MARKED for number, name in enumerate(names.split())
}
"""Numbers of months by the names that `MONTH_NAME` does not match."""

# Monday to Sunday: English, German, French, Spanish, Italian, Portuguese, Dutch, Swedish, Polish,
# Russian, Turkish, Persian, Danish and Norwegian, Finnish, Czech, Croatian, Hungarian, Romanian,
# Greek, Ukrainian, Indonesian, Arabic, Urdu, Vietnamese.
WEEKDAYS = frozenset(
    name.replace("_", " ")
    for name in """
    monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri
    sat sun montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag lundi mardi
    mercredi jeudi vendredi samedi dimanche lunes martes miércoles jueves viernes sábado domingo
    lunedì martedì mercoledì giovedì venerdì sabato domenica segunda-feira terça-feira
    quarta-feira quinta-feira sexta-feira maandag dinsdag woensdag donderdag vrijdag zaterdag
    zondag måndag tisdag onsdag torsdag fredag lördag söndag poniedziałek wtorek środa czwartek
    piątek sobota niedziela понедельник вторник среда четверг пятница суббота воскресенье
    pazartesi salı çarşamba perşembe cuma cumartesi pazar شنبه یکشنبه دوشنبه چهارشنبه پنجشنبه
    جمعه mandag tirsdag onsdag torsdag fredag lørdag søndag maanantai tiistai keskiviikko
    torstai perjantai lauantai sunnuntai pondělí úterý středa čtvrtek pátek sobota neděle
    ponedjeljak utorak srijeda četvrtak petak subota nedjelja hétfő kedd szerda csütörtök péntek
    szombat vasárnap luni marți miercuri joi vineri sâmbătă duminică δευτέρα τρίτη τετάρτη
    πέμπτη παρασκευή σάββατο κυριακή понеділок вівторок середа четвер субота неділя senin selasa
    rabu kamis jumat sabtu minggu الاثنين الإثنين الثلاثاء الأربعاء الخميس الجمعة السبت الأحد
    پیر منگل بدھ جمعرات جمعہ ہفتہ اتوار thứ_hai thứ_ba thứ_tư thứ_năm thứ_sáu thứ_bảy chủ_nhật
    """.split()
)


def month_number(name: str) -> int:
    """The number of a month from its name or an abbreviation of it; 0 for other words.

    >>> month_number("Sept"), month_number("августа"), month_number("bread")
    (9, 8, 0)
    """
    name = name.lower().replace(" ", "_")
    if name in MONTH:
        return MONTH[name]
    return next((MONTH[name[:k]] for k in range(LONGEST, 2, -1) if name[:k] in MONTH), 0)


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
