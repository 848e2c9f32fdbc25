"""The chains of a sampler, a slice at a time: by threads here, or by whoever shares the work (`search/parallel.py`).

Elsewhere a chain goes with its state, and what it has come to comes back. It takes its random numbers with it, so every
bit is the same wherever it runs and however long its slices are; and as here nothing changes before a slice is back, a
cluster that has lost a worker does the slice again.
"""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from paucal.independence.budget import Allowance, Budget
from paucal.search.parallel import each, goes_elsewhere

if TYPE_CHECKING:
    from collections.abc import Callable

    from paucal.search.run import Look, ScoreRun

_SHORT = 0.5  # seconds: such slices grow, as each of them has to travel; longer ones would let Ctrl-C wait

P = TypeVar("P")


class Sampler(Protocol):
    """Chains of the kernel that hand out their state and take it in."""

    def run(self, times: int, /, *, record: bool, threads: int, look: Look | None = None) -> None:
        """Let every chain go on."""

    def state(self, chain: int) -> bytes:
        """Give what a chain has come to."""

    def take(self, chain: int, state: bytes) -> None:
        """Let a chain be where another one is."""


class Chains(Generic[P]):
    """All chains of a sampler, which go on together.

    `packed` gives a chain in a form that travels, and `unpacked` makes of that, elsewhere, a sampler with this chain
    alone. `least` is the length of a slice, of which the chains do one after the other here.
    """

    def __init__(
        self,
        sampler: Sampler,
        chains: int,
        *,
        packed: Callable[[int], P],
        unpacked: Callable[[P], Any],
        least: int,
        threads: int,
    ) -> None:
        self._sampler, self._chains = sampler, chains
        self._packed, self._unpacked = packed, unpacked
        self._slice, self._threads = least, threads
        self._elsewhere = chains > 1 and goes_elsewhere()

    def go_on(self, most: int, *, record: bool, run: ScoreRun | None) -> int:
        """Let every chain do a slice of at most so much; give how much."""
        length = min(self._slice, most)
        if not self._elsewhere:
            look = None if run is None else run.budget.look
            self._sampler.run(length, record=record, threads=self._threads, look=look)
            return length
        began = time.perf_counter()
        seconds = None if run is None else run.budget.seconds_left
        work = partial(_gone_on, self._unpacked, length, seconds, record=record)
        # all at once: a chain that has come back must not be what another one of the same slice begins with
        for chain, state in enumerate(list(each(work, [self._packed(chain) for chain in range(self._chains)]))):
            self._sampler.take(chain, state)
        if time.perf_counter() - began < _SHORT:
            self._slice *= 2
        return length


def _gone_on(unpacked: Callable[[P], Any], length: int, seconds: float | None, packed: P, *, record: bool) -> bytes:
    """Let one chain go on, in whatever process this is, and give its state."""
    budget = Budget(Allowance(seconds))
    sampler = unpacked(packed)
    sampler.run(length, record=record, threads=1, look=budget.look)
    state: bytes = sampler.state(0)
    return state
