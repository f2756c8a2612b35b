"""The FLOPs of a recurrence, by the recurrence itself and by the library's algorithm."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peakwise.core.model import Model
from peakwise.core.scan import SCAN_KINDS, Scan, ScanKind
from peakwise.core.workload import Recompute, Workload
from peakwise.counting.params import count_params
from peakwise.counting.scan import count_scan, recurrent_flop, reference_flop
from peakwise.counting.total import build_ledger
from peakwise.readers.configs.find import find_config
from peakwise.readers.configs.read import read_config

DATA = Path(__file__).parents[1] / "data" / "scans"
ORACLE = json.loads((DATA / "oracle.json").read_text(encoding="utf-8"))
SIZE = st.integers(1, 40)


def load(name: str) -> Model:
    source = find_config(name)
    return read_config(source.data, where=source.where, id=source.id, name=source.name)


def scan(kind: ScanKind, *, heads: int = 3, key: int = 5, value: int = 7, block: int = 4) -> Scan:
    if kind == "conv":
        return Scan(component="conv", name="conv", kind=kind, n_heads=heads, kernel=4, bias=heads)
    if kind == "mamba":
        return Scan(component="ssm", name="scan", kind=kind, n_heads=heads, d_key=key)
    return Scan(component="ssm", name="scan", kind=kind, n_heads=heads, d_key=key, d_value=value, block=block)


def forward(op: Scan, workload: Workload) -> int:
    return count_scan(op, (), workload, layers=1, n_recomputed=0, in_block=True).forward


@pytest.mark.parametrize("entry", ORACLE, ids=lambda entry: entry["name"])
def test_parameters_are_those_of_the_framework(entry: dict[str, object]) -> None:
    model = load(str(entry["name"]))
    parameters = count_params(model)
    assert (parameters.total, parameters.active) == (entry["params_total"], entry["params_active"])
    assert model.tied is entry["tied"]
    assert (model.unread, model.defaults_used) == ((), ())


@pytest.mark.parametrize("entry", ORACLE, ids=lambda entry: entry["name"])
def test_the_reference_rule_gives_the_frameworks_flops(entry: dict[str, int]) -> None:
    """Forward with and without the mask, and backward, to the integer."""
    model = load(str(entry["name"]))
    causal = build_ledger(model, Workload(seq_len=entry["seq"], ssm_rule="reference"))
    full = build_ledger(model, Workload(seq_len=entry["seq"], ssm_rule="reference", attention="full"))
    assert (full.forward, full.backward) == (entry["fwd_model_flops"], entry["bwd_flops"])
    assert causal.forward == entry["fwd_causal_exact"]


def test_the_recurrent_rule_counts_each_number_of_the_state() -> None:
    """Mamba and Mamba-2 seven FLOPs, the delta rule eight, lightning attention five; two for each tap of a kernel."""
    assert recurrent_flop(scan("mamba")) == 7 * 3 * 5
    assert recurrent_flop(scan("ssd")) == 7 * 3 * 5 * 7
    assert recurrent_flop(scan("delta")) == recurrent_flop(scan("kda")) == 8 * 3 * 5 * 7
    assert recurrent_flop(scan("lightning")) == 5 * 3 * 5 * 7
    assert recurrent_flop(scan("conv")) == 2 * 3 * 4


def test_the_recurrent_rule_is_the_default() -> None:
    work = Workload(seq_len=64)
    assert work.to_dict()["ssm_rule"] == "recurrent"
    assert build_ledger(load("mamba-2.8b"), work) == build_ledger(
        load("mamba-2.8b"), replace(work, ssm_rule="recurrent")
    )


@given(kind=st.sampled_from(SCAN_KINDS), sizes=st.tuples(SIZE, SIZE, SIZE), tokens=SIZE, times=st.integers(1, 5))
def test_the_recurrent_rule_is_linear_in_tokens(
    kind: ScanKind, sizes: tuple[int, int, int], tokens: int, times: int
) -> None:
    op = scan(kind, heads=sizes[0], key=sizes[1], value=sizes[2])
    assert forward(op, Workload(seq_len=tokens * times)) == times * forward(op, Workload(seq_len=tokens))


@given(kind=st.sampled_from(SCAN_KINDS), tokens=SIZE, batch=st.integers(1, 5))
def test_the_reference_rule_is_linear_in_sequences(kind: ScanKind, tokens: int, batch: int) -> None:
    work = Workload(seq_len=tokens, ssm_rule="reference")
    assert forward(scan(kind), replace(work, batch=batch)) == batch * forward(scan(kind), work)


@given(kind=st.sampled_from(SCAN_KINDS), lengths=st.lists(SIZE, min_size=1, max_size=5))
def test_packed_documents_are_scanned_apart(kind: ScanKind, lengths: list[int]) -> None:
    packed = Workload(seq_len=max(lengths), lengths=tuple(lengths), ssm_rule="reference")
    alone = sum(forward(scan(kind), Workload(seq_len=length, ssm_rule="reference")) for length in lengths)
    assert forward(scan(kind), packed) == alone


@given(kind=st.sampled_from(("ssd", "delta", "kda")), tokens=SIZE, block=st.integers(1, 9))
def test_the_library_pads_a_sequence_to_whole_chunks(kind: ScanKind, tokens: int, block: int) -> None:
    op = scan(kind, block=block)
    assert reference_flop(op, tokens) == reference_flop(op, -(-tokens // block) * block)


def test_the_library_convolves_over_the_padding_too() -> None:
    assert reference_flop(scan("conv"), 10) == 2 * (10 + 4 - 1) * 3 * 4


@pytest.mark.parametrize("kind", SCAN_KINDS)
@pytest.mark.parametrize("rule", ["recurrent", "reference"])
def test_backward_is_twice_the_forward_and_full_recompute_runs_it_again(kind: ScanKind, rule: str) -> None:
    work = Workload(seq_len=10, ssm_rule="reference" if rule == "reference" else "recurrent")
    term = count_scan(scan(kind), (), work, layers=2, n_recomputed=2, in_block=True)
    assert term.backward_input + term.backward_weight == 2 * term.forward
    assert term.recompute == term.forward


def test_full_recompute_runs_every_scan_again() -> None:
    model = load("mamba2-2.7b")
    ledger = build_ledger(model, Workload(seq_len=64, recompute=Recompute(policy="full")))
    assert ledger.recompute == ledger.forward - sum(t.forward for t in ledger if t.component == "lm_head")


def test_shared_weight_sets_count_once_and_run_at_every_use() -> None:
    """Zamba2's nine attention blocks have two sets of weights."""
    model = load("zamba2-2.7b")
    queries = [op for layer in model.layers for op in layer.ops if op.name == "q"]
    assert len(queries) == 9
    assert sum(getattr(op, "owned", False) for op in queries) == 2
    assert sum(term.layers for term in build_ledger(model, Workload(seq_len=8)) if term.name == "q") == 9


def test_rules_without_a_term_for_a_recurrence_say_so() -> None:
    from peakwise.verbs.count import count

    rules = {rule.id: rule for rule in count("mamba2-2.7b", seq=1024).rules}
    assert rules["palm"].flop_per_token is None
    assert "recurrence" in rules["palm"].why_not
    assert rules["6n"].flop_per_token == 6 * 2702599680
