"""What a search may spend: seconds and questions; and who ends it before its time."""

from __future__ import annotations

import signal
import threading
import time
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from paucal import checks
from paucal.errors import counted

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType
    from typing import Self

    from paucal.independence.ledger import Ledger

Why: TypeAlias = Literal["seconds", "tests", "interrupted", "size"]
NO_LIMIT = 2**63


class Allowance(NamedTuple):
    """What somebody allows a search: None means no limit."""

    max_seconds: float | None = None
    max_tests: int | None = None

    @classmethod
    def of(cls, max_seconds: float | None = None, max_tests: int | None = None) -> Allowance:
        """Check what was given."""
        if max_seconds is not None:
            max_seconds = checks.positive_number("max_seconds", max_seconds, hint=checks.no_limit("max_seconds"))
        if max_tests is not None:
            max_tests = checks.whole_number("max_tests", max_tests, 1, NO_LIMIT, hint=checks.no_limit("max_tests"))
        return cls(max_seconds, max_tests)


class Budget:
    """The allowance of one run, which begins here; within it, Ctrl-C ends the run in order.

    The first Ctrl-C is taken note of, and the run ends with what it has; the second is an ordinary one. Signals reach
    the main thread alone, and a handler that somebody else has set is left alone.
    """

    def __init__(
        self,
        allowance: Allowance,
        ledger: Ledger | None = None,
        *,
        tell: Callable[[int], None] | None = None,
    ) -> None:
        self.max_seconds, self.max_tests = allowance
        self.why: Why | None = None
        self._too_large = ""
        self._ledger = ledger
        self._tell = tell
        self._start = time.perf_counter()
        self._handling = False

    @property
    def seconds(self) -> float:
        """Seconds since the run began."""
        return time.perf_counter() - self._start

    @property
    def seconds_left(self) -> float | None:
        """Seconds that the run may still take; None if there is no limit, 0 if it is to end."""
        if self.spent:
            return 0.0
        return None if self.max_seconds is None else max(0.0, self.max_seconds - self.seconds)

    @property
    def asked(self) -> int:
        """Questions so far."""
        return 0 if self._ledger is None else self._ledger.n_calls

    @property
    def left(self) -> int:
        """Questions that may still be asked."""
        return NO_LIMIT if self.max_tests is None else max(0, self.max_tests - self.asked)

    @property
    def spent(self) -> bool:
        """Whether the run is to end."""
        if self.why is None:
            if self.max_tests is not None and self.left == 0:
                self.why = "tests"
            elif self.max_seconds is not None and self.seconds > self.max_seconds:
                self.why = "seconds"
        return self.why is not None

    def give_up(self, too_large: str) -> None:
        """End the run because something has become larger than it can hold."""
        self.why, self._too_large = "size", too_large

    def look(self, done: int) -> bool:
        """Tell how many questions a long call has answered, and whether it is to end; the kernel asks now and then."""
        if self._tell is not None:
            self._tell(done)
        return self.spent

    def __enter__(self) -> Self:
        self._start = time.perf_counter()
        main = threading.current_thread() is threading.main_thread()
        if main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._interrupted)
            self._handling = True
        return self

    def __exit__(self, *_: object) -> None:
        self._give_back()
        self._tell = None  # who is told holds the budget, and would wait with all its memory for the garbage collector

    def _interrupted(self, _signal: int, _frame: FrameType | None) -> None:
        self.why = "interrupted"
        self._give_back()

    def _give_back(self) -> None:
        if self._handling:
            self._handling = False
            signal.signal(signal.SIGINT, signal.default_int_handler)

    def told(self, stage: str | None) -> str | None:
        """Say in words why the run ended before its time, and where; None if it did not."""
        if self.why is None:
            return None
        reasons = {
            "seconds": f"stopped after {self.seconds:.3g} s, with a limit of {self.max_seconds:g} s"
            if self.max_seconds is not None
            else "",
            "tests": f"stopped after {counted(self.asked, 'test')}, with a limit of {self.max_tests:,}"
            if self.max_tests is not None
            else "",
            "interrupted": f"interrupted after {self.seconds:.3g} s",
            "size": f"stopped, as it met {self._too_large}",
        }
        return reasons[self.why] + ("" if stage is None else f", in the stage {stage!r}")
