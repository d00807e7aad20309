"""Train the article model, and the roles of blocks beside it, from the shared data.

    python benchmarks/article.py --train models/article/article.npz

Learned from: single news pages and posts of sites, as rendered and as plain HTML (the
convention of the default), and pages of all kinds whose conventions differ (the general
forest). Pages are rendered the first time, with scripts off and nothing fetched; sites with
their style sheets and scripts. How good the model is on pages that it has not seen is what
`miolo evaluate --folds` shows; the ablation is a three-fold of that, by domain.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from corpus import parser, unpack
from miolo.extract.cli.folding import Teaching, teaching_cases
from miolo.extract.evaluation.case import Case
from miolo.extract.train_article import Curriculum, label_cases, train_cases
from miolo.extract.train_roles import train_role_cases
from miolo.models.article.samples import Sample
from miolo.models.article.training import TrainingOptions

TARGET = ("news2023", "publishers")
GENERAL = ("wcxb", "blogs2012")
ROLES = "roles.npz"


def main() -> None:
    options = parser(__doc__ or "")
    options.add_argument("--train", type=Path, required=True, help="file of the model to write")
    chosen = options.parse_args()
    started = time.monotonic()
    target, general = cases(chosen.data, chosen.cache)
    print(json.dumps(trained(target, general, chosen.train, started)))


def cases(data: Path, cache: Path) -> tuple[list[Case], list[Case]]:
    """All pages to learn from, unpacked and rendered where they are not yet."""
    for archive in sorted((data / "sites").glob("*.tar.xz")):
        unpack(archive, cache)
    (cache / "sites.json").write_bytes((data / "sites.json").read_bytes())
    folders = {n: unpack(data / "pages" / f"{n}.tar.xz", cache) for n in (*TARGET, *GENERAL)}
    pages, rest = (tuple(folders[name] for name in names) for names in (TARGET, GENERAL))
    return teaching_cases(Teaching(pages, cache, rest), cache)


def labelled(pages: Sequence[Case], *, static: bool) -> tuple[Sample, ...]:
    return label_cases(pages, static=static, tell=tell, advance=lambda: None)


def tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def trained(
    target: Sequence[Case], general: Sequence[Case], path: Path, started: float
) -> dict[str, Any]:
    """Train and save the shipped model."""
    tell(f"{time.monotonic() - started:.0f} s until all was rendered")
    started = time.monotonic()
    lessons = Curriculum(labelled(target, static=True), labelled(general, static=False))
    tell(f"{time.monotonic() - started:.0f} s for labelling")
    provenance = {"command": "python benchmarks/article.py --train models/article/article.npz"}
    model = train_cases(lessons, TrainingOptions(), provenance, tell)
    model.save(path)
    train_role_cases([*target, *general], None, provenance, tell).save(path.with_name(ROLES))
    return {
        "minutes": round((time.monotonic() - started) / 60, 1),
        "megabytes": round(path.stat().st_size / 1e6, 2),
        **model.provenance,
    }


if __name__ == "__main__":
    main()
