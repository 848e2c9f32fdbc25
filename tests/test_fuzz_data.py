"""Thousands of malformed files and odd frames: a valid dataset comes out, or an error of our own."""

from __future__ import annotations

import datetime as dt
import gzip
import io
import math
import random
import warnings
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import feather
from pyarrow import parquet as pq

from paucal.data import Dataset, engine, read
from paucal.errors import PaucalError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


@pytest.fixture
def one_engine(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Share one DuckDB among all files: opening one takes longer than reading a small file."""
    opened: list[duckdb.DuckDBPyConnection] = []

    def connect(*_: object) -> duckdb.DuckDBPyConnection:
        try:
            opened[-1].execute("SELECT 1")
        except (IndexError, duckdb.Error):  # the first one, or one that a damaged file has brought down
            opened.append(duckdb.connect(":memory:", config={"threads": "1"}))
        return opened[-1].cursor()

    monkeypatch.setattr(engine, "_connect", connect)
    yield
    for connection in opened:
        connection.close()


def outcome(make: Callable[[], Dataset]) -> Dataset | None:
    """Return a dataset that keeps its promises, or None after an error that has a message."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            data = make()
        except PaucalError as error:
            assert len(str(error)) > 10  # noqa: PT017
            assert error.hint  # noqa: PT017
            return None
    assert data.n_rows > 0
    assert len(set(data.names)) == data.n_columns > 0
    assert all(isinstance(name, str) and name.strip() for name in data.names)
    for codes, levels in zip(data.columns, data.levels, strict=True):
        assert codes.shape == (data.n_rows,)
        assert codes.dtype == (np.uint8 if len(levels) <= 256 else np.uint16)
        assert not codes.flags.writeable
        assert codes.max() < len(levels) == len(set(levels))
        assert len(repr(data)) < 10_000
    return data


# ------------------------------------------------------------------ files

SEEDS = [
    b"a,b,c\n1,2,3\n4,5,6\n1,5,3\n",
    b'"a","b"\r\n"x, y","say ""hi"""\r\n"two\r\nlines",z\r\n',
    b"name;age\nJos\xc3\xa9;30\nNA;?\n;41\n",
    b"x\ty\n0.5\t2020-01-01\n1e3\t2020-02-30\n",
    b"\xef\xbb\xbfid|flag\n001|true\n002|False\n",
    b"one\n\n1\n2\n",
]
PIECES = [
    *(b'"', b'""', b"'", b",", b";", b"\t", b"|", b"\n", b"\r", b"\r\n", b"\n\n", b" ", b"\\", b"#", b"\0"),
    *(
        b"\xff",
        b"\xc3",
        b"\xed\xa0\x80",
        b"\xf4\x90\x80\x80",
        b"\xef\xbb\xbf",
        b"\xff\xfe",
        b"\x1a",
        b"\xe2\x80\xa8",
    ),
    *(
        b"NaN",
        b"inf",
        b"-0",
        b"1e999",
        b"9" * 400,
        b"007",
        b"None",
        b"?",
        b"=1+1",
        b"a" * 9000,
        b"PAR1",
        b"PK\x03\x04",
    ),
]
NAMES = ["x.csv", "x.tsv", "x.txt", "x", "x.csv.gz", "x.parquet", "x.feather"]


def mutate(content: bytes, rng: random.Random) -> bytes:
    """Change a few places of a file."""
    for _ in range(rng.randint(1, 4)):
        i, j = sorted((rng.randint(0, len(content)), rng.randint(0, len(content))))
        content = rng.choice(
            [
                content[:i] + rng.choice(PIECES) + content[i:],
                content[:i] + rng.choice(PIECES) + content[i + 1 :],
                content[:i] + content[j:],
                content[:i],
                content + content[i:j],
                content[:i] + rng.randbytes(rng.randint(1, 4)) + content[i:],
            ]
        )
    return content


@pytest.mark.usefixtures("one_engine")
def test_mutated_text(tmp_path: Path) -> None:
    rng = random.Random(20240531)
    n_read = 0
    for _ in range(1_600):
        content = mutate(rng.choice(SEEDS), rng)
        path = tmp_path / rng.choice(NAMES[:4])
        path.write_bytes(content)
        data = outcome(lambda path=path: read(path, missing="level", na_values=(), header=True))  # type: ignore[misc]
        n_read += data is not None
        if data is not None and b'"' not in content:
            # nothing is half-read: every line that is neither blank nor separators alone is a row
            lines = content.replace(b"\r\n", b"\n").replace(b"\r", b"\n").rstrip(b"\n").split(b"\n")
            blank = sum(not line.strip(b";,\t|") for line in lines) if data.n_columns > 1 else 0
            assert data.n_rows == len(lines) - 1 - blank or data.n_columns == 1, content
    assert 240 < n_read < 1_360  # both outcomes are exercised


@pytest.mark.usefixtures("one_engine")
def test_mutated_compressed_and_columnar_files(tmp_path: Path) -> None:
    table = pa.table(
        {"a": ["u", None, "v"] * 20, "b": range(60), "d": pa.array(["x", "y", "x"] * 20).dictionary_encode()}
    )
    pq.write_table(table, parquet := io.BytesIO())
    pq.write_table(table.drop(["d"]), plain := io.BytesIO())
    feather.write_feather(table, arrow := io.BytesIO(), compression="uncompressed")
    seeds = {
        "x.csv.gz": gzip.compress(SEEDS[0]),
        "x.parquet": parquet.getvalue(),
        "y.parquet": plain.getvalue(),
        "x.feather": arrow.getvalue(),
    }
    rng = random.Random(7)
    for _ in range(400):
        name = rng.choice(sorted(seeds))
        content = bytearray(seeds[name])
        for _ in range(rng.randint(0, 3)):
            content[rng.randrange(len(content))] = rng.randrange(256)
        if rng.random() < 0.2:
            del content[rng.randrange(len(content)) :]
        (tmp_path / name).write_bytes(bytes(content))
        outcome(lambda path=tmp_path / name: read(path, missing="level"))  # type: ignore[misc]


@pytest.mark.usefixtures("one_engine")
@settings(max_examples=500, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    content=st.binary(max_size=60)
    | st.lists(st.sampled_from([*PIECES, b"a", b"b", b"1", b"2"]), max_size=40).map(b"".join),
    name=st.sampled_from(NAMES),
    encoding=st.sampled_from(["utf-8", "latin-1", "utf-16", "ascii", "utf-7", "cp037"]),
    delimiter=st.sampled_from([None, ",", " ", "\t", "é", "\\", "'", "#"]),
    missing=st.sampled_from(["error", "drop", "level"]),
)
def test_any_bytes(tmp_path: Path, content: bytes, name: str, **options: Any) -> None:
    path = tmp_path / name
    path.write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    outcome(lambda: read(path, **options))


# ------------------------------------------------------------------ frames

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.integers(),
    st.floats(),
    st.text(max_size=3),
    st.binary(max_size=2),
    st.dates(),
    st.datetimes(),
    st.datetimes(timezones=st.just(dt.UTC)),
    st.times(),
    st.timedeltas(),
    st.decimals(),
    st.fractions(),
    st.complex_numbers(),
    st.tuples(st.integers(0, 1)),
    st.lists(st.integers(), max_size=1),
    st.just({}),
    st.builds(object),
    st.sampled_from([pd.NA, pd.NaT, np.datetime64("NaT", "s"), np.float32(1.5), np.int8(3), np.str_("s"), np.bool_(1)]),
    st.sampled_from([Decimal("sNaN"), float, math, np.zeros(2), pd.Timestamp(1), pd.Period("2020"), pd.Interval(0, 1)]),
)
values = st.sampled_from(
    [
        st.booleans(),
        st.integers(0, 3),
        st.floats(),
        st.text("ab", max_size=1),
        st.none() | st.integers(0, 9),
        scalars,
    ]
).flatmap(lambda kind: st.lists(kind, min_size=0, max_size=14))
rules = st.sampled_from(
    ["quantile:2", "quantile:9", "width:3", "width:0", "x", "", [0], [1, 0], [], 5, None, [math.inf]]
)


