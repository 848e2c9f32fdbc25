"""What an experiment is made of: cells, each with a key of everything that matters and seeds by its position.

A cell is a frozen dataclass: plain settings, and `compute`, which turns them into plain numbers. Its key is a hash of
the settings and of the code that computes it, so that results of other settings or other versions are never taken for
its own. Its random numbers come from its position in the grid, so that they do not depend on what else runs, where and
in which order. Methods that share a network, a size and a run see the same data.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field, fields
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeAlias

import paucal
from paucal.errors import ParameterError
from paucal.paper import published

if TYPE_CHECKING:
    from collections.abc import Mapping

Plain: TypeAlias = "bool | int | float | str | list[Plain] | dict[str, Plain] | None"
Options: TypeAlias = "tuple[tuple[str, Plain], ...]"

SEED = 20220723  # the first day of the conference that the paper was given at


class Cell(Protocol):
    """One unit of work."""

    kind: ClassVar[str]

    @property
    def cost(self) -> float:
        """Roughly how long it takes, in any unit: for the progress bar and the order of work."""

    def settings(self) -> dict[str, Plain]:
        """Everything that the result depends on, besides the code."""

    def compute(self) -> dict[str, Plain]:
        """Do the work."""


@dataclass(frozen=True)
class Search:
    """A method of a table: a search with a test, both with their options.

    The label is what the paper calls it; it is not part of a cell's key, so that tables share their cells. Tests with a
    threshold of another kind have no level: alpha is None.
    """

    label: str
    search: str
    test: str
    alpha: float | None = published.ALPHA
    options: Options = ()
    test_options: Options = ()

    def settings(self) -> dict[str, Plain]:
        """Everything but the label."""
        return {
            "search": self.search,
            "test": self.test,
            "alpha": self.alpha,
            "options": dict(self.options),
            "test_options": dict(self.test_options),
        }

    def describe(self) -> str:
        """Name search, test and options.

        >>> Search("PC", "pc", "g", test_options=(("df", "full"),)).describe()
        'pc with g (alpha=0.05, df=full)'
        """
        words = [f"{k}={v}" for k, v in (*self.options, *self.test_options)]
        words = words if self.alpha is None else [f"alpha={self.alpha:g}", *words]
        return f"{self.search} with {self.test}" + (f" ({', '.join(words)})" if words else "")

    def level(self) -> dict[str, Any]:
        """The level as an argument, if there is one."""
        return {} if self.alpha is None else {"alpha": self.alpha}


@dataclass(frozen=True)
class Scope:
    """How much of an experiment is run.

    Attributes
    ----------
    runs
        Data sets for each network and size.
    networks
        Names of the paper's networks, or of others in the catalogue.
    sizes
        Numbers of rows; None for those of the paper.
    seed
        The root of all random numbers.
    shuffle
        Columns in random order instead of the file's.
    repetitions
        Samples behind each point of the synthetic experiments.
    data
        Folder with the UCI data sets.
    quick
        A short run that shows that everything works; its numbers mean little.
    """

    runs: int = published.RUNS
    networks: tuple[str, ...] = published.NETWORKS
    sizes: tuple[int, ...] | None = None
    seed: int = SEED
    shuffle: bool = False
    repetitions: int = published.SYNTHETIC_RUNS
    data: Path | None = field(default=None, compare=False)
    quick: bool = False

    def __post_init__(self) -> None:
        for name, least in (("runs", 1), ("repetitions", 1), ("seed", 0)):
            if getattr(self, name) < least:
                raise ParameterError(f"{name}={getattr(self, name)}.", hint=f"Give {least} or more.")
        if not self.networks:
            raise ParameterError("No network is named.", hint="Name one, or leave --networks out.")
        for size in self.sizes or ():
            if size < 2:
                raise ParameterError(f"A sample of {size} rows decides nothing.", hint="Give 2 or more.")

    def sizes_of(self, network: str) -> tuple[int, ...]:
        """Sizes for a network: those asked for, or the paper's."""
        return self.sizes or published.SIZES.get(network, (100, 300, 500))

    def describe(self) -> dict[str, Plain]:
        """Plain values, without the folder of this machine."""
        plain: dict[str, Plain] = {}
        for f in fields(self):
            value = getattr(self, f.name)
            if f.name != "data":
                plain[f.name] = list(value) if isinstance(value, tuple) else value
        return plain


def quick_scope(scope: Scope) -> Scope:
    """Cut a scope down to what takes seconds."""
    return Scope(
        runs=min(scope.runs, 2),
        networks=("child",) if scope.networks == published.NETWORKS else scope.networks,
        sizes=scope.sizes or (100,),
        seed=scope.seed,
        shuffle=scope.shuffle,
        repetitions=min(scope.repetitions, 100),
        data=scope.data,
        quick=True,
    )


# ---------------------------------------------------------------------------------------------------------- keys


def key_of(cell: Cell) -> str:
    """Give the key of a cell: the same for the same settings and the same code, and for nothing else."""
    content = {"kind": cell.kind, "settings": cell.settings(), "code": code_version()}
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


@cache
def code_version() -> str:
    """Give the version of paucal, and a digest of all code and data that can change a result.

    Left out is what only shows results: the command line, reports, and this folder without `cells`.
    """
    root = Path(paucal.__file__).parent
    shown_only = ("cli", "report", "adapters")
    files = [
        file
        for file in sorted(root.rglob("*"))
        if file.suffix in (".py", ".npz", ".gz")
        and file.relative_to(root).parts[0] not in shown_only
        and (file.parent.name != "paper" or file.parent.parent != root)
    ]
    native = find_spec("paucal._kernel")
    if native is not None and native.origin is not None:
        files.append(Path(native.origin))
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return f"{paucal.__version__}+{digest.hexdigest()[:12]}"


def cell_record(cell: Cell, result: Mapping[str, Plain]) -> dict[str, Plain]:
    """Give what is written down about a finished cell."""
    return {
        "key": key_of(cell),
        "kind": cell.kind,
        "settings": cell.settings(),
        "code": code_version(),
        "result": dict(result),
    }
