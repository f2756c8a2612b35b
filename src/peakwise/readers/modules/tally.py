"""What a traced module's operators did, summed while they run: by pass, by module, by operator."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, Literal

from peakwise.core.flop_trace import TracedAttention, TracedPart, Uncounted
from peakwise.counting.operators import OperatorFlop
from peakwise.readers.modules.formulas import count_call
from peakwise.readers.modules.heavy import why_heavy

Pass = Literal["forward", "backward", "recompute"]


class Tally:
    """FLOPs by (pass, name), filled call by call; `counter` is the framework's own, for its formulas and modules."""

    def __init__(self, torch: Any, counter: Any, attention: TracedAttention) -> None:
        self._torch = torch
        self._counter = counter
        self._attention: TracedAttention = attention
        self._known: dict[int, list[int]] = {}
        self._by_op: dict[str, Counter[Pass]] = defaultdict(Counter)
        self._by_module: dict[str, Counter[Pass]] = defaultdict(Counter)
        self._calls: Counter[str] = Counter()
        self._missed: Counter[tuple[str, str]] = Counter()
        self._paused = 0
        self.total: Counter[Pass] = Counter()
        self.notes: dict[str, int] = {}
        self.fused = False

    def know(self, shape_only: Any, tensor: Any) -> None:
        """Remember the values of a small tensor of whole numbers: offsets of packed sequences."""
        if tensor.ndim == 1 and not tensor.is_floating_point() and tensor.device.type != "meta":
            with self._torch.utils._python_dispatch._disable_current_modes():
                self._known[id(shape_only)] = tensor.diff().tolist()

    @contextmanager
    def paused(self) -> Generator[None]:
        """Operators that run inside are not counted; `fused` tells whether a fused attention kernel was among them."""
        self._paused += 1
        self.fused = False
        try:
            yield
        finally:
            self._paused -= 1

    def see(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], out: Any) -> None:
        """One operator that has run."""
        name = str(func._overloadpacket)
        if self._paused:
            self.fused = self.fused or ("_attention" in name and "math" not in name)
            return
        call = {
            argument.name: argument.default_value for argument in func._schema.arguments if argument.has_default_value()
        }
        call |= {argument.name: value for argument, value in zip(func._schema.arguments, args, strict=False)}
        call |= kwargs
        flop = count_call(name, call if "out" in call else {**call, "out": out}, self._attention, self._lengths)
        if flop is None and func._overloadpacket in self._counter.flop_registry:
            formula = self._counter.flop_registry[func._overloadpacket]
            flop = OperatorFlop(model=int(formula(*args, **kwargs, out_val=out)))
        if flop is not None:
            self.add(name, flop)
            self._note_mask(name, call)
        elif why := why_heavy(func.namespace, func._schema.name.split("::")[-1]):
            self._missed[name, why] += 1

    def see_higher_order(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], out: Any) -> None:
        """A higher-order operator that has run: counted where the framework has a formula for it, else named."""
        if self._paused:
            return
        if func in self._counter.flop_registry:
            flop = int(self._counter.flop_registry[func](*args, **kwargs, out_val=out))
            self.add(str(func), OperatorFlop(model=flop))
        elif why := why_heavy("higher_order", str(func)):
            self._missed[f"higher_order.{func}", why] += 1

    def add(self, name: str, flop: OperatorFlop) -> None:
        """One call's FLOPs, in the pass that runs now and under every module that it belongs to."""
        if self._paused:
            return
        did: tuple[tuple[Pass, int], ...] = ((self._pass(), flop.model), ("recompute", flop.again))
        self._calls[name] += 1
        for each, amount in did:
            if amount:
                self.total[each] += amount
                self._by_op[name][each] += amount
                for module in set(self._counter.mod_tracker.parents) - {"Global"}:
                    self._by_module[module][each] += amount

    def _pass(self) -> Pass:
        """In the backward pass only what is recomputed records gradients."""
        if self._torch._C._current_graph_task_id() == -1:
            return "forward"
        return "recompute" if self._torch.is_grad_enabled() else "backward"

    def _lengths(self, offsets: Any) -> list[int] | None:
        known = self._known.get(id(offsets))
        if known is not None:
            return known
        fake = self._torch._subclasses.fake_tensor.FakeTensor
        if not isinstance(offsets, fake) and offsets.device.type != "meta":
            return [int(each) for each in offsets.diff().tolist()]
        self.note("packed sequences whose lengths are not known: each counted at the longest")
        return None

    def _note_mask(self, name: str, call: dict[str, Any]) -> None:
        masks = ("attn_mask", "attn_bias", "bias")
        masked = "attention" in name and any(call.get(mask) is not None for mask in masks)
        if masked and self._attention == "causal":
            self.note("attention under a mask tensor: its pairs are counted in full")

    def note(self, text: str) -> None:
        """A remark on the totals, with how often it applied."""
        self.notes[text] = self.notes.get(text, 0) + 1

    def parts(self, which: Literal["ops", "modules"]) -> tuple[TracedPart, ...]:
        """FLOPs by operator, most first, or by module, in the order of their names."""
        table = self._by_op if which == "ops" else self._by_module
        names = sorted(table) if which == "modules" else sorted(table, key=lambda name: -sum(table[name].values()))
        return tuple(
            TracedPart(
                name=name,
                forward=table[name]["forward"],
                backward=table[name]["backward"],
                recompute=table[name]["recompute"],
                calls=self._calls[name] if which == "ops" else 0,
            )
            for name in names
        )

    def uncounted(self) -> tuple[Uncounted, ...]:
        """Heavy operators without a formula, most calls first."""
        return tuple(Uncounted(op=op, calls=calls, why=why) for (op, why), calls in self._missed.most_common())
