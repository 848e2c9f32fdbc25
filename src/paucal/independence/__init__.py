"""Conditional independence tests: one protocol, many statistics."""
