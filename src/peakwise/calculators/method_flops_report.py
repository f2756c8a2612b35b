"""What the report of method FLOPs says: one line of news, and the rule."""

from __future__ import annotations

from collections.abc import Mapping

from peakwise.calculators.method_passes import ROLLOUTS, Method
from peakwise.core.calculation import Report
from peakwise.core.declaration import Value
from peakwise.core.rounding import format_fixed
from peakwise.core.units import to_percent

RULES: dict[Method, str] = {
    "forward": "Forward only: 2N and attention",
    "full": "Full: 6N and 3 attentions",
    "lora": "Adapters: 4N and their own 6A; a frozen weight has no gradient of its own",
    "qlora": "Adapters: 4N and their own 6A; unpacking 4-bit weights is time, not FLOPs",
    "adapters-top": "Adapters in the last layers: backward stops at the lowest of them",
    "top-only": "The last layers train: backward stops at the lowest of them",
    "dpo": "DPO: 6N of the policy and 2N of a live reference, a token of either answer",
    "dpo-cached": "DPO with a cached reference: 6N a token of either answer",
    "dpo-lora": "DPO with adapters: 4N of the policy and 2N of the model without them",
    "reward": "Reward model: 6N a token of either answer",
    "distillation": "Distillation: 6N of the student and 2N of the teacher",
    "grpo": "GRPO: decode 2N, prefill 2N, old and reference 2N each, training 6N",
    "ppo": "PPO: as GRPO, and reward 2N, value 2N and critic 6N of their own parameters",
}


def write_report(method: Method, results: Mapping[str, Value | None], rule: str) -> Report:
    """The report of one calculation; numbers in the units that people read."""
    step = method in ROLLOUTS
    return Report(
        headline=_step(results) if step else _token(results),
        facts=(),
        rule=(RULES[method], rule),
        hero="step_s" if step else "multiplier",
        label="Step" if step else "Multiplier",
    )


def _token(results: Mapping[str, Value | None]) -> str:
    ratio = results["ratio_to_full"]
    if not isinstance(ratio, int | float):
        return "an input is missing"
    return f"{format_fixed(ratio, 3)} of the work of full training"


def _step(results: Mapping[str, Value | None]) -> str:
    flop, time, mfu = results["share_decode"], results["time_share_decode"], results["mfu"]
    assert isinstance(flop, float | int) and isinstance(time, float) and isinstance(mfu, float)  # noqa: PT018  of a step
    said = f"decoding is {format_fixed(to_percent(flop), 1)} % of the FLOPs and {format_fixed(to_percent(time), 1)} %"
    return f"{said} of the time; MFU of the step {format_fixed(to_percent(mfu), 1)} %"
