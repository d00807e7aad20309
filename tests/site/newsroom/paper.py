"""A newspaper: its name, its sections, its stories and their addresses."""

from dataclasses import dataclass

from .story import Story, load


@dataclass(frozen=True)
class Paper:
    """A newspaper; `template` names the module that lays it out."""

    template: str
    name: str
    motto: str
    home: str
    #: A format for a story's address; it may use slug, year, month, day and number.
    address: str
    first_number: int

    @property
    def stories(self) -> tuple[Story, ...]:
        """Its ordinary articles."""
        return load(self.template)

    @property
    def sections(self) -> tuple[str, ...]:
        """The sections of its articles, in order of first use."""
        return tuple(dict.fromkeys(story.section for story in self.stories))

    def path(self, story: Story) -> str:
        """The address of one of its articles."""
        year, month, day = story.date[:10].split("-")
        number = self.first_number + 37 * self.stories.index(story)
        return self.address.format(slug=story.slug, year=year, month=month, day=day, number=number)

    def section_path(self, section: str) -> str:
        """The address of a section's page."""
        return f"{self.home}{section.lower().replace(' ', '-')}/"

    def others(self, story: Story, count: int, skip: int = 0) -> tuple[Story, ...]:
        """Some of its articles other than `story`, always the same ones for the same story."""
        rest = [other for other in self.stories if other.slug != story.slug]
        start = (sum(map(ord, story.slug)) + skip) % len(rest)
        return tuple((rest + rest)[start : start + count])

    def targets(self, story: Story, count: int, skip: int = 0) -> list[tuple[str, str]]:
        """Address and headline of some of its other articles."""
        return [(self.path(other), other.title) for other in self.others(story, count, skip)]


LEDGER = Paper(
    template="semantic",
    name="The Estuary Ledger",
    motto="News of Saltmere and the coast since 1871",
    home="/ledger/",
    address="/ledger/{year}/{month}/{day}/{slug}",
    first_number=1,
)
FENMOOR = Paper(
    template="divsoup",
    name="Fenmoor Now",
    motto="The city, as it happens",
    home="/fenmoor/",
    address="/fenmoor/news/{slug}-{number}.html",
    first_number=20417,
)
GAZETTE = Paper(
    template="tables",
    name="Quillon Valley Gazette",
    motto="Serving Quillon, Darrow, and the Teasels",
    home="/gazette/",
    address="/gazette/stories/{year}{month}/{number}.htm",
    first_number=1103,
)
PAPERS = {paper.template: paper for paper in (LEDGER, FENMOOR, GAZETTE)}
