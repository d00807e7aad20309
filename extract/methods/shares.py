"""How much each convention of what counts as text has to say in each learned method."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from ...models.article.conventions import Convention, Shares

__all__ = ["SHARES_OF", "SharesByKind"]

# A convention that has less to say than this is not asked: its forests take as long as those of one
# that decides.
LEAST_SHARE = 0.05


@dataclass(frozen=True)
class SharesByKind:
    """What is asked of a page, whose kind is known as far as a model can tell.

    Attributes
    ----------
    article
        Shares on a page that is an article for sure.
    other
        On one that surely is none.
    """

    article: Shares
    other: Shares

    @property
    def conventions(self) -> frozenset[Convention]:
        """All that may be asked."""
        return frozenset((*self.article, *self.other))

    def on(self, article: float, learned: Collection[Convention]) -> Shares:
        """Shares on a page that may be an article.

        Parameters
        ----------
        article
            The probability that it is one, by which the two are mixed.
        learned
            Conventions that a model knows. One that knows none of the one side reads all pages
            by the other.

        Returns
        -------
        Each at least `LEAST_SHARE`.
        """
        if not any(each in self.other for each in learned):
            return self.article
        if not any(each in self.article for each in learned):
            return self.other
        mixed: dict[Convention, float] = {
            each: article * self.article.get(each, 0) + (1 - article) * self.other.get(each, 0)
            for each in sorted(self.conventions)
        }
        asked: dict[Convention, float] = {
            each: share for each, share in mixed.items() if share >= LEAST_SHARE
        }
        return asked


def _always(shares: Shares) -> SharesByKind:
    return SharesByKind(shares, shares)


SHARES_OF: Mapping[str, SharesByKind] = {
    # Nobody has said by which convention the page is read. The shares on articles were chosen on
    # four collections, judged by models that had learned from the other ones: see `docs/auto.md`.
    "auto": SharesByKind(article={"news": 0.6, "full": 0.4}, other={"page": 1.0}),
    "auto-news": _always({"news": 1.0}),
    "auto-full": _always({"full": 1.0}),
    "auto-page": _always({"page": 1.0}),
}
"""By the method's name."""
