"""What is done to a table before anything is learned from it: a value that people read, edit and keep.

It is the data part of a recipe. `paucal.prepare` proposes one; `Dataset.of` and `paucal.read` carry one out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict, get_args

from paucal import checks
from paucal.data.choice import spelled_out
from paucal.data.discretize import check_rules
from paucal.data.kinds import Kind
from paucal.errors import ParameterError, UnknownNameError, listing, not_allowed, short, unknown_name
from paucal.notebook import Shown

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from paucal.data.discretize import Discretize
    from paucal.data.encode import Label

Missing: TypeAlias = Literal["error", "keep", "drop", "level"]

_NOTHING: Mapping[str, Any] = MappingProxyType({})
_BY_COLUMN = ("no_answer", "order", "merge", "kinds")


class Recoding(TypedDict, total=False):
    """What can be said about single columns, and which of them counts the rows; see `Preparation`."""

    kinds: Mapping[str, Kind]
    no_answer: Mapping[str, Iterable[Label]]
    merge: Mapping[str, Mapping[str, Iterable[Label]]]
    order: Mapping[str, Iterable[Label]]
    weights: str | None
    repeats: str | None


class Preparing(Recoding, total=False):
    """What can be said about a table; see `Preparation`."""

    missing: Missing
    discretize: Discretize
    drop_unobserved: bool
    columns: Iterable[str] | None
    leave_out: Iterable[str]


@dataclass(frozen=True, kw_only=True, repr=False)
class Preparation(Shown):
    """What is done to a table: columns are chosen, recoded and cut, then missing values are settled.

    Attributes
    ----------
    columns
        The columns to keep, in this order; None for all.
    leave_out
        Columns that are left out, each with the reason; a list of names gives none.
    no_answer
        By column the values that mean that there is no answer: they become missing.
    merge
        By column new levels, each with the levels that are put together in it.
    order
        By column its levels in their order.
    kinds
        By column what it is: `"levels"`, `"ordered"`, `"number"` or `"name"`; what is not said, the values decide.
    discretize
        How numbers are cut: a rule for all, or rules or cut points by column.
    missing
        What happens to missing values: `"error"`, `"keep"` (searches allow for them), `"drop"` (their rows go) or
        `"level"` (one more level).
    drop_unobserved
        Whether declared levels that no row has are forgotten.
    weights
        A column that says how many equal rows each row stands for; it is no data itself.
    repeats
        A column whose equal values mark rows that belong together, such as visits of one person or pupils of one
        school; it is no data itself. The groups of a randomised treatment are compared accordingly.
    why
        Reasons in plain words, by entry such as `"kinds.age"`; "table" is about the whole. They change nothing.

    Examples
    --------
    >>> Preparation(missing="drop", leave_out=("id",)).said
    {'missing': 'drop', 'leave_out': ['id']}
    """

    missing: Missing = "error"
    discretize: Discretize = None
    drop_unobserved: bool = False
    columns: tuple[str, ...] | None = None
    leave_out: Mapping[str, str] = field(default_factory=dict)
    no_answer: Mapping[str, tuple[Label, ...]] = field(default_factory=dict)
    merge: Mapping[str, Mapping[str, tuple[Label, ...]]] = field(default_factory=dict)
    order: Mapping[str, tuple[Label, ...]] = field(default_factory=dict)
    kinds: Mapping[str, Kind] = field(default_factory=dict)
    weights: str | None = None
    repeats: str | None = None
    why: Mapping[str, str] = field(default_factory=dict, compare=False)

    def __post_init__(self) -> None:
        checks.choice("missing", self.missing, get_args(Missing))
        checks.flag("drop_unobserved", self.drop_unobserved)
        if self.weights is not None:
            checks.instance(
                "weights", self.weights, str, "the name of a column", hint="Dataset.from_codes takes an array."
            )
        if self.repeats is not None:
            checks.instance("repeats", self.repeats, str, "the name of a column")
            if self.weights is not None:
                raise ParameterError(
                    "Rows cannot both be counted (weights) and belong together (repeats).",
                    hint="Write every row out, or leave repeats out.",
                    parameter="repeats",
                    value=self.repeats,
                )
        put = object.__setattr__
        put(self, "discretize", None if _is_empty(self.discretize) else checks.native(self.discretize))
        check_rules(self.discretize)
        if self.columns is not None:
            put(self, "columns", tuple(checks.plain_names("columns", self.columns)))
        if isinstance(self.leave_out, Mapping):
            put(self, "leave_out", {str(name): str(why) for name, why in self.leave_out.items()})
        else:
            put(self, "leave_out", dict.fromkeys(checks.plain_names("leave_out", self.leave_out), ""))
        if self.weights is not None:  # it is read in any case, and no data in any case
            kept = {name: why for name, why in self.leave_out.items() if name != self.weights}
            put(self, "leave_out", kept)
            if self.columns is not None:
                put(self, "columns", tuple(name for name in self.columns if name != self.weights))
        for name in _BY_COLUMN:
            put(self, name, checks.settings(name, getattr(self, name)))
        for name in ("no_answer", "order"):
            put(self, name, {column: _labels(name, value) for column, value in getattr(self, name).items()})
        put(self, "merge", {column: _merged(value) for column, value in self.merge.items()})
        for column, kind in self.kinds.items():
            checks.choice(f"kinds[{column!r}]", kind, get_args(Kind))

    @property
    def said(self) -> dict[str, Any]:
        """What differs from the defaults, as arguments of `paucal.read` and `Dataset.of`."""
        found: dict[str, Any] = {}
        for one in fields(self):
            value = getattr(self, one.name)
            if one.name == "why" or (not value and one.name != "columns") or value in (None, "error"):
                continue
            found[one.name] = _plain(value)
        if found.get("leave_out") and not any(self.leave_out.values()):
            found["leave_out"] = list(self.leave_out)
        return found

    @property
    def about_rows(self) -> tuple[str, ...]:
        """The columns that tell how often a row counts, or which rows belong together."""
        return tuple(name for name in (self.weights, self.repeats) if name is not None)

    @property
    def named(self) -> tuple[str, ...]:
        """The columns that it names."""
        rules = self.discretize if isinstance(self.discretize, Mapping) else {}
        parts = (
            self.columns or (),
            self.about_rows,
            self.leave_out,
            *(getattr(self, name) for name in _BY_COLUMN),
            rules,
        )
        return tuple(dict.fromkeys(name for part in parts for name in part))

    def check(self, names: Collection[str]) -> None:
        """Refuse it for a table that lacks columns it names."""
        names = dict.fromkeys(checks.plain_names("names", names))
        lacking = [name for name in self.named if name not in names and not _is_pattern(name)]
        if not lacking:
            return
        if 2 * len(lacking) > len(self.named) > 2:
            raise UnknownNameError(
                f"The recipe is for another table: of the {len(self.named)} columns it names, {len(lacking)} are not "
                f"here: {listing(map(repr, lacking))}.",
                hint=f"This table has {listing(map(repr, names), 8)}.",
                value=lacking[0],
                allowed=tuple(names),
            )
        raise unknown_name("column", lacking[0], names)

    def spelled_out(self, names: Collection[str]) -> Preparation:
        """Put the columns of a table in place of patterns and ranges; what names a column itself comes first.

        >>> Preparation(kinds={"q*": "ordered", "q2": "levels"}).spelled_out(["age", "q1", "q2"]).kinds
        {'q1': 'ordered', 'q2': 'levels'}
        """
        changed: dict[str, Any] = {}
        here = set(names)
        for part in (*_BY_COLUMN, "discretize"):
            said = getattr(self, part)
            if isinstance(said, Mapping) and any(name not in here and _is_pattern(name) for name in said):
                changed[part] = _by_name(part, said, names)
        return replace(self, **changed) if changed else self

    def __repr__(self) -> str:
        return f"Preparation({', '.join(f'{name}={value!r}' for name, value in self.said.items())})"

    def __str__(self) -> str:
        from paucal.data.preparation_words import in_words

        return in_words(self)

    def to_toml(self) -> str:
        """Write it as a recipe in TOML, with the reasons as comments, for a person to edit."""
        from paucal.data.preparation_words import as_toml

        return as_toml(self)


def preparation_of(said: Mapping[str, Any]) -> Preparation:
    """Make a preparation of arguments; an unknown one is an error that names the nearest."""
    for name in said:
        checks.known("argument", name, arguments_of_data())
    return Preparation(**said)


def _is_empty(rules: Discretize) -> bool:
    return isinstance(rules, Mapping) and not rules


def _is_pattern(name: str) -> bool:
    return "*" in name or ":" in name


def _by_name(part: str, said: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    """Give every column what its own name says, else what a pattern says; two patterns must not disagree."""
    places = {name: [i] for i, name in enumerate(names)}
    found: dict[str, Any] = {}
    for pattern, value in said.items():
        if pattern in places or not _is_pattern(pattern):
            continue
        for name in spelled_out([pattern], places):
            if name not in said and found.setdefault(name, value) != value:
                both = f"{short(found[name])} and {short(value)}"
                raise ParameterError(
                    f"Two patterns say different things about column {name!r}: {both}.",
                    hint=f"Name {name!r} itself, too: that comes before patterns.",
                    parameter=part,
                    value=pattern,
                )
    own = {name: value for name, value in said.items() if name in places or not _is_pattern(name)}
    order = {name: i for i, name in enumerate(names)}
    return dict(sorted((found | own).items(), key=lambda one: order.get(one[0], len(order))))


def _labels(name: str, value: Any) -> tuple[Label, ...]:
    return checks.values(name, value, "a list of values by column", hint=f"Write {name}={{'age': [99]}}.")


def _merged(value: Any) -> dict[str, tuple[Label, ...]]:
    if not isinstance(value, Mapping):
        hint = "Write merge={'region': {'other': ['north', 'east']}}."
        raise not_allowed("merge", value, "lists of levels by new level", hint=hint)
    return {str(label): _labels("merge", levels) for label, levels in value.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _plain(inner) for name, inner in value.items()}
    return list(value) if isinstance(value, tuple) else value


@cache
def arguments_of_data() -> tuple[str, ...]:
    """Name the arguments that are about preparing data."""
    return tuple(one.name for one in fields(Preparation) if one.name != "why")


def about_data(options: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Tell arguments that are about preparing data from all others."""
    own = arguments_of_data()
    said = {name: value for name, value in options.items() if name in own}
    return said, {name: value for name, value in options.items() if name not in said}


def refuse_data_arguments(caller: str, given: Iterable[str]) -> None:
    """Say where arguments belong that are about preparing data, if somebody else got any of them."""
    for name in given:
        if name in arguments_of_data():
            raise ParameterError(
                f"{caller} takes no {name}=, which is about how the data are made.",
                hint=f"Give Dataset.of(data, {name}=...) as the data.",
                parameter=name,
            )
