"""Orientation rules: what follows from the marks that are already there."""
