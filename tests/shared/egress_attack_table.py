"""Every known way for a page, or an address, to reach a private network."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Attack:
    """One attack. Its texts use VICTIM and PUBLIC for hosts with ports, and PORT for their port.

    Attributes
    ----------
    name
        Short description.
    page
        Markup that the public host serves.
    address
        URL that the caller names instead of that page's URL.
    headers, status
        Headers and status of the public host's response.
    blocked
        Whether the whole page is refused. If not, the page is rendered and only the attack fails.
    real
        Whether the victim is reached without a filter; the browser itself refuses some attacks.
    """

    name: str
    page: str = ""
    address: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    status: int = 200
    blocked: bool = False
    real: bool = True


def _address(name: str, address: str, real: bool = True) -> Attack:
    return Attack(name, address=address, blocked=True, real=real)


def _script(name: str, script: str, real: bool = True) -> Attack:
    return Attack(name, page=f"<script>{script}</script>", real=real)


def _page(name: str, page: str) -> Attack:
    """A page that navigates to the victim, so that no page is rendered."""
    return Attack(name, page=page, blocked=True)


def _redirect(name: str, status: int) -> Attack:
    there = (("Location", "http://VICTIM/"),)
    return Attack(name, headers=there, status=status, blocked=True)


NAMED = (
    _address("address itself", "http://VICTIM/"),
    _address("short form", "http://127.1:PORT/"),
    _address("decimal form", "http://2130706433:PORT/"),
    _address("octal form", "http://0177.0.0.01:PORT/"),
    _address("hexadecimal form", "http://0x7f000001:PORT/"),
    _address("hexadecimal parts", "http://0x7f.0x0.0x0.0x1:PORT/"),
    _address("full-width digits", "http://１２７.0.0.1:PORT/"),
    _address("percent-encoded", "http://%31%32%37.0.0.1:PORT/"),
    _address("root's dot", "http://127.0.0.1.:PORT/"),
    _address("unspecified address", "http://0.0.0.0:PORT/"),
    _address("zero", "http://0:PORT/"),
    _address("IPv6 loopback", "http://[::1]:PORT/"),
    _address("IPv6 unspecified", "http://[::]:PORT/"),
    _address("IPv6 mapped", "http://[::ffff:127.0.0.1]:PORT/"),
    _address("IPv6 mapped, in groups", "http://[::ffff:7f00:1]:PORT/"),
    _address("IPv6 compatible", "http://[::127.0.0.1]:PORT/", real=False),
    _address("NAT64", "http://[64:ff9b::7f00:1]:PORT/", real=False),
    _address("6to4", "http://[2002:7f00:1::]:PORT/", real=False),
    _address("link local, metadata", "http://169.254.169.254/", real=False),
    _address("localhost", "http://localhost:PORT/"),
    _address("localhost with a dot", "http://localhost.:PORT/"),
    _address("below localhost", "http://a.localhost:PORT/"),
    _address("name of loopback", "http://private.test:PORT/"),
    _address("name of IPv6 loopback", "http://private6.test:PORT/", real=False),
    _address("name of a mapped address", "http://mapped.test:PORT/", real=False),
    _address("name of a NAT64 address", "http://translated.test:PORT/", real=False),
    _address("user before the host", "http://public.test:PORT@VICTIM/"),
    *(_redirect(f"redirect {status}", status) for status in (301, 302, 303, 307, 308)),
)

LEAVING = (
    _page("meta refresh", '<meta http-equiv=refresh content="0;url=http://VICTIM/">'),
    Attack("refresh header", headers=(("Refresh", "0;url=http://VICTIM/"),), blocked=True),
    _page("script navigation", "<script>location = 'http://VICTIM/'</script>"),
    _page("navigation to a name", "<script>location='http://private.test:PORT/'</script>"),
    _page("navigation to a redirect", "<script>location = '/to-victim'</script>"),
    _page(
        "form post",
        "<form method=post action=http://VICTIM/><input name=a></form>"
        "<script>document.forms[0].submit()</script>",
    ),
    _script("window.open", "window.open('http://VICTIM/')"),
    _script("file: navigation", "location = 'file:///etc/passwd'", real=False),
    _script("view-source: navigation", "location = 'view-source:http://VICTIM/'", real=False),
    _script("chrome: navigation", "location = 'chrome://version'", real=False),
    _script(
        "data: navigation", "location = 'data:text/html,<img src=http://VICTIM/>'", real=False
    ),
    _script(
        "javascript: navigation", "location = 'javascript:void fetch(\"http://VICTIM/\")'"
    ),
    Attack(
        "file: by meta refresh",
        page='<meta http-equiv=refresh content="0;url=file:///etc/passwd">',
        real=False,
    ),
    Attack("file: by redirect", headers=(("Location", "file:///etc/passwd"),), status=302,
           blocked=True, real=False),
    Attack("data: by redirect", headers=(("Location", "data:text/html,<p>SECRET"),), status=302,
           blocked=True, real=False),
)  # fmt: skip

EMBEDDED = (
    Attack("frame", page='<iframe src="http://VICTIM/"></iframe>'),
    Attack("frame by redirect", page='<iframe src="/to-victim"></iframe>'),
    Attack("frame in a frame", page="<iframe srcdoc=\"<iframe src='http://VICTIM/'>\"></iframe>"),
    Attack("frame of a data: page", page="<iframe src='data:text/html,<img src=http://VICTIM/>'>"),
    Attack("file: frame", page='<iframe src="file:///etc/passwd"></iframe>', real=False),
    Attack("chrome: frame", page='<iframe src="chrome://version"></iframe>', real=False),
    Attack(
        "view-source: frame", page='<iframe src="view-source:http://VICTIM/"></iframe>', real=False
    ),
    Attack("object", page='<object data="http://VICTIM/"></object>'),
    Attack("embed", page='<embed src="http://VICTIM/">'),
    Attack("image", page='<img src="http://VICTIM/">'),
    Attack("image by redirect", page='<img src="/to-victim">'),
    Attack("image set", page='<img srcset="http://VICTIM/ 1x">'),
    Attack("image in SVG", page='<svg><image href="http://VICTIM/" /></svg>'),
    Attack("video", page='<video src="http://VICTIM/" poster="http://VICTIM/" autoplay></video>'),
    Attack("style sheet", page='<link rel=stylesheet href="http://VICTIM/">'),
    Attack("style sheet's import", page="<style>@import 'http://VICTIM/';</style>"),
    Attack("style's picture", page="<style>body{background:url(http://VICTIM/)}</style>"),
    Attack(
        "font",
        page="<style>@font-face{font-family:f;src:url(http://VICTIM/)}*{font-family:f}</style>",
    ),
    Attack("script", page='<script src="http://VICTIM/"></script>'),
    Attack("module", page="<script type=module>import 'http://VICTIM/'</script>"),
    Attack("icon", page='<link rel=icon href="http://VICTIM/">', real=False),
    Attack("manifest", page='<link rel=manifest href="http://VICTIM/">', real=False),
    Attack("prefetch", page='<link rel=prefetch href="http://VICTIM/">'),
    Attack("preload", page='<link rel=preload as=image href="http://VICTIM/">'),
    Attack("module preload", page='<link rel=modulepreload href="http://VICTIM/">'),
    Attack("preload header", headers=(("Link", "<http://VICTIM/>; rel=preload; as=image"),)),
    Attack("preconnect", page='<link rel=preconnect href="http://VICTIM/">', real=False),
    Attack("prefetch of a name", page='<link rel=dns-prefetch href="//private.test:PORT/">',
           real=False),
    Attack("prerender", page='<link rel=prerender href="http://VICTIM/">', real=False),
    *(
        Attack(
            f"speculation rules, {kind}",
            page=f'<script type=speculationrules>{{"{kind}":'
            '[{"urls":["http://VICTIM/"],"eagerness":"immediate"}]}</script>',
        )
        for kind in ("prefetch", "prerender")
    ),
    Attack(
        "report of a violation",
        page="<script>eval('1')</script>",
        headers=(("Content-Security-Policy", "script-src 'none'; report-uri http://VICTIM/"),),
    ),
    Attack("other service", headers=(("Alt-Svc", 'h3="VICTIM"'),), real=False),
)  # fmt: skip

WORKER = "new Worker(URL.createObjectURL(new Blob([`%s`])))"
SOCKETS = "iceServers:[{urls:['%s'],username:'a',credential:'b'}]"
CALL = (
    "const c=new RTCPeerConnection({SERVERS});c.createDataChannel('x');"
    "c.createOffer().then(o=>c.setLocalDescription(o))"
)


def _call(url: str) -> str:
    return CALL.replace("SERVERS", SOCKETS % url)


SCRIPTED = (
    _script("fetch", "fetch('http://VICTIM/')"),
    _script("fetch of a name", "fetch('http://private.test:PORT/')"),
    _script("fetch by redirect", "fetch('/to-victim')"),
    _script("fetch kept alive", "fetch('http://VICTIM/',{method:'POST',keepalive:true})"),
    _script("fetch of a file", "fetch('file:///etc/passwd').then(r=>r.text())"
            ".then(t=>document.write(t))", real=False),
    _script("XHR", "x=new XMLHttpRequest;x.open('GET','http://VICTIM/');x.send()"),
    _script("WebSocket", "new WebSocket('ws://VICTIM/')"),
    _script("WebSocket of a name", "new WebSocket('ws://private.test:PORT/')"),
    _script("secure WebSocket", "new WebSocket('wss://VICTIM/')"),
    _script("EventSource", "new EventSource('http://VICTIM/')"),
    _script("beacon", "navigator.sendBeacon('http://VICTIM/','x')"),
    _script("beacon at the end", "addEventListener('pagehide',()=>"
            "navigator.sendBeacon('http://VICTIM/','x'))", real=False),
    _script("ping", "document.write('<a id=a href=#x ping=http://VICTIM/>x</a>');a.click()"),
    _script("worker", WORKER % "fetch('http://VICTIM/')"),
    _script("worker's import", WORKER % "importScripts('http://VICTIM/')"),
    _script("worker's WebSocket", WORKER % "new WebSocket('ws://VICTIM/')"),
    _script("shared worker", "new SharedWorker('/shared.js')"),
    _script("service worker", "navigator.serviceWorker.register('/shared.js')", real=False),
    _script("image object", "new Image().src='http://VICTIM/'"),
    _script("blob: frame", "f=document.createElement('iframe');f.src=URL.createObjectURL("
            "new Blob(['<img src=http://VICTIM/>'],{type:'text/html'}));"
            "document.documentElement.append(f)"),
    _script("WebRTC, STUN", _call("stun:VICTIM"), real=False),
    _script("WebRTC, TURN", _call("turn:VICTIM"), real=False),
    _script("WebRTC, TURN over TCP", _call("turn:VICTIM?transport=tcp")),
    _script("WebRTC, TURN over TLS", _call("turns:VICTIM?transport=tcp")),
    _script("WebTransport", "new WebTransport('https://VICTIM/')", real=False),
    _script("rebinding", "(async()=>{for(let i=0;i<5;i++)"
            "await fetch('http://rebind.test:PORT/echo?'+i).catch(()=>0)})()"),
    _script("name with a private address too", "(async()=>{for(let i=0;i<3;i++)"
            "await fetch('http://mixed.test:PORT/echo?'+i).catch(()=>0)})()"),
    _script("every spelling", "for(const h of ['127.1','2130706433','0x7f.1','[::1]','[::]','0',"
            "'[::ffff:127.0.0.1]','localhost','localhost.','a.localhost','private6.test',"
            "'mapped.test'])new Image().src=`http://${h}:PORT/`"),
)  # fmt: skip

ATTACKS: tuple[Attack, ...] = (*NAMED, *LEAVING, *EMBEDDED, *SCRIPTED)
