"""Untrusted text on a page: names and levels of the data may be anything, tags and control characters included.

Everything that a template writes goes through here: control characters become visible signs, and the rest is escaped.
A sentence with names in it is a tuple of parts, plain words beside `Name` and `Sign`.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

from paucal.graphs.formats.exact import sign
from paucal.graphs.language import percent

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from jinja2 import Environment
    from jinja2.runtime import Context
    from markupsafe import Markup

# What HTML cannot hold or nobody can see: control characters, and halves of surrogate pairs.
_INVISIBLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]")

SYMBOLS = {
    "->": "→",
    "<-": "←",
    "--": "—",
    "<->": "↔",
    "o->": "o→",
    "<-o": "←o",
    "o-o": "o–o",
    "o--": "o—",
    "--o": "—o",
}


class Name(str):
    """A name from the data: its writing direction and its length leave what is around it alone."""

    __slots__ = ()


class Full(Name):
    """A name that is written in full, however long it is."""

    __slots__ = ()


class Sign(str):
    """The sign of an edge."""

    __slots__ = ()


Said: TypeAlias = Sequence[str]  # a sentence: words, `Name`s and `Sign`s


@dataclass(frozen=True)
class Cell:
    """A cell of a table: what is said in it, what it is sorted by, and perhaps a share to draw, a link, a doubt."""

    parts: Said
    sort: object = None
    share: float | None = None
    link: Mapping[str, str] = field(default_factory=dict)
    doubt: str | None = None

    @property
    def is_empty(self) -> bool:
        """Whether there is only a dash in it."""
        return tuple(self.parts) == ("–",) and self.doubt is None


@dataclass(frozen=True)
class Table:
    """A table that sorts by any column; those numbered in `words` hold text, the others numbers."""

    heads: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    words: Sequence[int] = ()

    @property
    def filled(self) -> list[int]:
        """The columns that any row has something in; the others are not shown."""
        return [i for i in range(len(self.heads)) if not all(row[i].is_empty for row in self.rows)]


@cache
def environment() -> Environment:
    """Load the templates: everything is escaped, and an unknown name in a template is an error."""
    from jinja2 import Environment, PackageLoader, StrictUndefined, pass_context

    found = Environment(
        loader=PackageLoader("paucal.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_visible,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters.update(said=pass_context(_in_short), name=lambda value: said((Name(value),)))
    return found


def _visible(value: Any) -> Any:
    """Give text with visible signs in the place of control characters; markup is taken as it is."""
    return value if hasattr(value, "__html__") else _INVISIBLE.sub(sign, str(value))


def _in_short(context: Context, parts: Iterable[str]) -> Markup:
    """Write a sentence as HTML on a page that has short forms of long names."""
    return said(parts, context.get("short", {}))


def said(parts: Iterable[str], short: Mapping[str, str] = MappingProxyType({})) -> Markup:
    """Write a sentence as HTML, names perhaps by their short forms.

    >>> said((Name("a<b"), " causes ", Name("c")))
    Markup('<bdi class="name" title="a&lt;b">a&lt;b</bdi> causes <bdi class="name" title="c">c</bdi>')
    """
    from markupsafe import Markup

    return Markup("").join(Markup(_written(part, short)) for part in parts)  # noqa: S704 - `_written` escapes every part


def _written(part: str, short: Mapping[str, str]) -> str:
    inner = text(part)
    if isinstance(part, Full):
        return f'<bdi class="name full">{inner}</bdi>'
    if isinstance(part, Name):
        return f'<bdi class="name" title="{inner}">{text(short.get(part, part))}</bdi>'
    return f'<span class="mark">{inner}</span>' if isinstance(part, Sign) else inner


def text(value: object) -> str:
    r"""Escape a text for HTML, between tags or in a quoted attribute; control characters become visible signs.

    >>> text('<b title="x">\n')
    '&lt;b title=&quot;x&quot;&gt;␊'
    """
    return html.escape(_INVISIBLE.sub(sign, str(value)), quote=True)


def plain(parts: Iterable[str]) -> str:
    """Give a sentence without its marks, as the page's script shows it."""
    return "".join(parts)


def names(values: Iterable[str], last: str = ", ") -> tuple[str, ...]:
    """List names in a sentence; `last` stands before the last of several.

    >>> "".join(names(["a", "b", "c"], " and "))
    'a, b and c'
    """
    listed = [Name(value) for value in values]
    parts: list[str] = []
    for k, one in enumerate(listed):
        parts += [last if k == len(listed) - 1 else ", ", one] if k else [one]
    return tuple(parts)


def edge(a: str, symbol: str, b: str) -> tuple[str, ...]:
    """Write an edge."""
    return Name(a), " ", Sign(SYMBOLS[symbol]), " ", Name(b)


def script_json(value: Any) -> str:
    r"""Write plain values as JSON that is safe inside a script element: nothing in it can end the element.

    >>> print(script_json("</script><!--"))
    "\u003c/script\u003e\u003c!--"
    """
    plain = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return plain.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def number(value: float | None, digits: int = 3) -> str:
    """Write a number for people; a dash where there is none.

    >>> number(0.000012345), number(None), number(12.0), number(20500.0), number(2.8e78)
    ('1.23e-05', '–', '12', '20,500', '2.8e+78')
    """
    if value is None:
        return "–"
    return f"{value:,.0f}" if 1000 <= abs(value) < 1e9 else f"{value:.{digits}g}"


def share(part: float, whole: float = 1.0) -> str:
    r"""Write a share as a percentage that no line break tears apart; tiny ones are not shown as nothing.

    >>> share(0.25), share(1, 3000), share(0, 5), share(0, 0), share(2999, 3000)
    ('25\xa0%', 'under 1\xa0%', '0\xa0%', '–', 'over 99\xa0%')
    """
    return percent(part / whole).replace(" %", "\xa0%") if whole else "–"


def typeset(text: object) -> str:
    r"""Give numbers in a text the signs that a page has for them: a true minus, a blank before the percent sign.

    >>> typeset("-13.9 (-18.5 to 2e-05), 40.1%")
    '−13.9 (−18.5 to 2e-05), 40.1\xa0%'
    """
    return re.sub(r"(?<=\d)%", "\xa0%", re.sub(r"(?<![\w.])-(?=\d)", "−", str(text)))


def worded(value: str) -> Cell:
    """Give a cell with plain words."""
    return Cell((value,), value)


def named(value: str) -> Cell:
    """Give a cell with a name."""
    return Cell((Name(value),), value)


def counted(value: int) -> Cell:
    """Give a cell with a whole number."""
    return Cell((f"{value:,}",), value)


def numbered(value: float | None, digits: int = 3) -> Cell:
    """Give a cell with a number, or a dash."""
    return Cell((number(value, digits),), value)


def parted(part: float, whole: float = 1.0) -> Cell:
    """Give a cell with a share."""
    return Cell((share(part, whole),), round(part / max(whole, 1), 6))


def drawn(part: float) -> Cell:
    """Give a cell with a share that is drawn and written."""
    return Cell((share(part),), round(part, 6), share=part)


EMPTY = Cell(("–",))
