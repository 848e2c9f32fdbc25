"""`import paucal` and the help of the command line stay light."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = [
    "pandas",
    "polars",
    "pyarrow",
    "scipy",
    "duckdb",
    "rich",
    "matplotlib",
    "networkx",
    "igraph",
    "joblib",
    "narwhals",
    "jinja2",
]


def loaded(code: str) -> set[str]:
    listing = "import sys; print('\\n'.join(sys.modules))"
    out = subprocess.run([sys.executable, "-c", f"{code}\n{listing}"], check=True, capture_output=True, text=True)
    return set(out.stdout.split())


# rooms that a search has no business in
ELSEWHERE = [
    "paucal.adapters",
    "paucal.cli",
    "paucal.detectable",
    "paucal.graphs.drawing",
    "paucal.graphs.formats",
    "paucal.metrics",
    "paucal.networks",
    "paucal.paper",
    "paucal.planning",
    "paucal.report",
]
DATA = "{'a': [0, 1, 1] * 9, 'b': [1, 1, 0] * 9}"


@pytest.mark.parametrize(
    "code",
    [
        "paucal.Graph.parse('A -> B')",
        "paucal.learn",
        f"paucal.learn({DATA})",
        f"paucal.learn({DATA}, 'pc-stable').why('a', 'b')",
        f"paucal.learn({DATA}, 'fci', knowledge=paucal.Knowledge(tiers=[['a'], ['b']]))",
        f"paucal.blanket({DATA}, 'a')",
    ],
)
def test_searches_load_no_drawings_formats_or_front_ends(code):
    here = loaded(f"import paucal\n{code}")
    assert here.isdisjoint([*ELSEWHERE, *HEAVY[: HEAVY.index("narwhals")]])


def test_a_graph_needs_neither_data_nor_searches():
    here = loaded("import paucal\npaucal.Graph.parse('A -> B; B -- C').adjacent('B')")
    assert not {m for m in here if m.startswith(("paucal.data", "paucal.search", "paucal.independence"))}


def test_import_pulls_in_numpy_at_most():
    assert loaded("import paucal").isdisjoint([*HEAVY, "click"])


def test_asking_loads_nothing_heavy():
    code = (
        "import paucal\n"
        "paucal.ci_test({'a': [0, 1, 1] * 9, 'b': [1, 1, 0] * 9}, 'a', 'b')\n"
        "paucal.Oracle(paucal.Graph.dag('AB', []))('A', 'B')"
    )
    assert loaded(code).isdisjoint(set(HEAVY) - {"narwhals"})


def test_nothing_imports_scipy():
    # a witness of the tests; the package has the few functions it needs
    import paucal

    files = sorted(Path(paucal.__file__).parent.rglob("*.py"))
    assert len(files) > 100
    for file in files:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not [name for name in names if name.split(".")[0] == "scipy"], file


@pytest.mark.parametrize("arguments", ["--help", "--version", "test --help"])
def test_help_loads_nothing_heavy(arguments):
    code = (
        f"import sys; sys.argv = ['paucal', *{arguments.split()!r}]\n"
        "import paucal.cli\ntry: paucal.cli.main()\nexcept SystemExit: pass"
    )
    assert loaded(code).isdisjoint(HEAVY)


def test_every_public_name_is_there():
    import paucal

    for name in paucal.__all__:
        assert getattr(paucal, name) is not None
    with pytest.raises(AttributeError, match="has no attribute 'leran'"):
        paucal.leran  # noqa: B018
