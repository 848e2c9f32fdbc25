"""From graphs to answers: what happens to one column when another is set, averaged over sampled graphs.

==========  ==========================================================================================================
`sampled`   parameters drawn for every sampled DAG, and the distribution of a column when another is set, in each
`filling`   completed tables for graphs, where values are missing
`effect`    the summary of such distributions: means, intervals, differences, in words
`groups`    the groups of a randomised treatment, compared as they are
`canonical` data and graphs in an order that only content decides
`ask`       the questions: one effect, all causes of an outcome, what if
`causes`    in how many sampled DAGs one column causes another, directly or through others
==========  ==========================================================================================================
"""
