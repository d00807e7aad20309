"""Pages that request permissions, open windows, navigate, write or call interfaces endlessly."""

from .hostile import MARK, STORY, Hostile, document, script

__all__ = ["PAGES"]

LONG = "'x'.repeat(1 << 16)"

REQUESTING = (
    Hostile("dialog-alert", script("for (;;) alert('once more')")),
    Hostile("dialog-confirm", script("setInterval(() => { while (!confirm('yes?')); }, 1)")),
    Hostile("dialog-prompt", script(f"setInterval(() => prompt({LONG}, {LONG}), 1)")),
    Hostile("dialog-beforeunload", script("onbeforeunload = () => 'stay'; setInterval(() =>"
            "{ location.href = '?' + Math.random() }, 20)")),
    Hostile("print-loop", script("onafterprint = () => print(); for (let i = 0; i < 50; i++)"
            "print(); setInterval(() => print(), 5)")),
    Hostile("permissions", script("const ask = () => { navigator.geolocation.getCurrentPosition("
            "ask, ask); Notification.requestPermission(); navigator.mediaDevices &&"
            "navigator.mediaDevices.getUserMedia({audio: true, video: true}).catch(() => 0);"
            "navigator.clipboard && navigator.clipboard.readText().catch(() => 0);"
            "navigator.requestMIDIAccess && navigator.requestMIDIAccess().catch(() => 0);"
            "navigator.storage.persist() }; setInterval(ask, 20)")),
    Hostile("fullscreen-and-pointer", script("setInterval(() => { document.body"
            ".requestFullscreen().catch(() => 0); document.body.requestPointerLock();"
            "moveTo(1e9, 1e9); resizeTo(1, 1); focus(); blur() }, 5)")),
    Hostile("service-worker", script("navigator.serviceWorker && navigator.serviceWorker"
            ".register('/worker.js', {scope: '/'}).catch(() => 0)")),
)  # fmt: skip

OPENING = (
    Hostile("window-storm", script("setInterval(() => { for (let i = 0; i < 20; i++)"
            "open('/ordinary?' + Math.random()) }, 10)")),
    Hostile("window-storm-handles", script("for (let i = 0; i < 200; i++) { const w ="
            "open('about:blank', 'w' + i); w && w.document.write('<script>for(;;){}<\\/script>')}"
            )),
    Hostile("download-storm", script("setInterval(() => { const a = document.createElement('a');"
            f"a.href = URL.createObjectURL(new Blob([{LONG}])); a.download = 'x.exe'; a.click() }},"
            "5)")),
    Hostile("download-header-storm", script("setInterval(() => { const f = document.createElement("
            "'iframe'); f.src = '/download?' + Math.random(); document.body.append(f) }, 20)"),
            errors=("PageTimeoutError",)),
    Hostile("external-schemes", script("setInterval(() => { for (const s of ['mailto:a@b', 'tel:1',"
            "'file:///etc/passwd', 'chrome://crash', 'view-source:x', 'intent:x', 'data:,x',"
            "'javascript:0', 'blob:x']) { try { location.href = s } catch {} try { open(s) } catch"
            "{} } }, 20)"), keeps=False),
)  # fmt: skip

LEAVING = (
    Hostile("leave-location", script("location.href = '?' + Math.random()")),
    Hostile("leave-early", f"<script>location.href = '?' + Math.random()</script>{STORY}"),
    Hostile("leave-reload", script("setInterval(() => location.reload(), 30)")),
    Hostile("leave-push-state", script("setInterval(() => { for (let i = 0; i < 100; i++)"
            "history.pushState({}, '', '?' + Math.random()) }, 1)")),
    Hostile("leave-hash", script("setInterval(() => { for (let i = 0; i < 100; i++)"
            "location.hash = Math.random() }, 1)")),
    Hostile("leave-history", script("setInterval(() => history.go(-1), 5);"
            "setInterval(() => history.forward(), 7)"), errors=("NavigationError",)),
    Hostile("leave-write", script("const s = document.body.innerHTML; setTimeout(function go() {"
            "document.open(); document.write('<body>' + s); document.close();"
            "setTimeout(go, 5) }, 5)"), keeps=False),
    Hostile("leave-form", script("const f = document.createElement('form'); f.method = 'post';"
            "document.body.append(f); setInterval(() => f.submit(), 20)")),
    Hostile("leave-refresh", document(head="<meta http-equiv=refresh content='0'>")),
    Hostile("leave-refresh-thin", "<meta http-equiv=refresh content='0'><p>wait",
            errors=("NavigationError",), keeps=False),
    Hostile("leave-blob", script("location.href = URL.createObjectURL(new Blob(['<p>blob'],"
            "{type: 'text/html'}))"), keeps=False),
    Hostile("wipe", script("setTimeout(() => document.documentElement.remove(), 400)")),
    Hostile("base-tricks", document(head="<base href='javascript:alert(1)'><base href='http://["
            "'><base target=_top href=//>", after="<a href='http://[::'>x</a><a href='//'>y</a>")),
)  # fmt: skip

CALLING = (
    Hostile("console-flood", script(f"const s = {LONG}.repeat(4); setInterval(() => {{"
            "for (let i = 0; i < 200; i++) console.log(s + i, document, window, [s]) }, 1)")),
    Hostile("error-flood", script(f"setInterval(() => {{ for (let i = 0; i < 200; i++)"
            f"Promise.reject(new Error({LONG} + i)) }}, 1)")),
    Hostile("broadcast-storm", script("const a = new BroadcastChannel('x'), b = new "
            f"BroadcastChannel('x'); a.onmessage = b.onmessage = function () {{ this.postMessage("
            f"{LONG}) }}; a.postMessage(1)")),
    Hostile("fetch-storm", script("setInterval(() => { for (let i = 0; i < 20; i++)"
            "fetch('/ordinary?' + Math.random()) }, 5)"), errors=("PageTimeoutError",)),
    Hostile("fetch-stream", script("fetch('/drip-body').then(r => r.text());"
            "fetch('/endless-fast').then(async r => { const d = r.body.getReader(), a = [];"
            "for (;;) a.push((await d.read()).value) })"),
            errors=("BrowserCrashedError", "TooLargeError")),
    Hostile("socket-storm", script("setInterval(() => { new WebSocket('ws://' + location.host);"
            "new EventSource('/drip-body') }, 5)")),
    Hostile("beacon-storm", script(f"setInterval(() => {{ navigator.sendBeacon('/ordinary', {LONG}"
            ") }, 1)")),
    Hostile("cookie-flood", script("for (let i = 0; i < 500; i++)"
            "document.cookie = 'k' + i + '=' + 'x'.repeat(4000)")),
    Hostile("infinite-scroll", script("addEventListener('scroll', () => { for (let i = 0; i < 50;"
            f"i++) document.body.append(Object.assign(document.createElement('p'), {{textContent:"
            f"'{MARK}'}})) }})"), options={"scroll": 1000}),
)  # fmt: skip

PAGES = (*REQUESTING, *OPENING, *LEAVING, *CALLING)
