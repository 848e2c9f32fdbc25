"""What is in a table, and what is done to it before anything is learned from it.

answers      values that mean that there is no answer
describe     one column: its kind in words, levels or range
relations    columns together: copies, recodings, functions, skipped questions
missingness  rows that gaps leave, and what absence depends on
sums         numbers that are the sum of others
findings     each with what it does to discovery, and what to do about it
proposal     from findings to a preparation
intake       raw data on their way in; `prepare`
sufficiency  samples per cell of tests
summary      `inspect`
"""

from paucal.inspection.intake import prepare
from paucal.inspection.sufficiency import ENOUGH, sufficiency
from paucal.inspection.summary import Inspection, inspect

__all__ = ["ENOUGH", "Inspection", "inspect", "prepare", "sufficiency"]
