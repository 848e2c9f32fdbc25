"""`import paucal` and the help of the command line stay light."""

from __future__ import annotations

import subprocess
import sys

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


def test_asking_needs_no_scipy():
    code = (
        "import paucal\n"
        "paucal.ci_test({'a': [0, 1, 1] * 9, 'b': [1, 1, 0] * 9}, 'a', 'b')\n"
        "paucal.Oracle(paucal.Graph.dag('AB', []))('A', 'B')"
    )
    assert loaded(code).isdisjoint(set(HEAVY) - {"narwhals"})


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
