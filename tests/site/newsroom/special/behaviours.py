"""Pages that act on their own while they are read."""

from newsroom.layouts import semantic
from newsroom.markup import Slots
from newsroom.web import Handler, Reply, always

from .base import script, special

DIALOGS = """addEventListener("load", () => {
  alert("Welcome to the Ledger! Please take part in our survey.");
  confirm("May we ask you three questions?");
  prompt("What is your favourite section?", "Harbour");
});"""
PERMISSIONS = """navigator.geolocation.getCurrentPosition(() => {}, () => {});
Notification.requestPermission();"""
WORKER = """navigator.serviceWorker.register("/special/service-worker.js",
  { scope: "/special/service-worker" });"""
WORKER_CODE = b"""addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
addEventListener("fetch", (event) => event.respondWith(fetch(event.request)));
"""


def _after(milliseconds: int, action: str) -> Slots:
    return Slots(bottom=script(f"setTimeout(() => {{ {action} }}, {milliseconds});"))


def _elsewhere() -> str:
    links = "<ul><li><a href='/ledger/'>Home</a></li><li><a href='/ledger/town/'>Town</a></li></ul>"
    main = f"{semantic.masthead()}<main class='index'><h1>Thank you</h1>{links}</main>"
    return semantic.document("Thank you", main + semantic.footer())


SPECIALS = (
    special("navigates-away", "semantic", _after(300, 'location.href = "/special/elsewhere";')),
    special("wipes-itself", "semantic", _after(500, "document.body.replaceChildren();")),
    special(
        "empty-with-scripts",
        "semantic",
        Slots(
            after=script('document.querySelector("article").remove();'),
            bottom=script("document.body.replaceChildren();"),
        ),
    ),
    special("alert-on-load", "semantic", Slots(bottom=script(DIALOGS))),
    special("popup", "semantic", Slots(bottom=script('window.open("/ledger/");'))),
    special("permission-prompt", "semantic", Slots(bottom=script(PERMISSIONS))),
    special("service-worker", "semantic", Slots(bottom=script(WORKER))),
)
HELPERS: dict[str, Handler] = {
    "/special/elsewhere": always(_elsewhere()),
    "/special/service-worker.js": lambda request: Reply(WORKER_CODE, kind="text/javascript"),
}
