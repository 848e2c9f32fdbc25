"""Large text files: DuckDB parses what the standard library would take too long for.

It is told everything and guesses nothing, all as text, because its guesses look at a part of the file only. Whatever it
stumbles over is given to the standard library, whose verdict counts: so both ways give the same answer.
"""

from __future__ import annotations

import re
from itertools import chain
from typing import IO, TYPE_CHECKING, NamedTuple, cast

from paucal.data.decoding import Encoding, decode
from paucal.data.delimited import LARGE, Body, Spelling, Words, parse
from paucal.data.dialect import Header, find_header, guess_delimiter
from paucal.data.engine import MEMORY, engine, fetch_words, literal, require_engine

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import duckdb

    from paucal.data.choice import Choice

_LONGEST_LINE = 1 << 30
_SHORTEST_LIMIT = 1 << 21  # DuckDB's own


class _Staged(NamedTuple):
    """A clean copy of the values, and what DuckDB must know about it."""

    header: Header
    quotes: bool  # a quotation mark occurs
    odd: bool  # blanks beside quotation marks: readers differ about these
    longest_line: int  # in bytes, or a little more
    n_delimiters: int
    open_ends: bool  # a line ends in a separator


def read_large(
    stream: IO[bytes], folder: Path, label: str, choice: Choice, spelling: Spelling, encoding: Encoding
) -> tuple[Header, list[int], Words]:
    """Number the words of the chosen columns, as `delimited.parse` does."""
    require_engine(f"{label} is larger than {LARGE // 1_000_000} MB: such files are read by DuckDB.")
    copy = folder / "body.csv"
    staged = _stage(stream, copy, label, spelling, encoding)
    header = staged.header
    chosen = choice.positions(header.names)
    body = Body(header, label, lambda: _lines(copy), copy.stat().st_size)
    if staged.odd:
        return header, chosen, parse(body, chosen)
    # with quotation marks it wants to hold the whole text, several times
    memory = MEMORY + (16 * body.size // 1_000_000 if staged.quotes else 0)
    with engine(folder, label, memory) as connection:
        if not _load(connection, copy, staged):
            return header, chosen, parse(body, chosen)
        (n_rows,) = connection.execute("SELECT count(*) FROM body").fetchone() or (0,)
        fetched = fetch_words(connection, [f"c{i}" for i in chosen], "body", n_rows)
        columns = [(codes, cast("list[str]", words)) for codes, words in fetched]
    return header, chosen, Words(columns, n_rows, _behind(staged, body, n_rows))


def _lines(copy: Path) -> Iterator[str]:
    with copy.open(encoding="utf-8", newline="\n") as lines:
        yield from lines


def _stage(stream: IO[bytes], copy: Path, label: str, spelling: Spelling, encoding: Encoding) -> _Staged:
    """Copy all lines but the names, as UTF-8 with plain line ends."""
    texts = decode(stream, label, encoding)
    first = next(texts, "")
    delimiter = spelling.delimiter or guess_delimiter(first)
    header = find_header(first, label, delimiter, spelling.header)
    sign = re.escape(delimiter)
    beside = re.compile(rf'"[^\S\n]+(?:{sign}|"|$)|(?:^|{sign})[^\S\n]+"', re.MULTILINE)
    open_end = re.compile(rf'{sign}(?:"")?$', re.MULTILINE)
    quotes, odd, open_ends = False, False, False
    longest, unfinished, n_delimiters, before = 0, 0, 0, "\n"
    with copy.open("wb") as target:
        for text in chain([first[header.length :]], texts):
            piece = text.encode()
            target.write(piece)
            if '"' in text or quotes:
                quotes, odd = True, odd or beside.search(before + text) is not None
            n_delimiters += text.count(delimiter)
            open_ends = open_ends or open_end.search(before[-3:] + text) is not None
            lengths = [len(line) + 1 for line in piece.split(b"\n")]
            lengths[0] += unfinished
            longest, unfinished = max([longest, *lengths]), lengths[-1]
            before = text[-100:] or before
    return _Staged(header, quotes, odd, longest, n_delimiters, open_ends)


def _load(connection: duckdb.DuckDBPyConnection, copy: Path, staged: _Staged) -> bool:
    """Parse the lines into the table `body` of the columns c0, c1, ...; say whether every line fits."""
    names = [f"'c{i}'" for i in range(len(staged.header.names))]
    # A line end inside quotes is beyond a reader that begins in the middle of the file: let it have the whole.
    # (The option parallel = false is no way out: it loses a last line whose quotes are open, without an error.)
    longest = copy.stat().st_size + 1 if staged.quotes else staged.longest_line
    connection.execute(
        f"CREATE TEMP TABLE body AS FROM read_csv({literal(str(copy))}, header = false, auto_detect = false, "
        f"columns = {{{', '.join(f'{name}: VARCHAR' for name in names)}}}, force_not_null = [{', '.join(names)}], "
        f"delim = {literal(staged.header.delimiter)}, quote = '\"', escape = '\"', new_line = '\\n', "
        f"strict_mode = true, max_line_size = {min(max(longest, _SHORTEST_LIMIT), _LONGEST_LINE)}, "
        "store_rejects = true)"
    )
    (n_rejected,) = connection.execute("SELECT count(*) FROM reject_errors").fetchone() or (0,)
    return bool(n_rejected == 0)


def _behind(staged: _Staged, body: Body, n_rows: int) -> int:
    """Count the empty values behind the last column, which DuckDB passes over in silence."""
    n = len(staged.header.names)
    if not staged.open_ends:
        return 0
    if not staged.quotes:
        return staged.n_delimiters - n_rows * (n - 1)
    return sum(len(row) - n for row in body.rows() if len(row) > n)
