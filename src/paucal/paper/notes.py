"""What the reports say beside their numbers, from `notes.toml`, and the paper's slips of arithmetic."""

from __future__ import annotations

from functools import cache
from typing import Literal

from paucal.paper import published
from paucal.paper.files import read_toml


@cache
def texts(kind: Literal["note", "remark"]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Give all notes or remarks, each with the experiments it bears on."""
    content = read_toml("notes.toml")
    groups: dict[str, list[str]] = content["groups"]
    return tuple(
        (" ".join(entry["text"].split()), tuple(name for on in entry["on"] for name in groups.get(on, [on])))
        for entry in content[kind]
    )


def notes_for(experiment: str, *, supplement: bool = False) -> tuple[str, ...]:
    """Give the notes of an experiment, and on the supplement's samples, and the paper's slips in its table."""
    wanted = {experiment, "supplement"} if supplement else {experiment}
    found = [text for text, names in texts("note") if wanted & {*names}]
    for slip in published.slips():
        if experiment == f"table{slip.table}":
            found.append(str(slip))
        elif slip.table == 2 and experiment == {"shd": "table4", "tests": "table10"}[slip.measure]:
            found.append(f"{slip} The printed mean is reused here.")
    return tuple(found)


def remarks_on(experiment: str) -> tuple[str, ...]:
    """Give the remarks on an experiment."""
    return tuple(text for text, names in texts("remark") if experiment in names)
