"""The methods of the paper's tables, with the settings of its appendix F.1, as data.

A label with a comma is a variant of the method before the comma, whose printed numbers stand beside it as well.
"""

from __future__ import annotations

from paucal.paper.design import Search
from paucal.paper.published import ALPHA

_of = Search.of
# one threshold for all estimates of the mutual information: 0.75 / (r + 1.2) nats at r samples per configuration
_TAU = "spec"
# fewer than five samples per cell: no test is made, and the pair stays joined
_THIN_IS_DEPENDENT = "causal-learner"
_STANDARD = {"colliders": "standard"}
_VALID = {"valid": True}
_PARENTS = {"candidates": "parents"}

R_IEB = _of("rI^eB", "fixrai", "mi-eb", None, threshold=_TAU)
R_BF_CHI2 = _of("rBF_chi2", "fixrai", "bf-chi2")
RAI_BF = _of("RAI-BF", "fixrai", "bf", None)
R_ADP = _of("rI^AdP", "fixrai", "mi-adaptive", None, threshold=_TAU)
R_EBFIX = _of("rI^eBFix", "fixrai", "mi-fixed", None, threshold=_TAU)
PC_STABLE = _of("PC-stable", "pc-stable-bnlearn", "chi2", options=_STANDARD, df="full")

GLOBAL = (R_IEB, R_BF_CHI2, RAI_BF, PC_STABLE)
TESTS = (R_ADP, R_EBFIX, R_IEB, R_BF_CHI2, RAI_BF)
TIMED = (R_IEB, R_BF_CHI2, RAI_BF)
LOCAL = (
    _of("cmb-I^eB", "cmb-published", "mi-eb", None, target="", threshold=_TAU),
    _of("cmb-BF_chi2", "cmb-published", "bf-chi2", target=""),
    _of("CMB", "cmb-published", "g", target="", df="adjusted"),
    _of("CMB, thin = dependent", "cmb-published", "g", target="", convention=_THIN_IS_DEPENDENT),
)
LATENT = (
    _of("fci-I^eB", "cfci-published", "mi-eb", None, threshold=_TAU),
    _of("fci-BF_chi2", "cfci-published", "bf-chi2"),
    _of("cFCI", "cfci-published", "g", convention=_THIN_IS_DEPENDENT),
    _of("cFCI, thin = tested", "cfci-published", "g", df="adjusted"),
)
PC = (
    _of("pcI^eB", "pc", "mi-eb", None, threshold=_TAU),
    _of("pcBF_chi2", "pc", "bf-chi2"),
    _of("PC", "pc", "g", df="adjusted"),
    _of("PC, full df", "pc", "g", df="full"),
)
MMHC = (
    _of("mI^eB", "mmhc", "mi-eb", None, threshold=_TAU),
    _of("mBF_chi2", "mmhc", "bf-chi2"),
    _of("MMHC", "mmhc", "g", df="adjusted"),
    _of("MMHC, full df", "mmhc", "g", df="full"),
)

# Thresholds of the Bayes factor; the paper tunes in [0.2, 2.0].
THRESHOLDS = (0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0)


def with_threshold(threshold: float) -> Search:
    """RAI-BF with another threshold; at 1 the cell is RAI-BF's own.

    >>> with_threshold(0.2).describe()
    'fixrai with bf (eta=0.2)'
    >>> with_threshold(1.0).settings() == RAI_BF.settings()
    True
    """
    label = f"RAI-BF at {threshold:g}"
    return (
        Search(label, RAI_BF.recipe) if threshold == 1.0 else _of(label, "fixrai", "bf", None, eta=threshold)
    )


# Other readings of what the paper leaves open, and of what its programs did.
VARIANTS = (
    R_IEB,
    _of("rI^eB, joint prior", "fixrai", "mi-eb", None, threshold=_TAU, conditional="joint"),
    _of("rI^eB, calibrated threshold", "fixrai", "mi-eb", ALPHA, threshold="calibrated"),
    _of("rI^eB, valid CPDAG", "fixrai", "mi-eb", None, options=_VALID, threshold=_TAU),
    R_BF_CHI2,
    _of("rBF_chi2, literal tables", "fixrai", "bf-chi2", tables="literal"),
    _of("rBF_chi2, literal tables, adjusted df", "fixrai", "bf-chi2", tables="literal", df="adjusted"),
    _of("rBF_chi2, t(0) = 0", "fixrai", "bf-chi2", zero="nought"),
    _of("rBF_chi2, intended orientation", "fixrai", "bf-chi2", options={"orientation": "intended"}),
    _of("rBF_chi2, parents as candidates", "fixrai", "bf-chi2", options=_PARENTS),
    _of("rBF_chi2, valid CPDAG", "fixrai", "bf-chi2", options=_VALID),
    RAI_BF,
    _of("RAI-BF, valid CPDAG", "fixrai", "bf", None, options=_VALID),
    _of("RAI-BF, stripped and strict", "fixrai", "bf", None, bf_style="stripped_strict"),
    PC_STABLE,
    _of("PC-stable, adjusted df", "pc-stable-bnlearn", "chi2", options=_STANDARD, df="adjusted"),
    _of("PC-stable, adjusted df, majority", "pc-stable-bnlearn", "chi2", df="adjusted"),
)

# Appendix F.1: RAI-BF as it is, and with the other variant of RAI; CMB with the repaired procedure as well.
CHECK_RAI = (RAI_BF, _of("RAI-BF, parents as candidates", "fixrai", "bf", None, options=_PARENTS))
CHECK_CMB = (LOCAL[2], _of("CMB, repaired", "cmb", "g", target="", df="adjusted"))

# The classifier needs a graph that a DAG extends, which the program's need not be.
CLASSIFIERS = (
    _of("rI^eB", "rai", "mi-eb", None, threshold=_TAU),
    _of("rBF_chi2", "rai", "bf-chi2"),
    _of("RAI-BF", "rai", "bf", None),
    PC_STABLE,
)
