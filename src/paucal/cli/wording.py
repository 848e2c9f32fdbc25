"""Errors and warnings in the words of the command line: `--missing drop`, where Python says `missing='drop'`."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from paucal.errors import Calls, short
from paucal.toml_text import inline, path_of

if TYPE_CHECKING:
    from paucal.errors import Argument, PaucalError, PaucalWarning

_LONGEST = 80


def in_options(problem: PaucalError | PaucalWarning, command: click.Command | None) -> str:
    """Word a problem of a command: one line, with options in place of arguments."""

    def written(part: Argument | Calls) -> str:
        return "" if isinstance(part, Calls) else as_option(part, command)

    return one_line(problem.worded(written))


def as_option(argument: Argument, command: click.Command | None) -> str:
    """Write an argument as an option if the command has it, else as `name=value`, behind `--option` if that takes it.

    >>> from paucal.errors import Argument
    >>> command = click.Command("learn", params=[click.Option(["--discretize"])])
    >>> as_option(Argument("discretize", {"age": [18, 40]}), command), as_option(Argument("starts", 0), command)
    ('--discretize age=18,40', 'starts=0')
    >>> as_option(Argument("discretize", None), command)
    'leave out --discretize'
    """
    if argument.name == "kinds" and isinstance(argument.value, Mapping):  # each kind has an option of its own
        return " ".join(f"--{kind} {_plain(name, ',')}" for name, kind in argument.value.items())
    if argument.name == "order" and isinstance(argument.value, Mapping):
        orders = (shlex.quote(f"{name}={'<'.join(map(str, order))}") for name, order in argument.value.items())
        return f"--ordered {' '.join(orders)}"
    if argument.name == "no_answer" and isinstance(argument.value, Mapping):  # only recipes have it
        lines = "; ".join(f"{path_of(name)} = {inline(list(values))}" for name, values in argument.value.items())
        return f"{lines} under [preparation.no_answer] of a recipe (paucal prepare)"
    for option in command.params if command is not None else ():
        if isinstance(option, click.Option) and option.name == argument.name:
            name = max(option.opts, key=len)
            if argument.value is None:
                return f"leave out {name}"
            value = "" if argument.value is ... else _plain(argument.value, " " if option.multiple else ",")
            return f"{name} {value}".rstrip()
    if argument.value is ...:
        return argument.name
    return f"{_carrier(argument.name, command)}{argument.name}={_plain(argument.value, ',')}"


def _carrier(name: str, command: click.Command | None) -> str:
    """Give the option of a command that takes a parameter of searches or of tests, if it has one."""
    has = {option.name for option in command.params} if command is not None else set()
    if "options" in has:
        from paucal.search.catalogue import options_of, search_names

        if any(name in options_of(search) for search in search_names()):
            return "--option "
    if "test_options" in has:
        from paucal.independence.registry import test_names, test_parameters

        if any(name in test_parameters(test) for test in test_names()):
            return "--test-option "
    return ""


def one_line(message: str) -> str:
    """Keep what comes from the user, such as the name of a file, from breaking the line or the terminal."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in message)


def _plain(value: object, separator: str) -> str:
    """Write a value as one would type it."""
    if isinstance(value, list | tuple):
        return separator.join(_plain(one, ",") for one in value)
    if isinstance(value, Mapping):
        return shlex.quote(";".join(f"{key}={_unquoted(rule)}" for key, rule in value.items()))
    word = str(value)
    return short(word, _LONGEST) if len(word) > _LONGEST else shlex.quote(word)


def _unquoted(rule: object) -> str:
    return ",".join(map(str, rule)) if isinstance(rule, list | tuple) else str(rule)
