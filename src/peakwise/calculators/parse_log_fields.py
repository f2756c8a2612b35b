"""What the log intake asks and answers: the product's table of fields, C10."""

from __future__ import annotations

from peakwise.calculators.fields.take import take
from peakwise.core.declaration import Declaration, Display, Group, Need, Result, Send
from peakwise.core.units import TERA

FIELDS = (take("text"), take("format"), take("total_flop"), take("time_s"))

_COUNT = Display(form="number", decimals=0)
_TFLOPS = Display(form="number", unit="TFLOP/s", scale=TERA, decimals=1)

RESULTS = (
    Result(key="producer", unit="", display=Display(form="text"), note="who wrote the log; null for a count by hand"),
    Result(key="records", unit="", display=_COUNT, note="that state a speed; a final summary is one"),
    Result(key="used", unit="", display=_COUNT, note="after warm-up and outliers"),
    Result(key="flop_per_s_per_device", unit="FLOP/s", display=_TFLOPS, note="median"),
    Result(key="flop_per_s_per_device_p10", unit="FLOP/s", display=_TFLOPS),
    Result(key="flop_per_s_per_device_p90", unit="FLOP/s", display=_TFLOPS),
    Result(key="tokens_per_s_per_device", unit="token/s", display=_COUNT, note="median"),
    Result(key="step_s", unit="s", display=Display(form="number", decimals=3), note="median"),
    Result(key="examples_per_s", unit="examples/s", display=Display(form="number", decimals=2), note="median"),
    Result(key="total_flop", unit="FLOP", display=Display(form="scientific"), note="of the whole run"),
)

DECLARATION = Declaration(
    id="parse-log",
    number="C10",
    summary="the speeds that a pasted log states",
    fields=FIELDS,
    results=RESULTS,
    groups=(Group(keys=("text", "total_flop")),),
    needs=(Need(keys=("time_s",), when="total_flop"),),
    slugs=(("en", "parse-log"), ("es", "desde-log"), ("it", "da-log"), ("ru", "iz-loga")),
    hero="flop_per_s_per_device",
    facts=("tokens_per_s_per_device", "step_s", "examples_per_s", "used"),
    sends=(
        Send(to="mfu", field="tokens_per_s_per_device", result="tokens_per_s_per_device"),
        Send(to="hfu", field="achieved_tflops", result="flop_per_s_per_device"),
        Send(to="finetune-throughput", field="tokens_per_s_per_device", result="tokens_per_s_per_device"),
    ),
    lookups=("log",),
)
