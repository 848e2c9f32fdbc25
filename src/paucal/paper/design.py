"""What an experiment is made of: cells, each with a key of everything that matters and seeds by its position.

A cell is a frozen dataclass: plain settings, and `compute`, which turns them into plain numbers. Its key (`version.py`)
is a hash of the settings and of the code that computes it, so that results of other settings or other versions are
never taken for its own. Its random numbers come from its position in the grid, so that they do not depend on what else
runs, where and in which order. Methods that share a network, a size and a run see the same data.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar, Protocol, TypeAlias, cast

from paucal import checks
from paucal.errors import ParameterError
from paucal.independence.settings import CISettings
from paucal.paper import published
from paucal.paper.cells.supplement import SAMPLES
from paucal.search.recipe import Recipe

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

Plain: TypeAlias = "bool | int | float | str | list[Plain] | dict[str, Plain] | None"

DRAWN, SUPPLEMENT = "drawn", "supplement"
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
    """A method of a table: what the paper calls it, and the recipe that runs it.

    The search of the recipe is one of the library, or a published program's (`variants/`). The label is not part of a
    cell's key, so that tables share their cells.
    """

    label: str
    recipe: Recipe = field(hash=False)

    @classmethod
    def of(
        cls,
        label: str,
        search: str,
        test: str,
        alpha: float | None = published.ALPHA,
        *,
        options: Mapping[str, Plain] | None = None,
        target: str | None = None,
        **test_options: Plain,
    ) -> Search:
        """Make a method; a test with a threshold of another kind has no level."""
        settings = CISettings(test, alpha, test_options)
        return cls(label, Recipe(search=search, test=settings, options=options or {}, target=target))

    @property
    def test(self) -> CISettings:
        """The test with its settings; every method has one."""
        return cast("CISettings", self.recipe.test)

    def settings(self) -> dict[str, Plain]:
        """Everything but the label."""
        return {
            "search": self.recipe.search,
            "test": self.test.name,
            "alpha": cast("float | None", self.test.alpha),
            "options": dict(self.recipe.options),
            "test_options": dict(self.test.options),
        }

    def describe(self) -> str:
        """Name search, test and options.

        >>> Search.of("PC", "pc", "g", df="full").describe()
        'pc with g (alpha=0.05, df=full)'
        """
        words = [f"{k}={v}" for k, v in (*self.recipe.options.items(), *self.test.options.items())]
        words = words if self.test.alpha is None else [f"alpha={self.test.alpha:g}", *words]
        return f"{self.recipe.search} with {self.test.name}" + (f" ({', '.join(words)})" if words else "")


@dataclass(frozen=True)
class Scope:
    """How much of an experiment is run; a quick run shows that everything works, and its numbers mean little."""

    runs: int = published.RUNS  # data sets for each network and size
    networks: tuple[str, ...] = published.NETWORKS  # or others of the catalogue
    sizes: tuple[int, ...] | None = None  # numbers of rows; None for those of the paper
    seed: int = SEED
    shuffle: bool = False  # columns in random order instead of the file's
    repetitions: int = published.SYNTHETIC_RUNS  # samples behind each point of the synthetic experiments
    samples: str = DRAWN  # from the networks, or those of the supplement as well
    data: Path | None = field(default=None, compare=False)  # folder with the supplement's zip files
    quick: bool = False

    def __post_init__(self) -> None:
        for name, least in (("runs", 1), ("repetitions", 1), ("seed", 0)):
            checks.whole_number(name, getattr(self, name), least)
        checks.choice("samples", self.samples, (DRAWN, SUPPLEMENT))
        if self.data is not None and not self.supplement:
            raise ParameterError(
                f"The folder {self.data} is not needed: samples are drawn from the networks.",
                hint="Say --samples supplement as well, or leave --data out.",
            )
        if self.supplement and self.runs > SAMPLES:
            raise ParameterError(
                f"The supplement has {SAMPLES} samples of each size, not {self.runs}.", hint=f"Give --runs {SAMPLES}."
            )
        if not self.networks:
            raise ParameterError("No network is named.", hint="Name one, or leave --networks out.")
        for size in self.sizes or ():
            if size < 2:
                raise ParameterError(f"A sample of {size} rows decides nothing.", hint="Give 2 or more.")

    @property
    def supplement(self) -> bool:
        """Whether the supplement's samples are asked for."""
        return self.samples == SUPPLEMENT

    def sizes_of(self, network: str) -> tuple[int, ...]:
        """Sizes for a network: those asked for, or the paper's."""
        return self.sizes or published.SIZES.get(network, (100, 300, 500))

    def describe(self) -> dict[str, Plain]:
        """Plain values, without the folder of this machine."""
        plain = {name: list(v) if isinstance(v, tuple) else v for name, v in vars(self).items()}
        del plain["data"]
        return plain


def quick_scope(scope: Scope) -> Scope:
    """Cut a scope down to what takes seconds."""
    return replace(
        scope,
        runs=min(scope.runs, 2),
        networks=("child",) if scope.networks == published.NETWORKS else scope.networks,
        sizes=scope.sizes or (100,),
        repetitions=min(scope.repetitions, 100),
        quick=True,
    )
