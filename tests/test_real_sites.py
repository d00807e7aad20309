"""Methods on real sites with their style sheets, if the data is available."""

import contextlib
import os
from pathlib import Path
from statistics import mean

import miolo
import pytest
from corpus import post_truth, post_url, serve_folder, site_table, unpack
from miolo.extract.methods.registry import BUILT_IN
from miolo.extract.scoring import token_score
from miolo.features.page_tree import page_tree
from miolo.models.wrappers.matching import match_pattern

ROOT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("MIOLO_DATA", ROOT.parent / "shared" / "data"))

SITES = list(site_table(DATA)) if (DATA / "sites.json").exists() else []

pytestmark = pytest.mark.skipif(
    not (DATA / "sites.json").exists(), reason="the real sites are not at hand (MIOLO_DATA)"
)


class Site:
    """A site on loopback, and those of its first posts that have been rendered."""

    def __init__(self, stage, name: str, folder: Path, origin: str) -> None:
        self._stage, self._folder, self._origin = stage, folder, origin
        self._facts = site_table(DATA)[name]
        self._posts: list[tuple[miolo.Snapshot, str]] = []

    def posts(self, count: int) -> list[tuple[miolo.Snapshot, str]]:
        """Snapshots of the first posts, with the texts of their bodies."""
        paths = self._facts["posts"][len(self._posts) : count]
        snapshots = self._stage.render_all([post_url(self._origin, path) for path in paths])
        truths = [post_truth(self._folder, path, self._facts["body_selector"]) for path in paths]
        self._posts += zip(snapshots, truths, strict=True)
        return self._posts[:count]


@pytest.fixture(scope="module")
def pages(stage, tmp_path_factory):
    """A function that returns the first posts of a site; each post is rendered once."""
    sites: dict[str, Site] = {}
    with contextlib.ExitStack() as servers:

        def pages(name: str, count: int) -> list[tuple[miolo.Snapshot, str]]:
            if name not in sites:
                folder = unpack(DATA / "sites" / f"{name}.tar.xz", tmp_path_factory.mktemp("sites"))
                origin = servers.enter_context(serve_folder(folder))
                sites[name] = Site(stage, name, folder, origin)
            return sites[name].posts(count)

        yield pages


def f1(truth: str, article: miolo.Extraction) -> float:
    return token_score(truth, article.text).f1


# A client-rendered site in Chinese, one hidden until scripts have run, and one in English.
@pytest.mark.parametrize("name", ["zhangrxiang", "zhengbomo", "flink"])
def test_bodies_are_found(pages, name):
    scores = [f1(truth, miolo.extract_snapshot(page)) for page, truth in pages(name, 2)]
    assert mean(scores) > 0.9


def test_right_to_left_bodies_are_found(pages):
    """The site's body selector also matches headline, breadcrumbs, menus and sharing links."""
    for page, truth in pages("wechange", 2):
        article = miolo.extract_snapshot(page)
        paragraphs = [block for block in article.blocks if block.role == "paragraph"]
        assert paragraphs
        assert token_score(truth, article.text).precision > 0.97


@pytest.fixture(scope="module")
def openehr(pages):
    """A site learned from ten posts, and two further posts."""
    posts = pages("openehr", 12)
    return miolo.learn_site(page for page, _ in posts[:10]), posts[10:]


# Methods that rely on tags which the site lacks, or that do not extract an article.
OTHERS = ("records", "x-cex", "content-extractor")
FINDERS = ["x-cex:rendered", *(name for name in BUILT_IN if name not in OTHERS)]


@pytest.mark.parametrize("method", FINDERS)
def test_every_method_finds_most_of_an_unseen_article(openehr, method):
    site, posts = openehr
    scores = [f1(truth, miolo.extract_snapshot(page, method, site=site)) for page, truth in posts]
    assert mean(scores) > 0.7


@pytest.mark.parametrize("name", SITES[1::9])
def test_a_pattern_accepts_every_page_it_was_made_from(pages, name):
    page_of = {page.page.url: page for page, _ in pages(name, 4)}
    site = miolo.learn_site(page_of.values())
    assert len(site.alone) + len({url for w in site.wrappers for url in w.urls}) == len(page_of)
    for wrapper in site.wrappers:
        for url in wrapper.urls:
            assert match_pattern(wrapper.pattern, page_tree(page_of[url], wrapper.labels)), url
