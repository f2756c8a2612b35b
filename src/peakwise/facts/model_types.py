"""The facts of a model_type that no field of its configs says, from model_types.toml."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple, cast

from peakwise.core.errors import CatalogError, UnknownModel
from peakwise.facts.section import list_sections, load_section

PATH = Path(__file__).with_name("model_types.toml")
DEFAULTS_PATH = Path(__file__).with_name("config_defaults.toml")
NATIVE_PATH = Path(__file__).with_name("native.toml")

Per = Literal["layer", "attention", "mixer", "moe", "dense", "model"]
PER: tuple[Per, ...] = ("layer", "attention", "mixer", "moe", "dense", "model")

_Table = Mapping[str, object]

# The parts of a row are named tuples: a dataclass each would be a twentieth of the start-up of `count`.


class Linear(NamedTuple):
    """One projection of a row: formulas of its widths, and of whether it is there."""

    name: str
    d_in: str
    d_out: str
    when: str = ""


class Extra(NamedTuple):
    """Weights (`n`), a matmul (`d_in`, `d_out`) or scores (`heads`, `d_head`) of some types alone, as formulas."""

    name: str
    component: str = "other"
    per: Per = "layer"
    when: str = ""
    n: str = ""
    d_in: str = ""
    d_out: str = ""
    bias: str = "0"
    stored: str = "1"
    used: str = "1"
    heads: str = ""
    d_head: str = ""
    keys: str = ""
    over: str = ""
    input_grad: str = "true"
    owned: str = "true"


class ScanFacts(NamedTuple):
    """One recurrence or short convolution of a row, as formulas (core Scan says what each means)."""

    name: str
    kind: str
    when: str
    heads: str
    d_key: str = "1"
    d_value: str = "1"
    block: str = "0"
    kernel: str = "1"
    bias: str = "0"

    @property
    def formulas(self) -> tuple[str, ...]:
        """Every formula of it."""
        return (self.when, self.heads, self.d_key, self.d_value, self.block, self.kernel, self.bias)


class StreamFacts(NamedTuple):
    """One stream of a row, as formulas: what its operations repeat over (core Stream says what each means)."""

    name: str
    origin: str
    steps: tuple[str, ...] = ()
    dims: str = "1"
    merge: str = "1"
    extra: str = "0"
    fixed: str = ""
    multiple: str = "1"
    most: str = ""
    across: str = ""
    also: str = ""


class PartFacts(NamedTuple):
    """One part of a row: where its fields stand, and the row it is read by.

    `at`: the first of these tables that is there; `$` is the whole config. `row`: always this row; `default`: the
    row of the table's own model_type, and this one where it says none. `head`: it has the model's head.
    """

    name: str
    at: tuple[str, ...] = ("$",)
    row: str = ""
    default: str = ""
    head: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelTypeFacts:
    """One row of model_types.toml, its base row merged in. Formulas are text; the table's head explains each key."""

    name: str
    source: str
    not_there: str = ""
    unless: str = ""
    mlp: str = "gated"
    latent: bool = False
    router: bool = True
    head: bool = True
    moe: str = ""
    norm_weights: str = "h"
    norms: str = "2"
    final_norms: str = "1"
    qk_norm: str = "0"
    layer_kind: str = "'full_attention'"
    layer_types: bool = False
    closed: bool = False
    tied: str = "tie_word_embeddings"
    mtp: str = "0"
    owned: str = "true"
    stack: str = "layers"
    over: str = "token"
    causal: str = "True"
    cross_over: str = ""
    cross: tuple[Linear, ...] = ()
    streams: tuple[StreamFacts, ...] = ()
    parts: tuple[PartFacts, ...] = ()
    asks: tuple[str, ...] = ("text",)
    suffixes: tuple[str, ...] = ()
    usual: str = "ForCausalLM"
    sizes: Mapping[str, str] = field(default_factory=dict[str, str])
    attention: tuple[Linear, ...] = ()
    bias: Mapping[str, str] = field(default_factory=dict[str, str])
    kinds: Mapping[str, str] = field(default_factory=dict[str, str])
    extra: tuple[Extra, ...] = ()
    heads: Mapping[str, str] = field(default_factory=dict[str, str])
    synonyms: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    fields: Mapping[str, str] = field(default_factory=dict[str, str])
    nested: tuple[str, ...] = ()
    defaults: Mapping[str, object] = field(default_factory=dict[str, object])
    needs: tuple[tuple[str, ...], ...] = ()
    neutral: tuple[str, ...] = ()
    refuse: Mapping[str, str] = field(default_factory=dict[str, str])
    agree: Mapping[str, str] = field(default_factory=dict[str, str])
    scans: tuple[ScanFacts, ...] = ()


_TABLES = (
    "sizes",
    "attention",
    "bias",
    "kinds",
    "extra",
    "heads",
    "synonyms",
    "fields",
    "defaults",
    "refuse",
    "cross",
    "streams",
    "agree",
    "scans",
)
_LISTS = ("nested", "neutral", "suffixes")
_KNOWN = {f.name for f in fields(ModelTypeFacts)} | {"base"}


def list_model_types() -> tuple[str, ...]:
    """Every model_type that has a row, the refused ones included."""
    return tuple(name for name in list_sections(PATH) if not name.startswith(("_", "native-")))


def nearest(name: str, n: int = 3) -> tuple[str, ...]:
    """The `n` counted model types whose names are nearest."""
    return tuple(get_close_matches(name, _counted(), n=n, cutoff=0.0))


