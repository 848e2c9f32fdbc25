"""Every check of an argument: each gives the value in its plain type, or refuses it with what is allowed.

NumPy's numbers are numbers; True and False never are.
"""

from __future__ import annotations

import codecs
import io
import os
from collections.abc import Mapping
from inspect import signature
from math import inf
from numbers import Integral, Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

from paucal.errors import Argument, ParameterError, not_allowed, unknown_name

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from paucal.errors import Text

T = TypeVar("T")

_LARGEST_SEED = 2**64 - 1
_MOST_THREADS = 1024
_MOST_JOBS = 10_000  # of a cluster
_PLAIN = (str, int, float, bool, type(None))


def native(value: Any) -> Any:
    """Give a value of NumPy, or a list or mapping that holds some, as Python has it; lists become tuples.

    >>> native({"alpha": [np.float64(0.5), 1]})
    {'alpha': (0.5, 1)}
    """
    if type(value) in _PLAIN:  # nearly always, and every call of a search comes by here
        return value
    if type(value) is dict:
        return {key: native(inner) for key, inner in value.items()}
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return native(value.tolist())
    if isinstance(value, (list, tuple)):
        return tuple(map(native, value))
    return native(dict(value)) if isinstance(value, Mapping) else value


def whole_number(name: str, value: object, least: int, most: int | None = None, *, hint: Text | None = None) -> int:
    """Give a whole number within limits.

    >>> whole_number("starts", 0, 1)
    Traceback (most recent call last):
    paucal.errors.ParameterError: starts=0 is not a whole number from 1 on.
    """
    if type(value) is int or (isinstance(value, Integral) and not isinstance(value, bool)):
        number = int(value)
        if number >= least and (most is None or number <= most):
            return number
    span = f"from {least} on" if most is None else f"from {least} to {most}"
    raise not_allowed(name, value, f"a whole number {span}", hint=hint)


def limit(name: str, value: object, least: int) -> int | None:
    """Give a whole number, or None for no limit."""
    if value is None:
        return None
    return whole_number(name, value, least, hint=no_limit(name))


def no_limit(name: str) -> Text:
    """Give the hint how to set no limit, which every front end words its own way.

    >>> positive_number("max_seconds", -1, hint=no_limit("max_seconds"))
    Traceback (most recent call last):
    paucal.errors.ParameterError: max_seconds=-1 is not a positive number. For no limit: max_seconds=None.
    """
    return ("For no limit: ", Argument(name, None), ".")


def number(name: str, value: object, *, hint: Text | None = None) -> float:
    """Give a finite number."""
    return _number(name, value, "a number", hint, least=-inf)


def number_from_0(name: str, value: object, *, hint: Text | None = None) -> float:
    """Give a finite number that is not negative."""
    return _number(name, value, "a number from 0 on", hint, least=0.0)


def positive_number(name: str, value: object, most: float = inf, *, hint: Text | None = None) -> float:
    """Give a finite number above 0 and up to `most`.

    >>> positive_number("temper", 0.7, 1.0)
    0.7
    """
    span = "a positive number" if most == inf else f"a number above 0 and at most {most:g}"
    return _number(name, value, span, hint, above=0.0, most=most)


def share(name: str, value: object, *, hint: Text | None = None) -> float:
    """Give a number strictly between 0 and 1."""
    return _number(name, value, "between 0 and 1", hint, above=0.0, below=1.0)


def level(alpha: object) -> float:
    """Give the level of a test."""
    return share("alpha", alpha, hint="The usual level is 0.05.")


def choice(name: str, value: T, known: Iterable[object], *, hint: Text | None = None) -> T:
    """Give one of the known values.

    >>> choice("per", "cel", ["cell", "dof"])
    Traceback (most recent call last):
    paucal.errors.ParameterError: per='cel' is not known. Choose from 'cell', 'dof'.
    """
    known = tuple(known)
    if type(value) is str and value in known:  # nearly always
        return value
    if any(type(value) is type(one) and value == one for one in known):
        return value
    raise not_allowed(name, value, known, hint=hint)


def known(what: str, name: object, names: Collection[str]) -> str:
    """Give a name that is among the known ones.

    >>> known("column", "smok", ["smoke", "age"])
    Traceback (most recent call last):
    paucal.errors.UnknownNameError: There is no column 'smok'. Did you mean 'smoke'?
    """
    if isinstance(name, str) and name in names:
        return name
    raise unknown_name(what, name, names)


def items(name: str, value: Iterable[T], allowed: str) -> list[T]:
    """Give several things as a list, whatever holds them.

    >>> items("levels", 3, "a list of levels")
    Traceback (most recent call last):
    paucal.errors.ParameterError: levels=3 is not a list of levels.
    """
    try:
        return list(value)
    except TypeError:  # also a generator that fails, or an array without length
        raise not_allowed(name, value, allowed) from None


def values(name: str, value: object, allowed: str, *, hint: Text | None = None) -> tuple[Any, ...]:
    """Give several single values, in their plain types: numbers, text, dates, but no lists or dicts of some."""
    try:
        if not isinstance(value, str | Mapping):
            found = tuple(native(list(cast("Iterable[Any]", value))))
            hash(found)
            return found
    except TypeError:  # nothing to go through, or a value that is a collection
        pass
    raise not_allowed(name, value, allowed, hint=hint)


def names(name: str, value: Iterable[str]) -> list[str]:
    """Give several names as a list; one string is not a list of its letters.

    >>> names("targets", "lung")
    Traceback (most recent call last):
    paucal.errors.ParameterError: targets='lung' is one string. Write targets=['lung'].
    """
    refuse_string(name, value)
    return items(name, value, "a list of names")


