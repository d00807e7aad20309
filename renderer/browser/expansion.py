"""Clicks the button that unfolds an article which the page shows only in part."""

from __future__ import annotations

import json

from .stabilizer import SHORT_BUDGET, PageStabilizer

__all__ = ["find_button", "unfold_article"]

# Seconds that the page may take to show the rest.
SECONDS = 3.0

# Least growth of the page's text, in characters, with which the rest counts as shown.
LEAST_GROWTH = 100

# What such buttons say in twenty languages, as parts of short labels in lower case: to read, see,
# show or load, the rest, the whole, or more.
LABELS = (
    "read more|read on|read full|read the full|read the rest|read the whole|continue reading|"
    "keep reading|show more|show all|show full|see more|see full|view more|view full|full story|"
    "full article|load more of|expand|"  # English
    "weiterlesen|mehr lesen|mehr anzeigen|ganzen artikel|vollständig|alles anzeigen|"  # German
    "lire la suite|lire plus|voir plus|afficher plus|afficher la suite|article complet|"  # French
    "leer más|seguir leyendo|continuar leyendo|ver más|mostrar más|artículo completo|"  # Spanish
    "ler mais|continuar a ler|continue lendo|ver mais|mostrar mais|leia mais|"  # Portuguese
    "leggi tutto|leggi di più|continua a leggere|mostra di più|mostra tutto|"  # Italian
    "lees meer|lees verder|meer lezen|verder lezen|toon meer|meer weergeven|"  # Dutch
    "läs mer|läs vidare|fortsätt läsa|visa mer|"  # Swedish
    "læs mere|læs videre|vis mere|fortsæt|"  # Danish
    "les mer|les videre|vis mer|fortsett|"  # Norwegian
    "lue lisää|jatka lukemista|näytä lisää|"  # Finnish
    "czytaj dalej|czytaj więcej|pokaż więcej|rozwiń|"  # Polish
    "číst dál|číst více|zobrazit více|"  # Czech
    "tovább olvasom|olvass tovább|több megjelenítése|"  # Hungarian
    "citește mai mult|citește tot|continuă|"  # Romanian
    "διαβάστε περισσότερα|συνέχεια|"  # Greek
    "читать дал|читать полностью|показать ещё|показать полностью|развернуть|"  # Russian
    "читати далі|показати більше|розгорнути|"  # Ukrainian
    "devamını oku|devamını göster|daha fazla|"  # Turkish
    "続きを読む|もっと見る|全文を|"  # Japanese
    "阅读全文|閱讀全文|展开|展開|查看全文|继续阅读|繼續閱讀|"  # Chinese
    "더 보기|더보기|전체 보기|계속 읽기|"  # Korean
    "اقرأ المزيد|أكمل القراءة|عرض المزيد|"  # Arabic
    "קרא עוד|המשך קריאה|הצג עוד"  # Hebrew
)

# Finds the button and remembers it. It follows prose within one block of the page, it leads to no
# other page and submits nothing, and it is not one of many alike, which unfold teasers or comments.
FIND = """(() => {{
  const label = new RegExp({labels}, 'iu');
  const outside = 'nav, header, footer, aside, form, dialog, [role=dialog], [role=navigation], li';
  const leads = (element) => {{
    const href = element.getAttribute('href');
    return href !== null && !/^(#|javascript:)/i.test(href.trim());
  }};
  const prose = (element) => [...element.querySelectorAll('p')].reduce(
    (sum, each) => sum + each.textContent.trim().length, 0);
  const found = [];
  const buttons = 'button, a, [role=button], [aria-expanded=false]';
  for (const each of document.querySelectorAll(buttons)) {{
    const text = (each.getAttribute('aria-label') || each.textContent).replace(/\\s+/g, ' ').trim();
    if (text.length > 60 || !label.test(text) || leads(each) || each.closest(outside)) continue;
    if (each.getAttribute('aria-haspopup') || !each.getClientRects().length) continue;
    let block = each.parentElement;
    for (let up = 0; block && block !== document.body && up < 4; up++) {{
      const head = [...block.querySelectorAll('p')].some((p) => p.textContent.trim().length > 80 &&
        p.compareDocumentPosition(each) & Node.DOCUMENT_POSITION_FOLLOWING);
      if (head && prose(block) >= 160) break;
      block = block.parentElement;
    }}
    if (block && block !== document.body && prose(block) >= 160) found.push(each);
  }}
  globalThis.mioloUnfold = found.length && found.length <= 2 ? found[0] : null;
  return !!globalThis.mioloUnfold;
}})()"""

CLICK = "mioloUnfold.isConnected && (mioloUnfold.click(), true)"


async def find_button(stabilizer: PageStabilizer) -> bool:
    """Whether the page has a button that most likely unfolds its article."""
    return bool(await stabilizer.evaluate(FIND.format(labels=json.dumps(LABELS))))


async def unfold_article(stabilizer: PageStabilizer, seconds: float) -> bool:
    """Click the button that was found; whether the page then shows more text."""
    before = await stabilizer.text_mass()
    await stabilizer.evaluate(CLICK)
    await stabilizer.settle(min(SECONDS, seconds), SHORT_BUDGET)
    return await stabilizer.text_mass() >= before + LEAST_GROWTH
