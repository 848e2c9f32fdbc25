"""Every exception and warning of paucal: what was wrong, with the value, and how to mend it."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class PaucalError(Exception):
    """Base of all errors that paucal raises on purpose.

    Parameters
    ----------
    message
        What was wrong, with the offending value in it.
    hint
        What to do about it, as a sentence of its own.
    """

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message if hint is None else f"{message} {hint}")
        self.message = message
        self.hint = hint


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


class PaucalWarning(UserWarning):
    """Base of all warnings that paucal gives."""


class ConstantColumnWarning(PaucalWarning):
    """A column has one value only: it is independent of everything."""


class IdentifierColumnWarning(PaucalWarning):
    """A column has as many values as rows: it names the rows and says nothing about them."""


class ManyLevelsWarning(PaucalWarning):
    """A column of whole numbers has so many values that it looks like a measurement."""


class DiscretizationWarning(PaucalWarning):
    """A column could not be cut into as many intervals as were asked for."""


class ConvergenceWarning(PaucalWarning):
    """Chains that sample the same distribution still disagree."""


def unknown_name(what: str, name: object, known: Iterable[str]) -> UnknownNameError:
    """Describe an unknown name and the nearest known ones.

    >>> str(unknown_name("column", "smok", ["smoke", "age"]))
    "There is no column 'smok'. Did you mean 'smoke'?"
    """
    known = list(known)
    near = difflib.get_close_matches(str(name), known, n=3, cutoff=0.6)
    if near:
        hint = f"Did you mean {' or '.join(map(repr, near))}?"
    elif len(known) <= 20:
        hint = f"Known: {', '.join(map(repr, known)) or 'none'}."
    else:
        hint = f"{len(known)} are known, beginning with {', '.join(map(repr, known[:5]))}."
    return UnknownNameError(f"There is no {what} {name!r}.", hint=hint)