def plain_names(name: str, value: Iterable[str]) -> list[str]:
    """Give several names as a list, and see that each is a string.

    >>> plain_names("nodes", ["a", 1])
    Traceback (most recent call last):
    paucal.errors.ParameterError: nodes=['a', 1] is not a list of names.
    """
    found = names(name, value)
    if not all(isinstance(one, str) for one in found):
        raise not_allowed(name, value, "a list of names")
    return found


def refuse_string(name: str, value: object) -> None:
    """Refuse one string where several names are wanted."""
    if isinstance(value, str):
        raise ParameterError(
            (Argument(name, value), " is one string."),
            hint=("Write ", Argument(name, [value]), "."),
            parameter=name,
            value=value,
            allowed="a list of names",
        )


def pairs(name: str, value: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Give pairs of names as a list."""
    found = names(name, cast("Iterable[Any]", value))
    for pair in found:
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise not_allowed(name, value, "a list of pairs of names")
    return [(a, b) for a, b in cast("list[tuple[str, str]]", found)]


def numbers_of_pairs(name: str, value: object) -> dict[tuple[str, str], dict[str, float]]:
    """Give what is known about pairs of names, by the names of numbers; None for nothing.

    >>> numbers_of_pairs("numbers", {("a", "b"): {"probability": 1}})
    {('a', 'b'): {'probability': 1.0}}
    """
    if value is None:
        return {}
    found = dict(value) if isinstance(value, Mapping) else {None: None}
    for pair, told in found.items():
        if not isinstance(pair, tuple) or len(pair) != 2 or not isinstance(told, Mapping):
            raise not_allowed(name, value, "a dict from pairs of names to numbers by name")
        found[pair] = {text(name, word): number(name, one) for word, one in told.items()}
    return cast("dict[tuple[str, str], dict[str, float]]", found)


def settings(name: str, value: object) -> dict[str, Any]:
    """Give values by name as a dict of its own; None for none."""
    if value is None:
        return {}
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return dict(value)
    raise not_allowed(name, value, "a dict of values by name")


def instance(name: str, value: object, kind: type[T], allowed: str, *, hint: Text | None = None) -> T:
    """Give an object of some kind."""
    if isinstance(value, kind):
        return value
    raise not_allowed(name, value, allowed, hint=hint)


def function(name: str, value: Callable[..., T], takes: int, allowed: str) -> Callable[..., T]:
    """Give a function that takes so many arguments; what it does with them is its own affair.

    >>> function("progress", 5, 3, "a function of stage, done and total")
    Traceback (most recent call last):
    paucal.errors.ParameterError: progress=5 is not a function of stage, done and total.
    """
    if callable(value) and not isinstance(value, type):
        try:
            signature(value).bind(*range(takes))
        except ValueError:  # written in C, without a word on what it takes
            return value
        except TypeError:
            pass
        else:
            return value
    raise not_allowed(name, value, allowed)


def text(name: str, value: object) -> str:
    """Give a text."""
    return instance(name, value, str, "a text")


def path(name: str, value: object) -> Path:
    r"""Give the path of a file; one that no system can have is refused here.

    >>> path("path", "page\0.html")
    Traceback (most recent call last):
    paucal.errors.ParameterError: path='page\x00.html' is not the name of a file.
    """
    if isinstance(value, str | os.PathLike) and isinstance(named := os.fspath(value), str):
        try:
            if b"\0" not in os.fsencode(named):
                return Path(named)
        except UnicodeEncodeError:
            pass
    raise not_allowed(name, value, "the name of a file")


def encoding(value: object) -> str:
    """Give the name of an encoding of text.

    >>> encoding("UTF8")
    'utf-8'
    """
    try:
        io.TextIOWrapper(io.BytesIO(), cast("str", value))  # refuses encodings that are not of text
        return codecs.lookup(cast("str", value)).name
    except (LookupError, TypeError, ValueError) as error:
        hint = "Common ones: 'utf-8', 'cp1252', 'latin-1', 'utf-16'."
        raise not_allowed("encoding", value, "an encoding of text", hint=hint) from error


def array(name: str, value: Any, allowed: str = "a table whose rows have one length") -> np.ndarray[Any, Any]:
    """Give what NumPy makes of a list or table of numbers; rows of different lengths make none."""
    try:
        return np.asarray(value)
    except (ValueError, TypeError):
        raise not_allowed(name, value, allowed) from None


def flag(name: str, value: object) -> bool:
    """Give True or False."""
    if isinstance(value, bool | np.bool_):
        return bool(value)
    raise not_allowed(name, value, "True or False")


def seed(value: object, *, hint: Text | None = None) -> int:
    """Give the seed of random numbers, of 64 bits."""
    return whole_number("seed", value, 0, _LARGEST_SEED, hint=hint)


def threads(value: object) -> int:
    """Give a number of threads."""
    return whole_number("threads", value, 1, _MOST_THREADS)


def jobs(value: object) -> int | None:
    """Give a number of processes, -1 for all cores (-2 for all but one, and so on), or None for what joblib says."""
    if value is None:
        return None
    if isinstance(value, Integral) and not isinstance(value, bool) and 0 < abs(int(value)) <= _MOST_JOBS:
        return int(value)
    raise not_allowed("jobs", value, "a number of processes", hint=f"Give 1 to {_MOST_JOBS}, or -1 for all cores.")


def _number(
    name: str,
    value: object,
    allowed: str,
    hint: Text | None,
    *,
    least: float = -inf,
    above: float = -inf,
    below: float = inf,
    most: float = inf,
) -> float:
    if type(value) is float or (isinstance(value, Real) and not isinstance(value, bool)):
        try:
            number = float(value)
        except OverflowError:
            number = inf
        if least <= number <= most and above < number < below:  # NaN is in no range
            return number
    raise not_allowed(name, value, allowed, hint=hint)
