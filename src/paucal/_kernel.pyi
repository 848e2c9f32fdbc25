# Types of the native kernel (sources in src/kernel).

from collections.abc import Sequence
from enum import Enum
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

_Codes: TypeAlias = NDArray[np.uint8] | NDArray[np.uint16] | NDArray[np.uint32]
_Index: TypeAlias = NDArray[np.uint32]
_Bytes: TypeAlias = NDArray[np.uint8]
_Real: TypeAlias = NDArray[np.float64]

# statistic, dof, p_value, threshold, nearness, observed strata, decision, flags
_Outcome: TypeAlias = tuple[float, float, float, float, float, int, int, int]
_Outcomes: TypeAlias = tuple[_Real, _Real, _Real, _Real, _Real, _Index, _Bytes, _Bytes]
# calls, fresh questions, unreliable among them, undecidable among them
_Tally: TypeAlias = tuple[int, int, int, int]

def isa() -> str: ...
def use_isa(name: str) -> bool: ...
def chi2_sf(statistic: float, dof: float) -> float: ...

# `counts` lists the positive ones, `cells` counts the empty ones too.
def alpha_star(counts: _Index, cells: float) -> float: ...

class Columns:
    def __init__(self, columns: Sequence[_Codes], states: Sequence[int], rows: int) -> None: ...
    def count(
        self, x: int, y: int, given: tuple[int, ...]
    ) -> tuple[_Index, _Index, _Index, _Index, _Index]: ...

class DofRule(Enum):
    full = ...
    nonempty = ...
    adjusted = ...

class Sparse(Enum):
    test = ...
    independent = ...
    undecidable = ...

class ZeroRule(Enum):
    limit = ...
    drop = ...
    nought = ...

class Conditional(Enum):
    stratum = ...
    joint = ...
    pooled = ...

class Threshold:
    @staticmethod
    def fixed(value: float) -> Threshold: ...
    @staticmethod
    def spec() -> Threshold: ...
    @staticmethod
    def calibrated(
        levels: _Real,
        first_ratio: float,
        step: float,
        mean: _Real,
        deviation: _Real,
        quantile: _Real,
        normal: float,
    ) -> Threshold: ...

class Tester:
    @staticmethod
    def g(
        columns: Columns, alpha: float, df: DofRule, sparse: Sparse, least: float, per_dof: bool
    ) -> Tester: ...
    @staticmethod
    def chi2(
        columns: Columns, alpha: float, df: DofRule, sparse: Sparse, least: float, per_dof: bool
    ) -> Tester: ...
    @staticmethod
    def bf(
        columns: Columns,
        prior: float,
        log_eta: float,
        stripped: bool,
        strict: bool,
        sparse: Sparse,
        least: float,
    ) -> Tester: ...
    @staticmethod
    def bf_chi2(
        columns: Columns,
        alpha: float,
        prior: float,
        zero: ZeroRule,
        reduced: bool,
        df: DofRule,
        sparse: Sparse,
        least: float,
        per_dof: bool,
    ) -> Tester: ...
    @staticmethod
    def mi(columns: Columns, threshold: Threshold, sparse: Sparse, least: float) -> Tester: ...
    @staticmethod
    def mi_eb(
        columns: Columns, threshold: Threshold, conditional: Conditional, sparse: Sparse, least: float
    ) -> Tester: ...
    @staticmethod
    def mi_fixed(
        columns: Columns,
        threshold: Threshold,
        conditional: Conditional,
        prior: float,
        shared: bool,
        sparse: Sparse,
        least: float,
    ) -> Tester: ...
    @staticmethod
    def mi_full(
        columns: Columns, threshold: Threshold, conditional: Conditional, sparse: Sparse, least: float
    ) -> Tester: ...
    @staticmethod
    def mi_adaptive(
        columns: Columns, threshold: Threshold, by_frequency: bool, split: float, sparse: Sparse, least: float
    ) -> Tester: ...
    def ask(self, x: int, y: int, given: tuple[int, ...]) -> tuple[_Outcome, bool]: ...
    def ask_many(self, x: _Index, y: _Index, given: _Index, threads: int) -> tuple[_Outcomes, _Tally]: ...
    def first_separator(
        self, x: int, y: int, candidates: Sequence[int], order: int
    ) -> tuple[bool, tuple[int, ...] | None, _Outcome | None, _Tally]: ...
    def search(
        self, x: _Index, y: _Index, owner: _Index, adjacency: _Bytes, order: int, threads: int
    ) -> tuple[_Bytes, _Bytes, _Index, _Outcomes, _Tally]: ...
