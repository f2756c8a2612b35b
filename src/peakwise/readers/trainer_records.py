"""The speeds that the Hugging Face Trainer and what is built on it print: of a record, and of the whole run."""

from __future__ import annotations

import re

from peakwise.core.records import Record
from peakwise.core.units import GIBI
from peakwise.readers.logs.hf_dicts import find_dicts
from peakwise.readers.logs.hf_numbers import read_number_of
from peakwise.readers.logs.hf_values import Digits, Sort, read_record, sort_dict
from peakwise.readers.logs.text import strip_colour

# Axolotl's key for the mean since the dict before. Source: axolotl/utils/callbacks/tokens_per_second.py
_AXOLOTL = "tokens/train_per_sec_per_gpu"
# A line of the table after the last dict. Source: transformers/trainer_pt_utils.py, log_metrics
_TABLE = re.compile(r"^[^\n{}]{0,60}?(train_\w{1,60}|total_flos) +=[ \t]*(\S[^\n]{0,60})$", re.MULTILINE)
# The table counts FLOPs in 2³⁰ and calls them GF. Source: transformers/trainer_pt_utils.py, metrics_format
_GIBI_FLOP = re.compile(r"(\d[\d,]*)GF")


def read_records(text: str) -> tuple[Record, ...]:
    """The records that state a speed; the final summary is one of them, its table repeats it."""
    records: list[Record] = []
    summaries: list[dict[str, str]] = []
    for found in find_dicts(strip_colour(text)):
        match sort_dict(found.values):
            case Sort.RECORD:
                records.append(_record(found.values))
            case Sort.SUMMARY:
                summaries.append(found.values)
            case Sort.EVALUATION | Sort.OTHER:
                pass
    table = dict(_TABLE.findall(text))
    if table and summaries:
        summaries[-1] = {**table, **summaries[-1]}
    elif table:
        summaries.append(table)
    records += [_summary(values) for values in summaries]
    return tuple(record for record in records if any(value is not None for value in record))


def _record(values: dict[str, str]) -> Record:
    """One dict of training, each figure of which is the mean since the dict before."""
    found = read_record(values, Digits())
    axolotl = read_number_of(values, _AXOLOTL)
    return Record(
        tokens_per_s_per_device=found.get("tokens_per_s_per_device", axolotl.value if axolotl else None),
        step_s=found.get("step_s"),
        examples_per_s=found.get("samples_per_s"),
    )


def _summary(values: dict[str, str]) -> Record:
    """The whole run: examples of all devices, tokens of one (the Trainer's own rule), FLOPs as it estimates them."""
    examples, tokens = (read_number_of(values, f"train_{unit}_per_second") for unit in ("samples", "tokens"))
    gibi = _GIBI_FLOP.fullmatch(values.get("total_flos", "").strip())
    flop = read_number_of(values, "total_flos")
    total = int(gibi.group(1).replace(",", "")) * GIBI if gibi else flop.value if flop else None
    return Record(
        tokens_per_s_per_device=tokens.value if tokens and tokens.value > 0 else None,
        examples_per_s=examples.value if examples and examples.value > 0 else None,
        total_flop=float(total) if total else None,
    )
