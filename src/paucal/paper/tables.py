"""Tables as values: named columns, rows of numbers, and numbers that know how they want to be written."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, cast

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True)
class Stat:
    """A mean, and beside it its spread: a standard deviation or a standard error, as the column says."""

    mean: float
    spread: float | None = None


Value: TypeAlias = "str | int | float | Stat | None"


@dataclass(frozen=True)
class Column:
    """A column: its name in CSV files, its heading, the digits after the point, and what the spread is."""

    name: str
    heading: str
    digits: int = 1
    spread: str = "sd"
    left: bool = False
    signed: bool = False


def beside(name: str, heading: str, digits: int = 1, spread: str = "sd") -> tuple[Column, Column]:
    """Give a column for our numbers and the one for the paper's."""
    return Column(name, heading, digits, spread), Column(f"{name}_paper", "paper", digits)


@dataclass(frozen=True)
class Table:
    """A table: columns, and rows with one value for each."""

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Value, ...], ...]
    rules: frozenset[int] = frozenset()  # rows after which a line is drawn

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        columns = [vars(column) for column in self.columns]
        rows = [[_plain(value) for value in row] for row in self.rows]
        return vars(self) | {"columns": columns, "rows": rows, "rules": sorted(self.rules)}

    @classmethod
    def from_dict(cls, content: dict[str, Any]) -> Table:
        """Read what `to_dict` gave."""
        columns = tuple(Column(**column) for column in content["columns"])
        rows = tuple(tuple(map(_value, row)) for row in content["rows"])
        return cls(content["name"], content["title"], columns, rows, frozenset(content["rules"]))


def rules_by(rows: Sequence[Sequence[Value]], n: int) -> frozenset[int]:
    """Give the rows after which the first n values change, the last row among them."""
    return frozenset(i for i, row in enumerate(rows) if i + 1 == len(rows) or rows[i + 1][:n] != row[:n])


def text_of(value: Value, column: Column) -> str:
    """Write a value as its column wants it; nothing where there is none.

    >>> shd = Column("shd", "SHD")
    >>> text_of(Stat(24.25, 2.31), shd), text_of(Stat(24.25), shd), text_of(None, shd), text_of("child", shd)
    ('24.2 ± 2.3', '24.2', '', 'child')
    >>> text_of(1234567, Column("tests", "tests", 0)), text_of(0.5, Column("d", "d", signed=True))
    ('1,234,567', '+0.5')
    """
    if isinstance(value, Stat):
        text = text_of(value.mean, column)
        return f"{text} ± {value.spread:,.{column.digits}f}" if text and value.spread is not None else text
    if isinstance(value, str):
        return value
    if value is None or math.isnan(value):
        return ""
    sign = "+" if column.signed else ""
    text = f"{value:{sign},.{column.digits}f}"
    return text.lstrip("+-") if float(text.replace(",", "")) == 0 else text  # no -0.0


def _plain(value: Value) -> Any:
    if isinstance(value, Stat):
        return {"mean": _plain(value.mean), "spread": value.spread}
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _value(value: Any) -> Value:
    if isinstance(value, dict):
        return Stat(math.nan if value["mean"] is None else value["mean"], value["spread"])
    return cast("Value", value)
