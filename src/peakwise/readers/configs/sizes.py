"""The named sizes of one config: the formulas of its row, evaluated over its fields."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import cast

from peakwise.core.errors import CatalogError, ConfigError
from peakwise.core.fields import as_list, shown
from peakwise.facts.model_types import ModelTypeFacts
from peakwise.readers.configs.formula import MOST_LAYERS, Absent, Inexact, evaluate, list_names, parse
from peakwise.readers.configs.pool import Pool

# The whole model, not one of its layers.
MODEL = -1

# Layer types by the words that configs use for them; a row's `kinds` adds more.
LAYER_KINDS = {
    "full_attention": "full_attention",
    "attention": "full_attention",
    "sliding_attention": "sliding_attention",
    "chunked_attention": "chunked_attention",
}
# Kinds of layers that hold softmax attention, and kinds that hold a recurrence or a short convolution. A row's `kinds`
# says which of its words mean the latter; "hybrid" has both, "mlp", "moe" and "none" have neither.
ATTENTION_KINDS = frozenset({*LAYER_KINDS.values(), "hybrid"})
MIXER_KINDS = frozenset({"linear_attention", "conv", "hybrid"})


class Sizes:
    """Values of formulas and named sizes, for the model or for one layer.

    `suffix`: the ending of the class name, by which a formula may know the head. `named`: the sizes of other parts
    of a composite; `text_h` is the `h` of its part `text`.
    """

    def __init__(self, pool: Pool, *, suffix: str = "", named: Mapping[str, Sizes] | None = None) -> None:
        self.pool = pool
        self.suffix = suffix
        self._named = named or {}
        self.facts: ModelTypeFacts = pool.facts
        self._values: dict[tuple[str, int], object] = {}
        self._varies: dict[str, bool] = {"l": True, "kind": True, "nth": True}
        self._layer_types: list[object] | None = None
        self._ordinals: list[int] = []
        self.n_layers = self.whole("L")
        if self.n_layers > MOST_LAYERS:
            where = self._place("L")
            expected = f"at most {MOST_LAYERS}"
            raise ConfigError("too many layers", where=where, got=str(self.n_layers), expected=expected)
        if self.facts.layer_types:
            self._layer_types = self._read_layer_types()

    def varies(self, text: str) -> bool:
        """Does the formula depend on the layer?"""
        return any(self._name_varies(name) for name in list_names(text))

    def _name_varies(self, name: str) -> bool:
        if name not in self._varies:
            formula = self.facts.sizes.get(name)
            self._varies[name] = formula is not None and self.varies(formula)
        return self._varies[name]

    def value(self, text: str, layer: int = MODEL) -> object:
        """The value of a formula. **Raises** ConfigError naming the field where one is missing or does not divide."""
        try:
            return evaluate(text, lambda name: self._look(name, layer))
        except Absent as error:
            raise self._missing(error.name) from error
        except Inexact as error:
            raise self._inexact(error) from error

    def holds(self, text: str, layer: int = MODEL) -> bool:
        """Is the condition met? An empty one is."""
        return text in ("", "true") or bool(self.value(text, layer))

    def whole(self, text: str, layer: int = MODEL, *, least: int = 1) -> int:
        """The value of a formula as a whole number of at least `least`."""
        value = self.value(text, layer)
        if value is None:
            raise self._missing(text)
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            where, expected = self._place(text), f"a whole number of at least {least}"
            raise ConfigError(f"{text} is not a size", where=where, got=shown(value), expected=expected)
        return value

    def kind(self, layer: int) -> str:
        """The layer's type: one of ATTENTION_KINDS or MIXER_KINDS, or what the row calls a layer without both.

        **Raises** ConfigError for a type of layer that is not counted.
        """
        if self._layer_types is None:
            place, word = self.pool.path, self.value(self.facts.layer_kind, layer)
        else:
            place, word = f"{self.pool.place('layer_types')}[{layer}]", self._layer_types[layer]
        kind = self.facts.kinds.get(str(word)) or LAYER_KINDS.get(str(word))
        if kind is None:
            raise ConfigError(
                f"layers of the kind {shown(word)} are not counted yet",
                where=place,
                got=shown(word),
                expected=", ".join(LAYER_KINDS),
                hint="give --like with a model_type whose layers are all softmax attention, if that holds",
            )
        return kind

    def signature(self, texts: tuple[str, ...], layer: int) -> tuple[object, ...]:
        """The layer's values of all formulas that differ by layer: layers with the same signature are alike."""
        return tuple(self._quiet(text, layer) for text in texts)

    def _quiet(self, text: str, layer: int) -> object:
        try:
            value = evaluate(text, lambda name: self._look(name, layer))
        except (Absent, Inexact):
            return None
        return repr(cast(object, value)) if isinstance(value, list) else value

    def _look(self, name: str, layer: int) -> object:
        if name in ("l", "kind"):
            if layer == MODEL:
                layer = 0
            return layer if name == "l" else self.kind(layer)
        if name == "nth":
            return self._nth()[max(layer, 0)]
        if name == "suffix":
            return self.suffix
        formula = self.facts.sizes.get(name) or (self.facts.norm_weights if name == "norm_weights" else None)
        if formula is None:
            part, _, rest = name.partition("_")
            if not self.pool.knows(name) and part in self._named and rest:
                return self._named[part].value(rest)
            if not self.pool.knows(name):
                where = f"model_types.toml [{self.facts.name}]"
                raise CatalogError("a formula names an unknown field", where=where, got=name, expected="a field")
            return self.pool.get(name)
        key = (name, layer if self._name_varies(name) else MODEL)
        if key not in self._values:
            self._values[key] = evaluate(formula, lambda inner: self._look(inner, layer))
        return self._values[key]

    def _nth(self) -> list[int]:
        """For each layer, how many layers before it have its kind."""
        if not self._ordinals:
            seen: dict[str, int] = {}
            for layer in range(self.n_layers):
                kind = self.kind(layer)
                self._ordinals.append(seen.get(kind, 0))
                seen[kind] = seen.get(kind, 0) + 1
        return self._ordinals

    def understood(self) -> frozenset[str]:
        """Every field that a formula of the row could read for this type, whether or not this config made it do so."""
        facts = self.facts
        texts = ["h", "L", "n", "g", "d", "dqk", "dv", "sn", "f", "V", "emb", "positions", "full_window"]
        texts += [facts.norm_weights, facts.norms, facts.final_norms, facts.qk_norm, facts.tied, facts.mtp]
        texts += [facts.layer_kind, *facts.bias, *facts.refuse, facts.mlp]
        texts += [facts.owned, *facts.agree, *facts.agree.values()]
        texts += [text for scan in facts.scans for text in scan.formulas]
        texts += [facts.moe, "E", "k", "e", "eh", "shared"] if facts.moe else []
        texts += ["window"] if facts.layer_types or "sliding" in f"{facts.layer_kind} {facts.kinds}" else []
        texts += ["chunk", "layer_types"] if facts.layer_types or "chunked" in facts.layer_kind else []
        for linear in (*facts.attention, *facts.cross):
            texts += [linear.d_in, linear.d_out, linear.when]
        for stream in facts.streams:
            texts += [stream.merge, stream.extra, stream.fixed, stream.multiple, stream.most]
            texts += [word.strip() for step in stream.steps for word in step.split(",")]
        texts.append(facts.causal)
        for extra in facts.extra:
            texts += [extra.n, extra.d_in, extra.d_out, extra.bias, extra.stored, extra.used, extra.when]
            texts += [extra.heads, extra.d_head, extra.input_grad]
        fields: set[str] = set(facts.fields) if facts.stack == "resnet" else set()  # its builder reads them itself
        todo, seen = set(texts) - {""}, set[str]()
        while todo:
            text = todo.pop()
            seen.add(text)
            for name in list_names(text):
                formula = facts.sizes.get(name)
                if formula is None:
                    fields.add(name)
                elif formula not in seen:
                    todo.add(formula)
        return frozenset(name for name in fields if self.pool.knows(name))

    def field(self, name: str) -> str:
        """The field behind a size, for errors: the last one its formula falls back to."""
        seen: set[str] = set()
        while name in self.facts.sizes and name not in seen:
            seen.add(name)
            tree = ast.walk(parse(self.facts.sizes[name]))
            names = [node.id for node in tree if isinstance(node, ast.Name)]
            names = [inner for inner in names if inner in self.facts.sizes or self.pool.knows(inner)]
            if not names:
                break
            name = names[-1]
        return name

    def _place(self, text: str) -> str:
        return self.pool.place(self.field(text))

    def _missing(self, name: str) -> ConfigError:
        field = self.field(name)
        others = self.pool.names(field)[1:] if self.pool.knows(field) else ()
        also = f" (also read as {', '.join(others)})" if others else ""
        return ConfigError(
            f"{field} is missing, and the model type has no default for it",
            where=f"{self.pool.path}.{field}",
            got="no such field",
            expected="a value",
            hint=f"add {field} to the config{also}",
        )

    def _inexact(self, error: Inexact) -> ConfigError:
        top, bottom = self.field(error.top), self.field(error.bottom)
        more = " and head_dim is absent" if (error.top, error.bottom) == ("h", "n") else ""
        return ConfigError(
            f"{top} {error.a} is not divisible by {bottom} {error.b}{more}".replace(f"{bottom} {bottom}", bottom),
            where=self.pool.place(bottom) if self.pool.knows(bottom) else self.pool.place(top),
            got=f"{error.a} / {error.b}",
            expected=f"a multiple of {error.b}",
            hint="correct the config" + (", or add head_dim" if more else ""),
        )

    def _read_layer_types(self) -> list[object] | None:
        value = self.pool.get("layer_types")
        if value is None:
            return None
        place = self.pool.place("layer_types")
        types = as_list(value, place)
        if len(types) != self.n_layers:
            raise ConfigError(
                "layer_types has another length than the model",
                where=place,
                got=f"{len(types)} entries",
                expected=f"{self.n_layers}, one for each layer of {self._place('L')}",
            )
        return types
