"""The queue of pages to label, used in Chromium with only the keyboard."""

import re
from contextlib import contextmanager
from urllib.parse import urlencode

import httpx2
import miolo
import pytest
from miolo.collect.labels.store import LabelStore
from miolo.features.blocks import article_blocks
from miolo.models.article.custom_roles import custom_roles
from miolo.models.article.roles import LETTERS, ROLES
from newsroom import ARTICLES
from payloads import CANARY
from playwright.sync_api import expect
from services import kind, serving_miolo

PAPERS = list(ARTICLES)


@pytest.fixture(scope="module")
def snapshots(stage):
    """Rendered pages of two newspapers, with their screenshots."""
    stories = [*ARTICLES[PAPERS[0]][:3], *ARTICLES[PAPERS[1]][:1]]
    return [stage.render(story.path, screenshot=True) for story in stories]


def save_all(snapshots, folder):
    """A plain folder of snapshots."""
    for number, page in enumerate(snapshots):
        page.save(folder / f"{number}.miolo")
    return folder


@pytest.fixture
def folder(snapshots, tmp_path):
    """A folder of these snapshots for a test with services of its own."""
    return save_all(snapshots, tmp_path)


@pytest.fixture(scope="module")
def papers(snapshots, tmp_path_factory):
    """The folder of the shared service."""
    return save_all(snapshots, tmp_path_factory.mktemp("papers"))


@contextmanager
def labelling(folder, *words):
    words = ("--workers", "1", "--collection", str(folder), "--blind", "0", *words)
    with serving_miolo(*words) as service:
        yield service


@pytest.fixture(scope="module")
def service(papers):
    """A service that offers all pages to every labeller, so tests differ by the labeller's name."""
    with labelling(papers, "--overlap", "1") as running:
        yield running


@contextmanager
def browsing(chromium, service, address):
    """A page of the service; checks that no script failed and no other host was requested."""
    context = chromium.new_context()
    page, errors, requests = context.new_page(), [], []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("request", lambda request: requests.append(request.url))
    page.goto(service.url + address)
    try:
        yield page
        assert errors == []
        assert [u for u in requests if not u.startswith((service.url, "data:", "blob:"))] == []
    finally:
        context.close()


def page_number(page):
    """Wait until a page is shown, go to its first block, and return its number."""
    expect(page.locator("#rows [role=option]").first).to_be_visible()
    page.keyboard.press("Home")
    return int(page.locator("#work").get_attribute("data-page"))


def wait_until_saved(page):
    expect(page.get_by_role("status")).to_have_text("Saved")


def roles_of(page):
    """The roles of the listed blocks, read from their letters."""
    letters = page.locator("#rows kbd").all_text_contents()
    return [ROLES[LETTERS.index(letter)] for letter in letters]


def stored_state(folder, labeller, number):
    with LabelStore(folder) as store:
        return store.state(number, labeller)


def test_keys_are_the_letters_of_label_files(chromium, service):
    with browsing(chromium, service, "/label.html") as page:
        letters = page.evaluate("import('/keys.js').then((keys) => keys.LETTERS)")
    assert letters == {letter.lower(): role for letter, role in zip(LETTERS, ROLES, strict=True)}


def test_pages_can_be_labelled_with_only_the_keyboard(chromium, service, papers, snapshots):
    with browsing(chromium, service, "/label.html") as page:
        page.keyboard.type("Kay")
        page.keyboard.press("Enter")
        first = page_number(page)
        expect(page.get_by_role("listbox", name="Blocks")).to_be_focused()
        content = stored_state(papers, "Kay", first).content
        snapshot = next(each for each in snapshots if each.page.content_hash == content)
        texts = page.locator("#rows .text").all_text_contents()
        assert texts == article_blocks(snapshot).texts
        before = roles_of(page)
        # Assign one role; the focus moves to the next block.
        page.keyboard.press("n")
        # Select a range of three blocks.
        page.keyboard.press("Shift+ArrowDown")
        page.keyboard.press("Shift+ArrowDown")
        page.keyboard.press("i")
        expect(page.locator(".row.hand")).to_have_count(4)
        assert roles_of(page) == ["note", *3 * ["side-box"], *before[4:]]
        page.keyboard.press("1")
        page.keyboard.press("w")
        page.keyboard.type("a board with letters")
        page.keyboard.press("Enter")
        page.keyboard.press("u")  # the note
        page.keyboard.press("u")  # the kind
        page.keyboard.press("u")  # the range
        expect(page.locator(".row.hand")).to_have_count(1)
        page.keyboard.press("Enter")
        expect(page.locator("#work")).not_to_have_attribute("data-page", str(first))
        second = page_number(page)
        wait_until_saved(page)
        expect(page.locator("#progress")).to_contain_text("1 of 4")
        # Undo after Enter opens the page again.
        page.keyboard.press("u")
        expect(page.locator("#work")).to_have_attribute("data-page", str(first))
        assert stored_state(papers, "Kay", first).done is None
        for _ in range(4):
            shown = page.locator("#work").get_attribute("data-page")
            page.keyboard.press("Enter")
            expect(page.locator(f"#work:not([hidden])[data-page='{shown}']")).to_have_count(0)
        expect(page.get_by_role("heading", name="No page is left")).to_be_visible()
        expect(page.locator("#title")).to_have_text("All pages are finished")
        expect(page.locator("#address")).to_have_text("")
        expect(page.get_by_role("button", name="Done, next page")).to_be_disabled()
        wait_until_saved(page)
    with LabelStore(papers) as store:
        pages = [each for each in store.labelled_pages() if each.labeller == "Kay"]
        assert len(pages) == 4
        state = store.state(first, "Kay")
        assert list(state.roles) == ["note", *before[1:]]
        assert [when is not None for when in state.times] == [True, *[False] * (len(before) - 1)]
        assert (state.kind, state.note) == ("", "")
        assert second != first


