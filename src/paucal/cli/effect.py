"""`paucal effect`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from paucal.cli.known import ask_about_background, intervention_options, knowledge_options, read_table, read_targets
from paucal.cli.loading import data_options
from paucal.cli.options import ListCommand, read_recipe, recipe_options, search_options
from paucal.cli.output import print_json, tell
from paucal.cli.progress import TerminalProgress
from paucal.errors import ParameterError

if TYPE_CHECKING:
    from paucal.cli.loading import Loader
    from paucal.data import Dataset
    from paucal.graphs.knowledge import Knowledge
    from paucal.independence.levels import Alpha
    from paucal.search.result import SearchResult


@click.command("effect", cls=ListCommand)
@data_options
@click.argument("columns_asked", metavar="[X] Y", nargs=-1, required=True)
@click.option(
    "--graph", metavar="FILE", help="Result of `paucal learn --search posterior --out FILE` on the same data."
)
@click.option("--do", "done", metavar="COLUMN=LEVEL...", multiple=True, help="What if these columns were set?")
@click.option("--given", metavar="COLUMN=LEVEL...", multiple=True, help="Only among rows with these values.")
@click.option(
    "--level", type=float, default=0.9, show_default=True, help="Share of the draws that an interval contains."
)
@search_options("rounds=400")
@knowledge_options
@intervention_options
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of the sampled graphs.")
@recipe_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    load: Loader,
    columns_asked: tuple[str, ...],
    graph: str | None,
    done: tuple[str, ...],
    given: tuple[str, ...],
    level: float,
    alpha: Alpha | None,
    test_options: tuple[str, ...],
    options: tuple[str, ...],
    knowledge: Knowledge | None,
    interventions: str | None,
    targets: str | None,
    seed: int,
    recipe: str | None,
    save_recipe: str | None,
    as_json: bool,
) -> None:
    """What happens to Y when X is set, averaged over graphs sampled from their posterior.

    With Y alone: which columns change it most. With --do and --given: what if, for a group of rows.

    \b
    Examples:
      paucal effect survey.csv smoke cancer
      paucal effect survey.csv cancer
      paucal effect survey.csv cancer --do smoke=no --given age=old
      paucal effect survey.csv smoke cancer --outcome cancer --exogenous age sex
      paucal effect survey.csv smoke cancer --graph graph.json --level 0.95 --json
    """
    from paucal.atomic import write_text

    if not 1 <= len(columns_asked) <= 2:
        raise ParameterError(f"{len(columns_asked)} columns were named.", hint="Name Y, or X and Y.")
    *cause, outcome = columns_asked
    set_to, seen = _levels("do", done), _levels("given", given)
    if cause and (set_to or seen):
        raise ParameterError("--do and --given go with Y alone.", hint="Leave out X.")
    wanted = read_recipe(
        recipe,
        options,
        test_options,
        max_order=None,
        search="posterior" if recipe is None else None,
        alpha=alpha,
        knowledge=knowledge,
        interventions=interventions,
        targets=None if targets is None else read_targets(targets),
        seed=seed if recipe is None else None,
    )
    named = (*columns_asked, *set_to, *seen)
    data = read_table(wanted, load, kept=(*named, *(() if wanted.knowledge is None else wanted.knowledge.names)))
    for name in named:
        data.index(name)  # refuse an unknown name before the work begins
    result = _learned(wanted, data, graph)
    if save_recipe is not None:
        write_text(save_recipe, result.recipe.to_toml())
    ask_about_background(result.ask(data=data, most=0), "ask again")
    if set_to or seen:
        _show_what_if(result, data, outcome, set_to, seen, level=level, as_json=as_json)
    elif cause:
        effect = result.effect(cause[0], outcome, data=data, level=level, seed=seed)
        print_json(effect.to_dict()) if as_json else tell(str(effect))
    else:
        found = result.effects(outcome, data=data, level=level, seed=seed)
        if as_json:
            print_json([one.to_dict() for one in found])
        else:
            tell(str(found))
            tell(f"`paucal effect {load.file} X {outcome}` gives one of them in full.", err=True)


def _learned(wanted: Any, data: Dataset, graph: str | None) -> SearchResult:
    from paucal.search.learn import run
    from paucal.search.result import SearchResult

    if graph is not None:
        from paucal.cli.options import read_text

        return SearchResult.from_json(read_text(graph))
    with TerminalProgress() as progress:
        result = run(wanted, data, progress=progress)
    if not isinstance(result, SearchResult):
        raise ParameterError("The recipe is about a blanket.", hint="Give a recipe of a search for a graph.")
    return result


def _show_what_if(
    result: SearchResult,
    data: Dataset,
    outcome: str,
    done: dict[str, str],
    seen: dict[str, str],
    *,
    level: float,
    as_json: bool,
) -> None:
    from paucal.data.discretize import are_intervals, with_value
    from paucal.data.steps import about_steps
    from paucal.effects.effect import COVERAGE

    answer = result.what_if(outcome, data=data, do=done, given=seen, level=level)
    if as_json:
        content: dict[str, Any] = {"outcome": outcome, "do": done, "given": seen, "level": level}
        content |= {"distribution": {label: part._asdict() for label, part in answer.items()}, "coverage": COVERAGE}
        print_json(content)
        return
    said = [f"do({', '.join(f'{a} = {b}' for a, b in done.items())})"] if done else []
    said += [f"given {', '.join(f'{a} = {b}' for a, b in seen.items())}"] if seen else []
    tell(" ".join(said) + ":")
    for label, part in answer.items():
        colon = ":" if are_intervals(tuple(answer)) else ""
        tell(f"  {with_value(outcome, label, tuple(answer))}{colon} {part}")
    for line in about_steps(data, (outcome, *done, *seen), result.cuts):
        tell(line)
    tell(f"intervals contain {level:.0%} of the draws; {COVERAGE} (docs/effects.md)")


def _levels(option: str, words: tuple[str, ...]) -> dict[str, str]:
    """Read `smoke=no` parts."""
    found = {}
    for word in words:
        name, equals, label = word.partition("=")
        if not equals or not name or not label:
            raise ParameterError(f"--{option} {word} names no level.", hint=f"Write --{option} smoke=no.")
        found[name.strip()] = label.strip()
    return found
