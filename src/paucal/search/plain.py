"""Plain values: what JSON and TOML have. Recipes and results are written in them."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any

from paucal import checks
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
    rest = checks.settings("test", content)
    return CISettings(
        checks.instance("test", rest.pop("name", None), str, "the name of a test"), rest.pop("alpha", None), rest
    )
