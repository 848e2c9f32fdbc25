"""Read a file in a process of its own, because damaged files bring down the libraries that read them.

What crashes there is an error here, and what it writes to the terminal is not seen.
"""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paucal.data.engine import damaged
from paucal.errors import FileError

if TYPE_CHECKING:
    from collections.abc import Collection

_SCRIPT = Path(__file__).with_name("foreign_reader.py")
_SECONDS, _SECONDS_PER_MB = 60, 2  # a file that takes longer is a damaged one


class Refused(Exception):  # noqa: N818 - it is caught at once
    """The library raised an error of the given name."""


def read_apart(task: str, copy: Path, label: str, *, told_apart: Collection[str] = (), **told: Any) -> Any:
    """Carry out a task of `foreign_reader` on a file of which `copy` is a private copy.

    An error of the library whose name is in `told_apart` comes out as `Refused`, all others as ours about `label`.
    """
    answer = copy.with_name("answer")
    words = json.dumps({"task": task, "path": str(copy), "sys_path": sys.path, **told})
    limit = _SECONDS + _SECONDS_PER_MB * copy.stat().st_size // 1_000_000
    try:
        done = subprocess.run(  # noqa: S603 - our own script
            [sys.executable, "-P", str(_SCRIPT), words, str(answer)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=limit,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        problem = f"{label} cannot be read within {limit} seconds."
        raise FileError(problem, hint="Is it damaged? Save it as CSV.") from error
    if done.returncode or not answer.exists():
        problem = f"{label} cannot be read: its reader broke off."
        raise FileError(problem, hint="Is it damaged, or of another format?")
    name, found = pickle.loads(answer.read_bytes())  # noqa: S301 - written by our own process into our own folder
    if name is None:
        return found
    if name in told_apart:
        raise Refused(name)
    raise damaged(label, Exception(found or name))
