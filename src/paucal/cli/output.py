"""What every command does with its result: a table for people, JSON for programs."""

from __future__ import annotations

import json
import math
import sys
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def tell(text: str = "", *, err: bool = False, nl: bool = True) -> None:
    """Print a text for people: control characters in it, such as those in a name, are shown and not obeyed."""
    click.echo(visible(text), err=err, nl=nl)


def visible(text: str) -> str:
    r"""Show control characters instead of obeying them; lines stay lines.

    >>> visible("a\x1b[2Jb")
    'a\\x1b[2Jb'
    """
    if text.isascii() and text.isprintable():  # nearly always
        return text
    return "".join(c if c.isprintable() or c == "\n" else repr(c)[1:-1] for c in text)


def print_json(value: Any) -> None:
    """Print plain values as JSON; numbers that JSON cannot say become null."""
    click.echo(json.dumps(_plain(value), indent=2, ensure_ascii=False, allow_nan=False))


def print_table(headings: Sequence[str], rows: Iterable[Sequence[str]], *, left: int = 1, title: str = "") -> None:
    """Print rows as a table, the first `left` columns aligned to the left; plain text when piped."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(
        title=visible(title) or None, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False
    )
    for i, heading in enumerate(headings):
        table.add_column(heading, justify="left" if i < left else "right", overflow="fold")
    for row in rows:
        table.add_row(*(Text(visible(cell)) for cell in row))  # Text: names may contain what rich reads as markup
    console = Console()
    if not console.is_terminal:
        console = Console(width=max(console.width, 160))  # a pipe has no width to fit
    with console.capture() as written:
        console.print(table)
    # rich ends with an error if somebody has closed the pipe; click writes letters that the terminal may not know
    sys.stdout.write(written.get())
    sys.stdout.flush()


def number(value: float | None, digits: int = 4) -> str:
    """Format a number for a table cell; a dash where there is none."""
    return "-" if value is None or math.isnan(value) else f"{value:.{digits}g}"


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
