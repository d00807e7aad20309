"""Nothing that a page does reaches a later page, even one of the same origin.

`test_what_a_page_leaves_reaches_the_next_one_in_a_shared_context` shows that the traces are real.
"""

import asyncio
import base64
import contextlib
import datetime
import hashlib
import socket
import ssl
import threading
from dataclasses import replace
from http.server import ThreadingHTTPServer

import miolo
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from local_server import Handler
from patience import until
from samples import sample

WORDS = "The bakery on the corner has sold the same loaf for sixty years. " * 4

# What a page can leave behind, one script for each kind of state that the browser knows.
TRACES = {
    "cookie": "document.cookie = 'left=1; max-age=3600'",
    "local storage": "localStorage.left = 1",
    "session storage": "sessionStorage.left = 1",
    "window name": "window.name = 'left'",
    "history": "history.pushState(1, '', '#left')",
    "database": "await new Promise((done) => { indexedDB.open('left').onsuccess = done })",
    "cache storage": "await (await caches.open('left')).put('/b', new Response('left'))",
    "file system": "await (await navigator.storage.getDirectory()).getFileHandle('left', "
    "{create: true})",
    "bucket": "await navigator.storageBuckets.open('left', {persisted: true})",
    "shared worker": "new SharedWorker('/worker.js', 'left').port.start()",
    "service worker": "await navigator.serviceWorker.register('/worker.js')",
    "shared storage": "await sharedStorage.set('left', '1')",
    "lock": "navigator.locks.request('left', () => new Promise(() => {}))",
    "channel": "new BroadcastChannel('left').postMessage('left')",
    "credentials": """await new Promise((done) => {
        const request = new XMLHttpRequest();
        request.onloadend = done;
        request.open('GET', '/login', true, 'eve', 'left');
        request.send();
    })""",
    "replaced document": "await fetch('/b', {headers: {'x-own': 'left'}, cache: 'reload'})",
    "beacon": "addEventListener('pagehide', () => navigator.sendBeacon('/late', 'x'))",
    "kept request": "fetch('/late', {method: 'POST', body: 'x', keepalive: true})",
    "later request": "fetchLater('/late', {method: 'POST', body: 'x', activateAfter: 0})",
    "preload": "document.head.innerHTML += '<link rel=prefetch href=/b>'",
    "window": "open('/b', 'left')",
    "partitioned cookie": "document.cookie = 'left=1; secure; partitioned; path=/'",
    "old file system": "await new Promise((done) => webkitRequestFileSystem(0, 1, (system) => "
    "system.root.getFile('left', {create: true}, done)))",
    "permission": "await navigator.storage.persist(); await Notification.requestPermission()",
    "password": "await navigator.credentials.store(new PasswordCredential({id: 'eve', "
    "password: 'left'}))",
    "client hints": "",
    "compression dictionary": "await fetch('/dictionary')",
    "speculation": "document.head.append(Object.assign(document.createElement('script'), {type: "
    """'speculationrules', text: '{"prefetch": [{"source": "list", "urls": ["/b"]}]}'}))""",
}

# Headers with which a page leaves something.
HEADERS = {"client hints": {"accept-ch": "sec-ch-ua-arch, device-memory, ect, rtt"}}


# Traces that do not reach another page of their tab, because Chromium itself ends or refuses them.
ENDED = frozenset(
    ("shared storage", "lock", "channel", "shared worker", "window", "permission", "password")
)

# How often a page is loaded again for traces that come late.
RELOADS = 5

REPORT = """(async () => {
  const own = async (task) => { try { return await task() } catch { return 'none' } };
  const list = async (of) => { const all = []; for await (const each of of) all.push(each[0]);
    return all.join() };
  report.textContent = 'found: ' + (await Promise.all([
    document.cookie, JSON.stringify(localStorage), JSON.stringify(sessionStorage), window.name,
    own(async () => (await indexedDB.databases()).map((each) => each.name).join()),
    own(async () => (await caches.keys()).join()),
    own(async () => list((await navigator.storage.getDirectory()).entries())),
    own(async () => (await navigator.storageBuckets.keys()).join()),
    own(async () => (await navigator.serviceWorker.getRegistrations()).length),
    own(async () => (await navigator.locks.query()).held.length),
    own(() => new Promise((done, fail) => webkitRequestFileSystem(0, 1, (system) =>
      system.root.createReader().readEntries((all) => done(all.length), fail), fail))),
    own(async () => (await navigator.storage.estimate()).usage),
    own(() => navigator.storage.persisted()), Notification.permission,
    own(async () => (await navigator.credentials.get({password: true, mediation: 'silent'})).id),
    history.length])).join('|');
  report.className = 'done';
})()"""


