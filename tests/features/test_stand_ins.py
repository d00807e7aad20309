"""Pictures and embeds in place of the elements that stand for them."""

from dataclasses import replace

import miolo
import pytest
from hypothesis import given
from hypothesis import strategies as st
from miolo.features.stand_ins import with_stand_ins

PARAGRAPHS = [
    f"Paragraph number {number} tells of the old lighthouse, of the four people who kept its lamp "
    "burning through the winter, and of the ships that found their way home by it."
    for number in range(6)
]
PIXEL = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"


def page_of(*inserted: str) -> str:
    parts = [f"<p>{text}</p>" for text in PARAGRAPHS]
    parts[2:2] = inserted
    return (
        "<html lang=en><head><title>The lighthouse</title></head><body><nav><a href=/>Top</a></nav>"
        f"<article><h1>The lighthouse</h1>{''.join(parts)}</article></body></html>"
    )


def markdown(*inserted: str) -> str:
    snapshot = miolo.Snapshot.from_html(page_of(*inserted), url="https://post.example/a")
    found = miolo.extract_snapshot(snapshot)
    assert all(text in found.text for text in PARAGRAPHS)
    return found.markdown


@pytest.mark.parametrize(
    "element",
    [
        "<amp-img src=/img/real.jpg width=600 height=300></amp-img>",
        "<x-image src='/img/real.jpg'></x-image>",
        "<gallery-photo data-src='/img/real.jpg'></gallery-photo>",
        "<lazy-thing srcset='/img/small.jpg 300w, /img/real.jpg 1200w'></lazy-thing>",
        f"<img src='{PIXEL}' data-full-size='/img/real.jpg' alt='a'>",
        "<img src='/img/tiny.jpg?w=30&blur=9' data-zoom='/img/real.jpg' alt='a'>",
        "<img src='/img/30x20/a.jpg' data-hd='https://post.example/img/real.jpg?x=1' alt='a'>",
        "<div role=img aria-label=a style=\"width:9em;background:url('/img/real.jpg') 0 0\"></div>",
        "<span data-bg=/img/real.jpg></span>",
        f"<figure><img src='{PIXEL}'><noscript><img src='/img/real.jpg'></noscript></figure>",
    ],
)
def test_the_picture_is_the_real_one(element: str) -> None:
    written = markdown(f"<figure>{element}</figure>")
    assert "https://post.example/img/real.jpg" in written
    assert "tiny" not in written
    assert "30x20" not in written


@pytest.mark.parametrize(
    "before", ["", "<noscript><p>Scripts are needed.</p></noscript>", "<script>1</script>"]
)
@pytest.mark.parametrize(
    "picture",
    [
        f"<img class=late src='{PIXEL}' width=600 height=300 alt='The lamp'>",
        "<img class=late src='/img/lamp.jpg?w=20&blur=50' width=600 height=300 alt='The lamp'>",
        "<span class=late style='display:block;width:600px;height:300px'></span>",
        "",
    ],
)
def test_pictures_of_noscript_are_matched_by_their_places(stage, picture: str, before: str) -> None:
    def figure(name: str) -> str:
        return f"<figure>{picture}<noscript><img src=/img/{name}.jpg alt=Lamp></noscript></figure>"

    served = page_of(figure("one"), figure("two")).replace("<body>", f"<body>{before}")
    served = served.replace("</body>", "<noscript><img src=/n height=1 width=1></noscript></body>")
    snapshot = stage.html(served.replace(before or "<!>", ""))
    found = miolo.extract_snapshot(replace(snapshot, served=served)).markdown
    assert found.index("/img/one.jpg") < found.index("/img/two.jpg")
    assert "/img/lamp.jpg" not in found


