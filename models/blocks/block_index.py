"""`BlockIndex`: the blocks of a site's pages, against which the blocks of a page are compared."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...features.block_sets import BlockSet, Cut
from ...renderer.page.snapshot import Snapshot
from ..page_names import page_names
from .profiles import Profile, Structure, block_profiles
from .redundancy import RedundancyOptions, Verdicts, classify

MAX_PAGES = 40
"""Maximum number of pages compared with, as in the thesis."""


@dataclass(frozen=True, eq=False)
class JudgedBlocks:
    """The blocks of a page and the site's verdicts on them."""

    blocks: BlockSet
    verdict: NDArray[np.int64]
    """int64, shape (blocks,): index of each block in `verdicts`; -1 for blocks without words."""
    verdicts: Verdicts


class BlockIndex:
    """The distinct blocks of at most `MAX_PAGES` pages of a site; later pages are ignored.

    `cut`: How pages are cut into blocks. Rendered blocks are identical if their texts are.
    """

    # `pages` holds, for each page, its names and the numbers of its blocks in `profiles`.

    def __init__(self, cut: Cut | None = None) -> None:
        self.cut = cut or Cut()
        self.profiles: dict[Profile, int] = {}
        self.pages: list[tuple[frozenset[int], list[int]]] = []

    def __len__(self) -> int:
        """Number of pages learned from."""
        return len(self.pages)

    def __repr__(self) -> str:
        return f"<BlockIndex of {len(self)} pages, {len(self.profiles)} blocks>"

    def add(self, snapshot: Snapshot) -> None:
        """Learn from one more page."""
        if len(self) < MAX_PAGES:
            profiles = self._profiles(snapshot, self.cut.blocks(snapshot))
            numbers = [
                self.profiles.setdefault(profile, len(self.profiles))
                for profile in profiles.values()
            ]
            self.pages.append((page_names(snapshot), numbers))

    def judge(self, snapshot: Snapshot, options: RedundancyOptions | None = None) -> JudgedBlocks:
        """Decide which blocks of a page are content; the page may be among those learned from."""
        blocks = self.cut.blocks(snapshot)
        profiles = self._profiles(snapshot, blocks)
        number_of = dict(self.profiles)
        numbers = [number_of.setdefault(profile, len(number_of)) for profile in profiles.values()]
        names = page_names(snapshot)
        others = [page for other_names, page in self.pages if not other_names & names]
        (verdicts,) = classify([*others, numbers], list(number_of), [len(others)], options)
        verdict = np.full(len(blocks), -1, np.int64)
        verdict[list(profiles)] = np.searchsorted(verdicts.blocks, numbers)
        return JudgedBlocks(blocks, verdict, verdicts)

    def to_json(self) -> dict[str, Any]:
        """What was learned, as JSON values."""
        structures: dict[Structure, int] = {}
        rows = [
            [
                profile.text,
                profile.language,
                structures.setdefault(profile.structure, len(structures)),
                f"{profile.identity:016x}",
            ]
            for profile in self.profiles
        ]
        return {
            "cut": asdict(self.cut),
            "structures": [
                [" ".join(s.tags), " ".join(map(str, s.levels)), " ".join(s.classes)]
                for s in structures
            ],
            "blocks": rows,
            "pages": [
                {"names": [f"{name:016x}" for name in sorted(names)], "blocks": blocks}
                for names, blocks in self.pages
            ],
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> BlockIndex:
        """Read the output of `to_json`."""
        cut = Cut(**{**data["cut"], "tags": tuple(data["cut"]["tags"])})
        index = cls(cut)
        structures = [
            Structure(tuple(tags.split()), tuple(map(int, levels.split())), tuple(classes.split()))
            for tags, levels, classes in data["structures"]
        ]
        for text, language, structure, identity in data["blocks"]:
            profile = Profile.of(text, language, structures[structure], int(identity, 16))
            index.profiles.setdefault(profile, len(index.profiles))
        for page in data["pages"]:
            blocks = [int(block) for block in page["blocks"]]
            if not all(0 <= block < len(index.profiles) for block in blocks):
                raise ValueError("a page refers to a block that does not exist")
            index.pages.append((frozenset(int(name, 16) for name in page["names"]), blocks))
        return index

    def _profiles(self, snapshot: Snapshot, blocks: BlockSet) -> dict[int, Profile]:
        return block_profiles(snapshot, blocks, by_text=not self.cut.tags)
