import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from miolo import Snapshot
from miolo.features.block_sets import Cut
from miolo.models.blocks.block_index import BlockIndex
from miolo.models.blocks.profiles import Profile, Structure
from miolo.models.blocks.redundancy import RedundancyOptions, classify
from xcex_naive import cosine, vector_cosine, verdicts, weight_content
from xcex_variants import THESIS

DIFFLIB = replace(THESIS, threshold=0.53)
WORDS = ("ferry", "harbour", "storm", "mayor", "museum", "tide")


def block(words: tuple[str, ...], tags: tuple[str, ...], markup: int) -> Profile:
    structure = Structure(tags, (0,) * len(tags), ())
    identity = hash((words, tags, markup)) & (1 << 64) - 1
    return Profile.of(" ".join(words), "", structure, identity)


BLOCKS = st.builds(
    block,
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(tuple),
    st.sampled_from([("p",), ("p", "a"), ("div", "b")]),
    st.integers(0, 1),
)
PAGES = st.lists(st.lists(BLOCKS, max_size=5), min_size=1, max_size=7)
SWITCHES = st.builds(
    RedundancyOptions,
    likeness=st.sampled_from([DIFFLIB, replace(DIFFLIB, importance=0.5)]),
    own_page=st.booleans(),
    identical=st.booleans(),
    share=st.sampled_from([0.15, 0.2, 0.35, 1.0]),
    min_size=st.sampled_from([0, 2]),
)


def ours(pages: list[list[Profile]], options: RedundancyOptions) -> list[list[tuple]]:
    index: dict[Profile, int] = {}
    numbers = [[index.setdefault(b, len(index)) for b in blocks] for blocks in pages]
    page_verdicts = []
    results = classify(numbers, list(index), range(len(pages)), options)
    for blocks, result in zip(numbers, results, strict=True):
        places = np.searchsorted(result.blocks, blocks).tolist()
        page_verdicts.append(
            [
                (int(result.similar[p]), bool(result.identical[p]), bool(result.content[p]))
                for p in places
            ]
        )
    return page_verdicts


@given(PAGES, SWITCHES, st.booleans())
def test_verdicts_match_the_published_loop(pages, options, early_exit):
    similarity = weight_content(options, cosine)
    assert ours(pages, options) == verdicts(pages, similarity, options, early_exit=early_exit)


@given(PAGES)
def test_verdicts_of_content_extractor_match_the_published_loop(pages):
    options = RedundancyOptions.content_extractor()
    # No similarity equals this threshold up to rounding, where both results would be correct.
    options = replace(options, likeness=replace(options.likeness, threshold=0.8931))
    assert ours(pages, options) == verdicts(pages, vector_cosine, options)


def page(number: int, story: str) -> Snapshot:
    html = f"<body><div><p>The Ledger of the harbour</p></div><div><p>{story}</p></div></body>"
    return Snapshot.from_html(html, url=f"https://ledger.example/{number}")


STORIES = ("Ferries sail late", "Mayor opens museum", "Storm closes pier", "Tide breaks record")


def index(cut: Cut | None = None) -> BlockIndex:
    learned = BlockIndex(cut)
    for number, story in enumerate(STORIES):
        learned.add(page(number, story))
    return learned


@pytest.mark.parametrize("cut", [Cut(), Cut(())])
def test_learning_from_a_page_does_not_change_its_judgement(cut):
    with_page, without_page = index(cut), BlockIndex(cut)
    for number, story in enumerate(STORIES[1:], 1):
        without_page.add(page(number, story))
    for each in (with_page, without_page):
        judged = each.judge(page(0, STORIES[0]))
        assert judged.verdicts.pages == 4
        assert judged.verdicts.content[judged.verdict].tolist() == [False, True]


@pytest.mark.parametrize("cut", [Cut(), Cut(()), Cut(("main", "p"), "drop", "innermost")])
def test_an_index_survives_json(cut):
    learned = index(cut)
    again = BlockIndex.from_json(json.loads(json.dumps(learned.to_json())))
    assert again.to_json() == learned.to_json()
    target = page(7, "Ferries sail late again")
    one, other = learned.judge(target).verdicts, again.judge(target).verdicts
    assert one.similar.tolist() == other.similar.tolist()


def test_foreign_json_is_refused():
    saved = index().to_json()
    saved["pages"][0]["blocks"] = [99]
    with pytest.raises(ValueError, match="does not exist"):
        BlockIndex.from_json(saved)
