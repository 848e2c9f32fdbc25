"""A graph or a network from whatever names it: the catalogue, a BIF file, or JSON that paucal wrote."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from paucal.errors import FileError, GraphError, UnknownNameError
from paucal.graphs.graph import Graph
from paucal.graphs.json_head import parse_json
from paucal.networks.bif import read_bif
from paucal.networks.catalogue import load_network

if TYPE_CHECKING:
    from paucal.networks.bayesnet import BayesNet

_HINT = "Give a graph that paucal wrote as JSON."


def find_network(source: str) -> BayesNet:
    """Load a network from the catalogue by name, or from a BIF file by path."""
    if "/" in source or "\\" in source or source.lower().endswith((".bif", ".bif.gz", ".gz")):
        return read_bif(source)
    try:
        return load_network(source)
    except UnknownNameError as error:
        hint = f"{error.hint} A file would be named with its ending, such as {source}.bif."
        raise UnknownNameError(error.message, hint=hint) from None


def find_graph(source: str) -> Graph:
    """Load a graph: from a network as `find_network` does, or from JSON with a graph or the result of a search."""
    if not source.lower().endswith(".json"):
        return find_network(source).graph
    content = _parsed(_text_of(source), source)
    if isinstance(content, dict) and isinstance(content.get("graph"), dict):
        content = content["graph"]
    if not isinstance(content, dict):
        raise GraphError(f"{source} holds no graph.", hint=_HINT)
    return Graph.from_dict(content)


def result_in(source: str) -> str | None:
    """Give the text of a JSON file that holds the result of a search; None if it holds anything else."""
    if not source.lower().endswith(".json"):
        return None
    text = _text_of(source)
    content = _parsed(text, source)
    return text if isinstance(content, dict) and {"graph", "evidence", "recipe"} <= content.keys() else None


def _text_of(source: str) -> str:
    try:
        return Path(source).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise GraphError(f"{source} is not UTF-8 text.", hint=_HINT) from None
    except OSError as error:
        raise FileError(f"{source} cannot be read: {error.strerror}.", hint="Check the path.") from error


def _parsed(text: str, source: str) -> Any:
    try:
        return parse_json(text)
    except GraphError as error:
        raise error.within(source) from error
