"""Fitted networks for other programs: pgmpy and pyAgrum, each imported when it is asked for.

Names and levels stay as they are; tests compare the distributions of all nodes.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import numpy as np

from paucal import checks
from paucal.errors import MissingDependencyError
from paucal.networks.bayesnet import BayesNet

if TYPE_CHECKING:
    from collections.abc import Sequence

_NETWORK = "a BayesNet"


def to_pgmpy(net: BayesNet) -> Any:
    """Give a network as pgmpy's `DiscreteBayesianNetwork`.

    Parameters
    ----------
    net
        The network, such as `result.network(data)`.
    """
    checks.instance("net", net, BayesNet, _NETWORK)
    try:
        from pgmpy.factors.discrete import TabularCPD
        from pgmpy.models import DiscreteBayesianNetwork
    except ImportError as error:
        raise MissingDependencyError("pgmpy is not installed.", hint="Install it: pip install pgmpy.") from error
    model = DiscreteBayesianNetwork(list(net.graph.arcs()))
    model.add_nodes_from(net.names)
    for node in net.names:
        parents, table = net.parents(node), net.cpts[node]
        states = {v: list(net.levels[v]) for v in (node, *parents)}
        columns = table.reshape(-1, table.shape[-1]).T  # pgmpy: a column per configuration, the last parent fastest
        sizes = [len(net.levels[v]) for v in parents]
        model.add_cpds(TabularCPD(node, len(net.levels[node]), columns, list(parents), sizes, state_names=states))
    model.check_model()
    return model


def to_pyagrum(net: BayesNet) -> Any:
    """Give a network as pyAgrum's `BayesNet`.

    Parameters
    ----------
    net
        The network, such as `result.network(data)`.
    """
    checks.instance("net", net, BayesNet, _NETWORK)
    try:
        gum: Any = importlib.import_module("pyagrum")
    except ImportError as error:
        raise MissingDependencyError("pyAgrum is not installed.", hint="Install it: pip install pyagrum.") from error
    made = gum.BayesNet(net.name)
    for node in net.names:
        made.add(gum.LabelizedVariable(node, node, list(net.levels[node])))
    for node in net.names:
        for parent in net.parents(node):
            made.addArc(parent, node)
    for node in net.names:
        made.cpt(node)[:] = _in_order(net, node, made.cpt(node).names)
    return made


def _in_order(net: BayesNet, node: str, names: Sequence[str]) -> Any:
    """Give a table with its axes as pyAgrum has them: it names the node first and counts the last name first."""
    own = (*net.parents(node), node)
    return np.ascontiguousarray(net.cpts[node].transpose([own.index(name) for name in reversed(names)]))
