"""Options about the data file, and what is done to it on the way in; what was done is told in a line or two."""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from paucal import checks
from paucal.cli.output import tell
from paucal.cli.reading import reading_options
from paucal.errors import Argument, DataError, ParameterError, not_allowed

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from paucal.data import Dataset
    from paucal.data.preparation import Preparation
    from paucal.data.tabular import Tabular
    from paucal.inspection.intake import Intake

_KINDS = ("number", "ordered", "name", "levels")


@dataclass(frozen=True)
class Loader:
    """A data file, how it is read, and what was said about it."""

    file: str
    reading: Mapping[str, Any]
    said: Mapping[str, Any]
    as_is: bool
    read: Tabular | None = None

    @functools.cached_property
    def table(self) -> Tabular:
        """The file as it is; what its reader decided is told."""
        if self.read is not None:
            return self.read
        from paucal.data.files import label_of, read_table
        from paucal.data.tabular import Tabular

        # what is left out by name need not be read; but a recipe must see all names to know that it is for this table
        table = read_table(self.file, **self.reading)
        for note in table.source.notes:
            tell(f"paucal: note: {note}", err=True)
        return Tabular(table, "file", label_of(self.file))

    def take_in(self, named: Collection[str] = (), kept: Collection[str] = ()) -> Intake:
        """Look at the table, to propose something."""
        from paucal.inspection.intake import take_in

        return take_in(self.table, self.said, named, kept)

    def __call__(
        self, preparation: Preparation | None = None, named: Collection[str] = (), kept: Collection[str] = ()
    ) -> Dataset:
        """Read and prepare the file: as a recipe says, else as it is or as proposed; options come before both.

        Columns that are named, or to be kept, are never left out by a proposal.
        """
        if preparation is not None and preparation.said:
            return self._as_told(_with_options(preparation, self.said, self.table.table.names), "as the recipe says")
        if self.as_is:
            from paucal.data.preparation import preparation_of

            return self._as_told(preparation_of(self.said), "")
        from paucal.data.preparation_words import in_short

        taken = self.take_in(named, kept)
        data = taken.dataset()
        told = in_short(taken.proposal)
        if told is not None:
            tell(f"paucal: note: {told}", err=True)
            keeps = " --number or --levels keeps a column that is left out;" if taken.proposal.leave_out else ""
            tell(f"paucal: note: `paucal prepare` says why;{keeps} --as-is turns this off.", err=True)
        return data

    def question(self, x: str, y: str, given: Collection[str], preparation: Preparation | None) -> Dataset:
        """Prepare the columns of one question alone; none of them is left out."""
        for name in (x, y, *given):
            checks.known("column", name, self.table.table.names)
        names = [name for name in self.table.table.names if name in {x, y, *given}]
        if self.as_is or "columns" in self.said or (preparation is not None and preparation.said):
            return self(preparation, named=names)
        from paucal.inspection.intake import among, groups_beside

        found = replace(self, said={**self.said, "columns": names}, read=self.table)(named=names)
        if (told := groups_beside(self.table, self.said, names)) is not None:
            tell(f"paucal: note: {told}.", err=True)
        return among(found, self.table, self.said, names)

    def _as_told(self, how: Preparation, why: str) -> Dataset:
        from paucal.data.dataset import from_tabular

        try:
            data = from_tabular(self.table, how)
        except DataError as error:
            raise error.within(self.table.label) from error
        came = self.table.chosen(replace(how, columns=None, leave_out={})).table
        if why or data.n_rows < came.n_rows:
            used = f"{data.n_rows:,} of {came.n_rows:,} rows and {data.n_columns:,} of {len(came.names):,} columns"
            tell(f"paucal: note: {used} are used{', ' if why else ''}{why}.", err=True)
        return data


def _with_options(preparation: Preparation, said: Mapping[str, Any], names: Collection[str]) -> Preparation:
    """Put what options say in place of what a recipe says; what is by column, column by column."""
    from paucal.data.preparation import preparation_of

    own = preparation_of(said).spelled_out(names)  # a pattern of an option comes before a name in the recipe
    changed = {name: getattr(own, name) for name in said}
    for name in ("kinds", "order", "leave_out"):
        if name in said:
            changed[name] = {**getattr(preparation, name), **getattr(own, name)}
    if isinstance(own.discretize, dict) and isinstance(preparation.discretize, dict):
        changed["discretize"] = {**preparation.discretize, **own.discretize}
    return replace(preparation, **changed)


