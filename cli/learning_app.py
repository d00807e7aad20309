"""The commands that learn from pages: label, learn, drift, train."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from .options import element_labels

if TYPE_CHECKING:
    from ..features.page_tree import Labels

__all__ = ["learning"]

learning = typer.Typer()


class Hash(StrEnum):
    """Names of `miolo.features.hashes.HASHINGS`."""

    structure = "structure"
    html = "html"
    text = "text"


class Link(StrEnum):
    """Names of `miolo.models.wrappers.clusters.LINKAGES`."""

    average = "average"
    complete = "complete"
    single = "single"


class Setting(StrEnum):
    """Names of `miolo.models.templates.training.SETTINGS`."""

    ours = "ours"
    report = "report"


Domain = Annotated[
    str | None,
    typer.Option(help="Only pages of this registrable domain, where a folder has several."),
]


@learning.command()
def label(
    folder: Annotated[
        Path,
        typer.Argument(
            exists=True, file_okay=False, help="Snapshots of one site's pages, or a collection."
        ),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="Parquet file.")] = Path(
        "labels.parquet"
    ),
    name: Annotated[
        str | None, typer.Option(help="The site's name; without, the domain's or the folder's.")
    ] = None,
    share: Annotated[
        float, typer.Option(min=0, max=1, help="Share of pages that makes content template.")
    ] = 0.10,
    cover: Annotated[
        float, typer.Option(min=0, max=1, help="Share of markup that makes a node template.")
    ] = 0.85,
    hashing: Annotated[Hash, typer.Option(help="What makes two nodes equal.")] = Hash.structure,
    markup: Annotated[bool, typer.Option(help="Write texts and markup of every node.")] = True,
    save_site: Annotated[Path | None, typer.Option(help="Where to save the learned site.")] = None,
    domain: Domain = None,
) -> None:
    """Label the nodes of a site's pages as template or content, into Parquet."""
    from .learning import label_site

    label_site(folder, output, name, (share, cover, hashing.value), markup, save_site, domain)


@learning.command()
def learn(
    folder: Annotated[
        Path,
        typer.Argument(
            exists=True, file_okay=False, help="Snapshots of one site's pages, or a collection."
        ),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="File of the site.")] = Path(
        "site.json"
    ),
    similarity: Annotated[
        float, typer.Option(min=0, max=1, help="Of pages that share a template.")
    ] = 0.8,
    linkage: Annotated[Link, typer.Option(help="Which similarity of two clusters.")] = Link.average,
    literal: Annotated[
        bool,
        typer.Option("--literal", help="Merge, choose and name by the dissertation's rules."),
    ] = False,
    labels: Annotated[
        str,
        typer.Option(callback=element_labels, help="Labels of elements: classes, tags, looks."),
    ] = "classes,tags",
    max_pages: Annotated[int, typer.Option(min=0, help="Pages learned from; 0 for all.")] = 200,
    domain: Domain = None,
) -> None:
    """Learn a site from saved pages: its templates, a wrapper for each, what it repeats."""
    from ..models.wrappers.wrappers import WrapperOptions
    from .learning import learn_pages

    kinds = cast("tuple[Labels, ...]", tuple(labels.split(",")))
    options = WrapperOptions(similarity, linkage.value, kinds, literal)
    learn_pages(folder, output, options, max_pages, domain)


@learning.command()
def drift(
    folder: Annotated[
        Path,
        typer.Argument(
            exists=True, file_okay=False, help="Snapshots of further pages, or a collection."
        ),
    ],
    site: Annotated[
        Path, typer.Option("--site", exists=True, dir_okay=False, help="File of `miolo learn`.")
    ],
    domain: Domain = None,
) -> None:
    """Say how many further pages a learned site's patterns take: few after a redesign."""
    from .learning import observe_pages

    observe_pages(folder, site, domain)


@learning.command()
def train(
    files: Annotated[
        list[Path],
        typer.Argument(
            exists=True, help="Files of `miolo label`, or corrections that the web page exports."
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="File of the model: template.json or article.npz."),
    ] = None,
    setting: Annotated[
        Setting, typer.Option(help="Of template models: our recommended one, or the report's.")
    ] = Setting.ours,
) -> None:
    """Train a template model on labelled nodes, or an article model on corrected pages."""
    from .learning import train_model

    train_model(files, output, setting.value)
