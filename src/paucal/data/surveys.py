"""Files of SPSS, Stata and SAS, read by pyreadstat: labels become levels, declared missing codes are kept and marked.

The codes are asked for as they are (`user_missing=True`), because otherwise they vanish without a trace.
"""

from __future__ import annotations

import importlib.util
import shutil
from numbers import Real
from typing import IO, TYPE_CHECKING, Any

from paucal.data import formats
from paucal.data.engine import damaged
from paucal.data.labelled import About, encode_labelled
from paucal.data.raw import RawTable
from paucal.data.source import Source
from paucal.errors import DataError, MissingDependencyError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from paucal.data.choice import Choice

_READERS = {
    formats.SPSS: "read_sav",
    formats.PORTABLE: "read_por",
    formats.STATA: "read_dta",
    formats.SAS: "read_sas7bdat",
    formats.TRANSPORT: "read_xport",
}
_CODES = {formats.SPSS, formats.STATA, formats.SAS}  # whose readers can keep the codes for no answer
_TELLS = {formats.PORTABLE}  # whose encoding cannot be told


def read_survey(
    stream: IO[bytes], folder: Path, label: str, choice: Choice, kind: str, encoding: str | None
) -> RawTable:
    """Encode the columns of a survey file, of which `folder` gets a copy."""
    if importlib.util.find_spec("pyreadstat") is None:
        problem = f"{label} is {kind}: such files are read by pyreadstat."
        raise MissingDependencyError(problem, hint="Install it: pip install 'paucal[survey]'.")
    import pyreadstat

    copy = folder / "survey"
    with copy.open("wb") as target:
        shutil.copyfileobj(stream, target)
    told: dict[str, Any] = {"output_format": "dict"}
    if kind in _CODES:
        told["user_missing"] = True
    if encoding is not None and kind not in _TELLS:
        told["encoding"] = encoding
    reader = getattr(pyreadstat, _READERS[kind])
    _, meta = _read(reader, copy, label, metadataonly=True, **told)
    names = list(meta.column_names)
    chosen = [names[i] for i in choice.positions(names)]
    values, meta = _read(reader, copy, label, usecols=chosen, **told)
    if not chosen or not len(values[chosen[0]]):
        raise DataError(f"The data have {len(names)} columns and no rows.", hint="Give at least one row.")
    encoded = [encode_labelled(name, list(values[name]), _about(name, meta)) for name in chosen]
    notes = tuple(said for _, said in encoded if said)
    return RawTable(tuple(chosen), [column for column, _ in encoded], Source(kind, notes))


def _read(reader: Callable[..., Any], copy: Path, label: str, **told: Any) -> Any:
    try:
        return reader(str(copy), **told)
    except Exception as error:
        # a damaged file can fail there in any way, and the library has no base of its errors
        raise damaged(label, error) from error


def _about(name: str, meta: Any) -> About:
    """Gather what a file says of a column."""
    measure = meta.variable_measure.get(name)
    ranges = [(one["lo"], one["hi"]) for one in meta.missing_ranges.get(name, ())]
    letters = set(meta.missing_user_values.get(name, ()))
    letters |= {code for code in meta.variable_value_labels.get(name, {}) if _is_letter(code, name, meta)}

    def is_no_answer(code: Any) -> bool:
        kind = str if isinstance(code, str) else Real  # days have no codes
        fitting = ((low, high) for low, high in ranges if isinstance(code, kind) and isinstance(low, kind))
        return code in letters or any(low <= code <= high for low, high in fitting)

    return About(
        title=(meta.column_names_to_labels.get(name) or "").strip(),
        labels=meta.variable_value_labels.get(name, {}),
        is_no_answer=is_no_answer,
        ordered=measure == "ordinal",
        number=measure == "scale",
    )


def _is_letter(code: Any, name: str, meta: Any) -> bool:
    """Tell whether the label of a number column is for one of the letters that stand for no answer."""
    return isinstance(code, str) and meta.readstat_variable_types.get(name) != "string"
