"""The text language of graphs: names, edges such as `A o-> B`, and statements of several edges."""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from paucal.errors import GraphError
from paucal.graphs.marks import Mark

if TYPE_CHECKING:
    from collections.abc import Sequence

Triple: TypeAlias = tuple[str, str, str]  # (a, symbol, b)

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
    """Give the left and the right mark of an edge symbol such as `o->`."""
    match = _WRITTEN.fullmatch(symbol)
    if match is None:
        raise GraphError(
            f"{symbol!r} is not an edge.", hint="Edges are written ->, <-, --, <->, o->, <-o, o-o, o-- or --o."
        )
    return _MARK_OF[match[1]], _MARK_OF[match[2]]


def quoted(name: str) -> str:
    """Write a node name so that `split_statement` reads it back: bare where it is one plain word.

    >>> quoted("smoke"), quoted("lung cancer")
    ('smoke', '"lung cancer"')
    """
    plain = _PLAIN_NAME.fullmatch(name) and not _WRITTEN.fullmatch(name)
    return name if plain else json.dumps(name, ensure_ascii=False)


def trail(names: Sequence[str], cycle: Sequence[int]) -> str:
    """Write a directed cycle, each of its nodes given once, as `A -> B -> A`."""
    return " -> ".join(quoted(names[i]) for i in (*cycle, cycle[0]))


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
        raise GraphError(f"The quote at position {position} of {text!r} is never closed.", hint='Close it with ".')
    token = match[1]
    if not token.startswith('"'):
        return token, match.end()
    try:
        return str(json.loads(token, strict=False)), match.end()
    except json.JSONDecodeError as error:
        raise GraphError(
            f"{token} is not a quoted name: {error.msg.lower()}.", hint="Quotes follow the rules of JSON strings."
        ) from error


def edges_from_text(text: str) -> tuple[list[str], list[Triple]]:
    """Read `A -> B <- C; D -- "E F"; G`: the nodes as they appear, and the edges."""
    seen: dict[str, None] = {}
    edges: list[Triple] = []
    for words in split_statements(text):
        if len(words) % 2 == 0:
            raise GraphError(
                f"{' '.join(words)!r} is not an edge.", hint='Write A -> B, and names with spaces in "quotes".'
            )
        seen.update(dict.fromkeys(words[::2]))
        edges += zip(words[:-2:2], words[1::2], words[2::2], strict=True)
    return list(seen), edges


def in_words(joined: float, of_marks: float, marks: tuple[int, int]) -> str:
    """Tell the two probabilities of an edge: of being there at all, and of its marks.

    >>> in_words(0.97, 0.51, (Mark.TAIL, Mark.ARROW)), in_words(1.0, 0.54, (Mark.TAIL, Mark.TAIL))
    ('joined 0.97, in this direction 0.51', 'joined 1.00, without a direction 0.54')
    >>> in_words(0.97, 0.51, (Mark.CIRCLE, Mark.ARROW))  # it says less than a direction
    'joined 0.97, with these marks 0.51'
    """
    first, second = (f"{in_percent(share) / 100:.2f}" for share in (joined, of_marks))
    how: dict[tuple[int, ...], str] = {
        (Mark.TAIL,): "without a direction",
        (Mark.ARROW, Mark.TAIL): "in this direction",
    }
    return f"joined {first}, {how.get(tuple(sorted(set(marks))), 'with these marks')} {second}"


def percent(share: float) -> str:
    """Write a probability for people; what lies half way is rounded up, as the script of the page does it.

    >>> percent(0.884), percent(0.125), percent(0.0004), percent(0.9999), percent(1.0)
    ('88 %', '13 %', 'under 1 %', 'over 99 %', '100 %')
    """
    exact = round(share, 9)  # sums of shares may miss one by a hair
    if 0 < exact < 0.01:
        return "under 1 %"
    return "over 99 %" if 0.99 < exact < 1 else f"{in_percent(exact)} %"


def in_percent(share: float) -> int:
    """Round a share to whole percents: whether it passes a threshold is decided by the number that is shown."""
    return math.floor(100 * share + 0.5 + 1e-7)
