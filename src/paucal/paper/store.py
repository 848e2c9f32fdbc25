"""The file that finished cells are appended to: one line each, on the disk before the next one begins.

The first line names the format. A run that is killed leaves at most one unfinished last line, which the next run cuts
off; every other damage, and every file that does not begin with our first line, is refused and left as it is. A lock
keeps a second run away, and goes with the process that held it.
"""

from __future__ import annotations

import json
import os
from functools import partial
from typing import TYPE_CHECKING, Any

from paucal.errors import FileError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from io import FileIO
    from pathlib import Path
    from types import TracebackType
    from typing import Self

    from paucal.paper.design import Plain

NAME = "cells.jsonl"
HEADER: dict[str, Plain] = {"format": "paucal reproduce", "version": 1}
_FIRST_LINE = (json.dumps(HEADER) + "\n").encode()


class Store:
    """All finished cells of a folder, by key; a context manager that holds the lock."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / NAME
        self.cells: dict[str, dict[str, Any]] = {}
        self.runs: list[dict[str, Any]] = []
        self._file: FileIO | None = None

    def __enter__(self) -> Self:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            file = self.path.open("a+b", buffering=0)  # what a full disk does not take is not tried again at the end
        except OSError as error:
            raise FileError(
                f"{self.path} cannot be written: {error.strerror or error}.", hint="Choose another folder with --out."
            ) from error
        try:
            _lock(file, self.path)
            self._read(file)
        except BaseException:
            file.close()
            raise
        self._file = file
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            self._file.close()  # the lock goes with it
            self._file = None

    def append(self, record: Mapping[str, Plain]) -> None:
        """Write one finished cell; it is on the disk when this returns."""
        self._write(record)
        self.cells.setdefault(str(record["key"]), dict(record))

    def note_run(self, run: Mapping[str, Plain]) -> None:
        """Write down that a run began: its command, date and versions."""
        self._write({"run": dict(run)})
        self.runs.append(dict(run))

    def _write(self, record: Mapping[str, Plain]) -> None:
        if self._file is None:
            raise FileError(f"{self.path} is not open.", hint="Use the store in a with block.")
        line = json.dumps(record, separators=(",", ":"), allow_nan=False) + "\n"
        self._to_disk(self._file, line.encode())

    def _to_disk(self, file: FileIO, line: bytes) -> None:
        try:
            while line:  # a disk that is nearly full takes a part
                line = line[file.write(line) or 0 :]
            os.fsync(file.fileno())
        except OSError as error:
            raise FileError(
                f"{self.path} cannot be written: {error.strerror or error}.",
                hint="The finished cells are kept; make room and give the same command again.",
            ) from error

    def _read(self, file: FileIO) -> None:
        file.seek(0)
        content = file.read()
        if len(content) < len(_FIRST_LINE) and _FIRST_LINE.startswith(content):
            file.truncate(0)  # new, or killed while the first line was written
            self._to_disk(file, _FIRST_LINE)
            return
        if not content.startswith(_FIRST_LINE):
            raise FileError(
                f"{self.path} is not a results file of this version of paucal.",
                hint="Nothing was changed. Choose another folder with --out, or move the file away.",
            )
        whole = content.rfind(b"\n") + 1
        for number, line in enumerate(content[:whole].split(b"\n")[:-1], 1):
            self._take(number, line)
        if whole < len(content):
            file.truncate(whole)
        file.seek(0, os.SEEK_END)

    def _take(self, number: int, line: bytes) -> None:
        try:
            record = json.loads(line)
            if "run" in record:
                self.runs.append(dict(record["run"]))
            elif record != HEADER:
                self.cells.setdefault(str(record["key"]), {**record, "result": dict(record["result"])})
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise FileError(
                f"Line {number} of {self.path} is damaged.",
                hint="Nothing was changed. Remove that line and its cell is computed again, or choose another --out.",
            ) from error


def _lock(file: FileIO, path: Path) -> None:
    """Take the file for this process alone; the system gives it back when the process ends, however it ends."""
    try:
        import fcntl
    except ImportError:  # Windows
        import msvcrt

        file.seek(0)
        windows: Any = msvcrt
        take = partial(windows.locking, file.fileno(), windows.LK_NBLCK, 1)
    else:
        take = partial(fcntl.flock, file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    try:
        take()
    except OSError as error:
        raise FileError(
            f"Another run is writing to {path}.", hint="Wait for it, or choose another folder with --out."
        ) from error
