"""What is known beforehand, on the command line: a file of knowledge, words about columns, and what was set."""

from __future__ import annotations

import functools
import shlex
import tomllib
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from paucal.cli.options import read_text
from paucal.cli.output import tell
from paucal.errors import ParameterError, listing

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from paucal.cli.loading import Loader
    from paucal.data import Dataset
    from paucal.graphs.knowledge import Knowledge
    from paucal.search.evidence.asking import Fact
    from paucal.search.recipe import Recipe

_FILES = {"knowledge_file": None, "whitelist": "whitelist", "blacklist": "blacklist"}  # option -> form
_WORDS = ("outcome", "exogenous", "randomised")


def knowledge_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options about knowledge; the command gets what they say as one argument `knowledge`."""

    @click.option(
        "--knowledge",
        "knowledge_file",
        metavar="FILE",
        help="What you know already, in TOML, Tetrad or DAGitty.",
    )
    @click.option("--whitelist", metavar="FILE", help="Arrows that must be there: a table with columns from and to.")
    @click.option("--blacklist", metavar="FILE", help="Arrows that must not be there.")
    @click.option("--outcome", metavar="COLUMN...", multiple=True, help="Columns that cause nothing.")
    @click.option(
        *("--exogenous", "--background", "exogenous"),
        metavar="COLUMN...",
        multiple=True,
        help="Columns that nothing in the table causes: age, sex, site.",
    )
    @click.option(
        "--randomised",
        metavar="COLUMN...",
        multiple=True,
        help="Columns assigned at random: nothing causes them, not even something hidden.",
    )
    @click.option(
        "--time",
        metavar="COLUMN... , ...",
        multiple=True,
        help="Waves, the earliest first, with a comma between them; each may begin with its name and a colon.",
    )
    @click.option("--same", metavar="A B", nargs=2, multiple=True, help="Two columns that measure the same thing.")
    @functools.wraps(command)
    def wrapper(*args: Any, time: Sequence[str], same: Sequence[tuple[str, str]], **rest: Any) -> Any:
        files = {form: rest.pop(name) for name, form in _FILES.items()}
        said = {word: rest.pop(word) for word in _WORDS}
        said |= {"time": split_waves(time), "same": same}
        return command(*args, knowledge=_known(files, said), **rest)

    return wrapper


def intervention_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options about rows in which columns were set."""
    teller = click.option(
        "--interventions", metavar="COLUMN", help="Column that says which column was set from outside in each row."
    )
    words = 'What its values mean, as TOML: [targets] u0126 = ["Mek"].'
    return teller(click.option("--targets", metavar="FILE", help=words)(command))


def _known(files: dict[str | None, str | None], said: dict[str, Any]) -> Knowledge | None:
    if not any((*files.values(), *said.values())):
        return None
    from paucal.graphs.knowledge import Knowledge

    known = Knowledge(**said)
    for form, path in files.items():
        if path is not None:
            known |= Knowledge.read(path, form)
    return known


def read_targets(path: str) -> dict[str, Any]:
    """Read what the values of the column that tells mean: a table `[targets]`, or nothing but its lines."""
    try:
        content = tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise ParameterError(f"{path} is not TOML: {error}.", hint='Write [targets] and u0126 = ["Mek"].') from None
    inner = content.get("targets", content)
    return inner if isinstance(inner, dict) else content


def read_table(recipe: Recipe, load: Loader, kept: Collection[str]) -> Dataset:
    """Read the data of a recipe; the column that tells of interventions may have gaps."""
    teller = recipe.interventions
    if teller is not None:
        load = replace(load, read=load.table.telling(teller))
    return load(recipe.preparation, kept=kept)


def split_waves(words: Sequence[str]) -> list[list[str]] | dict[str, list[str]]:
    """Part words at commas, which stand alone or at the end of a word; a colon ends the name of a wave.

    >>> split_waves(["age", "sex", ",", "smoke,", "cough"])
    [['age', 'sex'], ['smoke'], ['cough']]
    >>> split_waves(["before:", "age", "sex,", "after:", "smoke"])
    {'before': ['age', 'sex'], 'after': ['smoke']}
    """
    if not words:
        return []
    waves: list[list[str]] = [[]]
    for word in words:
        if word != ",":
            waves[-1].append(word.removesuffix(","))
        if word.endswith(","):
            waves.append([])
    names = [wave.pop(0)[:-1] for wave in waves if wave and len(wave[0]) > 1 and wave[0].endswith(":")]
    wrong = None
    if not all(waves):
        wrong = "has a wave without columns"
    elif names and len(names) < len(waves):
        wrong = f"names {len(names)} of {len(waves)} waves"
    elif len(set(names)) < len(names):
        wrong = "gives one name to two waves"
    if wrong is not None:
        hint = "Write --time age sex , smoke , cough, or --time before: age sex , after: smoke cough."
        raise ParameterError(f"--time {' '.join(words)} {wrong}.", hint=hint)
    return dict(zip(names, waves, strict=True)) if names else waves


def ask_about_background(facts: Sequence[Fact], then: str) -> None:
    """Ask about arrows into what looks like background or a treatment, in one line each; `then` is what to do again."""
    for assigned, option, what in (
        (False, "exogenous", "background, caused by nothing in the table"),
        (True, "randomised", "a treatment that chance decided about"),
    ):
        into = list(dict.fromkeys(fact.first for fact in facts if fact.about_background and fact.assigned == assigned))
        if into:
            asked = f"The graph has arrows into {listing(into)}, which may be {what}."
            tell(f"paucal: ask: {asked} If so, add --{option} {shlex.join(into)}, and {then}.", err=True)
