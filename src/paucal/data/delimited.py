"""CSV and its relatives.

The text is decoded and checked here, line ends are made equal, and the line of names is read; DuckDB then parses the
rest with everything told and nothing guessed, all as text, because its guesses look at a part of the file only. A line
that does not fit the header is an error, never a shorter table.
"""

from __future__ import annotations

import codecs
import csv
import io
from itertools import chain, islice
from typing import IO, TYPE_CHECKING, NamedTuple, cast

from paucal.data.encode import column
from paucal.data.engine import engine, fetch_words, literal
from paucal.data.text import text_labels
from paucal.errors import Argument, DataError, FileError, not_allowed, short

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

    import duckdb

    from paucal.data.frames import Encoded
    from paucal.data.prepare import Choice
    from paucal.errors import Text

DELIMITERS = (",", "\t", ";", "|")

_CHUNK = 1 << 24
_SAMPLE = 1 << 20
_SAMPLE_LINES = 50
_LONGEST_LINE = 1 << 30
_UTF_16 = Argument("encoding", "utf-16")
_SHORTEST_LIMIT = 1 << 21  # DuckDB's own


class _Header(NamedTuple):
    names: list[str]
    delimiter: str
    n_lines: int
    quotes: bool  # a quotation mark occurs below the header
    longest_line: int  # in bytes, or a little more


class Spelling(NamedTuple):
    """How a text is written: the words for missing values, what separates values, the encoding."""

    na_values: Collection[str]
    delimiter: str | None
    encoding: str


def read_delimited(stream: IO[bytes], folder: Path, label: str, choice: Choice, spelling: Spelling) -> Encoded:
    """Encode the columns of a text, not compressed, of which `folder` gets a clean copy; messages call it `label`."""
    na_values, delimiter, encoding = spelling
    single = isinstance(delimiter, str) and len(delimiter) == 1 and delimiter not in '"\r\n\0'
    if delimiter is not None and not single:
        raise not_allowed("delimiter", delimiter, "a character that can separate values")
    body = folder / "body.csv"
    header = _stage(stream, body, label, delimiter, encoding)
    chosen = choice.positions(header.names)
    with engine(folder, label) as connection:
        _load(connection, body, header, label)
        (n_rows,) = connection.execute("SELECT count(*) FROM body").fetchone() or (0,)
        if n_rows == 0:
            problem = "There is a line of names and nothing below it."
            raise DataError(problem, hint="Give at least one row of values.")
        fetched = fetch_words(connection, [f"c{i}" for i in chosen], "body", n_rows)
        encoded = [
            column(header.names[i], codes, text_labels(cast("list[str]", words), na_values))
            for i, (codes, words) in zip(chosen, fetched, strict=True)
        ]
    return tuple(header.names[i] for i in chosen), encoded


def _load(connection: duckdb.DuckDBPyConnection, body: Path, header: _Header, label: str) -> None:
    """Parse the lines into the table `body` of the columns c0, c1, ..., or say which line is wrong."""
    names = [f"'c{i}'" for i in range(len(header.names))]
    # A line end inside quotes is beyond a reader that begins in the middle of the file: let it have the whole.
    # (The option parallel = false is no way out: it loses a last line whose quotes are open, without an error.)
    longest = body.stat().st_size + 1 if header.quotes else header.longest_line
    connection.execute(
        f"CREATE TEMP TABLE body AS FROM read_csv({literal(str(body))}, header = false, auto_detect = false, "
        f"columns = {{{', '.join(f'{name}: VARCHAR' for name in names)}}}, force_not_null = [{', '.join(names)}], "
        f"delim = {literal(header.delimiter)}, quote = '\"', escape = '\"', new_line = '\\n', strict_mode = true, "
        f"max_line_size = {min(max(longest, _SHORTEST_LIMIT), _LONGEST_LINE)}, store_rejects = true)"
    )
    rejected = connection.execute(
        "SELECT line_byte_position, error_type, csv_line FROM reject_errors "
        "ORDER BY line_byte_position, column_idx LIMIT 1"
    ).fetchone()
    if rejected is not None:
        raise _bad_line(label, header, body, *rejected)


def _stage(stream: IO[bytes], body: Path, label: str, delimiter: str | None, encoding: str) -> _Header:
    """Copy all lines but the header to `body`, as UTF-8 with plain line ends."""
    texts = _decode(stream, label, encoding)
    first = next(texts, "")
    if not first.strip():
        raise FileError(f"{label} is empty.", hint="It should begin with a line of column names.")
    delimiter = delimiter or _guess_delimiter(first)
    names, n_lines, rest = _split_header(first, label, delimiter)
    while not rest and not first.endswith("\n"):  # the header goes on in the next piece, at least its line end
        first += next(texts, "\n")
        names, n_lines, rest = _split_header(first, label, delimiter)
    quotes, longest, unfinished = False, 0, 0
    with body.open("wb") as target:
        for text in chain([rest], texts):
            piece = text.encode()
            target.write(piece)
            quotes = quotes or b'"' in piece
            lengths = [len(line) + 1 for line in piece.split(b"\n")]
            lengths[0] += unfinished
            longest, unfinished = max([longest, *lengths]), lengths[-1]
    return _Header(names, delimiter, n_lines, quotes, longest)


