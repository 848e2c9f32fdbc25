"""The methods of the paper's tables, with the settings of its appendix F.1, as data.

A search is one of `paucal.learn` and `paucal.blanket`, or a published program's (`variants/`).
A label with a comma is a variant of the method before the comma, whose printed numbers stand beside it as well.
"""

from __future__ import annotations

from dataclasses import replace

from paucal.paper import published
from paucal.paper.design import Search

_VALID = (("valid", True),)
_PARENTS = (("candidates", "parents"),)
_OBSERVED = (("df", "adjusted"),)
_FULL = (("df", "full"),)
# one threshold for all estimates of the mutual information: 0.75 / (r + 1.2) nats at r samples per configuration
_TAU = (("threshold", "spec"),)
# fewer than five samples per cell: no test is made, and the pair stays joined
_THIN_IS_DEPENDENT = (("convention", "causal-learner"),)

R_IEB = Search("rI^eB", "fixrai", "mi-eb", alpha=None, test_options=_TAU)
R_BF_CHI2 = Search("rBF_chi2", "fixrai", "bf-chi2")
RAI_BF = Search("RAI-BF", "fixrai", "bf", alpha=None)
R_ADP = Search("rI^AdP", "fixrai", "mi-adaptive", alpha=None, test_options=_TAU)
R_EBFIX = Search("rI^eBFix", "fixrai", "mi-fixed", alpha=None, test_options=_TAU)
PC_STABLE = Search(
    "PC-stable", "pc-stable-bnlearn", "chi2", options=(("colliders", "standard"),), test_options=_FULL
)

GLOBAL = (R_IEB, R_BF_CHI2, RAI_BF, PC_STABLE)
TESTS = (R_ADP, R_EBFIX, R_IEB, R_BF_CHI2, RAI_BF)
TIMED = (R_IEB, R_BF_CHI2, RAI_BF)
LOCAL = (
    Search("cmb-I^eB", "cmb-published", "mi-eb", alpha=None, test_options=_TAU),
    Search("cmb-BF_chi2", "cmb-published", "bf-chi2"),
    Search("CMB", "cmb-published", "g", test_options=_OBSERVED),
    Search("CMB, thin = dependent", "cmb-published", "g", test_options=_THIN_IS_DEPENDENT),
)
LATENT = (
    Search("fci-I^eB", "cfci-published", "mi-eb", alpha=None, test_options=_TAU),
    Search("fci-BF_chi2", "cfci-published", "bf-chi2"),
    Search("cFCI", "cfci-published", "g", test_options=_THIN_IS_DEPENDENT),
    Search("cFCI, thin = tested", "cfci-published", "g", test_options=_OBSERVED),
)
PC = (
    Search("pcI^eB", "pc", "mi-eb", alpha=None, test_options=_TAU),
    Search("pcBF_chi2", "pc", "bf-chi2"),
    Search("PC", "pc", "g", test_options=_OBSERVED),
    Search("PC, full df", "pc", "g", test_options=_FULL),
)
MMHC = (
    Search("mI^eB", "mmhc", "mi-eb", alpha=None, test_options=_TAU),
    Search("mBF_chi2", "mmhc", "bf-chi2"),
    Search("MMHC", "mmhc", "g", test_options=_OBSERVED),
    Search("MMHC, full df", "mmhc", "g", test_options=_FULL),
)

# Thresholds of the Bayes factor; the paper tunes in [0.2, 2.0]. At 1 the cell is RAI-BF's own.
THRESHOLDS = (0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0)


def with_threshold(threshold: float) -> Search:
    """RAI-BF with another threshold.

    >>> with_threshold(0.2).describe()
    'fixrai with bf (eta=0.2)'
    >>> with_threshold(1.0) == replace(RAI_BF, label="RAI-BF at 1")
    True
    """
    label = f"RAI-BF at {threshold:g}"
    if threshold == 1.0:
        return replace(RAI_BF, label=label)
    return replace(RAI_BF, label=label, test_options=(("eta", threshold),))


# Other readings of what the paper leaves open, and of what its programs did.
VARIANTS = (
    R_IEB,
    replace(R_IEB, label="rI^eB, joint prior", test_options=(*_TAU, ("conditional", "joint"))),
    replace(
        R_IEB,
        label="rI^eB, calibrated threshold",
        alpha=published.ALPHA,
        test_options=(("threshold", "calibrated"),),
    ),
    replace(R_IEB, label="rI^eB, valid CPDAG", options=_VALID),
    R_BF_CHI2,
    replace(R_BF_CHI2, label="rBF_chi2, literal tables", test_options=(("tables", "literal"),)),
    replace(
        R_BF_CHI2,
        label="rBF_chi2, literal tables, adjusted df",
        test_options=(("tables", "literal"), ("df", "adjusted")),
    ),
    replace(R_BF_CHI2, label="rBF_chi2, t(0) = 0", test_options=(("zero", "nought"),)),
    replace(R_BF_CHI2, label="rBF_chi2, intended orientation", options=(("orientation", "intended"),)),
    replace(R_BF_CHI2, label="rBF_chi2, parents as candidates", options=_PARENTS),
    replace(R_BF_CHI2, label="rBF_chi2, valid CPDAG", options=_VALID),
    RAI_BF,
    replace(RAI_BF, label="RAI-BF, valid CPDAG", options=_VALID),
    replace(RAI_BF, label="RAI-BF, stripped and strict", test_options=(("bf_style", "stripped_strict"),)),
    PC_STABLE,
    replace(PC_STABLE, label="PC-stable, adjusted df", test_options=(("df", "adjusted"),)),
    replace(
        PC_STABLE, label="PC-stable, adjusted df, majority", options=(), test_options=(("df", "adjusted"),)
    ),
)

# Appendix F.1: RAI-BF as it is, and with the other variant of RAI; CMB with the repaired procedure as well.
CHECK_RAI = (RAI_BF, replace(RAI_BF, label="RAI-BF, parents as candidates", options=_PARENTS))
CHECK_CMB = (LOCAL[2], replace(LOCAL[2], label="CMB, repaired", search="cmb"))

# The classifier needs a graph that a DAG extends, which the program's need not be.
CLASSIFIERS = tuple(replace(s, search="rai") if s.search == "fixrai" else s for s in GLOBAL)
