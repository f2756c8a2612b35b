"""One table holds every code."""

from __future__ import annotations

import json
from pathlib import Path

from peakwise.core.codes import CODES, TABLE

FIELDS = json.loads((Path(__file__).parents[1] / "data/fields.json").read_text())


def test_every_code_stands_once_and_says_when_it_is_given() -> None:
    assert len(CODES) == len(TABLE)
    assert all(code.when and code.id.startswith(("E_", "W_")) for code in TABLE)


def test_the_table_holds_every_code_of_the_calculators_with_its_kind() -> None:
    for kind in ("error", "warning"):
        assert set(FIELDS["codes"][f"{kind}s"]) <= {code.id for code in TABLE if code.kind == kind}
