"""What the page asks its reader: facts about direction that would settle most, and arrows that look odd."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paucal.report.tables import LOOKED_THROUGH
from paucal.report.text import text

if TYPE_CHECKING:
    from paucal.data import Dataset
    from paucal.search.result import SearchResult


def asking_section(search: SearchResult, data: Dataset | None) -> str:
    """List the questions, or give nothing if there are none."""
    facts = search.ask(data=data) if search.graph.n <= LOOKED_THROUGH else []
    if not facts:
        return ""
    listed = "".join(f"<li>{text(fact)}</li>" for fact in facts)
    return (
        '<section id="ask"><h2>What to ask</h2><p class="note">Somebody who knows the matter may know what the data '
        f"leave open. Say it as knowledge, and learn again.</p><ul>{listed}</ul></section>"
    )
