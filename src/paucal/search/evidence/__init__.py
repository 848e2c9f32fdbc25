"""What speaks for a result, and how it is told: tests, scores, shares of graphs."""
