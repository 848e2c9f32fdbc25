"""How objects look in a notebook: as a table where they are one, otherwise as `print` shows them."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_MOST_ROWS = 60


class Shown:
    """Whatever prints well: a notebook shows what `print` writes, with its line ends."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


def html_table(title: str, heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Write a table for a notebook; of many rows the first.

    >>> html_table("2 columns", ["column"], [["a"], ["b"]])[:44]
    '<div><p>2 columns</p><table><thead><tr><th>c'
    """
    kept = list(rows)
    top = "".join(f"<th>{html.escape(head)}</th>" for head in heads)
    lines = "".join(
        f"<tr>{''.join(f'<td>{html.escape(str(cell))}</td>' for cell in row)}</tr>" for row in kept[:_MOST_ROWS]
    )
    more = f"<p>and {len(kept) - _MOST_ROWS:,} more</p>" if len(kept) > _MOST_ROWS else ""
    body = f"<table><thead><tr>{top}</tr></thead><tbody>{lines}</tbody></table>" if kept else ""
    return f"<div><p>{html.escape(title)}</p>{body}{more}</div>"
