# Types of the native kernel (sources in src/kernel).

from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

_Codes: TypeAlias = NDArray[np.uint8] | NDArray[np.uint16] | NDArray[np.uint32]
_Index: TypeAlias = NDArray[np.uint32]
_Bytes: TypeAlias = NDArray[np.uint8]
_Real: TypeAlias = NDArray[np.float64]

# statistic, dof, p_value, threshold, nearness, observed strata, decision, flags, samples
_Outcome: TypeAlias = tuple[float, float, float, float, float, int, int, int, int]
_Outcomes: TypeAlias = tuple[_Real, _Real, _Real, _Real, _Real, _Index, _Bytes, _Bytes, _Index]
# calls, fresh questions; among these: unreliable, undecidable, powerless
_Tally: TypeAlias = tuple[int, int, int, int, int]
_Look: TypeAlias = Callable[[int], bool]
# of pairs: found, asked, the sets, and the answers
_Separations: TypeAlias = tuple[_Bytes, _Bytes, _Index, _Outcomes, _Tally]

def isa() -> str: ...
def use_isa(name: str) -> bool: ...

# -- text files --

class CellReader:
    def __init__(self, delimiter: str, n_columns: int, chosen: Sequence[int], skip_blanks: bool) -> None: ...
    def feed(self, piece: bytes) -> bool: ...
    def finish(self) -> bool: ...
    @property
    def n_rows(self) -> int: ...
    @property
    def n_behind(self) -> int: ...
    @property
    def n_empty(self) -> int: ...
    def take_columns(self) -> list[tuple[_Codes, list[str]]]: ...

# -- columns of codes --

def level_counts(codes: _Codes, size: int) -> NDArray[np.int64]: ...
def distinct_rows(columns: Sequence[_Codes], weights: _Index | None = None) -> tuple[NDArray[np.int64], _Index]: ...

# -- special functions; two arrays must have one shape --

@overload
def lgamma(x: float) -> float: ...
@overload
def lgamma(x: NDArray[Any]) -> _Real: ...
@overload
def digamma(x: float) -> float: ...
@overload
def digamma(x: NDArray[Any]) -> _Real: ...
@overload
def polygamma(n: int, x: float) -> float: ...
@overload
def polygamma(n: int, x: NDArray[Any]) -> _Real: ...
@overload
def erfc(x: float) -> float: ...
@overload
def erfc(x: NDArray[Any]) -> _Real: ...
@overload
def gamma_p(shape: float, x: float) -> float: ...
@overload
def gamma_p(shape: NDArray[Any], x: float | NDArray[Any]) -> _Real: ...
@overload
def gamma_p(shape: float, x: NDArray[Any]) -> _Real: ...
@overload
def gamma_q(shape: float, x: float) -> float: ...
@overload
def gamma_q(shape: NDArray[Any], x: float | NDArray[Any]) -> _Real: ...
@overload
def gamma_q(shape: float, x: NDArray[Any]) -> _Real: ...
@overload
def chi2_sf(statistic: float, dof: float) -> float: ...
@overload
def chi2_sf(statistic: NDArray[Any], dof: float | NDArray[Any]) -> _Real: ...
@overload
def chi2_sf(statistic: float, dof: NDArray[Any]) -> _Real: ...
@overload
def chi2_isf(p: float, dof: float) -> float: ...
@overload
def chi2_isf(p: NDArray[Any], dof: float | NDArray[Any]) -> _Real: ...
@overload
def chi2_isf(p: float, dof: NDArray[Any]) -> _Real: ...
def log_multinomial_regret(rows: int, cells: float) -> float: ...
def pearson3_sf(statistic: float, mean: float, variance: float, third: float) -> float: ...

# the smoothed chi-square of one stratum, and its mean, variance and third cumulant under permutation
def permutation_cumulants(table: _Index) -> tuple[float, float, float, float]: ...

# `counts` lists the positive ones, `cells` counts the empty ones too.
def alpha_star(counts: _Index, cells: float) -> float: ...

