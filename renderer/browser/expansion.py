"""Clicks the button that unfolds an article which the page shows only in part."""

from __future__ import annotations

import json

from ..page.button_words import MAX_LABEL, other_labels, unfold_labels
from .stabilizer import PROSE, SHORT_BUDGET, WIDTH, PageStabilizer

__all__ = ["find_button", "unfold_article"]

# Seconds that the page may take to show the rest.
SECONDS = 3.0

# Least growth of the page's text, in characters, with which the rest counts as shown. If no word
# says what the button does, its paragraphs must grow by as much.
LEAST_GROWTH = 100

# Most buttons that are examined.
MOST = 200

# Finds the button and remembers it. It follows prose within one block of the page, it leads to no
# other page and submits nothing, and it is not one of many alike, which unfold teasers or comments.
# A button without words for it is closed and directly follows the prose. Those in layers over the
# page accept what is asked there.
FIND = """(() => {{
  const label = new RegExp({labels}, 'iu'), other = new RegExp({others}, 'iu');
  const outside = 'nav, header, footer, aside, form, dialog, [role=dialog], [role=navigation], li';
  const width = {width};
  const leads = (element) => {{
    const href = element.getAttribute('href');
    return href !== null && !/^(#|javascript:)/i.test(href.trim());
  }};
  const LINES = 'p, div, section, article, span';
  // Some pages have their paragraphs in other elements.
  const line = (element) => element.matches('p') ? width(element.textContent.trim())
    : [...element.childNodes].reduce(
      (sum, each) => sum + (each.nodeType === 3 ? width(each.data.trim()) : 0), 0);
  const isLong = (element) => line(element) > 80;
  const prose = (block) => [block, ...block.querySelectorAll(LINES)].reduce((sum, each) =>
    sum + (each.matches && (each.matches('p') || isLong(each)) ? line(each) : 0), 0);
  const follows = (element) => {{
    for (let at = element, up = 0; at && up < 3; at = at.parentElement, up++) {{
      const before = at.previousElementSibling;
      if (before)
        return isLong(before) || [...before.querySelectorAll(LINES)].slice(-3).some(isLong);
    }}
    return false;
  }};
  const isOver = (element) => {{
    for (let at = element, up = 0; at && up < 20; at = at.parentElement, up++)
      if (['fixed', 'sticky'].includes(getComputedStyle(at).position)) return true;
    return false;
  }};
  const named = [], closed = [];
  let tried = 0;
  const buttons = 'button, a, summary, label, [role=button], [aria-expanded=false], [tabindex], '
    + '[onclick]';
  const roots = [document];
  for (let place = 0; place < roots.length && roots.length <= {most}; place++)
    for (const host of roots[place].querySelectorAll('*'))
      if (host.shadowRoot) roots.push(host.shadowRoot);
  for (const each of roots.flatMap((root) => [...root.querySelectorAll(buttons)])) {{
    // What holds others or paragraphs is no button; the texts of such elements in one another would
    // take quadratic time.
    if (each.querySelector('p, [tabindex], [onclick], [role=button], [aria-expanded]')) continue;
    const text = (each.getAttribute('aria-label') || each.textContent).replace(/\\s+/g, ' ').trim();
    if (text.length > {max_label} || other.test(text) || leads(each) || each.closest(outside))
      continue;
    const isNamed = label.test(text), isClosed = each.getAttribute('aria-expanded') === 'false';
    if (!isNamed && !(isClosed && text && follows(each))) continue;
    if (each.getAttribute('aria-haspopup') || !each.getClientRects().length) continue;
    if (isOver(each)) continue;
    if (tried++ >= {most}) break;
    let block = each.parentNode;  // an element or a shadow root
    const button = each;
    for (let up = 0; block && block !== document.body && up < 4; up++) {{
      const head = [...block.querySelectorAll(LINES)].some((each) => isLong(each) &&
        each.compareDocumentPosition(button) & Node.DOCUMENT_POSITION_FOLLOWING);
      if (head && prose(block) >= 160) break;
      block = block.parentNode;
    }}
    if (block && block !== document.body && prose(block) >= 160)
      (isNamed ? named : closed).push(each);
  }}
  const words = (each) => each.textContent.trim();
  const single = named.filter((each) => named.every(
    (other) => other === each || words(other) !== words(each)));
  const found = !named.length ? closed : named.length > 2 ? single : named;
  globalThis.mioloUnfoldRoot = null;
  globalThis.mioloUnfold = found.length && found.length <= 2 ? found[0] : null;
  return globalThis.mioloUnfold ? (named.length ? 'named' : 'closed') : '';
}})()"""

# Characters of the text around the button that are in no element of the document itself.
SHADOW_TEXT = """(() => {
  const root = mioloUnfoldRoot ??= mioloUnfold.getRootNode();
  return root === document ? 0 : root.textContent.length;
})()"""

CLICK = "mioloUnfold.isConnected && (mioloUnfold.click(), true)"


async def find_button(stabilizer: PageStabilizer) -> str:
    """What shows that the page has a button that most likely unfolds its article; empty if none.

    Either ``"named"``, if its words do, or ``"closed"``, if only its state and its place do.
    """
    expression = FIND.format(
        labels=json.dumps(unfold_labels()),
        others=json.dumps(other_labels()),
        width=WIDTH,
        max_label=MAX_LABEL,
        most=MOST,
    )
    return str(await stabilizer.evaluate(expression) or "")


async def unfold_article(stabilizer: PageStabilizer, seconds: float, evidence: str) -> bool:
    """Click the button that was found; whether the page then shows more text."""
    before, prose = await _mass(stabilizer), await _prose(stabilizer)
    await stabilizer.evaluate(CLICK)
    await stabilizer.settle(min(SECONDS, seconds), SHORT_BUDGET)
    if evidence == "closed":
        return await _prose(stabilizer) >= prose + LEAST_GROWTH
    return await _mass(stabilizer) >= before + LEAST_GROWTH


async def _mass(stabilizer: PageStabilizer) -> int:
    shadow = int(await stabilizer.evaluate(SHADOW_TEXT) or 0)
    return await stabilizer.text_mass() + shadow


async def _prose(stabilizer: PageStabilizer) -> int:
    return int(await stabilizer.evaluate(PROSE) or 0)
