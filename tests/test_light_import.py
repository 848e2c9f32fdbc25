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
]


def loaded(code: str) -> set[str]:
    listing = "import sys; print('\\n'.join(m for m in sys.modules if '.' not in m))"
    out = subprocess.run(
        [sys.executable, "-c", f"{code}\n{listing}"], check=True, capture_output=True, text=True
    )
    return set(out.stdout.split())


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
