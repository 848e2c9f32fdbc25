"""What a cell is computed with, as a digest: a stored result is good as long as this stays the same.

It covers the module of the cell, those of its search and of its samples, everything that these import, at the top or
inside functions, and so on; the data files of the package; and the sources that the kernel was built from. A string
that is the name of a module counts as an import; a package that looks along its own path imports all of its modules.
Comments, docstrings and blank lines do not count, nor do imports for types, nor what only reads files or shows results
(`_BESIDE`).
"""

from __future__ import annotations

import ast
import hashlib
import io
import json
import tokenize
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import paucal
from paucal.paper.cells.supplement import Archive
from paucal.paper.design import Search
from paucal.search.catalogue import blanket_searches, find_search, search_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from paucal.paper.design import Cell, Plain

_BESIDE = (
    "paucal.adapters",
    "paucal.cli",
    "paucal.data.files",
    "paucal.graphs.drawing",
    "paucal.graphs.formats",
    "paucal.report",
    "paucal.search.estimators",
)
_ROOT = Path(paucal.__file__).parent
_LAYOUT = (tokenize.ENCODING, tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)


def key_of(cell: Cell) -> str:
    """Give the key of a cell: the same for the same settings and the same code, and for nothing else."""
    text = json.dumps(_identity(cell), sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def cell_record(cell: Cell, result: Mapping[str, Plain]) -> dict[str, Plain]:
    """Give what is written down about a finished cell."""
    return {"key": key_of(cell), **_identity(cell), "result": dict(result)}


def _identity(cell: Cell) -> dict[str, Plain]:
    return {"kind": cell.kind, "settings": cell.settings(), "code": version_of(cell)}


def version_of(cell: Cell) -> str:
    """Give the digest of what a cell is computed with."""
    start = [type(cell).__module__]
    for value in vars(cell).values():
        if isinstance(value, Search):
            name, local = value.recipe.search, value.recipe.target is not None
            ours = name in (blanket_searches() if local else search_names())
            start += [find_search(name, local=local).__module__] if ours else []
        elif isinstance(value, Archive):
            start.append(Archive.__module__)
    return _digest(tuple(start))


@cache
def _digest(start: tuple[str, ...]) -> str:
    digest = hashlib.sha256(_kernel())
    for file in sorted(_ROOT.rglob("*")):
        if file.suffix in (".npz", ".gz"):
            digest.update(file.name.encode() + b"\0" + file.read_bytes())
    for module in modules_behind(start, _ROOT):
        digest.update(module.encode() + b"\0" + code_of(_file(module, _ROOT).read_bytes()))
    return digest.hexdigest()[:16]


def _kernel() -> bytes:
    """Give the digest of the kernel's sources that its build left; without it, the kernel itself."""
    from paucal import _kernel

    native = Path(_kernel.__file__).resolve()
    digest = native.with_name("_kernel.digest")
    return (digest if digest.exists() else native).read_bytes()


def modules_behind(start: Iterable[str], root: Path) -> list[str]:
    """Give the names of all modules of the package at `root` that some modules lead to, with themselves, sorted."""
    found: set[str] = set()
    left = list(start)
    while left:
        name = left.pop()
        beside = any(name == part or name.startswith(f"{part}.") for part in _BESIDE)
        if name in found or beside or "." not in name or not _file(name, root).exists():
            continue
        found.add(name)
        left += [name.rpartition(".")[0], *_named(_file(name, root), name)]
    return sorted(found)


def _file(module: str, root: Path) -> Path:
    """Give the file of a module; it need not exist."""
    path = root.parent.joinpath(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


@cache
def _named(file: Path, module: str) -> tuple[str, ...]:
    """Give the imports of a module, what they take from packages, strings that may name modules, and what it finds."""
    names: list[str] = []
    left: list[ast.AST] = [ast.parse(file.read_bytes())]
    while left:
        node = left.pop()
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            left += node.orelse
            continue
        left += ast.iter_child_nodes(node)
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            names += [node.value] if node.value.replace(".", "_").isidentifier() else []
        elif isinstance(node, ast.Name) and node.id == "__path__":
            names += [f"{module}.{found.stem}" for found in sorted(file.parent.glob("*.py")) if found != file]
    return tuple(names)


@cache
def code_of(source: bytes) -> bytes:
    """Give a source without comments, docstrings and blank lines."""
    lines = source.decode().split("\n")
    kept: set[int] = set()  # rows with code
    starts = True
    for kind, text, (first, column), (last, _), _ in tokenize.tokenize(io.BytesIO(source).readline):
        if kind == tokenize.COMMENT:
            lines[first - 1] = lines[first - 1][:column].rstrip()
        elif kind == tokenize.NEWLINE:
            starts = True
        elif kind not in _LAYOUT and not (starts and text.endswith(("'", '"'))):
            kept.update(range(first, last + 1))
            starts = False
    return "\n".join(lines[row - 1] for row in sorted(kept)).encode()
