"""`miolo label` and `miolo train`, from saved pages to a model in use."""

import json

import miolo
import numpy as np
import pytest
from miolo.evaluate.training.template_model import macro_scores
from miolo.features.record import RECORD_COLUMNS
from miolo.models.templates.sitelevel import SiteLevel
from newsroom import ARTICLES
from playwright.sync_api import expect

parquet = pytest.importorskip("pyarrow.parquet")


@pytest.fixture(scope="module")
def folders(stage, tmp_path_factory):
    """Saved pages of the local site, in one folder for each template."""
    by_name = {}
    for name, pages in ARTICLES.items():
        by_name[name] = tmp_path_factory.mktemp(name)
        for number, page in enumerate(stage.articles(pages[:6])):
            page.save(by_name[name] / f"{number}.miolo")
    return by_name


@pytest.fixture(scope="module")
def labels_folder(succeed, folders, tmp_path_factory):
    """Files that `miolo label` writes; one of the snapshots is damaged."""
    home = tmp_path_factory.mktemp("labels")
    for name, folder in folders.items():
        (folder / "damaged.miolo").write_bytes(b"no snapshot")
        done = succeed("label", str(folder), "-o", str(home / f"{name}.parquet"), "--name", name,
                   "--save-site", str(home / f"{name}.site"))  # fmt: skip
        assert b"damaged.miolo" in done.stderr
        assert b"of 6 pages" in done.stderr
    return home


def test_every_node_is_in_the_file_with_its_label(folders, labels_folder):
    name, folder = next(iter(folders.items()))
    pages = [miolo.Snapshot.load(folder / f"{n}.miolo") for n in range(6)]
    table = parquet.read_table(labels_folder / f"{name}.parquet")
    assert table.num_rows == sum(map(len, pages))
    assert set(RECORD_COLUMNS) <= set(table.column_names)
    assert set(table["site"].to_pylist()) == {name}
    level = SiteLevel()
    for page in pages:
        level.add(page)
    expected = np.concatenate([level.label(page).template for page in pages])
    assert (table["template"].to_numpy() == expected).all()
    assert parquet.ParquetFile(labels_folder / f"{name}.parquet").num_row_groups == len(pages)
    assert len(miolo.Site.load(labels_folder / f"{name}.site").level) == 6


def test_a_trained_model_is_used(succeed, folders, labels_folder, tmp_path):
    files = sorted(map(str, labels_folder.glob("*.parquet")))
    for setting in ("ours", "report"):
        model = tmp_path / f"{setting}.json"
        done = succeed("train", *files, "-o", str(model), "--setting", setting)
        assert all(name in done.stdout.decode() for name in folders)
        provenance = json.loads(model.read_text())["provenance"]
        assert sorted(provenance["sites"]) == sorted(folders)
        assert provenance["pages"] == 6 * len(folders)
        assert "train" in provenance["command"]
    name, folder = next(iter(folders.items()))
    page = str(folder / "0.miolo")
    succeed("extract", page, "--method", "template", "--model", str(tmp_path / "report.json"))
    done = succeed(
        "extract", page, "--method", "sitelevel", "--site", str(labels_folder / f"{name}.site")
    )
    assert ARTICLES[name][0].title in done.stdout.decode()


def test_wrong_input_is_reported(run, folders, labels_folder, tmp_path):
    page = str(next(iter(folders.values())) / "0.miolo")
    (tmp_path / "empty").mkdir()
    (tmp_path / "bad").write_bytes(b"not parquet")
    label = str(next(labels_folder.glob("*.parquet")))
    for words, error in (
        (("label", str(tmp_path / "empty"), "-o", str(tmp_path / "x")), miolo.EmptyInputError),
        (("train", str(tmp_path / "bad"), "-o", str(tmp_path / "x")), miolo.ArchiveError),
        (("extract", page, "--method", "sitelevel"), miolo.MissingSiteError),
        (("extract", page, "--method", "sitelevel", "--site", label), miolo.ArchiveError),
        (("extract", page, "--method", "template", "--model", label), miolo.ArchiveError),
    ):
        done = run(*words)
        assert done.returncode == error.exit_code, done.stderr
        assert len(done.stderr.splitlines()) <= 2
        assert not (tmp_path / "x").exists()


def test_options_that_need_others_say_so(run, folders):
    folder = str(next(iter(folders.values())))
    for words, needed in (("--blind", "0"), b"--review"), (("--labeller", "ada"), b"--import"):
        done = run("label", folder, *words)
        assert (done.returncode, needed in done.stderr) == (2, True), done.stderr


def test_scores_of_both_classes():
    true = np.array([True, True, False, False])
    report = macro_scores([(true, np.array([True, False, False, False])), (true, true)])
    assert report.template.precision == 1
    assert report.template.recall == pytest.approx(0.75)
    assert report.content.f1 == pytest.approx((0.8 + 1) / 2)
    nothing = macro_scores([(np.ones(3, bool), np.ones(3, bool))])
    assert nothing.content.f1 == 1
    with pytest.raises(ValueError, match="no page"):
        macro_scores([])


