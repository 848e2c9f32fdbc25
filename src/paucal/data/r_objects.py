"""Data frames of R, from .rds and .rda files: rdata parses them, and what R says of a column is read here.

rdata's own conversion is not used: it makes plain numbers of dates and forgets the labels of surveys.
"""

from __future__ import annotations

import importlib.util
import warnings
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from paucal import checks
from paucal.data import formats
from paucal.data.encode import Column, column, encode_array
from paucal.data.engine import damaged
from paucal.data.labelled import About, encode_labelled
from paucal.data.raw import RawTable
from paucal.data.source import Source
from paucal.errors import Argument, DataError, MissingDependencyError, PaucalError, listing

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from paucal.data.choice import Choice

_FIRST_DAY = datetime(1970, 1, 1, tzinfo=UTC)
_TEXT, _LIST, _NUMBERS = "STR", "VEC", ("INT", "REAL", "LGL")
_LATIN, _UTF_8 = 1 << 2, 1 << 3  # how R marks the encoding of a text


def read_r(stream: IO[bytes], label: str, choice: Choice, kind: str, name: str | None) -> RawTable:
    """Encode the columns of a data frame: the only one, or that of the given name."""
    if importlib.util.find_spec("rdata") is None:
        problem = f"{label} is {kind}: such files are read by rdata."
        raise MissingDependencyError(problem, hint="Install it: pip install 'paucal[r]'.")
    try:
        frame, notes = _find_frame(_parsed(stream, kind), kind, name)
        about = dict(_attributes(frame))
        names = _texts(about["names"]) if "names" in about else []
        chosen = choice.positions(["" if one is None else one for one in names])
        encoded = [_encode(str(names[i]), frame.value[i]) for i in chosen]
    except PaucalError:
        raise
    except Exception as error:
        # a damaged file can fail in any way there
        raise damaged(label, error) from error
    if not encoded or not len(encoded[0][0].codes):
        raise DataError(f"The data frame has {len(names)} columns and no rows.", hint="Give at least one row.")
    if "row.names" in about and _type(about["row.names"]) == _TEXT:
        notes = (*notes, "The names of the rows are not read.")
    notes = (*notes, *(said for _, said in encoded if said))
    return RawTable(tuple(str(names[i]) for i in chosen), [one for one, _ in encoded], Source(kind, notes))


def _parsed(stream: IO[bytes], kind: str) -> Any:
    from rdata.parser import parse_data

    extension = ".rds" if kind == formats.R_OBJECT else ".rda"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return parse_data(stream.read(), extension=extension).object


def _find_frame(found: Any, kind: str, name: str | None) -> tuple[Any, tuple[str, ...]]:
    """Choose a data frame among the objects of a file."""
    objects = {"": found} if kind == formats.R_OBJECT else dict(_pairs(found))
    frames = {key: one for key, one in objects.items() if "data.frame" in _classes(one)}
    if name is not None:
        checks.known("data frame", name, frames)
        return frames[name], ()
    if not frames:
        what = listing(
            f"{key or 'the object'} ({', '.join(_classes(one)) or _type(one)})" for key, one in objects.items()
        )
        raise DataError(f"There is no data frame: {what}.", hint="Save a data frame: saveRDS(data, 'data.rds').")
    if len(frames) > 1:
        raise DataError(
            f"There are {len(frames)} data frames: {listing(frames, limit=20)}.",
            hint=("Choose one by name: ", Argument("sheet", next(iter(frames))), "."),
        )
    others = [key for key in objects if key not in frames]
    (key,) = frames
    return frames[key], (f"Read the data frame {key!r}; there are also {listing(others)}.",) if others else ()


