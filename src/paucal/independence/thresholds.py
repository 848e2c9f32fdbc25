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

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from paucal import _kernel, checks
from paucal.errors import Argument, ParameterError
from paucal.independence.levels import levels

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paucal.independence.levels import Alpha

Threshold = Literal["calibrated", "spec"] | float


def make_threshold(threshold: Threshold, alpha: Alpha, estimate: str | None) -> _kernel.Threshold:
    """Turn the parameter of a test into a threshold of the kernel.

    `alpha` is the level of a calibrated one, and `estimate` the name of the estimate in the calibration, None if it has
    not been calibrated.
    """
    checked = levels(alpha)
    if isinstance(threshold, str) and threshold == "spec":
        return _kernel.Threshold.spec()
    if isinstance(threshold, str) and threshold == "calibrated":
        if estimate is None:
            raise ParameterError(
                "This estimate has no calibrated threshold.",
                hint=("Give ", Argument("threshold", "spec"), " or a number of nats."),
                parameter="threshold",
                value=threshold,
            )
        return _calibrated(estimate, checked if isinstance(checked, tuple) else (checked,))
    hint = "Choose 'calibrated', 'spec' or a number of nats such as 0.05."
    return _kernel.Threshold.fixed(checks.positive_number("threshold", threshold, hint=hint))


@cache
def calibration() -> dict[str, NDArray[Any]]:
    """Load the simulated null distributions."""
    with files(__package__).joinpath("thresholds.npz").open("rb") as file, np.load(file) as stored:
        return dict(stored)


def _calibrated(estimate: str, schedule: tuple[float, ...]) -> _kernel.Threshold:
    from statistics import NormalDist

    data = calibration()
    known = data["alphas"]
    for alpha in schedule:
        if not known.min() <= alpha <= known.max():
            span = f"{known.min():g} to {known.max():g}"
            raise ParameterError(
                (Argument("alpha", alpha), f" is outside the calibrated levels {span}."),
                hint="Choose a level between them, or give the threshold as a number of nats.",
                parameter="alpha",
                value=alpha,
                allowed=span,
            )
    table = {key: data[f"{estimate}/{key}"].astype(np.float64) for key in ("mean", "deviation", "quantile")}
    # Between the simulated levels, quantiles are nearly straight lines in the normal quantile.
    nodes, z = (np.array([-NormalDist().inv_cdf(float(p)) for p in alphas]) for alphas in (known, schedule))
    low = np.clip(np.searchsorted(nodes, z) - 1, 0, len(nodes) - 2)
    upper = ((z - nodes[low]) / (nodes[low + 1] - nodes[low]))[:, None, None, None]
    return _kernel.Threshold.calibrated(
        data["levels"].astype(np.float64),
        float(data["first_ratio"]),
        float(data["step"]),
        table["mean"],
        table["deviation"],
        np.ascontiguousarray((1 - upper) * table["quantile"][low] + upper * table["quantile"][low + 1]),
        z,
    )
