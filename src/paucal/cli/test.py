"""`paucal test`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from paucal.cli.loading import data_options
from paucal.cli.options import OWN_OF_TEST, ListCommand, parse_settings, preparation_option, test_options
from paucal.cli.output import number, print_json, print_table, tell
from paucal.errors import ParameterError

if TYPE_CHECKING:
    from paucal.cli.loading import Loader
    from paucal.data.preparation import Preparation
    from paucal.independence.levels import Alpha


@click.command("test", cls=ListCommand)
@data_options
@preparation_option
@click.argument("x")
@click.argument("y")
@click.option("--given", multiple=True, metavar="COLUMN...", help="Conditioning columns.")
@click.option("--test", "tests", multiple=True, metavar="NAME...", help="Tests to run (default: auto).")
@test_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    load: Loader,
    preparation: Preparation | None,
    x: str,
    y: str,
    given: tuple[str, ...],
    tests: tuple[str, ...],
    alpha: Alpha | None,
    test_options: tuple[str, ...],
    as_json: bool,
) -> None:
    """Test whether columns X and Y of DATA are independent, given others.

    \b
    Examples:
      paucal test survey.csv smoke cancer
      paucal test survey.csv smoke cancer --given age sex --test g chi2
      paucal test survey.csv smoke cancer --given age --test-option df=full
      paucal test - X Y --json < data.csv
    """
    from paucal.independence.registry import DEFAULT_TEST, ci_test, test_parameters

    chosen = tests or (DEFAULT_TEST,)
    settings = parse_settings("--test-option", test_options, OWN_OF_TEST)
    settings |= {} if alpha is None else {"alpha": alpha}
    unused = [name for name in settings if not any(name in test_parameters(m) for m in chosen)]
    if unused:
        raise ParameterError(
            f"None of the tests {', '.join(chosen)} has a parameter {unused[0]!r}.",
            hint=f"They have {', '.join(sorted(set().union(*map(test_parameters, chosen))))}.",
        )
    data = load.question(x, y, given, preparation)
    results = []
    for name in chosen:
        own = {key: value for key, value in settings.items() if key in test_parameters(name)}
        results.append(ci_test(data, x, y, given, test=name, **own))
    if as_json:
        print_json([result.to_dict() for result in results])
        return
    first = results[0]
    steps = {name for r in results for name in r.in_steps}
    named = [f"{name} (in steps)" if name in steps else name for name in first.given]
    given_these = f" given {', '.join(named)}" if named else ""
    directed = any(r.direction for r in results)
    tell(f"{first.x} and {first.y}{given_these}: {first.n} samples")
    print_table(
        ["test", "decision", "trust", *(["direction"] if directed else []), "statistic", "dof", "p", "threshold"],
        [
            [
                r.test,
                r.decision,
                r.trust,
                *([r.direction or "-"] if directed else []),
                number(r.told_statistic, 6),
                number(r.dof, 12),
                number(r.p_value),
                number(r.threshold),
            ]
            for r in results
        ],
        left=3 + directed,
    )
