"""A data set as a file, in any format that `read` takes back."""

from __future__ import annotations

import csv
import gzip
import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paucal.atomic import replacing
from paucal.errors import MissingDependencyError, ParameterError

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from paucal.data.dataset import Dataset

_ROWS_AT_A_TIME = 10_000


def write(data: Dataset, path: str | os.PathLike[str]) -> None:
    """Write data to a file whose name ends in .csv, .tsv, .parquet or .feather; the first two also with .gz.

    An existing file is replaced in one step, or kept as it was if writing fails.
    """
    target = Path(path)
    squeeze = target.suffix.lower() == ".gz"
    kind = (target.with_suffix("") if squeeze else target).suffix.lower()
    if kind in {".csv", ".tsv", ".txt"}:
        with replacing(target) as file:
            # mtime=0: the same data give the same bytes
            out = gzip.GzipFile(fileobj=file, mode="wb", mtime=0, filename="") if squeeze else file
            for text in delimited(data, "\t" if kind == ".tsv" else ","):
                out.write(text.encode())
            if squeeze:
                out.close()
    elif kind in {".parquet", ".feather"} and not squeeze:
        _write_arrow(data, target, kind)
    else:
        raise ParameterError(
            f"{str(path)!r} does not say how to write the data.",
            hint="End the name in .csv, .tsv, .csv.gz, .tsv.gz, .parquet or .feather.",
        )


def delimited(data: Dataset, separator: str = ",") -> Iterator[str]:
    """Text of a delimited file, in pieces."""
    yield _line(data.names, separator) + "\n"
    # Each level is quoted once, then rows are put together from finished words.
    gap = _line([None], separator)  # what a missing value is written as
    words = [[*(_line([level], separator) for level in levels), gap] for levels in data.levels]
    lone = data.n_columns == 1
    for start in range(0, data.n_rows, _ROWS_AT_A_TIME):
        columns = [
            [names[code] for code in codes[start : start + _ROWS_AT_A_TIME].tolist()]
            for names, codes in zip(words, data.columns, strict=True)
        ]
        rows = columns[0] if lone else map(separator.join, zip(*columns, strict=True))
        yield "\n".join(rows) + "\n"


def _line(values: Any, separator: str) -> str:
    out = io.StringIO()
    csv.writer(out, delimiter=separator, lineterminator="").writerow(values)
    return out.getvalue()


def _write_arrow(data: Dataset, target: Path, kind: str) -> None:
    try:
        from pyarrow import feather, parquet
    except ImportError as error:
        hint = "pip install 'paucal[arrow]', or write a .csv file."
        raise MissingDependencyError(f"Writing {kind} files needs pyarrow.", hint=hint) from error
    table = data.to_frame("pyarrow")
    write_table = parquet.write_table if kind == ".parquet" else feather.write_feather
    with replacing(target) as file:
        write_table(table, file)
