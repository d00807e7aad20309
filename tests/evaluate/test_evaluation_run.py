"""Runs of systems on pages: failures, peers, and the command."""

import json

import miolo
import pytest
from cases import Spy, case_of
from miolo.cli.app import app
from miolo.cli.evaluation import own_systems
from miolo.evaluate.case import Page
from miolo.evaluate.evaluation_run import run_systems
from miolo.evaluate.systems import PEERS, Answer, OwnMethod, peer_systems
from miolo.models.article.model import shipped_reader
from miolo.models.article.roles import LETTERS, ROLES
from typer.testing import CliRunner

BODY = [
    f"Paragraph number {n} of this story tells, at some length, what happened to the bridge. "
    "It was built by the people of the town, and when the river rose it was not there any more. "
    "Nobody knows who is to pay for the next one, as there is no money left, the mayor said."
    for n in range(6)
]
PAGE = f"""<!doctype html><html lang=en><head><title>The bridge of {{0}}</title></head><body>
<nav><a href=/>Home</a> <a href=/news>News</a> <a href=/sport>Sport</a></nav>
<main><h1>The bridge of {{0}}</h1><p>{{0}}: {"</p><p>".join(BODY)}</p></main>
<footer>All rights are reserved by the paper.</footer></body></html>"""


@pytest.fixture
def case(tmp_path):
    """A page whose source is in a file."""
    source = tmp_path / "one.html"
    source.write_text(PAGE.format("one"))
    return case_of("one", " ".join(BODY), source=source, saved=tmp_path / "one.miolo")


def endless(page):
    while True:
        try:
            pass
        except Exception:  # an extractor that swallows every exception
            continue


def fail(page):
    raise RecursionError("too deep")


@pytest.mark.parametrize(("extract", "why"), [(endless, "0.05 seconds"), (fail, "too deep")])
def test_a_failure_is_reported_and_counts_as_empty(case, extract, why):
    messages = []
    systems = [Spy(extract), OwnMethod("nce", "nce")]
    results = run_systems([case], systems, seconds=0.05, log=messages.append)
    assert results["spy"][0].answer == Answer()
    assert why in (results["spy"][0].error or "")
    assert len(messages) == 1
    assert why in messages[0]
    assert results["nce"][0].error == "the page was not rendered"


def test_methods_receive_sites(case):
    site = miolo.learn_site([miolo.Snapshot.from_html(PAGE.format(n)) for n in range(4)])
    (knowing,) = own_systems(["sitelevel"], lambda of: site, {}, "article")
    text = knowing.prepare(Page(case, miolo.Snapshot.from_html(PAGE.format("one"))))().text
    assert "one" in text
    assert "All rights" not in text


def test_systems_share_no_cached_values_of_a_page(case):
    page = Page(case, miolo.Snapshot.from_html(PAGE.format("one")))
    first = page.snapshot()
    miolo.extract_snapshot(first, "nce")
    assert first.cached_values
    assert not page.snapshot().cached_values


@pytest.mark.parametrize("name", PEERS)
def test_peers_read_a_page(case, name):
    try:
        (peer,) = peer_systems([name], ["raw"])
    except miolo.MissingDependencyError:
        pytest.skip(f"{name} is not installed")
    (result,) = run_systems([case], [peer], log=pytest.fail)[peer.name]
    assert BODY[3] in result.answer.text
    assert "All rights" not in result.answer.text
    assert result.answer.title in (None, "The bridge of one")


