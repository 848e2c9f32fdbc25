"""What we think stands behind agreement and disagreement with the paper: remarks for the page, by experiment."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

REMARKS: Mapping[str, tuple[str, ...]] = MappingProxyType({})
