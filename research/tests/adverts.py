"""Ordinary stories among linked pictures, some of which are advertisements.

The attribute `data-label` declares what a picture is; a reader sees everything else.
"""

from collections.abc import Iterator
from random import Random

from newsroom.layouts import LAYOUTS
from newsroom.markup import Slots, esc, join
from newsroom.paper import PAPERS, Paper
from newsroom.pictures import picture_url, thumb_url
from newsroom.routes import HANDLERS
from newsroom.story import Story
from newsroom.web import Handler, Reply, Request, page

LABEL = "data-label"
AD, OTHER = "advertisement", "other"

#: The number of stories of each newspaper that are printed again with advertisements.
STORIES = 4

BRANDS = {
    "tideway-motors": ("Tideway Motors", "Test drive today", "#123c69", "#f2b705"),
    "kettle-and-crane": ("Kettle & Crane", "Summer sale: 40 % off", "#7a1f3d", "#ffffff"),
    "farrow-bank": ("Farrow Bank", "Open an account in minutes", "#0f5132", "#d9f2e3"),
    "wexcombe-ferries": ("Wexcombe Ferries", "Book now, sail on Friday", "#20639b", "#ffffff"),
    "northlight-phones": ("Northlight", "Unlimited calls for 9.90", "#3d1f6b", "#ffd98a"),
}
#: Sizes of the Interactive Advertising Bureau: leaderboard, rectangle, skyscraper, button.
LEADERBOARD, RECTANGLE, SKYSCRAPER, BUTTON = (728, 90), (300, 250), (160, 600), (125, 125)


def banner(brand: str, width: int, height: int) -> bytes:
    """An advertisement as SVG."""
    name, slogan, ground, ink = BRANDS[brand]
    size = max(10, min(height // 4, width // 9))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}">'
        f'<rect width="{width}" height="{height}" fill="{ground}"/>'
        f'<g fill="{ink}" font-family="Arial" text-anchor="middle">'
        f'<text x="{width // 2}" y="{height // 2 - 2}" font-size="{size}">{esc(name)}</text>'
        f'<text x="{width // 2}" y="{height // 2 + size}" font-size="{size * 2 // 3}">'
        f"{esc(slogan)}</text></g></svg>"
    ).encode()


def _link(
    url: str, picture: str, size: tuple[int, int], alt: str, label: str, below: str = ""
) -> str:
    width, height = size
    return (
        f'<a href="{esc(url)}"><img {LABEL}="{label}" src="{esc(picture)}" width="{width}"'
        f' height="{height}" alt="{esc(alt)}">{below}</a>'
    )


def _advert(request: Request, chance: Random, size: tuple[int, int]) -> str:
    """A picture of an advertising network; picture and link are on another host."""
    brand = chance.choice(list(BRANDS))
    name, slogan = BRANDS[brand][:2]
    far, width, height = request.other_origin, *size
    picture = f"{far}/delivery/{brand}-{width}x{height}.svg?cb={chance.randint(10**6, 10**7)}"
    query = f"zone={chance.randint(10, 99)}&campaign={brand}&utm_medium=banner"
    alt = chance.choice((slogan, f"{name}: {slogan}", "Advertisement", "Click here", ""))
    return _link(f"{far}/click?{query}", picture, size, alt, AD)


def _house_advert(paper: Paper) -> str:
    """The newspaper's advertisement for itself, recognisable only by its words."""
    picture = "/delivery/farrow-bank-300x250.svg"
    url = f"{paper.home}subscribe?source=banner"
    return _link(url, picture, RECTANGLE, "Subscribe now: one month free", AD)


def _teaser(paper: Paper, story: Story, size: tuple[int, int]) -> str:
    picture = picture_url(story.scene, f"teaser-{story.slug}")
    return _link(paper.path(story), picture, size, story.title, OTHER, f"<br>{esc(story.title)}")


def _icons(request: Request, paper: Paper) -> str:
    """The logo, a portrait, and links to social networks on another site."""
    logo = _link(paper.home, thumb_url("logo"), (120, 80), paper.name, OTHER)
    author = _link(f"{paper.home}staff/", thumb_url("portrait"), (48, 48), "The author", OTHER)
    share = (
        _link(
            f"{request.other_origin}/{name}/share?to={name}", thumb_url(name), (32, 32), name, OTHER
        )
        for name in ("chirp", "facepage", "pinwall")
    )
    return join((logo, author, *share))


def _partner(request: Request) -> str:
    """A picture from another site that is not an advertisement."""
    url = f"{request.other_origin}/webcam/harbour?size=large"
    picture = f"{request.other_origin}{picture_url('harbour', 'webcam')}"
    return _link(url, picture, (320, 180), "The harbour at this hour", OTHER, "<br>Webcam")


def _slots(request: Request, paper: Paper, story: Story) -> Slots:
    chance = Random(story.slug)
    near, far, square = paper.others(story, 3)
    top = _advert(request, chance, LEADERBOARD)
    strip = join(_advert(request, chance, BUTTON) for _ in range(3))
    large = picture_url(story.scene, story.slug)
    shown = _link(large, f"{large}?small", (640, 360), story.caption or story.title, OTHER)
    return Slots(
        top=f"<div>{top}</div><div>{_icons(request, paper)}</div>",
        before=f"<div>{shown}</div>",
        after=join(
            f"<div>{piece}</div>"
            for piece in (
                _advert(request, chance, RECTANGLE),
                _house_advert(paper),
                _teaser(paper, near, (300, 169)),
                _teaser(paper, far, (120, 80)),
                _teaser(paper, square, RECTANGLE),
                _partner(request),
                strip,
                _advert(request, chance, SKYSCRAPER),
            )
        ),
    )


def _pages() -> Iterator[tuple[str, Handler]]:
    for name, paper in PAPERS.items():
        article = LAYOUTS[paper.template].article
        for story in paper.stories[:STORIES]:

            def answer(
                request: Request, paper: Paper = paper, story: Story = story, article=article
            ) -> Reply:
                return page(article(story, _slots(request, paper, story)))

            yield f"/adverts/{name}/{story.slug}", answer


def _pictures() -> Iterator[tuple[str, Handler]]:
    for brand in BRANDS:
        for size in (LEADERBOARD, RECTANGLE, SKYSCRAPER, BUTTON):
            reply = Reply(banner(brand, *size), kind="image/svg+xml")
            width, height = size
            path = f"/delivery/{brand}-{width}x{height}.svg"
            yield path, lambda request, reply=reply: reply


PATHS = tuple(path for path, _ in _pages())
HANDLERS.update((*_pages(), *_pictures()))
