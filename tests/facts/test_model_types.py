"""Every row of model_types.toml keeps the rules of its table."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path

import pytest

from peakwise.core.errors import CatalogError, UnknownModel
from peakwise.core.model import COMPONENTS
from peakwise.facts import model_types
from peakwise.facts.model_types import (
    DEFAULTS_PATH,
    NATIVE_PATH,
    PATH,
    ModelTypeFacts,
    list_model_types,
    load_defaults,
    load_model_type,
    load_row,
    match_native,
    nearest,
)
from peakwise.facts.section import list_sections, load_section
from peakwise.facts.synonyms import load_synonyms
from peakwise.readers.configs.formula import list_names, parse
from peakwise.readers.configs.pool import KINDS

ROWS = list_sections(PATH)


def formulas(facts: ModelTypeFacts) -> list[str]:
    texts = [facts.moe, facts.norm_weights, facts.norms, facts.final_norms, facts.qk_norm, facts.layer_kind]
    texts += [facts.tied, facts.mtp, *facts.sizes.values(), *facts.bias, *facts.refuse]
    texts += [facts.owned, *facts.agree, *facts.agree.values()]
    texts += [text for scan in facts.scans for text in scan.formulas]
    for linear in facts.attention:
        texts += [linear.d_in, linear.d_out, linear.when]
    for extra in facts.extra:
        texts += [extra.n, extra.d_in, extra.d_out, extra.bias, extra.stored, extra.used, extra.when]
    return [text for text in texts if text not in ("", "true")]


@pytest.mark.parametrize("name", ROWS)
def test_a_row_loads_and_says_its_source(name: str) -> None:
    assert load_row(name).source


@pytest.mark.parametrize("name", ROWS)
def test_every_formula_of_a_row_is_one_over_known_names(name: str) -> None:
    facts = load_row(name)
    known = {*facts.sizes, *facts.fields, *load_synonyms().kinds, "l", "kind", "nth", "norm_weights", "suffix"}
    for text in formulas(facts):
        parse(text)
        unknown = list_names(text) - known
        parts = {part.name for part in facts.parts}  # text_h is a size of the part text
        assert not facts.parts or {word.partition("_")[0] for word in unknown} <= parts, text
        assert facts.parts or name == "_joint" or not unknown, text


@pytest.mark.parametrize("name", ROWS)
def test_the_words_of_a_row_are_known(name: str) -> None:
    facts = load_row(name)
    assert {extra.component for extra in facts.extra} <= set(COMPONENTS)
    assert set(facts.fields.values()) <= set(KINDS)
    assert {*(field for group in facts.needs for field in group), *facts.synonyms} <= {
        *facts.fields,
        *load_synonyms().kinds,
    }
    linears = {linear.name for linear in facts.attention} | {
        "gate",
        "up",
        "down",
        "experts",
        "shared",
        "router",
        "head",
        "score",
    }
    assert set(" ".join(facts.bias.values()).split()) <= linears


def test_no_section_stands_twice() -> None:
    headers = [line for line in PATH.read_text(encoding="utf-8").splitlines() if line.startswith("[")]
    assert len(headers) == len(set(headers))


def test_a_row_without_a_source_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = tmp_path / "rows.toml"
    table.write_text('["_decoder"]\nsource = "x"\n["bare"]\nmlp = "plain"\n["odd"]\nsource = "x"\nmpl = "plain"\n')
    monkeypatch.setattr(model_types, "PATH", table)
    load_row.cache_clear()
    for name in ("bare", "odd"):
        with pytest.raises(CatalogError):
            load_row(name)
    load_row.cache_clear()


def test_an_unknown_type_lists_the_nearest() -> None:
    with pytest.raises(UnknownModel, match="qwen3"):
        load_model_type("qwen3x")
    assert nearest("gema2")[0] == "gemma2"


def test_native_rows_and_bases_are_no_model_types() -> None:
    assert not [name for name in list_model_types() if name.startswith(("_", "native-"))]
    assert set(list_sections(NATIVE_PATH)) <= set(ROWS)
    assert match_native({"hidden_size"}) is None
    for name in ("_decoder", "native-meta"):
        with pytest.raises(UnknownModel):
            load_model_type(name)


def test_the_defaults_have_the_kind_of_their_field() -> None:
    kinds, names = load_synonyms().kinds, load_synonyms().names
    for section in list_sections(DEFAULTS_PATH):
        if section in ROWS and not (load_section(PATH, section) or {}).get("not_there"):
            facts = load_row(section)
            canonical = {alias: name for name in kinds for alias in (name, *names[name])}
            for name, value in load_defaults(section).items():
                kind = facts.fields.get(name) or kinds.get(canonical.get(name, ""))
                if kind is not None:
                    KINDS[kind](value, f"{section}.{name}")


def test_every_key_of_the_rows_is_explained_at_the_head_of_the_table() -> None:
    head = PATH.read_text(encoding="utf-8").partition("\n[")[0]
    for field in fields(ModelTypeFacts):
        assert field.name == "name" or f"#   {field.name} " in head or f"  {field.name}:" in head, field.name


def test_the_tables_are_plain_data() -> None:
    assert json.dumps(load_defaults("gemma3_text"))
    assert load_defaults("no such type") == {}
