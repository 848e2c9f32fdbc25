"""The bytes of a text file -> text: which encoding, and what is said about it.

No statistics: short tables have too little text for them. A mark at the beginning decides; then nul bytes, which only
UTF-16 has; then whether all of it is valid UTF-8. What is left is read as Windows-1252, and the first words that hang
on this are shown, because a person sees at once whether they are right.
"""

from __future__ import annotations

import codecs
import io
import re
from typing import IO, TYPE_CHECKING, NamedTuple

from paucal import checks
from paucal.data.encode import half_character
from paucal.errors import Argument, FileError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paucal.errors import Text

_CHUNK = 1 << 24
_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",  # begins like the next one
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_BE: "utf-16",
}
_WIDE = ("utf-16", "utf-16-le", "utf-16-be", "utf-32")
_SHOWN_WORDS = 3
_OTHER = Argument("encoding")


class Encoding(NamedTuple):
    """The name of an encoding, and what there is to say about how it was found."""

    name: str
    notes: tuple[str, ...] = ()
    found: bool = True  # nobody told it


def find_encoding(stream: IO[bytes], label: str, encoding: str | None) -> Encoding:
    """Tell in which encoding a text is; the stream is at its beginning before and after."""
    if encoding is not None:
        return Encoding(checks.encoding(encoding), found=False)
    start = stream.read(4096)
    stream.seek(0)
    for mark, name in _MARKS.items():
        if start.startswith(mark):
            said = f"Read as {name.upper()}." if name in _WIDE else ""
            return Encoding(name, (said,) if said else ())
    if (wide := _without_mark(start)) is not None:
        return Encoding(wide, ("Read as UTF-16, without a mark at the beginning.",))
    if _is_utf_8(stream):
        return Encoding("utf-8")
    words = _words_concerned(stream, label)
    shown = f": {', '.join(words)}" if words else ""
    return Encoding("cp1252", (f"Read as Windows-1252{shown}. If these letters are wrong: --encoding (encoding=).",))


def decode(stream: IO[bytes], label: str, encoding: Encoding) -> Iterator[str]:
    """Decode piece by piece, with every line end as a line feed; complain about bytes that are no text."""
    decoder = codecs.getincrementaldecoder("utf-8-sig" if encoding.name == "utf-8" else encoding.name)()
    lines = io.IncrementalNewlineDecoder(decoder, translate=True)
    n_lines, final = 0, False
    while not final:
        chunk = stream.read(_CHUNK)
        final = not chunk
        try:
            text = lines.decode(chunk, final=final)
        except UnicodeError as error:
            raise _undecodable(label, encoding, n_lines, error) from error
        if "\0" in text:
            line = n_lines + text.count("\n", 0, text.index("\0")) + 1
            wide = ('Is it a text file? If it was saved as "Unicode text", pass ', Argument("encoding", "utf-16"), ".")
            raise FileError(f"{label} has a NUL character in line {line}.", hint=wide)
        if half_character([text]) is not None:
            lines_of = enumerate(text.split("\n"), n_lines + 1)
            line = next(i for i, one in lines_of if half_character([one]) is not None)
            problem = f"{label}, read as {encoding.name}, has half a character in line {line}."
            raise FileError(problem, hint=("Pass another ", _OTHER, "."))
        n_lines += text.count("\n")
        if text:
            yield text


def _without_mark(start: bytes) -> str | None:
    """Recognise UTF-16 by the nul bytes of its ordinary letters: all of them in one of the two places."""
    even, odd = start[::2].count(0), start[1::2].count(0)
    if max(even, odd) < len(start) // 4 or len(start) < 4 or (even and odd):
        return None
    return "utf-16-le" if odd else "utf-16-be" if even else None


def _is_utf_8(stream: IO[bytes]) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        while chunk := stream.read(_CHUNK):
            decoder.decode(chunk)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    finally:
        stream.seek(0)
    return True


def _words_concerned(stream: IO[bytes], label: str) -> list[str]:
    """Find the first words with letters that the choice of the encoding decides on."""
    words: dict[str, None] = {}
    for text in decode(stream, label, Encoding("cp1252")):
        for found in re.finditer(r"\w*[^\x00-\x7f]\w*", text):
            words[found[0]] = None
            if len(words) == _SHOWN_WORDS:
                break
        if len(words) == _SHOWN_WORDS:
            break
    stream.seek(0)
    return list(words)


def _undecodable(label: str, encoding: Encoding, n_lines: int, error: UnicodeError) -> FileError:
    guessed = encoding.found and encoding.name == "cp1252"
    said = "neither UTF-8 nor Windows-1252" if guessed else f"not {encoding.name}"
    if not isinstance(error, UnicodeDecodeError):
        return FileError(f"{label} is {said}: {error}.", hint=("Pass its ", _OTHER, "."))
    before, byte = error.object[: error.start], error.object[error.start]
    line = n_lines + before.count(b"\n") + 1
    hint: Text = ("Is it a text file? If it is, pass its ", _OTHER, ".")
    return FileError(f"{label} is {said}: line {line} has the byte 0x{byte:02X}.", hint=hint)
