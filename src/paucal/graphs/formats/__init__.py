"""Graphs in the formats of other software."""
