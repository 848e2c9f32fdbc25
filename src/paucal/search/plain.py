"""Plain values: what JSON and TOML have. Recipes and results are written in them."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any

from paucal.graphs.graph import Graph
from paucal.independence.settings import CISettings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paucal.search.by_scores.scores import ScoreSettings


def plain(value: Any) -> Any:
    """Turn values into what JSON and TOML have; anything else is told as text."""
    if isinstance(value, Graph):
        return value.to_dict()
    if hasattr(value, "items"):
        return {str(key): plain(inner) for key, inner in value.items() if inner is not None}
    if isinstance(value, (list, tuple)):
        return [plain(inner) for inner in value]
    if isinstance(value, float):
        return value if isfinite(value) else str(value)
    return value if isinstance(value, (str, int)) else str(value)


def settings_to_plain(settings: CISettings | ScoreSettings) -> dict[str, Any]:
    """Give a test or a score as plain values."""
    return {"name": settings.name, **plain(settings.all)}


def settings_from_plain(content: Mapping[str, Any]) -> CISettings:
    """Read a test as `settings_to_plain` wrote it."""
    rest = dict(content)
    return CISettings(rest.pop("name"), rest.pop("alpha", None), rest)


def toml_of(content: Mapping[str, Any], head: str = "") -> str:
    """Write plain values as TOML: tables after everything else."""
    tables = {key: value for key, value in content.items() if isinstance(value, dict)}
    lines = [f"{_key(key)} = {_toml(value)}" for key, value in content.items() if key not in tables]
    text = "\n".join([*([f"[{head}]"] if head else []), *lines]) + "\n"
    inner = (toml_of(value, f"{head}.{_key(key)}" if head else _key(key)) for key, value in tables.items())
    return "\n".join([text, *inner])


def _key(name: str) -> str:
    bare = name.isascii() and name.replace("_", "").replace("-", "").isalnum()
    return name if bare else _toml(name)


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, str):
        return '"' + "".join(_escaped(sign) for sign in value) + '"'
    return repr(value)


def _escaped(sign: str) -> str:
    if sign in '"\\':
        return f"\\{sign}"
    return sign if sign.isprintable() else f"\\U{ord(sign):08x}"
