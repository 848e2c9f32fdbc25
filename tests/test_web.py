"""The script of the report page that is kept in git is the one that its sources give."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

import paucal

ROOT = Path(__file__).parent.parent
WEB = ROOT / "web"
STATIC = Path(paucal.__file__).parent / "report" / "static"


def run(*words: str, folder: Path = WEB) -> subprocess.CompletedProcess[str]:
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=240, check=False)


@pytest.fixture(scope="module")
def built():
    """The folder `web` with what it needs; skipped where there is no node, or nowhere to fetch from."""
    if not WEB.is_dir() or shutil.which("npm") is None:
        pytest.skip("node and npm are not installed")
    if not (WEB / "node_modules" / "d3-dag").is_dir():
        fetched = run("npm", "ci", "--no-audit", "--no-fund")
        if fetched.returncode != 0:
            pytest.skip("the packages of web/package-lock.json cannot be fetched")
    return WEB


def test_the_script_in_git_is_what_the_build_gives(built):
    found = run("node", "build.mjs", "--check")
    assert found.returncode == 0, found.stderr


def test_a_stale_script_would_be_noticed(built, tmp_path):
    copy = tmp_path / "web"
    copy.mkdir()
    for name in ("build.mjs", "package.json"):
        shutil.copy(WEB / name, copy)
    shutil.copytree(WEB / "src", copy / "src")
    (copy / "node_modules").symlink_to(WEB / "node_modules")
    static = tmp_path / "src" / "paucal" / "report" / "static"
    shutil.copytree(STATIC, static)
    (static / "report.js").write_text("other")
    found = run("node", "build.mjs", "--check", folder=copy)
    assert found.returncode == 1 and "report.js is not what the build gives" in found.stderr


@pytest.mark.skipif(not WEB.is_dir(), reason="a wheel has no sources of the script")
def test_versions_are_pinned_and_no_address_is_locked():
    about = json.loads((WEB / "package.json").read_text(encoding="utf-8"))
    for version in (about["dependencies"] | about["devDependencies"]).values():
        assert version[0].isdigit()
    lock = (WEB / "package-lock.json").read_text(encoding="utf-8")
    assert '"resolved"' not in lock and json.loads(lock)["lockfileVersion"] == 3


def test_every_library_in_the_script_has_its_licence():
    head = (STATIC / "report.js").read_text(encoding="utf-8").split("*/")[0]
    texts = (STATIC / "THIRD-PARTY.txt").read_text(encoding="utf-8")
    listed = head.partition(" with ")[2].partition("; licences")[0].split(", ")
    assert len(listed) > 5 and any(one.startswith("d3-dag ") for one in listed)
    for one in listed:
        name, version = one.split(" ")[:2]
        assert f"\n{name} {version}, " in texts
    assert "(no text of its own)" not in texts
