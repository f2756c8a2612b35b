"""`pw.count` against tracing the same model on the meta device: `python bench/count_vs_trace.py`.

The peer: transformers on the meta device under FlopCounterMode, the forward pass, every query seeing every key.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

import peakwise as pw

CONFIGS = Path(__file__).parent.parent / "src" / "peakwise" / "facts" / "configs"
MODELS = ("llama-3.1-8b", "deepseek-v3")
SEQ = 4096
ROUNDS = 5


def best_s(work: Callable[[], int]) -> tuple[float, int]:
    """The least wall time of a few rounds, and what the work gave."""
    times: list[float] = []
    given = 0
    for _ in range(ROUNDS):
        begun = time.perf_counter()
        given = work()
        times.append(time.perf_counter() - begun)
    return min(times), given


def counted(model: str) -> int:
    """Forward FLOPs by Peakwise."""
    return pw.count(model, seq=SEQ, mode="forward", attention="full").ledger.forward


def traced(config: dict[str, object]) -> int:
    """Forward FLOPs by the framework's counter, the model built anew on the meta device."""
    import torch
    import transformers.masking_utils
    from torch.utils.flop_counter import FlopCounterMode

    # Whether sequences are packed is read from token values, which the meta device has not: none are.
    transformers.masking_utils.find_packed_sequence_indices = lambda *_: None
    made = transformers.AutoConfig.for_model(**config)
    made._attn_implementation = "eager"
    made._experts_implementation = "batched_mm"
    with torch.device("meta"):
        model = transformers.AutoModelForCausalLM.from_config(made)
        tokens = torch.zeros((1, SEQ), dtype=torch.long)
    with torch.device("meta"), torch.no_grad(), FlopCounterMode(display=False) as counter:
        model(input_ids=tokens, use_cache=False)
    return counter.get_total_flops()


def main() -> None:
    """Prints both times and their ratio for each model, and whether the two counts agree."""
    for name in MODELS:
        config = json.loads((CONFIGS / f"{name}.json").read_text(encoding="utf-8"))
        ours_s, ours = best_s(lambda name=name: counted(name))
        theirs_s, theirs = best_s(lambda config=config: traced(config))
        same = "the same count" if ours == theirs else f"counts differ: {ours} and {theirs}"
        print(f"{name}: count {ours_s:.4f} s, trace {theirs_s:.3f} s: {theirs_s / ours_s:.0f} × as fast; {same}")


if __name__ == "__main__":
    main()