def _decode(stream: IO[bytes], label: str, encoding: str) -> Iterator[str]:
    """Decode piece by piece, with every line end as a line feed; complain about bytes that are no text."""
    try:
        io.TextIOWrapper(io.BytesIO(), encoding)  # refuses encodings that are not of text
        name = codecs.lookup(encoding).name
        decoder = codecs.getincrementaldecoder("utf-8-sig" if name == "utf-8" else name)()
    except (LookupError, TypeError, ValueError) as error:
        hint = "Common ones: 'utf-8', 'cp1252', 'latin-1', 'utf-16'."
        raise not_allowed("encoding", encoding, "an encoding of text", hint=hint) from error
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
            raise FileError(
                f"{label} has a NUL character in line {line}.",
                hint=('Is it no text? If it was saved as "Unicode text", pass ', _UTF_16, "."),
            )
        n_lines += text.count("\n")
        if text:
            yield text


def _undecodable(label: str, encoding: str, n_lines: int, error: UnicodeError) -> FileError:
    if not isinstance(error, UnicodeDecodeError):
        pass_it = ("Pass its ", Argument("encoding"), ".")
        return FileError(f"{label} is not {encoding}: {error}.", hint=pass_it)
    before, byte = error.object[: error.start], error.object[error.start]
    line = n_lines + before.count(b"\n") + 1
    if n_lines == 0 and error.object[:2] in (b"\xff\xfe", b"\xfe\xff"):
        hint: Text = ("It begins like UTF-16: pass ", _UTF_16, ".")
    else:
        one, other = Argument("encoding", "cp1252"), Argument("encoding", "latin-1")
        hint = ("Pass ", one, " or ", other, " for files from older Western programs.")
    return FileError(f"{label} is not {encoding}: line {line} has the byte 0x{byte:02X}.", hint=hint)


def _guess_delimiter(text: str) -> str:
    """Choose the separator that gives the header several names and every line as many values."""
    best, best_score = DELIMITERS[0], (False, 1)
    for delimiter in DELIMITERS:
        counts = [len(r) for r in islice(_records(text[:_SAMPLE], delimiter), _SAMPLE_LINES) if r]
        if not counts:
            continue
        # the last of a cut sample may be half a line
        whole = counts[:-1] if len(text) > _SAMPLE and len(counts) < _SAMPLE_LINES else counts
        score = (all(n == counts[0] for n in whole), counts[0])
        if counts[0] > 1 and score > best_score:
            best, best_score = delimiter, score
    return best


def _records(text: str, delimiter: str) -> Iterator[list[str]]:
    try:
        yield from csv.reader(io.StringIO(text), delimiter=delimiter)
    except csv.Error:  # a cell longer than the module takes: what came before is enough to guess from
        return


def _split_header(text: str, label: str, delimiter: str) -> tuple[list[str], int, str]:
    """Split the line of names from the rest; also return how many lines it takes."""
    lines = io.StringIO(text)
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    try:
        cells = next((cells for cells in reader if len(cells) > 1 or "".join(cells).strip()), [])
    except csv.Error as error:
        raise FileError(
            f"The column names in line 1 of {label} cannot be read: {error}.", hint="Is a quotation mark not closed?"
        ) from error
    return [cell.strip() for cell in cells], reader.line_num, text[lines.tell() :]


def _bad_line(label: str, header: _Header, body: Path, position: int, kind: str, content: str | None) -> FileError:
    content = content or ""
    line = header.n_lines + 1 + len(content) - len(content.lstrip("\n"))
    with body.open("rb") as lines:
        line += lines.read(max(0, position - 1)).count(b"\n")
    n = len(header.names)
    wrong, hint = {
        "MISSING COLUMNS": (f"has fewer than {n} values", "Give every line as many values as there are names."),
        "TOO MANY COLUMNS": (f"has more than {n} values", "Put a value that contains the separator in quotes."),
        "UNQUOTED VALUE": (
            "has a quotation mark that is not closed, or text behind a closed one",
            'Double a quotation mark inside a quoted value: "".',
        ),
        "LINE SIZE OVER MAXIMUM": (f"is longer than {_LONGEST_LINE:,} bytes", "Is a quotation mark not closed?"),
    }.get(kind, (f"cannot be read ({kind.lower()})", "Mend the line."))
    shown = f": {short(content.strip(), 60)}" if content.strip() else ""
    problem = f"Line {line:,} of {label} {wrong}, separated by {header.delimiter!r}{shown}."
    return FileError(problem, hint=hint)
