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
_NO_NUMBERS = "no numbers: "  # how the reason begins for entries in a column of numbers

_HEAD = """\
# How the table is prepared before anything is learned from it. Edit it as you like, then give it to any command:
#   paucal learn FILE --recipe THIS_FILE
# To bring a column back, delete its line under leave_out; if it names the rows, also say what it is, under
# [preparation.kinds]: zip = "levels".
"""

_NOTES = (
    "levels",
    "counts",
    "total",
    "note",
    "pasted",
    "computed",
    "one-hot",
    "follow-up",
    "rows",
    "alone",
)  # reasons that are about no single entry

_MISSING = {
    "keep": "they are kept, and searches allow for them",
    "drop": "rows with a missing value are left out",
    "level": "a missing value counts as a level of its own",
}


def in_words(how: Preparation) -> str:
    """Say what a preparation does, one line for each column it touches."""
    lines = [line for title, columns in done(how) for line in (_part(f"{title}:", columns) if columns else [title])]
    return "\n".join(lines) or "Nothing is done to the table."


def done(how: Preparation) -> list[tuple[str, Mapping[str, str]]]:
    """Give what a preparation does: titles with what is done to each column, and sentences about the whole table."""
    made_missing = {
        name: how.why.get(f"no_answer.{name}", _values(labels)).removeprefix(_NO_NUMBERS)
        for name, labels in how.no_answer.items()
    }
    together = {
        name: "; ".join(f"{label!r} from {_values(members)}" for label, members in groups.items())
        for name, groups in how.merge.items()
    }
    kinds = {name: _with_reason(kind, how.why.get(f"kinds.{name}")) for name, kind in how.kinds.items()}
    rules = how.discretize if isinstance(how.discretize, Mapping) else {}
    by_column: list[tuple[str, Mapping[str, str]]] = [
        ("Left out", {name: why or "as you said" for name, why in how.leave_out.items()}),
        ("Made missing", made_missing),
        ("Levels put together", together),
        ("Levels put in order", {name: _values(labels) for name, labels in how.order.items()}),
        ("Numbers cut", {name: _cut(rule, how.why.get(f"kinds.{name}")) for name, rule in rules.items()}),
        ("Taken as", {name: text for name, text in kinds.items() if name not in rules}),
    ]
    after = [f"Numbers cut: {how.discretize}"] if how.discretize is not None and not rules else []
    after += [f"Missing values: {how.why.get('missing') or _MISSING[how.missing]}."] if how.missing in _MISSING else []
    notes = [how.why[part] for part in _NOTES if how.why.get(part)]
    after += [f"{note[0].upper()}{note[1:]}." for note in notes]
    after += [f"{how.weights} says how many rows each row stands for."] if how.weights is not None else []
    if how.repeats is not None and not (how.why.get("rows") or how.why.get("alone")):
        after.append(f"Rows with the same value of {how.repeats} belong together.")
    after += ["Declared levels that no row has are dropped."] if how.drop_unobserved else []
    before = [how.why["table"]] if how.why.get("table") else []
    told = [(title, columns) for title, columns in by_column if columns]
    return [*((sentence, {}) for sentence in before), *told, *((sentence, {}) for sentence in after)]


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
        told = [f"{name} ({how.why[f'no_answer.{name}'].removeprefix(_NO_NUMBERS)})" for name in odd]
        parts.append(f"entries that are not numbers made missing: {listing(told, _SHOWN)}")
    if how.merge:
        parts.append(f"rare levels, or spellings of one level, put together: {listing(how.merge, _SHOWN)}")
    parts += [how.why[part] for part in ("missing", *_NOTES) if how.why.get(part)]
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
