"""The ten-minute walk of the documentation, typed in as a new user would, gives the output that stands there."""

from __future__ import annotations

import doctest
import re
import shlex
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from paucal.cli import cli

DOCS = Path(__file__).resolve().parents[1] / "docs"
EXAMPLES = DOCS.parent / "examples"
PAGES = [p for p in sorted(DOCS.rglob("*.md")) if "```console" in p.read_text(encoding="utf-8")]
OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def steps(page: Path):
    """Commands with their expected output, and files that the page tells the reader to write."""
    text = page.read_text(encoding="utf-8")
    pattern = r"a file `([\w.]+)`.*?```toml\n(.*?)```|```console\n(.*?)```"
    for name, content, console in re.findall(pattern, text, re.DOTALL):
        if name:
            yield "write", name, content
        for block in re.split(r"^\$ ", console, flags=re.MULTILINE)[1:]:
            command, _, printed = block.partition("\n")
            yield "run", command, printed


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_walk(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for table in EXAMPLES.glob("*.csv"):
        shutil.copy(table, tmp_path)
    taken = 0
    for action, what, content in steps(page):
        if action == "write":
            Path(what).write_text(content, encoding="utf-8")
            continue
        outcome = CliRunner().invoke(cli, shlex.split(what)[1:])
        assert outcome.exit_code == 0, f"{what}\n{outcome.output}"
        printed = re.sub(r"samples, \S+ m?s$", "samples, 9 ms", outcome.output, flags=re.MULTILINE)  # busy or not
        same = doctest.OutputChecker().check_output(content, printed, OPTIONS)
        assert same, f"$ {what}\n{outcome.output}"
        taken += 1
    assert taken


def test_the_walk_is_there():
    assert {"ten-minutes.md", "real-data.md"} <= {page.name for page in PAGES}
