"""How an answer is told to libraries that think in p-values only."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from paucal.independence.answers import INDEPENDENT, THIN

if TYPE_CHECKING:
    from paucal.independence.answers import Answer
    from paucal.independence.native import KernelTest


def as_p_value(test: KernelTest, answer: Answer) -> float:
    """Give the p-value, or 1 for independent and 0 for not where there is none or it did not decide.

    Bayes factors and information have no p-value; a rule for thin tables (`sparse`) decides without it. An undecidable
    question is not independent: it keeps its edge.
    """
    decided_otherwise = answer.flags & THIN and test.parameters["sparse"] != "test"
    if math.isnan(answer.p_value) or decided_otherwise:
        return float(answer.decision == INDEPENDENT)
    return answer.p_value
