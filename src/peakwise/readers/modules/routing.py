"""Choices among experts on tensors that are shapes alone: tokens dealt out evenly, so that a loop over experts runs."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any

# What answers by values: where entries are, and one entry as a number.
_PLACES = "aten.nonzero"
_NUMBERS = ("aten.item", "aten._local_scalar_dense")
_CHOICE = "aten.topk"
# Numbers that one tensor of choices may hold: 512 experts for 32,768 tokens, a byte or eight each.
MOST = 2**24


class Dealt:
    """Values of whole numbers that follow from a choice of the k largest, beside the shapes that stand for them.

    Which entries are the largest nobody knows: they are dealt in turn, so that every expert gets its even share. The
    FLOPs of top-k experts do not depend on the balance. `used`: a forward has asked for such a value.
    """

    def __init__(self, torch: Any) -> None:
        self._torch = torch
        self._values: MutableMapping[Any, Any] = torch.utils.weak.WeakIdKeyDictionary()
        self.used = False

    def answer(self, func: Any, args: tuple[Any, ...]) -> Any:
        """What an operator that reads values gives where they were dealt; None for another one."""
        name = str(getattr(func, "_overloadpacket", ""))
        if name not in (_PLACES, *_NUMBERS) or args[0] not in self._values:
            return None
        self.used = True
        value = self._values[args[0]]
        with self._torch.utils._python_dispatch._disable_current_modes():
            if name != _PLACES:
                return value.item()
            places = value.nonzero()
        shape = args[0].new_empty(places.shape, dtype=places.dtype)
        self._values[shape] = places
        return shape

    def follow(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], out: Any) -> None:
        """An operator has run on shapes: run it on the values too, where those of all its operands are known."""
        if not hasattr(func, "_overloadpacket"):
            return
        if str(func._overloadpacket) == _CHOICE:
            scores: Any = args[0]
            dim: int = args[2] if len(args) > 2 else kwargs.get("dim", -1)
            self._values[out[1]] = self._deal(out[1].shape, dim, scores.shape[dim])
            return
        if not self._values:  # nothing was chosen yet
            return
        tensors = self._tensors((args, kwargs))
        if not all(tensor in self._values for tensor in tensors):
            if func._schema.is_mutable:  # its first operand is written over by what nobody knows
                self._values.pop(next(iter(args), None), None)
            return
        made = self._tensors(out)
        whole = all(not tensor.is_floating_point() and not tensor.is_complex() for tensor in made)
        if not made or sum(tensor.numel() for tensor in made) > MOST or not (tensors or whole):
            return
        values, options = self._torch.utils._pytree.tree_map(self._value_of, (args, dict(kwargs)))
        if "device" in options:
            options["device"] = "cpu"
        try:
            with self._torch.utils._python_dispatch._disable_current_modes(), self._torch.no_grad():
                found = func(*values, **options)
        except (NotImplementedError, RuntimeError):  # not on whole numbers, or not here: what it gives stays unknown
            return
        for shape, value in zip(made, self._tensors(found), strict=True):
            self._values[shape] = value

    def _tensors(self, tree: Any) -> list[Any]:
        leaves = self._torch.utils._pytree.tree_leaves(tree)
        return [leaf for leaf in leaves if isinstance(leaf, self._torch.Tensor)]

    def _value_of(self, leaf: Any) -> Any:
        return self._values[leaf] if isinstance(leaf, self._torch.Tensor) else leaf

    def _deal(self, shape: Any, dim: int, n_choices: int) -> Any:
        """Entries 0, 1, 2 … in turn along `dim`: k in a row never repeat one, as k is at most the number of choices."""
        with self._torch.utils._python_dispatch._disable_current_modes():
            turned = [size for index, size in enumerate(shape) if index != dim % len(shape)]
            dealt = self._torch.arange(shape.numel()) % n_choices
            return dealt.reshape([*turned, shape[dim]]).movedim(-1, dim)
