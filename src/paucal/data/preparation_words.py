"""A preparation in plain words, and as TOML with the reasons as comments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from paucal.data.discretize import interval_labels
from paucal.errors import listing, short
from paucal.toml_text import path_of, toml_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from paucal.data.preparation import Preparation

_SHOWN = 6  # values that are named one by one

_HEAD = """\
# How the table is prepared before anything is learned from it. Edit it as you like, then give it to any command:
#   paucal learn FILE --recipe THIS_FILE
# To bring a column back, delete its line under leave_out; if it names the rows, also say what it is, under
# [preparation.kinds]: zip = "levels".
"""

_MISSING = {
    "keep": "they are kept, and searches allow for them",
    "drop": "rows with a missing value are left out",
    "level": "a missing value counts as a level of its own",
}


def in_words(how: Preparation) -> str:
    """Say what a preparation does, one line for each column it touches."""
    parts = [how.why["table"]] if how.why.get("table") else []
    parts += _part("Left out:", {name: why or "as you said" for name, why in how.leave_out.items()})
    parts += _part("Made missing:", {name: _values(labels) for name, labels in how.no_answer.items()})
    parts += _part(
        "Levels put together:",
        {
            name: "; ".join(f"{label!r} from {_values(members)}" for label, members in groups.items())
            for name, groups in how.merge.items()
        },
    )
    parts += _part("Levels put in order:", {name: _values(labels) for name, labels in how.order.items()})
    kinds = {name: _with_reason(kind, how.why.get(f"kinds.{name}")) for name, kind in how.kinds.items()}
    if isinstance(how.discretize, Mapping):
        kinds = {name: text for name, text in kinds.items() if name not in how.discretize}
        cuts = {name: _cut(rule, how.why.get(f"kinds.{name}")) for name, rule in how.discretize.items()}
        parts += _part("Numbers cut:", cuts)
    elif how.discretize is not None:
        parts.append(f"Numbers cut: {how.discretize}")
    parts += _part("Taken as:", kinds)
    if how.missing in _MISSING:
        parts.append(f"Missing values: {how.why.get('missing') or _MISSING[how.missing]}.")
    parts += [f"{how.why[part][0].upper()}{how.why[part][1:]}." for part in ("levels", "rows") if how.why.get(part)]
    if how.weights is not None:
        parts.append(f"{how.weights} says how many rows each row stands for.")
    if how.repeats is not None and not how.why.get("rows"):
        parts.append(f"Rows with the same value of {how.repeats} belong together.")
    if how.drop_unobserved:
        parts.append("Declared levels that no row has are forgotten.")
    return "\n".join(parts) or "Nothing is done to the table."


def in_short(how: Preparation) -> str | None:
    """Say in one line what a preparation changes; None if it changes nothing."""
    parts = [f"left out: {listing(how.leave_out, _SHOWN)}"] if how.leave_out else []
    if isinstance(how.discretize, Mapping) and how.discretize:
        parts.append(f"numbers cut into intervals: {listing(how.discretize, _SHOWN)}")
    elif how.discretize:
        parts.append(f"numbers cut by {how.discretize}")
    odd = [name for name in how.no_answer if f"no_answer.{name}" in how.why]
    if answers := [name for name in how.no_answer if name not in odd]:
        parts.append(f"no answers made missing: {listing(answers, _SHOWN)}")
    if odd:
        told = [f"{name} ({how.why[f'no_answer.{name}'].removeprefix('no numbers: ')})" for name in odd]
        parts.append(f"entries that are no numbers made missing: {listing(told, _SHOWN)}")
    if how.merge:
        parts.append(f"rare levels, or spellings of one level, put together: {listing(how.merge, _SHOWN)}")
    parts += [how.why[part] for part in ("missing", "levels", "rows") if how.why.get(part)]
    if not parts:
        return None
    return "; ".join([how.why.get("table", "The table was prepared.").rstrip("."), *parts]) + "."


def as_toml(how: Preparation) -> str:
    """Write a recipe that holds nothing but a preparation."""
    reasons = {path_of("preparation", *key.split(".", 1)): why for key, why in how.why.items() if key != "table"}
    head = _HEAD + (f"#\n# {how.why['table']}\n" if how.why.get("table") else "")
    content = {"preparation": how.said or {"missing": "error"}}
    return head + "\n" + toml_of(content, comments=reasons).lstrip("\n")


def _part(title: str, lines: Mapping[str, str]) -> list[str]:
    if not lines:
        return []
    width = min(30, max(map(len, lines)))
    return [title, *(f"  {name:<{width}}  {text}" for name, text in lines.items())]


def _values(labels: Iterable[Any]) -> str:
    return listing([short(label, 30) for label in labels], _SHOWN)


def _with_reason(text: str, why: str | None) -> str:
    return f"{text} ({why})" if why else text


def _cut(rule: Any, why: str | None) -> str:
    if isinstance(rule, str):
        return _with_reason(rule, why)
    return _with_reason(f"into {', '.join(interval_labels(rule))}", why)
