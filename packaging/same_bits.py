"""Print digests of what the kernel computes, for comparing two machines bit for bit (see portable.py)."""

from __future__ import annotations

import hashlib
import sys
import warnings

import numpy as np

import paucal
from paucal import _kernel

QUESTIONS = (("smoke", "dysp", []), ("smoke", "dysp", ["bronc"]), ("lung", "bronc", ["smoke", "either"]))


def digest(*values: object) -> str:
    """A short digest of exact values: Python writes every bit of a floating-point number."""
    return hashlib.sha256(repr(values).encode()).hexdigest()[:16]


def special_functions() -> dict[str, object]:
    """Every special function of the kernel on 20,000 arguments; sums and quotients of whole numbers make those."""
    n = np.arange(1, 20_001)
    x, small, half_dof = n * 0.00317, n / 20_001, (n % 60 + 1) / 2
    return {
        "lgamma": _kernel.lgamma(x),
        "digamma": _kernel.digamma(x),
        "polygamma": [_kernel.polygamma(order, x) for order in (1, 2, 5)],
        "erfc": _kernel.erfc(x / 2 - 3),
        "gamma_p": _kernel.gamma_p(half_dof, x),
        "gamma_q": _kernel.gamma_q(half_dof, x),
        "chi2_sf": _kernel.chi2_sf(x, 2 * half_dof),
        "chi2_isf": _kernel.chi2_isf(small, 2 * half_dof),
        "regret": [_kernel.log_multinomial_regret(rows, cells) for rows in range(1, 300) for cells in (2.0, 7.0, 90.0)],
        "pearson3": [_kernel.pearson3_sf(v, 9.0, 11.0, third) for v in x[::50].tolist() for third in (0.0, -3.0, 8.0)],
    }


def main() -> None:
    """Special functions; then tests, searches by tests and by scores, and a posterior, on a sample of a network."""
    warnings.simplefilter("ignore")
    for name, values in special_functions().items():
        sys.stdout.write(f"{name} {digest(np.asarray(values).tolist())}\n")
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
