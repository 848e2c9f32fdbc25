"""A progress bar for people: on a terminal only, and only for work that takes more than a second."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Self

    from rich.progress import Progress as Bar
    from rich.progress import TaskID

_PATIENCE = 1.0  # seconds before the bar appears


class TerminalProgress:
    """A progress callback that draws on standard error."""

    def __init__(self) -> None:
        self._wanted = sys.stderr.isatty()
        self._start = time.monotonic()
        self._bar: Bar | None = None
        self._task: TaskID | None = None

    def __call__(self, stage: str, done: int, total: int | None) -> None:
        """Show how far a stage is."""
        if not self._wanted or time.monotonic() - self._start < _PATIENCE:
            return
        if self._bar is None or self._task is None:
            self._bar, self._task = self._draw()
        self._bar.update(self._task, description=stage, completed=done, total=total)

    def _draw(self) -> tuple[Bar, TaskID]:
        from rich import progress
        from rich.console import Console

        bar = progress.Progress(
            "{task.description}",
            progress.BarColumn(),
            progress.MofNCompleteColumn(),
            progress.TimeElapsedColumn(),
            "left",
            progress.TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        bar.start()
        return bar, bar.add_task("", total=None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()
