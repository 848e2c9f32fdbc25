"""Background knowledge as text, in the forms that people have it in: what a text holds tells its form.

"toml" is our own and holds everything. "tetrad" is what Tetrad saves, "dagitty" a graph drawn with DAGitty, "whitelist"
and "blacklist" are the two-column tables of bnlearn; these have fewer words, and a writer says what they cannot hold.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from paucal import checks
from paucal.graphs.formats.knowledge_dagitty import dagitty_of, parts_of_dagitty
from paucal.graphs.formats.knowledge_lists import blacklist_of, parts_of_blacklist, parts_of_whitelist, whitelist_of
from paucal.graphs.formats.knowledge_tetrad import parts_of_tetrad, tetrad_of
from paucal.graphs.formats.knowledge_toml import parts_of_toml, toml_of_knowledge

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from paucal.graphs.knowledge import Knowledge

READERS: dict[str, Callable[[str], dict[str, Any]]] = {
    "toml": parts_of_toml,
    "tetrad": parts_of_tetrad,
    "dagitty": parts_of_dagitty,
    "whitelist": parts_of_whitelist,
    "blacklist": parts_of_blacklist,
}
WRITERS: dict[str, Callable[[Knowledge, Sequence[str] | None], str]] = {
    "toml": toml_of_knowledge,
    "tetrad": tetrad_of,
    "dagitty": dagitty_of,
    "whitelist": whitelist_of,
    "blacklist": blacklist_of,
}
_HEADS = {"tetrad": re.compile(r"\s*/knowledge\b", re.IGNORECASE), "dagitty": re.compile(r"\s*dag\b[^{=]*\{")}


def parts_of_text(text: str, form: str | None = None) -> dict[str, Any]:
    """Give the arguments of `Knowledge` that a text holds; without a form its beginning tells."""
    if form is None:
        form = next((name for name, head in _HEADS.items() if head.match(text)), "toml")
    return READERS[checks.known("form of knowledge", form, READERS)](text)


def text_of(known: Knowledge, form: str, nodes: Sequence[str] | None) -> str:
    """Write knowledge; what is said of a column and all others needs to know the others."""
    return WRITERS[checks.known("form of knowledge", form, WRITERS)](known, nodes)
