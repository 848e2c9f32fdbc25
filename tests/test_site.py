"""The documentation is complete: every public name, every search and every picture has its place."""

from __future__ import annotations

import re
import struct
import tomllib
from pathlib import Path

import pytest

import paucal

DOCS = Path(__file__).resolve().parents[1] / "docs"


def text_of(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def test_the_reference_has_every_public_name():
    named = re.findall(r"^   paucal\.(\w+)$", text_of("reference.md"), re.MULTILINE)
    assert len(named) == len(set(named))
    assert set(named) == set(paucal.__all__) - {"__version__"} | {"errors"}


SLOW_PHRASES = (  # readers who know statistics but not paucal stopped at these
    *("tests with a right level", "this way 0.", "several summits", "conditioner", "columns that are no data"),
    *("comes nearest to the truth", "is no table", "as it lies", "As it lies"),
    *("count for nothing", "no row is made of", "the same but for", "most often by", "decide each other"),
    *("looks too sure", "says nothing to the search", "no effect of one on"),
)


@pytest.mark.parametrize("phrase", SLOW_PHRASES)
def test_phrases_that_slowed_readers_do_not_come_back(phrase):
    root = DOCS.parent
    package = [path for end in ("py", "html", "toml") for path in (root / "src" / "paucal").rglob(f"*.{end}")]
    for path in [*root.glob("*.md"), *DOCS.rglob("*.md"), *package]:
        if not {"_build", "results"} & set(path.parts):  # pages of results take their words from paper/notes.toml
            text = " ".join(path.read_text(encoding="utf-8").split())
            assert phrase not in text, f"{path.name}: {phrase}"


@pytest.mark.parametrize("search", paucal.search_names())
def test_every_search_has_a_page(search):
    pages = [p for p in DOCS.rglob("*.md") if f'learn(data, "{search}"' in p.read_text(encoding="utf-8")]
    assert pages, f"no page shows how to call {search}"


def test_pages_are_reachable():
    index = text_of("index.md")
    for page in (DOCS / "algorithms").glob("*.md"):
        assert f"algorithms/{page.stem}" in index
    for page in DOCS.glob("*.md"):
        assert f"]({page.name})" in index or page.stem == "index", f"index.md has no link to {page.name}"


def test_pictures_are_small_and_used():
    pages = "".join(p.read_text(encoding="utf-8") for p in DOCS.glob("*.md"))
    for picture in (DOCS / "pictures").glob("*.png"):
        head = picture.read_bytes()[:24]
        width, height = struct.unpack(">II", head[16:24])
        assert head.startswith(b"\x89PNG") and 300 <= width <= 2000 and height <= 2000
        assert picture.stat().st_size < 300_000
        assert f"pictures/{picture.name}" in pages


def test_the_readme_maps_all_code():
    text = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    table = text[text.index("## The code") : text.index("## More")]
    root = Path(paucal.__file__).parent
    for entry in root.iterdir():
        if entry.name.startswith(("_", ".")) or entry.suffix not in ("", ".py"):
            continue
        assert f"`{entry.name}{'/' if entry.is_dir() else ''}`" in table, entry.name


def test_the_citation_names_the_version():
    told = (DOCS.parent / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {paucal.__version__}\n" in told


def test_the_conda_recipe_needs_what_the_package_needs():
    project = tomllib.loads((DOCS.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    recipe = (DOCS.parent / "packaging" / "conda" / "meta.yaml").read_text(encoding="utf-8")
    run = recipe[recipe.index("  run:") : recipe.index("\ntest:")]
    needed = {"python" + project["requires-python"], *project["dependencies"]}
    assert {line.strip(" -").replace(" ", "") for line in run.splitlines()[1:] if line.strip()} == needed
