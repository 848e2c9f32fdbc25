"""Options about how a file is read, which every command with a data file has."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Callable

_NAMES = ("delimiter", "encoding", "header", "decimal", "dates", "sheet")


def reading_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options; the command gets them as one argument `reading`, for `paucal.read`."""

    @click.option("--delimiter", metavar="CHAR", help="What separates the values; detected if not given.")
    @click.option("--encoding", metavar="NAME", help="Encoding of a text file; detected if not given.")
    @click.option(
        "--header/--no-header", default=None, help="Whether the first line holds names; detected if not given."
    )
    @click.option("--decimal", type=click.Choice([".", ","]), help="The decimal mark, where it cannot be detected.")
    @click.option(
        "--dates",
        type=click.Choice(["day-first", "month-first"]),
        help="What 3/4/2024 means, where it cannot be detected.",
    )
    @click.option("--sheet", metavar="NAME", help="Sheet of a workbook, or object of an R workspace.")
    @functools.wraps(command)
    def wrapper(*args: Any, **rest: Any) -> Any:
        reading = {name: rest.pop(name) for name in _NAMES}
        return command(*args, reading=reading, **rest)

    return wrapper
