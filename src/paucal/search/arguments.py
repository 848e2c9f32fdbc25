"""Checks of arguments that several searches share."""

from __future__ import annotations

from math import inf

import numpy as np

from paucal.errors import ParameterError


def whole_number(name: str, value: object, least: int, most: int | None = None) -> int:
    """Give a whole number within limits; refuse anything else.

    >>> whole_number("starts", 0, 1)
    Traceback (most recent call last):
    paucal.errors.ParameterError: starts=0 is not a whole number from 1 on.
    """
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        number = int(value)
        if number >= least and (most is None or number <= most):
            return number
    span = f"from {least} on" if most is None else f"from {least} to {most}"
    raise ParameterError(f"{name}={value!r} is not a whole number {span}.")


def positive_number(name: str, value: object, most: float = inf) -> float:
    """Give a number above 0 and up to `most`, infinity excluded; refuse anything else.

    >>> positive_number("temper", 0.7, 1.0)
    0.7
    """
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value <= most and value < inf:
        return float(value)
    span = "" if most == inf else f" and at most {most:g}"
    raise ParameterError(f"{name}={value!r} is not a number above 0{span}.")
