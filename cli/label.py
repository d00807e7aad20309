"""`miolo label`: label the nodes of a site, or the roles of blocks by hand."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

import typer

from .choice_options import choice, existing_file, option, written_file
from .console import counted, print_note
from .learn import DOMAIN, SITE_FOLDER, single_site_pages
from .page_sources import warn_of_root
from .render_options import QUIET
from .serve import BLIND, PORT, serve_until_stopped
from .shared_options import with_values

if TYPE_CHECKING:
    from ..features.hashes import Hashing


@dataclass(frozen=True)
class NodeLabels:
    """How the nodes of a site are labelled as template or content, and where to."""

    output: Path = written_file(
        "Parquet file to write.", "--output", "-o", default="labels.parquet"
    )
    name: str | None = option(None, "Name of the site; by default the domain or the folder's name.")
    share: float = option(
        0.10, "Minimum share of pages for repeated content to be template.", min=0, max=1
    )
    cover: float = option(
        0.85, "Minimum share of template markup for a node to be template.", min=0, max=1
    )
    hashing: str = choice("structure", ("structure", "html", "text"), "What makes two nodes equal.")
    markup: bool = option(True, "Write the text and markup of every node.")
    save_site: Path | None = written_file("File to save the learned site in.")
    domain: str | None = DOMAIN

    def write(self, folder: Path) -> None:
        """Label the nodes of the pages in a folder, and print how many are template."""
        from ..collect.collections.template_nodes import label_folder
        from ..models.site import Site
        from ..models.templates.sitelevel import SiteLevel

        site = SiteLevel(self.share, self.cover, cast("Hashing", self.hashing))
        name = self.name or self.domain or folder.resolve().name
        single_site_pages(folder, self.domain)
        count = label_folder(
            folder, self.output, site, name, markup=self.markup, domain=self.domain, log=print_note
        )
        if self.save_site:
            Site(site).save(self.save_site)
        part = count.template / count.nodes
        print_note(
            f"{counted(count.nodes, 'node')} of {counted(count.pages, 'page')} written to "
            f"{self.output}; {count.template:,} of them ({part:.1%}) are template"
        )


@dataclass(frozen=True)
class HandLabels:
    """What is done for labels by hand, in this order."""

    connect: str | None = option(
        None,
        "Add the active tab of your own browser at this debugging address or port to DIR; nothing "
        "is changed in it.",
        "--connect",
        metavar="ADDRESS",
    )
    roles: Path | None = existing_file(
        "Use a file of your own roles, too, when labelling by hand; see the documentation.",
        "--roles",
    )
    labels: Path | None = existing_file(
        "Import labels from JSON Lines of roles or from Label Studio's JSON.", "--import"
    )
    labeller: str | None = option(
        None, "With --import: name of the labeller, if the file has none; `import` without."
    )
    review: bool = option(
        False,
        "Label by hand in the browser, at --port; see `miolo serve --collection`.",
        "--review",
    )
    port: int = PORT
    blind: float | None = BLIND

    @property
    def is_requested(self) -> bool:
        """Whether anything is done for labels by hand."""
        chosen = self.connect, self.roles, self.labels, self.labeller, self.blind
        return self.review or any(each is not None for each in chosen)

    def prepare(self, folder: Path) -> None:
        """Add the tab, the roles and the labels to a folder, and serve its queue."""
        if self.labeller is not None and self.labels is None:
            raise typer.BadParameter("--labeller names who gave the labels of --import")
        if self.blind is not None and not self.review:
            raise typer.BadParameter("--blind needs --review")
        if self.connect is not None:
            add_tab(folder, self.connect)
        if self.roles is not None:
            use_roles(folder, self.roles)
        if self.labels is not None:
            import_file(folder, self.labels, self.labeller or "import")
        if self.review:
            review_pages(folder, self.port, self.blind)


@with_values("nodes", NodeLabels)
@with_values("by_hand", HandLabels)
def label(
    nodes: NodeLabels, by_hand: HandLabels, folder: Path = SITE_FOLDER, quiet: bool = QUIET
) -> None:
    """Label a site's nodes as template or content, or label the roles of blocks by hand."""
    if by_hand.is_requested:
        by_hand.prepare(folder)
    else:
        nodes.write(folder)


def add_tab(folder: Path, address: str) -> None:
    """Save the active tab of the user's own browser in a folder of snapshots."""
    from ..collect.batch.files import new_file_of
    from ..collect.collections.collection import Collection
    from ..integrations.live_page import capture_tab

    if Collection(folder).has_state:
        raise typer.BadParameter(f"{folder} has the pages of a run: add tabs to another folder")
    tab = asyncio.run(capture_tab(address))
    # Another capture of an address replaces the earlier one, whose labels are taken over.
    file = new_file_of(folder, "snapshots", tab.page.url, ".miolo")
    tab.save(file)
    print_note(f"{tab.page.url} saved to {file}; `miolo label {folder} --review` labels it")


def use_roles(folder: Path, file: Path) -> None:
    """Keep a file's custom roles in a collection."""
    from ..collect.collections.collection import Collection
    from ..collect.labels.store import open_labels
    from ..models.article.custom_roles import read_custom_roles

    roles = read_custom_roles(file)
    collection = Collection(folder, log=print_note)
    with open_labels(folder, collection.snapshot_files()) as store:
        store.use_custom_roles(roles)
    print_note(f"{counted(len(roles), 'custom role')} kept in {folder}")


def import_file(folder: Path, file: Path, labeller: str) -> None:
    """Import the labels in a file for the finished pages of a collection."""
    from ..collect.collections.collection import Collection
    from ..collect.labels.label_files import import_labels, read_role_lines
    from ..collect.labels.label_studio import read_label_studio
    from ..collect.labels.store import open_labels

    read = read_label_studio if file.suffix == ".json" else read_role_lines
    collection = Collection(folder, log=print_note)
    with open_labels(folder, collection.snapshot_files()) as store:
        pages, missing = import_labels(folder, store, read(file), labeller)
    unmatched = f"; {missing} of their blocks have no counterpart" if missing else ""
    print_note(f"{counted(pages, 'set')} of page labels imported{unmatched}")


def review_pages(folder: Path, port: int, blind: float | None) -> None:
    """Serve the label queue of a collection until the service is stopped."""
    from ..serve.service_options import ServiceOptions
    from ..workers.system import is_root

    warn_of_root()
    options = ServiceOptions(port=port, workers=1, sandbox=not is_root(), collection=folder)
    options = options if blind is None else replace(options, blind=blind)
    if not serve_until_stopped(options):
        raise typer.Exit(1)
