"""Slow, obvious twins of what the kernel computes: the formulas as functions, for the tests alone.

- `tables`: counting, and the two classical statistics. A statistic is a function from `Cells` to a `Reading`, and its
  parameters are those of the public test with the same name.
- `bayes`, `information`: the statistics of the paper, and what they stand on
- `moments`: the smoothed chi-square and its cumulants under permutation
- `trend`: tests that see the order of levels
- `shuffle`: the permutation test, with the kernel's own random numbers
- `asking`: from a statistic to an answer: constant columns, thin tables
- `graphs`: every DAG, its class, how far a class is from shares of edges
- `scores`: scores of families
- `missing`: the posterior of DAGs where values are missing, by going through all completions
- `mixed`: the score of sets with numbers
- `posterior`: the best DAG and the posterior of DAGs, by going through all of them
- `searches`: searches by tests, as plain loops

Nothing here is meant to be fast, and nothing imports the kernel.
"""
