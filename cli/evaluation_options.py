"""`Evaluation`: the options of `miolo evaluate`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from ..models.article.roles import role_set
from ..renderer.options import MAX_SECONDS
from .choice_options import choice, existing_folder, written_file
from .shared_options import FiguresFormat, ModelFile, OutputFile

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

    pages: Annotated[
        list[Path] | None,
        existing_folder(help="Folder of <id>.html and their truth <id>.json. Repeatable."),
    ] = None
    sites: Annotated[
        Path | None, existing_folder(help="Folder of saved sites with a sites.json.")
    ] = None
    only: Annotated[
        str | None,
        typer.Option(callback=_names, help="Names of sites, separated by commas; by default all."),
    ] = None
    posts: Annotated[int, typer.Option(min=0, help="Posts per site; 0 for all.")] = 12
    with_site: Annotated[
        bool, typer.Option("--with-site", help="Learn each site from its other posts.")
    ] = False
    methods: Annotated[
        str | None,
        typer.Option(
            callback=_names,
            help="Methods, separated by commas; by default auto, or none with --peers.",
        ),
    ] = None
    peers: Annotated[
        str | None, typer.Option(callback=_names, help="Other extractors, separated by commas.")
    ] = None
    model: ModelFile = None
    html: Annotated[
        str, choice(("raw", "rendered", "both"), help="HTML that the other extractors read.")
    ] = "both"
    kind: Annotated[str | None, typer.Option("--type", help="Only pages of this type.")] = None
    limit: Annotated[int, typer.Option(min=0, help="Pages per set; 0 for all.")] = 0
    scripts: Annotated[
        bool | None,
        typer.Option(
            "--scripts/--no-scripts",
            help="Whether scripts run; by default on --sites but not on --pages.",
        ),
    ] = None
    deadline: Annotated[
        float,
        typer.Option(
            min=1, max=MAX_SECONDS, help="Time limit in seconds, of each page and each extraction."
        ),
    ] = 30.0
    cache: Annotated[Path, typer.Option(help="Folder that keeps rendered pages.")] = Path(
        "miolo-evaluation"
    )
    collection: Annotated[
        Path | None, existing_folder(help="Labelled pages; with --pages, only their snapshots.")
    ] = None
    form: FiguresFormat = "table"
    output: OutputFile = None
    report: Annotated[
        Path | None, written_file(help="HTML report on the worst cases of the first method.")
    ] = None
    worst: Annotated[int, typer.Option(min=1, help="Number of cases in the report.")] = 20
    labels: Annotated[
        Path | None, existing_folder(help="Folder of role labels <set>.jsonl.xz for --pages.")
    ] = None
    exam: Annotated[
        bool, typer.Option("--exam", help="With --labels: use only the exam pages.")
    ] = False
    preset: Annotated[str, typer.Option(help="Roles that count as the text.")] = "article"
    confusion: Annotated[
        Path | None, written_file(help="With --labels: SVG of the confusion matrix of roles.")
    ] = None
    folds: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="Train auto out of fold, with this many folds by domain; 0 for one per domain or "
            "site.",
        ),
    ] = None

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
        if self.labelled_collection and self.html != "rendered" and self.peers:
            raise typer.BadParameter("a collection has pages as rendered only: use --html rendered")

    @property
    def labelled_collection(self) -> Path | None:
        """The collection whose labels are the truth, if pages are not given."""
        return None if self.pages else self.collection

    @property
    def reads(self) -> tuple[Reads, ...]:
        """The inputs of the other extractors."""
        return ("raw", "rendered") if self.html == "both" else (cast("Reads", self.html),)
