"""An updating crawl visits the pages that have changed."""

from __future__ import annotations

import asyncio
from http.server import BaseHTTPRequestHandler

import pytest
from batches import batch_options, serving
from miolo.collect.collections.collection import Collection
from miolo.collect.crawl.run import run_crawl

pytest.importorskip("protego", reason="crawling needs the extra collect")

SENTENCES = 6 * "<p>A sentence that goes on for a while, and then a little longer.</p>"


class Site(BaseHTTPRequestHandler):
    """Serves the pages of `texts`, of which only /a has an ETag; other paths are gone."""

    def do_GET(self) -> None:
        facts, path = self.server.__dict__, self.path
        facts["requests"].append((path, self.headers.get("If-None-Match")))
        text = facts["texts"].get(path)
        etag = f'"{hash(text)}"' if path == "/a" else None
        is_known = etag is not None and self.headers.get("If-None-Match") == etag
        body = f"<h1>Page</h1>{SENTENCES}<p>{text}</p>".encode()
        if path == "/":
            body += b"".join(f'<a href="{each}">x</a>'.encode() for each in facts["texts"])
        status = 404 if text is None else 304 if is_known else 200
        self.send_response(status)
        self.send_header("Content-Type", "text/html")
        if etag:
            self.send_header("ETag", etag)
        self.send_header("Content-Length", "0" if status == 304 else str(len(body)))
        self.end_headers()
        if status != 304:
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


def crawl(folder, url, **more):
    updates = []
    options = batch_options()
    options = batch_options(render=type(options.render)(browser="never"))
    counts = asyncio.run(run_crawl(folder, f"{url}/", options, on_update=updates.append, **more))
    texts = {
        row["requested_url"].removeprefix(url): row["text"] for row in Collection(folder).rows()
    }
    return counts, texts, updates


def test_changed_pages_are_visited_again_and_count_once(tmp_path):
    texts = {"/": "Home.", "/a": "First a.", "/c": "First c.", "/d": "First d."}
    with serving(Site, texts=texts) as (url, requests):
        crawl(tmp_path, url)
        # The pages have no history and no dates yet, so all of them are visited.
        _, _, (first,) = crawl(tmp_path, url, update=True)
        assert (first.checked, first.changed) == (4, 4)
        _, before, (second,) = crawl(tmp_path, url, update=True)
        assert (second.checked, second.changed) == (4, 0)
        texts |= {"/a": "Second a.", "/new": "Brand new."}
        del texts["/d"]
        requests.clear()
        counts, after, (third,) = crawl(tmp_path, url, update=True)
    assert third.changed == 3  # the links of /, the text of /a, and /d, which is gone
    assert ("/a", None) in requests
    assert "First a." in before["/a"]
    assert "Second a." in after["/a"]
    assert "First c." in after["/c"]
    assert "/d" not in after
    assert counts.done == 4
    assert sorted(after) == ["/", "/a", "/c", "/new"]
    assert len(list(Collection(tmp_path).rows())) == 4