def open_first(chromium, service, name):
    return browsing(chromium, service, f"/label.html?labeller={name}")


def test_corrections_are_applied_to_further_pages_of_the_template(chromium, tmp_path):
    for n in (1, 2):
        prose = f"The tide of day {n} came in, and it went out again before noon, as always. " * 3
        html = f"<p class=ad>Offer {n}</p><main><h1>Tide {n}</h1><p>{prose}</p></main>"
        page = miolo.Snapshot.from_html(html, url=f"https://tides.example/{n}")
        page.save(tmp_path / f"{n}.miolo")
    with labelling(tmp_path) as running, open_first(chromium, running, "Kay") as page:
        page_number(page)
        page.keyboard.press("g")
        assert finish_page(page)
        page.get_by_role("button", name="Apply 1 label of this template").wait_for()
        second = page_number(page)
        page.keyboard.press("z")
        expect(page.locator(".row.applied")).to_have_count(1)
        expect(page.locator("#uncertain")).to_contain_text("1 applied")
        expect(page.locator("#apply")).to_be_hidden()
        assert stored_state(tmp_path, "Kay", second).roles[0] == "code"
        page.keyboard.press("u")
        expect(page.locator(".row.applied")).to_have_count(0)
        expect(page.locator("#apply")).to_be_visible()
        assert stored_state(tmp_path, "Kay", second).roles[0] != "code"


def test_another_labeller_reviews_the_page_with_custom_roles(chromium, tmp_path):
    prose = "The tide came in, and it went out again before noon, as it always does. " * 3
    html = f"<main><h1>Tide</h1><p>{prose}</p><p>2 cups of salt water</p></main>"
    miolo.Snapshot.from_html(html, url="https://tides.example/1").save(tmp_path / "1.miolo")
    (role,) = custom_roles({"ingredient": {"base": "list-item", "colour": "#c2641a"}})
    with LabelStore(tmp_path, create=True) as store:
        store.use_custom_roles((role,))
    with labelling(tmp_path) as running:
        with open_first(chromium, running, "Ada") as page:
            number = page_number(page)
            page.keyboard.press("End")
            page.keyboard.press("Shift+L")
            expect(page.locator(".row.hand .chip")).to_have_text("⇧Lingredient")
            assert not finish_page(page)
        with open_first(chromium, running, "Ben&review=1") as page:
            assert page_number(page) == number
            expect(page.locator("#uncertain")).to_contain_text("labelled by Ada")
            expect(page.locator(".row.hand")).to_have_count(0)
            assert page.locator("#rows .chip").last.inner_text() == "⇧Lingredient"
            page.keyboard.press("Shift+W")
            page.keyboard.type("too long a title")
            page.keyboard.press("Enter")
            expect(page.locator(".row.commented")).to_have_count(1)
            page.keyboard.press("n")
            expect(page.locator(".row.changed")).to_have_count(1)
            assert not finish_page(page)
            page.keyboard.press("/")
            page.get_by_label("State").select_option("reviewed")
            expect(page.locator("#listed tbody tr")).to_contain_text("changed 1, 1 comment")
    state = stored_state(tmp_path, "Ben", number)
    assert (state.reviews, state.changed, state.names[-1]) == ("Ada", (0,), "ingredient")
    assert state.comments[0] == "too long a title"


