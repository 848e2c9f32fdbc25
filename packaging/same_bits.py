"""Print digests of what the kernel computes, for comparing two machines bit for bit (see portable.py)."""

from __future__ import annotations

import hashlib
import sys
import warnings

import paucal

QUESTIONS = (("smoke", "dysp", []), ("smoke", "dysp", ["bronc"]), ("lung", "bronc", ["smoke", "either"]))


def digest(*values: object) -> str:
    """A short digest of exact values: Python writes every bit of a floating-point number."""
    return hashlib.sha256(repr(values).encode()).hexdigest()[:16]


def main() -> None:
    """Tests, searches by tests and by scores, and a posterior, on one sample of a bundled network."""
    warnings.simplefilter("ignore")
    data = paucal.load_network("asia").sample(500, seed=1)
    for test in ("g", "chi2", "bf", "bf-chi2", "mi", "mi-eb", "mi-sh", "sci", "chi2-perm", "permutation"):
        answers = [paucal.ci_test(data, x, y, given=given, test=test) for x, y, given in QUESTIONS]
        numbers = [(float(answer.statistic), answer.p_value, answer.decision) for answer in answers]
        sys.stdout.write(f"{test} {digest(numbers)}\n")
    for search in ("pc-stable", "rai", "hill-climbing", "order", "posterior"):
        result = paucal.learn(data, search=search)
        said = result.probabilities() if search == "posterior" else []
        sys.stdout.write(f"{search} {digest(result.graph.to_json(), said)}\n")


if __name__ == "__main__":
    main()
