"""The modes under which a module is traced: every operator is shown to a tally after it has run."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from math import prod
from typing import Any

from peakwise.counting.operators import Attended, OperatorFlop, Visible
from peakwise.readers.modules.routing import Dealt
from peakwise.readers.modules.tally import Tally

_MASKED = "aten.scaled_dot_product_attention"


@contextmanager
def watch(torch: Any, counter: Any, tally: Tally, *, causal: bool, dealt: Dealt | None = None) -> Generator[None]:
    """Count what runs inside. The framework's counter stands above the tally: it takes composite operators apart.

    `dealt` answers where the forward asks which experts were chosen.
    """
    with ExitStack() as stack:
        stack.enter_context(_operators(torch, tally, dealt))
        stack.enter_context(counter)
        stack.enter_context(_higher_order(torch, tally))
        if causal:
            stack.enter_context(_attention(torch, tally))
        yield


def _operators(torch: Any, tally: Tally, dealt: Dealt | None) -> Any:
    class Operators(torch.utils._python_dispatch.TorchDispatchMode):  # type: ignore[misc]
        supports_higher_order_operators = True

        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            kwargs = kwargs or {}
            answer = None if dealt is None else dealt.answer(func, args)
            if answer is not None:
                return answer
            out = _run(torch, func, args, kwargs)
            if dealt is not None:
                dealt.follow(func, args, kwargs, out)
            if isinstance(func, torch._ops.OpOverload):
                tally.see(func, args, kwargs, out)
            return out

    return Operators()


def _run(torch: Any, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The operator; of a grouped matmul on shapes alone the shape, whose rules refuse types that its kernel takes."""
    if func is not torch.ops.aten._grouped_mm.default or not _is_shape(torch, args[0]):
        return func(*args, **kwargs)
    first, second = args[:2]
    offsets: Any = args[2] if len(args) > 2 else kwargs.get("offs")
    groups: list[int] = []
    if first.ndim == second.ndim:
        groups = [first.shape[0]] if first.ndim == 3 else [offsets.shape[0]]
    return first.new_empty([*groups, first.shape[-2], second.shape[-1]], dtype=kwargs.get("out_dtype") or first.dtype)


def _is_shape(torch: Any, tensor: Any) -> bool:
    return isinstance(tensor, torch._subclasses.fake_tensor.FakeTensor) or tensor.device.type == "meta"


def _higher_order(torch: Any, tally: Tally) -> Any:
    outside = torch.utils._python_dispatch._disable_current_modes

    class HigherOrder(torch.utils._python_dispatch.TorchDispatchMode):  # type: ignore[misc]
        supports_higher_order_operators = True

        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            kwargs = kwargs or {}
            if not isinstance(func, torch._ops.HigherOrderOperator):
                return func(*args, **kwargs)
            with outside():  # the counter below refuses most of them
                out = func(*args, **kwargs)
            tally.see_higher_order(func, args, kwargs, out)
            return out

    return HigherOrder()


def _attention(torch: Any, tally: Tally) -> Any:
    """Masked calls of the framework's attention, whatever kernel or matmuls they would become: visible pairs alone."""
    run = torch.nn.functional.scaled_dot_product_attention
    function = _masked_function(torch, tally)

    class Attention(torch.overrides.TorchFunctionMode):  # type: ignore[misc]
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            kwargs = kwargs or {}
            if func is not run:
                return func(*args, **kwargs)
            names = ("query", "key", "value", "attn_mask", "dropout_p", "is_causal")
            call = {**dict(zip(names, args, strict=False)), **kwargs}
            pairs = _masked_pairs(torch, call)
            if pairs is None:
                if call.get("attn_mask") is not None:
                    tally.note("attention under a mask tensor: its pairs are counted in full")
                return func(*args, **kwargs)
            query, key, value = (call.pop(name) for name in names[:3])
            return function.apply(query, key, value, pairs, call)

    return Attention()


def _masked_pairs(torch: Any, call: dict[str, Any]) -> int | None:
    """Visible pairs of all sequences and query heads; None without a mask, or under one whose values nobody knows."""
    query, key, mask = call["query"], call["key"], call.get("attn_mask")
    batch = prod(query.shape[:-2])
    if call.get("is_causal"):
        return batch * Visible(causal="top_left").pairs(query.shape[-2], key.shape[-2])
    if mask is None or _is_shape(torch, mask):
        return None
    with torch.utils._python_dispatch._disable_current_modes():  # a tensor that the module holds has values
        whole = mask.expand(*query.shape[:-1], key.shape[-2])
        # A mask that is added hides a pair by its type's lowest number or below; half of that leaves room for sums.
        shown = whole if mask.dtype == torch.bool else whole > torch.finfo(mask.dtype).min / 2
        return int(shown.sum())


def _masked_function(torch: Any, tally: Tally) -> Any:
    class MaskedAttention(torch.autograd.Function):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, *given: Any) -> Any:
            query, key, value, pairs, call = given
            with tally.paused():
                out = torch.nn.functional.scaled_dot_product_attention(query, key, value, **call)
            ctx.attended = Attended(pairs=pairs, d_qk=query.shape[-1], d_v=value.shape[-1])
            ctx.fused = tally.fused
            ctx.save_for_backward(query, key, value)
            tally.add(_MASKED, OperatorFlop(model=ctx.attended.forward))
            return out

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:  # noqa: ARG004
            needed = tuple(ctx.needs_input_grad[:3])
            tally.add(f"{_MASKED} (backward)", ctx.attended.backward(needed, fused=ctx.fused))
            pairs = zip(ctx.saved_tensors, needed, strict=True)
            zeros = (torch.zeros_like(tensor) if need else None for tensor, need in pairs)
            return (*zeros, None, None)  # gradients of any value will do: they steer nothing

    return MaskedAttention
