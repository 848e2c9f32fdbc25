"""Edge marks: what stands at the two ends of an edge, as numbers in a matrix and as text.

A graph over n nodes is an n x n matrix `marks` of small integers, where `marks[i, j]` is the mark at the **j
end** of the edge between i and j: 0 no edge, 1 circle, 2 arrowhead, 3 tail. So `i -> j` is `marks[i, j] = 2`,
`marks[j, i] = 3`.
"""

from __future__ import annotations

import json
import re
from enum import IntEnum
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from paucal.errors import GraphError

MarkMatrix: TypeAlias = NDArray[np.int8]
BoolMatrix: TypeAlias = NDArray[np.bool_]


class Mark(IntEnum):
    """The mark at one end of an edge."""

    NONE = 0
    CIRCLE = 1
    ARROW = 2
    TAIL = 3


NONE, CIRCLE, ARROW, TAIL = (int(m) for m in Mark)

_SYMBOLS = {
    (Mark.TAIL, Mark.ARROW): "->",
    (Mark.ARROW, Mark.TAIL): "<-",
    (Mark.TAIL, Mark.TAIL): "--",
    (Mark.ARROW, Mark.ARROW): "<->",
    (Mark.CIRCLE, Mark.ARROW): "o->",
    (Mark.ARROW, Mark.CIRCLE): "<-o",
    (Mark.CIRCLE, Mark.CIRCLE): "o-o",
    (Mark.CIRCLE, Mark.TAIL): "o--",
    (Mark.TAIL, Mark.CIRCLE): "--o",
}
_MARK_OF = {"o": Mark.CIRCLE, "<": Mark.ARROW, ">": Mark.ARROW, "": Mark.TAIL}
_WRITTEN = re.compile(r"([<o]?)-{1,3}([>o]?)")
_PLAIN_NAME = re.compile(r"[^\s;,\"<>-][^\s;,\"]*")
_TOKEN = re.compile(r'\s*("(?:[^"\\]|\\.)*"|[^\s;"]+)')


class Edge(NamedTuple):
    """An edge with the marks at its two ends.

    >>> str(Edge("A", "B", Mark.TAIL, Mark.ARROW))
    'A -> B'
    >>> Edge("A", "B", Mark.CIRCLE, Mark.ARROW).symbol
    'o->'
    """

    a: str
    b: str
    mark_a: Mark
    mark_b: Mark

    @property
    def symbol(self) -> str:
        """The edge without its ends: `->`, `--`, `o->`, `<->`, `o-o`, `o--` or the mirror of one of them."""
        return _SYMBOLS[self.mark_a, self.mark_b]

    @property
    def directed(self) -> bool:
        """Whether this is `a -> b` or `a <- b`."""
        return {self.mark_a, self.mark_b} == {Mark.TAIL, Mark.ARROW}

    def __str__(self) -> str:
        return f"{quoted(self.a)} {self.symbol} {quoted(self.b)}"


def parse_symbol(symbol: str) -> tuple[Mark, Mark]:
    """Give the left and the right mark of an edge symbol such as `o->`.

    >>> parse_symbol("o->")
    (<Mark.CIRCLE: 1>, <Mark.ARROW: 2>)
    """
    match = _WRITTEN.fullmatch(symbol)
    if match is None:
        raise GraphError(
            f"{symbol!r} is not an edge.",
            hint="Edges are written ->, <-, --, <->, o->, <-o, o-o, o-- or --o.",
        )
    return _MARK_OF[match[1]], _MARK_OF[match[2]]


def quoted(name: str) -> str:
    """Write a node name so that `split_statement` reads it back: bare where it is one plain word.

    >>> quoted("smoke"), quoted("lung cancer")
    ('smoke', '"lung cancer"')
    """
    plain = _PLAIN_NAME.fullmatch(name) and not _WRITTEN.fullmatch(name)
    return name if plain else json.dumps(name, ensure_ascii=False)


def split_statements(text: str) -> list[list[str]]:
    """Cut `A -> B; "C D" -- E` (statements end at `;` or at a line end) into lists of words, quotes resolved.

    >>> split_statements('A -> B; "C D"')
    [['A', '->', 'B'], ['C D']]
    """
    statements: list[list[str]] = [[]]
    position = 0
    while position < len(text):
        if text[position] in ";\n":
            statements.append([])
            position += 1
        elif text[position].isspace():
            position += 1
        else:
            word, position = _word(text, position)
            statements[-1].append(word)
    return [s for s in statements if s]


def _word(text: str, position: int) -> tuple[str, int]:
    match = _TOKEN.match(text, position)
    if match is None:
        raise GraphError(
            f"The quote at position {position} of {text!r} is never closed.", hint='Close it with ".'
        )
    token = match[1]
    if not token.startswith('"'):
        return token, match.end()
    try:
        return str(json.loads(token, strict=False)), match.end()
    except json.JSONDecodeError as error:
        raise GraphError(
            f"{token} is not a quoted name: {error.msg.lower()}.",
            hint="Quotes follow the rules of JSON strings.",
        ) from error


def arcs_of(marks: MarkMatrix) -> BoolMatrix:
    """Give the directed edges: `[i, j]` is true for i -> j."""
    arcs: BoolMatrix = (marks == ARROW) & (marks.T == TAIL)
    return arcs


def marks_from_pdag_matrix(pdag: NDArray[np.generic]) -> MarkMatrix:
    """Turn a PDAG matrix (`P[i, j] = 1, P[j, i] = 0`: i -> j; both 1: i -- j) into marks."""
    present = np.asarray(pdag) != 0
    marks = np.zeros(present.shape, dtype=np.int8)
    marks[present | present.T] = TAIL
    marks[present & ~present.T] = ARROW
    return marks


def pdag_matrix_from_marks(marks: MarkMatrix) -> NDArray[np.int8]:
    """Turn the marks of directed and undirected edges into a PDAG matrix (the inverse of the above)."""
    pdag: NDArray[np.int8] = ((marks == ARROW) | ((marks == TAIL) & (marks.T == TAIL))).astype(np.int8)
    return pdag
