"""Refuses consent dialogs by the words of their buttons, in the page and in its frames."""

from __future__ import annotations

import json

from ...errors import RenderError
from .capture import frame_targets
from .protocol import BrowserWire
from .stabilizer import WORLD, PageStabilizer

__all__ = ["refuse_by_words"]

# Words for what such a dialog is about, and for refusing it, as parts of lower-case texts in twenty
# languages.
ABOUT = (
    "cookie|consent|privacy|gdpr|datenschutz|einwilligung|zustimm|confidentialité|vie privée|"
    "consentement|privacidad|consentimiento|privacidade|consentimento|riservatezza|consenso|"
    "toestemming|personvern|samtyck|samtykke|evästeet|yksityisyy|prywatnoś|zgod|soukromí|souhlas|"
    "adatvéd|süti|confidențial|απορρήτ|συγκατάθεσ|конфиденциальн|файлы куки|согласи|згод|"
    "gizlilik|çerez|プライバシー|クッキー|隐私|隱私|개인정보|쿠키|ملفات تعريف|פרטיות|עוגיות"
)
REFUSING = (
    "reject|refuse|decline|deny|disagree|opt out|necessary only|only necessary|essential only|"
    "only essential|required only|without accepting|ablehnen|nur notwendig|nur erforderlich|"
    "verweigern|ohne zustimm|refuser|sans accepter|nécessaires uniquement|rechazar|denegar|"
    "solo necesari|sin aceptar|rejeitar|recusar|apenas necess|rifiuta|solo necessari|"
    "senza accettare|weigeren|afwijzen|alleen noodzakelijk|avvisa|neka|endast nödvändiga|afvis|"
    "kun nødvendige|avslå|hylkää|vain välttämättömät|odrzuć|odmów|tylko niezbędne|odmítnout|"
    "pouze nezbytné|elutasít|csak a szükséges|refuz|respinge|απόρριψη|μόνο απαραίτητα|отклонить|"
    "отказ|только необходим|відхилити|лише необхідні|reddet|yalnızca gerekli|拒否|必要なもののみ|"
    "拒绝|拒絕|仅必要|거부|필수만|رفض|דחה|דחייה"
)

# Clicks the button that refuses a dialog; the answer is whether there was a dialog, and one. A
# dialog lies over the page or fills a frame, and speaks of consent.
REFUSE = """((inFrame) => {{
  const about = new RegExp({about}, 'iu'), refusing = new RegExp({refusing}, 'iu');
  const label = (each) => (each.innerText || each.value || each.getAttribute('aria-label') || '')
    .replace(/\\s+/g, ' ').trim();
  const layer = (each, up = 0) => {{
    for (let at = each; at instanceof Element && up < 30; at = at.parentElement, up++) {{
      if (at.matches('dialog, [role=dialog], [role=alertdialog], [aria-modal=true]')) return at;
      if (['fixed', 'sticky'].includes(getComputedStyle(at).position)) return at;
    }}
    return inFrame ? document.body : null;
  }};
  const documents = [document];
  for (const frame of document.querySelectorAll('iframe')) {{
    try {{ if (frame.contentDocument) documents.push(frame.contentDocument) }} catch {{}}
  }}
  for (const each of documents) {{
    inFrame ||= each !== document;
    const buttons = each.querySelectorAll('button, a, [role=button], input[type=button], '
      + 'input[type=submit]');
    for (const button of [...buttons].slice(0, 2000)) {{
      const text = label(button);
      if (!text || text.length > 60 || !refusing.test(text)) continue;
      const around = layer(button);
      if (!around || !button.getClientRects().length || !about.test(around.innerText)) continue;
      button.click();
      return true;
    }}
  }}
  return false;
}})({in_frame})"""


def _script(*, in_frame: bool) -> str:
    return REFUSE.format(
        about=json.dumps(ABOUT), refusing=json.dumps(REFUSING), in_frame=json.dumps(in_frame)
    )


async def refuse_by_words(stabilizer: PageStabilizer, wire: BrowserWire, target: str) -> bool:
    """Click the button that refuses a consent dialog; whether there is one.

    Parameters
    ----------
    stabilizer
        Evaluates expressions in the page, apart from its scripts.
    wire, target
        The browser's own session, and the page's target, for frames in other processes.
    """
    if await stabilizer.evaluate(_script(in_frame=False)):
        return True
    for info in await frame_targets(wire, target):
        try:
            session = await wire.attach(info["target"])
        except RenderError:
            continue  # the frame is gone
        try:
            world = await session.send(
                "Page.createIsolatedWorld", frameId=info["target"], worldName=WORLD
            )
            answer = await session.send(
                "Runtime.evaluate",
                expression=_script(in_frame=True),
                contextId=world["executionContextId"],
                returnByValue=True,
            )
            if answer["result"].get("value"):
                return True
        except RenderError:
            continue
        finally:
            await wire.detach(session)
    return False
