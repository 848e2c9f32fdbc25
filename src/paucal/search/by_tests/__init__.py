"""Searches that ask a test: skeletons, colliders, orientation, and the searches made of them."""
