"""Read a file in a process of its own, because damaged files bring down the libraries that read them.

What crashes there is an error here, and what it writes to the terminal is not seen. The file is handed over open and
the answer comes through a pipe, so that no copy of the data is ever left on disk.
"""

from __future__ import annotations

import io
import json
import pickle
import subprocess
import sys
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from paucal.data.engine import damaged
from paucal.errors import FileError

if TYPE_CHECKING:
    from collections.abc import Collection

_SCRIPT = Path(__file__).with_name("foreign_reader.py")
_SECONDS, _SECONDS_PER_MB = 60, 2  # a file that takes longer is a damaged one


class Refused(Exception):  # noqa: N818 - it is caught at once
    """The library raised an error of the given name."""


def read_apart(task: str, stream: IO[bytes], label: str, *, told_apart: Collection[str] = (), **told: Any) -> Any:
    """Carry out a task of `foreign_reader` on an open file.

    An error of the library whose name is in `told_apart` comes out as `Refused`, all others as ours about `label`.
    """
    words = json.dumps({"task": task, "sys_path": sys.path, **told})
    limit = _SECONDS + _SECONDS_PER_MB * stream.seek(0, io.SEEK_END) // 1_000_000
    stream.seek(0)
    try:
        done = subprocess.run(  # noqa: S603 - our own script
            [sys.executable, "-P", str(_SCRIPT), words],
            stdin=stream,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=limit,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        problem = f"{label} cannot be read within {limit} seconds."
        raise FileError(problem, hint="Is it damaged? Save it as CSV.") from error
    if done.returncode or not done.stdout:
        problem = f"{label} cannot be read: its reader broke off."
        raise FileError(problem, hint="Is it damaged, or of another format?")
    name, found = pickle.loads(done.stdout)  # noqa: S301 - written by our own process into our own pipe
    if name is None:
        return found
    if name in told_apart:
        raise Refused(name)
    raise damaged(label, Exception(found or name))
