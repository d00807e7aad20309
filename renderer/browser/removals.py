"""Text that scripts take out of a document after it was there, and its return for the capture.

An observer in a world of its own remembers removed nodes and their places. Before the capture,
those that held prose which the page no longer has are put back, by undoing their removal, while no
script runs. What scripts put in their place, such as another view of an app, may hold more prose;
then the page has moved on, and nothing is put back. If it holds less, it is a notice in place of
the text, and leaves. Lines that scripts shorten or replace in place are put back, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...errors import RenderError
from .protocol import ProtocolSession

if TYPE_CHECKING:
    from .stabilizer import PageStabilizer

# Characters of prose below one element that have to be gone for anything to be put back there.
LEAST_PROSE = 200

# Characters of a line that can be prose, and how many times as long as what replaces them lines
# have to be that are put back: others are translated or drawn again.
LEAST_LINE, LESS = 40, 1.5

LEAST_ENTRIES = 3
"""Number of entries that make a list of other pages, such as the front page of an app."""

ELEMENT = 1
"""Type of the nodes that are elements, in the DOM."""

# Limits on what is remembered and put back of one page.
MAX_RECORDS, MAX_CHARS, MAX_RESTORED = 5_000, 4_000_000, 1_000

# Remembers groups of removed siblings: the element that lost them, the nodes beside them, and
# whether they left while the page was scrolled. `added` holds what scripts added once the document
# was parsed, `left` what they took away at any time. `lines` holds the longest text of each text
# node that was changed, and of each element whose text was replaced by another.
WATCH_REMOVALS = f"""if (window === top) {{
  const groups = [], added = new WeakSet(), left = new WeakSet(), lines = new Map();
  const BLOCKS = 'p, div, li, ul, ol, h1, h2, h3, h4, h5, h6, table, section, article, main, body';
  let records = 0, chars = 0, parsed = false;
  document.addEventListener('DOMContentLoaded', () => {{ parsed = true }});
  const keep = (node, old, change) => {{
    if (old.length < {LEAST_LINE} || state.scrolling || records > {MAX_RECORDS}) return;
    if (old.length <= (lines.get(node)?.old.length ?? 0)) return;
    records += lines.has(node) ? 0 : 1;
    lines.set(node, {{old, ...change}});
  }};
  const isBlock = (node) => node.nodeType === 1 &&
    (node.matches(BLOCKS) || !!node.querySelector(BLOCKS));
  const take = (list) => {{
    for (const record of list) {{
      if (record.oldValue !== null) {{
        if (state.watching && chars <= {MAX_CHARS}) keep(record.target, record.oldValue);
        continue;
      }}
      if (parsed) for (const node of record.addedNodes) added.add(node);
      // Most records are of the parser, and each property that is read makes an object.
      const removedNodes = record.removedNodes;
      if (!removedNodes.length || !state.watching || records > {MAX_RECORDS}
        || chars > {MAX_CHARS}) continue;
      const {{target, addedNodes, previousSibling, nextSibling}} = record;
      const text = [...removedNodes].reduce(
        (sum, node) => sum + (node.nodeType === 3 ? node.data.trim().length : 0), 0);
      if (text >= {LEAST_LINE} && ![...removedNodes].some(isBlock)) {{
        const old = [...removedNodes].map((node) => node.textContent).join('');
        chars += old.length;
        keep(target, old, {{removedNodes, addedNodes, nextSibling}});
        continue;
      }}
      const nodes = [...removedNodes].filter((node) => node.nodeType === 1);
      if (!nodes.length) continue;
      records += nodes.length;
      for (const node of nodes) {{ chars += node.textContent.length; left.add(node); }}
      groups.push({{target, nodes, previousSibling, nextSibling, recycled: state.scrolling}});
    }}
  }};
  const observer = new MutationObserver(take);
  observer.observe(document, {{childList: true, subtree: true, characterDataOldValue: true}});
  const state = globalThis.mioloRemovals = {{
    groups, added, left, lines, watching: true, scrolling: false,
    flush: () => take(observer.takeRecords()),
    stop: () => {{ observer.disconnect(); groups.length = 0; lines.clear(); }},
  }};
}}"""

HAS_ANY = (
    "!!globalThis.mioloRemovals && (mioloRemovals.flush(),"
    " mioloRemovals.groups.length + mioloRemovals.lines.size > 0)"
)
SET = "globalThis.mioloRemovals && (mioloRemovals.flush(), mioloRemovals.{0} = {1})"

# Puts back what is gone, the latest removal first. A node whose text the page shows elsewhere is
# not gone, and neither is an element that only moved. What was added in place of prose leaves if it
# is unlike it, begins it or has a part of it, or if the address changed, so that it is another
# page's. Returns the number of nodes that were put back and the characters of the prose that did
# not leave by scrolling.
RESTORE = f"""((moved) => {{
  const state = globalThis.mioloRemovals;
  if (!state) return {{nodes: [], wiped: 0}};
  state.flush();
  state.watching = false;
  const UNREAD = 'script, style, noscript, template, iframe';
  const MEDIA = 'figure, picture, video, audio, table, iframe';
  const read = (node) => {{
    if (!node.querySelector(UNREAD)) return node.textContent;
    const texts = document.createTreeWalker(node, NodeFilter.SHOW_TEXT), parts = [];
    while (texts.nextNode())
      if (!texts.currentNode.parentElement?.closest(UNREAD)) parts.push(texts.currentNode.data);
    return parts.join('');
  }};
  const words = (node) => read(node).replace(/\\s+/g, ' ').trim();
  // What stands below headings that are links is about other pages.
  const prose = (node) => {{
    const heads = [...node.querySelectorAll('h2 a[href], h3 a[href], h4 a[href]')];
    const entries = new Set(heads.map((link) => link.closest('h2, h3, h4').parentElement));
    const isList = entries.size >= {LEAST_ENTRIES};
    const apart = isList ? [...entries] : node.querySelectorAll('a, button, form');
    return [...apart].reduce((count, each) => count - words(each).length, words(node).length);
  }};
  // Scripts that highlight code make elements of its lines, with their numbers between them.
  const bare = (text) => text.replace(/\\s+/g, '');
  const page = bare(read(document.documentElement));
  const missing = (texts) => {{
    const lines = texts.flatMap((text) => text.split('\\n')).slice(0, {MAX_RECORDS}).map(bare);
    const gone = lines.filter((line) => !page.includes(line));
    return gone.join('').length / lines.join('').length;
  }};
  const isGone = (node) => {{
    if (node.isConnected || node.matches(UNREAD) || node.matches('link, meta')) return false;
    const blocks = [...node.querySelectorAll('p, li, h1, h2, h3, h4, h5, h6, pre, td, dd')];
    const texts = (blocks.length ? blocks : [node]).map(read);
    if (texts.some((text) => text.trim())) return missing(texts) > 0.5;
    return node.matches('img, picture, video, figure') || !!node.querySelector('img, video');
  }};
  const isLayer = (node) => {{
    if (node.closest('[role=dialog], [role=alertdialog], [aria-modal=true], dialog')) return true;
    for (let at = node, up = 0; at instanceof Element && up < 50; at = at.parentElement, up++)
      if (getComputedStyle(at).position === 'fixed') return true;
    const inner = node.firstElementChild;
    return !!inner && getComputedStyle(inner).position === 'fixed';
  }};
  // The root and the body cannot be put back beside others, but what was in them can.
  const whole = state.groups.flatMap((group) => {{
    const roots = group.nodes.filter((node) => node.matches('html, body'));
    if (!roots.length || !document.body) return [group];
    const bodies = roots.map((node) => node.matches('body') ? node : node.querySelector('body'));
    const nodes = bodies.flatMap((body) => body ? [...body.children] : []);
    return [{{...group, target: document.body, nodes, previousSibling: null, nextSibling: null}}];
  }});
  const lost = new Map();
  for (const group of whole) {{
    const nodes = group.nodes.filter(isGone);
    if (!nodes.length) continue;
    if (!lost.has(group.target)) lost.set(group.target, []);
    lost.get(group.target).push({{...group, nodes}});
  }}
  const back = [];
  let wiped = 0;
  const kindOf = (node) => node.tagName + ' ' + node.className;
  // Not by a pattern, which would take quadratic time.
  const withoutDots = (text) => {{
    let end = text.length;
    while (end && ' .…'.includes(text[end - 1])) end--;
    return text.slice(0, end);
  }};
  const removeStandIns = (target, gone) => {{
    const kinds = new Set(gone.map(kindOf)), texts = gone.slice(0, {MAX_RESTORED}).map(words);
    const blocks = gone.slice(0, {MAX_RESTORED}).flatMap(
      (node) => [...node.querySelectorAll('h1, p')].map(words));
    const known = new Set(blocks.filter((text) => text.length >= {LEAST_LINE}));
    const isCopy = (child) => [...child.querySelectorAll('h1, p')].some(
      (each) => known.has(words(each)));
    for (const child of [...target.children].slice(0, {MAX_RECORDS})) {{
      if (!state.added.has(child) || state.left.has(child) || texts.includes(words(child)) ||
        child.matches(UNREAD) || child.matches(MEDIA) || child.querySelector(MEDIA)) continue;
      const start = withoutDots(words(child));
      if (start && (moved || !kinds.has(kindOf(child)) || isCopy(child)
        || texts.some((text) => text.startsWith(start)))) child.remove();
    }}
  }};
  for (const [target, groups] of [...lost].reverse()) {{
    if (!target.isConnected) continue;
    const texts = new Map();
    for (const child of target.children || []) texts.set(words(child), child);
    const distinct = new Map();
    for (const group of groups) for (const node of group.nodes) distinct.set(words(node), node);
    let gone = 0, come = 0;
    for (const node of distinct.values()) gone += prose(node);
    for (const child of target.children || []) if (state.added.has(child)) come += prose(child);
    if (gone < {LEAST_PROSE} || gone < come) continue;
    let head = null;
    for (const group of groups.slice().reverse()) {{
      const isHere = (node) => node && node.parentNode === target;
      let next = isHere(group.nextSibling) ? group.nextSibling : null;
      const known = group.nodes.map((node) => texts.get(words(node)) || null);
      if (!next && !known.some((node) => node) && !isHere(group.previousSibling)) next = head;
      const before = group.previousSibling;
      for (let i = group.nodes.length - 1; i >= 0; i--) {{
        const node = group.nodes[i];
        if (known[i] && words(node)) {{ next = known[i]; continue; }}
        if (back.length >= {MAX_RESTORED}) continue;
        const follows = known.slice(0, i).findLast((each) => each);
        if (next) target.insertBefore(node, next);
        else if (follows) follows.after(node);
        else if (isHere(before)) before.after(node);
        else target.append(node);
        if (isLayer(node)) {{ node.remove(); continue; }}
        texts.set(words(node), node);
        back.push(node);
        next = node;
        if (!group.recycled) wiped += prose(node);
      }}
      if (next && !isHere(before)) head = next;
    }}
    if (!groups.some((group) => group.recycled))
      removeStandIns(target, groups.flatMap((group) => group.nodes));
  }}
  const cut = [];
  let gone = 0, come = 0;
  for (const [node, line] of state.lines) {{
    const old = line.old.replace(/\\s+/g, ' ').trim();
    if (!node.isConnected || old.length < {LEAST_LINE} || !missing([line.old])) continue;
    if ((node.nodeType === 1 ? node : node.parentElement)?.closest('head, textarea, ' + UNREAD))
      continue;
    const now = node.textContent.replace(/\\s+/g, ' ').trim();
    const isStart = old.startsWith(withoutDots(now));
    gone += isStart ? old.length - now.length : old.length;
    come += isStart ? 0 : now.length;
    cut.push([node, line]);
  }}
  if (gone + wiped >= {LEAST_PROSE} && gone >= {LESS} * come) {{
    wiped += gone;
    for (const [node, line] of cut.slice(0, {MAX_RESTORED})) {{
      if (node.nodeType === 1) {{
        for (const each of line.addedNodes) if (each.parentNode === node) each.remove();
        const next = line.nextSibling?.parentNode === node ? line.nextSibling : null;
        for (const each of line.removedNodes) node.insertBefore(each, next);
      }} else node.data = line.old;
      back.push(node);
    }}
  }}
  // Elements are named by their place in their parent, so that each parent is described once.
  const holders = new Map();
  for (const node of back) {{
    if (!node.isConnected) continue;
    const holder = node.nodeType === 1 ? node.parentNode : node;
    if (!holders.has(holder)) holders.set(holder, new Set());
    if (node !== holder) holders.get(holder).add(node);
  }}
  const placesIn = (holder, nodes) => [...(holder.children ?? [])].flatMap(
    (child, place) => nodes.has(child) ? [place] : []);
  globalThis.mioloBack = [...holders.keys()];
  return {{places: [...holders].map(([holder, nodes]) => placesIn(holder, nodes)), wiped}};
}})({{moved}})"""


class Removals:
    """What the scripts of one page have taken out of its document."""

    def __init__(self, session: ProtocolSession, stabilizer: PageStabilizer) -> None:
        self.wiped = 0  # characters of prose that were put back and had not left by scrolling
        self._session = session
        self._stabilizer = stabilizer

    async def ignore(self) -> None:
        """Remember nothing from now on: what the user's own actions take away is not missing."""
        await self._stabilizer.evaluate(SET.format("watching", "false"))

    async def expect_recycling(self) -> None:
        """Take what is removed from now on for rows that a list recycles while it is scrolled."""
        await self._stabilizer.evaluate(SET.format("scrolling", "true"))

    async def restore(self) -> frozenset[int]:
        """Put back the prose that is gone; the backend node ids of what was put back.

        No script of the page runs any more if anything is put back.
        """
        if not await self._stabilizer.evaluate(HAS_ANY):
            return frozenset()
        await self._session.send("Emulation.setScriptExecutionDisabled", value=True)
        moved = "true" if self._stabilizer.later_url else "false"
        answer = await self._stabilizer.evaluate(RESTORE.replace("{moved}", moved))
        if not answer or not answer["places"]:
            await self._session.send("Emulation.setScriptExecutionDisabled", value=False)
            return frozenset()
        self.wiped = int(answer["wiped"])
        return await self._backend_ids(answer["places"])

    async def _backend_ids(self, places: list[list[int]]) -> frozenset[int]:
        """Ids of children at some places of each parent, or of a text, which has none."""
        ids: set[int] = set()
        for number, of in enumerate(places):
            reference = await self._stabilizer.reference(f"mioloBack[{number}]")
            try:
                about = await self._session.send("DOM.describeNode", objectId=reference, depth=1)
            except RenderError:
                continue
            node = about["node"]
            elements = [each for each in node.get("children", ()) if each["nodeType"] == ELEMENT]
            put_back = [elements[place] for place in of] if of else [node]
            ids.update(int(each["backendNodeId"]) for each in put_back)
        return frozenset(ids)
