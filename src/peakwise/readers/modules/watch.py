"""The modes under which a module is traced: every operator is shown to a tally after it has run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from peakwise.counting.operators import Attended, OperatorFlop, Visible
from peakwise.readers.modules.tally import Tally

_CAUSAL = "aten.scaled_dot_product_attention"


@contextmanager
def watch(torch: Any, counter: Any, tally: Tally, *, causal: bool) -> Iterator[None]:
    """Count what runs inside. The framework's counter stands above the tally: it takes composite operators apart."""
    with ExitStack() as stack:
        stack.enter_context(_operators(torch, tally))
        stack.enter_context(counter)
        stack.enter_context(_higher_order(torch, tally))
        if causal:
            stack.enter_context(_attention(torch, tally))
        yield


def _operators(torch: Any, tally: Tally) -> Any:
    class Operators(torch.utils._python_dispatch.TorchDispatchMode):  # type: ignore[misc]
        supports_higher_order_operators = True

        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:  # noqa: ARG002
            out = func(*args, **(kwargs or {}))
            if isinstance(func, torch._ops.OpOverload):
                tally.see(func, args, kwargs or {}, out)
            return out

    return Operators()


def _higher_order(torch: Any, tally: Tally) -> Any:
    outside = torch.utils._python_dispatch._disable_current_modes

    class HigherOrder(torch.utils._python_dispatch.TorchDispatchMode):  # type: ignore[misc]
        supports_higher_order_operators = True

        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:  # noqa: ARG002
            kwargs = kwargs or {}
            if not isinstance(func, torch._ops.HigherOrderOperator):
                return func(*args, **kwargs)
            with outside():  # the counter below refuses most of them
                out = func(*args, **kwargs)
            tally.see_higher_order(func, args, kwargs, out)
            return out

    return HigherOrder()


def _attention(torch: Any, tally: Tally) -> Any:
    """Causal calls of the framework's attention, whatever kernel or matmuls they would become: visible pairs alone."""
    run = torch.nn.functional.scaled_dot_product_attention
    function = _causal_function(torch, tally)

    class Attention(torch.overrides.TorchFunctionMode):  # type: ignore[misc]
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:  # noqa: ARG002
            kwargs = kwargs or {}
            if func is not run:
                return func(*args, **kwargs)
            names = ("query", "key", "value", "attn_mask", "dropout_p", "is_causal")
            call = {**dict(zip(names, args, strict=False)), **kwargs}
            if not call.get("is_causal"):
                if call.get("attn_mask") is not None:
                    tally.note("attention under a mask tensor: its pairs are counted in full")
                return func(*args, **kwargs)
            query, key, value = (call.pop(name) for name in names[:3])
            return function.apply(query, key, value, call)

    return Attention()


def _causal_function(torch: Any, tally: Tally) -> Any:
    class CausalAttention(torch.autograd.Function):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, query: Any, key: Any, value: Any, call: dict[str, Any]) -> Any:
            with tally.paused():
                out = torch.nn.functional.scaled_dot_product_attention(query, key, value, **call)
            *batch, n_queries, d_qk = query.shape
            heads = Visible(causal="top_left").pairs(n_queries, key.shape[-2])
            for size in batch:
                heads *= size
            ctx.attended = Attended(pairs=heads, d_qk=d_qk, d_v=value.shape[-1])
            ctx.fused = tally.fused
            ctx.save_for_backward(query, key, value)
            tally.add(_CAUSAL, OperatorFlop(model=ctx.attended.forward))
            return out

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:  # noqa: ARG004
            needed = tuple(ctx.needs_input_grad[:3])
            tally.add(f"{_CAUSAL} (backward)", ctx.attended.backward(needed, fused=ctx.fused))
            zeros = (torch.zeros_like(tensor) if need else None for tensor, need in zip(ctx.saved_tensors, needed, strict=True))
            return (*zeros, None)  # their values steer nothing: only shapes are traced

    return CausalAttention
