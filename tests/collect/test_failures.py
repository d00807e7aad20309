"""Failures of a run: listed with what linked to them, and visited again where an option refused."""

import json
from dataclasses import replace

import pytest
from batches import batch_options, run_batch
from egress_hosts import Hosts, Reply
from miolo import Collection, EgressPolicy
from miolo.cli.collection import print_failures
from miolo.collect.batch.job_store import JobStore
from miolo.collect.batch.jobs import Address

SENTENCE = "The tide comes in twice a day, and the town has built its roads and its trade on it. "


@pytest.fixture(scope="module")
def hosts():
    with Hosts(lambda path: Reply(f"<title>Tides</title><h1>Tides</h1><p>{SENTENCE * 9}")) as hosts:
        yield hosts


def test_refused_pages_are_visited_again_once_their_option_has_changed(hosts, tmp_path):
    url = f"http://127.0.0.1:{hosts.port}/story"
    allowing = batch_options()
    refusing = replace(allowing, render=replace(allowing.render, egress=EgressPolicy("never")))

    def run(options):
        return run_batch(tmp_path, [url], options)

    assert run(refusing).kinds == {"EgressRefusedError": 1}
    assert not hosts.hits()
    (page,) = Collection(tmp_path).failures()
    assert run(refusing).failed == 1
    assert page.tries == next(iter(Collection(tmp_path).failures())).tries
    counts = run(allowing)
    assert (counts.done, counts.failed) == (1, 0)


def test_status_lists_each_failure_with_the_page_that_links_to_it(tmp_path, capsys):
    store = JobStore(tmp_path, ())
    store.add([Address("https://example.org/")])
    store.add([Address("https://example.org/gone", 1, 0, linked_from=1)])
    store._do("UPDATE pages SET state = 'failed', kind = 'NavigationError', error = 'is gone'")
    store.commit()
    store.close()
    print_failures(Collection(tmp_path), "json")
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(row["url"], row["linked_from"]) for row in rows] == [
        ("https://example.org/", None),
        ("https://example.org/gone", "https://example.org/"),
    ]
    print_failures(Collection(tmp_path), "table")
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith("https://example.org/gone\tNavigationError after 0 visits: is gone")
    assert last.endswith("linked from https://example.org/")
