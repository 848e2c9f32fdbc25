"""Many inputs: `PYTHONPATH=tests python -m fuzz.run [inputs]`, 100,000 by default, as `make fuzz` does it."""

# ruff: noqa: T201 - it prints its counts

from __future__ import annotations

import random
import sys
import time
from collections import Counter

from fuzz.targets import mutated, run, seeds

SHARES = {"read": 20, "bif": 20, "graph": 20, "result": 8, "knowledge": 18, "ci_test": 12, "cli": 2}  # of 100


def main() -> None:
    inputs = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    good, foreign = seeds(), 0
    for target, share in SHARES.items():
        rng, counts, began = random.Random(target), Counter[str](), time.perf_counter()
        for _ in range(inputs * share // 100):
            content = mutated(good[target], [rng.randrange(2**20) for _ in range(3 * rng.randint(1, 3))])
            try:
                counts[run(target, content)] += 1
            except Exception as error:  # noqa: BLE001 - that is what is looked for
                counts["foreign"] += 1
                foreign += 1
                if counts["foreign"] <= 3:
                    print(f"{target}: {error!r} of {content[:300]!r}")
        told = ", ".join(f"{counts[kind]:,} {kind}" for kind in ("answered", "refused", "foreign"))
        print(f"{target}: {sum(counts.values()):,} inputs, {told}, {time.perf_counter() - began:.0f} s", flush=True)
    sys.exit(foreign > 0)


if __name__ == "__main__":
    main()