def test_pages_are_listed_searched_and_opened_with_keys(chromium, service, snapshots):
    with open_first(chromium, service, "Lis") as page:
        shown = page_number(page)
        page.keyboard.press("1")
        assert finish_page(page)
        page.keyboard.press("/")
        expect(page.locator("#matching")).to_have_text("4 pages")
        expect(page.locator("#listed tbody tr")).to_have_count(4)
        page.get_by_label("State").select_option("done")
        expect(page.locator("#listed tbody tr")).to_have_count(1)
        expect(page.locator("#listed tbody tr")).to_contain_text("done")
        expect(page.locator("#listed tbody td").nth(2)).to_have_text("article")
        page.get_by_label("State").select_option("")
        expect(page.locator("#listed tbody tr")).to_have_count(4)
        page.get_by_label("Search").fill(snapshots[3].page.url.rpartition("/")[2])
        expect(page.locator("#listed tbody tr")).to_have_count(1)
        page.keyboard.press("Escape")
        expect(page.locator("#work")).to_be_visible()
        page.keyboard.press("/")
        page.locator("#listed .found").click()
        expect(page.locator("#work:not([hidden], .waiting)")).to_be_visible()
        expect(page.locator("#address")).to_have_text(snapshots[3].page.url)
        # The keys that the buttons name work while a button has the focus.
        page.get_by_role("button", name="Keys").focus()
        page.keyboard.press("Backspace")
        expect(page.locator("#work")).to_have_attribute("data-page", str(shown))
        # After a reload, the service still knows the previous page.
        page.reload()
        page_number(page)
        page.get_by_role("button", name="Back").click()
        expect(page.locator("#work")).to_have_attribute("data-page", str(shown))
        expect(page.get_by_label("Kind of page")).to_have_value("article")


def test_a_share_of_the_pages_is_labelled_without_suggestions(chromium, folder):
    with (
        labelling(folder, "--blind", "1") as service,
        open_first(chromium, service, "Ada") as page,
    ):
        number = page_number(page)
        expect(page.locator("#uncertain")).to_contain_text("Without suggestions")
        assert set(roles_of(page)) == {"boilerplate"}
        expect(page.locator("#work")).not_to_have_class(re.compile("waiting"))
        page.keyboard.press("Enter")
        expect(page.locator("#uncertain")).to_contain_text("All blocks are boilerplate")
        assert page_number(page) == number
        state = stored_state(folder, "Ada", number)
        assert state.blind
        assert not state.done
        page.keyboard.press("Enter")
        expect(page.locator("#uncertain")).not_to_contain_text("All blocks are boilerplate")
        wait_until_saved(page)
        assert stored_state(folder, "Ada", number).done


def test_the_end_tells_which_pages_are_with_another_labeller(chromium, folder):
    with (
        labelling(folder) as service,
        open_first(chromium, service, "Ada") as other,
        open_first(chromium, service, "Kay") as page,
    ):
        page_number(other)
        page_number(page)
        heading = page.get_by_role("heading", name="No page is left")
        while not heading.is_visible():
            finish_page(page)
        done, pages = progress_of(page)
        assert 0 < done < pages
        expect(page.locator("#held")).to_contain_text(
            re.compile(rf"^{pages - done} page.* another")
        )
        expect(page.locator("#title")).to_have_text("All pages but those reserved are finished")


def test_nothing_is_lost_when_the_service_dies(chromium, folder):
    """Keys pressed while the service is down are saved by the next one at the same address."""
    with labelling(folder) as service:
        address, port = service.url, service.url.rpartition(":")[2]
        context = chromium.new_context()
        page = context.new_page()
        page.goto(f"{address}/label.html?labeller=Ada")
        number = page_number(page)
        page.keyboard.press("n")
        wait_until_saved(page)
    page.keyboard.press("i")
    page.keyboard.press("i")
    expect(page.get_by_role("status")).to_contain_text("2 not saved yet")
    assert stored_state(folder, "Ada", number).roles[0] == "note"
    with labelling(folder, "--port", port):
        wait_until_saved(page)
        assert stored_state(folder, "Ada", number).roles[:3] == ("note", "side-box", "side-box")
        # A reload keeps the labels: the browser stores those that are not saved yet.
        page.reload()
        page_number(page)
        assert roles_of(page)[:3] == ["note", "side-box", "side-box"]
    context.close()