# `gaps`: the code after the last state stands for a missing value; rows count where all values of a question are there
class Columns:
    def __init__(
        self,
        columns: Sequence[_Codes],
        states: Sequence[int],
        rows: int,
        *,
        ordinal: Sequence[int] = (),
        steps: Sequence[tuple[int, _Codes, int]] = (),
        gaps: bool = False,
        weights: _Index | None = None,
    ) -> None: ...
    @property
    def samples(self) -> int: ...
    def count(self, x: int, y: int, given: Sequence[int]) -> tuple[_Index, _Index, _Index, _Index, _Index]: ...

# -- what a statistic says, and what it is compared with --

class Statistic: ...

# by the name of a test; src/kernel/tests/statistic.cpp lists them, and the source of each says which options it takes
def statistic(name: str, **options: bool | float | str | Statistic) -> Statistic: ...

# of a p-value: one level, or one for each number of conditioning columns, the last for all larger ones
class Level:
    def __init__(self, alpha: float | Sequence[float]) -> None: ...

# of a log Bayes factor: at least so much means independence
class Evidence:
    def __init__(self, *, least: float, strict: bool = False) -> None: ...

# of information: at least so much means dependence
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
        normal: _Real,
    ) -> Threshold: ...

class Sparse(Enum):
    test = ...
    independent = ...
    undecidable = ...

class ThinRule:
    def __init__(self, *, sparse: Sparse = ..., least: float = 0.0, per_dof: bool = False) -> None: ...

# Of each pair the sets of so many neighbours of its first end, then of its second, each set once.
class SetsAround:
    def __init__(self, pairs: _Index, neighbours: _Bytes, order: int) -> None: ...
    # the numbers of the pairs, and the sets; none are left if there are fewer than `most`
    def next(self, most: int) -> tuple[_Index, _Index]: ...

# Safe to use from several threads: one call is served after the other.
class Tester:
    # `act`: questions that no data with these margins could have answered are left undecidable
    def __init__(
        self,
        columns: Columns,
        statistic: Statistic,
        *,
        criterion: Level | Evidence | Threshold,
        thin: ThinRule = ...,
        act: bool = False,
    ) -> None: ...
    @property
    def statistic(self) -> Statistic: ...
    # the same, with an empty memory
    def again(self) -> Tester: ...
    # the answer, and whether the question was new
    def ask(self, x: int, y: int, given: Sequence[int]) -> tuple[_Outcome, bool]: ...
    # a p-value that no data with these margins go below; 0 if nothing is known
    def smallest_p(self, x: int, y: int, given: Sequence[int]) -> float: ...
    # `tables` has the shape (tables, strata, kx, ky)
    def read(self, tables: _Index, order: int) -> _Outcomes: ...
    # `look` is called now and then with the questions so far, and ends the call by True; what was not asked by then is
    # undecidable. `most` is the largest number of sets for one pair.
    def ask_many(
        self, x: _Index, y: _Index, given: _Index, threads: int, look: _Look | None = None
    ) -> tuple[_Outcomes, _Tally]: ...
    def first_separator(
        self, x: int, y: int, candidates: Sequence[int], order: int, most: int = ..., look: _Look | None = None
    ) -> tuple[bool, tuple[int, ...] | None, _Outcome | None, _Tally]: ...
    # of each x and each of its y the sets of `least` to `most` members, small ones first: all of `always` and some
    # candidates but y. For a pair and a size: number of the pair, size, whether it is separated, whether something was
    # asked anew, the set, the answer; and tallies by size
    def grow(
        self,
        x: Sequence[int],
        y: Sequence[Sequence[int]],
        candidates: Sequence[Sequence[int]],
        always: Sequence[Sequence[int]],
        *,
        least: int,
        most: int,
        threads: int,
        look: _Look | None = None,
    ) -> tuple[_Index, _Index, _Bytes, _Bytes, _Index, _Outcomes, list[_Tally]]: ...
    # without owners: the neighbours of x, then those of y
    def search(
        self,
        x: _Index,
        y: _Index,
        owner: _Index | None,
        adjacency: _Bytes,
        order: int,
        threads: int,
        most: int = ...,
        look: _Look | None = None,
    ) -> _Separations: ...
    # the neighbours of y, without those that were separated from it before, in this call; 2 in `asked`: asked anew
    def thin(self, x: _Index, y: _Index, adjacency: _Bytes, order: int, look: _Look | None = None) -> _Separations: ...
    # PC-stable from order 0 on, as long as an order has few sets: its pairs and what came of them; whether that is all
    def rounds(
        self,
        x: _Index,
        y: _Index,
        adjacency: _Bytes,
        *,
        last: int,
        few_sets: float,
        threads: int,
        look: _Look | None = None,
    ) -> tuple[list[tuple[_Index, _Index, _Separations]], bool]: ...

