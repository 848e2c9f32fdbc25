"""Plain values as TOML: what the standard library reads and does not write."""

from __future__ import annotations

from datetime import date, datetime, time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


def toml_of(content: Mapping[str, Any], head: str = "", *, comments: Mapping[str, str] | None = None) -> str:
    """Write plain values as TOML: tables after everything else.

    `comments` are written behind entries, which are named by their path, such as `"preparation.missing"`.

    >>> print(toml_of({"seed": 1, "test": {"name": "g"}}, comments={"test.name": "by likelihood"}))
    seed = 1
    <BLANKLINE>
    [test]
    name = "g"  # by likelihood
    <BLANKLINE>
    """
    said = comments or {}
    tables = {key: value for key, value in content.items() if isinstance(value, dict)}
    lines = [f"[{head}]"] if head else []
    for key, value in content.items():
        if key not in tables:
            comment = said.get(f"{head}.{_key(key)}" if head else _key(key), "")
            lines.append(f"{_key(key)} = {inline(value)}" + (f"  # {_one_line(comment)}" if comment else ""))
    inner = [
        toml_of(value, f"{head}.{_key(key)}" if head else _key(key), comments=comments) for key, value in tables.items()
    ]
    if head and len(lines) == 1 and inner:
        return "\n".join(inner)  # a table of tables alone needs no head of its own
    return "\n".join(["\n".join(lines) + "\n", *inner])


def path_of(*names: str) -> str:
    """Name an entry as `comments` of `toml_of` does."""
    return ".".join(map(_key, names))


def _key(name: str) -> str:
    bare = name.isascii() and name.replace("_", "").replace("-", "").isalnum()
    return name if bare else inline(name)


def inline(value: Any) -> str:
    """Write one value on one line.

    >>> inline({"visit 1": ["age", "sex"]})
    '{"visit 1" = ["age", "sex"]}'
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(inline, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_key(key)} = {inline(one)}' for key, one in value.items())}}}"
    if isinstance(value, date | datetime | time):
        return value.isoformat()
    if isinstance(value, str):
        return '"' + "".join(_escaped(sign) for sign in value) + '"'
    return repr(value)


def _escaped(sign: str) -> str:
    if sign in '"\\':
        return f"\\{sign}"
    return sign if sign.isprintable() else f"\\U{ord(sign):08x}"


def _one_line(comment: str) -> str:
    return "".join(sign if sign.isprintable() else " " for sign in comment)
