"""A module as its FLOPs: one forward and backward of a copy, on shapes alone wherever that is possible."""

from __future__ import annotations

import copy
import logging
from collections.abc import Callable, Generator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple, cast

from peakwise.core.errors import InputError, PeakwiseError
from peakwise.core.flop_trace import FlopTrace, Ran, TracedAttention
from peakwise.core.version import VERSION
from peakwise.readers.modules.framework import load_torch
from peakwise.readers.modules.routing import Dealt
from peakwise.readers.modules.tally import Tally
from peakwise.readers.modules.watch import watch


class Given(NamedTuple):
    """A module and what it is called with."""

    module: Any
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]


class _NeedsValues(Exception):  # the inner signal of a forward that reads what a tensor holds
    pass


def trace_module(given: Given, attention: str = "full", *, backward: bool = True, values: bool = False) -> FlopTrace:
    """The FLOPs of one forward, and one backward from its outputs, of a module that stays as it is.

    A copy is traced: on fake tensors, and with values where its forward reads them (routing by a loop, sizes taken from
    data) or `values` asks for it.

    **Raises** MissingExtra without the framework; InputError for what is no module, inside a compiled call, or where
    values are needed and the module has none.
    """
    torch = load_torch()
    rule = _check(torch, given, attention)
    module = given.module
    module = getattr(module, "_orig_mod", module)  # what a compiled wrapper holds
    given = Given(module, given.args, given.kwargs)
    on_meta = _on_meta(torch, given)
    if values and on_meta:
        raise _no_values("values=True")
    if values:
        return _trace(torch, given, rule, backward, "real")
    try:
        return _trace(torch, given, rule, backward, "fake")
    except _NeedsValues as error:
        if on_meta:
            raise _no_values(str(error.__cause__).strip().splitlines()[0]) from error
        return _trace(torch, given, rule, backward, "real")


def _no_values(got: str) -> InputError:
    return InputError(
        "the module's forward reads values, and tensors on the meta device have none",
        where="trace_flops",
        got=got,
        expected="a forward that goes by shapes, or a module and inputs with values",
        hint="build the module on the CPU; a transformers model: attention and experts other than eager",
    )


def _check(torch: Any, given: Given, attention: str) -> TracedAttention:
    if not isinstance(given.module, torch.nn.Module):
        raise InputError(
            "what is traced is not a module",
            where="module",
            got=type(given.module).__name__,
            expected="a torch.nn.Module",
        )
    if torch.compiler.is_compiling():
        raise InputError(
            "a module is not traced while it is compiled",
            where="trace_flops",
            got="a call inside torch.compile",
            expected="a call outside",
            hint="trace the module before torch.compile",
        )
    if attention in ("full", "causal"):
        return attention
    raise InputError("unknown attention rule", where="attention", got=attention, expected="full or causal")


def _on_meta(torch: Any, given: Given) -> bool:
    tensors = [*given.module.parameters(), *given.module.buffers(), *_tensors(torch, (given.args, given.kwargs))]
    return any(tensor.device.type == "meta" for tensor in tensors)


def _tensors(torch: Any, tree: Any) -> list[Any]:
    return [leaf for leaf in torch.utils._pytree.tree_leaves(tree) if isinstance(leaf, torch.Tensor)]


def _trace(torch: Any, given: Given, attention: TracedAttention, backward: bool, ran: Ran) -> FlopTrace:
    counter = torch.utils.flop_counter.FlopCounterMode(display=False)
    tally = Tally(torch, counter, attention)
    dealt = Dealt(torch) if _on_meta(torch, given) else None  # with values the forward is computed instead
    with ExitStack() as stack:
        stack.enter_context(_untouched(torch))
        copied = _copy(torch, given, ran, tally, stack)
        if not backward:
            stack.enter_context(torch.no_grad())
        with _explained(torch, ran), watch(torch, counter, tally, causal=attention == "causal", dealt=dealt):
            _run(torch, copied, tally, backward)
    if dealt is not None and dealt.used:
        tally.note("the forward goes by which experts were chosen: tokens were dealt to them evenly")
    return FlopTrace(
        module=type(given.module).__name__,
        attention=attention,
        ran=ran,
        forward=tally.total["forward"],
        backward=tally.total["backward"],
        recompute=tally.total["recompute"],
        modules=tally.parts("modules"),
        ops=tally.parts("ops"),
        uncounted=tally.uncounted(),
        notes=tuple(f"{text} ({times} ×)" for text, times in tally.notes.items()),
        version=VERSION,
    )


