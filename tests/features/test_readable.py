"""Names of icons, which fonts show as pictures, are no readable text."""

import miolo
import pytest
from miolo.features.readable import readable_texts


@pytest.mark.parametrize(
    ("icon", "is_text"),
    [
        ("<i class=fa aria-hidden=true>anchor_icon</i>", False),
        ("<span class=material aria-hidden=true>home</span>", False),
        ("<b class=i aria-hidden=true> arrow_back </b>", False),
        ("<i aria-hidden=true>home</i>", True),
        ("<span class=name>snake_case</span>", True),
        ("<code><span class=name aria-hidden=true>snake_case</span></code>", True),
        ("<span class=drop aria-hidden=true>K</span>", True),
    ],
)
def test_names_of_icons_are_no_text(icon: str, is_text: bool) -> None:
    page = miolo.Snapshot.from_html(f"<p>Next to the one in use. {icon}</p>")
    assert readable_texts(page)[len(page) - 1] == is_text
