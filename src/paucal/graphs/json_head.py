"""The head of every JSON file that paucal writes, `"format"` and `"version"`, and the one place that checks it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from paucal.errors import GraphError, short


class JsonFormat:
    """What one sort of file is called, inside and in messages."""

    def __init__(self, name: str, thing: str, version: int = 1) -> None:
        self.head = {"format": name, "version": version}
        self._thing = thing

    def check(self, content: object) -> Mapping[str, Any]:
        """Give the content back if it has this head."""
        name, known = self.head["format"], self.head["version"]
        if not isinstance(content, Mapping) or _differ(content.get("format"), name):
            raise GraphError(f"This is not a {self._thing} of paucal.", hint=f'It needs "format": "{name}".')
        version = content.get("version")
        if _differ(version, known):
            raise GraphError(
                f"This {self._thing} has version {short(version)}, only {known} is known.",
                hint="Read it with the paucal that wrote it.",
            )
        return content


def _differ(found: object, wanted: object) -> bool:
    """Say whether two plain values differ; an array or pandas' NA has no plain answer to ==."""
    return type(found) is not type(wanted) or found != wanted


def plain_lists(value: Any) -> Any:
    """Give a document with lists for tuples, as JSON has it."""
    if isinstance(value, Mapping):
        return {key: plain_lists(inner) for key, inner in value.items()}
    return [plain_lists(inner) for inner in value] if isinstance(value, (list, tuple)) else value


def parse_json(text: str | bytes) -> Any:
    """Read JSON that some `to_json` wrote."""
    try:
        return json.loads(text)
    except RecursionError:
        raise GraphError("This JSON is nested too deeply.", hint="Give JSON that paucal wrote.") from None
    except (ValueError, TypeError) as error:
        raise GraphError(f"This is not JSON: {error}.", hint="Give JSON that paucal wrote.") from error
