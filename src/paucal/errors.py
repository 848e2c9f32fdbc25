"""Every exception and warning of paucal: what was wrong, with the value, and how to mend it.

A message is text with arguments in it, `Argument("missing", "drop")`, so that each front end can word it its own way:
`str(error)` says `missing='drop'`, the command line `--missing drop`. What was refused is there as data too:
`error.parameter`, `error.value` and `error.allowed`.
"""

from __future__ import annotations

import difflib
import os
import pickle
import re
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Self

_PACKAGE = str(Path(__file__).parent) + os.sep


@dataclass(frozen=True)
class Argument:
    """An argument that a message names; with a value, and the only call that takes it, if there is one.

    >>> print(Argument("missing", "drop"), Argument("leave_out", of="paucal.read"), sep=", ")
    missing='drop', leave_out= of paucal.read
    """

    name: str
    value: object = ...
    of: str | None = None

    def __str__(self) -> str:
        value = "" if self.value is ... else short(self.value, 80)
        return f"{self.name}={value}{'' if self.of is None else f' of {self.of}'}"


@dataclass(frozen=True)
class Calls:
    """The calls that take the arguments of a hint: a sentence for those who write calls."""

    names: str

    def __str__(self) -> str:
        return f" {self.names} take this argument."


Text: TypeAlias = str | tuple[str | Argument | Calls, ...]
Render: TypeAlias = Callable[[Argument | Calls], str]


class _Worded(Exception):  # noqa: N818 - the base of warnings too
    """What errors and warnings share: a message, a hint, and what both are about.

    Parameters
    ----------
    message
        What was wrong, with the offending value in it.
    hint
        What to do about it, as a sentence of its own.
    parameter, value, allowed
        The parameter that was refused, its value, and what it may be: values, or a range in words.
    """

    def __init__(
        self,
        message: Text,
        *,
        hint: Text | None = None,
        parameter: str | None = None,
        value: object = None,
        allowed: str | tuple[Any, ...] | None = None,
    ) -> None:
        self._message, self._hint = message, hint
        self.parameter, self.value, self.allowed = parameter, value, allowed
        super().__init__(self.worded())

    @property
    def message(self) -> str:
        """What was wrong, in the words of Python."""
        return _joined(self._message, str)

    @property
    def hint(self) -> str | None:
        """What to do about it, in the words of Python."""
        return None if self._hint is None else _joined(self._hint, str)

    def worded(self, render: Render = str) -> str:
        """Give message and hint, with arguments as a front end writes them."""
        message = _joined(self._message, render)
        return message if self._hint is None else f"{message} {_joined(self._hint, render)}"

    def within(self, place: str) -> Self:
        """Say the same of a place, such as a file."""
        parts = (self._message,) if isinstance(self._message, str) else self._message
        error: Self = _rebuilt(type(self), {**vars(self), "_message": (f"{place}: ", *parts)})
        return error

    def __reduce__(self) -> tuple[Any, ...]:
        """Cross to another process, with the words for a value that cannot."""
        state = vars(self)
        try:
            pickle.dumps(state)
        except Exception:  # noqa: BLE001 - a strange value may fail in any way, and the error must arrive
            state = state | {"_message": self.message, "_hint": self.hint, "value": short(self.value)}
        return _rebuilt, (type(self), state)


class PaucalError(_Worded):
    """Base of all errors that paucal raises on purpose."""


class DataError(PaucalError, ValueError):
    """The data cannot be used as they are."""


class MissingValuesError(DataError):
    """The data have missing values and nobody said what to do with them."""


class FileError(PaucalError, OSError):
    """A file cannot be read or written."""


class UnknownNameError(PaucalError, ValueError):
    """A name that nothing here has."""


class ParameterError(PaucalError, ValueError):
    """An argument has a value that makes no sense."""


class QuestionError(PaucalError, ValueError):
    """An independence question that cannot be asked, such as a variable against itself."""


class GraphError(PaucalError, ValueError):
    """A graph is not of the kind that was asked for."""


class KnowledgeError(PaucalError, ValueError):
    """Background knowledge contradicts itself or the graph."""


class NetworkError(PaucalError, ValueError):
    """A Bayesian network or its file is broken."""


class MissingDependencyError(PaucalError, ImportError):
    """An optional library is needed and not installed."""


class LostWorkError(PaucalError, RuntimeError):
    """Processes that shared the work ended again and again before it was done."""


class Interrupted(KeyboardInterrupt):
    """Somebody pressed Ctrl-C while a search was running; `result` is what it had by then, marked as unfinished."""

    def __init__(self, result: Any) -> None:
        self.result = result
        super().__init__("The search was interrupted; the `result` of this exception is what it had by then.")


class PaucalWarning(_Worded, UserWarning):
    """Base of all warnings that paucal gives."""


class FileWarning(PaucalWarning):
    """Reading a file took something for granted that the file does not say."""


class ConstantColumnWarning(PaucalWarning):
    """A column has one value only: it is independent of everything."""


class IdentifierColumnWarning(PaucalWarning):
    """A column has about as many values as rows: it names the rows and says nothing about them."""


