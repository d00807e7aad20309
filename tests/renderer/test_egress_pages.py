"""Hosts that pages can reach, depending on the policy and on how the pages are rendered."""

import asyncio

import miolo
import pytest
from egress_hosts import POLICY, PUBLIC, Hosts, Reply, Resolver
from miolo.renderer.network.policy import EgressPolicy

WORDS = "A page with a picture."

NAMED = EgressPolicy("named", allowed=(PUBLIC,))


@pytest.fixture(scope="module")
def hosts():
    def reply(path: str) -> Reply | None:
        there = f"http://127.0.0.1:{hosts.port}/"
        if path == "/redirect":
            return Reply("", (("Location", there),), 302)
        if path == "/steal":
            return Reply(
                f"<p>{WORDS}</p><p id=loot></p><script>fetch('{there}').then(r => r.text())"
                ".then(text => { loot.textContent = text })</script>"
            )
        return Reply(f'<p>{WORDS}</p><img src="{there}">')

    hosts = Hosts(reply)
    with hosts:
        yield hosts


@pytest.fixture(scope="module")
def session(hosts):
    """A renderer with the tests' resolver, in an event loop of its own."""
    with asyncio.Runner() as runner:
        renderer = miolo.Renderer(miolo.RenderOptions(egress=POLICY), resolve=Resolver())
        yield runner.run, renderer
        runner.run(renderer.close())


def at(hosts, name: str, path: str = "/") -> str:
    hosts.hits()
    return f"http://{name}.test:{hosts.port}{path}"


def warnings(snapshot) -> list[str]:
    return [warning.message for warning in snapshot.page.warnings if warning.code == "egress"]


@pytest.mark.parametrize("egress", [POLICY, NAMED], ids=["never", "named"])
@pytest.mark.parametrize("name", ["public", "mixed"])
def test_a_public_page_reaches_nothing_private_and_has_one_warning(hosts, session, egress, name):
    run, renderer = session
    snapshot = run(renderer.render(at(hosts, name), miolo.RenderOptions(egress=egress)))
    assert WORDS in snapshot.text
    assert not hosts.hits()
    (message,) = warnings(snapshot)
    assert f"127.0.0.1:{hosts.port}" in message


@pytest.mark.parametrize("name", ["evil", "evil-beside"])
def test_a_page_at_a_mapped_address_reads_nothing_private(hosts, session, name):
    """An attacker's name that has a mapped address is not a private home."""
    run, renderer = session
    url = at(hosts, name, "/steal")
    with pytest.raises(miolo.EgressRefusedError):
        run(renderer.render(url, miolo.RenderOptions(egress=EgressPolicy("named"))))
    assert not hosts.hits()
    # If its address is allowed, the page is rendered and the request of its script is refused.
    snapshot = run(renderer.render(url, miolo.RenderOptions(egress=NAMED)))
    assert WORDS in snapshot.text
    assert "SECRET" not in "".join(snapshot.text)
    assert warnings(snapshot)
    assert not hosts.hits()


def test_a_private_page_is_refused_by_default(hosts):
    url = at(hosts, "private").replace("private.test", "127.0.0.1")
    with pytest.raises(miolo.EgressRefusedError, match=r"is not a public address$"):
        miolo.extract_url(url)
    assert not hosts.hits()
    options = miolo.RenderOptions(egress=miolo.EgressPolicy("named"))
    assert "SECRET" in "".join(miolo.render_url(url, options).text)


def test_given_html_with_a_public_address_reaches_nothing_private(hosts, session):
    run, renderer = session
    home = at(hosts, "public")
    source = f'<p>{WORDS}</p><img src="http://private.test:{hosts.port}/">'
    options = miolo.RenderOptions(egress=NAMED, fetch=True)
    assert warnings(run(renderer.render_html(source, url=home, options=options)))
    assert not hosts.hits()


@pytest.mark.parametrize("egress", [POLICY, NAMED], ids=["never", "named"])
def test_recording_and_plain_requests_are_refused_too(hosts, session, egress):
    run, renderer = session
    url = at(hosts, "public", "/redirect")
    options = miolo.RenderOptions(egress=egress)
    with pytest.raises(miolo.NavigationError) as caught:
        run(renderer.render(url, options, into=[]))
    assert (type(caught.value).__name__, caught.value.cause) == (
        "EgressRefusedError",
        "EGRESS_REFUSED",
    )
    with pytest.raises(miolo.NavigationError) as caught:
        run(renderer.fetch(url))
    assert caught.value.cause == "EGRESS_REFUSED"
    assert not hosts.hits()


@pytest.mark.parametrize(
    ("name", "cause"),
    [("gone", "ERR_NAME_NOT_RESOLVED"), ("private", "EGRESS_REFUSED"),
     ("public", "ERR_CONNECTION_REFUSED")],
)  # fmt: skip
def test_the_true_cause_is_reported(session, name, cause):
    run, renderer = session
    for work in (renderer.render, renderer.fetch):
        with pytest.raises(miolo.NavigationError) as caught:
            run(work(f"http://{name}.test:8/"))
        assert caught.value.cause == cause
        assert caught.value.unreachable == (name != "private")
        assert "\n" not in str(caught.value)


def test_a_user_proxy_is_not_trusted_unless_it_is_allowed(hosts, session):
    run, renderer = session
    proxy = f"http://{PUBLIC}:{hosts.port}"
    url = "http://nowhere.invalid/"
    with pytest.raises(miolo.NavigationError, match="must be allowed by name"):
        run(renderer.render(url, miolo.RenderOptions(egress=EgressPolicy("never"), proxy=proxy)))
    for egress in (EgressPolicy("never", (f"{PUBLIC}:{hosts.port}",)), EgressPolicy("named")):
        page = renderer.render(url, miolo.RenderOptions(egress=egress, proxy=proxy))
        assert WORDS in run(page).text


def test_a_file_reaches_no_network(hosts, session, tmp_path):
    run, renderer = session
    (tmp_path / "page.html").write_text(
        f'<p>{WORDS}</p><img src="{at(hosts, "private")}"><img src="{at(hosts, "public")}">'
    )
    before = len(hosts.requests)
    for private in ("never", "named", "always"):
        options = miolo.RenderOptions(egress=EgressPolicy(private, (PUBLIC,)))
        assert WORDS in run(renderer.render_file(tmp_path / "page.html", options)).text
    assert not hosts.hits()
    assert len(hosts.requests) == before


def test_no_task_proxy_or_context_of_a_page_is_left(hosts, session):
    run, renderer = session

    async def scenario():
        before = asyncio.all_tasks()
        pages = (renderer.render(at(hosts, name)) for name in ("public", "private", "gone"))
        await asyncio.gather(*pages, return_exceptions=True)
        engine = await renderer._ready_engine()
        left = [task for task in asyncio.all_tasks() - before if "miolo" in repr(task)]
        return left, renderer._network.own_ports, engine.contexts

    assert run(scenario()) == ([], set(), {})
