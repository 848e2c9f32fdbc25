"""The files of this folder that hold text and numbers."""

from __future__ import annotations

import sys
from importlib import resources
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def read_toml(name: str) -> dict[str, Any]:
    """Read a TOML file."""
    return tomllib.loads(resources.files("paucal.paper").joinpath(name).read_text(encoding="utf-8"))
