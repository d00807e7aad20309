"""What `miolo label`, `learn`, `drift` and `train` do."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import cast

from ..collect.collections.collection import Collection
from ..collect.labels import label_folder
from ..debug.reports.site_report import html_report_of_site
from ..debug.reports.style_tree import html_report_of_style_tree
from ..errors import EmptyInputError
from ..evaluate.training.corrected_pages import train_corrections
from ..evaluate.training.corrections import CORRECTIONS_SUFFIX, correction_files
from ..evaluate.training.template_model import TrainingReport, train_files
from ..extract.learn_site import learn_site
from ..extract.methods.learned import Learned
from ..extract.methods.registry import method_named
from ..features.hashes import Hashing
from ..models.site import Site
from ..models.templates.sitelevel import SiteLevel
from ..models.templates.style_importance import StylePages
from ..models.templates.training import SETTINGS
from ..models.wrappers.wrappers import WrapperOptions
from .console import print_error, print_rows

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
    domain: str | None,
) -> None:
    """Label a folder of snapshots, and say how much of it is template."""
    share, cover, hashing = rules
    site = SiteLevel(share, cover, cast("Hashing", hashing))
    name = name or domain or folder.resolve().name
    _one_site(folder, domain)
    count = label_folder(folder, output, site, name, markup=markup, domain=domain, log=print_error)
    if save_site:
        Site(site).save(save_site)
    part = count.template / count.nodes
    print_error(
        f"{count.nodes:,} nodes of {count.pages} pages written to {output}; "
        f"{count.template:,} of them ({part:.1%}) are template"
    )


def learn_pages(
    folder: Path, output: Path, options: WrapperOptions, max_pages: int, domain: str | None
) -> None:
    """Learn a site from a folder of snapshots, and say what came of it."""
    pages = (page for _, page in _one_site(folder, domain).snapshots())
    site = learn_site(pages, options, max_pages=max_pages or None)
    site.save(output)
    sizes = {wrapper.template: len(wrapper.urls) for wrapper in site.wrappers}
    of = ", ".join(map(str, sizes.values())) or "none"
    print_error(
        f"{len(site.level)} pages, {len(sizes)} templates (pages: {of}), "
        f"{len(site.alone)} pages like no other; written to {output}"
    )
    _tell_share(site)


def observe_pages(folder: Path, path: Path, domain: str | None) -> None:
    """Count how many further pages a learned site's patterns take, and note it in its file."""
    known = Site.load(path)
    pages = _one_site(folder, domain).snapshots()
    taken = [known.match(page) is not None for _, page in pages]
    site = known.noting(taken)
    site.save(path)
    print_rows(f"{sum(taken)} of {len(taken)} pages are taken by a pattern")
    _tell_share(site)


def _one_site(folder: Path, domain: str | None) -> Collection:
    """A folder's pages of one site, as far as that is told."""
    collection = Collection(folder, log=print_error).of_site(domain)
    sites = {name: pages for name, pages in collection.sites().items() if name}
    if len(sites) > 1:
        most = ", ".join(f"{name} ({pages})" for name, pages in list(sites.items())[:3])
        print_error(f"pages of {len(sites)} domains are taken for one site: {most}; use --domain")
    return collection


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
    learns = method_named(method).site_parts.items()
    parts = [name for name, new in learns if isinstance(new(None), StylePages)]
    if parts:
        pages = Learned(site).part(parts[0], StylePages)
        report = html_report_of_style_tree(pages, title=path.stem)
    else:
        report = html_report_of_site(site, path.stem)
    output.write_text(report, encoding="utf-8")
    print_error(f"report of {path} written to {output}")


def _tell_share(site: Site) -> None:
    share = site.accepted_share
    if share is not None:
        print_error(f"of the last {len(site.recent)} pages patterns took {share:.0%} unseen")


def train_model(paths: Sequence[Path], output: Path | None, setting: str) -> None:
    """Train, save the model, and print its scores on what it did not see.

    Raises
    ------
    EmptyInputError
        There is nothing to learn from, or files of both kinds.
    """
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
