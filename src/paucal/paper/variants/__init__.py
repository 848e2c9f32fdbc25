"""Searches as published programs run them, by name: what only the tables of the paper need.

* `fixrai.py`     RAI of the FixRAI program: its graph and its count of tests
* `pc_stable.py`  PC-stable with bnlearn's count
* `cfci.py`       conservative FCI of the causal-graphs toolbox
* `cmb.py`        CMB as published and coded, around a target

Those for whole graphs are functions of a finished test and options, as the searches of `paucal.search` are. Each has
its program's count of tests in `details["tests"]`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from paucal.paper.variants.cfci import cfci
from paucal.paper.variants.cmb import cmb
from paucal.paper.variants.fixrai import fixrai
from paucal.paper.variants.pc_stable import pc_stable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from paucal.search.local.result import BlanketResult
    from paucal.search.result import SearchResult

SEARCHES: Mapping[str, Callable[..., SearchResult]] = {
    "fixrai": fixrai,
    "pc-stable-bnlearn": pc_stable,
    "cfci-published": cfci,
}
BLANKETS: Mapping[str, Callable[..., BlanketResult]] = {"cmb-published": cmb}