@pytest.mark.parametrize(
    ("tag", "caption", "hiding"),
    [
        ("li", "figcaption", "display:none"),
        ("div", "p", "visibility:hidden"),
        ("section", "figcaption", "opacity:0"),
        ("div", "p", "display:none"),
    ],
)
def test_hidden_slides_keep_their_pictures_and_captions(stage, tag, caption, hiding) -> None:
    slides = "".join(
        f"<{tag} style='{hiding if number else ''}'><img src=/img/s{number}.jpg width=600>"
        f"<{caption}>The keeper climbs flight number {number}</{caption}></{tag}>"
        for number in range(5)
    )
    snapshot = stage.html(page_of(f"<div class=show>{slides}</div>"))
    found = miolo.extract_snapshot(snapshot)
    for number in range(5):
        assert f"/img/s{number}.jpg" in found.markdown
        assert f"climbs flight number {number}" in found.markdown
    assert found.text == "\n\n".join(PARAGRAPHS)


def test_teasers_are_no_slides(stage) -> None:
    teasers = "".join(
        f"<li style='display:none'><a href=/story-{number}><img src=/img/t{number}.jpg>"
        f"<h3>Another story of the coast {number}</h3></a></li>"
        for number in range(5)
    )
    snapshot = stage.html(page_of(f"<ul>{teasers}</ul>"))
    assert "/img/t" not in miolo.extract_snapshot(snapshot).markdown


@pytest.mark.parametrize(
    ("placeholder", "address"),
    [
        (
            "<div data-embed-url='https://www.tiktok.com/@mill/video/7000001'>{}</div>",
            "tiktok.com/@mill/video/7000001",
        ),
        (
            "<section data-x-target='https://www.youtube.com/embed/abcDEF12345'>{}</section>",
            "youtube.com/watch?v=abcDEF12345",
        ),
        (
            "<div data-html='&lt;iframe src=\"https://player.vimeo.com/video/12345\"&gt;'>{}</div>",
            "vimeo.com/12345",
        ),
        (
            "<div class=fb-post data-href='https://www.facebook.com/mill/posts/42'></div>",
            "facebook.com/mill/posts/42",
        ),
        ("<iframe data-src=https://player.vimeo.com/video/12345></iframe>", "vimeo.com/12345"),
        ("<x-post url='https://x.com/nell/status/159'>{}</x-post>", "x.com/nell/status/159"),
    ],
)
def test_placeholders_are_embeds_without_their_notices(
    stage, placeholder: str, address: str
) -> None:
    notice = "<p>We need your consent. By loading it you accept the terms.</p><button>Load</button>"
    html = page_of(placeholder.format(notice))
    for snapshot in (
        miolo.Snapshot.from_html(html, url="https://a.example/"),
        stage.html(html),
    ):
        found = miolo.extract_snapshot(snapshot)
        assert address in found.markdown
        assert "consent" not in found.text


def test_an_ordinary_page_is_unchanged() -> None:
    html = page_of("<img src=/img/real.jpg alt='A photograph' width=600 height=400>")
    snapshot = miolo.Snapshot.from_html(html, url="https://post.example/a")
    assert with_stand_ins(snapshot) is snapshot


PARTS = st.sampled_from(
    ["<img src=a.png>", "<noscript>", "</noscript>", "<amp-img src=b.jpg>", "</amp-img>", "text",
     "<div data-u='https://vimeo.com/1'>", "</div>", "<ul><li>", "</ul>", "<figcaption>a b c"]
)  # fmt: skip


@given(st.lists(PARTS, max_size=30))
def test_every_page_keeps_its_nodes(parts: list[str]) -> None:
    snapshot = miolo.Snapshot.from_html("".join(parts), url="https://a.example/")
    changed = with_stand_ins(snapshot)
    assert (changed.parent == snapshot.parent).all()
    assert len(changed.text) == len(snapshot)
    assert len(changed.attributes.start) == len(snapshot) + 1
    for node in range(len(snapshot)):
        assert snapshot.attributes.of(node).keys() <= changed.attributes.of(node).keys()
