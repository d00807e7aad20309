"""What buttons say that unfold the rest of a text, in twenty languages.

The patterns are parts of short labels in lower case, in the syntax that Python and JavaScript
share.
"""

from __future__ import annotations

__all__ = ["MAX_LABEL", "OTHER_LABELS", "UNFOLD_LABELS"]

MAX_LABEL = 60
"""Maximum number of characters of a label."""

# To read, see, show or load, and the rest, the whole, or more.
UNFOLD_LABELS = (
    r"\b(?:read|show|see|view|load|display|open|reveal|get|keep|tap|click)\b.{0,25}\b(?:more|rest|"
    r"full|whole|entire|all|remainder|remaining|complete|article|story|reading)\b|"
    r"\bread on\W*$|"
    r"\bcontinue\b|\bunfold\b|\bexpand\b|\bfull (?:story|article|text)\b|^\W*more\W*$|"  # English
    "weiter ?lesen|mehr lesen|mehr anzeigen|ganzen (?:artikel|text|beitrag)|vollständig|komplett|"
    r"alles anzeigen|aufklappen|ausklappen|fortsetzen|^\W*(?:weiter|mehr)\W*$|"  # German
    "lire la suite|lire plus|voir plus|afficher plus|afficher la suite|article complet|en entier|"
    r"lire l.article|tout lire|lire tout|déplier|poursuivre|^\W*(?:la )?suite\W*$|"  # French
    "leer más|seguir leyendo|continuar leyendo|ver más|mostrar más|complet[ao]\\b|leer todo|"
    "desplegar|"  # Spanish
    "ler mais|continuar|continue lendo|ver mais|mostrar mais|leia mais|ler tudo|ler o resto|"
    "expandir|"  # Portuguese
    "leggi tutto|leggi di più|continua|mostra di più|mostra tutto|espandi|articolo completo|"
    "lees meer|lees verder|verder lezen|meer lezen|toon meer|meer weergeven|uitklappen|"
    "hele artikel|volledig|"  # Dutch
    "läs mer|läs vidare|fortsätt läsa|visa mer|visa hela|hela artikeln|fäll ut|"  # Swedish
    "læs mere|læs videre|vis mere|fortsæt|hele artiklen|fold ud|"  # Danish
    "les mer|les videre|vis mer|fortsett|hele (?:saken|artikkelen)|utvid|"  # Norwegian
    "lue lisää|lue koko|jatka lukemista|näytä lisää|koko (?:juttu|artikkeli)|laajenna|"  # Finnish
    "czytaj dalej|czytaj więcej|pokaż więcej|rozwiń|całość|cały (?:artykuł|tekst)|"  # Polish
    "číst dál|číst více|zobrazit více|celý (?:článek|text)|rozbalit|pokračovat|"  # Czech
    "tovább olvas|olvass tovább|több megjelenítése|teljes (?:cikk|szöveg)|kinyit|"  # Hungarian
    "citește mai mult|citește tot|continuă|tot articolul|extinde|"  # Romanian
    "διαβάστε|συνέχεια|περισσότερα|ολόκληρο|"  # Greek
    "читать дал|читать полностью|показать ещё|показать полностью|развернуть|раскрыть|"
    r"(?:весь|полный) текст|^\W*далее\W*$|"  # Russian
    "читати далі|показати більше|розгорнути|(?:весь|повний) текст|повністю|"  # Ukrainian
    "devamını|daha fazla|tamamını|tümünü|"  # Turkish
    "続き|もっと見る|全文|すべて表示|展開|"  # Japanese
    "全文|展开|展開|继续阅读|繼續閱讀|阅读更多|閱讀更多|"  # Chinese
    "더 ?보기|전체 ?보기|계속 읽기|펼치기|전문 ?보기|"  # Korean
    "اقرأ المزيد|أكمل القراءة|عرض المزيد|تابع القراءة|المقال كامل|"  # Arabic
    "קרא עוד|המשך קריאה|הצג עוד|להמשך|הכתבה המלאה"  # Hebrew
)

# What such buttons show besides a text.
OTHER_LABELS = (
    r"comment|kommentar|\brepl(?:y|ies)\b|\bantwort|réponse|respuesta|review|\bstories\b|"
    r"\barticles\b|\bposts\b|photo|foto|bilder|video|related|share|teilen|partager|compart|sign|"
    r"\blog\b|subscri|abonn|app\b|コメント|评论|評論|댓글|комментар"
)
