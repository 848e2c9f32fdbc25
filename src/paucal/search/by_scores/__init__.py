"""Searches that rate graphs by a score: hill climbing, order search, and the posterior of graphs."""
