"""Train the article model, and the roles of blocks beside it, from the shared data.

    python benchmarks/article.py --train models/article/article.npz

Learned from: single news pages (the convention of the default) and posts of sites (the one of all
that the author wrote), as rendered and as plain HTML, and pages of all kinds (the one of all that
is the page's own, and the general forest). The roles learn from all of these and from posts whose
truth has the comments. Pages are rendered the first time, with scripts off and nothing
fetched; sites with their style sheets and scripts. How good the model is on pages that it has not
seen is what `miolo evaluate --folds` shows, and what each of its parts gives,
`benchmarks/ablation.py`.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from corpus import parser, unpack, unpack_sites
from miolo.extract.cli.folding import Teaching, teaching_cases
from miolo.extract.evaluation.case import Case
from miolo.extract.train_article import GENERAL_KINDS, Curriculum, label_cases, train_cases
from miolo.extract.train_roles import train_role_cases
from miolo.models.article.model import ArticleModel
from miolo.models.article.samples import Sample
from miolo.models.article.training import TrainingOptions

PAGES = ("news2023", "publishers", "wcxb")
COMMENTED = ("blogs2012",)
"""Pages whose truth says the comments too: for the roles alone."""

ROLES = "roles.npz"
PROVENANCE = {"command": "python benchmarks/article.py --train models/article/article.npz"}


def main() -> None:
    options = parser(__doc__ or "")
    options.add_argument("--train", type=Path, required=True, help="file of the model to write")
    chosen = options.parse_args()
    started = time.monotonic()
    pages = cases(chosen.data, chosen.cache)
    commented = pages_of(COMMENTED, chosen.data, chosen.cache)
    tell(f"{time.monotonic() - started:.0f} s until all was rendered")
    started = time.monotonic()
    model = trained(pages)
    model.save(chosen.train)
    texts = [case for case in pages if case.kind in GENERAL_KINDS]
    roles = train_role_cases([*texts, *commented], None, PROVENANCE, tell)
    roles.save(chosen.train.with_name(ROLES))
    figures = {
        "minutes": round((time.monotonic() - started) / 60, 1),
        "megabytes": round(chosen.train.stat().st_size / 1e6, 2),
        **model.provenance,
    }
    print(json.dumps(figures))


def cases(data: Path, cache: Path) -> list[Case]:
    """Pages of all conventions, unpacked and rendered where they are not yet."""
    sites = unpack_sites(data, cache)
    return teaching_cases(Teaching(folders(PAGES, data, cache), sites), cache)


def pages_of(names: Sequence[str], data: Path, cache: Path) -> list[Case]:
    return teaching_cases(Teaching(folders(names, data, cache)), cache)


def folders(names: Sequence[str], data: Path, cache: Path) -> tuple[Path, ...]:
    return tuple(unpack(data / "pages" / f"{name}.tar.xz", cache) for name in names)


def labelled(pages: Sequence[Case], *, static: bool) -> tuple[Sample, ...]:
    return label_cases(pages, static=static, tell=tell, advance=lambda: None)


def tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def trained(pages: Sequence[Case]) -> ArticleModel:
    """The model that is shipped."""
    return train_cases(
        Curriculum(labelled(pages, static=True)), TrainingOptions(), PROVENANCE, tell
    )


if __name__ == "__main__":
    main()
