"""`paucal inspect`."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import click

from paucal.cli.loading import data_options
from paucal.cli.options import ListCommand, alpha_option, preparation_option
from paucal.cli.output import number, print_json, print_table, tell
from paucal.cli.wording import in_options
from paucal.data.preparation_words import in_short
from paucal.errors import counted, listing

if TYPE_CHECKING:
    from paucal.cli.loading import Loader
    from paucal.data.preparation import Preparation
    from paucal.independence.levels import Alpha
    from paucal.planning import PowerReport


_MOST_LINES = 1000  # columns that are listed one by one; of more, the first few
_FIRST_LINES = 100


@click.command("inspect", cls=ListCommand)
@data_options
@preparation_option
@click.option("--max-order", type=click.IntRange(0, 8), default=3, show_default=True, help="Most conditioning columns.")
@click.option("--power", "with_power", is_flag=True, help="How much data do I need? Effects that can be detected.")
@click.option("--test", default="auto", show_default=True, metavar="NAME", help="Test for --power.")
@alpha_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    load: Loader,
    preparation: Preparation | None,
    max_order: int,
    with_power: bool,
    test: str,
    alpha: Alpha,
    as_json: bool,
) -> None:
    """Show what is in DATA, what may get in the way, and how many columns a test can adjust for.

    DATA is a text file (CSV and its relatives), a workbook, or a file of SPSS, Stata, SAS, R, Parquet or Feather; - is
    standard input.

    \b
    Examples:
      paucal inspect survey.csv
      paucal inspect measurements.xlsx --sheet wave2 --json
      paucal inspect survey.csv --recipe recipe.toml
      paucal inspect survey.csv --power --alpha 0.01
    """
    from paucal.inspection.findings import grouped
    from paucal.inspection.summary import summary
    from paucal.planning import power

    found, data = summary(load.table, load.said, max_order=max_order, as_is=load.as_is, preparation=preparation)
    report = None
    if with_power and data is not None and data.n_columns > 1:
        report = power(data, test=test, alpha=alpha, max_order=max_order)
    refusal = None if found.refused is None else in_options(found.refused, click.get_current_context().command)
    if as_json:
        print_json({**found.to_dict(), "refusal": refusal, **({"power": report.to_dict()} if report else {})})
        return
    tell(f"{counted(found.n_rows, 'row')}, {counted(len(found.columns), 'column')}")
    rows = [
        [c.name, c.kind, c.taken_as, c.in_words, f"{c.observed:,}", f"{c.missing:,}", f"{c.mode_share:.1%}", c.title]
        for c in (found.columns if len(found.columns) <= _MOST_LINES else found.columns[:_FIRST_LINES])
    ]
    titled = any(c.title for c in found.columns)
    heads = ["column", "kind", "taken as", "values", "different", "missing", "most frequent", "title"]
    print_table(heads[: 7 + titled], [row[: 7 + titled] for row in rows], left=4)
    if len(found.columns) > _MOST_LINES:
        kinds = listing((f"{n:,} {kind}" for kind, n in Counter(c.kind for c in found.columns).most_common()), 12)
        tell(f"The first {_FIRST_LINES} of {len(found.columns):,} columns ({kinds}) are shown; --json lists all.")
    for line in grouped(found.findings):
        tell(f"* {line}")
    if found.findings:
        tell()
    for line in () if found.missing is None else found.missing.lines():
        tell(f"{line}.")
    if found.proposal is not None and refusal is None:
        told = in_short(found.proposal)
        tell("The table needs no preparation." if told is None else f"Prepared: {told}")
    if refusal is not None:
        tell(refusal)
        return
    if not found.sufficiency:
        tell("One column: there is nothing to test.")
        return
    print_table(
        ["adjusting for", "questions", "median", "worst", "5 or more"],
        [
            [str(s.order), f"{s.questions:,}", number(s.median, 3), number(s.worst, 3), f"{s.enough:.0%}"]
            for s in found.sufficiency
        ],
        title="Rows per cell of a test, over all questions",
    )
    if not all(s.exact for s in found.sufficiency):
        tell("Medians and shares are estimated from 20,000 random questions.")
    deep = [s.order for s in found.sufficiency if s.enough >= 0.5]
    if deep:
        most = max(deep)
        deepest = (
            f"that adjust for up to {most} column{'' if most == 1 else 's'}" if most else "that adjust for nothing"
        )
        tell(f"Most questions {deepest} have 5 rows per cell or more.")
    else:
        tell("Most questions have fewer than 5 rows per cell, even if nothing is adjusted for.")
    if report:
        _print_power(report)


def _print_power(report: PowerReport) -> None:
    from paucal.planning import shown

    print_table(
        ["adjusting for", "questions", "undecidable", "no effect", "effect", "quartiles", "rows"],
        [
            [
                str(one.order),
                f"{one.questions:,}",
                f"{one.undecidable:.0%}",
                f"{one.undetectable:.0%}",
                shown(one.effect),
                " to ".join(map(shown, one.effect_quartiles)),
                "-" if one.rows_needed is None else f"{one.rows_needed:,}",
            ]
            for one in report.orders
        ],
        title=f"What {report.n_rows} rows can detect ({report.test} at level {report.alpha}, power {report.power:g})",
    )
    tell(
        "undecidable: no data with these margins could show a dependence; no effect: none of any size is detected with "
        "this power;\neffect: the smallest Cramér's V that is detected, in the median question; rows: how many make "
        "95 % of the questions decidable."
    )
