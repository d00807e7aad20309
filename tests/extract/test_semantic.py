import numpy as np
import pytest
from miolo import Snapshot
from miolo.extract.methods import semantic as method
from miolo.extract.methods.semantic import semantic
from miolo.models.blocks.semantic import SemanticOptions

STORY = (
    "The ferry to the island sails again. Its captain says the harbour was dredged in spring, "
    "and that the ferry carries forty passengers and their bicycles across the bay each hour."
)
CLOUD = " ".join(f"<a href=/t{i}>topic{i}</a>" for i in range(60))
PAGE = f"""<html lang=en><title>Ferry sails again</title><body>
  <ul id=menu><li><a href=/>Home</a><li><a href=/sport>Sport</a><li><a href=/food>Food</a></ul>
  <h1>Ferry sails again</h1><div id=story><p>{STORY}</p><p>{STORY[:90]}</p></div>
  <ul id=related><li><a href=/1>Ferry captain retires from the harbour</a>
  <li><a href=/2>Island harbour dredged</a></ul>
  <p>All rights reserved by nobody.</p>
  <div id=cloud>{CLOUD}</div>
  <p><a href=/imprint>Imprint</a> <a href=/help>Questions</a></p></body></html>"""


def kept_texts(page: Snapshot, **options) -> list[str]:
    selection = semantic(page, SemanticOptions(**options))
    return [page.text[i] for i in np.flatnonzero(selection.kept & page.is_text)]


def node(page: Snapshot, name: str) -> int:
    return next(node for node, value in page.attributes.with_attribute("id") if value == name)


def test_the_story_and_its_related_links_stay_and_the_rest_goes():
    page = Snapshot.from_html(PAGE)
    text = " ".join(kept_texts(page))
    assert STORY in text
    assert "Ferry captain retires" in text
    assert not any(word in text for word in ("Sport", "topic1", "Imprint"))


def test_reasons_name_the_rule_and_its_figures():
    page = Snapshot.from_html(PAGE)
    selection = semantic(page)
    reasons = {name: selection.reasons[selection.reason[node(page, name)]] for name in
            ("menu", "story", "related", "cloud")}  # fmt: skip
    assert reasons["story"].startswith("main block: ")
    assert reasons["story"].endswith(" feature words")
    assert reasons["menu"] == "similarity 0.000 to the main block < 0.03"
    assert reasons["related"].endswith("to the main block ≥ 0.03")
    assert selection.scores[node(page, "story")] == 1
    assert ((selection.scores >= 0) & (selection.scores <= 1)).all()


@pytest.mark.parametrize("html", ["", "<p></p>", "<img src=a.png>", "<p hidden>no</p>"])
@pytest.mark.parametrize("literal", [False, True])
def test_a_page_without_text_gives_a_warning(html, literal):
    selection = semantic(Snapshot.from_html(html), SemanticOptions(literal=literal))
    assert not selection.kept.any()
    assert [warning.code for warning in selection.warnings] == ["no-content"]


CHINESE = "<p>网页净化算法的目的是除去影响搜索引擎获取网页主题的噪音。</p>"


def test_a_missing_segmenter_is_a_warning(monkeypatch):
    monkeypatch.setattr(method, "segmenter", lambda language: None)
    page = Snapshot.from_html(CHINESE)
    assert [warning.code for warning in semantic(page).warnings] == ["no-segmenter"]
    assert semantic(page, SemanticOptions(dictionary=False)).warnings == ()
    assert semantic(Snapshot.from_html("<p lang=zh>plain words</p>")).warnings == ()


def test_a_wrong_declared_language_does_not_hide_the_right_one():
    pytest.importorskip("rjieba")
    page = Snapshot.from_html(f"<html lang=en>{CHINESE}")
    selection = semantic(page)
    assert selection.warnings == ()
    # Words have several characters, and Chinese stop words are left out.
    (reason,) = (why for why in selection.reasons if why.startswith("main block"))
    assert reason == "main block: 11 feature words"
