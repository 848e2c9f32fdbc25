"""The tests: each says how it is built from counts."""
