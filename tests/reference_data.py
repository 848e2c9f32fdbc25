"""Values and tables that come from elsewhere and are kept in `tests/data`; SOURCES.md there says where from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).resolve().parent / "data"


def reference_cases() -> list[dict[str, Any]]:
    """Small tables with every statistic on them, computed with 50 digits."""
    return json.loads((FOLDER / "reference_values.json").read_text())["cases"]


def published_numbers() -> dict[str, Any]:
    """What the paper prints: its tables by label, row by row, and the sizes of its data."""
    return json.loads((FOLDER / "published_numbers.json").read_text())


def tiled_graph(name: str) -> tuple[list[str], set[tuple[str, str]]]:
    """Columns and arcs of a tiled network as published."""
    columns = (FOLDER / "tiled" / f"{name}_columns.txt").read_text().split()
    matrix = np.loadtxt(FOLDER / "tiled" / f"{name}_graph.txt", dtype=int)
    return columns, {(columns[i], columns[j]) for i, j in np.argwhere(matrix).tolist()}
