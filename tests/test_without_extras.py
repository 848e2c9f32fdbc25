"""With none of the extras installed, small files are read and everything starts; what needs one says which."""

from __future__ import annotations

import runpy
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ABSENT = ["duckdb", "pyarrow", "pandas", "polars", "pyreadstat", "rdata", "networkx", "igraph", "matplotlib"]

BLOCK = f"""
import importlib.abc, importlib.util, sys
class Absent(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {ABSENT!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Absent())
found = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name in {ABSENT!r} else found(name, *rest)
"""


def run(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", BLOCK + code], check=False, capture_output=True, text=True, cwd=folder)


def command(*words: str) -> str:
    return f"import paucal.cli\nsys.argv = ['paucal', *{words!r}]\npaucal.cli.main()"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "x.csv").write_text("a;b\n" + "1;yes\n2;no\n1;no\n" * 20)
    return tmp_path


@pytest.mark.parametrize("words", [("inspect", "x.csv"), ("learn", "x.csv"), ("test", "x.csv", "a", "b")])
def test_small_files_need_no_extra(folder: Path, words: tuple[str, ...]) -> None:
    done = run(command(*words), folder)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr


def test_workbooks_need_no_extra(folder: Path) -> None:
    import openpyxl

    book = openpyxl.Workbook()
    for row in (["a", "b"], [1, "x"], [2, "y"]):
        book.active.append(row)
    book.save(folder / "x.xlsx")
    done = run("import paucal\nprint(paucal.read('x.xlsx').levels)", folder)
    assert done.stdout.strip() == "((1, 2), ('x', 'y'))", done.stderr


@pytest.mark.parametrize(
    ("name", "content", "extra"),
    [
        ("x.parquet", b"PAR1" + bytes(20) + b"PAR1", "big"),
        ("x.feather", b"ARROW1" + bytes(20) + b"ARROW1", "arrow"),
        ("x.sav", b"$FL2" + bytes(100), "survey"),
        ("x.rds", b"X\n\0\0\0\3" + bytes(100), "r"),
    ],
)
def test_what_needs_an_extra_names_it(folder: Path, name: str, content: bytes, extra: str) -> None:
    (folder / name).write_bytes(content)
    done = run(command("inspect", name), folder)
    assert done.returncode == 2
    assert f"pip install 'paucal[{extra}]'" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_the_demo_needs_no_extra(folder: Path) -> None:
    (folder / "demo").mkdir()
    demo = runpy.run_path(str(Path(__file__).parent.parent / "examples" / "demo.py"))
    lines = [line for line in demo["COMMANDS"].strip().splitlines() if not line.startswith("#")]
    assert lines
    for line in lines:
        done = run(command(*shlex.split(line)[1:]), folder)
        assert done.returncode == 0, done.stderr
