"""What the inference roofline asks and answers. Keys, flags, parameters, ranges: the product's table of fields, C3."""

from __future__ import annotations

from peakwise.calculators.fields.take import take
from peakwise.core.declaration import Declaration, Display, Group, Need, Result, Send
from peakwise.core.units import GIGA, KILO, MS_PER_S

FIELDS = (
    take("params_b", 70, headline=True, required=True),
    take("active_params_b"),
    take("bytes_per_param", 2, headline=True, required=True),
    take("bandwidth_gb_s", 3350, headline=True),
    take("peak_tflops", 989, headline=True),
    take("accelerators", 1),
    take("chip"),
    take("memory_gb"),
    take("batch", 1),
    take("context", 0),
    take("kv_bytes_per_token", 0),
    take("bandwidth_pct", 100),
    take("tokens_per_s", note="a rate that was measured; MBU and MFU are then at this rate"),
    take("target_tokens_per_s"),
    take("n_experts", 0),
    take("top_k", 0),
    take("expert_params_b"),
)

_GB = Display(form="number", unit="GB", scale=GIGA, decimals=1)
_SEQUENCES = Display(form="number", unit="sequences", decimals=0)
_PERCENT = Display(form="percent", decimals=1)

RESULTS = (
    Result(
        key="single_stream_tokens_per_s",
        unit="token/s",
        display=Display(form="number", unit="token/s", decimals=2),
        note="the most that one sequence can reach",
    ),
    Result(
        key="ridge_flop_per_byte",
        unit="FLOP/byte",
        display=Display(form="number", unit="FLOP/byte", decimals=1),
        note="where compute takes over from memory",
    ),
    Result(key="ridge_batch", unit="sequences", display=_SEQUENCES, note="null when no batch reaches it"),
    Result(
        key="tokens_per_s_ceiling",
        unit="token/s",
        display=Display(form="number", unit="token/s", decimals=0, more_below=KILO),
        note="the most at this batch",
    ),
    Result(key="bound", unit="", display=Display(form="text"), note="memory or compute"),
    Result(
        key="latency_s_per_token",
        unit="s",
        display=Display(form="number", unit="ms", scale=1 / MS_PER_S, decimals=2),
        note="batch ÷ ceiling",
    ),
    Result(key="mfu", unit="fraction", display=_PERCENT, note="at the measured rate if given, else at the ceiling"),
    Result(key="mbu", unit="fraction", display=_PERCENT, note="likewise; over the stated bandwidth"),
    Result(key="weight_bytes", unit="byte", display=_GB, note="read per step"),
    Result(key="kv_bytes", unit="byte", display=_GB, note="read per step"),
    Result(key="memory_bytes", unit="byte", display=_GB, note="weights and KV cache"),
    Result(key="fits", unit="", display=Display(form="yes_no"), note="null when the memory is unknown"),
    Result(key="max_batch", unit="sequences", display=_SEQUENCES, note="by memory; null without a KV size"),
    Result(key="streams_needed", unit="sequences", display=_SEQUENCES, note="null when out of reach"),
)

DECLARATION = Declaration(
    id="inference-roofline",
    number="C3",
    summary="the most tokens per second that bandwidth and peak allow while decoding",
    fields=FIELDS,
    results=RESULTS,
    groups=(
        Group(keys=("bandwidth_gb_s", "chip"), exclusive=False),
        Group(keys=("peak_tflops", "chip"), exclusive=False),
    ),
    needs=(Need(keys=("n_experts", "top_k"), when="expert_params_b"),),
    slugs=(
        ("en", "inference-roofline"),
        ("es", "rendimiento-inferencia"),
        ("it", "throughput-inferenza"),
        ("ru", "propusknaya-sposobnost"),
    ),
    hero="tokens_per_s_ceiling",
    facts=("single_stream_tokens_per_s", "bound", "ridge_batch", "latency_s_per_token"),
    sends=(Send(to="mfu", field="tokens_per_s", result="tokens_per_s_ceiling"),),
    lookups=("chip",),
)
