"""Background knowledge as bnlearn's lists: two columns, from and to, of arrows that must or must not be there."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

from paucal.errors import KnowledgeError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from paucal.graphs.knowledge import Knowledge
    from paucal.graphs.sentences import Arc

_HEAD = ("from", "to")
_FORM = 'Two columns are needed, "from" and "to", and an arrow in every row.'


def parts_of_whitelist(text: str) -> dict[str, Any]:
    """Read arrows that must be there."""
    return {"required": _arrows(text)}


def parts_of_blacklist(text: str) -> dict[str, Any]:
    """Read arrows that must not be there."""
    return {"forbidden": _arrows(text)}


def whitelist_of(known: Knowledge, nodes: Sequence[str] | None) -> str:
    """Write the required arrows."""
    del nodes
    return _table(known.required)


def blacklist_of(known: Knowledge, nodes: Sequence[str] | None) -> str:
    """Write every arrow that any word forbids."""
    return _table(forbidden_arrows(known, nodes))


def forbidden_arrows(known: Knowledge, nodes: Sequence[str] | None) -> list[Arc]:
    """List every forbidden arrow; for an outcome and the like all columns must be known."""
    if nodes is None:
        for word in ("outcome", "exogenous", "randomised"):
            if getattr(known, word):
                raise KnowledgeError(
                    f"{word}={list(getattr(known, word))!r} is about all columns, and these are not known.",
                    hint="Give nodes=data.names.",
                )
        nodes = known.names
    matrix = known.forbidden_matrix(nodes)
    return [(a, b) for i, a in enumerate(nodes) for j, b in enumerate(nodes) if i != j and matrix[i, j]]


def _table(arrows: Iterable[Arc]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([_HEAD, *arrows])
    return out.getvalue()


def _arrows(text: str) -> list[Arc]:
    rows = [row for row in csv.reader(io.StringIO(text.removeprefix("\ufeff"))) if row]
    # R writes the numbers of the rows in front, unless told not to
    rows = [row[1:] if len(row) == 3 else row for row in rows]
    if rows and tuple(name.strip().lower() for name in rows[0]) == _HEAD:
        rows = rows[1:]
    for number, row in enumerate(rows, 1):
        if len(row) != 2:
            raise KnowledgeError(f"Row {number} has {len(row)} values: {row!r}.", hint=_FORM)
    return [(row[0], row[1]) for row in rows]
