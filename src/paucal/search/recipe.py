"""The recipe: one frozen value that says what is run, from the data's preparation to the seed.

`learn`, `bootstrap`, `blanket` and `blankets`, the estimators, the command line and the paper's experiments make one;
every result carries the one it was made by. It is checked when it is made. It prints as the call that runs it, and goes
to TOML or plain values and back.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from paucal import checks
from paucal.data.preparation import Preparation, arguments_of_data, refuse_data_arguments
from paucal.errors import Argument, ParameterError, PaucalError, not_allowed, unknown_name
from paucal.graphs.graph import Graph
from paucal.graphs.knowledge import WORDS, Knowledge
from paucal.independence.budget import Allowance
from paucal.independence.registry import settings_of, test_names, test_parameters
from paucal.independence.settings import CISettings
from paucal.notebook import Shown
from paucal.search.by_scores.interventions import checked_targets
from paucal.search.catalogue import is_known, options_of, parameters_of, sort_of
from paucal.search.plain import plain, settings_from_plain, settings_to_plain
from paucal.toml_text import toml_of

if TYPE_CHECKING:
    from typing import Self

    from paucal.independence.levels import Alpha
    from paucal.search.by_scores.interventions import Targets
    from paucal.search.local.result import BlanketResult
    from paucal.search.result import SearchResult
    from paucal.search.run import Progress

AUTO = "auto"
FRACTION = 0.632  # of the rows, for a replicate: as many as differ among as many as there are, drawn with replacement
_MOST_REPLICATES = 1_000_000
_NONE = "none"  # an option that is unset although its default is not: neither TOML nor a left-out entry can say that


@dataclass(frozen=True, kw_only=True, repr=False)
class Recipe(Shown):
    """What is run.

    Attributes
    ----------
    search
        The name of the search; "auto" leaves it to the size of the data.
    test
        The test it asks, with its level and parameters; None for searches by scores, and where the default decides.
    options
        The options of the search.
    knowledge
        What is known beforehand.
    interventions, targets
        The column that says which columns were set from outside in a row; and what its values mean, if they are not
        the names of the columns.
    seed, threads
        Seed of whatever draws random numbers; threads of one computation, which change no number.
    max_seconds, max_tests
        What the search may spend before it ends with what it has; None for no limit.
    target
        The column whose blanket is sought; None for a whole graph.
    replicates, fraction
        For a bootstrap: how many graphs are learned, each from which share of the rows.
    preparation
        What was done to the data before.
    reason
        Why this search, if nobody named one.

    Examples
    --------
    >>> recipe = Recipe.of("rai", test="bf-chi2", alpha=0.01, colliders="majority")
    >>> recipe
    paucal.learn(data, search='rai', test='bf-chi2', alpha=0.01, colliders='majority')
    >>> Recipe.from_toml(recipe.to_toml()) == recipe
    True
    """

    search: str = AUTO
    test: CISettings | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    knowledge: Knowledge | None = None
    interventions: str | None = None
    targets: Targets | None = None
    seed: int | None = None
    threads: int = 1
    max_seconds: float | None = None
    max_tests: int | None = None
    target: str | None = None
    replicates: int | None = None
    fraction: float | None = FRACTION
    preparation: Preparation = field(default=Preparation())
    reason: str | None = None

    @classmethod
    def of(
        cls,
        search: str = AUTO,
        *,
        test: str | CISettings | None = None,
        alpha: Alpha | None = None,
        test_options: Mapping[str, Any] | None = None,
        knowledge: Knowledge | None = None,
        interventions: str | None = None,
        targets: Targets | None = None,
        seed: int | None = None,
        threads: int = 1,
        max_seconds: float | None = None,
        max_tests: int | None = None,
        target: str | None = None,
        replicates: int | None = None,
        fraction: float | None = FRACTION,
        **options: Any,
    ) -> Self:
        """Make a recipe of the arguments that `learn`, `bootstrap` and `blanket` take.

        Words of `Knowledge` among the options, such as `outcome`, are added to what is known.
        """
        _refuse_unknown(search, target)
        said = {word: options.pop(word) for word in WORDS if word in options}
        if said:
            known = Knowledge(**said)
            knowledge = known if knowledge is None else _knowledge(knowledge) | known
        if not isinstance(test, CISettings):
            silent = test is None and alpha is None and not test_options
            test = None if silent else settings_of(test, alpha, test_options)
        return cls(
            search=search,
            test=test,
            options=options,
            knowledge=knowledge,
            interventions=interventions,
            targets=checked_targets(targets),
            seed=seed,
            threads=threads,
            max_seconds=max_seconds,
            max_tests=max_tests,
            target=target,
            replicates=replicates,
            fraction=fraction,
        )

    def __post_init__(self) -> None:
        if not isinstance(self.options, Mapping):
            raise not_allowed("options", self.options, "options by name")
        object.__setattr__(self, "options", MappingProxyType(checks.native(dict(self.options))))
        if self.test is not None:
            hint = "Recipe.of(search, test='g') makes one of a name."
            checks.instance("test", self.test, CISettings, "the settings of a test", hint=hint)
        checks.instance("search", self.search, str, "the name of a search")
        if self.target is not None:
            checks.instance("target", self.target, str, "the name of a column")
        self._check_options()
        if self._ours and self.sort == "scores" and self.test is not None:
            raise ParameterError(
                f"The search {self.search!r} uses no test, so {self.test} cannot be set.",
                hint="Leave it out, or name another search.",
            )
        if self.knowledge is not None:
            _knowledge(self.knowledge)
        self._check_interventions()
        if self.seed is not None:
            object.__setattr__(self, "seed", checks.seed(self.seed))
        if type(self.threads) is not int or self.threads != 1:
            object.__setattr__(self, "threads", checks.threads(self.threads))
        self._check_allowance()
        if self.fraction is not None:
            object.__setattr__(self, "fraction", checks.positive_number("fraction", self.fraction, 1.0))
        if self.replicates is not None:
            if self.target is not None:
                raise ParameterError(
                    f"The blanket of {self.target!r} cannot be learned again and again.",
                    hint="Leave out the target or the replicates.",
                )
            object.__setattr__(
                self, "replicates", checks.whole_number("replicates", self.replicates, 2, _MOST_REPLICATES)
            )
            if self.search == "posterior":
                raise ParameterError(
                    "The search 'posterior' samples graphs itself.", hint="It needs no bootstrap: use it without one."
                )

    def _check_allowance(self) -> None:
        if self.max_seconds is None and self.max_tests is None:
            return
        for name, value in Allowance.of(self.max_seconds, self.max_tests)._asdict().items():
            object.__setattr__(self, name, value)
        if self.max_tests is not None and self._ours and self.sort == "scores":
            given = Argument("max_tests", self.max_tests)
            raise ParameterError(
                (f"The search {self.search!r} uses no tests, so ", given, " says nothing."),
                hint=("Give ", Argument("max_seconds"), " instead."),
                parameter="max_tests",
                value=self.max_tests,
            )

    def _check_options(self) -> None:
        refuse_data_arguments("A search", self.options)
        if not self._ours:
            return
        for name in self.options:
            if name not in self._usual:
                raise self._unknown_option(name)

    def _check_interventions(self) -> None:
        object.__setattr__(self, "targets", checked_targets(self.targets))
        if self.interventions is None:
            if self.targets is not None:
                raise ParameterError(
                    "targets say what the values of a column mean, and no column was named.",
                    hint='Give interventions="drug" too.',
                    parameter="targets",
                )
            return
        checks.instance("interventions", self.interventions, str, "the name of a column")
        if self.test is not None or (self._ours and "interventions" not in self._parameters):
            what = f"The search {self.search!r}" if self.test is None else "A search by tests"
            raise ParameterError(
                f"{what} cannot make use of rows in which columns were set.",
                hint=("Use ", Argument("search", "posterior"), ", order or hill-climbing."),
                parameter="interventions",
                value=self.interventions,
            )

    def _unknown_option(self, name: str) -> ParameterError:
        if name == "max_order":
            return ParameterError(f"The search {self.search!r} takes no max_order.", hint="Leave it out.")
        hint = unknown_name("option", name, self._usual).hint
        tests = [test for test in test_names() if name in test_parameters(test)]
        if tests:
            hint = f"It is a parameter of the test {' or '.join(map(repr, tests))}: give it as a test option."
        return ParameterError(f"The search {self.search!r} has no option {name!r}.", hint=hint)

    @property
    def sort(self) -> str:
        """What the search goes by: "tests", "scores", or tests around a column ("local")."""
        return sort_of(self.search, local=self.target is not None)

    @property
    def _ours(self) -> bool:
        """Whether the search has a name here; results of searches made elsewhere carry recipes too."""
        return is_known(self.search, local=self.target is not None)

    @property
    def _parameters(self) -> Mapping[str, Any]:
        return parameters_of(self.search, local=self.target is not None)

    @property
    def _usual(self) -> Mapping[str, Any]:
        """The defaults of the options of the search."""
        return options_of(self.search, local=self.target is not None) if self._ours else {}

    def arguments(self) -> dict[str, Any]:
        """Give what the function of the search is called with, besides test or data."""
        shared: dict[str, Any] = {"knowledge": self.knowledge, "seed": self.seed, "threads": self.threads}
        shared |= {"interventions": self.interventions, "targets": self.targets, "max_seconds": self.max_seconds}
        takes = self._parameters
        given = {name: value for name, value in shared.items() if value is not None and name in takes}
        return given | dict(self.options)

    def run(self, data: Any, *, progress: Progress | None = None) -> SearchResult | BlanketResult:
        """Run it on data, anything `Dataset.of` takes, or on a finished test; a bootstrap in one process.

        Data that are not yet a `Dataset` are prepared as the recipe says.
        """
        from paucal.search.learn import prepared, run

        return run(self, prepared(data, self.preparation, self.interventions), progress=progress)

    def __repr__(self) -> str:
        """Write the call that runs it; what has its default is left out."""
        kind = "blanket" if self.target is not None else "learn" if self.replicates is None else "bootstrap"
        parts = [self._data()]
        if self.interventions is not None and self.preparation.said:  # Dataset.of would not know which column tells
            parts += [*(f"{k}={v!r}" for k, v in self.preparation.said.items()), "as_is=True"]
        if self.target is not None:
            parts.append(repr(self.target))
        if self.search != AUTO:
            parts.append(f"search={self.search!r}")
        if self.replicates is not None:
            parts += [f"replicates={self.replicates}", f"fraction={self.fraction!r}"]
        if self.test is not None and self.test.name in test_names():
            parts += self._test_parts(self.test)
        usual = self._usual
        parts += [f"{k}={_written(v)}" for k, v in self.options.items() if k not in usual or v != usual[k]]
        if self.knowledge is not None:
            parts += [f"{word}={said!r}" for word, said in self.knowledge.to_dict().items()]
        if self.interventions is not None:
            parts.append(f"interventions={self.interventions!r}")
        if self.targets is not None:
            parts.append(f"targets={ ({label: list(columns) for label, columns in self.targets.items()})!r}")
        parts += [f"seed={self.seed}"] if self.seed is not None else []
        parts += [f"threads={self.threads}"] if self.threads > 1 else []
        parts += [f"max_seconds={self.max_seconds:g}"] if self.max_seconds is not None else []
        parts += [f"max_tests={self.max_tests}"] if self.max_tests is not None else []
        return f"paucal.{kind}({', '.join(parts)})"

    def _data(self) -> str:
        if self.test is not None and self.test.name not in test_names():
            return "test"  # an oracle, or a function of the user's: the data stand behind it
        said = self.preparation.said
        if not said or self.interventions is not None:
            return "data"
        return f"paucal.Dataset.of(data, {', '.join(f'{k}={v!r}' for k, v in said.items())})"

    def _test_parts(self, test: CISettings) -> list[str]:
        usual = test_parameters(test.name)
        parts = [f"test={test.name!r}"]
        if test.alpha is not None and test.alpha != usual["alpha"]:
            parts.append(f"alpha={test.alpha!r}")
        # a seed of the test's own is written where that of the recipe would take its place
        rest = {k: v for k, v in test.options.items() if v != usual.get(k) or (k == "seed" and self.seed is not None)}
        return [*parts, f"test_options={rest!r}"] if rest else parts

    def to_dict(self) -> dict[str, Any]:
        """Give it as plain values, without what has its default."""
        usual, options = self._usual, self.options
        unset = {k: _NONE for k, v in options.items() if v is None and usual.get(k) is not None}
        content = {
            "search": self.search,
            "seed": self.seed,
            "target": self.target,
            "replicates": self.replicates,
            "reason": self.reason,
            "threads": None if self.threads == 1 else self.threads,
            "max_seconds": self.max_seconds,
            "max_tests": self.max_tests,
            "fraction": None if self.replicates is None else self.fraction or "all",
            "test": None if self.test is None else settings_to_plain(self.test),
            "options": plain(options) | unset if options else None,
            "knowledge": None if self.knowledge is None else self.knowledge.to_dict(),
            "interventions": self.interventions,
            "targets": None if self.targets is None else plain(self.targets),
            "preparation": plain(self.preparation.said) or None,
        }
        return {name: value for name, value in content.items() if value is not None}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """Read what `to_dict` gave."""
        if not isinstance(content, Mapping):
            raise not_allowed("content", content, "a recipe as Recipe.to_dict() gives it")
        given = dict(content)
        known = [one.name for one in fields(cls)]
        for name in given:
            checks.known("entry of a recipe", name, known)
        if isinstance(given.get("test"), str):
            given["test"] = {"name": given["test"]}
        if "test" in given:
            given["test"] = asked = settings_from_plain(given["test"])
            if asked.name in test_names():  # any other, such as an oracle, is taken at its word
                settings_of(asked.name, asked.alpha, asked.options)
        if "knowledge" in given:
            for word in given["knowledge"]:
                checks.known("part of knowledge", word, WORDS)
            given["knowledge"] = Knowledge(**given["knowledge"])
        if "preparation" in given:
            said = given["preparation"]
            for name in said:
                checks.known("entry under [preparation]", name, arguments_of_data())
            given["preparation"] = Preparation(**said)
        given["options"] = {k: _read(v) for k, v in given.get("options", {}).items()}
        if given.get("fraction") == "all":
            given["fraction"] = None
        return cls(**given)

    def to_toml(self) -> str:
        """Write it as TOML; `from_toml` gives an equal recipe back."""
        return toml_of(self.to_dict())

    @classmethod
    def from_toml(cls, text: str) -> Self:
        """Read what `to_toml` wrote, or somebody by hand."""
        hint = "`paucal prepare FILE -o recipe.toml` writes one, and so does Recipe.to_toml()."
        try:
            recipe = cls.from_dict(tomllib.loads(text))
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            raise ParameterError(f"The recipe is not TOML: {error}.", hint=hint) from None
        except PaucalError:
            raise
        except (TypeError, KeyError, ValueError, AttributeError) as error:
            raise ParameterError(f"The recipe has a wrong entry: {error}.", hint=hint) from error
        _refuse_unknown(recipe.search, recipe.target)
        return recipe

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Recipe):
            return NotImplemented
        return self._what() == other._what()

    def __hash__(self) -> int:
        return hash(toml_of(self._what()))

    def _what(self) -> dict[str, Any]:
        """What is run; why it was chosen makes no difference."""
        return {name: value for name, value in self.to_dict().items() if name != "reason"}

    def __reduce__(self) -> tuple[Any, ...]:
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        values |= {"options": dict(self.options), "targets": None if self.targets is None else dict(self.targets)}
        return partial(Recipe, **values), ()

    def with_checked(self, **values: Any) -> Self:
        """Give the same with values of another recipe, which were checked there: a quick search feels a second time."""
        other = object.__new__(type(self))
        vars(other).update(vars(self), **values)
        return other


def _knowledge(value: object) -> Knowledge:
    hint = "Give a paucal.Knowledge(outcome=..., time=..., required=...)."
    return checks.instance("knowledge", value, Knowledge, "background knowledge", hint=hint)


def _written(value: Any) -> str:
    return f"paucal.Graph.from_dict({value.to_dict()!r})" if isinstance(value, Graph) else repr(value)


def _read(value: Any) -> Any:
    """Read the value of an option: a graph to start from is written as one."""
    if isinstance(value, Mapping) and "nodes" in value:
        return Graph.from_dict(value)
    return None if value == _NONE else value


def _refuse_unknown(search: str, target: str | None) -> None:
    """Refuse a search that nobody knows; what came out of one made elsewhere may carry its name all the same."""
    if not isinstance(search, str) or search != AUTO or target is not None:
        sort_of(search, local=target is not None)
