"""What a test is made of: its name, its level, its further parameters."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from paucal.checks import native

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paucal.independence.levels import Alpha


@dataclass(frozen=True)
class CISettings:
    """A test by name, with everything it was set to.

    `name` is that of the test; of a function, the function's. `alpha` is its level, None if it compares its statistic
    with something else ("bf" with `eta`).

    >>> print(CISettings("g", 0.01, {"df": "full"}))
    g(alpha=0.01, df='full')
    """

    name: str
    alpha: Alpha | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", MappingProxyType(native(dict(self.options))))
        object.__setattr__(self, "alpha", native(self.alpha))

    @property
    def all(self) -> dict[str, Any]:
        """The level, if there is one, and the further parameters."""
        return ({} if self.alpha is None else {"alpha": self.alpha}) | dict(self.options)

    def __str__(self) -> str:
        inside = ", ".join(f"{key}={value!r}" for key, value in self.all.items())
        return f"{self.name}({inside})" if inside else self.name

    def __hash__(self) -> int:
        return hash((self.name, str(self)))

    def __reduce__(self) -> tuple[Any, ...]:
        return CISettings, (self.name, self.alpha, dict(self.options))
