"""What a search around a target returns: who stands how to it, and how that came about."""

from __future__ import annotations

import html
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from paucal import schemas
from paucal.errors import QuestionError
from paucal.graphs.blanket import Blanket
from paucal.graphs.json_head import JsonFormat, plain_lists
from paucal.search.evidence.questions import Lost
from paucal.search.evidence.tests import TEST_FIELDS, columns_of
from paucal.search.result import Exchanged, SearchResult

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Self

    from paucal.graphs.drawing.svg import Drawing
    from paucal.independence.ledger import Ledger
    from paucal.search.evidence.explain import Explanation

_JSON = JsonFormat("paucal-blanket", "blanket")
ROLES = {"parents": "parent", "children": "child", "undetermined": "undetermined", "spouses": "spouse"}
_COLUMNS = ("node", "role", "via", *TEST_FIELDS, "rule")


@dataclass(frozen=True, eq=False, repr=False)
class BlanketResult(Exchanged, Blanket):
    """The Markov blanket of a target, learned from data. It never changes.

    Only CMB tells parents from children; behind all that is `result`, a `SearchResult` with the graph as far as it
    was looked at, separating sets, tests, settings and details.

    Examples
    --------
    >>> import paucal
    >>> found = paucal.blanket(paucal.Oracle(paucal.Graph.parse("A -> T -> B <- C; D -> T")), "T")
    >>> found
    BlanketResult(T; parents A, D; children B; spouses C; cmb, oracle, 25 tests)
    >>> print(found.why("C"))
    T and C: not joined, because they are independent
      absence: C is nevertheless in the blanket of T: both are joined to B, and given it they become dependent
      order 0: independent given nothing (oracle, p = 1)
    """

    result: SearchResult = field(kw_only=True)

    @property
    def pc(self) -> tuple[str, ...]:
        """Parents, children and undetermined neighbours, in column order."""
        return self._in_order((*self.parents, *self.children, *self.undetermined))

    @property
    def mb(self) -> tuple[str, ...]:
        """The whole blanket, in column order."""
        return self._in_order(self.members)

    @property
    def lost(self) -> tuple[Lost, ...]:
        """Columns that are not in the blanket, but clearly depend on the target given it; each prints as a sentence."""
        return tuple(one for one in self.result.open_questions() if isinstance(one, Lost))

    @property
    def ledger(self) -> Ledger:
        """The tests of this search."""
        return self.result.ledger

    @property
    def seconds(self) -> float:
        """Wall clock time of the search."""
        return self.result.seconds

    @property
    def search(self) -> str:
        """The name of the search."""
        return self.result.search

    def _in_order(self, names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(name for name in self.ledger.names if name in set(names))

    def with_details(self, **details: Any) -> BlanketResult:
        """Give the same result with more details."""
        return replace(self, result=self.result.with_details(**details))

    def why(self, x: str) -> Explanation:
        """Explain why x is in the blanket or not, and how it is related to the target."""
        if self.result.graph.index(x) == self.result.graph.index(self.target):
            raise QuestionError(f"{x!r} is the target itself.", hint="Name another column.")
        return self.result.why(self.target, x)

    def frame(self) -> Any:
        """List the members, each with the test that came nearest to taking it away.

        Returns
        -------
        A list of dictionaries, or a frame of the library that the data came in. Columns: `node`, `role` (parent,
        child, undetermined, spouse), `via` (for a spouse, the children it shares with the target); of the nearest
        test `given`, `statistic`, `dof`, `p_value`, `reliable`; `rule`, the reason for the direction. For a spouse
        the test is the one that separated it from the target.

        Examples
        --------
        >>> import paucal
        >>> oracle = paucal.Oracle(paucal.Graph.parse("A -> T <- B; T -> C"))
        >>> [(m["node"], m["role"], m["rule"]) for m in paucal.blanket(oracle, "T").frame()]
        [('A', 'parent', 'collider'), ('B', 'parent', 'collider'), ('C', 'child', 'meek-1')]
        """
        records = [self._record(name, role) for part, role in ROLES.items() for name in getattr(self, part)]
        return self.result.framed(records, _COLUMNS)

    def _record(self, name: str, role: str) -> dict[str, Any]:
        reasons = self.why(name).reasons
        reason = reasons.get((name, self.target), reasons.get((self.target, name)))
        via = ", ".join(reason.via) if reason is not None and role == "spouse" else None
        test = columns_of(self.result.nearest(self.target, name))
        rule = None if reason is None else reason.rule
        return {"node": name, "role": role, "via": via, **test, "rule": rule}

    def summary(self) -> str:
        """Give a plain text summary."""
        lines = [f"the blanket of {self.target}"]
        lines += [f"  {part}: {', '.join(getattr(self, part)) or '-'}" for part in ROLES]
        return "\n".join([*lines, *map(str, self.lost), self.result.summary()])

    def __str__(self) -> str:
        return self.summary()

    def __repr__(self) -> str:
        parts = [f"{part} {', '.join(names)}" for part in ROLES if (names := getattr(self, part))]
        how = f"{self.search}, {self.result.test}, {self.ledger.n_tests} tests"
        return f"BlanketResult({'; '.join([self.target, *(parts or ['empty']), how])})"

    def plot(self) -> Drawing:
        """Draw the target with its blanket, as far as the search looked: a notebook shows it, `.save` writes it."""
        from paucal.graphs.drawing.svg import Drawing

        kept = {self.target, *self.members}
        return Drawing.of(self.result.graph.subgraph(name for name in self.result.graph.nodes if name in kept))

    def _repr_html_(self) -> str:
        return f"<div>{self.plot().svg}<pre>{html.escape(self.summary())}</pre></div>"

    def to_dict(self, *, all_tests: bool = False) -> dict[str, Any]:
        """Give everything as plain values, the content of `to_json`."""
        members = {part: list(getattr(self, part)) for part in ROLES}
        return {**_JSON.head, "target": self.target, **members, "result": self.result.to_dict(all_tests=all_tests)}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """Read what `to_dict` gave; an error says what is wrong with it."""
        content = plain_lists(_JSON.check(content))
        schemas.check("blanket", content)
        members = {part: tuple(content[part]) for part in ROLES}
        result = SearchResult.from_dict(content["result"])
        for name in (content["target"], *(name for part in members.values() for name in part)):
            result.graph.index(name)
        return cls(content["target"], **members, result=result)

    def __hash__(self) -> int:
        return hash((self.target, self.members, self.result))