# -- scores, order search, sampling; safe to use from several threads, too --

def completed(dag: _Bytes, forbidden: _Bytes | None) -> _Bytes: ...

# a DAG that extends a PDAG, and the nodes that remain where there is none
def extended(pdag: _Bytes) -> tuple[_Bytes, list[int]]: ...

# a, c, b of a - c - b where a < b are not joined, by a, b and c
def unshielded_triples(adjacency: _Bytes) -> tuple[_Index, _Index, _Index]: ...

# exact distribution of the nodes asked for; or cells and nodes of a table that would have more than `most_cells`
def eliminate(
    levels: Sequence[int],
    scopes: Sequence[Sequence[int]],
    tables: Sequence[_Real],
    query: Sequence[int],
    *,
    most_cells: int,
) -> _Real | tuple[int, int]: ...
def consensus(
    arrow: _Real,
    line: _Real,
    allowed: _Bytes,
    required: _Bytes,
    forbidden: _Bytes | None,
    starts: Sequence[_Bytes],
    *,
    looks: int,
    nodes: int,
    slack: float,
    look: _Look | None = None,
) -> tuple[list[_Bytes], list[float], bool]: ...

class Scorer:
    @staticmethod
    def dirichlet(columns: Columns, levels: Sequence[float], *, sizes: Sequence[float]) -> Scorer: ...
    @staticmethod
    def fit(columns: Columns, levels: Sequence[float], *, per_parameter: float) -> Scorer: ...
    @staticmethod
    def qnml(columns: Columns, levels: Sequence[float]) -> Scorer: ...
    @staticmethod
    def family(columns: Columns, levels: Sequence[float], *, shared: bool, size: float) -> Scorer: ...
    @staticmethod
    def mixed(
        columns: Columns,
        levels: Sequence[float],
        *,
        sizes: Sequence[float],
        lines: _Real,
        nuggets: Sequence[float],
        forms: Sequence[int],
    ) -> Scorer: ...
    def use(self, forms: Sequence[int]) -> None: ...
    def set(self, members: Sequence[int]) -> float: ...
    def local(self, child: int, parents: Sequence[int]) -> float: ...
    def ask_instead(self, child: int, other: Scorer) -> None: ...
    @property
    def evaluated(self) -> int: ...

# the best DAG of a climb, its moves, and the families scored on the way; `start` has the required arcs
def hill_climb(
    scorer: Scorer,
    allowed: _Bytes,
    required: _Bytes,
    start: _Bytes,
    *,
    most_parents: int,
    tabu: int,
    patience: int,
    look: _Look | None = None,
) -> tuple[_Bytes, int, int]: ...

class OrderSearch:
    def __init__(
        self,
        scorer: Scorer,
        allowed: _Bytes,
        required: _Bytes,
        *,
        penalty: float,
        most_parents: int,
        most_candidates: int,
        look: _Look | None = None,
    ) -> None: ...
    def climb(
        self, seed: int, start: int, kicks: int, look: _Look | None = None
    ) -> list[tuple[float, _Index, _Bytes]]: ...
    # unites the best parts of DAGs, given with orders that fit them; then kicks and climbs on until so many kicks in a
    # row have brought nothing better
    def improve(
        self, seed: int, found: list[tuple[_Index, _Bytes]], patience: int, look: _Look | None = None
    ) -> tuple[float, _Index, _Bytes]: ...
    # the best DAG with those parts of another one that lose little
    def near(self, best: tuple[_Index, _Bytes], other: tuple[_Index, _Bytes]) -> tuple[float, _Index, _Bytes]: ...
    # of every column, sets of parents that help only together, or nearly do
    def groups(self) -> list[list[list[int]]]: ...

# weights of equivalent sample sizes for a family; `counts` has `states` entries for each observed configuration
def size_weights(
    sizes: Sequence[float], counts: Sequence[int], states: int, configurations: float, levels: float
) -> list[float]: ...

