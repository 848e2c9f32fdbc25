"""Options that several commands share: recipes, and how tests and searches are set."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from paucal.cli.files import FilesCommand
from paucal.errors import FileError, ParameterError, PaucalError, not_allowed

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from paucal.independence.levels import Alpha
    from paucal.independence.settings import CISettings
    from paucal.search.recipe import Recipe

# Parameters of searches and tests that the commands have options for.
OWN_OF_TEST = ("data", "test", "alpha")
OWN_OF_SEARCH = (
    *OWN_OF_TEST,
    *("search", "test_options", "knowledge", "max_order", "seed", "threads", "max_seconds", "max_tests"),
    *("target", "targets", "around", "replicates", "jobs", "progress"),
    *("interventions", "targets"),
    *("outcome", "exogenous", "background", "randomised", "time", "same", "tiers", "required", "forbidden"),
)


class ListCommand(FilesCommand):
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


def recipe_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--recipe` and `--save-recipe`."""
    said = "Run what a recipe says; other options take precedence."
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
    stored = stored_recipe(path)
    local = given.get("target") is not None
    if local and stored.search == AUTO and stored.target is None:  # what `paucal prepare` writes is about data alone
        stored = replace(stored, search=given.get("search") or "cmb", target=given["target"])
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


def stored_recipe(path: str) -> Recipe:
    """Read the recipe in a file; an error names the file."""
    from paucal.search.recipe import Recipe

    text = read_text(path)
    try:
        return Recipe.from_toml(text)
    except PaucalError as error:
        raise error.within(path) from error


def cluster_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--backend` and `--scheduler`: a cluster that does what `--jobs` does here."""
    command = click.option(
        "--scheduler", metavar="ADDRESS", help="Where the cluster is, e.g. tcp://head:8786; Ray finds its own."
    )(command)
    said = "Run on a cluster instead of in processes here; the numbers are the same."
    return click.option("--backend", type=click.Choice(["dask", "ray"]), help=said)(command)


def shared_by(jobs: int | None, backend: str | None) -> int | None:
    """Say how many processes share the work: one if nothing was said, all that a cluster has if one was named."""
    return 1 if jobs is None and backend is None else jobs


def budget_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--max-seconds` and `--max-tests`."""
    command = click.option(
        "--max-tests", type=int, metavar="N", help="Stop the search after N tests, and give what it has by then."
    )(command)
    return click.option(
        "--max-seconds", type=float, metavar="S", help="Stop the search after S seconds, and give what it has by then."
    )(command)


def preparation_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--recipe` to a command that only prepares data by it."""
    said = "Prepare the data as a recipe says; `paucal prepare` writes one."
    return click.option(
        "--recipe",
        "preparation",
        metavar="FILE",
        callback=lambda _context, _option, path: None if path is None else stored_recipe(path).preparation,
        help=said,
    )(command)


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
        help="Level of the test: a number; several, for 0, 1, ... conditioning columns: 0.01,0.05; or by-order.  "
        "[default: 0.05]",
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