def data_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the data file and its options; the command gets them as one argument `load`, which reads the file."""

    @click.argument("file", metavar="DATA")
    @click.option("--as-is", is_flag=True, help="Take the table as it is: do only what other options say.")
    @click.option(
        "--missing",
        type=click.Choice(["error", "keep", "drop", "level"]),
        help="Missing values: refuse, keep and allow for them, drop their rows, or make them a level.  "
        "[default: what is proposed]",
    )
    @click.option(
        "--discretize",
        metavar="RULE",
        help="Cut columns of numbers into classes: quantile:3, width:4, or age=18,40,65;income=quantile:3.",
    )
    @click.option(
        "--columns",
        metavar="COLUMN...",
        multiple=True,
        help="Columns to read: names, ranges such as age:income, patterns such as 'q*'.",
    )
    @click.option(
        "--leave-out", metavar="COLUMN...", multiple=True, help="Columns to leave out, written in the same way."
    )
    @click.option("--weights", metavar="COLUMN", help="A column that says how many equal rows each row stands for.")
    @click.option(
        "--repeats",
        metavar="COLUMN",
        help="A column that says which rows belong together, such as visits of one person.",
    )
    @click.option(
        "--number", metavar="COLUMN...", multiple=True, help="Columns that are numbers; patterns work here too."
    )
    @click.option(
        "--ordered",
        metavar="COLUMN...",
        multiple=True,
        help="Columns whose levels are ordered; give the order if it is not obvious: 'dose=low<mid<high'.",
    )
    @click.option(
        "--levels",
        metavar="COLUMN...",
        multiple=True,
        help="Columns to treat as categories (levels), whatever they look like.",
    )
    @click.option("--name", metavar="COLUMN...", multiple=True, help="Columns that only name the rows.")
    @reading_options
    @click.option("--drop-unobserved", is_flag=True, help="Drop declared levels that no row has.")
    @functools.wraps(command)
    def wrapper(
        *args: Any,
        file: str,
        reading: dict[str, Any],
        as_is: bool,
        missing: str | None,
        discretize: str | None,
        columns: tuple[str, ...],
        leave_out: tuple[str, ...],
        weights: str | None,
        repeats: str | None,
        drop_unobserved: bool,
        **rest: Any,
    ) -> Any:
        ordered, order = parse_orders(rest.pop("ordered"))
        kinds = {kind: ordered if kind == "ordered" else rest.pop(kind) for kind in _KINDS}
        said = {
            "missing": missing,
            "discretize": parse_discretize(discretize),
            "columns": columns or None,
            "leave_out": leave_out or None,
            "weights": weights,
            "repeats": repeats,
            "drop_unobserved": drop_unobserved or None,
            "kinds": _kinds(kinds) or None,
            "order": order or None,
        }
        load = Loader(file, reading, {name: value for name, value in said.items() if value is not None}, as_is)
        return command(*args, load=load, **rest)

    return wrapper


def parse_orders(words: Collection[str]) -> tuple[tuple[str, ...], dict[str, list[str]]]:
    """Read `--ordered`: the columns, and the orders that are said, from the least to the most.

    >>> parse_orders(["q1,q2", "q3,q4=low<mid<high"])
    (('q1,q2', 'q3,q4'), {'q3': ['low', 'mid', 'high'], 'q4': ['low', 'mid', 'high']})
    """
    columns: list[str] = []
    orders: dict[str, list[str]] = {}
    for word in words:
        names, equals, order = word.partition("=")
        if not equals or "<" not in order:  # a name may have the sign too
            columns.append(word)
            continue
        columns.append(names)
        orders |= {name: [level.strip() for level in order.split("<")] for name in names.split(",")}
    return tuple(columns), orders


def _kinds(words: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    """Put together what `--number`, `--ordered`, `--levels` and `--name` say; `a,b` is two columns."""
    found: dict[str, str] = {}
    for kind, names in words.items():
        for name in [part for word in names for part in word.split(",")]:
            if found.setdefault(name, kind) != kind:
                raise ParameterError(
                    f"Column {name!r} is said to be both: --{found[name]} and --{kind}.", hint="Name it in one of them."
                )
    return found


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
