"""Tables as values: named columns, rows of numbers, and numbers that know how they want to be written."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, TypeAlias


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


@dataclass(frozen=True)
class Table:
    """A table: columns, and rows with one value for each."""

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Value, ...], ...]
    rules: frozenset[int] = field(default=frozenset())
    """Rows after which a line is drawn."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "name": self.name,
            "title": self.title,
            "columns": [vars(column) for column in self.columns],
            "rows": [[_plain(value) for value in row] for row in self.rows],
            "rules": sorted(self.rules),
        }

    @classmethod
    def from_dict(cls, content: dict[str, Any]) -> Table:
        """Read what `to_dict` gave.

        >>> table = Table("t", "T", (Column("a", "A"),), ((Stat(1.0, 0.5),), (None,)), frozenset({0}))
        >>> Table.from_dict(table.to_dict()) == table
        True
        """
        return cls(
            content["name"],
            content["title"],
            tuple(Column(**column) for column in content["columns"]),
            tuple(tuple(_value(value) for value in row) for row in content["rows"]),
            frozenset(content["rules"]),
        )


def text_of(value: Value, column: Column) -> str:
    """Write a value as its column wants it; nothing where there is none.

    >>> shd = Column("shd", "SHD")
    >>> text_of(Stat(24.25, 2.31), shd), text_of(Stat(24.25), shd), text_of(None, shd), text_of("child", shd)
    ('24.2 ± 2.3', '24.2', '', 'child')
    >>> text_of(1234567, Column("tests", "tests", 0)), text_of(0.5, Column("d", "d", signed=True))
    ('1,234,567', '+0.5')
    """
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, Stat):
        text = _number(value.mean, column)
        if value.spread is None or not text:
            return text
        return f"{text} ± {value.spread:,.{column.digits}f}"
    return _number(value, column)


def _number(value: float, column: Column) -> str:
    if isinstance(value, float) and math.isnan(value):
        return ""
    sign = "+" if column.signed else ""
    text = f"{value:{sign},.{column.digits}f}"
    return text.lstrip("+-") if float(text.replace(",", "")) == 0 else text  # no -0.0


def _plain(value: Value) -> Any:
    if isinstance(value, Stat):
        return {"mean": _finite(value.mean), "spread": value.spread}
    return _finite(value) if isinstance(value, float) else value


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _value(value: Any) -> Value:
    if isinstance(value, dict):
        return Stat(math.nan if value["mean"] is None else value["mean"], value["spread"])
    plain: Value = value
    return plain
