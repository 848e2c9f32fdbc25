"""The page about the paper: every number in its tables stands in the results that it links to."""

from __future__ import annotations

import re
from pathlib import Path

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGE = (DOCS / "reproduction.md").read_text(encoding="utf-8")


def rows_of(text):
    return [line for line in text.splitlines() if line.startswith("| ") and not line.startswith("| ---")]


def test_rows_of_numbers_are_those_of_the_results():
    known = {row for page in (DOCS / "results").glob("*.md") for row in rows_of(page.read_text(encoding="utf-8"))}
    numbers = [row for row in rows_of(PAGE) if len(re.findall(r"\| [+-]?[\d,.]+[ |]", row)) > 2]
    assert len(numbers) > 20
    for row in numbers:
        assert row in known


def test_the_page_is_read_in_ten_minutes():
    prose = re.sub(r"```.*?```", "", PAGE, flags=re.DOTALL)
    words = [word for line in prose.splitlines() if line not in rows_of(PAGE) for word in line.split()]
    assert len(words) < 2000
    assert len(PAGE.splitlines()) < 250


def test_every_experiment_has_its_page():
    from paucal.paper.catalogue import EXPERIMENTS

    for experiment in EXPERIMENTS:
        assert (DOCS / "results" / f"{experiment.name}.md").exists()
        if experiment.name.startswith("figure"):
            assert (DOCS / "results" / f"{experiment.name}.svg").exists()
