"""reference/peak-tables.md: public tables of peaks beside the catalogue, from the audit's rows."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path

from pages.markdown import opening, page, table

AUDIT = Path(__file__).parents[2] / "tests" / "data" / "table_audit.csv"
Row = dict[str, str]


def write() -> str:
    """The page of other tables: how each does in all, then every device name where one errs."""
    with AUDIT.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    tools = list(dict.fromkeys(row["tool"] for row in rows))
    devices = list(dict.fromkeys(row["torch_device_name"] for row in rows))
    lines = opening(
        "Peaks in other tables",
        f"What {len(tools)} public look-up tables answer for {len(devices)} device names, as the framework reports "
        "them, beside the dense 16-bit figure of the [catalogue](chips.md): TFLOP/s for one device. A table that "
        "answers too little overstates MFU by the inverse of the ratio; one that answers too much understates it. "
        "`missing`: the table has no answer, or says that the device is unknown.",
    )
    lines += ["## In all", ""]
    lines += table(["table", "right:", "too low:", "too high:", "missing:"], [_sums(tool, rows) for tool in tools])
    lines += ["## Every wrong answer", ""]
    wrong = [row for row in rows if row["verdict"].startswith("MFU")]
    lines += table(["table", "device name", "its answer:", "catalogue:", "ratio:", "so MFU is"], map(_wrong, wrong))
    return page(lines)


def _sums(tool: str, rows: Iterable[Row]) -> list[object]:
    verdicts = [row["verdict"] for row in rows if row["tool"] == tool]
    return [tool, *(verdicts.count(each) for each in ("ok", "MFU overstated", "MFU understated", "missing"))]


def _wrong(row: Row) -> list[object]:
    device, answer, ours = row["torch_device_name"], row["tool_peak_tflops"], row["catalogue_dense_16bit_tflops"]
    return [row["tool"], device, answer, ours, row["ratio"], row["verdict"].removeprefix("MFU ")]
