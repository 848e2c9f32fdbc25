"""Pictures of graphs: where nodes stand, SVG, TikZ."""
