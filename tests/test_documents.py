"""Documents run: doctests of the package, examples of the pages, code blocks of the README."""

from __future__ import annotations

import contextlib
import doctest
import importlib
import io
import pkgutil
import re
import shlex
import types
from pathlib import Path

import click
import pytest

import paucal
from paucal.cli import COMMANDS, cli

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted(p for p in (ROOT / "docs").rglob("*.md") if "_build" not in p.parts)
OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
MODULES = sorted(
    module.name for module in pkgutil.walk_packages(paucal.__path__, "paucal.") if not module.name.endswith("_kernel")
)


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name):
    module = importlib.import_module(name)
    failures, _ = doctest.testmod(module, optionflags=OPTIONS, extraglobs={"Graph": paucal.Graph})
    assert failures == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pages(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    failures, _ = doctest.testfile(str(page), module_relative=False, optionflags=OPTIONS)
    assert failures == 0


def test_readme_blocks(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    assert blocks
    names: dict[str, object] = {}
    for block in blocks:
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(block, names)  # noqa: S102 - our own README
        assert printed.getvalue()


@pytest.mark.filterwarnings("ignore")  # those of DoWhy and what it brings along
def test_the_example_of_dowhy():
    pytest.importorskip("dowhy")
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "effects.md").read_text(encoding="utf-8"), re.DOTALL)
    (block,) = (block for block in blocks if "dowhy" in block)
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(block, {})  # noqa: S102 - our own page
    assert 0.2 < float(printed.getvalue()) < 0.3


def test_the_example_of_limits():
    (block,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "limits.md").read_text(encoding="utf-8"), re.DOTALL)
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(block, {})  # noqa: S102 - our own page
    assert "1,000" in printed.getvalue()


def test_commands_in_documents_have_the_options_named_there():
    checked = 0
    for page in [ROOT / "README.md", *PAGES]:
        text = page.read_text(encoding="utf-8")
        lines = re.findall(r"^(?:    |\$ )?(paucal [a-z]+ .*)$", text, re.MULTILINE)
        for line in [*lines, *re.findall(r"`(paucal [a-z]+ [^`]*)`", " ".join(text.split()))]:
            name = line.split()[1]
            if name not in COMMANDS:  # a sentence that begins with paucal
                continue
            command = cli.get_command(click.Context(cli), name)
            known = {word for part in command.params for word in (*part.opts, *part.secondary_opts)} | {"--help", "-"}
            for word in shlex.split(line, comments=True)[2:]:
                assert not word.startswith("-") or word in known, f"{page.name}: {line}"
                checked += word.startswith("-")
    assert checked > 100


def test_programs_that_made_the_numbers_take_these_options():
    checked = 0
    for page in [ROOT / "README.md", *PAGES]:
        text = " ".join(page.read_text(encoding="utf-8").split())
        for name, words in re.findall(r"`(?:python )?(benchmarks/\w+\.py)([^`]*)`", text):
            program = (ROOT / name).read_text(encoding="utf-8")
            for word in words.split():
                assert f'"{word}"' in program or not word.startswith("--"), f"{page.name}: {name} {word}"
            checked += 1
    assert checked > 40


def anchors(page: Path) -> set[str]:
    """The places in a page that a link can lead to."""
    heads = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def test_links_between_documents_lead_somewhere():
    checked = 0
    for page in [*ROOT.glob("*.md"), *PAGES]:
        for target, place in re.findall(r"\]\(([^)#:]*)(?:#([^)]*))?\)", page.read_text(encoding="utf-8")):
            goal = page.parent / target if target else page
            assert goal.exists(), f"{page.name} links to {target}"
            assert not place or place in anchors(goal), f"{page.name} links to {target}#{place}"
            checked += 1
    assert checked > 100


def test_names_in_documents_exist():
    for page in [ROOT / "README.md", *PAGES]:
        for name in re.findall(r"\bpaucal\.([A-Za-z_]+(?:\.[A-Za-z_]+)*)", page.read_text(encoding="utf-8")):
            found: object = paucal
            for part in name.split("."):
                if not hasattr(found, part) and isinstance(found, types.ModuleType):
                    with contextlib.suppress(ImportError):
                        importlib.import_module(f"{found.__name__}.{part}")
                assert hasattr(found, part), f"{page.name} names paucal.{name}"
                found = getattr(found, part)


def test_documents_speak_of_the_product_only():
    for page in [*ROOT.glob("*.md"), *PAGES]:
        assert not re.search(r"/(work|tmp|root|home)/", page.read_text(encoding="utf-8")), page.name
