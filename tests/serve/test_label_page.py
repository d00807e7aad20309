"""The queue of pages to label, used in Chromium with only the keyboard."""

import re
import sqlite3
from contextlib import closing, contextmanager
from urllib.parse import urlencode

import httpx2
import miolo
import pytest
from miolo.collect.labels.store import FILE, LabelStore
from miolo.features.blocks import article_blocks
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
        expect(page.locator("#title")).to_have_text("All pages are labelled")
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


def test_a_page_opens_at_its_first_uncertain_block(chromium, service):
    with open_first(chromium, service, "Una Certain") as page:
        marked = page.locator(".row.uncertain, .row:not(.k-boilerplate, .k-related)")
        expect(page.locator(".row.at")).to_be_visible()
        uncertain = page.locator(".row.uncertain")
        first = uncertain.first if uncertain.count() else marked.first
        expect(first).to_have_class(re.compile(r"\bat\b"))


@pytest.mark.parametrize("size", [(390, 844), (900, 520), (1280, 800)], ids=str)
def test_the_current_block_is_in_view(chromium, service, size):
    with open_first(chromium, service, f"Una Small {size[0]}") as page:
        page.set_viewport_size({"width": size[0], "height": size[1]})
        page.reload()
        for key in ("", "End", "Home"):
            if key:
                page.keyboard.press(key)
            expect(page.locator(".row.at")).to_be_in_viewport()
        height = sum(
            box["height"]
            for box in (page.locator(part).bounding_box() for part in (".bar-top", ".list .facts"))
            if box
        )
        assert height <= size[1] / 3


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


def test_labels_without_a_block_are_shown_when_the_page_has_changed(chromium, tmp_path):
    def save(*texts):
        source = "".join(f"<p>{text}</p>" for text in texts)
        page = miolo.Snapshot.from_html(source, url="https://tides.example/")
        page.save(tmp_path / "a.miolo")

    save("One", "Two", "Three")
    with labelling(tmp_path) as service:
        for changed in (False, True):
            with open_first(chromium, service, "Ada") as page:
                page_number(page)
                if not changed:
                    page.keyboard.press("n")
                    page.keyboard.press("c")
                    wait_until_saved(page)
                    save("New", "Two", "Three")
                    continue
                assert roles_of(page)[1] == "caption"
                page.locator("#unmatched summary").click()
                expect(page.locator("#unmatched li")).to_have_text(["note: One"])


def test_a_share_of_the_pages_is_labelled_without_suggestions(chromium, folder):
    with (
        labelling(folder, "--blind", "1") as service,
        open_first(chromium, service, "Ada") as page,
    ):
        number = page_number(page)
        expect(page.locator("#uncertain")).to_contain_text("without suggestions")
        assert set(roles_of(page)) == {"boilerplate"}
        page.keyboard.press("Enter")
        expect(page.locator("#uncertain")).to_contain_text("No block has a role yet")
        assert page_number(page) == number
        state = stored_state(folder, "Ada", number)
        assert state.blind
        assert not state.done
        page.keyboard.press("Enter")
        expect(page.locator("#uncertain")).not_to_contain_text("No block has a role yet")
        wait_until_saved(page)
        assert stored_state(folder, "Ada", number).done


def test_alt_assigns_a_role_to_the_whole_element_and_a_click_selects(chromium, service, papers):
    with browsing(chromium, service, "/label.html?labeller=Alt") as page:
        number = page_number(page)
        rows = page.locator("#rows [role=option]")
        paragraph = page.locator(".row.k-paragraph").first
        place = int(paragraph.get_attribute("data-row"))
        around = page.evaluate(
            "([page, place]) => fetch(`/label/pages/${page}?labeller=Alt`).then((r) => r.json())"
            ".then((sheet) => sheet.blocks[place].around[0])",
            [number, place],
        )
        page.locator(f".spot[data-row='{place}']").click()
        expect(rows.nth(place)).to_have_attribute("aria-selected", "true")
        expect(page.locator(".spot.chosen")).to_have_count(1)
        page.keyboard.press("Alt+q")
        expect(page.locator(".row.hand")).to_have_count(around[1] - around[0] + 1)
        wait_until_saved(page)
        roles = stored_state(papers, "Alt", number).roles
        assert set(roles[around[0] : around[1] + 1]) == {"quotation"}
        paragraph_row = rows.nth(around[0])
        paragraph_row.click()
        rows.nth(around[0] + 1).click(modifiers=["Shift"])
        expect(page.locator("[aria-selected=true]")).to_have_count(2)
        rows.nth(around[0]).click(modifiers=["Alt"])
        expect(page.locator("[aria-selected=true]")).to_have_count(around[1] - around[0] + 1)
        page.keyboard.press("Alt+ArrowDown")
        expect(page.locator("[aria-selected=true]")).to_have_count(1)
        # Without a keyboard, a menu assigns the role.
        page.get_by_label("Role").select_option("note")
        expect(rows.nth(around[0])).to_have_class(re.compile("k-note"))


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


