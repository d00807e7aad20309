"""Template detection on unseen sites: the design of the 2007 report repeated, and ours.

    python benchmarks/template.py [--choose] [--save models/template.json] [--picture FILE.svg]

Models are trained on SiteLevel's labels of some sites, and tested on pages of others against the
node that holds the article. Precision, recall and F of both classes are macro-averaged over pages.
`--choose` compares settings on the training sites only, each judged by a model of the others.
"""

from __future__ import annotations

import itertools
import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from corpus import parser
from miolo.evaluate.training.template_model import TemplateReport, macro_scores
from miolo.models.templates.model import (
    OURS,
    REPORT,
    SiteRows,
    TemplateModel,
    TemplateSetting,
    area_bands,
    train_template,
)
from numpy.typing import NDArray
from template_pages import NEWS, TEST, StudyPage, study_sites
from template_pictures import area_histograms

Sites = dict[str, list[StudyPage]]
Verdict = Callable[[StudyPage], NDArray[np.bool_]]


def main() -> None:
    options = parser(__doc__ or "")
    options.add_argument("--choose", action="store_true", help="compare settings by training sites")
    options.add_argument("--save", type=Path, help="where to write the model trained with ours")
    options.add_argument("--picture", type=Path, help="where to draw the histograms of areas")
    options.add_argument("--pages", type=int, default=0, help="posts a site, 0 for all")
    chosen = options.parse_args()
    sites = study_sites(chosen.data, chosen.cache, chosen.pages)
    train = {name: pages for name, pages in sites.items() if name not in TEST}
    test = {name: pages for name, pages in sites.items() if name in TEST}
    tables(sites)
    if chosen.picture:
        area_histograms({name: areas(pages) for name, pages in sites.items()}, chosen.picture)
    if chosen.choose:
        choose(train)
    figures = study(train, test)
    if chosen.save:
        save(train, chosen.save, figures)
    print(json.dumps({"content_f1": figures}))


def tables(sites: Sites) -> None:
    """Print the report's tables 3 to 5: share of template and quartiles of area by site."""
    print(f"{'site':15} pages   nodes template      %   quartiles of area, px²")
    for name, pages in sites.items():
        nodes, marked = sum(p.nodes for p in pages), sum(p.template_nodes for p in pages)
        quartiles = np.quantile(np.concatenate([p.area for p in pages]), (0.25, 0.5, 0.75))
        cells = " ".join(f"{value:9.0f}" for value in quartiles)
        print(
            f"{name:15} {len(pages):5} {nodes:7} {marked:8} {100 * marked / nodes:6.1f}   {cells}"
        )
    bounds = area_bands([np.concatenate([p.area for p in pages]) for pages in sites.values()])
    print(f"{'mean':40}   " + " ".join(f"{bound:9.0f}" for bound in bounds))


