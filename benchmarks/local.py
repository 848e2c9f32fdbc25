"""Blankets of all targets: tests per target and CPU time, beside the paper's numbers and beside one global run.

Run `python benchmarks/local.py`. Data are sampled anew (one sample per size), the level is 0.05, subsets have at most
3 members. Tests per target are means over all targets. Those of the reference, CMB as published, are counted as the
paper did, as if nothing were remembered between sub-searches; ours as asked, with the distinct ones in brackets.
The global run is one run of pc-stable with the same test, which finds all blankets at once. The last row of each size
of ALARM is the G test of Causal-Learner, which takes thin tables for dependent, as the paper's own baseline seems to
do. On HAILFINDER that takes minutes, and 15 million tests per target if nothing is remembered.
"""

from __future__ import annotations

import sys
import time
from statistics import fmean
from typing import TYPE_CHECKING, Any, NamedTuple

import paucal
from paucal.paper import published
from paucal.paper.variants.cmb import cmb

if TYPE_CHECKING:
    from collections.abc import Callable

SEED = 1


class Row(NamedTuple):
    """A test, its options, and the name of the paper's column."""

    title: str
    test: str
    options: dict[str, Any]
    printed: str


ROWS = [
    Row("mi-eb", "mi-eb", {}, "cmb-I^eB"),
    Row("bf-chi2", "bf-chi2", {}, "cmb-BF_chi2"),
    Row("g", "g", {}, "CMB"),
]
THIN = Row("g, thin = dependent", "g", {"convention": "causal-learner"}, "CMB")


def main() -> None:
    print(f"paucal {paucal.__version__}, Python {sys.version.split()[0]}, one thread\n")
    print(f"{'':<42}{'tests per target':^40}{'all targets, CPU':^22}{'pc-stable, once':^20}")
    print(
        f"{'network':<12}{'rows':>6}  {'test':<22}"
        f"{'paper':>10}{'reference':>12}{'repaired':>18}{'reference':>12}{'repaired':>10}{'tests':>10}{'CPU':>10}"
    )
    for network in ("alarm", "hailfinder"):
        net = paucal.load_network(network)
        for size in published.SIZES[network]:
            data = net.sample(size, seed=SEED)
            for row in [*ROWS, THIN] if network == "alarm" else ROWS:
                print(f"{network:<12}{size:>6}  {row.title:<22}{line(network, size, data, row)}", flush=True)


def line(network: str, size: int, data: paucal.Dataset, row: Row) -> str:
    printed = published.LOCAL.value("tests", network, size, row.printed)
    options: dict[str, Any] = {"test": row.test, "test_options": row.options}
    reference, reference_cpu = timed(
        lambda: [cmb(paucal.make_test(data, row.test, **row.options), target) for target in data.names]
    )
    repaired, repaired_cpu = timed(lambda: paucal.blankets(data, **options))
    whole, whole_cpu = timed(lambda: paucal.learn(data, "pc-stable", max_order=3, **options))
    as_in_paper = fmean(found.result.details["tests"] for found in reference)
    asked = fmean(found.ledger.n_calls for found in repaired.values())
    distinct = fmean(found.ledger.n_tests for found in repaired.values())
    return (
        f"{printed.mean if printed else float('nan'):>10,.0f}{as_in_paper:>12,.0f}"
        f"{f'{asked:,.0f} ({distinct:,.0f})':>18}{reference_cpu:>10.2f} s{repaired_cpu:>8.2f} s"
        f"{whole.ledger.n_calls:>10,}{whole_cpu:>8.3f} s"
    )


def timed(call: Callable[[], Any]) -> tuple[Any, float]:
    start = time.process_time()
    return call(), time.process_time() - start


if __name__ == "__main__":
    main()
