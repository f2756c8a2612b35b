"""Padding is hardware work: on the slots that no text fills, and never model FLOPs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from peakwise.core.arrangement import Policy
from peakwise.core.errors import InputError
from peakwise.core.model import Layer, Model, Stream
from peakwise.core.scan import Scan
from peakwise.core.workload import Recompute, Workload
from peakwise.counting.lengths import arrange
from peakwise.counting.params import count_params
from peakwise.counting.rules import count_rules
from peakwise.counting.total import build_ledger

Make = Callable[..., Model]
FOUR = (200, 400, 900, 2100)
LAWS = settings(max_examples=40)
LENGTHS = st.lists(st.integers(1, 32), min_size=1, max_size=8)
WIDTHS = st.integers(1, 40)


def documents(lengths: tuple[int, ...], policy: Policy, size: int, **change: Any) -> Workload:
    arranged = arrange(lengths, policy=policy, batch=size, seq_len=size)
    return Workload(seq_len=max(lengths), lengths=lengths, arranged=arranged, **change)


def test_padding_is_all_that_runs_less_what_is_useful(make: Make) -> None:
    padded = build_ledger(make(), documents(FOUR, "max", 4096))
    useful = build_ledger(make(), Workload(seq_len=2100, lengths=FOUR))
    slots = build_ledger(make(), Workload(seq_len=4096, batch=4))
    assert padded.model == useful.model
    assert padded.padding == slots.model - useful.model
    assert padded.hardware == slots.hardware


def test_a_pack_runs_as_one_sequence(make: Make) -> None:
    packed = build_ledger(make(), documents(FOUR, "pack", 4096))
    assert packed.hardware == build_ledger(make(), Workload(seq_len=4096)).hardware


def test_batches_run_at_their_longest(make: Make) -> None:
    grouped = build_ledger(make(), documents(FOUR, "grouped", 2))
    batches = [build_ledger(make(), Workload(seq_len=length, batch=2)).hardware for length in (400, 2100)]
    assert grouped.hardware == sum(batches)


def test_padded_positions_are_recomputed_too(make: Make) -> None:
    full = Recompute(policy="full")
    padded = build_ledger(make(), documents(FOUR, "max", 4096, recompute=full))
    assert padded.hardware == build_ledger(make(), Workload(seq_len=4096, batch=4, recompute=full)).hardware
    assert padded.recompute == build_ledger(make(), Workload(seq_len=1, lengths=FOUR, recompute=full)).recompute


def test_a_forward_pass_pads_forward_alone(make: Make) -> None:
    padded = build_ledger(make(), documents(FOUR, "max", 4096, mode="forward"))
    assert padded.hardware == build_ledger(make(), Workload(seq_len=4096, batch=4, mode="forward")).forward


def test_texts_that_fill_their_slots_have_no_padding(make: Make) -> None:
    assert build_ledger(make(), documents((64, 64, 64), "max", 64)).padding == 0
    assert build_ledger(make(), documents((64, 64, 64), "longest", 2)).padding == 0


@LAWS
@given(
    lengths=LENGTHS,
    policy=st.sampled_from(["max", "longest", "grouped", "pack"]),
    attention=st.sampled_from(["causal", "full"]),
    mask=st.just({}) | st.sampled_from(["window", "chunk"]).flatmap(lambda key: st.fixed_dictionaries({key: WIDTHS})),
)
def test_padding_is_never_negative_and_leaves_model_flops_alone(
    make: Make, lengths: list[int], policy: Policy, attention: Any, mask: dict[str, int]
) -> None:
    model = make(**mask, layers=1)
    work = documents(tuple(lengths), policy, 32, attention=attention)
    ledger = build_ledger(model, work)
    assert ledger.padding >= 0
    assert ledger.model == build_ledger(model, replace(work, arranged=None)).model


def test_what_a_model_does_once_for_a_text_is_not_done_for_a_pack(make: Make) -> None:
    """A pooled head: four texts in one pack, and still four heads."""
    model = make(layers=1)
    pooled = Stream(name="pooled", origin="text", fixed=1)
    head = next(op for op in model.outside if getattr(op, "name", "") == "lm_head")
    for over in ("pooled", "sequence"):
        once = replace(model, streams=(pooled,), outside=(*model.outside, replace(head, name="pooler", over=over)))
        work = documents(FOUR, "pack", 4096)
        ledger = build_ledger(once, work)
        assert next(term for term in ledger if term.name == "pooler").repeats == 4
        assert ledger.padding == build_ledger(model, work).padding


def test_a_pack_of_chunked_scans_has_no_rule(make: Make) -> None:
    scan = Scan(component="ssm", name="scan", kind="ssd", n_heads=4, d_key=8, d_value=8, block=16)
    model = replace(make(), layers=(Layer(ops=(scan,)),))
    with pytest.raises(InputError, match="one text a sequence") as caught:
        build_ledger(model, documents(FOUR, "pack", 4096, ssm_rule="reference"))
    assert caught.value.where == "--ssm-rule"
    assert build_ledger(model, documents(FOUR, "pack", 4096)).padding > 0
    assert build_ledger(model, documents(FOUR, "max", 4096, ssm_rule="reference")).padding > 0


def test_other_rules_see_the_slot_and_exact_the_texts(make: Make) -> None:
    model = make()
    parameters = count_params(model)

    def figure(work: Workload, rule: str) -> float | None:
        return next(one.flop_per_token for one in count_rules(model, parameters, work) if one.id == rule)

    padded, texts = documents(FOUR, "max", 4096), Workload(seq_len=2100, lengths=FOUR)
    assert figure(padded, "exact") == figure(texts, "exact")
    assert figure(padded, "palm") == figure(Workload(seq_len=4096), "palm")
