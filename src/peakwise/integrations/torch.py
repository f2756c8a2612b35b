"""PyTorch: the FLOPs of a real module, traced safely."""

from __future__ import annotations

from typing import Any

from peakwise.core.drawn import Form
from peakwise.core.flop_trace import FlopTrace


def trace_flops(
    module: Any,
    /,
    *args: Any,
    attention: str = "full",
    backward: bool = True,
    values: bool = False,
    **kwargs: Any,
) -> FlopTrace:
    """The FLOPs of one forward and one backward of a `torch.nn.Module`, called with `args` and `kwargs`.

    A copy is traced on fake tensors: nothing is computed, and the module, its gradients, hooks and the random state
    stay as they are. Where its forward reads values (routing by a loop), the copy is computed, and `ran` says `real`.
    The backward starts from `output.loss` where there is one, else from every output that needs a gradient.

    `attention`: `full` counts every query–key pair, as the framework's counter does; `causal` only those that a causal
    call lets see each other. What a mask tensor shows is counted with `values` only, which computes the copy; attention
    written as matmuls is counted in full.

    **Counts / leaves out** matmuls, convolutions, recurrent layers and fused attention, 2 FLOPs per multiply-add;
    elementwise work, scans and kernels that bypass the framework's dispatcher are left out. Heavy operators without a
    formula are listed in `uncounted`: then the totals are a lower bound.

    **Raises** MissingExtra without the extra `torch`; InputError where the call fails, or inside `torch.compile`.
    """
    from dataclasses import replace

    from peakwise.readers.modules.trace import Given, trace_module

    return replace(trace_module(Given(module, args, kwargs), attention, backward=backward, values=values), draw=draw)


def draw(result: FlopTrace, form: Form) -> str:
    """The trace as Markdown or HTML."""
    from peakwise.report.views.trace import render

    return render(result, form)
