"""The template method, its model files, and its heat map in the report."""

from dataclasses import replace

import miolo
import pytest
from miolo.extract.scoring import token_score
from miolo.models.templates.model import shipped_model
from newsroom import ARTICLES, PAGES


@pytest.fixture(scope="module")
def page(stage):
    return stage.render(next(iter(ARTICLES.values()))[0].path, screenshot=True)


@pytest.mark.parametrize("template", list(ARTICLES))
def test_articles_of_unseen_sites_are_found(stage, template):
    pages = ARTICLES[template][:3]
    for page, snapshot in zip(pages, stage.articles(pages), strict=True):
        article = miolo.extract_snapshot(snapshot, method="template")
        assert article.title == page.title
        assert token_score(page.text, article.text).recall > 0.97
        assert token_score(page.text, article.text).precision > 0.6


@pytest.mark.parametrize("kind", list(PAGES)[:24:4])
def test_scores_are_probabilities_and_no_parent_exceeds_its_children(stage, kind):
    judged = miolo.extract_snapshot(stage.render(kind), method="template").template
    assert judged is not None
    for scores in (judged.raw, judged.smoothed):
        assert ((scores >= 0) & (scores <= 1)).all()
    below = judged.tree.parent >= 0
    above = judged.tree.parent[below]
    assert (judged.smoothed[above] <= judged.smoothed[below]).all()
    assert not (judged.content & judged.template).any()
    # Every descendant of a content node is content.
    assert judged.content[below][judged.content[above]].all()


def test_every_node_has_a_reason_with_its_score(page):
    article = miolo.extract_snapshot(page, method="template")
    reasons = [block.reason for block in article.blocks if block.role != "title"]
    assert all("templateness" in reason for reason in reasons if "painted" not in reason)
    assert any("outside the most likely content region" in reason for reason in reasons)


def test_small_nodes_follow_the_judged_node_above_them(page):
    article = miolo.extract_snapshot(page, method="template")
    assert article.template is not None
    judged = dict(
        zip(article.template.tree.nodes.tolist(), article.template.content.tolist(), strict=True)
    )
    for block in article.blocks:
        above = next(n for n in (block.node, *page.ancestors(block.node)) if n in judged)
        assert judged[above] or not block.kept


def test_a_page_without_layout_has_a_warning():
    html = "<nav><a href=/>Home</a></nav><main>" + "<p>A long story. " * 40
    article = miolo.extract_snapshot(miolo.Snapshot.from_html(html), method="template")
    assert "no-geometry" in [warning.code for warning in article.warnings]
    empty = miolo.extract_snapshot(miolo.Snapshot.from_html(""), method="template")
    assert empty.text == ""
    assert "no-content" in [warning.code for warning in empty.warnings]


def test_a_threshold_decides_by_smoothed_scores(page):
    model = replace(shipped_model(), decision="threshold", c=0.1)
    judged = model.judge(page)
    assert (judged.template == (judged.smoothed >= 0.5)).all()
    article = miolo.extract_snapshot(page, method="template", model=model)
    assert any("smoothed" in block.reason and "≥ 0.5" in block.reason for block in article.blocks)
    unsmoothed = replace(model, c=None).judge(page)
    assert (unsmoothed.raw == unsmoothed.smoothed).all()


def test_the_report_shows_templateness_before_and_after_smoothing(page, tmp_path):
    from miolo.renderer.browser.chromium import find_chromium
    from miolo.workers.system import is_root
    from playwright.sync_api import sync_playwright

    report = tmp_path / "report.html"
    report.write_text(miolo.html_report(page, method="template"), "utf-8")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=find_chromium(playwright.chromium.executable_path).path,
            chromium_sandbox=not is_root(),
        )
        view = browser.new_page()
        view.goto(report.as_uri())
        pictures = [canvas_of(view, choice) for choice in ("role", "heat-scored", "heat-smoothed")]
        colors = view.evaluate("[heatColor(0), heatColor(0.5), heatColor(1)]")
        browser.close()
    assert pictures[0] is None
    assert len(set(pictures)) == 3
    assert colors == ["rgb(0,114,178)", "rgb(247,247,247)", "rgb(213,94,0)"]


def canvas_of(view, choice: str) -> str | None:
    view.locator("#colours").select_option(choice)
    if not view.locator("#heat").is_visible():
        return None
    return view.evaluate("document.getElementById('heat').toDataURL()")