class Site(ThreadingHTTPServer):
    """A page that leaves traces, and another that reports what reaches it."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Talk)
        self.traces: list[str] = []
        self.came: list[tuple[str, int]] = []
        self.ending = threading.Event()
        self.tls: ssl.SSLContext | None = None

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.server_port}{path}"

    def finish_request(self, request, client_address) -> None:
        # A handshake of TLS begins with this byte.
        if self.tls and request.recv(1, socket.MSG_PEEK) == b"\x16":
            with self.tls.wrap_socket(request, server_side=True) as secured:
                super().finish_request(secured, client_address)
        else:
            super().finish_request(request, client_address)

    def handle_error(self, request, client_address) -> None:
        pass


class Talk(Handler):
    server: Site
    protocol_version = "HTTP/1.1"  # connections are kept

    def do_GET(self) -> None:
        self.server.came.append((self.path, self.client_address[1]))
        self.rfile.read(int(self.headers.get("content-length") or 0))
        status, headers, body = 200, {"cache-control": "max-age=600"}, ""
        kind = "text/html"
        if self.path == "/login":
            headers["cache-control"] = "no-store"
            if not self.headers.get("authorization"):
                status, headers["www-authenticate"] = 401, "Basic realm=x"
        elif self.path == "/late":
            self.server.ending.wait(0.1)  # the answer comes when its page is gone
            headers["set-cookie"] = "who=left; path=/; max-age=999"
        elif self.path == "/worker.js":
            kind, body = "text/javascript", "self.name"
        elif self.path == "/dictionary":
            headers["use-as-dictionary"], body = 'match="/*"', WORDS
        elif self.path == "/a":
            for name in self.server.traces:
                headers |= HEADERS.get(name, {})
            script = "\n".join(
                f"try {{ {TRACES[name]} }} catch {{}}" for name in self.server.traces
            )
            body = (
                f"<p id=report>{WORDS}</p><script type=module>{script}\n"
                "report.className = 'done'</script>"
            )
        else:
            sent = [f"{name}={self.headers.get(name)}" for name in SENT]
            body = f"<p>{' '.join(sent)}</p><p id=report></p><script>{REPORT}</script>"
        if isinstance(self.connection, ssl.SSLSocket):
            headers["strict-transport-security"] = "max-age=999"
        with contextlib.suppress(ConnectionError):
            self.send(body, status, {**headers, "Content-Type": kind, "etag": '"1"'})

    do_POST = do_GET


SENT = (
    "cookie", "authorization", "x-own", "if-none-match", "sec-ch-ua-arch", "referer", "rtt",
    "available-dictionary", "sec-purpose",
)  # fmt: skip


@pytest.fixture(scope="module")
def site():
    with Site() as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield running
        running.shutdown()


@pytest.fixture(scope="module", params=["always", "named"])
def render(request, site):
    """Renders a page of the site, in one renderer for all."""
    with asyncio.Runner() as runner:
        renderer = miolo.Renderer(miolo.RenderOptions(egress=miolo.EgressPolicy(request.param)))

        def render(path: str, **more) -> str:
            chosen = replace(renderer.options, **more)
            return visible(runner.run(renderer.render(site.url(path), chosen)))

        yield render
        runner.run(renderer.close())


@pytest.fixture(scope="module")
def untouched(site, render):
    """What the second page reports if it is the only one."""
    report = render("/b", wait_for=".done")
    assert "found: |{}|{}|" in report
    return report


def visible(snapshot: miolo.Snapshot) -> str:
    return " ".join(text for text in snapshot.text if text.startswith(("found", "cookie=")))


@pytest.mark.parametrize("trace", sample(TRACES, 4))
def test_no_kind_of_state_reaches_the_next_page(site, render, untouched, trace):
    site.traces = [trace]
    render("/a")
    assert render("/b", wait_for=".done") == untouched


def test_all_kinds_of_state_together_do_not_reach_the_next_page(site, render, untouched):
    site.traces = list(TRACES)
    render("/a")
    assert render("/b", wait_for=".done") == untouched


def test_no_connection_is_used_by_two_pages(site, render):
    site.traces = []
    site.came.clear()
    render("/a")
    first = {port for _, port in site.came}
    render("/b", wait_for=".done")
    assert ("/b", site.came[-1][1]) in site.came
    assert not first & {port for path, port in site.came if path == "/b"}


@pytest.fixture
def secure_switches(site, tmp_path):
    """Switches by which a name leads to the site, whose certificate for it is trusted."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "site.test")])
    day, today = datetime.timedelta(days=1), datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), 1, today - day, today + day)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("site.test")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem, form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    file = tmp_path / "site.pem"
    private = key.private_bytes(pem, form, serialization.NoEncryption())
    file.write_bytes(private + certificate.public_bytes(pem))
    site.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    site.tls.load_cert_chain(file)
    public = key.public_key().public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    pin = base64.b64encode(hashlib.sha256(public).digest()).decode()
    yield (
        "--host-resolver-rules=MAP site.test 127.0.0.1",
        f"--ignore-certificate-errors-spki-list={pin}",
    )
    site.tls = None


@pytest.mark.parametrize("private", ["always", "named"])
async def test_a_demand_for_https_holds_for_its_page_only(site, secure_switches, private):
    site.traces = []
    options = miolo.RenderOptions(egress=miolo.EgressPolicy(private))
    async with miolo.Renderer(options, switches=secure_switches) as renderer:
        for scheme in ("https", "http"):
            page = await renderer.render(f"{scheme}://site.test:{site.server_port}/b")
            assert page.page.url.startswith(f"{scheme}:")


# The fixture `chromium` has a loop of its own, so these tests are the last ones.
def reports_in(chromium, site):
    """What the second page reports, at first and later, in a tab whose first page left traces."""
    reports = set()
    with chromium.new_context() as context:
        page = context.new_page()
        for path in ("/a", "/b"):
            page.goto(site.url(path))
            page.wait_for_selector(".done")
        for _ in range(RELOADS):  # some traces come late
            reports.add(" ".join(page.locator("p").all_text_contents()))
            page.reload()
            page.wait_for_selector(".done")
    return reports


@pytest.mark.parametrize("trace", sample(sorted(TRACES.keys() - ENDED), 4))
def test_what_a_page_leaves_reaches_the_next_one_in_a_shared_context(site, chromium, trace):
    site.traces = []
    untouched = reports_in(chromium, site)
    site.traces = [trace]
    # Some come too late for a page that has been loaded before, and are tried again.
    until(lambda: reports_in(chromium, site) - untouched)
