"""What runs in a process of its own to read workbooks and survey files; see `apart`.

It is run as a script and knows nothing of paucal. It gets its task as JSON and the file as its standard input, and
answers on its standard output with a pickled pair: the name of an error or nothing, and the reason or what was read.
"""

from __future__ import annotations

import json
import os
import pickle
import sys
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


def read_survey(file: IO[bytes], reader: str, told: dict[str, Any], columns: list[str] | None) -> Any:
    """Read the given columns of a survey file, or all, and what it says of them."""
    import pyreadstat

    values, meta = getattr(pyreadstat, reader)(file, output_format="dict", usecols=columns, **told)
    about = {
        "names": list(meta.column_names),
        "titles": dict(meta.column_names_to_labels),
        "labels": {name: dict(labels) for name, labels in meta.variable_value_labels.items()},
        "ranges": {name: [(one["lo"], one["hi"]) for one in found] for name, found in meta.missing_ranges.items()},
        "letters": {name: list(found) for name, found in meta.missing_user_values.items()},
        "measures": dict(meta.variable_measure),
        "types": dict(meta.readstat_variable_types),
    }
    return {name: list(column) for name, column in values.items()}, about


def read_sheet(file: IO[bytes], sheet: str | None) -> Any:
    """Read the names of the sheets, and the cells of the named one or of the first with values."""
    from python_calamine import CalamineWorkbook

    with CalamineWorkbook.from_filelike(file) as book:
        names = list(book.sheet_names)
        for name in names if sheet is None else [one for one in names if one == sheet]:
            rows = book.get_sheet_by_name(name).to_python(skip_empty_area=True)
            if rows or sheet is not None:
                return names, name, rows
    return names, None, []


TASKS: dict[str, Callable[..., Any]] = {"survey": read_survey, "sheet": read_sheet}


def main(task: str) -> None:
    """Carry out a task and answer."""
    told = json.loads(task)
    sys.path[:] = told.pop("sys_path")
    answer = os.dup(1)
    os.dup2(2, 1)  # what a library prints is not part of the answer
    found: tuple[str | None, Any]
    try:
        with os.fdopen(0, "rb", closefd=False) as file:
            found = None, TASKS[told.pop("task")](file, **told)
    except BaseException as error:  # noqa: BLE001 - a panic of a library is no Exception, and all of it is an answer
        found = type(error).__name__, str(error)
    with os.fdopen(answer, "wb") as pipe:
        pickle.dump(found, pipe)


if __name__ == "__main__":
    main(*sys.argv[1:])