def _encode(name: str, one: Any) -> tuple[Column, str]:
    """Encode one column of a data frame."""
    about = dict(_attributes(one))
    classes, kind = _classes(one), _type(one)
    title = (_texts(about["label"])[0] or "") if "label" in about and _type(about["label"]) == _TEXT else ""
    if "dim" in about or kind not in (_TEXT, *_NUMBERS):
        raise DataError(
            f"Column {name!r} holds {', '.join(classes) or kind.lower()}, not one value per row.",
            hint=("Leave it out with ", Argument("leave_out", [name]), "."),
        )
    if kind == _TEXT:
        words = [None if word is None else word.strip() or None for word in _texts(one)]
        said = _labels_of(about)
        if said:
            return encode_labelled(name, words, About(title, said, _no_answer(about)))
        return replace(column(name, np.arange(len(words)), words), title=title), ""
    values = _numbers(one, kind)
    if "factor" in classes:
        levels = [word or "" for word in _texts(about["levels"])]
        codes = np.array([-1 if value is None else value - 1 for value in values], np.intp)
        found = column(name, codes, levels, declared=True)
        return replace(found, title=title, ordered="ordered" in classes), ""
    if "Date" in classes or "POSIXct" in classes:
        unit = "days" if "Date" in classes else "seconds"
        times = [None if value is None else _FIRST_DAY + timedelta(**{unit: value}) for value in values]
        labels = [None if t is None else t.date() for t in times] if unit == "days" else times
        return replace(column(name, np.arange(len(labels)), labels), title=title), ""
    if said := _labels_of(about):
        return encode_labelled(name, values, About(title, said, _no_answer(about)))
    if kind == "REAL":
        return replace(encode_array(name, np.array(values, float)), title=title), ""
    return replace(column(name, np.arange(len(values)), values), title=title), ""


def _labels_of(about: Mapping[str, Any]) -> dict[Any, str]:
    """Read the value labels that the package haven keeps: a vector of codes whose names are the labels."""
    if "labels" not in about:
        return {}
    labels = about["labels"]
    words = _texts(dict(_attributes(labels))["names"])
    codes = _texts(labels) if _type(labels) == _TEXT else _numbers(labels, _type(labels))
    return {code: word or "" for code, word in zip(codes, words, strict=True) if code is not None}


def _no_answer(about: Mapping[str, Any]) -> Any:
    """Read which codes the package haven marks as missing: single values and a range."""
    single: set[Any] = set()
    if "na_values" in about:
        one = about["na_values"]
        single = set(_texts(one) if _type(one) == _TEXT else _numbers(one, _type(one)))
    span = _numbers(about["na_range"], "REAL") if "na_range" in about else ()

    def is_no_answer(code: Any) -> bool:
        inside = len(span) == 2 and not isinstance(code, str) and span[0] <= code <= span[1]
        return code in single or inside

    return is_no_answer


def _type(one: Any) -> str:
    return str(one.info.type.name)


def _pairs(one: Any) -> Iterator[tuple[str, Any]]:
    """Walk through a list of R whose members have names."""
    while one is not None and _type(one) == "LIST":
        head, rest = one.value
        if one.tag is not None:
            symbol = one.tag.referenced_object or one.tag
            yield _decoded(symbol.value) or "", head
        one = rest


def _attributes(one: Any) -> Iterator[tuple[str, Any]]:
    return _pairs(one.attributes)


def _classes(one: Any) -> list[str]:
    found = dict(_attributes(one)).get("class")
    return [word or "" for word in _texts(found)] if found is not None else []


def _texts(one: Any) -> list[str | None]:
    return [_decoded(word) for word in one.value]


def _decoded(word: Any) -> str | None:
    """Decode a text in the encoding that R notes with it."""
    if word.value is None:
        return None
    content, marks = bytes(word.value), word.info.gp
    if marks & _LATIN:
        return content.decode("cp1252", "replace")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return content.decode("cp1252", "replace")


def _numbers(one: Any, kind: str) -> list[Any]:
    """Give numbers or truth values, with None where R has NA."""
    array = np.ma.asarray(one.value)
    values: list[Any] = array.tolist()
    if kind == "REAL":
        return [None if value is None or value != value else value for value in values]  # noqa: PLR0124
    return [None if value is None or value == _NA_INTEGER else value for value in values]


_NA_INTEGER = -(2**31)
