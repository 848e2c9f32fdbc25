"""Files of SPSS, Stata and SAS, read by pyreadstat: labels become levels, declared missing codes are kept and marked.

The codes are asked for as they are (`user_missing=True`), because otherwise they vanish without a trace.
"""

from __future__ import annotations

import importlib.util
import io
from numbers import Real
from typing import IO, TYPE_CHECKING, Any

from paucal.data import formats
from paucal.data.apart import read_apart
from paucal.data.labelled import About, encode_labelled
from paucal.data.raw import RawTable
from paucal.data.source import Source
from paucal.errors import DataError, FileError, MissingDependencyError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paucal.data.choice import Choice

_READERS = {
    formats.SPSS: "read_sav",
    formats.PORTABLE: "read_por",
    formats.STATA: "read_dta",
    formats.SAS: "read_sas7bdat",
    formats.TRANSPORT: "read_xport",
}
_CODES = {formats.SPSS, formats.STATA, formats.SAS}  # whose readers can keep the codes for no answer
_RECORD = 80  # bytes, of which a transport file is made
_TELLS = {formats.PORTABLE}  # whose encoding cannot be told


def read_survey(stream: IO[bytes], label: str, choice: Choice, kind: str, encoding: str | None) -> RawTable:
    """Encode the columns of a survey file."""
    if importlib.util.find_spec("pyreadstat") is None:
        problem = f"{label} is {kind}: such files are read by pyreadstat."
        raise MissingDependencyError(problem, hint="Install it: pip install 'paucal[survey]'.")
    if (
        kind == formats.TRANSPORT and stream.seek(0, io.SEEK_END) % _RECORD
    ):  # the only sign there is: it has no count of rows
        raise FileError(f"{label} is not complete: its last record is cut off.", hint="Copy it again.")
    told: dict[str, Any] = {"user_missing": True} if kind in _CODES else {}
    if encoding is not None and kind not in _TELLS:
        told["encoding"] = encoding
    work = {"reader": _READERS[kind], "told": told}
    names, columns = [], None
    if choice.columns is not None or choice.leave_out:
        told["metadataonly"] = True
        names = read_apart("survey", stream, label, columns=None, **work)[1]["names"]
        columns = [names[i] for i in choice.positions(names)]
        del told["metadataonly"]
    values, about = read_apart("survey", stream, label, columns=columns, **work)
    names = names or about["names"]
    chosen = columns or [names[i] for i in choice.positions(names)]
    if not len(values[chosen[0]]):
        raise DataError(f"The data have {len(names)} columns and no rows.", hint="Give at least one row.")
    encoded = [encode_labelled(name, values[name], _about(name, about)) for name in chosen]
    notes = tuple(said for _, said in encoded if said)
    return RawTable(tuple(chosen), [column for column, _ in encoded], Source(kind, notes))


def _about(name: str, about: Mapping[str, Any]) -> About:
    """Gather what a file says of a column."""
    labels, ranges = about["labels"].get(name, {}), about["ranges"].get(name, ())
    letters = set(about["letters"].get(name, ()))
    if about["types"].get(name) != "string":  # a label of a letter in a column of numbers is for no answer
        letters |= {code for code in labels if isinstance(code, str)}

    def is_no_answer(code: Any) -> bool:
        kind = str if isinstance(code, str) else Real  # days have no codes
        fitting = ((low, high) for low, high in ranges if isinstance(code, kind) and isinstance(low, kind))
        return code in letters or any(low <= code <= high for low, high in fitting)

    measure = about["measures"].get(name)
    return About(
        title=(about["titles"].get(name) or "").strip(),
        labels=labels,
        is_no_answer=is_no_answer,
        ordered=measure == "ordinal",
        number=measure == "scale",
    )
