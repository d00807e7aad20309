"""Folders of single pages with their ground truth: ``<id>.html`` beside ``<id>.json``."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from pathlib import Path

from ..collect.labels.label_files import PageRoles
from ..collect.labels.store import BROKEN, LabelledPage, LabelStore, files_left_out
from ..errors import EmptyInputError
from ..models.article.roles import LETTERS, ROLES
from ..renderer.network.origins import site_of
from .case import Case, read_labels

ARTICLE = "article"
"""Type of a page whose truth names none, as in data sets that consist of articles only."""


def page_cases(
    folders: Sequence[Path],
    cache: Path,
    *,
    kinds: Collection[str] | None = None,
    limit: int | None = None,
    suffix: str = "",
    labels: Path | None = None,
    unlabelled: bool = False,
    exam: bool | None = None,
    log: Callable[[str], None],
) -> list[Case]:
    """Read the truth of all pages of some folders, each of which is a set of its name.

    A page ``<id>.html`` has its truth in ``<id>.json``: ``text`` and, if known, ``url``, ``title``,
    ``date`` and ``type``. Its snapshot, which may not exist yet, is
    ``<set><suffix>-snapshots/<id>.miolo`` in the cache. `kinds` selects types, `limit` the first
    pages of each folder in order of name, `labels` the pages that have role labels there, unless
    `unlabelled` includes the others, and `exam` those that are, or are not, reserved for
    evaluation only.
    """
    names = [folder.resolve().name for folder in folders]
    if len(set(names)) < len(names):
        raise EmptyInputError("two folders of pages have the same name: rename one of them")
    cases: list[Case] = []
    for name, folder in zip(names, folders, strict=True):
        files, snapshots = sorted(folder.glob("*.html")), cache / f"{name}{suffix}-snapshots"
        of_set = [case for file in files if (case := page_case(file, snapshots, log))]
        if labels is not None:
            labels_by_id = read_labels(labels, name)
            of_set = [
                replace(each, labels=labels_by_id.get(each.id))
                for each in of_set
                if unlabelled or each.id in labels_by_id
            ]
        cases += [
            case
            for case in of_set
            if (kinds is None or case.kind in kinds)
            and exam in (None, case.labels is not None and case.labels.exam)
        ][:limit]
    if not cases:
        where = ", ".join(map(str, folders))
        is_chosen = kinds is not None or labels is not None
        choice = " matches the chosen type and labels" if is_chosen else ""
        raise EmptyInputError(
            f"no page with a ground truth (<id>.html beside <id>.json) in {where}{choice}"
        )
    return cases


def collection_cases(
    folder: Path, kind: str | None, limit: int | None, log: Callable[[str], None]
) -> tuple[list[Case], int]:
    """The finished pages of a labelled collection, and how many were labelled without suggestions.

    Of several labellers of a page its latest reviewer or else the first by name is used. Broken
    pages are left out, and those of which the labels are of an earlier capture, which is logged.
    """
    with LabelStore(folder) as store:
        left_out = files_left_out(store, log)
        first = {page.file: page for page, *_ in reversed(list(store.final_pages()))}
    current = [page for page in reversed(first.values()) if page.file not in left_out]
    pages = [page for page in current if page.kind != BROKEN]
    pages = [page for page in pages if kind in (None, page.kind or ARTICLE)][:limit]
    if not pages:
        raise EmptyInputError(f"no page of {folder} has been labelled to its end")
    return [_labelled_case(folder, page) for page in pages], sum(page.blind for page in pages)


def _labelled_case(folder: Path, page: LabelledPage) -> Case:
    blocks = tuple(
        (LETTERS[ROLES.index(role)], text)
        for role, text in zip(page.roles, page.texts, strict=True)
    )
    titles = [text for role, text in zip(page.roles, page.texts, strict=True) if role == "title"]
    name, url, file = folder.resolve().name, page.url, folder / page.file
    return Case(
        id=file.stem,
        set=name,
        group=site_of(url) or f"{name}/{file.stem}",
        url=url,
        text="",
        source=file,
        saved=file,
        title=titles[0] if titles else None,
        kind=page.kind or ARTICLE,
        labels=PageRoles(file.stem, url, page.labeller, blocks, custom=page.custom),
        collection=folder,
    )


def page_case(file: Path, snapshots: Path, log: Callable[[str], None]) -> Case | None:
    """A page ``<id>.html`` with its truth ``<id>.json``; None if that cannot be read."""
    try:
        truth = json.loads(file.with_suffix(".json").read_text("utf-8"))
        if not isinstance(truth, dict) or not isinstance(truth.get("text"), str):
            raise ValueError("it has no text")
    except (OSError, ValueError, RecursionError) as error:
        log(f"{file.name} is skipped: its ground truth cannot be read ({error})")
        return None
    name, url = file.resolve().parent.name, _text(truth.get("url")) or ""
    return Case(
        id=file.stem,
        set=name,
        # A page without an address is its own group.
        group=site_of(url) or f"{name}/{file.stem}",
        url=url,
        text=truth["text"],
        title=_text(truth.get("title")),
        date=_text(truth.get("date")),
        kind=_text(truth.get("type")) or ARTICLE,
        source=file,
        saved=snapshots / f"{file.stem}.miolo",
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value.strip() else None
