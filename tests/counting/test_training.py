"""What a frozen weight costs, and what adapters add."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from peakwise.core.errors import InputError
from peakwise.core.flow import Flow
from peakwise.core.ledger import Ledger
from peakwise.core.model import Layer, Matmul, Model
from peakwise.core.scan import Scan
from peakwise.core.training import FULL, Train, parse_train
from peakwise.core.workload import Recompute, Workload
from peakwise.counting.params import count_params
from peakwise.counting.total import build_ledger
from peakwise.verbs.count import count

Make = Callable[..., Model]
SEQ = st.integers(1, 30)
RANK = st.integers(1, 12)
TARGETS = st.sampled_from([(), ("q", "v"), ("q", "k", "v", "o"), ("down",), ("k",), ("gate", "o")])
LAWS = settings(max_examples=40)


def ledger_of(model: Model, train: str | Train, seq: int = 8) -> Ledger:
    said = parse_train(train) if isinstance(train, str) else train
    return build_ledger(model, Workload(seq_len=seq, train=said))


# Published figures


def test_adapters_of_rank_16_on_all_linears_of_llama_8b() -> None:
    """31.83 GFLOP a token at 2,048 and 41.94 M adapter weights (calculators, C7)."""
    work = count("llama-3.1-8b", seq=2048, train="lora:r=16,targets=all")
    assert work.flop_per_token == 31_830_966_272
    assert work.ledger.n_trainable == 41_943_040
    assert count("llama-3.1-8b", seq=2048, train="qlora:r=16,targets=all").ledger == work.ledger


def test_the_first_layers_input_gradients_are_what_all_linears_save() -> None:
    """31.88 GFLOP with them: q, k, v of the first layer, 2(q + k + v) + 2r · 3d."""
    work = count("llama-3.1-8b", seq=2048, train="lora:r=16,targets=all")
    spared = 2 * 4096 * (4096 + 1024 + 1024) + 2 * 16 * 3 * 4096
    adapters, attention = 6 * 41_943_040, 3 * 2 * 32 * 2 * 4096 * 2049 // 2
    assert work.flop_per_token == 4 * 7_504_658_432 + adapters + attention - spared
    assert round((work.flop_per_token + spared) / 1e9, 2) == 31.88


def test_the_last_8_of_32_layers_and_the_head() -> None:
    """24.8957 GFLOP a token at 2,048 (calculators, C7): 2N + a + 4 · head + 8 · (4 · block + 2a/L)."""
    assert count("llama-3.1-8b", seq=2048, train="last:8").flop_per_token == 24_895_684_608
    head = 128_256 * 4096
    frozen = count("llama-3.1-8b", seq=2048, train="last:8,head=frozen")
    assert frozen.flop_per_token == 24_895_684_608 - 2 * head


def test_adapters_in_the_last_layers_follow_the_closed_form() -> None:
    """2N + a + 2 · head + m · (2 · block + 2a/L + 6A/layer), less the first trained layer's input gradients."""
    m, rank, tokens = 4, 16, 2048
    work = count("llama-3.1-8b", seq=tokens, train=f"lora:r={rank},targets=all,last={m}")
    n, head = 7_504_658_432, 128_256 * 4096
    attention = 2 * 32 * 2 * 4096 * (tokens + 1) // 2
    adapters = 41_943_040 // 32
    spared = 2 * 4096 * (4096 + 1024 + 1024) + 2 * rank * 3 * 4096
    layers = m * (2 * (n - head) // 32 + 2 * attention // 32 + 6 * adapters)
    assert work.flop_per_token == 2 * n + attention + 2 * head + layers - spared


# Rules


@LAWS
@given(seq=SEQ, experts=st.integers(0, 4))
def test_full_training_is_three_forwards(make: Make, seq: int, experts: int) -> None:
    model = make(experts=experts, top_k=min(2, experts))
    ledger = ledger_of(model, FULL, seq)
    assert ledger.model == 3 * ledger.forward
    assert ledger.n_trainable == count_params(model).total


@LAWS
@given(seq=SEQ, layers=st.integers(1, 5), data=st.data())
def test_freezing_more_layers_never_costs_more(make: Make, seq: int, layers: int, data: st.DataObject) -> None:
    model = make(layers=layers)
    n = data.draw(st.integers(1, layers))
    fewer, more = (ledger_of(model, Train(kind="last", last=k), seq) for k in (n, min(n + 1, layers)))
    assert fewer.model <= more.model <= ledger_of(model, FULL, seq).model
    assert fewer.n_trainable <= more.n_trainable
    assert fewer.forward == more.forward


@LAWS
@given(seq=SEQ, rank=RANK, targets=TARGETS, experts=st.integers(0, 3))
def test_what_adapters_add_is_linear_in_their_rank(
    make: Make, seq: int, rank: int, targets: tuple[str, ...], experts: int
) -> None:
    model = make(experts=experts, top_k=min(1, experts))

    def lora(r: int) -> Ledger:
        return ledger_of(model, Train(kind="lora", rank=r, targets=targets), seq)

    first = lora(1)
    step = lora(2).model - first.model
    assert lora(rank).model == first.model + (rank - 1) * step
    assert lora(rank).n_trainable == rank * first.n_trainable


@LAWS
@given(seq=SEQ, targets=TARGETS, layers=st.integers(1, 5), data=st.data())
def test_adapters_in_fewer_layers_never_cost_more(
    make: Make, seq: int, targets: tuple[str, ...], layers: int, data: st.DataObject
) -> None:
    n, rank = data.draw(st.integers(1, layers)), data.draw(RANK)
    some, every = (
        ledger_of(make(layers=layers), Train(kind="lora", rank=rank, targets=targets, last=last), seq)
        for last in (n, None)
    )
    assert some.model <= every.model
    assert some.n_trainable * layers == every.n_trainable * n


@LAWS
@given(seq=SEQ, targets=st.sampled_from([(), ("q",), ("v",), ("q", "v"), ("gate", "o")]))
def test_a_frozen_weight_costs_four_where_its_input_needs_a_gradient(
    make: Make, seq: int, targets: tuple[str, ...]
) -> None:
    """Above the first layer every frozen matmul runs twice: forward and the gradient of its input."""
    model = make(layers=4)
    terms = list(ledger_of(model, Train(kind="lora", rank=2, targets=targets, last=2), seq))
    down = [term for term in terms if term.name == "down"]
    cost = [(term.layers, term.backward_input // term.layers) for term in down]
    forward = down[0].forward // down[0].layers
    assert sorted(cost) == [(2, 0), (2, forward)]
    assert all(term.backward_weight == 0 for term in terms if "lora" not in term.name)


def test_each_product_of_attention_is_skipped_whose_operand_needs_no_gradient(make: Make) -> None:
    """Of the four, value adapters need dV alone; query adapters dP and dQ; both three."""
    for targets, products in ((("v",), 1), (("q",), 2), (("k",), 2), (("q", "v"), 3), (("q", "k", "v"), 4)):
        ledger = ledger_of(make(layers=1), Train(kind="lora", rank=2, targets=targets))
        (scores,) = (term for term in ledger if term.component == "attn_scores")
        assert 2 * scores.backward_input == products * scores.forward


def test_a_feed_forward_beside_attention_reads_what_attention_reads(make: Make) -> None:
    """In a parallel block the first layer's gate and up need no input gradient either."""
    plain = make(layers=2)
    beside = replace(plain, flow=Flow(parallel=True))
    sequential, parallel = (ledger_of(model, "lora:r=2,targets=all") for model in (plain, beside))
    assert sequential.model - parallel.model == 8 * 2 * (2 * 64 * 96 + 2 * 64 * 2)


def test_linears_that_are_one_matrix_share_the_first_adapter_matrix(make: Make) -> None:
    plain = make(layers=2)
    fused = replace(plain, flow=Flow(fused=(("q", "k", "v"),)))
    apart, together = (ledger_of(model, "lora:r=2,targets=all").n_trainable for model in (plain, fused))
    assert apart - together == 2 * 2 * 2 * 64  # two of three first matrices, in two layers, of rank 2
    assert ledger_of(plain, "lora:r=2,targets=qv") == ledger_of(fused, "lora:r=2,targets=qv")


def test_a_norm_before_the_first_projections_needs_their_input_gradient(make: Make) -> None:
    """With trained norms a frozen bottom spares nothing in the first trained layer; without, q, k and v."""
    normed = make(layers=3)
    without = replace(normed, flow=Flow(normed=False))
    difference = ledger_of(normed, "last:1").model - ledger_of(without, "last:1").model
    assert difference == 8 * 2 * 64 * (96 + 48 + 48)


def test_frozen_tables_spare_a_tied_heads_gradient_alone(make: Make) -> None:
    """The tables are lookups; where the head is one of them, its weights need no gradient."""
    untied, tied = make(tied=False), make(tied=True)
    assert ledger_of(untied, "frozen:embed").model == ledger_of(untied, FULL).model
    assert ledger_of(tied, FULL).model - ledger_of(tied, "frozen:embed").model == 8 * 2 * 64 * 101
    assert ledger_of(tied, "frozen:embed").n_trainable == count_params(tied).total - 64 * 101


def test_a_tied_head_stays_frozen_with_its_table(make: Make) -> None:
    """Training it would train the embedding, and with it send gradients to the bottom."""
    (head,) = (term for term in ledger_of(make(tied=True), "last:1") if term.component == "lm_head")
    assert not head.trainable
    assert head.backward_input == head.forward


def test_every_expert_has_adapters_and_a_token_meets_those_of_its_own(make: Make) -> None:
    ledger = ledger_of(make(experts=5, top_k=2, layers=1), "lora:r=3,targets=gate")
    pair = [term for term in ledger if "lora" in term.name]
    assert sum(term.weights for term in pair) == 5 * 3 * (64 + 96)
    assert sum(term.forward for term in pair) == 8 * 2 * 2 * 3 * (64 + 96)


def test_adapters_run_in_a_forward_pass_and_nothing_trains_there(make: Make) -> None:
    train = parse_train("lora:r=2,targets=all")
    ledger = build_ledger(make(), Workload(seq_len=8, mode="forward", train=train))
    assert ledger.forward == ledger_of(make(), train).forward > ledger_of(make(), FULL).forward
    assert ledger.n_trainable == ledger.backward == 0
    work = count("llama-3.1-8b", seq=512, mode="forward", train="lora:r=2,targets=all")
    assert work.flop_per_token * 512 == work.ledger.forward


def test_recompute_never_moves_model_flops_of_adapters(make: Make) -> None:
    train = parse_train("lora:r=2,targets=qv,last=2")
    policies = [Recompute(policy=policy) for policy in ("none", "selective", "full", "every")]
    models = {build_ledger(make(), Workload(seq_len=8, train=train, recompute=one)).model for one in policies}
    assert len(models) == 1


def test_other_rules_keep_full_training_and_exact_follows_what_trains() -> None:
    everything, lora = (count("llama-3.1-8b", seq=512, train=said) for said in ("full", "lora:r=16,targets=all"))
    for before, after in zip(everything.rules, lora.rules, strict=True):
        same = before.flop_per_token == after.flop_per_token
        assert same == (before.id not in ("exact", "full"))
    assert lora.to_dict()["workload"]["train"] == "lora:r=16,targets=all"
    assert lora.to_dict()["model"]["n_trainable_params"] == 41_943_040


# What is refused


@pytest.mark.parametrize(
    ("train", "message"),
    [
        ("lora:r=2,targets=wq", "no linear wq"),
        ("lora:r=2,targets=q+bananas", "no linear bananas"),
        ("last:9", "has 3 layers"),
        ("lora:r=2,targets=all,last=4", "has 3 layers"),
    ],
)
def test_what_the_model_does_not_have_is_refused(make: Make, train: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        ledger_of(make(), train)
    assert caught.value.where == "--train"


def test_a_first_trained_layer_of_unknown_order_is_refused_and_a_later_one_counts(make: Make) -> None:
    plain = make(layers=2)
    strange = Matmul(component="other", name="strange", d_in=64, d_out=64)
    odd = Layer(ops=(*plain.layers[0].ops, strange))
    with pytest.raises(InputError, match="strange"):
        ledger_of(replace(plain, layers=(odd, plain.layers[1])), "lora:r=2,targets=q")
    later = ledger_of(replace(plain, layers=(plain.layers[0], odd)), "lora:r=2,targets=q")
    (term,) = (term for term in later if term.name == "strange")
    assert (term.backward_input, term.backward_weight) == (term.forward, 0)


def test_mtp_modules_train_in_full_or_not_at_all(make: Make) -> None:
    plain = make()
    model = replace(plain, mtp=(plain.layers[0],))
    work = Workload(seq_len=8, mtp=True, train=parse_train("last:1"))
    with pytest.raises(InputError, match="MTP"):
        build_ledger(model, work)


@pytest.mark.parametrize(
    "text",
    ["full", "lora:r=16,targets=all", "lora:r=8,targets=qv,last=4", "qlora:r=4,targets=qkvo", "last:8", "frozen:embed"],
)
def test_what_trains_is_written_as_it_is_read(text: str) -> None:
    assert parse_train(text).text() == text


@pytest.mark.parametrize(
    "text",
    [
        *("", "half", "lora", "lora:", "lora:r=0", "lora:r=1e3", "lora:targets=all", "lora:r=2,r=3"),
        *("lora:r=2,targets=q++v", "lora:r=2,targets=q+q", "lora:r=²", "lora:r=100001", "lora:r=2,alpha=4"),
        *("last:", "last:0", "last:-1", "last:1,head=maybe", "frozen:head", "full:1"),
    ],
)
def test_what_cannot_be_read_is_refused_with_the_grammar(text: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_train(text)
    assert caught.value.where == "--train"
    assert "lora:r=16" in str(caught.value)


def test_a_mixer_without_attention_reads_the_block_in_its_first_linears(make: Make) -> None:
    """Adapters on all of it: in_proj of the first layer needs no input gradient, what follows its scan does."""
    plain = make(layers=2)
    sizes = {"in_proj": (64, 150), "out_proj": (80, 64)}
    mixer = [Matmul(component="ssm", name=name, d_in=a, d_out=b) for name, (a, b) in sizes.items()]
    scan = Scan(component="ssm", name="scan", kind="mamba", n_heads=80, d_key=4)
    layer = Layer(ops=(*mixer, scan))
    ledger = ledger_of(replace(plain, layers=(layer, layer)), "lora:r=2,targets=all")
    backward = {name: sum(t.backward_input for t in ledger if t.name == name) for name in ("in_proj", "out_proj")}
    forward = {name: sum(t.forward for t in ledger if t.name == name) for name in backward}
    assert 2 * backward["in_proj"] == forward["in_proj"]
    assert backward["out_proj"] == forward["out_proj"]
    with pytest.raises(InputError, match="which gradients out_proj"):
        ledger_of(replace(plain, layers=(layer, layer)), "lora:r=2,targets=out_proj")


@pytest.mark.parametrize("name", ["llama-4-scout-text", "dbrx", "gemma-2-9b", "deepseek-v3", "gpt-oss-20b"])
def test_every_kind_of_decoder_counts_with_adapters_a_frozen_bottom_and_frozen_tables(name: str) -> None:
    full = count(name, seq=64).ledger
    for train in ("lora:r=4,targets=all", "last:2", "frozen:embed"):
        ledger = count(name, seq=64, train=train).ledger
        assert ledger.forward < ledger.model <= full.model
        assert 0 < ledger.n_trainable <= full.n_trainable
