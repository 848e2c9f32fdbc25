"""The blankets of all variables of one sample of a known network, and how far they are from the truth."""

from __future__ import annotations

import math
import time
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from paucal.graphs import markov_blanket
from paucal.independence.native import KernelTest
from paucal.independence.protocol import CITest
from paucal.metrics import blanket_shd
from paucal.paper.cells.graphs import NetworkCell, network_called
from paucal.paper.variants import BLANKETS
from paucal.search.learn import build_test
from paucal.search.local.blanket import found_by

if TYPE_CHECKING:
    from typing import Self

    from paucal.paper.design import Plain


@dataclass(frozen=True)
class BlanketCell(NetworkCell):
    """Causal blankets around every variable; the numbers are means over the variables."""

    kind: ClassVar[str] = "blanket"

    @property
    def cost(self) -> float:
        """Variables cubed, times rows; a test that finds more dependence asks more."""
        n = len(network_called(self.network).names)
        return n**3 * math.sqrt(self.size) * (20.0 if self.search.test.name == "g" else 1.0)

    def compute(self) -> dict[str, Plain]:
        """Sample, learn around each variable, compare."""
        truths = self.truths()
        graph, others = truths.pop(""), truths
        data = self.sample()
        start = time.process_time()
        recipe = self.search.recipe
        test = _OneMemory(build_test(recipe, data))
        sums: Counter[str] = Counter()
        variant = BLANKETS.get(recipe.search)
        for target in graph.nodes:
            found = variant(test, target) if variant else found_by(replace(recipe, target=target), test)
            truth = markov_blanket(graph, target)
            around = {*truth.parents, *truth.children}
            near = {*found.parents, *found.children, *found.undetermined}
            sums["shd"] += blanket_shd(found, graph, target=target)
            sums["shd_cpdag"] += blanket_shd(found, graph, target=target, against="cpdag")
            sums["shd_spouses"] += blanket_shd(found, graph, target=target, spouses=True)
            for name, other in others.items():
                sums[f"shd_{name}"] += blanket_shd(found, other, target=target)
            sums["extra"] += len(near - around)
            sums["missing"] += len(around - near)
            sums["misdirected"] += len({*found.parents} & {*truth.children})
            sums["misdirected"] += len({*found.children} & {*truth.parents})
            sums["misdirected"] += len({*found.undetermined} & around)
            sums["empty"] += len(around)
            sums["tests"] += int(found.result.details.get("tests", found.ledger.n_calls))
        seconds = time.process_time() - start
        n = len(graph.nodes)
        means: dict[str, Plain] = {name: value / n for name, value in sums.items()}
        return {**means, "distinct": test.ledger.n_tests / n, "seconds": round(seconds / n, 6)}


class _OneMemory(KernelTest):
    """One test for all targets: what it has answered once it knows, and is not new again; books are each target's."""

    def __init__(self, test: CITest) -> None:
        vars(self).update(vars(test))

    def with_own_books(self) -> Self:
        return CITest.with_own_books(self)
