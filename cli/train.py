"""`miolo train`: train your own models."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING

from ..errors import EmptyInputError
from .choice_options import argument, choice, option, written_file
from .console import counted, print_note, print_rows
from .render_options import QUIET

if TYPE_CHECKING:
    from ..evaluate.training.adaptation import Adaptation, Changes
    from ..evaluate.training.template_model import TrainingReport

MAX_ROWS = 10


def train(
    files: list[Path] = argument(
        ...,
        "PATH",
        "Files written by `miolo label`; or collections labelled by hand and corrections exported "
        "from the web page.",
        exists=True,
    ),
    output: Path | None = written_file(
        "Model file; by default template.json or reader.npz.", "--output", "-o"
    ),
    setting: str = choice(
        "ours",
        ("ours", "report"),
        "For template models: our recommended setting, or the report's.",
    ),
    custom_roles: bool = option(
        False, "Learn the collections' own roles (`miolo label --roles`), too.", "--custom-roles"
    ),
    quiet: bool = QUIET,
) -> None:
    """Train a model on labelled nodes or on pages labelled by hand."""
    from ..evaluate.training.labels import CORRECTIONS_SUFFIX, correction_files, has_labels

    collections = [path for path in files if has_labels(path)]
    chosen = correction_files(path for path in files if path not in collections)
    are_corrections = [file.name.endswith(CORRECTIONS_SUFFIX) for file in chosen]
    by_hand = bool(collections) or any(are_corrections)
    if not (chosen or collections) or (by_hand and not all(are_corrections)):
        raise EmptyInputError(
            "pass either files written by `miolo label`, or labelled collections, "
            f"*{CORRECTIONS_SUFFIX} files and folders of these"
        )
    command = shlex.join(["miolo", *sys.argv[1:]])
    if by_hand:
        _train_reader(
            collections, chosen, output or Path("reader.npz"), command, custom=custom_roles
        )
    else:
        _train_template(chosen, output or Path("template.json"), command, setting)


def _train_reader(
    collections: Sequence[Path],
    files: Sequence[Path],
    output: Path,
    command: str,
    *,
    custom: bool,
) -> None:
    from ..evaluate.training.adaptation import adapt_reader, changes_of
    from ..evaluate.training.labels import corrected_page, read_collection, read_corrections
    from ..models.article.custom_roles import merge_custom_roles

    corrections = [read_corrections(file) for file in files]
    labels = [read_collection(folder, print_note) for folder in collections]
    pages = [corrected_page(page) for page in corrections]
    pages += [page for each in labels for page in each.pages]
    # Corrections are made on a page that shows what the method decided.
    blind = [False] * len(corrections) + [each for of in labels for each in of.blind]
    roles = merge_custom_roles(each.custom for each in labels)
    if roles and not custom:
        print_note(f"{counted(len(roles), 'custom role')} not learned; see --custom-roles")
        roles = ()
    adaptation = adapt_reader(pages, {"command": command}, print_note, blind, roles)
    adaptation.model.save(output)
    for line in _scores(adaptation):
        print_rows(line)
    print_rows(_meaning(adaptation, any(blind)))
    if all(score.own is None for score in (adaptation.text, *adaptation.roles.values())):
        print_note(f"too few {_unit(adaptation)} to score the new model on unseen pages")
    others = [page for each in labels for page in each.others]
    if others:
        for line in _changes(changes_of(adaptation.model, others)):
            print_rows(line)
    elif labels:
        print_note("every page is labelled, so no page can show what the model would change")
    disputed = sum(each.disputed for each in labels)
    if disputed:
        print_note(f"{disputed} blocks on which labellers disagree were not used")
    by_hand = sum(label.by_hand for page in corrections for label in page.labels)
    by_hand += sum(each.by_hand for each in labels)
    changed = f"{counted(by_hand, 'role')} set by hand"
    summary = f"model trained on {counted(len(pages), 'page')} with {changed}"
    print_note(f"{summary} written to {output}; use it with --model")


def _scores(adaptation: Adaptation) -> Iterator[str]:
    """F1 of the text and of each role, for the shipped model and the new one."""
    heading = f"F1 on held-out {_unit(adaptation)}"
    yield f"{heading:24} blocks  shipped    own"
    for name, score in {"words of the text": adaptation.text, **adaptation.roles}.items():
        figures = (
            "    –" if each is None else f"{each:.3f}" for each in (score.shipped, score.own)
        )
        yield f"{name:24} {score.blocks:6}    {'  '.join(figures)}"


def _meaning(adaptation: Adaptation, blind: bool) -> str:
    """What the scores mean."""
    pages = counted(adaptation.judged, "page")
    if blind:
        return (
            f"scored on the {pages} labelled without suggestions, none of which the scored models "
            "were trained on; with few blocks, small differences are chance"
        )
    return (
        f"scored on {pages} labelled with suggestions: accepting them makes the shipped model look "
        "better than it is; label a larger share without (`miolo label --review --blind`)"
    )


def _unit(adaptation: Adaptation) -> str:
    """What is held out together."""
    return "domains" if adaptation.domains > 1 else "pages"


def _changes(changes: Changes) -> Iterator[str]:
    """What the new model would change on pages without labels."""
    yield ""
    yield (
        f"on {counted(changes.pages, 'page')} without labels {changes.changed.total():,} of "
        f"{changes.blocks:,} blocks change their role; {changes.entering} enter the text, "
        f"{changes.leaving} leave it"
    )
    for (before, after), count in changes.changed.most_common(MAX_ROWS):
        yield f"{count:6}  {before} to {after}"
    for change in changes.examples:
        text = shorten(change.text, 100, placeholder="…")
        moves = "enters" if change.enters else "leaves"
        same = change.before == change.after
        roles = f" as {change.after}" if same else f", {change.before} to {change.after}"
        yield f"{change.url}: {moves} the text{roles}: {text}"


def _train_template(files: Sequence[Path], output: Path, command: str, setting: str) -> None:
    from ..evaluate.training.template_model import train_files
    from ..models.templates.model import SETTINGS

    report = train_files(files, SETTINGS[setting], {"command": command, "setting": setting})
    report.model.save(output)
    for line in _lines(report):
        print_rows(line)
    provenance = report.model.provenance
    print_note(
        f"model trained on {provenance['nodes']:,} nodes of {provenance['pages']} pages "
        f"written to {output}"
    )


def _lines(report: TrainingReport) -> list[str]:
    if not report.by_site:
        return ["there is only one site, so the model cannot be scored on another"]
    lines = [f"{'trained on the others':24} template P     R     F   content P     R     F"]
    for name, scores in report.by_site.items():
        cells = [
            f"{each.precision:.3f} {each.recall:.3f} {each.f1:.3f}"
            for each in (scores.template, scores.content)
        ]
        lines.append(f"{name:24}      {cells[0]}     {cells[1]}")
    return lines
