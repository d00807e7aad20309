import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from miolo import Snapshot
from miolo.features.block_sets import block_set, rendered_blocks
from miolo.features.readable import readable_texts

ARTICLE = """<body><header>Site</header><main>
  <div id=menu><a href=/>Home</a></div>
  <div id=story>lead <p>one</p><div>inner <p>two</p> tail</div></div>
  <div id=foot>foot</div></main></body>"""


def texts(html: str, tags: str, **options: str) -> list[str]:
    page = Snapshot.from_html(html)
    return block_set(page, tuple(tags.split()), **options).texts(page)


def test_nested_elements_of_one_tag():
    assert texts(ARTICLE, "main div", nested="innermost") == ["Home", "inner two tail", "foot"]
    assert texts(ARTICLE, "main div", nested="all") == [
        "Home",
        "lead one",
        "inner two tail",
        "foot",
    ]


def tree(depth: int) -> st.SearchStrategy[str]:
    text = st.sampled_from(["", "a", "b c"])
    if not depth:
        return text
    element = st.builds(
        "<{0}>{1}</{0}>".format, st.sampled_from(["div", "section", "article"]), tree(depth - 1)
    )
    return st.lists(st.one_of(text, element), max_size=3).map("".join)


def slow_blocks(page: Snapshot, tags: tuple[str, ...], missing: str, nested: str) -> list[int]:
    """GetBlockSet as published, block by block."""
    blocks = [0]
    for tag in tags:
        split = {}
        for block in blocks:
            inside = [
                node
                for node in range(block + 1, int(page.end[block]))
                if page.tag_name(node) == tag
            ]
            if nested == "outermost":
                inside = [n for n in inside if not any(a in inside for a in page.ancestors(n))]
            else:
                inside = [n for n in inside if not any(n in page.ancestors(b) for b in inside)]
            split[block] = inside
        some = any(split.values())
        blocks = [
            part
            for block in blocks
            for part in split[block] or ([] if missing == "drop" and some else [block])
        ]
    return blocks


@given(
    tree(4),
    st.permutations(["div", "section", "article"]),
    st.sampled_from(["keep", "drop"]),
    st.sampled_from(["outermost", "innermost"]),
)
def test_blocks_match_the_published_loop(html, tags, missing, nested):
    page = Snapshot.from_html(f"<body>{html}</body>")
    blocks = block_set(page, tuple(tags), missing=missing, nested=nested)
    assert blocks.roots.tolist() == slow_blocks(page, tuple(tags), missing, nested)


@given(tree(4))
def test_rendered_blocks_hold_every_text_once(html):
    page = Snapshot.from_html(f"<body>{html}</body>")
    blocks = rendered_blocks(page)
    text_nodes = [node for nodes in blocks.nodes() for node in nodes.tolist() if page.is_text[node]]
    written = [n for n in np.flatnonzero(readable_texts(page)).tolist() if page.text[n].strip()]
    assert sorted(set(text_nodes)) == written
    assert len(text_nodes) == len(set(text_nodes))
