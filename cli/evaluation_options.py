"""`Evaluation`: the options of `miolo evaluate`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

import typer

from ..models.article.roles import role_set
from ..renderer.options import MAX_SECONDS
from .choice_options import choice, existing_folder, option, written_file
from .shared_options import FIGURES_FORMAT, MODEL_FILE, OUTPUT_FILE

if TYPE_CHECKING:
    from ..evaluate.case import Reads


def _names(value: str | None) -> str | None:
    if value is not None and not all(value.split(",")):
        raise typer.BadParameter("must be names separated by commas")
    return value


def split(names: str | None) -> tuple[str, ...]:
    """Split a comma-separated list of names and remove duplicates."""
    return tuple(dict.fromkeys(names.split(","))) if names else ()


@dataclass(frozen=True)
class Evaluation:
    """What is scored, on which pages, and where the figures are written."""

    pages: list[Path] | None = existing_folder(
        "Folder of <id>.html and their truth <id>.json. Repeatable."
    )
    sites: Path | None = existing_folder("Folder of saved sites with a sites.json.")
    only: str | None = option(
        None, "Names of sites, separated by commas; by default all.", callback=_names
    )
    posts: int = option(12, "Posts per site; 0 for all.", min=0)
    with_site: bool = option(False, "Learn each site from its other posts.", "--with-site")
    methods: str | None = option(
        None,
        "Methods, separated by commas; by default auto, or none with --peers.",
        callback=_names,
    )
    peers: str | None = option(None, "Other extractors, separated by commas.", callback=_names)
    model: Path | None = MODEL_FILE
    html: str = choice("both", ("raw", "rendered", "both"), "HTML that the other extractors read.")
    kind: str | None = option(None, "Only pages of this type.", "--type")
    limit: int = option(0, "Pages per set; 0 for all.", min=0)
    scripts: bool | None = option(
        None,
        "Whether scripts run; by default on --sites but not on --pages.",
        "--scripts/--no-scripts",
    )
    deadline: float = option(
        30.0,
        "Time limit in seconds, of each page and each extraction.",
        min=1,
        max=MAX_SECONDS,
    )
    cache: Path = option(Path("miolo-evaluation"), "Folder that keeps rendered pages.")
    collection: Path | None = existing_folder("Labelled pages; with --pages, only their snapshots.")
    form: str = FIGURES_FORMAT
    output: Path | None = OUTPUT_FILE
    report: Path | None = written_file("HTML report on the worst cases of the first method.")
    worst: int = option(20, "Number of cases in the report.", min=1)
    labels: Path | None = existing_folder("Folder of role labels <set>.jsonl.xz for --pages.")
    exam: bool = option(False, "With --labels: use only the exam pages.", "--exam")
    preset: str = option("article", "Roles that count as the text.")
    confusion: Path | None = written_file("With --labels: SVG of the confusion matrix of roles.")
    folds: int | None = option(
        None,
        "Train auto out of fold, with this many folds by domain; 0 for one per domain or site.",
        min=0,
    )

    def check(self) -> None:
        """Refuse options that contradict each other."""
        if (self.pages and self.sites) or not (self.pages or self.sites or self.collection):
            raise typer.BadParameter("use --pages, --sites or a labelled --collection")
        role_set(self.preset)
        if (self.exam and not self.labels) or (
            self.confusion and not (self.labels or self.collection)
        ):
            raise typer.BadParameter("--exam and --confusion need --labels")
        if self.labels and not self.pages:
            raise typer.BadParameter("--labels needs --pages")
        if self.model and self.folds is not None:
            raise typer.BadParameter("--model is a trained model, and --folds trains others")
        if self.collection and self.sites:
            raise typer.BadParameter("--collection is not used with --sites")
        if self.labelled_collection and self.html == "raw" and self.peers:
            raise typer.BadParameter("a collection has pages as rendered only, not --html raw")

    @property
    def labelled_collection(self) -> Path | None:
        """The collection whose labels are the truth, if pages are not given."""
        return None if self.pages else self.collection

    @property
    def reads(self) -> tuple[Reads, ...]:
        """The inputs of the other extractors."""
        if self.html != "both":
            return (cast("Reads", self.html),)
        return ("rendered",) if self.labelled_collection else ("raw", "rendered")