def areas(pages: Sequence[StudyPage]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Areas of a site's nodes, and SiteLevel's labels."""
    labels = np.concatenate([page.labels["structure"] for page in pages])
    return np.concatenate([page.area for page in pages]), labels


def study(train: Sites, test: Sites) -> dict[str, float]:
    """Evaluate all settings on the test pages; returns the content F1 values of the summary."""
    print(f"\n{'setting':34}  template P     R     F   content P     R     F   ms/page")
    rows: dict[str, TemplateReport] = {}
    rows["all template"] = report_of(
        "all template", lambda page: np.ones(len(page.area), bool), test
    )
    for kind, c in itertools.product(("specific", "total"), (None, 0.01, 0.1, 1.0)):
        name = f"report, {kind}, " + ("raw" if c is None else f"c={c:g}")
        rows[name] = report_of(name, report_verdict(train, replace(REPORT, c=c), kind), test)
    ours = model(train, OURS)
    rows["ours"] = report_of("Miolo's setting", lambda page: verdict(ours, page), test)
    steps(train, test)
    print("\ncontent F1 of Miolo's setting by test site:")
    for name, pages in test.items():
        print(f"  {name:15} {scores(lambda page: verdict(ours, page), [pages]).content.f1:.3f}")
    smoothed = [row.content.f1 for name, row in rows.items() if "c=" in name]
    raw = max(row.content.f1 for name, row in rows.items() if name.endswith("raw"))
    return {
        "raw": round(raw, 4),
        "report_best": round(max(raw, *smoothed), 4),
        "ours": round(rows["ours"].content.f1, 4),
        "all_template": round(rows["all template"].content.f1, 4),
    }


def steps(train: Sites, test: Sites) -> None:
    """Evaluate the changes from the report's setting to ours, one at a time."""
    print("\nfrom the report's raw total setting to Miolo's:")
    setting = replace(REPORT, c=None)
    changes = {
        "relative distances": {"features": "report"},
        "sites weigh alike": {"sites_alike": True},
        "one band": {"bands": "one", "strength": OURS.strength},
        "layout features": {"features": "layout"},
        "one region": {"decision": "region"},
        "contrast": {"contrast": OURS.contrast},
    }
    for name, change in changes.items():
        setting = replace(setting, **change)
        fitted = model(train, setting)
        report_of(name, lambda page, fitted=fitted: verdict(fitted, page), test)


def report_verdict(train: Sites, setting: TemplateSetting, kind: str) -> Verdict:
    """Verdict by the model of the page's own kind of site, or by that of all sites."""
    if kind == "total":
        fitted = model(train, setting)
        return lambda page: verdict(fitted, page)
    news = model({name: pages for name, pages in train.items() if name in NEWS}, setting)
    blogs = model({name: pages for name, pages in train.items() if name not in NEWS}, setting)
    return lambda page: verdict(news if page.news else blogs, page)


def model(train: Sites, setting: TemplateSetting) -> TemplateModel:
    return train_template([rows(n, p, setting) for n, p in train.items()], setting)


def rows(name: str, pages: Sequence[StudyPage], setting: TemplateSetting) -> SiteRows:
    return SiteRows(
        name,
        np.concatenate([page.area for page in pages]),
        np.concatenate([page.features[setting.features] for page in pages]),
        np.concatenate([page.labels[setting.hashing] for page in pages]),
    )


def verdict(model: TemplateModel, page: StudyPage) -> NDArray[np.bool_]:
    raw = model.probabilities(page.area, page.features[model.features])
    return model.decide(page.parent, raw, model.smooth(page.parent, raw))


def scores(judge: Verdict, sites: Sequence[list[StudyPage]]) -> TemplateReport:
    return macro_scores(
        (page.truth, judge(page)) for pages in sites for page in pages if page.truth is not None
    )


def report_of(name: str, judge: Verdict, test: Sites) -> TemplateReport:
    start = time.perf_counter()
    report = scores(judge, list(test.values()))
    milliseconds = 1000 * (time.perf_counter() - start) / report.pages
    t, c = report.template, report.content
    print(f"{name:34}       {t.precision:.3f} {t.recall:.3f} {t.f1:.3f}     "
          f" {c.precision:.3f} {c.recall:.3f} {c.f1:.3f}    {milliseconds:6.2f}")  # fmt: skip
    return report


def choose(train: Sites) -> None:
    """Print the content F1 of settings on the training sites, each judged by a model of others."""
    print("\ncontent F1 on training sites, four folds, mean over sites:")
    names = [name for name in train if any(page.truth is not None for page in train[name])]
    folds = [names[start::4] for start in range(4)]
    grid = itertools.product(
        ("report", "layout"), ("quartiles", "one"), (0.01, 0.1, 1.0), ("structure", "text")
    )
    uses = [{"decision": "threshold", "c": c} for c in (None, 0.01, 0.1, 1.0)]
    uses += [{"decision": "region", "contrast": part} for part in (0.0, 0.25, 0.5, 0.75, 1.0)]
    heads = [" ".join(str(value) for value in use.values()) for use in uses]
    print(f"{'':40}" + "  ".join(f"{head:>14}" for head in heads))
    for features, bands, strength, hashing in grid:
        setting = TemplateSetting(features, hashing, bands, strength, True, None, "threshold")
        f1s: list[list[float]] = [[] for _ in uses]
        for fold in folds:
            rest = {name: pages for name, pages in train.items() if name not in fold}
            fitted = model(rest, setting)
            for use, name in itertools.product(range(len(uses)), fold):
                used = replace(fitted, **uses[use])
                report = scores(lambda page, used=used: verdict(used, page), [train[name]])
                f1s[use].append(report.content.f1)
        cells = "  ".join(f"{np.mean(values):14.3f}" for values in f1s)
        print(f"  {features:7} {bands:9} C={strength:<5} {hashing:9}  {cells}", flush=True)


def save(train: Sites, path: Path, figures: dict[str, float]) -> None:
    """Train with our setting, and write the model with its provenance."""
    fitted = model(train, OURS)
    provenance = {
        "sites": list(train),
        "pages": sum(len(pages) for pages in train.values()),
        "nodes": sum(len(page.area) for pages in train.values() for page in pages),
        "date": datetime.now(UTC).date().isoformat(),
        "command": " ".join(["python", "benchmarks/template.py", "--save", "models/template.json"]),
        "content_f1_on_other_sites": figures["ours"],
    }
    replace(fitted, provenance=provenance).save(path)
    print(f"model written to {path}", file=sys.stderr)


if __name__ == "__main__":
    main()