def test_two_windows_of_a_labeller_lose_nothing(chromium, folder):
    context = chromium.new_context()
    windows = [context.new_page() for _ in range(2)]
    with labelling(folder) as service:
        address, port = service.url, service.url.rpartition(":")[2]
        for window in windows:
            window.goto(f"{address}/label.html?labeller=Ada")
            number = page_number(window)
    # Both act without a service, and are closed before it is there again.
    for window, keys in zip(windows, ("ni", "w"), strict=True):
        for key in keys:
            window.keyboard.press(key)
    windows[1].keyboard.type("a note")
    windows[1].keyboard.press("Enter")
    for window, count in zip(windows, (2, 1), strict=True):
        expect(window.get_by_role("status")).to_contain_text(f"{count} not saved yet")
        window.close()
    with labelling(folder, "--port", port):
        window = context.new_page()
        window.goto(f"{address}/label.html?labeller=Ada")
        page_number(window)
        wait_until_saved(window)
        state = stored_state(folder, "Ada", number)
        assert (state.roles[:2], state.note) == (("note", "side-box"), "a note")
        assert window.evaluate("Object.keys(localStorage)") == ["miolo-labeller"]
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


def test_a_page_that_was_read_ahead_and_taken_is_not_shown(chromium, snapshots, tmp_path):
    folder = save_all(snapshots[:2], tmp_path)
    address = "/label.html?labeller=Ada"
    with (
        labelling(folder, "--overlap", "0") as service,
        browsing(chromium, service, address) as page,
    ):
        first = page_number(page)
        page.wait_for_function(
            "() => performance.getEntriesByType('resource')"
            ".filter(({ name }) => /pages\\/\\d+\\?/.test(name)).length === 2"
        )
        ben = "/label/next?labeller=Ben"
        assert service.get(ben).json()["page"] is None
        with closing(sqlite3.connect(folder / FILE)) as db, db:
            db.execute("UPDATE pages SET held = 0 WHERE id != ?", (first,))
        assert service.get(ben).json()["page"] == 3 - first
        assert not finish_page(page)


def test_unsaved_actions_are_undone_while_the_service_does_not_answer(chromium, service, papers):
    with browsing(chromium, service, "/label.html?labeller=Una") as page:
        number = page_number(page)
        before = roles_of(page)
        page.keyboard.press("i")
        wait_until_saved(page)
        page.context.set_offline(True)
        page.keyboard.press("n")
        page.keyboard.press("Shift+ArrowDown")
        page.keyboard.press("c")
        expect(page.locator(".row.hand")).to_have_count(4)
        page.keyboard.press("u")
        expect(page.locator(".row.hand")).to_have_count(2)
        assert roles_of(page) == ["side-box", "note", *before[2:]]
        page.keyboard.press("u")
        expect(page.locator(".row.hand")).to_have_count(1)
        # The first action is saved, so only the service can undo it.
        page.keyboard.press("u")
        expect(page.get_by_role("alert")).to_contain_text("Cannot undo")
        page.keyboard.press("m")
        page.keyboard.press("ArrowDown")
        expect(page.locator(".row.at")).to_have_attribute("data-row", "3")
        page.context.set_offline(False)
        wait_until_saved(page)
        roles = ["side-box", "comment", *before[2:]]
        assert list(stored_state(papers, "Una", number).roles) == roles_of(page) == roles
        page.keyboard.press("u")
        page.keyboard.press("u")
        expect(page.locator(".row.hand")).to_have_count(0)
        assert roles_of(page) == before


def test_help_opens_at_its_beginning_in_a_narrow_window(chromium, service):
    with browsing(chromium, service, "/label.html?labeller=Nina") as page:
        page.set_viewport_size({"width": 320, "height": 600})
        page_number(page)
        page.keyboard.press("?")
        expect(page.get_by_role("heading", name="Keys")).to_be_in_viewport()
        # The button at the end is the first tab stop.
        page.keyboard.press("Tab")
        expect(page.get_by_role("button", name="Close")).to_be_focused()
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_be_hidden()


def test_a_tall_page_with_a_title_from_right_to_left(chromium, stage, tmp_path):
    hidden = "<p style='opacity:0'>Not painted.</p><div style='height:40000px'></div>"
    source = f"<title>שלום עולם</title><p>At the top.</p>{hidden}<p>At the end.</p>"
    stage.html(source, screenshot=True).save(tmp_path / "tall.miolo")
    address = "/label.html?labeller=Ada"
    with labelling(tmp_path) as service, browsing(chromium, service, address) as page:
        page_number(page)
        expect(page.locator("#title")).to_have_css("direction", "rtl")
        # Blocks below the screenshot are readable, the others are on it.
        expect(page.locator(".spot[data-row='0']")).to_have_text("")
        expect(page.locator(".spot[data-row='2']")).to_have_text("At the end.")
        # Texts that are not painted are listed, and have no box.
        expect(page.locator("#rows .text").nth(1)).to_have_text("Not painted.")
        expect(page.locator(".spot")).to_have_count(2)


def test_texts_in_layers_that_the_picture_hides_have_no_box(chromium, stage, tmp_path):
    layer = "position:fixed; top:0; left:0; width:100%; height:300px; background:#ddd"
    words = "The harbour board met on Thursday to hear what the town thinks of the old horn. "
    source = (
        f"<!doctype html><h1>The horn</h1><p>{words * 9}</p>"
        f"<div style='{layer}'>We value your privacy</div>"
    )
    snapshot = stage.html(source, screenshot=True, hide_overlays=True)
    snapshot.save(tmp_path / "layer.miolo")
    address = "/label.html?labeller=Ada"
    with labelling(tmp_path) as service, browsing(chromium, service, address) as page:
        page_number(page)
        expect(page.locator("#rows .text")).to_have_text(
            ["The horn", re.compile("^The harbour"), "We value your privacy"]
        )
        expect(page.locator(".spot")).to_have_count(2)
        expect(page.locator(".spot[data-row='2']")).to_have_count(0)


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