def evaluate(*words: str):
    return CliRunner().invoke(app, ["evaluate", *map(str, words)])


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Two pages with their ground truth."""
    folder = tmp_path_factory.mktemp("papers")
    for name in ("one", "two"):
        truth = {"text": f"{name}: " + "\n".join(BODY), "title": f"The bridge of {name}"}
        (folder / f"{name}.html").write_text(PAGE.format(name))
        (folder / f"{name}.json").write_text(json.dumps(truth))
    return folder


def test_single_pages_are_judged_and_rendered_once(pages, tmp_path):
    report = tmp_path / "worst.html"
    words = ("--pages", pages, "--methods", "nce,semantic", "--cache", tmp_path, "-f", "json")
    first = evaluate(*words, "--report", report, "--worst", "1")
    assert first.exception is None
    figures = json.loads(first.stdout)
    assert list(figures["systems"]) == ["nce", "semantic"]
    assert figures["systems"]["nce"]["exact"] == 1.0
    assert figures["systems"]["nce"]["title"] == 1.0
    assert figures["pages"] == 2
    assert "data:image/webp" in report.read_text()
    kept = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.miolo")}
    assert len(kept) == 2
    assert evaluate(*words).exception is None
    assert {path: path.stat().st_mtime_ns for path in kept} == kept


@pytest.fixture(scope="module")
def labels(pages, tmp_path_factory):
    """Role labels of one of the pages."""
    folder = tmp_path_factory.mktemp("labels")
    letters = dict(zip(ROLES, LETTERS, strict=True))
    blocks = [[letters["title"], "The bridge of one"], [letters["paragraph"], f"one: {BODY[0]}"]]
    (folder / f"{pages.name}.jsonl").write_text(json.dumps({"id": "one", "blocks": blocks}))
    return folder


def test_roles_are_those_of_the_learned_method(pages, labels, tmp_path):
    words = ("--pages", pages, "--labels", labels, "--cache", tmp_path, "-f", "json")
    only_nce = evaluate(*words, "--methods", "nce")
    assert only_nce.exception is None
    assert "roles" not in json.loads(only_nce.stdout)
    picture = tmp_path / "roles.svg"
    both = evaluate(*words, "--methods", "nce,auto", "--confusion", picture)
    assert both.exception is None
    assert json.loads(both.stdout)["roles"]["system"] == "auto"
    assert json.loads(both.stdout)["roles"] == json.loads(evaluate(*words).stdout)["roles"]
    assert picture.read_text().startswith("<svg")


@pytest.fixture(scope="module")
def sites(tmp_path_factory):
    """A site of twelve posts."""
    home = tmp_path_factory.mktemp("sites")
    (home / "paper").mkdir()
    paths = [f"{n}.html" for n in range(12)]
    for path in paths:
        (home / "paper" / path).write_text(PAGE.format(f"town {path}"))
    facts = {"paper": {"posts": paths, "body_selector": "main"}}
    (home / "sites.json").write_text(json.dumps(facts))
    return home


def test_sites_are_judged_with_what_is_learned_from_their_other_posts(sites, tmp_path):
    output = tmp_path / "table.txt"
    done = evaluate("--sites", sites, "--posts", "2", "--with-site", "--methods", "sitelevel,nce",
                    "--cache", tmp_path, "-o", output)  # fmt: skip
    assert done.exception is None
    assert len(list((tmp_path / "paper-snapshots").glob("*.miolo"))) == 12
    lines = output.read_text().splitlines()
    assert lines[0] == "pages 2, groups 1"
    assert {line.split()[0] for line in lines[2:]} == {"sitelevel", "nce"}


def test_errors_are_reported_before_anything_is_rendered(pages, sites, labels, tmp_path):
    cache = ("--cache", tmp_path / "cache")
    labelled = ("--pages", pages, "--labels", labels)
    for words, error in {
        ("--pages", pages, "--methods", "no-such"): miolo.UnknownMethodError,
        ("--pages", pages, "--methods", "rtdm"): miolo.MissingSiteError,
        ("--pages", pages, "--methods", "rtdm", "--with-site"): miolo.MissingSiteError,
        ("--sites", sites, "--methods", "rtdm"): miolo.MissingSiteError,
        ("--sites", sites, "--only", "no-such"): miolo.EmptyInputError,
        ("--pages", pages, "--peers", "no-such"): miolo.UnknownMethodError,
        (*labelled, "--methods", "nce", "--confusion", "x.svg"): miolo.UnknownMethodError,
    }.items():
        assert isinstance(evaluate(*words, *cache).exception, error), words
    for words in (
        (),
        ("--pages", pages, "--sites", sites),
        ("--sites", sites, "--only", "a,,b"),
        ("--pages", pages, "--deadline", "inf"),
    ):
        assert evaluate(*words, *cache).exit_code == 2
    with pytest.raises(miolo.EmptyInputError, match="matches the chosen type"):
        raise evaluate("--pages", pages, "--type", "forum", *cache).exception
    assert not (tmp_path / "cache").exists()


def test_a_model_of_one_s_own_is_judged_beside_the_shipped_one(pages, tmp_path):
    shipped_reader().save(tmp_path / "own.npz")
    words = ("--pages", pages, "--cache", tmp_path / "cache", "--model", tmp_path / "own.npz")
    done = evaluate(*words, "-f", "json")
    assert done.exit_code == 0, done.output
    systems = json.loads(done.stdout)["systems"]
    assert list(systems) == ["auto", "auto+own.npz"]
    shipped, own = systems.values()
    assert shipped["f1"] == own["f1"]
    refused = evaluate(*words, "--methods", "nce")
    assert isinstance(refused.exception, miolo.UnknownMethodError)
    assert evaluate(*words, "--folds", 2).exit_code == 2
