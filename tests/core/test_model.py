"""A model that cannot be is refused where it is built."""

from __future__ import annotations

import pytest

from peakwise.core.errors import ConfigError, InputError
from peakwise.core.ledger import Term
from peakwise.core.model import Layer, Mask, Matmul, Model, Scores, Shape, Weights

SHAPE = Shape(d_model=8, n_layers=1, n_heads=2, n_kv_heads=2, d_qk=4, d_v=4, d_ff=16, gated=True, vocab_size=11)


@pytest.mark.parametrize(
    "build",
    [
        lambda: Mask(window=0),
        lambda: Mask(chunk=0),
        lambda: Matmul(component="mlp", name="up", d_in=0, d_out=1),
        lambda: Matmul(component="experts", name="up", d_in=1, d_out=1, stored=2, used=3),
        lambda: Matmul(component="mlp", name="up", d_in=3, d_out=4, groups=2),
        lambda: Scores(n_heads=0, d_qk=1, d_v=1, mask=Mask()),
        lambda: Weights(component="other", name="norms", n=-1),
        lambda: Model(id="m", name="M", model_type="m", shape=SHAPE, layers=(), outside=(), tied=False),
    ],
)
def test_sizes_that_cannot_be_are_refused(build) -> None:
    with pytest.raises(ConfigError):
        build()


def test_a_block_diagonal_matrix_has_its_blocks_weights() -> None:
    assert Matmul(component="mlp", name="up", d_in=4, d_out=8, groups=2).matrix_weights == 16


def test_an_attention_core_costs_two_gradients_of_the_inputs_and_none_of_weights() -> None:
    term = Term(component="attn_scores", name="scores", layers=2, over="pair", repeats=3, flop=5, is_matmul=False)
    assert (term.forward, term.backward_input, term.backward_weight) == (30, 60, 0)


def test_a_frozen_weight_costs_one_gradient_and_none_where_its_input_needs_none() -> None:
    sizes = {"component": "mlp", "name": "up", "layers": 1, "over": "token", "repeats": 3, "flop": 5}
    frozen = Term(**sizes, trainable=False)
    bottom = Term(**sizes, trainable=False, input_grad=False)
    assert (frozen.backward_input, frozen.backward_weight) == (15, 0)
    assert (bottom.backward_input, bottom.backward_weight) == (0, 0)


def test_layers_are_kept_in_order() -> None:
    first, second = Layer(ops=()), Layer(ops=(Weights(component="other", name="norm", n=8),))
    model = Model(id="m", name="M", model_type="m", shape=SHAPE, layers=(first, second), outside=(), tied=False)
    assert model.layers == (first, second)
    assert issubclass(ConfigError, InputError)