def _copy(torch: Any, given: Given, ran: Ran, tally: Tally, stack: ExitStack) -> Given:
    """The copy that is run: no weight, gradient or input of the original is touched."""
    if ran == "fake":
        fakes = torch._subclasses.fake_tensor
        mode = fakes.FakeTensorMode(allow_non_fake_inputs=True)
        with fakes.FakeCopyMode(mode):
            module = _deep_copy(given.module)
        stack.enter_context(mode)
        make: Callable[[Any], Any] = mode.from_tensor
    else:
        module = _deep_copy(given.module)
        make = _own

    def replace(leaf: Any) -> Any:
        if not isinstance(leaf, torch.Tensor):
            return leaf
        made = make(leaf)
        tally.know(made, leaf)
        return made

    args, kwargs = torch.utils._pytree.tree_map(replace, (given.args, dict(given.kwargs)))
    return Given(module, args, kwargs)


def _own(tensor: Any) -> Any:
    return tensor.detach().clone().requires_grad_(tensor.requires_grad)


def _deep_copy(module: Any) -> Any:
    try:
        return copy.deepcopy(module)
    except Exception as error:
        raise InputError(
            "the module cannot be copied, and the original is never run",
            where=type(module).__name__,
            got=f"{type(error).__name__}: {error}",
            expected="a module that copy.deepcopy can copy",
            hint="trace the module before it is wrapped or sharded",
        ) from error


def _roots(out: Any) -> Any:
    """The loss where an output by names has one; else all of it."""
    if not isinstance(out, Mapping):
        return out
    fields = dict(cast("Mapping[str, Any]", out))  # what transformers answers is no tree to the framework
    return fields if fields.get("loss") is None else fields["loss"]


def _run(torch: Any, given: Given, tally: Tally, backward: bool) -> None:
    """One forward, and a backward from the loss where the output has one, else from every output with a gradient."""
    out: Any = given.module(*given.args, **given.kwargs)
    if not backward:
        return
    found = _tensors(torch, _roots(out))
    # A sum, because what stands at the very root of a backward pass is attributed to no module.
    roots = [tensor.sum() for tensor in found if tensor.requires_grad]
    if roots:
        torch.autograd.backward(roots, [torch.ones_like(root) for root in roots])
    else:
        tally.note("no output needs a gradient: no backward pass ran")


@contextmanager
def _untouched(torch: Any) -> Generator[None]:
    """Leaves random states and switches of the process as they are; nothing inside is compiled."""
    fast = torch.backends.mha.get_fastpath_enabled()
    log = logging.getLogger("torch._subclasses.fake_tensor")  # prints what a fake tensor cannot do; we raise it
    devices = range(torch.cuda.device_count()) if torch.cuda.is_initialized() else ()
    with torch.random.fork_rng(devices=devices), torch.inference_mode(False), torch.enable_grad():
        torch.backends.mha.set_fastpath_enabled(False)  # it hides its matmuls in one operator
        log.addFilter(_silent)
        try:
            with torch.compiler.set_stance("force_eager"):
                yield
        finally:
            torch.backends.mha.set_fastpath_enabled(fast)
            log.removeFilter(_silent)


def _silent(_: logging.LogRecord) -> bool:
    return False


@contextmanager
def _explained(torch: Any, ran: Ran) -> Generator[None]:
    """Errors of the module's own forward, by what can be done about them."""
    fakes = torch._subclasses.fake_tensor
    needs = tuple(
        getattr(fakes, name)
        for name in (
            "DataDependentOutputException",
            "DynamicOutputShapeException",
            "UnsupportedOperatorException",
            "UnsupportedFakeTensorException",
            "UnsupportedMutationAliasingException",
        )
        if hasattr(fakes, name)
    )
    try:
        yield
    except PeakwiseError:
        raise
    except needs as error:
        raise _NeedsValues from error
    except Exception as error:
        if ran == "fake" and _reads_values(error):
            raise _NeedsValues from error
        raise InputError(
            "the module's call failed while it was traced",
            where="trace_flops",
            got=f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}",
            expected="a call that runs: the module with these arguments",
            hint="call the module once by itself",
        ) from error


def _reads_values(error: Exception) -> bool:
    """A kernel outside the framework that wants memory, or a choice by a value."""
    text = str(error)
    return any(word in text for word in ("data_ptr", "FakeTensor", "fake tensor", "data-dependent", "meta tensor"))
