"""MMHC: tests choose the pairs that may be joined, a score chooses the arrows among them.

I. Tsamardinos, L. E. Brown, C. F. Aliferis (2006), The max-min hill-climbing Bayesian network structure learning
algorithm, Machine Learning 65: the parents and children of every node (`mmpc.py`), then hill climbing from the empty
graph that may only join such pairs (`hill_climbing.py`). The original climbs with a tabu list of 100 graphs and gives
up after 15 moves without a new best; here that is `tabu=100`, and off unless asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from paucal.data import Dataset
from paucal.data.gaps import refuse_gaps
from paucal.errors import DataError
from paucal.graphs.graph import Graph
from paucal.search.by_scores.choosing import scorer_for
from paucal.search.by_scores.hill_climbing import Rules, climb
from paucal.search.by_tests.limits import Limits
from paucal.search.by_tests.mmpc import Mmpc
from paucal.search.by_tests.orient import completed
from paucal.search.by_tests.skeleton import orders
from paucal.search.evidence.explain import arrow_reasons
from paucal.search.run import Progress, ScoreRun, SearchRun

if TYPE_CHECKING:
    from paucal.graphs.knowledge import Knowledge
    from paucal.independence.protocol import CITest
    from paucal.search.by_scores.scores import ScoreName
    from paucal.search.result import SearchResult


def mmhc(
    test: CITest,
    *,
    data: Any = None,
    knowledge: Knowledge | None = None,
    max_order: int | None = None,
    score: ScoreName = "bdeu",
    ess: float = 10,
    max_parents: int | None = None,
    tabu: int = 0,
    patience: int = 15,
    progress: Progress | None = None,
) -> SearchResult:
    """Learn a CPDAG by max-min hill climbing; `details["dag"]` and `details["score"]` tell of the DAG it found.

    Parameters
    ----------
    test
        Chooses the pairs.
    data
        The data that the score sees, with the columns of the test. Without data, as with an oracle, only the first
        half runs, and the graph has all the chosen pairs as undirected edges.
    knowledge, max_order, progress
        As for `paucal.learn`. With a limit of seconds, the climb may take as long again as the choice of pairs.
    score, ess, max_parents, tabu, patience
        As for `paucal.hill_climb`.
    """
    orders(max_order)  # refuses what is no order
    data = None if data is None else Dataset.of(data)
    if data is not None:
        refuse_gaps(data, "The search 'mmhc'")
    settings = {
        "knowledge": knowledge,
        "max_order": max_order,
        "score": score,
        "ess": ess,
        "max_parents": max_parents,
        "tabu": tabu,
        "patience": patience,
    }
    with SearchRun("mmhc", test, settings=settings, progress=progress) as run:
        limits = Limits.of(knowledge, test.names)
        mmpc = Mmpc(run, limits, max_order)
        chosen = mmpc.all_neighbours()
        if data is None:
            details: dict[str, Any] = {}
            pdag = chosen.astype(np.int8)
            limits.orient(pdag, run.trace)
            graph = Graph.from_pdag_matrix(test.names, pdag, "pdag", check=False)
        else:
            scorer = scorer_for(data, score, ess=ess, knowledge=knowledge, run=run)
            if scorer.names != test.names:
                raise DataError(
                    f"The data have the columns {list(scorer.names)}, the test {list(test.names)}.",
                    hint="Give the data that the test was made of.",
                )
            rules = Rules(limits, chosen, max_parents, tabu, patience)
            summit = climb(scorer, rules, limits.required, ScoreRun(run.budget.max_seconds, progress))
            graph = completed(summit.dag, limits)
            details = summit.details(scorer)
            for (a, b), reason in arrow_reasons(graph, "score", knowledge).items():
                run.trace.mark(test.index(a), test.index(b), reason.rule)
        return run.result(graph, mmpc.separators.named(test.names), details=details)
