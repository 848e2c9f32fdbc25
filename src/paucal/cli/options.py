"""Options that several commands share: how a data file is read, and how a test is set."""

from __future__ import annotations

import functools
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from paucal.errors import Argument, FileError, ParameterError, not_allowed

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from paucal.data import Dataset
    from paucal.data.prepare import Preparation
    from paucal.independence.levels import Alpha
    from paucal.independence.settings import CISettings
    from paucal.search.recipe import Recipe

_PREPARATION = ("missing", "discretize", "leave_out", "drop_unobserved")

# Parameters of searches and tests that the commands have options for.
OWN_OF_TEST = ("data", "test", "alpha")
OWN_OF_SEARCH = (
    *OWN_OF_TEST,
    *("search", "test_options", "knowledge", "max_order", "seed", "threads"),
    *("target", "targets", "replicates", "jobs", "progress"),
    *("outcome", "exogenous", "background", "randomised", "time", "same", "tiers", "required", "forbidden"),
)


class ListCommand(click.Command):
    """A command whose options marked `multiple` take several words: `--given age sex` is `--given age --given sex`.

    The words end at the next option; a word that begins with a dash is written `--given=-word`.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Repeat the option before each of its words, then parse as usual."""
        lists = {o for p in self.params if isinstance(p, click.Option) and p.multiple and p.nargs == 1 for o in p.opts}
        flat: list[str] = []
        current, empty = None, False
        for position, word in enumerate([*args, "--"]):
            is_option = word.startswith("-") and word != "-"
            if is_option and current is not None and empty:
                raise click.BadOptionUsage(current, f"Option {current!r} requires an argument.", ctx=ctx)
            if word == "--":
                flat += args[position:]
                break
            if is_option:
                current, empty = (word, True) if word in lists else (None, False)
                if current is None:
                    flat.append(word)
            elif current is not None:
                flat += [current, word]
                empty = False
            else:
                flat.append(word)
        return super().parse_args(ctx, flat)


def data_options(default_missing: str = "error") -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add the data file and its options; the command gets them as one argument `load`, which reads the file."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @click.argument("file", metavar="DATA")
        @click.option(
            "--missing",
            type=click.Choice(["error", "drop", "level"]),
            default=default_missing,
            show_default=True,
            help="Missing values: refuse, drop their rows, or make them a level.",
        )
        @click.option(
            "--discretize",
            metavar="RULE",
            help="Cut columns of many numbers: quantile:3, width:4, or age=18,40,65;income=quantile:3.",
        )
        @click.option("--leave-out", metavar="COLUMN...", multiple=True, help="Columns not to read.")
        @click.option("--delimiter", metavar="CHAR", help="What separates the values; found out if not given.")
        @click.option("--encoding", default="utf-8", show_default=True, help="Encoding of a text file.")
        @click.option("--drop-unobserved", is_flag=True, help="Forget declared levels that no row has.")
        @functools.wraps(command)
        def wrapper(*args: Any, file: str, delimiter: str | None, encoding: str, **rest: Any) -> Any:
            options = {name: rest.pop(name) for name in _PREPARATION}

            def load(preparation: Preparation | None = None) -> Dataset:
                """Read the file; what a recipe says about its preparation holds unless an option says otherwise."""
                import paucal

                read = options | {"discretize": parse_discretize(options["discretize"])}
                said = {} if preparation is None else preparation.said
                where = click.get_current_context().get_parameter_source
                kept = {k: v for k, v in said.items() if where(k) in (None, ParameterSource.DEFAULT)}
                return paucal.read(file, delimiter=delimiter, encoding=encoding, **read | kept)

            return command(*args, load=load, **rest)

        return wrapper

    return decorate


def parse_discretize(text: str | None) -> str | dict[str, Any] | None:
    """Read `--discretize`: one rule for all columns, or `column=rule` parts separated by semicolons.

    >>> parse_discretize("quantile:3")
    'quantile:3'
    >>> parse_discretize("age=18,40,65;income=width:4")
    {'age': [18.0, 40.0, 65.0], 'income': 'width:4'}
    """
    if text is None or "=" not in text:
        return text
    rules: dict[str, Any] = {}
    for part in text.split(";"):
        column, _, rule = part.rpartition("=")
        if not column or not rule:
            raise not_allowed("discretize", text, "a list of column=rule", hint="Write age=18,40,65.")
        if ":" in rule:
            rules[column] = rule
            continue
        try:
            rules[column] = [float(cut) for cut in rule.split(",")]
        except ValueError:
            raise ParameterError(
                (Argument("discretize", text), f" cuts {column!r} at {rule!r}."),
                hint="Cut points are numbers: age=18,40,65.",
                parameter="discretize",
                value=text,
            ) from None
    return rules


