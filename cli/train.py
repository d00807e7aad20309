"""`miolo train`: models of one's own."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import EmptyInputError
from .console import print_error, print_rows

if TYPE_CHECKING:
    from ..evaluate.training.template_model import TrainingReport

__all__ = ["train"]


class Setting(StrEnum):
    """Names of `miolo.models.templates.training.SETTINGS`."""

    ours = "ours"
    report = "report"


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
    """Train a model on labelled nodes or corrected pages."""
    train_model(files, output, setting.value)


def train_model(paths: Sequence[Path], output: Path | None, setting: str) -> None:
    """Train, save the model, and print its scores on what it did not see.

    Raises
    ------
    EmptyInputError
        There is nothing to learn from, or files of both kinds.
    """
    from ..evaluate.training.corrections import CORRECTIONS_SUFFIX, correction_files

    files = correction_files(paths)
    corrected = [file.name.endswith(CORRECTIONS_SUFFIX) for file in files]
    if not files or (any(corrected) and not all(corrected)):
        raise EmptyInputError(
            f"give files of `miolo label`, or *{CORRECTIONS_SUFFIX} and folders of these"
        )
    command = shlex.join(["miolo", *sys.argv[1:]])
    if all(corrected):
        _train_reader(files, output or Path("reader.npz"), command)
    else:
        _train_template(files, output or Path("template.json"), command, setting)


def _train_reader(files: Sequence[Path], output: Path, command: str) -> None:
    from ..evaluate.training.corrected_pages import train_corrections

    report = train_corrections(files, {"command": command}, print_error)
    report.model.save(output)
    print_rows(f"F1 of the shipped model   {report.shipped:.3f}")
    if report.own is None:
        print_error("too few domains to judge the new model by pages that it has not seen")
    else:
        print_rows(f"F1 on unseen domains      {report.own:.3f}")
    summary = f"{report.by_hand} blocks labelled by hand on {report.pages} pages"
    print_error(f"model of {summary} written to {output}; use it with --model")


def _train_template(files: Sequence[Path], output: Path, command: str, setting: str) -> None:
    from ..evaluate.training.template_model import train_files
    from ..models.templates.training import SETTINGS

    report = train_files(files, SETTINGS[setting], {"command": command, "setting": setting})
    report.model.save(output)
    for line in _lines(report):
        print_rows(line)
    provenance = report.model.provenance
    print_error(
        f"model of {provenance['nodes']:,} nodes of {provenance['pages']} pages written to {output}"
    )


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
