"""How the browser identifies itself."""

import json

import miolo
import pytest
from hypothesis import given
from hypothesis import strategies as st
from local_server import Handler, serving
from miolo.renderer.browser.identity import custom_identity

AGENT = "Mozilla/5.0 ({}) AppleWebKit/537.36 (KHTML, like Gecko) {} Safari/537.36"
HINTS = ("sec-ch-ua", "sec-ch-ua-mobile", "sec-ch-ua-platform")

SHOW = """
async function show(where) {
  const data = navigator.userAgentData;
  const all = await data.getHighEntropyValues(['fullVersionList', 'uaFullVersion']);
  return JSON.stringify({where, agent: navigator.userAgent, version: navigator.appVersion,
    brands: data.brands, mobile: data.mobile, platform: data.platform,
    full: all.fullVersionList, languages: navigator.languages});
}
"""
PAGE = f"""<!doctype html><title>Who</title><p>Who is it?<script>{SHOW}
const add = text => {{
  const line = document.createElement('pre'); line.textContent = text; document.body.append(line);
}};
addEventListener('message', event => add(event.data));
const worker = new Worker('/worker.js');
worker.onmessage = event => add(event.data);
show('page').then(add);
</script><iframe src="http://localhost:PORT/frame"></iframe><img src=/picture>"""
FRAME = f"""<script>{SHOW}
const pass = text => parent.postMessage(text, '*');
show('frame').then(pass);
const worker = new Worker('/worker.js');
worker.onmessage = event => pass(event.data.replace('worker', 'worker of frame'));
</script>"""
WORKER = f"{SHOW} fetch('/data'); show('worker').then(text => postMessage(text));"


class Who(Handler):
    def do_GET(self) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.__dict__["requests"].append((self.path, headers))
        bodies = {"/": PAGE, "/frame": FRAME, "/worker.js": WORKER}
        body = bodies.get(self.path, "x").replace("PORT", str(self.server.__dict__["server_port"]))
        kind = "text/javascript" if self.path.endswith(".js") else "text/html"
        self.send(body, headers={"Content-Type": kind})


@pytest.fixture
def who():
    with serving(Who) as server:
        yield server


def seen(stage, url, switches=(), **options):
    """What scripts see in each place, and the page's own headers and those of a plain request."""
    named = miolo.EgressPolicy("named")
    chosen = miolo.RenderOptions(egress=named, wait_for="pre:nth-of-type(4)", **options)

    async def work() -> miolo.Snapshot:
        async with miolo.Renderer(chosen, switches=switches) as renderer:
            page = await renderer.render(url)
            await renderer.fetch(f"{url}/plain")
            return page

    facts = [json.loads(line) for line in stage.run(work()).text if line.startswith("{")]
    return {each.pop("where"): each for each in facts}


@pytest.mark.parametrize("switches", [(), ("--site-per-process",)])
def test_the_browser_is_that_with_a_window_in_all_frames_workers_and_requests(stage, who, switches):
    url, requests = who
    facts = seen(stage, url, switches, locale="pt-BR")
    assert set(facts) == {"page", "frame", "worker", "worker of frame"}
    page = facts["page"]
    assert all(each == page for each in facts.values())
    assert page["languages"] == ["pt-BR"]
    major = page["agent"].partition("Chrome/")[2].partition(".")[0]
    assert page["agent"].endswith(f" Chrome/{major}.0.0.0 Safari/537.36")
    assert page["version"] == page["agent"].removeprefix("Mozilla/")
    assert {"brand": "Chromium", "version": major} in page["brands"]
    assert len(page["brands"]) == 2
    (full,) = (each["version"] for each in page["full"] if each["brand"] == "Chromium")
    assert full.startswith(f"{major}.")
    assert not full.endswith(".0.0.0")
    agents = {headers["user-agent"] for _, headers in requests}
    assert agents == {page["agent"]}
    assert "Headless" not in json.dumps([facts, requests])
    own, plain = (next(h for path, h in requests if path == at) for at in ("/", "/plain"))
    for name in HINTS:
        assert own[name] == plain[name]


@pytest.mark.parametrize(
    ("agent", "brands", "sent"),
    [
        (
            AGENT.format("Windows NT 10.0; Win64; x64", "Chrome/121.0.0.0"),
            [("Chromium", "121"), ("Not A(Brand", "99")],
            ('"Chromium";v="121", "Not A(Brand";v="99"', "?0", '"Windows"'),
        ),
        ("Reader/1 (+https://reader.example/)", [], (None, None, None)),
    ],
)
def test_the_users_own_agent_has_brands_that_belong_to_it(stage, who, agent, brands, sent):
    url, requests = who
    facts = seen(stage, url, user_agent=agent)
    for each in facts.values():
        assert each["agent"] == agent
        assert [(one["brand"], one["version"]) for one in each["brands"]] == brands
    assert {headers["user-agent"] for _, headers in requests} == {agent}
    for path in ("/", "/plain"):
        headers = next(headers for at, headers in requests if at == path)
        assert tuple(headers.get(name) for name in HINTS) == sent


@given(st.text() | st.from_regex(r"Mozilla/5\.0 \([^()]*\) .* Chrome/\d{1,9}[\d.]* .*"))
def test_any_agent_is_taken_as_it_is(agent):
    assert custom_identity(agent).override["userAgent"] == agent


def test_a_page_sees_the_device_and_the_time_zone(who, stage):
    url, requests = who
    place = miolo.RenderOptions(
        egress=miolo.EgressPolicy("named"), device="Pixel 7", timezone="Asia/Tokyo"
    )
    page = miolo.render_html(
        "<meta name=viewport content='width=device-width'><p>x<script>document.body.append("
        "JSON.stringify([innerWidth, devicePixelRatio, navigator.maxTouchPoints > 0,"
        "navigator.userAgent.includes('Pixel 7'), new Date().getTimezoneOffset()]))</script>",
        options=place,
    )
    assert json.loads(page.text[-1]) == [412, 2.625, True, True, -540]
    assert page.page.viewport == (412, 839)
    # Boxes are in CSS px.
    assert page.box[:, 2].max() == 412
    facts = seen(stage, url, device="Pixel 7")["page"]
    assert facts["mobile"]
    assert facts["platform"] == "Android"
    plain = dict(requests)["/plain"]
    assert (plain["user-agent"], plain["sec-ch-ua-mobile"]) == (facts["agent"], "?1")
    # What is set goes before the device's own.
    assert miolo.RenderOptions(device="Pixel 7", viewport=(300, 400)).window == (300, 400)
    assert miolo.RenderOptions(device="Pixel 7", user_agent="own").agent == "own"
    with pytest.raises(ValueError, match="device: 'Pixel7' is not a device"):
        miolo.RenderOptions(device="Pixel7")
