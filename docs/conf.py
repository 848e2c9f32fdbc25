"""Settings of the documentation: `make docs` builds it, with warnings as errors."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import paucal
from paucal.cli import COMMANDS

HERE = Path(__file__).parent

project = "paucal"
author = "The paucal developers"
copyright = "2026, the paucal developers"  # noqa: A001 - Sphinx asks for this name
version = release = paucal.__version__

extensions = [
    "myst_nb",  # Markdown, and the notebooks of the gallery as they were run
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",  # the reference: a page for every name
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "sphinx-mathjax-offline",  # formulas without a network
]
templates_path = ["_templates"]
exclude_patterns = [
    *("_build/html", "_build/jupyter_execute", "_templates"),
    "search.md",  # Sphinx has a page of its own called search: see write_pages
]
myst_enable_extensions = ["dollarmath", "deflist", "colon_fence"]
myst_heading_anchors = 3
nb_execution_mode = "off"
default_role = "code"  # docstrings write code in single backticks, as Markdown does

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True}
autoclass_content = "class"
autosummary_filename_map = {  # files whose names differ only in capitals are one file on some systems
    f"paucal.{name}": f"paucal.{name}-class" for name in ("Blanket", "Bootstrap")
}
napoleon_google_docstring = False
napoleon_use_ivar = True
python_use_unqualified_type_names = True

html_theme = "furo"
html_title = "paucal"
html_static_path: list[str] = []
html_show_sphinx = False
pygments_style = "friendly"
pygments_dark_style = "monokai"


GENERATED = HERE / "_build" / "generated"
ELSEWHERE = {  # pages that index.md names itself; every other page of this folder is about using paucal
    *("index", "real-data", "ten-minutes", "tutorial", "knowledge", "effects", "paper-sentences"),
    *("guide", "when-not", "comparison", "from-bnlearn", "glossary"),
    *("reference", "command-line", "extending", "limits", "reproduction"),
}
FIRST = [
    *("data", "files", "missing", "numbers", "search", "tests", "posterior", "interventions", "latent", "local"),
    *("report", "graphs", "networks", "accuracy", "calibrated", "speed", "scale"),
]


def write_pages() -> None:
    """Write the list of the pages about using paucal, the basic ones first; search.md goes by another name."""
    names = {page.stem for page in HERE.glob("*.md")} - ELSEWHERE
    order = [name for name in FIRST if name in names] + sorted(names - set(FIRST))
    if "search" in names:
        text = (HERE / "search.md").read_text(encoding="utf-8")
        moved = re.sub(r"\]\((?!https?:|#|/)", "](/", text)  # its links begin at this folder
        (GENERATED / "searches.md").write_text(moved, encoding="utf-8")
    places = ["/_build/generated/searches" if name == "search" else f"/{name}" for name in order]
    lines = ["```{toctree}", ":caption: Use", ":hidden:", "", *places, "```", ""]
    (GENERATED / "pages.txt").write_text("\n".join(lines), encoding="utf-8")


def write_help() -> None:
    """Write what every command says about itself into a page."""
    parts = []
    for command in COMMANDS:
        call = [sys.executable, "-c", "from paucal.cli import main; main()", command, "--help"]
        told = subprocess.run(call, capture_output=True, text=True, check=True)  # noqa: S603 - our own commands
        parts.append(f"## paucal {command}\n\n```text\n{told.stdout.strip()}\n```\n")
    (GENERATED / "help.txt").write_text("\n".join(parts), encoding="utf-8")


GENERATED.mkdir(parents=True, exist_ok=True)
write_pages()
write_help()


def follow_the_page_on_searches(app: Any, docname: str, source: list[str]) -> None:
    """Lead links to search.md to the name that the page goes by."""
    del app, docname
    source[0] = re.sub(r"\]\((?:\.\./)?search\.md", "](/_build/generated/searches.md", source[0])


def setup(app: Any) -> None:
    """Called by Sphinx."""
    app.connect("source-read", follow_the_page_on_searches)
