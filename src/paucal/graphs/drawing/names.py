"""Long names made short, so that they can still be told apart."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]+")


def printable(name: str) -> str:
    """Give a name with blanks in the place of what no font shows."""
    return _UNPRINTABLE.sub(" ", name)


def shortened(names: Sequence[str], longest: int) -> list[str]:
    """Cut names that are longer; those that begin alike keep the place where they begin to differ.

    >>> shortened(["How often do you smoke?", "How often do you drink?", "Age in years today"], 14)
    ['How…smoke?', 'How…drink?', 'Age in years…']
    """
    plain = [printable(name) for name in names]
    found = [_cut(name, longest) for name in plain]
    alike = defaultdict(list)
    for i, name in enumerate(plain):
        if len(name) > longest:
            alike[found[i]].append(i)
    head = longest // 4
    for places in alike.values():
        one, other = (pick(plain[i] for i in places) for pick in (min, max))  # what these share, all share
        alike_up_to = next((k for k, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), len(one))
        same = one[:alike_up_to]
        differ = max(same.rfind(" ") + 1, len(same) - longest // 3)  # from the word on, unless that is long
        if len(places) > 1 and differ > head:
            for i in places:
                found[i] = f"{plain[i][:head].rstrip()}…{_cut(plain[i][differ:], longest - head - 1)}"
    return found


def _cut(name: str, longest: int) -> str:
    return name if len(name) <= longest else f"{name[: longest - 1].rstrip()}…"