@cache
def _counted() -> tuple[str, ...]:
    """Model types that are counted: no section of theirs says what is not there."""
    return tuple(name for name in list_model_types() if "not_there" not in (load_section(PATH, name) or {}))


def _merge(base: _Table, row: _Table) -> dict[str, object]:
    merged = dict(base)
    for key, value in row.items():
        if key in _TABLES:
            both = dict(cast(_Table, base.get(key, {}))) | dict(cast(_Table, value))
            merged[key] = {name: item for name, item in both.items() if item != ""}
        else:
            merged[key] = value
    return merged


def _raw(name: str) -> dict[str, object]:
    row = load_section(PATH, name)
    if row is None:
        raise CatalogError("a row has an unknown base", where=f"model_types.toml [{name}]", got=name, expected="a row")
    if not row.get("source"):
        raise CatalogError(
            "a row has no source", where=f"model_types.toml [{name}]", got="no source", expected="source"
        )
    unknown = sorted(set(row) - _KNOWN)
    if unknown:
        where = f"model_types.toml [{name}]"
        raise CatalogError("a row has a key that means nothing", where=where, got=", ".join(unknown), expected="a key")
    if name == "_decoder":
        return row
    base = _raw(str(row.get("base", "_decoder")))
    base.pop("not_there", None)
    return _merge(base, row)


def _linear(name: str, text: str) -> Linear:
    widths, _, when = text.partition(" when ")
    d_in, _, d_out = widths.partition("->")
    return Linear(name=name, d_in=d_in.strip(), d_out=d_out.strip(), when=when.strip())


def _extra(name: str, table: Mapping[str, str]) -> Extra:
    if table.get("per", "layer") not in PER:
        where = f"extra {name}"
        raise CatalogError("a row repeats over nothing known", where=where, got=table["per"], expected=", ".join(PER))
    return Extra(name=name, **cast(dict[str, Per], dict(table)))


def _stream(name: str, table: _Table) -> StreamFacts:
    texts = dict(table)
    steps = tuple(cast(list[str], texts.pop("steps", [])))
    return StreamFacts(name=name, steps=steps, **cast(dict[str, str], texts))


def _part(name: str, table: _Table) -> PartFacts:
    rest = dict(table)
    at = tuple(cast(list[str], rest.pop("at", ["$"])))
    row, default = str(rest.get("row", "")), str(rest.get("default", ""))
    return PartFacts(name=name, at=at, row=row, default=default, head=bool(rest.get("head", False)))


def load_model_type(name: str) -> ModelTypeFacts:
    """The row of one model_type; the rows that only serve as bases or native styles are none.

    **Raises** UnknownModel with the nearest types where there is none; CatalogError where the row breaks the rules.
    """
    if name not in list_model_types():
        near = nearest(name)
        kin = next(iter(get_close_matches(name, _counted(), n=1, cutoff=0.6)), "llama")
        raise UnknownModel(
            f'model_type "{name}" is not known',
            where="$.model_type",
            got=name,
            expected=f"a known type; nearest: {', '.join(near)}",
            hint=f"--like {kin}, if its layers are built like those of {kin}",
        )
    return load_row(name)


@cache
def load_row(name: str) -> ModelTypeFacts:
    """Any row of the table: a model_type, a native style or a base.

    **Raises** CatalogError where the row is not there or breaks the rules.
    """
    row = _raw(name)
    row.pop("base", None)
    attention = cast(Mapping[str, str], row.pop("attention", {}))
    extra = cast(Mapping[str, Mapping[str, str]], row.pop("extra", {}))
    synonyms = cast(Mapping[str, list[str]], row.pop("synonyms", {}))
    needs = cast(list[list[str]], row.pop("needs", []))
    lists = {key: tuple(cast(list[str], row.pop(key, []))) for key in _LISTS}
    cross = cast(Mapping[str, str], row.pop("cross", {}))
    streams = cast(Mapping[str, _Table], row.pop("streams", {}))
    scans = cast(Mapping[str, Mapping[str, str]], row.pop("scans", {}))
    parts = cast(Mapping[str, _Table], row.pop("parts", {}))
    asks = cast(list[str], row.pop("asks", ["text"]))
    return ModelTypeFacts(
        name=name,
        attention=tuple(_linear(key, text) for key, text in attention.items()),
        extra=tuple(_extra(key, table) for key, table in extra.items()),
        synonyms={key: tuple(names) for key, names in synonyms.items()},
        nested=lists["nested"],
        needs=tuple(tuple(group) for group in needs),
        neutral=lists["neutral"],
        suffixes=lists["suffixes"],
        cross=tuple(_linear(key, text) for key, text in cross.items()),
        streams=tuple(_stream(key, table) for key, table in streams.items()),
        parts=tuple(_part(key, table) for key, table in parts.items()),
        asks=tuple(asks),
        scans=tuple(ScanFacts(name=key, **table) for key, table in scans.items()),
        **row,  # pyright: ignore[reportArgumentType] -- TOML gives the types the table's head promises; tests load all
    )


def load_defaults(name: str) -> Mapping[str, object]:
    """The values a missing field takes by the class of this model_type; empty where no class is known."""
    return load_section(DEFAULTS_PATH, name) or {}


def match_native(names: set[str]) -> str | None:
    """The row of a config without model_type, by its set of field names; None where no style has it."""
    for row in list_sections(NATIVE_PATH):
        table = cast(Mapping[str, list[str]], load_section(NATIVE_PATH, row))
        any_of = table.get("any", [])
        if (
            names.issuperset(table["has"])
            and names.isdisjoint(table["lacks"])
            and (not any_of or not names.isdisjoint(any_of))
        ):
            return row
    return None
