"""Run the notebooks of this folder and keep what they show: `python docs/gallery/run.py`, or `make gallery`.

It does what a notebook server does for cells of plain Python (what is printed, warnings, and the value of the last line
as text, HTML or a drawing), without one being installed. `tests/test_gallery.py` runs every notebook and compares.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import re
import sys
import warnings
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
SHOWN = {"text/html": "_repr_html_", "image/svg+xml": "_repr_svg_"}


def execute(cells: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Give the cells with what their code shows now; the code runs in this folder."""
    names: dict[str, Any] = {"__name__": "__main__"}
    done = []
    with contextlib.chdir(HERE):
        for cell in cells:
            if cell["cell_type"] == "code":
                count = sum(one["cell_type"] == "code" for one in done) + 1
                shown = _outputs("".join(cell["source"]), names, count)
                done.append({**cell, "execution_count": count, "outputs": shown})
            else:
                done.append(cell)
    return done


def _outputs(source: str, names: dict[str, Any], count: int) -> list[dict[str, Any]]:
    body = ast.parse(source).body
    last = body.pop() if isinstance(body[-1], ast.Expr) else None
    value = None
    with contextlib.redirect_stdout(io.StringIO()) as printed, warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        exec(compile(ast.Module(body, []), "<cell>", "exec"), names)  # noqa: S102 - our own notebooks
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)  # noqa: S307
    outputs = []
    told = "".join(f"{one.category.__name__}: {one.message}\n" for one in warned)
    for name, text in (("stderr", told), ("stdout", printed.getvalue())):
        if text:
            outputs.append({"output_type": "stream", "name": name, "text": _lines(text)})
    if value is not None:
        data = {"text/plain": _lines(repr(value))}
        for kind, method in SHOWN.items():
            text = getattr(value, method, lambda: None)()
            if text:
                data[kind] = _lines(text)
        outputs.append({"output_type": "execute_result", "execution_count": count, "metadata": {}, "data": data})
    return outputs


def _lines(text: str) -> list[str]:
    timeless = re.sub(r"(samples), [\d.]+ m?s\b", r"\1", text)  # how long it took differs from run to run
    return timeless.splitlines(keepends=True)


def main() -> None:
    """Run every notebook, or those that are named, and write it back."""
    os.environ.setdefault("COLUMNS", "120")
    for path in [Path(name) for name in sys.argv[1:]] or sorted(HERE.glob("*.ipynb")):
        notebook = json.loads(path.read_text(encoding="utf-8"))
        notebook["cells"] = execute(notebook["cells"])
        path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        sys.stdout.write(f"{path.name}: {path.stat().st_size / 1000:.0f} kB\n")


if __name__ == "__main__":
    main()
