"""Open a file or standard input, decompressed, in a form that can be read from any position."""

from __future__ import annotations

import lzma
import os
import shutil
import sys
import tempfile
import zlib
from contextlib import ExitStack, contextmanager
from glob import glob, has_magic
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple, cast

from paucal.errors import FileError, PaucalError, short

if TYPE_CHECKING:
    from collections.abc import Iterator


class _Packing(NamedTuple):
    """A compression: its name, how names of its files end and their bytes begin, and who undoes it."""

    name: str
    ending: str
    magic: bytes
    module: str


_PACKINGS = (
    _Packing("gzip", ".gz", b"\x1f\x8b", "gzip"),
    _Packing("bzip2", ".bz2", b"BZh", "bz2"),
    _Packing("xz", ".xz", b"\xfd7zXZ\x00", "lzma"),
)


def matching(path: str | os.PathLike[str]) -> list[str] | None:
    """Give the Parquet files that a pattern names; None if it is the path of one file."""
    text = os.fsdecode(path)
    if not has_magic(text) or Path(text).exists():
        return None
    found = sorted(glob(os.path.expanduser(text), recursive=True))  # noqa: PTH111, PTH207 - any pattern, also absolute
    if not found:
        raise FileError(f"No file matches {text}.", hint=f"Looked in {Path.cwd()}.")
    for one in found:
        with Path(one).open("rb") as stream:
            if stream.read(4) != b"PAR1":
                raise FileError(f"{one} is not a Parquet file.", hint="A pattern must name Parquet files of one table.")
    return found


@contextmanager
def opened(path: str | os.PathLike[str], label: str) -> Iterator[IO[bytes]]:
    """Open a file or standard input, decompressed, in a form that can be read from any position."""
    try:
        with ExitStack() as stack:
            if path == "-":
                stream = stack.enter_context(_spool(_standard_input()))
            else:
                stream = stack.enter_context(_open_path(path, label))
                if not stream.seekable():  # a named pipe
                    stream = stack.enter_context(_spool(stream))
            start = stream.read(8)
            stream.seek(0)
            for packing in _PACKINGS:
                if start.startswith(packing.magic):
                    stream = stack.enter_context(_unpacked(stream, packing, label))
                    break
                if label.lower().endswith(packing.ending):
                    said = f"{label} is not compressed by {packing.name}, as its name says."
                    raise FileError(said, hint="Rename it.")
            yield stream
    except PaucalError:
        raise
    except OSError as error:
        raise _unreadable(label, error) from error


def _open_path(path: str | os.PathLike[str], label: str) -> IO[bytes]:
    try:
        return Path(path).expanduser().open("rb")
    except (ValueError, RuntimeError) as error:  # a NUL in it; the home of somebody unknown
        problem = f"{label!r} is not a path: {str(error).rstrip('.')}."
        raise FileError(problem, hint="Give the path of a file.") from error


@contextmanager
def _unpacked(stream: IO[bytes], packing: _Packing, label: str) -> Iterator[IO[bytes]]:
    """Decompress to a file; what fails in doing so is said of the compression."""
    from importlib import import_module

    with ExitStack() as stack:
        try:
            plain = stack.enter_context(_spool(import_module(packing.module).open(stream, "rb")))
        except (EOFError, ValueError, OSError, zlib.error, lzma.LZMAError) as error:
            problem = f"{label} is a damaged {packing.name} file: {str(error).rstrip('.')}."
            raise FileError(problem, hint="Copy or compress it again.") from error
        yield plain


@contextmanager
def _spool(stream: IO[bytes]) -> Iterator[IO[bytes]]:
    """Copy what can be read only once to a file that goes away when it is closed."""
    with tempfile.TemporaryFile() as copy:
        shutil.copyfileobj(stream, copy)
        copy.seek(0)
        yield copy


def path_of(stream: IO[bytes]) -> str:
    """Give a path under which a library can open the same file again, also one that has no name."""
    if os.name == "posix":
        return f"/dev/fd/{stream.fileno()}"
    if isinstance(stream.name, str):
        return stream.name
    raise FileError("Such a file cannot be read from a pipe or compressed here.", hint="Unpack it into a file first.")


def without_packing(name: str) -> str:
    """Take the ending of a compressed file off its name."""
    for packing in _PACKINGS:
        name = name.removesuffix(packing.ending)
    return name


def _standard_input() -> IO[bytes]:
    buffer = getattr(sys.stdin, "buffer", None)
    if buffer is None:
        raise FileError("There is no standard input to read from.", hint="Give the path of a file.")
    return cast("IO[bytes]", buffer)


def _unreadable(label: str, error: OSError) -> FileError:
    if "://" in label:
        problem, hint = f"{label} is not on this machine.", "Download it first: paucal reads local files."
    elif isinstance(error, FileNotFoundError):
        folder = Path(label).expanduser().absolute().parent
        problem, hint = f"There is no file {label}.", f"Looked in {folder}."
    elif isinstance(error, IsADirectoryError):
        problem, hint = f"{label} is a folder.", "Give the path of one file."
    elif isinstance(error, PermissionError):
        problem, hint = f"You have no permission to read {label}.", "Ask its owner, or change its permissions."
    else:
        problem = f"{short(label, 100)} cannot be read: {error.strerror or error}."
        hint = "Give the path of a file."
    return FileError(problem, hint=hint)
