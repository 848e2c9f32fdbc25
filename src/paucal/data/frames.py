"""Data frames, arrays and dicts of columns -> encoded columns, and back.

Frames are read through narwhals: pandas and its relatives, polars, pyarrow. Only the codes of a categorical, which it
does not offer, are taken from the native column.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from paucal import checks
from paucal.data.encode import Codes, Column, Label, column, encode_array, encode_objects, in_universal_time, spread
from paucal.data.prepare import check_names
from paucal.errors import Argument, DataError, MissingDependencyError, PaucalError, listing, not_allowed, short

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    import narwhals.stable.v2 as nw

FrameKind: TypeAlias = Literal["pandas", "polars", "pyarrow", "numpy", "dict", "file"]
Encoded: TypeAlias = tuple[tuple[str, ...], list[Column]]

ACCEPTED = (
    "Give a pandas, polars or pyarrow data frame, a NumPy array, a dict of columns, "
    "a paucal.Dataset or the path of a file."
)


def encode_frame(frame: Any) -> tuple[tuple[str, ...], list[Column], FrameKind]:
    """Encode a data frame of any library that narwhals knows."""
    import narwhals.stable.v2 as nw
    from narwhals.exceptions import DuplicateError

    try:
        wrapped: Any = nw.from_native(frame, pass_through=True)
        if isinstance(wrapped, nw.LazyFrame):
            wrapped = _collected(frame, wrapped)
        elif not isinstance(wrapped, nw.DataFrame) and hasattr(frame, "__arrow_c_stream__"):
            wrapped = _from_arrow(frame)
        if not isinstance(wrapped, nw.DataFrame):
            raise DataError(f"{type(frame).__name__} is not a table.", hint=ACCEPTED)
        names = check_names(wrapped.columns)
    except DuplicateError:
        # to complain in the same words as about a file
        check_names(getattr(frame, "column_names", None) or list(frame.columns))
        raise
    series = cast("Iterator[nw.Series[Any]]", wrapped.iter_columns())
    columns = [encode_series(name, one) for name, one in zip(names, series, strict=True)]
    if wrapped.implementation.is_polars():
        return names, columns, "polars"
    return names, columns, "pandas" if wrapped.implementation.is_pandas_like() else "pyarrow"


def _collected(frame: Any, lazy: nw.LazyFrame[Any]) -> nw.DataFrame[Any]:
    """Run the query of a lazy frame: a polars LazyFrame, a DuckDB relation."""
    try:
        return lazy.collect() if lazy.implementation.is_polars() else lazy.collect(backend=cast("Any", _holder(frame)))
    except PaucalError:
        raise
    except Exception as error:
        # each library has errors of its own for a query that fails
        reason = str(error).strip().partition("\n")[0].rstrip(".")
        raise DataError(f"The query of {_called(frame)} fails: {reason}.", hint="Run it by itself first.") from error


def _from_arrow(frame: Any) -> nw.DataFrame[Any]:
    """Take over any object that gives its columns by the Arrow interface."""
    import narwhals.stable.v2 as nw

    try:
        return nw.from_arrow(frame, backend=cast("Any", _holder(frame)))
    except (TypeError, ValueError) as error:
        raise DataError(f"{type(frame).__name__} is not a table.", hint=ACCEPTED) from error


def _called(frame: Any) -> str:
    return f"{type(frame).__module__.partition('.')[0]}.{type(frame).__name__}"


def _holder(frame: Any) -> str:
    """Choose the library that holds the columns of something that is no frame yet."""
    for kind in ("pyarrow", "polars", "pandas"):
        if importlib.util.find_spec(kind) is not None:
            return kind
    raise MissingDependencyError(
        f"{_called(frame)} can only be read with pyarrow or polars.", hint="Install it: pip install 'paucal[arrow]'."
    )


def encode_series(name: str, series: nw.Series[Any]) -> Column:
    """Encode one column of a data frame."""
    import narwhals.stable.v2 as nw

    kind = series.dtype
    if kind == nw.Categorical and series.implementation.is_polars():
        # shared by all columns of the process and in order of appearance: nothing was declared
        series, kind = series.cast(nw.String), nw.String()
    if kind == nw.Categorical or kind == nw.Enum:  # noqa: PLR1714 - an Enum with its levels is not in a set
        found = column(name, *_category_codes(series), declared=True)
        ordered = _is_ordered(series)
        # an Arrow dictionary has its levels in the order in which rows first had them, unless its type says otherwise
        return replace(found, ordered=ordered, unordered=series.implementation.is_pyarrow() and not ordered)
    if kind == nw.String and series.implementation.is_pandas_like():
        codes, words = series.to_native().factorize()
        return column(name, codes, words.tolist())
    if kind == nw.String:
        return column(name, *_category_codes(_as_categorical(series)))
    if kind == nw.Object:  # anything may be in it, also what the library itself stumbles over
        return encode_objects(name, series.to_list())
    if series.null_count() == 0:
        return _encode_present(name, series, kind)
    present = ~series.is_null().to_numpy().astype(bool)
    return spread(_encode_present(name, series.drop_nulls(), kind), present)


def _encode_present(name: str, series: nw.Series[Any], kind: nw.dtypes.DType) -> Column:
    """Encode a column without nulls that is no text."""
    import narwhals.stable.v2 as nw

    wide = kind.is_decimal() or kind in {nw.Int128, nw.UInt128}  # NumPy has no room for these
    if wide or not (kind.is_numeric() or isinstance(kind, nw.Boolean | nw.Date | nw.Duration | nw.Datetime)):
        return encode_objects(name, series.to_list())
    encoded = encode_array(name, series.to_numpy())
    return encoded if getattr(kind, "time_zone", None) is None else in_universal_time(name, encoded)


def _is_ordered(series: nw.Series[Any]) -> bool:
    """Tell whether the frame declares an order of the categories; an Enum of polars always has one."""
    native: Any = series.to_native()
    if series.implementation.is_polars():
        return True
    if series.implementation.is_pandas_like():
        return bool(native.cat.ordered) if hasattr(native, "cat") else False
    return bool(native.type.ordered)


def _as_categorical(series: nw.Series[Any]) -> nw.Series[Any]:
    """Let polars or pyarrow number the distinct words of a text column."""
    import narwhals.stable.v2 as nw

    if series.implementation.is_polars():  # its categoricals share their categories with all others
        return series.cast(nw.Enum(series.drop_nulls().unique().to_list()))
    # narwhals' own cast does not know all of Arrow's text types
    encoded = series.to_native().cast("large_string").dictionary_encode()
    return cast("nw.Series[Any]", nw.from_native(encoded, series_only=True))


def _category_codes(series: nw.Series[Any]) -> tuple[Codes, list[Any]]:
    """Return the codes (-1 where missing) and the categories of a categorical column."""
    native: Any = series.to_native()
    if series.implementation.is_pandas_like():
        if not hasattr(native, "cat"):  # pandas around an Arrow dictionary
            native = native.astype("category")
        return native.cat.codes.to_numpy(), native.cat.categories.tolist()
    if series.implementation.is_polars():
        codes = native.to_physical().cast(int).fill_null(-1).to_numpy()
        return codes, series.cat.get_categories().to_list()
    whole = native.unify_dictionaries().combine_chunks()
    if hasattr(whole, "chunks"):  # older pyarrow keeps a list of chunks here
        whole = whole.chunk(0)
    codes = whole.indices.cast("int64").fill_null(-1).to_numpy(zero_copy_only=False)
    return codes, whole.dictionary.to_pylist()


def encode_mapping(data: Mapping[Any, Any]) -> Encoded:
    """Encode a dict from names to lists, arrays or series."""
    import narwhals.stable.v2 as nw

    names = check_names(list(data))
    columns = []
    for name, values in zip(names, data.values(), strict=True):
        if isinstance(values, np.ndarray):
            if values.ndim != 1:
                problem = f"Column {name!r} has {values.ndim} dimensions."
                raise DataError(problem, hint="Give one value per row.")
            columns.append(encode_array(name, values))
        elif isinstance(values, Sequence) and not isinstance(values, str | bytes):
            columns.append(encode_objects(name, values))
        else:
            series = nw.from_native(values, allow_series=True, pass_through=True)
            if not isinstance(series, nw.Series):
                raise DataError(
                    f"Column {name!r} is {short(values)}, of type {type(values).__name__}.",
                    hint="Give a list, a tuple, a NumPy array or a series.",
                )
            columns.append(encode_series(name, series))
    lengths = {name: len(one.codes) for name, one in zip(names, columns, strict=True)}
    if len(set(lengths.values())) > 1:
        found = listing(f"{name!r} ({n:,})" for name, n in lengths.items())
        problem = f"The columns have different numbers of rows: {found}."
        raise DataError(problem, hint="Give one value per row.")
    return names, columns


def encode_matrix(array: Any, names: Sequence[str] | None = None) -> Encoded:
    """Encode a two-dimensional or a structured NumPy array."""
    if not isinstance(array, np.ndarray):
        raise DataError(f"{type(array).__name__} is not a NumPy array.", hint=ACCEPTED)
    if array.dtype.names is not None and array.ndim == 1:
        parts = {field: array[field] for field in array.dtype.names}
    elif array.dtype.names is None and array.ndim == 2:
        if isinstance(array, np.matrix):  # whose columns have two dimensions
            array = np.asarray(array)
        parts = {f"x{i}": array[:, i] for i in range(array.shape[1])}
    else:
        raise DataError(
            f"An array of shape {array.shape} and type {array.dtype} is not a table.",
            hint="Give rows by columns, or a structured array; array.reshape(-1, 1) makes one column of plain values.",
        )
    if names is not None:
        if isinstance(names, str) or len(names := checks.names("names", names)) != len(parts):
            raise not_allowed("names", names, f"a list of {len(parts)} names, one per column")
        parts = dict(zip(check_names(names), parts.values(), strict=True))
    return encode_mapping(parts)


def build_frame(
    kind: FrameKind,
    names: Sequence[str],
    levels: Sequence[Sequence[Label]],
    columns: Sequence[Codes],
    ordered: Collection[str] = (),
) -> Any:
    """Put the labels back: a frame of the given kind, of one column per name; some columns declared ordered."""
    if isinstance(kind, str) and kind == "file":
        kind = _installed_kind()
    checks.choice("kind", kind, ("pandas", "polars", "pyarrow", "numpy", "dict"))
    parts = list(zip(names, levels, columns, strict=True))
    if kind == "dict":
        return {name: list(map(labels.__getitem__, codes.tolist())) for name, labels, codes in parts}
    if kind == "numpy":
        arrays = [_label_array(labels)[codes] for _, labels, codes in parts]
        same = len({array.dtype.kind for array in arrays}) == 1
        return np.stack(arrays if same else [array.astype(object) for array in arrays], axis=1)
    if importlib.util.find_spec(kind) is None:
        raise MissingDependencyError(f"A {kind} frame needs {kind}.", hint=f"Install it: pip install {kind}.")
    return _native_frame(kind, parts, ordered)


def _native_frame(
    kind: FrameKind, parts: Iterable[tuple[str, Sequence[Label], Codes]], ordered: Collection[str]
) -> Any:
    import narwhals.stable.v2 as nw

    frame = {}
    for name, labels, codes in parts:
        present = [label for label in labels if label is not None]
        text = all(isinstance(label, str) for label in present)
        if len({type(label) for label in present}) > 1 and not text:
            labels = [None if label is None else str(label) for label in labels]  # noqa: PLW2901
        series = nw.new_series(name, list(labels), backend=cast("Any", kind))
        seen = Column(codes, tuple(present)).observed
        if text and (name in ordered or not (present == sorted(present) and seen.all())):
            series = _categorical(series, present, ordered=name in ordered, n_seen=int(seen.sum()))
        frame[name] = series[codes.astype(np.intp)]
    return nw.maybe_reset_index(nw.from_dict(frame)).to_native()


def _categorical(series: nw.Series[Any], levels: list[str], *, ordered: bool, n_seen: int) -> nw.Series[Any]:
    """Declare levels: only a categorical can carry an order, or levels that no row has."""
    import narwhals.stable.v2 as nw

    if series.implementation.is_pyarrow():
        encoded: Any = _as_categorical(series).to_native()
        if ordered:
            import pyarrow as pa

            encoded = encoded.cast(pa.dictionary(pa.int32(), pa.large_string(), ordered=True))
        return cast("nw.Series[Any]", nw.from_native(encoded, series_only=True))
    if series.implementation.is_polars() and not ordered and n_seen > 2:
        return series  # an Enum would declare an order, and nothing else of polars declares levels
    series = series.cast(nw.Enum(levels))
    if series.implementation.is_pandas_like() and not ordered:
        series = nw.from_native(series.to_native().cat.as_unordered(), series_only=True)
    return series


def _label_array(labels: Sequence[Label]) -> npt.NDArray[Any]:
    plain = {type(label) for label in labels}
    if plain in ({bool}, {int}, {float}, {int, float}):
        return np.array(labels)
    array = np.empty(len(labels), object)
    array[:] = labels
    return array


def framed(kind: str | None, records: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> Any:
    """Give records in a frame of the named library, or as they are if there is none."""
    if kind is None:
        return list(records)
    import narwhals.stable.v2 as nw

    content = {name: [record[name] for record in records] for name in columns}
    return nw.from_dict(content, backend=cast("Any", kind)).to_native()


def _installed_kind() -> FrameKind:
    for kind in ("pandas", "polars", "pyarrow"):
        if importlib.util.find_spec(kind) is not None:
            return kind
    raise MissingDependencyError(
        "No data frame library is installed.",
        hint=("Install pandas or polars, or ask for ", Argument("kind", "dict"), "."),
    )
