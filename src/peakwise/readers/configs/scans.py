"""The recurrences and short convolutions of a layer, from the row's formulas."""

from __future__ import annotations

from collections.abc import Iterator

from peakwise.core.errors import CatalogError
from peakwise.core.scan import SCAN_KINDS, Scan
from peakwise.facts.model_types import ScanFacts
from peakwise.readers.configs.sizes import Sizes


def build_scans(sizes: Sizes, layer: int) -> Iterator[Scan]:
    """The scans of one layer, in the order of the row."""
    for scan in sizes.facts.scans:
        if sizes.holds(scan.when, layer):
            yield _build(sizes, scan, layer)


def _build(sizes: Sizes, scan: ScanFacts, layer: int) -> Scan:
    kind = dict(zip(map(str, SCAN_KINDS), SCAN_KINDS, strict=True)).get(scan.kind)
    if kind is None:
        where = f"model_types.toml, scan {scan.name}"
        raise CatalogError("no such scan", where=where, got=scan.kind, expected=", ".join(SCAN_KINDS))
    return Scan(
        component="conv" if kind == "conv" else "ssm",
        name=scan.name,
        kind=kind,
        n_heads=sizes.whole(scan.heads, layer),
        d_key=sizes.whole(scan.d_key, layer),
        d_value=sizes.whole(scan.d_value, layer),
        block=sizes.whole(scan.block, layer, least=0),
        kernel=sizes.whole(scan.kernel, layer),
        bias=sizes.whole(scan.bias, layer, least=0),
    )
