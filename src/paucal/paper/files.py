"""The files of this folder that hold text, numbers and templates."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from string import Template
from typing import Any


def read_toml(name: str) -> dict[str, Any]:
    """Read a TOML file."""
    return tomllib.loads(_text(name))


@cache
def template(name: str) -> Template:
    """Read a template."""
    return Template(_text(name))


def _text(name: str) -> str:
    return resources.files("paucal.paper").joinpath(name).read_text(encoding="utf-8")
