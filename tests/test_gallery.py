"""The notebooks of the documentation show what their code gives."""

from __future__ import annotations

import json
import re
import runpy
from pathlib import Path

import pytest

GALLERY = Path(__file__).resolve().parents[1] / "docs" / "gallery"
NOTEBOOKS = sorted(GALLERY.glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_shows_what_its_code_gives(path):
    kept = json.loads(path.read_text(encoding="utf-8"))["cells"]
    run = runpy.run_path(str(GALLERY / "run.py"))["execute"](kept)
    assert any(cell.get("outputs") for cell in kept)
    for now, then in zip(run, kept, strict=True):
        assert now == then, "run `make gallery` if this is meant"


def test_notebooks_are_small_and_linked():
    index = (GALLERY / "index.md").read_text(encoding="utf-8")
    assert len(NOTEBOOKS) >= 4
    for path in NOTEBOOKS:
        text = path.read_text(encoding="utf-8")
        assert len(text) < 100_000
        assert f"({path.name})" in index and f"\n{path.stem}\n" in index
        words = "".join(
            part for cell in json.loads(text)["cells"] for part in cell["source"] if cell["cell_type"] == "markdown"
        )
        for target in re.findall(r"\]\(([^)#:]+)\)", words):
            assert (path.parent / target).exists(), f"{path.name} links to {target}"