@pytest.fixture(scope="module")
def site_folder(succeed, folders, tmp_path_factory):
    """A site that `miolo learn` has learned from pages of all templates."""
    home = tmp_path_factory.mktemp("learned")
    for name, folder in folders.items():
        (home / name).symlink_to(folder)
    pile = home / "pile"
    pile.mkdir()
    for name, folder in folders.items():
        for file in sorted(folder.glob("?.miolo"))[:5]:
            (pile / f"{name}-{file.name}").write_bytes(file.read_bytes())
    done = succeed("learn", str(pile), "-o", str(home / "site.json"))
    assert b"15 distinct pages, 3 templates (pages: 5, 5, 5)" in done.stderr
    return home


def test_a_learned_site_reads_pages(succeed, site_folder, folders):
    site = str(site_folder / "site.json")
    for name, folder in folders.items():
        page = str(folder / "5.miolo")
        done = succeed("extract", page, "-m", "rtdm", "--site", site, "-f", "json")
        read = json.loads(done.stdout)
        assert read["title"] == ARTICLES[name][5].title
        assert {"title", "body"} <= {p["name"] for p in read["passages"]} or name != "semantic"


def test_a_page_of_another_site_has_an_exit_code_of_its_own(run, site_folder, tmp_path):
    page = tmp_path / "other.miolo"
    miolo.Snapshot.from_html("<form>Another page</form>").save(page)
    (site_page,) = (site_folder / "pile").glob("semantic-0.miolo")
    site = str(site_folder / "site.json")
    done = run("extract", str(page), str(site_page), "-m", "rtdm", "--site", site)
    assert done.returncode == miolo.PageNotAcceptedError.exit_code
    assert b"other.miolo: none of the site's 6 patterns matches" in done.stderr
    # The other page is extracted nevertheless.
    assert ARTICLES["semantic"][0].title.encode() in done.stdout


def test_drift_counts_further_pages_and_keeps_the_count(succeed, site_folder, folders, tmp_path):
    site = tmp_path / "site.json"
    site.write_bytes((site_folder / "site.json").read_bytes())
    further = tmp_path / "further"
    further.mkdir()
    for name, folder in folders.items():
        (further / f"{name}.miolo").write_bytes((folder / "0.miolo").read_bytes())
    miolo.Snapshot.from_html("<form>Redesigned</form>").save(further / "z.miolo")
    done = succeed("drift", str(further), "--site", str(site))
    assert done.stdout == b"3 of 4 pages match a pattern\n"
    before, after = (miolo.Site.load(path) for path in (site_folder / "site.json", site))
    assert after.recent == (*before.recent, True, True, True, False)


def test_a_learned_site_can_be_inspected(succeed, site_folder, open_report, tmp_path):
    report = tmp_path / "site.html"
    succeed("inspect", str(site_folder / "site.json"), "-o", str(report))
    page = open_report(report.read_text("utf-8"))
    expect(page.locator(".facts")).to_contain_text("15 pages · 3 templates")
    expect(page.locator("h2")).to_have_count(3)
    expect(page.locator("section p").first).to_contain_text("body at html/body/")
    expect(page.locator(".named i").first).to_have_text("body")


def test_the_host_of_a_page_chooses_its_site_file_in_bulk(run, succeed, folders, stage, tmp_path):
    """In batches and crawls, with a method that needs a site."""
    sites = tmp_path / "sites"
    (damaged := folders["semantic"] / "damaged.miolo").write_bytes(b"PK")
    learned = succeed("learn", str(folders["semantic"]), "--sites", str(sites))
    damaged.unlink()
    assert b"1 page without an address" in learned.stderr
    story = ARTICLES["semantic"][5]
    url = stage.url(story.path)
    # Another port of an address is another site.
    assert [*sites.iterdir()] == [miolo.SiteFolder(sites).file_of(url)]
    assert miolo.SiteFolder(sites).file_of("http://127.0.0.1:1/") is None
    words = ("-m", "sitelevel", "--browser", "never", "--allow", "127.0.0.1")
    (tmp_path / "list.txt").write_text(f"{url}\n")
    commands = {
        "batch": ("batch", str(tmp_path / "list.txt")),
        "crawl": ("crawl", url, "--pages", "1", "--no-robots", "--no-listings"),
    }
    for name, command in commands.items():
        out = tmp_path / name
        done = succeed(*command, "-o", str(out), *words, "--sites", str(sites))
        assert b"1 of 1 page read with a learned site" in done.stderr
        (row,) = map(json.loads, (out / "results.jsonl").read_text("utf-8").splitlines())
        assert (row["method"], row["error"]) == ("sitelevel", None)
        assert story.paragraphs[0][:40] in row["text"]
        refused = run(*command, "-o", str(tmp_path / f"{name}-without"), *words)
        assert refused.returncode != 0
        assert b"needs learned sites" in b" ".join(refused.stderr.split())
