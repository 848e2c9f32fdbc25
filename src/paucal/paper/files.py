"""The files of this folder that hold text and numbers."""

from __future__ import annotations

from importlib import resources
from typing import Any

import tomllib


def read_toml(name: str) -> dict[str, Any]:
    """Read a TOML file."""
    return tomllib.loads(resources.files("paucal.paper").joinpath(name).read_text(encoding="utf-8"))
