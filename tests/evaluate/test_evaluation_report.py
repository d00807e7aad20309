"""The page of the worst cases, opened in a browser."""

import miolo
import pytest
from accessibility import violations
from cases import case_of
from miolo.evaluate.evaluation_run import Result
from miolo.evaluate.summary import JudgedRun, judge
from miolo.evaluate.systems import Answer, OwnMethod
from miolo.evaluate.worst import picture_of, worst_cases, write_worst
from playwright.sync_api import expect

HOSTILE = "</script><script>document.title = 'taken'</script> @@STYLE@@ \ud800 \u2028"
GOOD = "one two three four five six seven eight nine ten eleven twelve"

# The screenshot is taken when the page is rendered, before the browser of the report starts.
PAGE = "<h1>Headline</h1><p>" + "The body of the page, and some more of it. " * 20


@pytest.fixture(scope="module")
def judged_run() -> JudgedRun:
    cases = [
        case_of("good", GOOD, url="https://page.invalid/good"),
        case_of("bad", f"missed words {HOSTILE}", url="javascript:alert(1)", title=HOSTILE),
        case_of("none", "nothing of this was found", date="2024-01-01"),
    ]
    results = {
        "nce": [
            Result(Answer(f"{GOOD} more")),
            Result(Answer(f"words {HOSTILE} too much", HOSTILE)),
            Result(error="no answer after 1 seconds"),
        ],
        "other": [Result(Answer(case.text)) for case in cases],
    }
    return judge(cases, results)


def test_the_worst_cases_come_first(judged_run):
    assert [each.id for each in worst_cases(judged_run, 2)] == ["none", "bad"]
    assert len(worst_cases(judged_run, 99)) == 3


def test_the_report_shows_missing_and_superfluous_text(snapshot, judged_run, open_report):
    shot = picture_of(OwnMethod("nce", "nce"), judged_run.cases[0], snapshot)
    report = write_worst(judged_run, worst_cases(judged_run, 3), {judged_run.cases[0]: shot})
    page = open_report(report)
    expect(page).to_have_title("Worst cases of nce – Miolo")
    none, bad, good = (page.locator("section").nth(place) for place in range(3))
    expect(none).to_contain_text("no answer after 1 seconds")
    expect(none.locator("mark.missed")).to_have_text("nothing of this was found")
    expect(bad.locator("mark.missed").first).to_have_text("missed ")
    expect(bad.locator("mark.extra").last).to_contain_text("too much")
    expect(bad.locator("a")).to_have_count(0)  # its address is not a web address
    expect(good.locator("a")).to_have_attribute("href", "https://page.invalid/good")
    expect(good.locator("img")).to_be_visible()
    assert good.locator("img").evaluate("image => image.naturalWidth") > 300
    dialog = page.get_by_role("dialog")
    expect(dialog).to_be_hidden()
    good.get_by_role("button").click()
    size = "image => [image.naturalWidth, image.naturalHeight, image.width, image.height]"
    expect(dialog).to_be_visible()
    sizes = dialog.locator("img").evaluate(size)
    assert sizes[:2] == sizes[2:]
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    good.locator("summary").click()
    expect(good.locator("tr")).to_have_count(3)
    assert violations(page) == []


def test_no_picture_where_there_is_no_screenshot():
    plain = miolo.Snapshot.from_html(PAGE)
    assert picture_of(OwnMethod("nce", "nce"), case_of(), plain) is None