def recipe_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--recipe` and `--save-recipe`."""
    said = "Run what a recipe says; other options go before it."
    command = click.option("--save-recipe", metavar="FILE", help="Write what was run, as TOML.")(command)
    return click.option("--recipe", metavar="FILE", help=said)(command)


def read_recipe(
    path: str | None, words: Sequence[str], test_words: Sequence[str], *, max_order: int | None, **given: Any
) -> Recipe:
    """Make the recipe of a command: from a file, if one is named, with whatever else was given put in its place.

    `words` are those of `--option`, `test_words` those of `--test-option`.
    """
    from paucal.search.catalogue import sort_of
    from paucal.search.recipe import AUTO, Recipe

    options = parse_settings("--option", words, OWN_OF_SEARCH)
    options |= {} if max_order is None else {"max_order": max_order}
    given["test_options"] = parse_settings("--test-option", test_words, OWN_OF_TEST)
    given = {name: value for name, value in given.items() if value not in (None, {})}
    if path is None:
        return Recipe.of(given.pop("search", AUTO), **given, **options)
    stored = Recipe.from_toml(read_text(path))
    local = given.get("target") is not None
    if local != (stored.target is not None):
        what = f"the blanket of {stored.target!r}" if stored.target is not None else "a whole graph"
        raise ParameterError(
            f"The recipe {path} is about {what}.", hint=f"Run it with `paucal {'learn' if local else 'blanket'}`."
        )
    if "knowledge" in given and stored.knowledge is not None:
        given["knowledge"] = stored.knowledge | given["knowledge"]
    about_test: dict[str, Any] = {name: given.pop(name) for name in ("test", "alpha", "test_options") if name in given}
    if about_test:
        given["test"] = _asked_instead(stored.test, about_test)
    if "search" not in given:
        options = dict(stored.options) | options
    elif given["search"] != AUTO and sort_of(given["search"], local=local) == "scores":
        given.setdefault("test", None)
    return replace(stored, **given, options=options, reason=None)


def _asked_instead(stored: CISettings | None, said: dict[str, Any]) -> CISettings:
    """Give the stored test with what was said about it put in its place; another test begins anew."""
    from paucal.independence.registry import settings_of

    if stored is not None and said.get("test", stored.name) == stored.name:
        said = {"test": stored.name, "alpha": stored.alpha} | said
        said["test_options"] = dict(stored.options) | said.get("test_options", {})
    return settings_of(said.get("test"), said.get("alpha"), said.get("test_options"))


def read_text(path: str) -> str:
    """Read a text file; an error says what is wrong with it."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise FileError(f"{path} cannot be read: {why}.", hint="Check the name.") from None


def alpha_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--alpha`."""
    return click.option(
        "--alpha",
        metavar="LEVEL",
        callback=lambda _context, _option, text: None if text is None else parse_level(text),
        help="Level of the test: a number, numbers by order such as 0.01,0.05, or by-order.  [default: 0.05]",
    )(command)


def test_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--alpha` and `--test-option`."""
    words = "Parameters of the test, e.g. df=full sparse=undecidable."
    add = click.option("--test-option", "test_options", multiple=True, metavar="NAME=VALUE...", help=words)
    return alpha_option(add(command))


def search_options(example: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add these and `--option`, with an example of what it takes."""
    words = f"Parameters of the search, e.g. {example}."
    add = click.option("--option", "options", multiple=True, metavar="NAME=VALUE...", help=words)
    return lambda command: test_options(add(command))


def parse_level(text: str) -> Alpha:
    """Read `--alpha`: a number, numbers by order separated by commas, or `by-order`."""
    if text == "by-order":
        return "by-order"
    try:
        found = [float(part) for part in text.split(",")]
    except ValueError:
        raise not_allowed(
            "alpha", text, "a level", hint="Give a number, numbers by order such as 0.01,0.05, or by-order."
        ) from None
    return found[0] if len(found) == 1 else found


def parse_settings(option: str, words: Sequence[str], own: Collection[str]) -> dict[str, Any]:
    """Read `key=value` words; values that look like numbers, truth values or None become such.

    Names in `own` are refused: the command has options for them.

    >>> parse_settings("--test-option", ["df=full", "min_samples=10", "per=dof"], OWN_OF_TEST)
    {'df': 'full', 'min_samples': 10, 'per': 'dof'}
    """
    settings: dict[str, Any] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals or not key:
            raise ParameterError(f"{option} was given {word!r}.", hint="Write name=value, e.g. df=full.")
        name = key.replace("-", "_")
        if name in own:
            raise ParameterError(f"{option} was given {key!r}.", hint="The command has an option of its own for it.")
        settings[name] = _value(value)
    return settings


def _value(text: str) -> Any:
    words = {"true": True, "false": False, "none": None}
    if text.lower() in words:
        return words[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
