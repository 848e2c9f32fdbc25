"""Ctrl-C: one line and exit code 130; a command that has a part of its result by then tells it first."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from paucal.errors import Interrupted

if TYPE_CHECKING:
    from collections.abc import Iterator

CODE = 130  # what a shell gives a command that Ctrl-C has ended


@dataclass
class Caught:
    """What a search had when somebody pressed Ctrl-C; None if nobody did."""

    result: Any = None

    def leave(self) -> None:
        """End the command, after what there was has been told."""
        if self.result is not None:
            click.echo("paucal: interrupted; this is what there was by then.", err=True)
            sys.exit(CODE)


@contextmanager
def partial_result() -> Iterator[Caught]:
    """Keep what an interrupted search had."""
    caught = Caught()
    try:
        yield caught
    except Interrupted as stop:
        caught.result = stop.result
