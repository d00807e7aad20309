"""`miolo evaluate`: score methods and other extractors."""

from __future__ import annotations

from .evaluation_options import Evaluation
from .render_options import QUIET
from .shared_options import with_values


@with_values("chosen", Evaluation)
def evaluate(chosen: Evaluation, quiet: bool = QUIET) -> None:
    """Score methods and other extractors on pages with known articles."""
    chosen.check()
    from .evaluation import run_evaluation

    run_evaluation(chosen)
