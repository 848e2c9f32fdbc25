"""Background knowledge as a graph of DAGitty: every arrow that is drawn must be there, an [outcome] causes nothing.

dag {
  death [outcome]
  smoke -> cancer -> death
}

DAGitty draws one graph, so it has no word for an arrow that must not be there. Positions, exposures and the like are
passed over; a hidden node, or an arrow with two heads, has no place in a table and is refused.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from paucal.errors import GraphError, KnowledgeError
from paucal.graphs.formats.dagitty import dagitty_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paucal.graphs.knowledge import Knowledge

_HINT = 'Write "dag { age -> death; death [outcome] }".'
_OUTCOME = re.compile(r"(^|[,\s])(outcome|o)([,\s]|$)")
_HIDDEN = re.compile(r"(^|[,\s])(latent|unobserved|l|u)([,\s]|$)")


def parts_of_dagitty(text: str) -> dict[str, Any]:
    """Give the arguments of `Knowledge` that a text holds."""
    head, brace, rest = _without_comments(text).partition("{")
    body, end, _ = rest.rpartition("}")
    if not brace or not end or head.split()[:1] != ["dag"]:
        raise KnowledgeError("This is not a DAGitty graph.", hint=_HINT)
    required: list[tuple[str, str]] = []
    outcome: list[str] = []
    for line in re.split(r"[;\n]", body):
        _read(line.strip(), required, outcome)
    return {"required": required, "outcome": outcome}


def _read(line: str, required: list[tuple[str, str]], outcome: list[str]) -> None:
    """Read one statement: a node with what is said of it, or a chain of arrows."""
    line, _, said = line.partition("[")
    # a bounding box, or positions given by name: nothing about causes
    if not line.strip() or re.match(r"(bb|pos|layout)\s*=", line):
        return
    parts = re.split(r"(<->|->|<-|--)", line)
    names = [_name(part.strip()) for part in parts[::2]]
    if len(names) == 1:
        text = said.rpartition("]")[0]
        if _HIDDEN.search(text):
            raise KnowledgeError(f"{names[0]!r} is hidden, and knowledge is about columns.", hint="Leave it out.")
        outcome += names if _OUTCOME.search(text) else []
        return
    for a, sign, b in zip(names, parts[1::2], names[1:], strict=False):
        if sign not in ("->", "<-"):
            raise KnowledgeError(f"{a} {sign} {b} is not an arrow from a cause to an effect.", hint=_HINT)
        required.append((a, b) if sign == "->" else (b, a))


def _name(text: str) -> str:
    if len(text) > 1 and text[0] == text[-1] == '"':
        return text[1:-1]
    if not text or len(text.split()) != 1:
        raise KnowledgeError(f"{text!r} is not the name of a node.", hint="Put names with spaces in double quotes.")
    return text


def _without_comments(text: str) -> str:
    return re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL)


def dagitty_of(known: Knowledge, nodes: Sequence[str] | None) -> str:
    """Write the required arrows and the outcomes; anything else is refused."""
    beyond = [word for word in known.to_dict() if word not in ("required", "outcome")]
    if beyond:
        raise KnowledgeError(f"DAGitty has no words for {', '.join(beyond)}.", hint="Write TOML, or leave them out.")
    names = dict.fromkeys([*(nodes or ()), *known.names])
    lines = [f"  {_quoted(name)}{' [outcome]' if name in known.outcome else ''}" for name in names]
    lines += [f"  {_quoted(a)} -> {_quoted(b)}" for a, b in known.required]
    return "\n".join(["dag {", *lines, "}"]) + "\n"


def _quoted(name: str) -> str:
    try:
        return dagitty_name(name)
    except GraphError as error:
        raise KnowledgeError(error.message, hint=error.hint) from error
