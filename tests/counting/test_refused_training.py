"""What trains where it is not known which gradients that needs: refused, never guessed."""

from __future__ import annotations

from typing import Any

import pytest

import peakwise as pw
from peakwise.core.errors import InputError
from peakwise.core.flow import Flow
from peakwise.core.model import Mask, Matmul, Op, Scores, Weights
from peakwise.core.scan import Scan
from peakwise.core.training import parse_train
from peakwise.core.workload import Recompute
from peakwise.counting.adapters import is_target
from peakwise.counting.flow import find_needs
from peakwise.counting.recompute import count_again
from peakwise.counting.scan import reference_flop
from peakwise.counting.training import Block

SCORES = Scores(n_heads=2, d_qk=4, d_v=4, mask=Mask())


def _linear(name: str, component: Any = "attn_proj") -> Matmul:
    return Matmul(component=component, name=name, d_in=8, d_out=8)


@pytest.mark.parametrize(
    "ops",
    [
        (_linear("strange"), SCORES),
        (_linear("q"), SCORES, SCORES),
        (_linear("in_proj", "ssm"), _linear("strange", "ssm")),
        (_linear("q"), SCORES, _linear("strange", "other")),
        (_linear("q"), SCORES, _linear("strange", "mlp")),
    ],
    ids=["a projection", "a second core", "a linear of a mixer", "a linear of no kind", "a linear of the feed-forward"],
)
def test_an_operation_of_which_nobody_knows_what_it_reads_is_named(ops: tuple[Op, ...]) -> None:
    with pytest.raises(InputError, match="is not known"):
        find_needs(ops, Flow(), lambda op: isinstance(op, Matmul))


def test_a_mixer_trains_whole_or_not_at_all() -> None:
    ops = (_linear("in_proj_qkvz", "ssm"), _linear("in_proj_ba", "ssm"))
    with pytest.raises(InputError, match="in_proj_qkvz"):
        find_needs(ops, Flow(), lambda op: op is ops[0])


def test_only_matrices_carry_adapters() -> None:
    train = parse_train("lora:r=4,targets=all")
    assert is_target(_linear("q"), train)
    assert not is_target(SCORES, train)
    assert not is_target(Weights(component="other", name="norms", n=8), train)


@pytest.mark.parametrize(
    ("model", "seq", "said"),
    [
        ("t5-base", "enc=16,dec=8", "more than one stack"),
        ("zamba2-2.7b", 16, "share the weights"),
        ("bert-base", 16, "head_dense stands"),
    ],
)
def test_parts_and_shared_layers_train_whole(model: str, seq: int | str, said: str) -> None:
    assert pw.count(model, seq=seq).ledger.trains
    with pytest.raises(InputError, match=said):
        pw.count(model, seq=seq, train="last:1")


def test_an_unknown_policy_or_recurrence_is_our_own_fault() -> None:
    """No input leads here: the closed sets are checked where a text is read."""
    scan = Scan(component="ssm", name="s", kind="mamba", n_heads=2)
    object.__setattr__(scan, "kind", "other")
    with pytest.raises(AssertionError):
        reference_flop(scan, 4)
    with pytest.raises(AssertionError):
        count_again(SCORES, Block(ops=()), 0, Recompute(policy="other"))  # type: ignore[arg-type]


def test_a_rule_made_for_other_shapes_is_printed_with_a_note() -> None:
    work = pw.count("llama-3.1-8b", seq=64, convention="megatron_2021")
    assert work.flop_per_token == work.under("megatron_2021").flop_per_token
    assert [finding.message for finding in work.warnings if finding.code == "W_RULE_NOTE"]


@pytest.mark.parametrize("rule", ["maxtext", "deepseek"])
def test_half_a_square_is_whole_where_every_query_sees_every_key(rule: str) -> None:
    model = "llama-3.1-8b" if rule == "maxtext" else "deepseek-v3"
    half, whole = (pw.count(model, seq=64, attention=attention) for attention in ("causal", "full"))
    assert half.under(rule).flop_per_token is not None
    scores = whole.components["attn_scores"]
    difference = (whole.under(rule).flop_per_token or 0) - (half.under(rule).flop_per_token or 0)
    assert difference == pytest.approx((scores.forward + scores.backward) / 64 / 2, rel=1e-9)