def test_disagreements_of_two_labellers_are_listed(chromium, service):
    for name, key in (("Ada", "n"), ("Ben", "i")):
        with browsing(chromium, service, f"/label.html?labeller={name}") as page:
            for _ in range(2):
                shown = page_number(page)
                page.keyboard.press(key)
                page.keyboard.press("Enter")
                expect(page.locator("#work")).not_to_have_attribute("data-page", str(shown))
            wait_until_saved(page)
    with browsing(chromium, service, "/label.html?labeller=Ada") as page:
        page_number(page)
        page.keyboard.press("v")
        pair = page.get_by_role("heading", name="Ada and Ben", exact=True)
        expect(pair.locator("xpath=following-sibling::p[1]")).to_contain_text(
            "2 pages labelled by both"
        )
        kappas = pair.locator("xpath=following-sibling::table[1]")
        row = kappas.get_by_role("row", name=re.compile("^note"))
        assert float(row.locator("td").nth(1).inner_text()) <= 0
        heading = page.get_by_role("heading", name="Disagreements between Ada and Ben")
        expect(heading).to_be_visible()
        heading.locator("xpath=following-sibling::table[1]").locator(".found").first.click()
        expect(page.locator(".row.at")).to_have_class(re.compile("k-note"))


def test_nothing_of_a_page_or_a_labeller_runs_as_a_script(chromium, tmp_path):
    markup = f"</script><img src=x onerror={CANARY}>"
    shown = markup.replace("<", "&lt;")
    source = f"<title>{shown}</title><h1>{shown}</h1>" + f"<p id='{shown}'>{shown} Words.</p>" * 4
    page = miolo.Snapshot.from_html(source, url=f"https://site.example/?{markup}'\"")
    page.save(tmp_path / "a.miolo")
    names = [f"{name}<img src=x onerror={CANARY}>" for name in ("Ada", "Ben")]
    with labelling(tmp_path, "--overlap", "1") as service:
        # The policy of the page is a second line of defence; the first one holds without it.
        context = chromium.new_context(bypass_csp=True)
        for name, key in zip(names, "ni", strict=True):
            view = context.new_page()
            view.goto(f"{service.url}/label.html?{urlencode({'labeller': name})}")
            page_number(view)
            expect(view.locator("#rows")).to_contain_text(markup)
            view.keyboard.press(key)
            view.keyboard.press("w")
            view.keyboard.type(markup)
            view.keyboard.press("Enter")
            wait_until_saved(view)
            view.keyboard.press("Enter")
            expect(view.get_by_role("heading", name="No page is left")).to_be_visible()
            wait_until_saved(view)
            view.keyboard.press("v")
            assert view.evaluate("window.harmed") is None
        expect(view.locator("#agreement")).to_contain_text(f"Disagreements between {names[0]}")
        expect(view.locator("#agreement .found").first).to_contain_text(markup)
        assert view.evaluate("window.harmed") is None
        assert view.locator("img[onerror]").count() == 0
        context.close()


def progress_of(page):
    """Numbers of finished pages and of all pages, as shown in the header."""
    done, pages = re.findall(r"\d+", page.locator("#progress b").inner_text())
    return int(done), int(pages)


def finish_page(page):
    """Press Enter; returns whether another page is shown."""
    shown = page_number(page)
    page.keyboard.press("Enter")
    expect(
        page.locator(f"#work:not([hidden], .waiting):not([data-page='{shown}'])").or_(
            page.get_by_role("heading", name="No page is left")
        )
    ).to_be_visible()
    wait_until_saved(page)
    done, pages = progress_of(page)
    assert done <= pages
    return page.locator("#work").is_visible()


def test_a_damaged_snapshot_is_skipped(chromium, folder):
    for file in sorted(folder.iterdir())[:3]:
        file.write_bytes(b"PK\x03\x04 no snapshot")
    address = "/label.html?labeller=Ada"
    with labelling(folder) as service, browsing(chromium, service, address) as page:
        number = page_number(page)
        assert stored_state(folder, "Ada", number).file == "3.miolo"


def test_the_service_refuses_invalid_actions(service):
    action = {"key": "a" * 8, "page": 1, "field": "role", "value": "note"}

    def act(labeller="Eve", **change):
        return service.post("/label/actions", labeller=labeller, actions=[{**action, **change}])

    assert kind(act()) == (404, "NotFound")
    assert service.get("/label/pages/1?labeller=Eve").status_code == 200
    assert act().status_code == 200
    for change in (
        {"value": "nothing"},
        {"first": 4, "last": 3},
        {"last": 4999},
        {"field": "kind", "value": "note"},
        {"labeller": " "},
        {"key": "x"},
        {"page": 0},
    ):
        answer = act(**{"key": "b" * 8, **change})
        assert answer.status_code == 422, change
    many = [{**action, "key": f"{n:08}"} for n in range(16)]
    answer = service.post("/label/actions", labeller="Eve", actions=many)
    assert answer.status_code == 200
    foreign = {"Sec-Fetch-Site": "cross-site"}
    whole = {"labeller": "Eve", "actions": [action]}
    refused = httpx2.post(f"{service.url}/label/actions", json=whole, headers=foreign)
    assert refused.status_code == 403
    assert kind(service.get("/label/pages/999?labeller=Eve")) == (404, "NotFound")