# fills gaps and samples DAGs in turn; observed levels of every column come first
class GapSampler:
    def __init__(
        self,
        columns: Columns,
        levels: Sequence[float],
        allowed: _Bytes,
        required: _Bytes,
        *,
        forbidden: _Bytes | None,
        set: _Bytes | None = None,  # noqa: A002 - in which rows each column was set
        penalty: float,
        sizes: Sequence[float],
        searched_parents: int,
        most_grown: int,
        search_every: int,
        most_candidates: int,
        most_parents: int,
        heats: Sequence[float],
        settling: int,
        rounds: int,
        sweeps: int,
        kept: int,
        chains: int,
        seed: int,
    ) -> None: ...
    # per column cells of its own (codes, states), or with 0 states a line (values, nugget)
    def read_as(
        self, codes: Sequence[_Index], states: Sequence[int], lines: Sequence[_Real], nuggets: Sequence[float]
    ) -> None: ...
    # `look` ends it, after one filling at the earliest; so do those below, after half a round
    def run(self, fillings: int, *, record: bool, threads: int, look: _Look | None = None) -> None: ...
    # what a chain has come to, for a chain of a sampler of the same data to go on from
    def state(self, chain: int) -> bytes: ...
    def take(self, chain: int, state: bytes) -> None: ...
    # how many recorded DAGs of a chain have an arrow, a line, a common blanket; how many there are
    def tallies(self, chain: int) -> tuple[_Index, _Index, _Index, int]: ...
    # how many of them have a directed path from row to column
    def causes(self, chain: int) -> _Index: ...
    # so many DAGs of each recorded filling, its last one among them
    def dags(self, chain: int) -> _Bytes: ...
    def central(self, arrow: _Real, line: _Real) -> _Bytes: ...
    # codes, columns by rows
    def filled(self, chain: int) -> _Index: ...
    # rows whose value counts, columns by rows; once `read_as` was called
    def donors(self, chain: int) -> _Index: ...
    def rates(self, chain: int) -> tuple[float, float]: ...
    @property
    def evaluated(self) -> int: ...

class DagSampler:
    def __init__(
        self,
        scorer: Scorer,
        allowed: _Bytes,
        required: _Bytes,
        *,
        forbidden: _Bytes | None,
        penalty: float,
        starts: Sequence[tuple[_Index, _Bytes]],
        met: Sequence[Sequence[_Bytes]],
        groups: Sequence[Sequence[Sequence[int]]],
        most_candidates: int,
        most_parents: int,
        heats: Sequence[float],
        chains: int,
        seed: int,
        look: _Look | None = None,
    ) -> None: ...
    def run(self, rounds: int, *, record: bool, threads: int, look: _Look | None = None) -> None: ...
    # one chain with its tables, and the sampler that has it alone; what a chain has come to, to go on from
    def packed(self, chain: int) -> bytes: ...
    @staticmethod
    def unpacked(packed: bytes) -> DagSampler: ...
    def state(self, chain: int) -> bytes: ...
    def take(self, chain: int, state: bytes) -> None: ...
    # how many recorded DAGs of a chain have an arrow, a line, a common blanket; how many there are
    def tallies(self, chain: int) -> tuple[_Index, _Index, _Index, int]: ...
    # how many of them have a directed path from row to column
    def causes(self, chain: int) -> _Index: ...
    def dag(self, chain: int, number: int) -> _Bytes: ...
    def dags(self, chain: int) -> _Bytes: ...
    # [record, pair]: whether a recorded DAG joins the columns a and b
    def joined(self, chain: int, a: _Index, b: _Index) -> _Bytes: ...
    # how many of the DAGs from one record up to another join each pair
    def joined_counts(self, chain: int, begin: int, end: int) -> _Index: ...
    def best(self) -> tuple[float, _Bytes]: ...
    def central(self, arrow: _Real, line: _Real) -> _Bytes: ...
    # accepted moves, accepted swaps of heats
    def rates(self, chain: int) -> tuple[float, float]: ...
    def candidates(self, chain: int) -> list[list[int]]: ...
    @property
    def n_sets(self) -> int: ...
