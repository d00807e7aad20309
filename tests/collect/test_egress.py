"""Egress policies of batches, crawls and the command line."""

import asyncio
from dataclasses import replace
from ipaddress import ip_address

import miolo
import pytest
from batches import RENDERED, batch_options, run_batch
from egress_hosts import PUBLIC, Hosts, Reply
from miolo.collect.crawl.run_crawl import run_crawl
from miolo.extract.pagination import follow_pages
from miolo.renderer.network.policy import EgressPolicy

RULES = ("--host-resolver-rules=MAP public.test 127.0.0.2, MAP private.test 127.0.0.1, "
         "MAP * ~NOTFOUND, EXCLUDE 127.0.0.*",)  # fmt: skip


@pytest.fixture(scope="module")
def hosts():
    def reply(path: str) -> Reply:
        linked = f"http://private.test:{hosts.port}/", f"http://127.0.0.1:{hosts.port}/a"
        links = "".join(f'<a href="{url}">a</a>' for url in (*linked, "/next"))
        return Reply(f"<title>A page</title><p>A page of some words. {links}</p>")

    hosts = Hosts(reply)
    with hosts:
        yield hosts


def options(egress: EgressPolicy, **changes):
    chosen = batch_options(render=RENDERED, switches=RULES, **changes)
    return replace(chosen, render=replace(chosen.render, egress=egress))


def test_pages_of_a_list_cannot_reach_private_addresses(hosts, tmp_path):
    names = ("public.test", "private.test", "127.0.0.1", "[::1]", "127.1")
    urls = [f"http://{name}:{hosts.port}/" for name in names]
    chosen = options(EgressPolicy("named", (PUBLIC,)))
    counts = run_batch(tmp_path, urls, chosen)
    assert (counts.done, counts.failed) == (1, 4)
    assert not hosts.hits()
    assert set(counts.kinds) == {"EgressRefusedError"}


def test_a_crawl_reaches_private_addresses_only_from_a_private_start(hosts, tmp_path):
    chosen, granted = options(EgressPolicy("named", (PUBLIC,))), []

    def crawl(name: str, pages: int):
        start, more = f"http://{name}:{hosts.port}/", {"pages": pages, "listings": False}
        more["on_grant"] = lambda *home: granted.append(home)
        return asyncio.run(run_crawl(tmp_path / name, start, chosen, **more))

    assert crawl("public.test", 2).done
    assert not hosts.hits()
    assert crawl("private.test", 1).done
    assert hosts.hits()
    assert granted == [("private.test", (ip_address("127.0.0.1"),))]


def test_a_crawl_whose_robots_txt_is_refused_says_that_its_pages_are(hosts, tmp_path):
    url = f"http://private.test:{hosts.port}/"
    counts = asyncio.run(run_crawl(tmp_path, url, options(EgressPolicy("never")), pages=2))
    assert counts.kinds == {"EgressRefusedError": 1}


def test_a_proxy_that_is_not_allowed_is_an_error_before_the_run_starts(tmp_path):
    render = miolo.RenderOptions(proxy="http://127.0.0.1:3128")
    chosen = replace(batch_options(), render=render)
    for start in (
        lambda: run_batch(tmp_path / "new", ["http://public.test/"], chosen),
        lambda: asyncio.run(run_crawl(tmp_path / "new", "http://public.test/", chosen)),
    ):
        with pytest.raises(miolo.NavigationError, match="would decide which addresses are reached"):
            start()
    assert not (tmp_path / "new").exists()


def test_links_are_not_followed_to_private_pages():
    seen = []

    class Shelf:
        async def render(self, url, options=None):
            seen.append(options.egress)
            raise miolo.NavigationError("as if it were not there", url=url)

    first = miolo.render_html(
        "<title>A story</title><article><h1>A story</h1>"
        + "<p>Some words of a story that goes on and on for the reader.</p>" * 30
        + '</article><a rel=next href="/story?page=2">Next page</a>',
        url="https://news.example/story",
    )
    asyncio.run(follow_pages(Shelf(), first, lambda page: miolo.extract_snapshot(page, "nce")))
    assert seen == [EgressPolicy("never")]


def test_the_command_line_needs_private_addresses_to_be_allowed_by_name(
    run, succeed, hosts, tmp_path
):
    url = f"http://127.0.0.1:{hosts.port}/"
    (tmp_path / "list").write_text(url)
    hosts.hits()
    batch = ("batch", str(tmp_path / "list"), "-m", "nce", "--browser", "never", "-o")
    refused = run(*batch, str(tmp_path / "a"))
    assert refused.returncode == 1
    assert b"1 failed with EgressRefusedError, first: " + url.encode() in refused.stderr
    assert b"is not a public address (use --allow HOST" in refused.stderr
    assert b"--retry-failed" not in refused.stderr
    assert not hosts.hits()
    succeed(*batch, str(tmp_path / "a"), "--allow-private")
    assert hosts.hits()
    succeed(*batch, str(tmp_path / "b"), "--allow", url[7:-1])
    assert hosts.hits()
    assert b"By default, no private address." in b" ".join(run("batch", "--help").stdout.split())
    wrong = run("extract", url, "--allow", "http://a/")
    assert wrong.returncode == 2
    assert b"is not a host" in wrong.stderr


@pytest.mark.parametrize("command", ["extract", "render", "record", "inspect", "compare", "crawl"])
def test_the_command_line_reports_the_private_addresses_that_it_grants(
    succeed, hosts, tmp_path, command
):
    url, plain = f"http://localhost:{hosts.port}/", ("--browser", "never")
    rest = {
        "extract": ("-m", "nce", *plain, url),
        "compare": (*plain, url),
        "record": ("-o", str(tmp_path / "out"), "--record", str(tmp_path / "out.har")),
        "crawl": ("-o", str(tmp_path / "c"), "--pages", "1", "-m", "nce", "--no-listings", *plain),
    }.get(command, ("-o", str(tmp_path / "out")))
    done = succeed("render" if command == "record" else command, url, *rest)
    note = b"localhost has only private addresses (127.0.0.1, ::1), so its page may reach"
    assert done.stderr.count(note) == (2 if command in ("extract", "compare") else 1)
    assert b"--no-private" in done.stderr


def test_the_command_line_refuses_private_addresses_on_request(run, hosts):
    url = f"http://127.0.0.1:{hosts.port}/"
    hosts.hits()
    refused = run("extract", url, "--no-private")
    assert refused.returncode == miolo.EgressRefusedError.exit_code
    assert b"--allow-private" in refused.stderr
    assert b"may reach" not in refused.stderr
    assert not hosts.hits()
    # Nothing is granted where everything is allowed.
    assert b"may reach" not in run("extract", url, "-m", "nce", "--allow-private").stderr


def test_the_command_line_grants_nothing_to_a_mapped_address(run, hosts):
    hosts.hits()
    refused = run("extract", f"http://[::ffff:127.0.0.1]:{hosts.port}/")
    assert refused.returncode == miolo.EgressRefusedError.exit_code
    assert b"may reach" not in refused.stderr
    assert not hosts.hits()
