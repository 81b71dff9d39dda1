"""What the differentially private prefix-tree queries share: noise, prefix tree, sampler, parameters.

A query asks, length by length, how many cases have each prefix that one more activity (or the end) makes of the
prefixes kept so far, adds noise, and keeps the counts that reach a threshold. Most of these candidates occur in no
case. Their noisy counts are independent and alike, so here the number that survives is drawn, then which ones and
their counts: the same law as noise on every candidate, at the cost of the survivors.
"""
