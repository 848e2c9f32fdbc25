"""Errors and warnings are data: each front end words them its own way, and they cross processes whole."""

from __future__ import annotations

import copy
import inspect
import pickle

import pytest

from paucal import errors
from paucal.errors import (
    Argument,
    Calls,
    ConstantColumnWarning,
    DataError,
    FileError,
    MissingDependencyError,
    MissingValuesError,
    ParameterError,
    PaucalError,
    PaucalWarning,
    not_allowed,
    unknown_name,
    warn,
)

ALL = [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, PaucalError | PaucalWarning)]


def through_a_pickle(error):
    return pickle.loads(pickle.dumps(error))  # noqa: S301 - our own


def shouted(part):
    return "" if isinstance(part, Calls) else part.name.upper()


def worded():
    return DataError(
        ("Values are missing, so ", Argument("missing", "error"), " refuses."),
        hint=("Give ", Argument("missing", "drop"), ".", Calls("Dataset.of and paucal.read")),
    )


def test_python_and_other_front_ends_say_the_same():
    error = worded()
    assert str(error) == (
        "Values are missing, so missing='error' refuses. Give missing='drop'."
        " Dataset.of and paucal.read take this argument."
    )
    assert error.message == "Values are missing, so missing='error' refuses."
    assert error.hint.startswith("Give missing='drop'.")
    assert error.worded(shouted) == "Values are missing, so MISSING refuses. Give MISSING."


def test_what_was_refused_is_data():
    error = not_allowed("starts", 0, "a whole number from 1 on", hint="Try 10.")
    assert (error.parameter, error.value, error.allowed) == ("starts", 0, "a whole number from 1 on")
    assert str(error) == "starts=0 is not a whole number from 1 on. Try 10."
    error = not_allowed("df", "fill", iter(["full", "nonempty"]))
    assert error.allowed == ("full", "nonempty")
    assert str(error) == "df='fill' is not known. Choose from 'full', 'nonempty'."
    error = unknown_name("column", "smok", ["smoke", "age"])
    assert (error.value, error.allowed) == ("smok", ("smoke", "age"))


def test_a_place_comes_before_the_message_and_nothing_is_lost():
    error = MissingValuesError(("No ", Argument("x", 1), "."), hint="Mend it.", parameter="x", value=1)
    there = error.within("data.csv")
    assert type(there) is MissingValuesError
    assert str(there) == "data.csv: No x=1. Mend it."
    assert there.worded(shouted) == "data.csv: No X. Mend it."
    assert (there.parameter, there.value) == ("x", 1)
    assert str(DataError("It is empty.").within("data.csv")) == "data.csv: It is empty."


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize("duplicate", [copy.copy, through_a_pickle])
def test_every_one_crosses_processes(kind, duplicate):
    first = kind(("Not ", Argument("x", [1]), "."), hint="Mend.", parameter="x", value=[1], allowed="less")
    again = duplicate(first)
    assert type(again) is kind
    assert (str(again), again.message, again.hint) == ("Not x=[1]. Mend.", "Not x=[1].", "Mend.")
    assert (again.parameter, again.value, again.allowed) == ("x", [1], "less")
    assert again.worded(shouted) == "Not X. Mend."


def test_a_value_that_cannot_be_pickled_arrives_as_text():
    error = not_allowed("test", lambda: None, "a test", hint=("Give ", Argument("test", "g"), "."))
    again = through_a_pickle(error)
    assert str(again) == str(error)
    assert again.value.startswith("<function")


def test_long_values_are_shortened():
    error = not_allowed("targets", ["column"] * 10_000, "a column")
    assert len(str(error)) < 150
    assert len(str(unknown_name("column", "x" * 10_000, ["y"]))) < 150


def test_they_are_what_python_calls_such_errors():
    assert issubclass(ParameterError, ValueError)
    assert issubclass(FileError, OSError)
    assert issubclass(MissingDependencyError, ImportError)
    assert str(FileError("No file.", hint="Look.")) == "No file. Look."
    assert str(MissingDependencyError("No polars.")) == "No polars."


def test_warnings_point_at_the_caller_and_keep_their_data():
    with pytest.warns(ConstantColumnWarning, match="All equal. Leave x= out") as caught:
        warn(ConstantColumnWarning("All equal.", hint=("Leave ", Argument("x"), " out.")))
    assert caught[0].filename == __file__
    assert caught[0].message.worded(shouted) == "All equal. Leave X out."
