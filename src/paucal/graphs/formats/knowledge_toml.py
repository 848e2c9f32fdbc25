"""Background knowledge as TOML.

Every part may be left out:

outcome = ["death"]                               # causes nothing
exogenous = ["age", "sex"]                        # caused by nothing in the table; or background = [...]
randomised = ["rx"]                               # caused by nothing at all
same = [["weight", "bmi"]]                        # no edge between them
time = [["smoke"], ["cough"]]                     # nothing points from a later wave to an earlier one
time = {"visit 1" = ["smoke"], "visit 2" = ["cough"]}   # the same, with names; or the table [time]
tiers = [["age", "sex"], ["smoke"], ["cancer"]]   # the same
required = ["smoke -> cancer"]
forbidden = ["sex -> cancer"]

[[tiers]]                                         # the long form of a tier
nodes = ["age", "sex"]
forbid_within = true                              # and no edges among its members
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from paucal import checks
from paucal.errors import KnowledgeError
from paucal.graphs.knowledge import WORDS, Knowledge
from paucal.graphs.language import edges_from_text
from paucal.toml_text import inline

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paucal.graphs.sentences import Arc


def parts_of_toml(text: str) -> dict[str, Any]:
    """Give the arguments of `Knowledge` that a text holds."""
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise KnowledgeError(f"This is not TOML: {error}.", hint="Put names and arrows in quotes.") from error
    except RecursionError:
        raise KnowledgeError("This TOML is nested too deeply.", hint="Put names and arrows in plain lists.") from None
    for key in content:
        checks.known("part of knowledge", key, WORDS)
    rest = ("tiers", "forbid_within", "required", "forbidden")
    parts: dict[str, Any] = {word: value for word, value in content.items() if word not in rest}
    parts |= {"tiers": [], "forbid_within": _list(content, "forbid_within")}
    for number, tier in enumerate(_list(content, "tiers")):
        if isinstance(tier, Mapping):
            for key in tier:
                checks.known("part of a tier", key, ("nodes", "forbid_within"))
            parts["tiers"].append(_list(tier, "nodes"))
            parts["forbid_within"] += [number] if tier.get("forbid_within") else []
        else:
            parts["tiers"].append(_list({"a tier": tier}, "a tier"))
    for key in ("required", "forbidden"):
        parts[key] = [_arc(value) for value in _list(content, key)]
    return parts


def toml_of_knowledge(known: Knowledge, nodes: Sequence[str] | None) -> str:
    """Write everything as TOML."""
    del nodes
    return "".join(f"{word} = {inline(said)}\n" for word, said in known.to_dict().items())


def _list(content: Mapping[str, Any], key: str) -> list[Any]:
    value = content.get(key, [])
    if not isinstance(value, list):
        raise KnowledgeError(f"{key} is {value!r}.", hint='A list is needed, such as ["age", "sex"].')
    return value


def _arc(value: object) -> Arc:
    if isinstance(value, str):
        edges = edges_from_text(value)[1]
        if len(edges) == 1 and edges[0][1].lstrip("-") == ">":
            return edges[0][0], edges[0][2]
    elif isinstance(value, list) and len(value) == 2 and all(isinstance(name, str) for name in value):
        return value[0], value[1]
    raise KnowledgeError(f"{value!r} is not an arc.", hint='Write "cause -> effect" or ["cause", "effect"].')
