"""Settings of the documentation: `make docs` builds it, with warnings as errors."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import paucal
from paucal.cli import COMMANDS

HERE = Path(__file__).parent

project = "paucal"
author = "The paucal developers"
copyright = "2026, the paucal developers"  # noqa: A001 - Sphinx asks for this name
version = release = paucal.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "sphinx-mathjax-offline",  # formulas without a network
]
exclude_patterns = ["_build"]
myst_enable_extensions = ["dollarmath", "deflist", "colon_fence"]
myst_heading_anchors = 3
default_role = "code"  # docstrings write code in single backticks, as Markdown does

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True, "show-inheritance": False}
autoclass_content = "class"
napoleon_google_docstring = False
napoleon_use_ivar = True
python_use_unqualified_type_names = True

html_theme = "furo"
html_title = "paucal"
html_static_path: list[str] = []
html_show_sphinx = False
pygments_style = "friendly"
pygments_dark_style = "monokai"


def write_help() -> None:
    """Write what every command says about itself into a page."""
    parts = []
    for command in COMMANDS:
        call = [sys.executable, "-c", "from paucal.cli import main; main()", command, "--help"]
        told = subprocess.run(call, capture_output=True, text=True, check=True)  # noqa: S603 - our own commands
        parts.append(f"## paucal {command}\n\n```text\n{told.stdout.strip()}\n```\n")
    folder = HERE / "_build" / "generated"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "help.txt").write_text("\n".join(parts), encoding="utf-8")


write_help()
