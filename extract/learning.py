"""What `miolo label` and `miolo train` do."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import cast

import typer

from ..features.hashes import Hashing
from ..models.site import Site
from ..models.sitelevel import SiteLevel
from ..models.template_training import SETTINGS
from .cli import complain
from .label import label_folder
from .train import TrainingReport, train_files

__all__ = ["label_site", "train_model"]


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