class PreparationWarning(PaucalWarning):
    """A table was prepared before anything was learned from it, or numbers were cut: what was done."""


class ManyLevelsWarning(PaucalWarning):
    """A column of levels has so many that it looks like a measurement."""


class DiscretizationWarning(PaucalWarning):
    """A column could not be cut into as many intervals as were asked for."""


class ManyMissingWarning(PaucalWarning):
    """More than half of a column is missing."""


class EmptyRowsWarning(PaucalWarning):
    """Rows without any value were left out."""


class CopiedColumnWarning(PaucalWarning):
    """Columns are one-to-one recodings of each other: edges to one may as well be edges to the other."""


class InterventionWarning(PaucalWarning):
    """A column was set from outside in nearly every row."""


class LongSearchWarning(PaucalWarning):
    """A search has begun a stage that may take long."""


class UnsharedWorkWarning(PaucalWarning):
    """Several processes were offered, and the search that was chosen needs one."""


class ConvergenceWarning(PaucalWarning):
    """Chains that sample the same distribution still disagree."""


def unknown_name(what: str, name: object, known: Iterable[str]) -> UnknownNameError:
    """Describe an unknown name and the nearest known ones.

    >>> str(unknown_name("column", "smok", ["smoke", "age"]))
    "There is no column 'smok'. Did you mean 'smoke'?"
    >>> str(unknown_name("column", "q*", ["q1", "q2", "age"]))
    "There is no column 'q*'. Patterns are not taken here; this one fits 'q1', 'q2'."
    """
    known = tuple(map(str, known))
    near = difflib.get_close_matches(str(name), known, n=3, cutoff=0.6)
    if isinstance(name, str) and "*" in name and (fit := fitting(name, known)):
        hint = f"Patterns are not taken here; this one fits {listing(map(repr, fit))}."
    elif near:
        hint = f"Did you mean {' or '.join(map(repr, near))}?"
    elif len(known) <= 20:
        hint = f"Known: {', '.join(map(repr, known)) or 'none'}."
    else:
        hint = f"{len(known)} are known, beginning with {', '.join(map(repr, known[:5]))}."
    return UnknownNameError(f"There is no {what} {short(name, 80)}.", hint=hint, value=name, allowed=known)


def fitting(pattern: str, names: Iterable[str]) -> list[str]:
    """Give the names that fit a pattern, in which `*` stands for any letters."""
    exact = re.compile(".*".join(map(re.escape, pattern.split("*"))), re.DOTALL)
    return [name for name in names if exact.fullmatch(name)]


def not_allowed(
    parameter: str, value: object, allowed: str | Iterable[Any], *, hint: Text | None = None
) -> ParameterError:
    """Describe a value that a parameter cannot have; `allowed` lists the values, or says in words what it may be.

    >>> str(not_allowed("starts", 0, "a whole number from 1 on"))
    'starts=0 is not a whole number from 1 on.'
    >>> str(not_allowed("df", "fill", ["full", "nonempty"]))
    "df='fill' is not known. Choose from 'full', 'nonempty'."
    """
    if isinstance(allowed, str):
        problem = f" is not {allowed}."
    else:
        allowed = tuple(allowed)
        problem = " is not known."
        hint = hint or f"Choose from {', '.join(map(repr, allowed))}."
    message = (Argument(parameter, value), problem)
    return ParameterError(message, hint=hint, parameter=parameter, value=value, allowed=allowed)


def warn(warning: PaucalWarning) -> None:
    """Warn at the line of the caller outside this package, however deep the call is."""
    level, frame = 1, sys._getframe()  # noqa: SLF001 - the only way to see the callers before Python 3.12
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    warnings.warn(warning, stacklevel=level)


def short(value: object, limit: int = 40) -> str:
    """Show a value in a message, however long it is.

    >>> short("a" * 1000, 12)
    "'aaaa...aaa'"
    """
    text = repr(value[: 2 * limit] if isinstance(value, str | bytes) else value)
    if len(text) <= limit:
        return text
    return f"{text[: limit // 2 - 1]}...{text[-(limit // 2 - 2) :]}"


def listing(items: Iterable[str], limit: int = 5) -> str:
    """Join a few items and say how many more there are.

    >>> listing(["a", "b", "c", "d"], limit=2)
    'a, b and 2 more'
    """
    items = list(items)
    if len(items) <= limit:
        return ", ".join(items)
    return f"{', '.join(items[:limit])} and {len(items) - limit:,} more"


def counted(n: int, thing: str) -> str:
    """Say how many there are of a thing.

    >>> counted(1, "row"), counted(2_000, "row")
    ('1 row', '2,000 rows')
    """
    return f"{n:,} {thing}{'' if n == 1 else 's'}"


def _joined(text: Text, render: Render) -> str:
    if isinstance(text, str):
        return text
    return "".join(part if isinstance(part, str) else render(part) for part in text)


def _rebuilt(kind: type[Any], state: dict[str, Any]) -> Any:
    error = kind(state["_message"], hint=state["_hint"])
    vars(error).update(state)
    return error
