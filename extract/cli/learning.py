"""What `miolo label`, `learn`, `drift` and `train` do."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import cast

import typer

from ...features.hashes import Hashing
from ...models.site import Site, learn_site
from ...models.templates.sitelevel import SiteLevel
from ...models.templates.style_importance import StylePages
from ...models.templates.training import SETTINGS
from ...models.wrappers.wrappers import WrapperOptions
from ..label import folder_snapshots, label_folder
from ..methods.learned import Learned
from ..reports.inspect_site import inspect_site
from ..reports.style_tree import inspect_style_tree
from ..train import TrainingReport, train_files
from .app import complain

__all__ = [
    "inspect_learned",
    "is_site_file",
    "label_site",
    "learn_pages",
    "observe_pages",
    "train_model",
]

# How the files that `Site.save` writes begin.
SITE_START = b'{\n "format": "miolo-site"'


def label_site(
    folder: Path,
    output: Path,
    name: str | None,
    rules: tuple[float, float, str],
    markup: bool,
    save_site: Path | None,
) -> None:
    """Label a folder of snapshots, and say how much of it is template."""
    share, cover, hashing = rules
    site = SiteLevel(share, cover, cast("Hashing", hashing))
    name = name or folder.resolve().name
    count = label_folder(folder, output, site, name, markup=markup, tell=complain)
    if save_site:
        Site(site).save(save_site)
    part = count.template / count.nodes
    complain(
        f"{count.nodes:,} nodes of {count.pages} pages written to {output}; "
        f"{count.template:,} of them ({part:.1%}) are template"
    )


def learn_pages(folder: Path, output: Path, options: WrapperOptions, max_pages: int) -> None:
    """Learn a site from a folder of snapshots, and say what came of it."""
    pages = (page for _, page in folder_snapshots(folder, complain))
    site = learn_site(pages, options, max_pages=max_pages or None)
    site.save(output)
    sizes = {wrapper.template: len(wrapper.urls) for wrapper in site.wrappers}
    of = ", ".join(map(str, sizes.values())) or "none"
    complain(
        f"{len(site.level)} pages, {len(sizes)} templates (pages: {of}), "
        f"{len(site.alone)} pages like no other; written to {output}"
    )
    _tell_share(site)


def observe_pages(folder: Path, path: Path) -> None:
    """Count how many further pages a learned site's patterns take, and note it in its file."""
    known = Site.load(path)
    taken = [known.match(page) is not None for _, page in folder_snapshots(folder, complain)]
    site = known.noting(taken)
    site.save(path)
    typer.echo(f"{sum(taken)} of {len(taken)} pages are taken by a pattern")
    _tell_share(site)


def is_site_file(source: str) -> bool:
    """Whether a source is a file that `miolo learn` has written."""
    path = Path(source)
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(SITE_START)) == SITE_START


def inspect_learned(path: Path, output: Path, method: str) -> None:
    """Write the report of a learned site, or of its style tree."""
    site = Site.load(path)
    if method == "style-tree":
        pages = Learned(site).part(method, StylePages)
        report = inspect_style_tree(pages, title=path.stem)
    else:
        report = inspect_site(site, path.stem)
    output.write_text(report, encoding="utf-8")
    complain(f"report of {path} written to {output}")


def _tell_share(site: Site) -> None:
    share = site.accepted_share
    if share is not None:
        complain(f"of the last {len(site.recent)} pages patterns took {share:.0%} unseen")


def train_model(files: Sequence[Path], output: Path, setting: str) -> None:
    """Train, save the model, and print its scores on each site that it did not see."""
    command = shlex.join(["miolo", *sys.argv[1:]])
    report = train_files(files, SETTINGS[setting], {"command": command, "setting": setting})
    report.model.save(output)
    for line in _lines(report):
        typer.echo(line)
    told = report.model.provenance
    complain(f"model of {told['nodes']:,} nodes of {told['pages']} pages written to {output}")


def _lines(report: TrainingReport) -> list[str]:
    if not report.by_site:
        return ["one site alone: there is no other to judge the model by"]
    lines = [f"{'trained on the others':24} template P     R     F   content P     R     F"]
    for name, scores in report.by_site.items():
        cells = [
            f"{each.precision:.3f} {each.recall:.3f} {each.f1:.3f}"
            for each in (scores.template, scores.content)
        ]
        lines.append(f"{name:24}      {cells[0]}     {cells[1]}")
    return lines
