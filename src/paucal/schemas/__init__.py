"""The published schemas of the JSON that paucal writes, and the one place that checks a document by them.

The schemas beside this file are JSON Schema (draft 2020-12), for anybody's validator. Documents are checked here by the
same files: with the few keywords that they use, so that nothing has to be installed for it.
"""

from __future__ import annotations

import json
import math
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from paucal import checks
from paucal.errors import GraphError, short

if TYPE_CHECKING:
    from collections.abc import Mapping

NAMES = ("graph", "result", "blanket")
_DEEPEST = 100  # levels of a document
_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "boolean": (bool,),
    "null": (type(None),),
}


def schema(name: str) -> Mapping[str, Any]:
    """Give a schema: of a "graph", a "result" or a "blanket".

    >>> schema("graph")["title"]
    'A graph of paucal'
    """
    return _loaded(checks.choice("name", name, NAMES))


@cache
def _loaded(name: str) -> Mapping[str, Any]:
    loaded: Mapping[str, Any] = json.loads(files(__package__).joinpath(f"{name}.schema.json").read_text("utf-8"))
    return loaded


def check(name: str, document: object) -> None:
    """Refuse a document that does not keep to its schema: say where, and what is wrong there."""
    problem = problem_with(schema(name), document, name)
    if problem is not None:
        raise GraphError(f"The {name} is damaged: {problem}.", hint="Give what to_json() wrote, unchanged.")


def problem_with(rule: Mapping[str, Any], value: Any, name: str, place: str = "", depth: int = 0) -> str | None:
    """Say what is wrong with a value; None if nothing is."""
    here = place or "the document"
    if depth > _DEEPEST:
        return f"{here[:60]}... is nested too deeply"
    if "$ref" in rule:
        file, _, part = rule["$ref"].partition("#/$defs/")
        name = file.removesuffix(".schema.json") or name
        return problem_with(schema(name)["$defs"][part] if part else schema(name), value, name, place, depth)
    if "oneOf" in rule:
        problems = [problem_with(one, value, name, place, depth + 1) for one in rule["oneOf"]]
        fitting = sum(problem is None for problem in problems)
        return None if fitting == 1 else max((p for p in problems if p is not None), key=len)
    if "type" in rule and not any(_is(value, kind) for kind in _listed(rule["type"])):
        return f"{here} is {short(value)}, not {' or '.join(_WORDS[kind] for kind in _listed(rule['type']))}"
    if "const" in rule and not _same(value, rule["const"]):
        return f"{here} is {short(value)}, not {rule['const']!r}"
    if "enum" in rule and not any(_same(value, one) for one in rule["enum"]):
        return f"{here} is {short(value)}, not one of {', '.join(map(repr, rule['enum']))}"
    if isinstance(value, dict):
        return _problem_with_object(rule, value, name, place, depth)
    if isinstance(value, list):
        return _problem_with_array(rule, value, name, place, depth)
    if not isinstance(value, (int, float)):
        return None
    if value < rule.get("minimum", -math.inf) or value <= rule.get("exclusiveMinimum", -math.inf):
        return f"{here} is {short(value)}, which is too small"
    if value > rule.get("maximum", math.inf):
        return f"{here} is {short(value)}, which is too large"
    return None


def _problem_with_object(
    rule: Mapping[str, Any], value: dict[str, Any], name: str, place: str, depth: int
) -> str | None:
    for key in rule.get("required", ()):
        if key not in value:
            return f"{place or 'the document'} has no {key!r}"
    known, others = rule.get("properties", {}), rule.get("additionalProperties", True)
    for key, inner in value.items():
        if not isinstance(key, str):
            return f"{place or 'the document'} has the key {short(key)}, which is not a string"
        one = known.get(key, others)
        if one is False:
            return f"{place or 'the document'} has {short(key)}, which is not known"
        if one is not True and one != {}:
            problem = problem_with(one, inner, name, f"{place}.{key}" if place else key, depth + 1)
            if problem is not None:
                return problem
    return None


def _problem_with_array(rule: Mapping[str, Any], value: list[Any], name: str, place: str, depth: int) -> str | None:
    first, rest = rule.get("prefixItems", ()), rule.get("items", {})
    if not rule.get("minItems", 0) <= len(value) <= rule.get("maxItems", math.inf):
        return f"{place} has {len(value)} entries"
    for i, inner in enumerate(value):
        one = first[i] if i < len(first) else rest
        if one is False:
            return f"{place} has {len(value)} entries"
        if one:
            problem = problem_with(one, inner, name, f"{place}[{i}]", depth + 1)
            if problem is not None:
                return problem
    return None


_WORDS = {
    "object": "an object",
    "array": "a list",
    "string": "a string",
    "boolean": "true or false",
    "null": "null",
    "number": "a number",
    "integer": "a whole number",
}


def _listed(kinds: str | list[str]) -> list[str]:
    return [kinds] if isinstance(kinds, str) else kinds


def _is(value: object, kind: str) -> bool:
    if kind in _TYPES:
        return isinstance(value, _TYPES[kind])
    if isinstance(value, bool):
        return False
    if kind == "integer":
        return isinstance(value, int)
    return isinstance(value, int) or (isinstance(value, float) and math.isfinite(value))


def _same(value: object, other: object) -> bool:
    return type(value) is type(other) and value == other
