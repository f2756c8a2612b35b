"""The tables of NVIDIA's performance summaries: a row a run, of which the speeds of one GPU are read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from peakwise.core.records import Record
from peakwise.core.units import from_tera

_FLOP = re.compile(r"\W*Model TFLOPS? ?/ ?sec ?/ ?GPU\W*")
_TOKENS = re.compile(r"\W*Tokens ?/ ?sec ?/ ?GPU\W*")
# The first number of a cell; a second one in parentheses is of another release.
_NUMBER = re.compile(r"\W*?(\d[\d,]*(?:\.\d+)?)(?![\d.%])")
_SIGNS = ("|", "\t", ",")


def read_table(text: str) -> tuple[Record, ...]:
    """A record for each row below a header that names the model TFLOP of a second and GPU.

    **Source** docs of Megatron-Bridge and NeMo, performance summary
    """
    return tuple(_rows(text.splitlines()))


def _rows(lines: list[str]) -> Iterator[Record]:
    sign, places = "", dict[str, int]()
    for line in lines:
        header = _header(line)
        if header is not None:
            sign, places = header
            continue
        cells = [cell.strip() for cell in line.split(sign)] if sign else []
        record = _record(cells, places) if places else None
        if record is not None:
            yield record
        elif sign and line.count(sign) < max(places.values()):
            sign, places = "", {}  # the table has ended


def _header(line: str) -> tuple[str, dict[str, int]] | None:
    """The sign between the cells and the place of each column, where a line is a header."""
    if "sec" not in line or "TFLOP" not in line:
        return None
    for sign in _SIGNS:
        cells = line.split(sign)
        flop = _find(cells, _FLOP)
        if flop is not None and len(cells) > 1:
            tokens = _find(cells, _TOKENS)
            return sign, {"flop": flop} | ({} if tokens is None else {"tokens": tokens})
    return None


def _find(cells: list[str], label: re.Pattern[str]) -> int | None:
    return next((place for place, cell in enumerate(cells) if label.fullmatch(cell.strip())), None)


def _record(cells: list[str], places: dict[str, int]) -> Record | None:
    def number(key: str, convert: Callable[[float], float]) -> float | None:
        place = places.get(key)
        match = _NUMBER.match(cells[place]) if place is not None and place < len(cells) else None
        return None if match is None else convert(float(match.group(1).replace(",", "")))

    flop = number("flop", from_tera)
    if flop is None:
        return None
    return Record(flop_per_s_per_device=flop, tokens_per_s_per_device=number("tokens", float))
