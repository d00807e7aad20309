"""Scripts that never end, or that use all the memory they can get."""

from .hostile import Hostile, document, script

__all__ = ["PAGES"]

LOOP = "while (true) {}"
WORKER = "new Worker(URL.createObjectURL(new Blob([{code!r}])))"
# A page that crashes for lack of memory crashes again when it is retried.
DIES = ("BrowserCrashedError", "PageTimeoutError")

ENDLESS = (
    Hostile("script-inline", script(LOOP), warns="deadline"),
    Hostile("script-in-head", document(head=f"<script>{LOOP}</script>")),
    Hostile("script-timer", script(f"setTimeout(() => {{{LOOP}}}, 200)"), warns="busy"),
    Hostile("script-timers", script("setInterval(() => { const t = Date.now();"
            "while (Date.now() - t < 900); }, 1)")),
    Hostile("script-microtasks", script("const go = () => Promise.resolve().then(go);"
            "setTimeout(go, 200)"), warns="busy"),
    Hostile("script-worker", script("for (let i = 0; i < 4; i++)"
            + WORKER.format(code="for(;;){}"))),
    Hostile("script-animation", script("const go = () => { const t = performance.now();"
            "while (performance.now() - t < 500); requestAnimationFrame(go) };"
            "requestAnimationFrame(go)")),
    Hostile("script-animation-events", document(head="<style>@keyframes k {to {opacity: .9}}"
            "h1 {animation: k 1ms infinite}</style>", after="<script>document.addEventListener("
            f"'animationiteration', () => {{{LOOP}}})</script>")),
    Hostile("script-getter", script("const bad = {toString() {" + LOOP + "}};"
            "Object.defineProperty(document, 'title', {get: () => String(bad)});"
            "Object.defineProperty(HTMLElement.prototype, 'innerText', {get: () => String(bad)});"
            "Object.defineProperty(document, 'body', {get: () => String(bad)})")),
    Hostile("script-mutations", script("const o = new MutationObserver(() => {"
            "document.body.dataset.n = Math.random() });"
            "o.observe(document.body, {attributes: true}); document.body.dataset.n = 0")),
    Hostile("script-resizes", script("const d = document.body.appendChild(document.createElement("
            "'div')); let n = 0; new ResizeObserver(() => {d.style.height = ++n + 'px'})"
            ".observe(d)")),
    Hostile("script-regexp", script("setTimeout(() => /^(a+)+$/.test('a'.repeat(60) + 'b'), 200)"),
            warns="busy"),
    Hostile("script-on-unload", script("addEventListener('beforeunload', e => {e.preventDefault();"
            "e.returnValue = 'no'}); for (const k of ['pagehide', 'unload', 'visibilitychange'])"
            f"addEventListener(k, () => {{{LOOP}}})")),
    Hostile("script-recursion", script("const f = () => { try { f() } finally { f() } };"
            "setTimeout(f, 200)")),
)  # fmt: skip

EATERS = (
    Hostile("memory-arrays", script("const a = []; setTimeout(() => { for (;;)"
            "a.push(new Array(1e6).fill(Math.random())) }, 300)"), errors=DIES),
    Hostile("memory-strings", script("let s = 'x', a = []; setTimeout(() => { for (;;)"
            "a.push((Math.random() + s).repeat(1e6).split('').join('y')) }, 300)"), errors=DIES),
    Hostile("memory-buffers", script("const a = []; setInterval(() => {"
            "const b = new Uint8Array(2 ** 27); b.fill(1); a.push(b) }, 1)"), errors=DIES),
    Hostile("memory-dom", script("const d = document.body.appendChild(document.createElement("
            "'div')); setInterval(() => { const f = document.createDocumentFragment();"
            "for (let i = 0; i < 20000; i++) f.append(document.createElement('b'));"
            "d.append(f) }, 1)"), errors=(*DIES, "TooLargeError")),
    Hostile("memory-text", script("const t = document.body.appendChild(document.createTextNode("
            "'word ')); let i = 0; setInterval(() => { if (i++ < 24) t.data += t.data }, 10)"),
            errors=(*DIES, "TooLargeError")),
    Hostile("memory-worker", script(WORKER.format(code="const a=[];for(;;)a.push(new "
            "Array(1e6).fill(Math.random()))")), errors=DIES),
    Hostile("storage-flood", script("try { for (let i = 0;; i++)"
            "localStorage['k' + i] = 'x'.repeat(1 << 20) } catch {}"
            "const q = indexedDB.open('d'); q.onupgradeneeded = () =>"
            "q.result.createObjectStore('s'); q.onsuccess = () => { let i = 0; setInterval(() =>"
            "q.result.transaction('s', 'readwrite').objectStore('s').put("
            "new Uint8Array(1 << 22), i++), 5) }")),
    Hostile("canvas-giant", document(after="<canvas id=c width=30000 height=30000></canvas><script>"
            "for (let i = 0; i < 40; i++) { const c = document.createElement('canvas');"
            "c.width = c.height = 8192; c.getContext('2d').fillRect(0, 0, 8192, 8192);"
            "document.body.append(c) } document.getElementById('c').getContext('2d')"
            ".fillRect(0, 0, 3e4, 3e4)</script>"), errors=DIES, options={"screenshot": True}),
    Hostile("webgl", script("for (let i = 0; i < 64; i++) { const c = document.createElement("
            "'canvas'); c.width = c.height = 4096; const g = c.getContext('webgl');"
            "document.body.append(c); g && g.clear(g.COLOR_BUFFER_BIT) }"), errors=DIES),
)  # fmt: skip

PAGES = (*ENDLESS, *EATERS)
