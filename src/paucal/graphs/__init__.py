"""Graphs: what searches return, what they are compared with, and the algorithms on them."""

from paucal.graphs.graph import Graph as Graph
from paucal.graphs.marks import Edge as Edge
from paucal.graphs.marks import Mark as Mark
