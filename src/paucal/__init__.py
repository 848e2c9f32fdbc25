"""paucal: causal discovery from few samples.

Every public name is loaded on first use, so that `import paucal` costs NumPy and nothing more.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from paucal.data import Dataset as Dataset
    from paucal.data import read as read
    from paucal.data.connecting import connect as connect
    from paucal.errors import Interrupted as Interrupted
    from paucal.graphs import Blanket as Blanket
    from paucal.graphs import Graph as Graph
    from paucal.graphs import Knowledge as Knowledge
    from paucal.graphs import Separation as Separation
    from paucal.graphs import d_separated as d_separated
    from paucal.graphs import dag_to_cpdag as dag_to_cpdag
    from paucal.graphs import dag_to_mag as dag_to_mag
    from paucal.graphs import dag_to_pag as dag_to_pag
    from paucal.graphs import m_separated as m_separated
    from paucal.graphs import mag_to_pag as mag_to_pag
    from paucal.graphs import markov_blanket as markov_blanket
    from paucal.graphs import pag_to_mag as pag_to_mag
    from paucal.graphs import pdag_to_dag as pdag_to_dag
    from paucal.independence.answers import CIResult as CIResult
    from paucal.independence.oracle import Oracle as Oracle
    from paucal.independence.protocol import CITest as CITest
    from paucal.independence.registry import ci_test as ci_test
    from paucal.independence.registry import make_test as make_test
    from paucal.inspection import inspect as inspect
    from paucal.inspection import prepare as prepare
    from paucal.metrics import arrowhead_scores as arrowhead_scores
    from paucal.metrics import blanket_shd as blanket_shd
    from paucal.metrics import differences as differences
    from paucal.metrics import edge_counts as edge_counts
    from paucal.metrics import pag_shd as pag_shd
    from paucal.metrics import shd as shd
    from paucal.metrics import skeleton_scores as skeleton_scores
    from paucal.networks import BayesNet as BayesNet
    from paucal.networks import load_network as load_network
    from paucal.networks import read_bif as read_bif
    from paucal.networks import tile as tile
    from paucal.networks import write_bif as write_bif
    from paucal.networks.examples import load_example as load_example
    from paucal.planning import power as power
    from paucal.report import write_comparison as write_comparison
    from paucal.report import write_report as write_report
    from paucal.search.bootstrap import bootstrap as bootstrap
    from paucal.search.by_scores.hill_climbing import hill_climb as hill_climb
    from paucal.search.by_scores.missing import impute as impute
    from paucal.search.by_scores.scores import score as score
    from paucal.search.catalogue import search_names as search_names
    from paucal.search.estimators import CFCI as CFCI
    from paucal.search.estimators import CMB as CMB
    from paucal.search.estimators import FCI as FCI
    from paucal.search.estimators import MMHC as MMHC
    from paucal.search.estimators import MMPC as MMPC
    from paucal.search.estimators import PC as PC
    from paucal.search.estimators import RAI as RAI
    from paucal.search.estimators import SCPC as SCPC
    from paucal.search.estimators import Bootstrap as Bootstrap
    from paucal.search.estimators import HillClimbing as HillClimbing
    from paucal.search.estimators import Order as Order
    from paucal.search.estimators import PCStable as PCStable
    from paucal.search.estimators import Posterior as Posterior
    from paucal.search.learn import learn as learn
    from paucal.search.local.blanket import blanket as blanket
    from paucal.search.local.blanket import blankets as blankets
    from paucal.search.local.result import BlanketResult as BlanketResult
    from paucal.search.recipe import Recipe as Recipe
    from paucal.search.result import SearchResult as SearchResult
    from paucal.tables import Table as Table

__version__ = "0.1.0"

# module -> the public names that live in it
_MODULES = {
    "data": "Dataset read",
    "data.connecting": "connect",
    "errors": "Interrupted",
    "graphs": "Blanket Graph Knowledge Separation d_separated dag_to_cpdag dag_to_mag dag_to_pag m_separated "
    "mag_to_pag markov_blanket pag_to_mag pdag_to_dag",
    "independence.answers": "CIResult",
    "independence.oracle": "Oracle",
    "independence.protocol": "CITest",
    "independence.registry": "ci_test make_test",
    "inspection": "inspect prepare",
    "metrics": "arrowhead_scores blanket_shd differences edge_counts pag_shd shd skeleton_scores",
    "networks": "BayesNet load_network read_bif tile write_bif",
    "networks.examples": "load_example",
    "planning": "power",
    "report": "write_comparison write_report",
    "search.bootstrap": "bootstrap",
    "search.by_scores.hill_climbing": "hill_climb",
    "search.by_scores.missing": "impute",
    "search.by_scores.scores": "score",
    "search.catalogue": "search_names",
    "search.estimators": "Bootstrap CFCI CMB FCI HillClimbing MMHC MMPC Order PC PCStable Posterior RAI SCPC",
    "search.learn": "learn",
    "search.local.blanket": "blanket blankets",
    "search.local.result": "BlanketResult",
    "search.recipe": "Recipe",
    "search.result": "SearchResult",
    "tables": "Table",
}
_HOMES = {name: f"paucal.{module}" for module, names in _MODULES.items() for name in names.split()}
__all__ = ["__version__", *sorted(_HOMES)]  # noqa: PLE0604 - the names are strings by construction


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        globals()[name] = value = getattr(import_module(_HOMES[name]), name)  # looked for once
        return value
    msg = f"module 'paucal' has no attribute {name!r}"
    raise AttributeError(msg)


def __dir__() -> list[str]:
    return sorted(__all__)
