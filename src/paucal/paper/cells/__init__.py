"""What is computed in one cell of a grid. Everything in here is part of a cell's key: a change makes new cells."""
