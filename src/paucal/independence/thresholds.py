"""How much information counts as dependence.

The paper compares estimates of mutual information with "a function of the number of samples per configuration,
estimated on synthetic data" and does not give it. Three answers:

- "calibrated": quantiles of the estimate on independent variables, simulated for numbers of levels from 2 to 24 and
  from 1/64 to 64 samples per cell (`benchmarks/calibrate_thresholds.py`), interpolated, and added up over the strata;
- "spec": tau(r) = 0.75 / (r + 1.2) nats, r samples per configuration of all variables: one curve for all tables, which
  reproduces the paper's experiments best but does not keep a level (docs/calibration.md);
- a number, in nats.
"""

from __future__ import annotations

import math
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from paucal.errors import ParameterError
from paucal.independence.parameters import check_level
from paucal.kernel import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

Threshold = Literal["calibrated", "spec"] | float


def make_threshold(threshold: Threshold, alpha: float, estimate: str | None) -> kernel.Threshold:
    """Turn the parameter of a test into a threshold of the kernel.

    Parameters
    ----------
    threshold
        "calibrated", "spec", or a number of nats.
    alpha
        Level of a calibrated threshold.
    estimate
        Name of the estimate in the calibration; None if it has not been calibrated.
    """
    check_level(alpha)
    if threshold == "spec":
        return kernel.Threshold.spec()
    if threshold == "calibrated":
        if estimate is None:
            raise ParameterError(
                "This estimate has no calibrated threshold.",
                hint='Give threshold="spec" or a number of nats.',
            )
        return _calibrated(estimate, alpha)
    if isinstance(threshold, (int, float)) and not isinstance(threshold, bool) and 0 < threshold < math.inf:
        return kernel.Threshold.fixed(float(threshold))
    raise ParameterError(
        f"threshold={threshold!r} is not a positive number of nats.",
        hint="Choose 'calibrated', 'spec' or a number such as 0.05.",
    )


@cache
def calibration() -> dict[str, NDArray[Any]]:
    """Load the simulated null distributions."""
    with files(__package__).joinpath("thresholds.npz").open("rb") as file, np.load(file) as stored:
        return dict(stored)


def _calibrated(estimate: str, alpha: float) -> kernel.Threshold:
    from scipy.special import ndtri

    data = calibration()
    alphas = data["alphas"]
    if not alphas.min() <= alpha <= alphas.max():
        raise ParameterError(
            f"alpha={alpha!r} is outside the calibrated levels {alphas.min():g} to {alphas.max():g}.",
            hint="Choose a level between them, or give the threshold as a number of nats.",
        )
    table = {key: data[f"{estimate}/{key}"].astype(np.float64) for key in ("mean", "deviation", "quantile")}
    # Quantiles of all levels are straight lines in the normal quantile, or nearly so.
    nodes, z = -ndtri(alphas), -float(ndtri(alpha))
    low = min(max(int(np.searchsorted(nodes, z)) - 1, 0), len(nodes) - 2)
    upper = (z - nodes[low]) / (nodes[low + 1] - nodes[low])
    quantile = (1 - upper) * table["quantile"][low] + upper * table["quantile"][low + 1]
    return kernel.Threshold.calibrated(
        data["levels"].astype(np.float64),
        float(data["first_ratio"]),
        float(data["step"]),
        table["mean"],
        table["deviation"],
        np.ascontiguousarray(quantile),
        z,
    )