# of other values polars makes a crash of its own
PLAIN = {type(None), bool, int, float, str, bytes, dt.date, dt.datetime, dt.time, dt.timedelta}
REFUSALS = (
    TypeError,
    ValueError,
    OverflowError,
    ArithmeticError,
    pa.ArrowException,
    pl.exceptions.PolarsError,
)


def build(kind: str, columns: dict[str, list[Any]]) -> Any:
    """Make a frame, as far as the library takes the values at all."""
    if kind == "dict":
        return columns
    if kind == "object arrays":
        return {name: np.fromiter(column, object, len(column)) for name, column in columns.items()}
    if kind == "pandas":
        return pd.DataFrame({name: pd.Series(column) for name, column in columns.items()})
    if kind == "pandas objects":
        return pd.DataFrame({name: pd.Series(column, dtype=object) for name, column in columns.items()})
    if kind == "pandas categories":
        return pd.DataFrame({name: pd.Series(column, dtype="category") for name, column in columns.items()})
    if kind == "polars" and {type(v) for column in columns.values() for v in column} <= PLAIN:
        return pl.DataFrame(columns, strict=False)
    return pa.table(columns)


@settings(max_examples=700, deadline=None)
@given(
    kind=st.sampled_from(
        ["dict", "object arrays", "pandas", "pandas objects", "pandas categories", "polars", "pyarrow"]
    ),
    columns=st.dictionaries(st.text(max_size=2), values, max_size=4),
    missing=st.sampled_from(["error", "drop", "level", "other"]),
    discretize=st.none() | rules | st.dictionaries(st.text(max_size=1), rules, max_size=2),
    drop=st.booleans(),
)
def test_odd_frames(kind: str, columns: dict[str, list[Any]], missing: Any, discretize: Any, drop: bool) -> None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            frame = build(kind, columns)
    except REFUSALS:  # what the library itself does not take is no case for us
        return
    data = outcome(lambda: Dataset.of(frame, missing=missing, discretize=discretize, drop_unobserved=drop))
    if data is not None:
        for back in ("dict", "numpy", "pandas"):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                assert len(data.to_frame(back)) > 0
