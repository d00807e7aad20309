"""Roles of text blocks, and presets: the roles that count as the text of a page.

A role describes what a block is on its page. Which roles are the text is a separate choice of
the caller: data sets and readers disagree about standfirsts, captions, tables and notes.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

from ...errors import UnknownRoleError
from ...names import check_type, unknown_name

ROLES = (
    "boilerplate", "title", "kicker", "standfirst", "byline", "dateline", "paragraph",
    "subheading", "list-item", "quotation", "pull-quote", "table", "code", "embed", "caption",
    "credit", "note", "author-bio", "side-box", "related", "call-to-action", "comment",
)  # fmt: skip
"""All roles, in the order of their codes."""

LETTERS = ".TKSYDBHLQPXGECRNAIOFM"
"""One letter for each role, as files of role labels write them."""

BOILERPLATE = "boilerplate"

Preset = Literal["article", "body", "everything"]

DEFAULT_PRESET: Preset = "article"

_BODY = frozenset(("paragraph", "subheading", "list-item", "quotation", "table", "code", "embed"))
_ARTICLE = _BODY | {"standfirst"}

PRESETS: dict[Preset, frozenset[str]] = {
    "article": _ARTICLE,
    "body": _BODY,
    "everything": _ARTICLE | {"caption", "note", "side-box", "author-bio", "pull-quote"},
}
"""Roles that each preset counts as the text.

``article`` is what a reader reads; ``body`` leaves the standfirst out; ``everything`` is all that
the author or the newsroom wrote for this page.
"""


def role_set(
    preset: str = DEFAULT_PRESET, include: Collection[str] = (), exclude: Collection[str] = ()
) -> frozenset[str]:
    """Roles that count as the text.

    Parameters
    ----------
    preset
        One of `PRESETS`.
    include, exclude
        Single roles to add to the preset, and to remove from it.

    Raises
    ------
    UnknownRoleError
        There is no preset or role of this name, or no role remains; the message lists the valid
        names.
    TypeError
        A name is not a string, or the roles are not in a list or another collection.

    Examples
    --------
    >>> sorted(role_set("article") - role_set("body"))
    ['standfirst']
    >>> "caption" in role_set("body", include=["caption"])
    True
    """
    check_type("a preset", preset, str)
    if preset not in PRESETS:
        raise UnknownRoleError(unknown_name("preset", preset, PRESETS))
    if isinstance(include, str) or isinstance(exclude, str):
        raise UnknownRoleError("include and exclude are lists of roles, not single ones")
    for name, roles in (("include", include), ("exclude", exclude)):
        check_type(name, roles, Collection)
        for role in roles:
            check_type("a role", role, str)
    added, removed = frozenset(include), frozenset(exclude)
    for role in sorted((added | removed).difference(ROLES)):
        raise UnknownRoleError(unknown_name("role", role, ROLES))
    roles = (PRESETS[preset] | added) - removed
    if not roles:
        raise UnknownRoleError("no role is left; at least one must count as the text")
    return roles
