"""Text without quotation marks -> numbered words, by arrays of whole columns instead of word by word.

Every cell is held as its bytes, eight to a number, so that equal cells are equal numbers. Nothing is parsed here that
the csv module would read otherwise: where the lines do not all have as many values as there are names, it takes over.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paucal.data.encode import Codes

_PADDING = 8
_MOST_PARTS = 8  # cells of up to 64 bytes
_ODD = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F)  # any large odd numbers: they spread what is near
_TABLE_BITS = 18
_MASKS = np.array([(1 << 8 * k) - 1 for k in range(9)], np.uint64)

Places = npt.NDArray[np.int32]
Keys = npt.NDArray[np.uint64]


def number_cells(
    text: str, delimiter: str, n_columns: int, chosen: Sequence[int]
) -> list[tuple[Codes, list[str]]] | None:
    """Number the words of the chosen columns, in no special order; None if the lines are not all alike."""
    if '"' in text or not delimiter.isascii() or not text:
        return None
    content = (text if text.endswith("\n") else text + "\n").encode()
    letters = np.frombuffer(content + bytes(_PADDING), np.uint8)
    ends = np.flatnonzero((letters == ord(delimiter)) | (letters == ord("\n"))).astype(np.int32)
    if len(ends) % n_columns:
        return None
    table = ends.reshape(-1, n_columns)
    at_line_ends = letters[table] == ord("\n")
    if not at_line_ends[:, -1].all() or at_line_ends[:, :-1].any():
        return None
    starts = np.concatenate([np.zeros(1, np.int32), ends[:-1] + 1]).reshape(-1, n_columns)
    return [_number_column(content, letters, starts[:, i], table[:, i]) for i in chosen]


def _number_column(
    content: bytes, letters: npt.NDArray[np.uint8], starts: Places, ends: Places
) -> tuple[Codes, list[str]]:
    starts, lengths = np.ascontiguousarray(starts), ends - starts
    n_parts = max(1, -(-int(lengths.max()) // 8))
    if n_parts > _MOST_PARTS:
        return _one_by_one(content, starts, ends)
    parts = [_part(letters, starts, lengths, k) for k in range(n_parts)]
    found = _by_table(parts) or _by_sorting(parts)
    if found is None:
        return _one_by_one(content, starts, ends)
    codes, first = found
    return codes, [content[starts[i] : ends[i]].decode() for i in first.tolist()]


def _part(letters: npt.NDArray[np.uint8], starts: Places, lengths: Places, k: int) -> Keys:
    """Give the bytes 8k to 8k + 7 of every cell as one number, with zeros behind its end."""
    eights = np.ndarray((len(letters) - _PADDING + 1,), "<u8", letters.data, strides=(1,))
    places = np.minimum(starts + np.int32(8 * k), len(eights) - 1)
    keys: Keys = eights[places] & _MASKS[np.clip(lengths - 8 * k, 0, 8)]
    return keys


def _spread(parts: Sequence[Keys]) -> Keys:
    mixed = parts[0] * np.uint64(_ODD[0])
    for part in parts[1:]:
        mixed = (mixed ^ (mixed >> np.uint64(29)) ^ part) * np.uint64(_ODD[1])
    return mixed


def _by_table(parts: Sequence[Keys]) -> tuple[Codes, npt.NDArray[np.intp]] | None:
    """Number cells by a table with a place for each value; None if two values come to the same place."""
    bits = min(_TABLE_BITS, len(parts[0]).bit_length() + 4)  # a small table for few rows, of which there may be many
    places = (_spread(parts) >> np.uint64(64 - bits)).astype(np.intp)
    holder = np.full(1 << bits, -1, np.int32)
    holder[places] = np.arange(len(places), dtype=np.int32)
    same = holder[places]
    if not all(np.array_equal(part[same], part) for part in parts):
        return None
    first = np.flatnonzero(same == np.arange(len(same), dtype=np.int32))  # the one row of each value that holds it
    holder[places[first]] = np.arange(len(first), dtype=np.int32)
    return holder[places].astype(np.uint32), first


def _by_sorting(parts: Sequence[Keys]) -> tuple[Codes, npt.NDArray[np.intp]] | None:
    keys = parts[0] if len(parts) == 1 else _spread(parts)
    _, first, codes = np.unique(keys, return_index=True, return_inverse=True)
    if not all(np.array_equal(part[first][codes], part) for part in parts):
        return None
    return codes.astype(np.uint32), first


def _one_by_one(content: bytes, starts: Places, ends: Places) -> tuple[Codes, list[str]]:
    numbers: dict[bytes, int] = {}
    cells = (content[a:b] for a, b in zip(starts.tolist(), ends.tolist(), strict=True))
    codes = np.fromiter((numbers.setdefault(cell, len(numbers)) for cell in cells), np.uint32, len(starts))
    return codes, [cell.decode() for cell in numbers]
