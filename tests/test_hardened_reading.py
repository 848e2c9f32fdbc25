"""What a file or a frame must never do in silence: lose a row, make two numbers one, leave a copy behind."""

from __future__ import annotations

import gzip
import os
import signal
import subprocess
import sys
import textwrap
import time
from typing import TYPE_CHECKING

import pandas as pd
import pyreadstat
import pytest

import paucal
from paucal.data.files import read_table
from paucal.errors import DataError, FileError

if TYPE_CHECKING:
    from pathlib import Path


def table(tmp_path: Path, content: str | bytes, **told: object):
    path = tmp_path / "data.csv"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return read_table(path, **told)


# ------------------------------------------------------------------ a first line that is no line of names


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("4.5,2\n1,3\n2,2\n", "holds numbers only"),
        ("7,2,9\n1,3,5\n", "holds numbers only"),
        ("yes,no\nno,no\nyes,yes\n", "holds only values that occur again below"),
        ("m,yes,34\nf,no,22\nm,no,41\nf,yes,36\n", "holds values like those below"),
    ],
)
def test_no_row_is_taken_for_names(tmp_path, content, said):
    found = table(tmp_path, content)
    assert found.n_rows == content.count("\n")
    assert found.names[:2] == ("column1", "column2")
    assert found.source.notes[0].startswith(f"The first line {said}, so it is read as values;")


@pytest.mark.parametrize(
    ("first", "doubt"),
    [
        ("1,2,3", "it holds numbers only"),
        ("2019,2020,2021", "it holds numbers only"),
        ("a,17.5", "it holds the number 17.5"),
    ],
)
def test_names_that_may_be_values_are_pointed_out(tmp_path, first, doubt):
    row = ",".join("x" for _ in first.split(","))
    found = table(tmp_path, f"{first}\n{row}\n")
    assert found.names == tuple(first.split(",")) and doubt in found.source.notes[0]
    assert "--no-header" in found.source.notes[0]
    assert table(tmp_path, f"{first}\n{row}\n", header=True).source.notes == ()
    assert table(tmp_path, f"{first}\n{row}\n", header=False).n_rows == 2


@pytest.mark.parametrize("first", ["age,sex", "id,2019,2020", "a,b", "yes,no"])
def test_plain_names_raise_no_doubt(tmp_path, first):
    found = table(tmp_path, f"{first}\n" + ",".join("7" for _ in first.split(",")) + "\n")
    assert found.names == tuple(first.split(",")) and found.source.notes == ()


# ------------------------------------------------------------------ numbers, extra values, marks


def test_numbers_that_a_float_confuses_stay_apart(tmp_path):
    for words in (["9007199254740993", "9007199254740992"], ["0.1", "0.10000000000000000001"], ["1e400", "2e400"]):
        found = table(tmp_path, "x,y\n" + "".join(f"{word},{i}\n" for i, word in enumerate(words)))
        assert len(found.columns[0].levels) == 2
    assert len(paucal.Dataset.from_columns({"x": [2**53, 2**53 + 1] * 5}).levels[0]) == 2


def test_empty_values_behind_the_last_column_are_counted_aloud(tmp_path):
    found = table(tmp_path, "a,b\n1,2,,\n3,4\n")
    assert found.n_rows == 2
    assert found.source.notes == ("2 empty values after the last column are ignored.",)
    with pytest.raises(FileError, match=r"Line 2 of .* has more than 2 values"):
        table(tmp_path, "a,b\n1,2,,x\n")


def test_names_in_quotation_marks_behind_a_blank(tmp_path):
    found = table(tmp_path, 'a, "b", "c ""d"""\n1, "2", 3\n')
    assert found.names == ("a", "b", 'c "d"')


