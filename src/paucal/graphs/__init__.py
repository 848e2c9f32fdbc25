"""Graphs: what searches return, what they are compared with, and the algorithms on them."""

from paucal.graphs.blanket import Blanket as Blanket
from paucal.graphs.blanket import markov_blanket as markov_blanket
from paucal.graphs.equivalence import dag_to_cpdag as dag_to_cpdag
from paucal.graphs.equivalence import markov_equivalent as markov_equivalent
from paucal.graphs.equivalence import pdag_to_dag as pdag_to_dag
from paucal.graphs.equivalence import v_structures as v_structures
from paucal.graphs.graph import Graph as Graph
from paucal.graphs.knowledge import NO_KNOWLEDGE as NO_KNOWLEDGE
from paucal.graphs.knowledge import Knowledge as Knowledge
from paucal.graphs.marks import Edge as Edge
from paucal.graphs.marks import Mark as Mark
from paucal.graphs.meek import meek_closure as meek_closure
from paucal.graphs.projection import dag_to_mag as dag_to_mag
from paucal.graphs.projection import dag_to_pag as dag_to_pag
from paucal.graphs.projection import mag_to_pag as mag_to_pag
from paucal.graphs.projection import pag_to_mag as pag_to_mag
from paucal.graphs.separation import Separation as Separation
from paucal.graphs.separation import d_separated as d_separated
from paucal.graphs.separation import m_separated as m_separated
