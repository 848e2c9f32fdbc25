"""Graphs: what searches return, what they are compared with, and the algorithms on them.

* `graph.py`        Graph; `building.py` how it is checked, `relations.py` what one can ask it, `validity.py` what is
  wrong with it, `blanket.py` what is around a node
* `marks.py`        marks in matrices; `language.py` names and edges as text
* `bits.py`         sets of nodes as bits, who leads to whom; `acyclic.py` order, cycles, descendants
* `equivalence.py`  DAGs and their classes; `separation.py` d- and m-separation; `projection.py` hidden nodes
* `interventional.py`  classes of DAGs when columns were set
* `knowledge.py`    what is known beforehand; `sentences.py` what was said, cleaned
* `rules/`          what follows: `meek.py`, `ancestral.py` for PAGs, `background.py` for knowledge
* `drawing/`, `formats/`, `json_head.py`  pictures and files

Every name is loaded on first use, so that a search loads no drawings and no formats. Examples take
`from paucal import Graph` for granted.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from paucal.graphs.blanket import Blanket as Blanket
    from paucal.graphs.blanket import markov_blanket as markov_blanket
    from paucal.graphs.drawing.latex import to_latex as to_latex
    from paucal.graphs.drawing.svg import to_html as to_html
    from paucal.graphs.drawing.svg import to_svg as to_svg
    from paucal.graphs.equivalence import dag_to_cpdag as dag_to_cpdag
    from paucal.graphs.equivalence import markov_equivalent as markov_equivalent
    from paucal.graphs.equivalence import pdag_to_dag as pdag_to_dag
    from paucal.graphs.equivalence import v_structures as v_structures
    from paucal.graphs.formats.dagitty import to_dagitty as to_dagitty
    from paucal.graphs.formats.exact import read_exact as read_exact
    from paucal.graphs.formats.export import from_networkx as from_networkx
    from paucal.graphs.formats.export import from_tetrad as from_tetrad
    from paucal.graphs.formats.export import to_dot as to_dot
    from paucal.graphs.formats.export import to_edge_csv as to_edge_csv
    from paucal.graphs.formats.export import to_edge_list as to_edge_list
    from paucal.graphs.formats.export import to_gml as to_gml
    from paucal.graphs.formats.export import to_graphml as to_graphml
    from paucal.graphs.formats.export import to_matrix_csv as to_matrix_csv
    from paucal.graphs.formats.export import to_mermaid as to_mermaid
    from paucal.graphs.formats.export import to_networkx as to_networkx
    from paucal.graphs.formats.export import to_tetrad as to_tetrad
    from paucal.graphs.graph import Graph as Graph
    from paucal.graphs.interventional import interventional_class as interventional_class
    from paucal.graphs.knowledge import NO_KNOWLEDGE as NO_KNOWLEDGE
    from paucal.graphs.knowledge import Knowledge as Knowledge
    from paucal.graphs.language import Edge as Edge
    from paucal.graphs.marks import Mark as Mark
    from paucal.graphs.projection import dag_to_mag as dag_to_mag
    from paucal.graphs.projection import dag_to_pag as dag_to_pag
    from paucal.graphs.projection import mag_to_pag as mag_to_pag
    from paucal.graphs.projection import pag_to_mag as pag_to_mag
    from paucal.graphs.rules.background import orient_by_knowledge as orient_by_knowledge
    from paucal.graphs.rules.meek import meek_closure as meek_closure
    from paucal.graphs.separation import Separation as Separation
    from paucal.graphs.separation import d_separated as d_separated
    from paucal.graphs.separation import m_separated as m_separated

# module of this package -> the names that live in it
_MODULES = {
    "blanket": "Blanket markov_blanket",
    "drawing.latex": "to_latex",
    "drawing.svg": "to_html to_svg",
    "equivalence": "dag_to_cpdag markov_equivalent pdag_to_dag v_structures",
    "formats.dagitty": "to_dagitty",
    "formats.exact": "read_exact",
    "formats.export": "from_networkx from_tetrad to_dot to_edge_csv to_edge_list to_gml to_graphml to_matrix_csv"
    " to_mermaid to_networkx to_tetrad",
    "graph": "Graph",
    "interventional": "interventional_class",
    "knowledge": "NO_KNOWLEDGE Knowledge",
    "language": "Edge",
    "marks": "Mark",
    "projection": "dag_to_mag dag_to_pag mag_to_pag pag_to_mag",
    "rules.background": "orient_by_knowledge",
    "rules.meek": "meek_closure",
    "separation": "Separation d_separated m_separated",
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names.split()}
__all__ = sorted(_HOMES)  # noqa: PLE0605 - the names are strings by construction


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"paucal.graphs.{_HOMES[name]}"), name)
    msg = f"module 'paucal.graphs' has no attribute {name!r}"
    raise AttributeError(msg)
