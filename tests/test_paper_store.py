"""The file of finished cells: what it survives and what it refuses."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paucal.errors import FileError
from paucal.paper.store import HEADER, NAME, Store

RECORDS = [{"key": f"k{i}", "result": {"shd": i, "name": "ä\n"}} for i in range(5)]


def fill(folder, records=RECORDS):
    with Store(folder) as store:
        for record in records:
            store.append(record)
    return folder / NAME


def test_cells_come_back(tmp_path):
    fill(tmp_path)
    with Store(tmp_path) as store:
        assert [store.cells[r["key"]]["result"] for r in RECORDS] == [r["result"] for r in RECORDS]


@settings(max_examples=25, deadline=None)
@given(cut=st.integers(0, 400))
def test_a_file_cut_anywhere_keeps_every_whole_line(tmp_path_factory, cut):
    folder = tmp_path_factory.mktemp("cut")
    path = fill(folder)
    content = path.read_bytes()
    cut = min(cut, len(content))
    path.write_bytes(content[:cut])
    whole = max(0, content[:cut].count(b"\n") - 1)  # the first line names the format
    with Store(folder) as store:
        assert list(store.cells) == [r["key"] for r in RECORDS[:whole]]
        for record in RECORDS[whole:]:
            store.append(record)
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    "content",
    [
        b"network,size\nchild,100\n",
        b"{}\n",
        b'{"format": "paucal reproduce", "version": 99}\n',
        b"x",
        b"\x00" * 100,
        b"\xff\xfe",
    ],
)
def test_foreign_files_are_refused_and_left_alone(tmp_path, content):
    path = tmp_path / NAME
    path.write_bytes(content)
    with pytest.raises(FileError, match="not a results file"), Store(tmp_path):
        pass
    assert path.read_bytes() == content


@pytest.mark.parametrize("line", [b"{broken", b"[1, 2]", b'{"key": "a"}', b'{"result": {}}', b"", b"\x00"])
def test_damage_in_the_middle_is_refused_with_its_line(tmp_path, line):
    path = fill(tmp_path)
    lines = path.read_bytes().split(b"\n")
    lines[3] = line
    path.write_bytes(b"\n".join(lines))
    before = path.read_bytes()
    with pytest.raises(FileError, match="Line 4"), Store(tmp_path):
        pass
    assert path.read_bytes() == before


def test_a_cell_written_twice_counts_once(tmp_path):
    path = fill(tmp_path)
    with path.open("a") as file:
        file.write(json.dumps({"key": "k0", "result": {"shd": 99}}) + "\n")
    with Store(tmp_path) as store:
        assert len(store.cells) == 5
        assert store.cells["k0"]["result"]["shd"] == 0


def test_files_of_two_machines_can_be_joined(tmp_path):
    (tmp_path / "b").mkdir()
    one = fill(tmp_path, RECORDS[:2])
    two = fill(tmp_path / "b", RECORDS[2:])
    one.write_bytes(one.read_bytes() + two.read_bytes())
    with Store(tmp_path) as store:
        assert len(store.cells) == 5


def test_a_second_run_is_kept_away(tmp_path):
    code = "import sys, pathlib, paucal.paper.store as s; s.Store(pathlib.Path(sys.argv[1])).__enter__()"
    command = [sys.executable, "-c", code, str(tmp_path)]
    with Store(tmp_path):
        other = subprocess.run(command, capture_output=True, text=True, check=False)
    assert other.returncode != 0
    assert "Another run is writing" in other.stderr
    with Store(tmp_path):
        pass  # the lock is gone


def test_folders_that_cannot_be_written_are_told(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(FileError, match="cannot be written"), Store(tmp_path / "file"):
        pass
    with pytest.raises(FileError, match="cannot be written"), Store(tmp_path / "file" / "below"):
        pass


def test_nothing_is_written_outside_the_with_block(tmp_path):
    store = Store(tmp_path)
    with pytest.raises(FileError, match="not open"):
        store.append(RECORDS[0])
    assert not store.path.exists()


def test_numbers_that_json_cannot_say_are_refused(tmp_path):
    with Store(tmp_path) as store, pytest.raises(ValueError, match="JSON compliant"):
        store.append({"key": "k", "result": {"shd": float("nan")}})
    assert (tmp_path / NAME).read_text().strip() == json.dumps(HEADER)
