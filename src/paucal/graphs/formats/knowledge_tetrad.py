"""Background knowledge as Tetrad saves it: the line /knowledge, then sections of tiers and of arrows.

/knowledge
addtemporal
1* age sex
2 smoke

forbiddirect
smoke cough

requiredirect
smoke cancer

A star behind the number of a tier says that its members are not joined, a dash that they cause the next tier only.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from paucal.errors import KnowledgeError
from paucal.graphs.formats.knowledge_lists import forbidden_arrows
from paucal.graphs.language import quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paucal.graphs.knowledge import Knowledge
    from paucal.graphs.sentences import Arc

_SECTIONS = {"addtemporal": "tiers", "forbiddirect": "forbidden", "requiredirect": "required"}
_TIER = re.compile(r"(\d+)(\*?)(-?)$")
_FORM = 'A file of Tetrad has "/knowledge", then sections addtemporal, forbiddirect, requiredirect.'


def parts_of_tetrad(text: str) -> dict[str, Any]:
    """Give the arguments of `Knowledge` that a text holds."""
    section = None
    parts: dict[str, list[list[str]]] = {"tiers": [], "forbidden": [], "required": []}
    lines = [line.split("//")[0].split() for line in text.splitlines()]
    for words in (line for line in lines if line):
        if words[0].lower() == "/knowledge":
            continue
        if words[0].lower() in _SECTIONS:
            section = _SECTIONS[words[0].lower()]
        elif section is None:
            raise KnowledgeError(f"{' '.join(words)!r} is in no section.", hint=_FORM)
        elif section == "tiers":
            parts["tiers"].append(words)
        elif len(words) != 2:
            raise KnowledgeError(f"{' '.join(words)!r} is not an arrow.", hint="Write two names, cause and effect.")
        else:
            parts[section].append(words)
    tiers, within, skips = _tiers(parts["tiers"])
    return {
        "tiers": tiers,
        "forbid_within": within,
        "required": parts["required"],
        "forbidden": [*parts["forbidden"], *skips],
    }


def _tiers(lines: list[list[str]]) -> tuple[list[list[str]], list[int], list[Arc]]:
    """Give tiers in their order, those without edges, and the arrows that skip a tier where that is forbidden."""
    named: dict[int, list[str]] = {}
    within: set[int] = set()
    next_only: set[int] = set()
    for head, *names in lines:
        match = _TIER.match(head)
        if match is None:
            raise KnowledgeError(f"{head!r} is not the number of a tier.", hint='Write "1 age sex", "2* smoke".')
        number = int(match[1])
        named.setdefault(number, []).extend(names)
        within |= {number} if match[2] else set()
        next_only |= {number} if match[3] else set()
    order = sorted(named)
    skips = [
        (a, b)
        for place, number in enumerate(order)
        if number in next_only
        for later in order[place + 2 :]
        for a in named[number]
        for b in named[later]
    ]
    return [named[n] for n in order], [i for i, n in enumerate(order) if n in within], skips


def tetrad_of(known: Knowledge, nodes: Sequence[str] | None) -> str:
    """Write knowledge for Tetrad; words that it has not become forbidden arrows."""
    for name in [*known.names, *(nodes or ())]:
        if not name or name.split() != [name] or "//" in name:
            raise KnowledgeError(
                f"Tetrad cannot read the name {quoted(name)}.", hint="Names without spaces are needed."
            )
    lines = ["/knowledge", "addtemporal", ""]
    for number, tier in enumerate(known.tiers):
        star = "*" if number in known.forbid_within else ""
        lines.append(" ".join([f"{number + 1}{star}", *tier]))
    by_tiers = type(known)(tiers=known.tiers, forbid_within=known.forbid_within)
    implied = {*known.required, *((b, a) for a, b in known.required)}
    arrows = [
        (a, b)
        for a, b in forbidden_arrows(known, nodes)
        if not by_tiers.forbids(a, b) and ((a, b) in known.forbidden or (a, b) not in implied)
    ]
    lines += ["", "forbiddirect", "", *(" ".join(arrow) for arrow in arrows)]
    lines += ["", "requiredirect", "", *(" ".join(arrow) for arrow in known.required)]
    return "\n".join(lines) + "\n"
