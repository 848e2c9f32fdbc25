"""Files that are either wholly written or not at all."""

from __future__ import annotations

import errno
import os
import tempfile
from contextlib import contextmanager, suppress
from typing import IO, TYPE_CHECKING

from paucal import checks
from paucal.errors import FileError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a temporary file beside `path` that takes its place when the block ends well.

    If the block fails, or is interrupted, what was at `path` stays as it was and nothing is left behind. A link is
    followed. What is no regular file, such as a device or a pipe, cannot be replaced without destroying it: that is
    written to.
    """
    target = checks.path("path", path)
    try:
        target = target.resolve()
        other = target.exists() and not target.is_file() and not target.is_dir()
    except OSError as error:  # such as a name that is too long
        raise _refusal(target, error) from error
    if other:
        try:
            with target.open("wb") as file:
                yield file
        except OSError as error:
            raise _refusal(target, error) from error
        return
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:80]}.", suffix=".part")
    except OSError as error:
        raise _refusal(target, error) from error
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
        mode = target.stat().st_mode if target.exists() else 0o666 & ~_umask()
        os.chmod(name, mode)  # noqa: PTH101 - a name, as mkstemp gives it
        os.replace(name, target)  # noqa: PTH105
    except BaseException as error:
        with suppress(OSError):
            os.unlink(name)  # noqa: PTH108
        if isinstance(error, OSError) and not isinstance(error, FileError):
            raise _refusal(target, error) from error
        raise


def refuse_unwritable(path: str | os.PathLike[str]) -> None:
    """Refuse at once a path that `replacing` could not write, before anybody works for what is to stand there."""
    target = checks.path("path", path)
    try:
        target = target.resolve()
        if target.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if target.exists() and not target.is_file():
            return
        if not target.parent.is_dir():
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        if not os.access(target.parent, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except OSError as error:
        raise _refusal(target, error) from error


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write text as UTF-8, replacing the file in one step."""
    with replacing(path) as file:
        file.write(text.encode())


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current


def _refusal(target: Path, error: OSError) -> FileError:
    full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
    hint = "Make room, or write elsewhere." if full else "Check that its folder exists and is writable."
    if error.errno == errno.EISDIR:
        hint = "Name a file in it."
    return FileError(f"{target} cannot be written: {error.strerror or error}.", hint=hint)
