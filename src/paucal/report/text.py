"""Untrusted text on a page: names and levels of the data may be anything, tags and control characters included."""

from __future__ import annotations

import html
import json
import re
from typing import Any

from paucal.graphs.formats.exact import sign

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


def text(value: object) -> str:
    r"""Escape a text for HTML, between tags or in a quoted attribute; control characters become visible signs.

    >>> text('<b title="x">\n')
    '&lt;b title=&quot;x&quot;&gt;␊'
    """
    return html.escape(_INVISIBLE.sub(sign, str(value)), quote=True)


def name(value: str) -> str:
    """Write a name so that its writing direction and its length leave what is around it alone."""
    return f'<bdi class="name" title="{text(value)}">{text(value)}</bdi>'


def script_json(value: Any) -> str:
    r"""Write plain values as JSON that is safe inside a script element: nothing in it can end the element.

    >>> print(script_json("</script><!--"))
    "\u003c/script\u003e\u003c!--"
    """
    plain = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return plain.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def number(value: float | None, digits: int = 3) -> str:
    """Write a number for people; a dash where there is none.

    >>> number(0.000012345), number(None), number(12.0), number(20500.0)
    ('1.23e-05', '–', '12', '20,500')
    """
    if value is None:
        return "–"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.{digits}g}"


def share(part: float, whole: float = 1.0) -> str:
    r"""Write a share as a percentage that no line break tears apart; tiny ones are not shown as nothing.

    >>> share(0.25), share(1, 3000), share(0, 5), share(0, 0), share(2999, 3000)
    ('25\xa0%', 'under 1\xa0%', '0\xa0%', '–', 'over 99\xa0%')
    """
    if not whole:
        return "–"
    ratio = round(part / whole, 9)  # sums of shares may miss one by a hair
    if 0 < ratio < 0.01:
        return "under 1\xa0%"
    return "over 99\xa0%" if 0.99 < ratio < 1 else f"{ratio:.0%}".replace("%", "\xa0%")


def counted(value: int) -> tuple[str, int]:
    """Give a cell of a table: a number as people write it, and to sort by."""
    return f"{value:,}", value


def parted(part: float, whole: float = 1.0) -> tuple[str, float]:
    """Give a cell of a table: a share, and the number to sort by."""
    return share(part, whole), part / max(whole, 1)


def bar(part: float) -> str:
    """Draw a share, and write it."""
    return (
        f'<svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect class="whole" width="100" height="10"/><rect class="part" width="{100 * part:.1f}" height="10"/></svg>'
        f' <span class="share">{share(part)}</span>'
    )
