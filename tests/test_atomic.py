"""Files that are either wholly written or not at all."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

from paucal.atomic import replacing, write_text
from paucal.errors import FileError


def test_a_file_is_replaced_in_one_step(tmp_path):
    path = tmp_path / "out.txt"
    write_text(path, "first")
    write_text(path, "zweite Fassung äöü")
    assert path.read_text(encoding="utf-8") == "zweite Fassung äöü"
    assert [f.name for f in tmp_path.iterdir()] == ["out.txt"]


@pytest.mark.parametrize("failure", [RuntimeError, KeyboardInterrupt])
def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path, failure):
    path = tmp_path / "out.txt"
    write_text(path, "old")

    def fail():
        with replacing(path) as file:
            file.write(b"half of the n")
            raise failure

    with pytest.raises(failure):
        fail()
    assert path.read_text() == "old"
    assert [f.name for f in tmp_path.iterdir()] == ["out.txt"]


def test_permissions_are_the_usual_ones(tmp_path):
    path = tmp_path / "out.txt"
    write_text(path, "x")
    plain = tmp_path / "plain.txt"
    plain.write_text("x")
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)
    path.chmod(0o600)
    write_text(path, "y")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("where", ["no/such/folder/out.txt", "folder"])
def test_refusals_name_the_file(tmp_path, where):
    (tmp_path / "folder").mkdir()
    with pytest.raises(FileError, match="cannot be written"):
        write_text(tmp_path / where, "x")
    assert [f.name for f in tmp_path.iterdir()] == ["folder"]


def test_links_are_followed(tmp_path):
    real, link = tmp_path / "real.txt", tmp_path / "link.txt"
    real.write_text("old")
    link.symlink_to(real)
    write_text(link, "new")
    assert link.is_symlink() and real.read_text() == "new"


def test_what_is_no_file_is_written_to_and_not_replaced(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    write_text(pipe, "through")
    reader.join(timeout=10)
    assert read == ["through"] and stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_device_that_is_full_says_so():
    full = Path("/dev/full")
    if not full.is_char_device():
        pytest.skip("there is no /dev/full")
    with pytest.raises(FileError, match="cannot be written"):
        write_text(full, "x")
    assert full.is_char_device()
