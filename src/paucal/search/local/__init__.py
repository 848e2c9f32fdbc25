"""Searches around one column: its Markov blanket, by several algorithms."""