def test_a_byte_order_mark_counts_at_the_beginning_only(tmp_path):
    mark = b"\xef\xbb\xbf"
    assert table(tmp_path, mark + b"a,b\nx,1\n").names == ("a", "b")
    assert table(tmp_path, mark + b'"a",b\nx,1\n').names == ("a", "b")
    assert table(tmp_path, b"a,b\n" + mark + b"x,1\nx,2\n").columns[0].levels == ("x", "\ufeffx")
    assert table(tmp_path, mark + b"3,4\n1,2\n").columns[0].levels == (1, 3)


# ------------------------------------------------------------------ letters that are none, terminals that know few


def test_half_characters_are_refused_where_they_come_in(tmp_path):
    with pytest.raises(DataError, match=r"The name 'a\\ud800' has half a character"):
        paucal.learn({"a\ud800": [*"xy"] * 9, "b": [*"xxy"] * 6})
    with pytest.raises(DataError, match=r"Column 'a' holds '\\udcff', in which half a character stands alone"):
        paucal.inspect(pd.DataFrame({"a": ["\udcff", "x"] * 9}, dtype=object))
    with pytest.raises(FileError, match=r"read as unicode.escape, has half a character in line 2"):
        table(tmp_path, "a,b\n\\ud800,1\n", encoding="unicode_escape")


def run(*words: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-c", "from paucal.cli import main; main()", *words],
        env={**os.environ, **environment},
        capture_output=True,
        check=False,
    )


def test_a_terminal_that_knows_ascii_only(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("größe,年\n" + "x,ü\ny,v\n" * 20, encoding="utf-8")
    plain = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    for words in (["inspect"], ["prepare"], ["learn"], ["inspect", "--json"]):
        done = run(*words, str(path), **plain)
        assert done.returncode == 0, done.stderr
        assert b"Traceback" not in done.stderr
    assert rb"gr\xf6\xdfe" in run("inspect", str(path), **plain).stdout
    refused = run("test", str(path), "größe", "jahr", **plain)
    assert refused.returncode == 2 and b"Traceback" not in refused.stderr and b"There is no column" in refused.stderr


def test_names_that_are_no_text_are_refused_in_a_line(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("a,b\n" + "x,u\ny,v\n" * 20)
    for words in (
        ["test", str(path), b"\xff", "b"],
        ["inspect", b"\xff.csv"],
        ["learn", str(path), "--columns", b"\xff"],
    ):
        done = run(*(os.fsdecode(word) for word in words))
        assert done.returncode == 2 and b"Traceback" not in done.stderr and done.stderr.count(b"\n") == 1


# ------------------------------------------------------------------ nothing is left behind

_SLOW = """
    import sys, time
    from paucal.data import files, formats
    real = formats.recognise
    def slow(stream, label, suffix):
        kind = real(stream, label, suffix)
        print("reading", flush=True)
        return kind
    formats.recognise = slow
    files.read_table(sys.argv[1])
"""


def big_files(folder: Path) -> dict[str, Path]:
    frame = pd.DataFrame({"secret": [f"word{i % 977}" for i in range(60_000)], "x": range(60_000)})
    paths = {ending: folder / f"data{ending}" for ending in (".csv.gz", ".parquet", ".xlsx", ".sav")}
    paths[".csv.gz"].write_bytes(gzip.compress(frame.to_csv(index=False).encode(), 1))
    frame.to_parquet(paths[".parquet"])
    frame.head(5000).to_excel(paths[".xlsx"], index=False)
    pyreadstat.write_sav(frame, str(paths[".sav"]))
    return paths


def test_a_killed_reader_leaves_no_copy_of_the_data(tmp_path):
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    for path in big_files(tmp_path).values():
        for wait in (0.0, 0.05, 0.2):
            process = subprocess.Popen(
                [sys.executable, "-c", textwrap.dedent(_SLOW), str(path)],
                env={**os.environ, "TMPDIR": str(scratch)},
                stdout=subprocess.PIPE,
            )
            assert process.stdout is not None
            process.stdout.readline()
            time.sleep(wait)
            process.send_signal(signal.SIGKILL)
            process.wait()
            process.stdout.close()
            assert list(scratch.iterdir()) == [], path
