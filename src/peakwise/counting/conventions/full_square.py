"""Rules that count the whole attention square, up to a window."""

from __future__ import annotations

from peakwise.core.model import Scores
from peakwise.counting.conventions.subject import Subject


def torchtitan(subject: Subject) -> float:
    """6 (N − embedding) + 6·L·H·(d_qk + d_v)·T with N active; a tied embedding stays in, as the head.

    **Source** torchtitan, `get_nparams_and_flops`.
    """
    lookup = 0 if subject.model.tied else subject.embedding_weights
    length = subject.seq_len
    return 6 * (subject.parameters.active - lookup) + subject.attention_flop(lambda _: length)


def _windowed(subject: Subject) -> float:
    length = subject.seq_len

    def keys(core: Scores) -> float:
        reach = core.mask.window or core.mask.chunk
        return length if reach is None else min(reach, length)

    return subject.attention_flop(keys)


def nanochat(subject: Subject) -> float:
    """6 per weight in a matmul + 12·H·d·min(W, T) a layer. **Source** nanochat, `estimate_flops`."""
    return 6 * subject.parameters.matmul + _windowed(subject)


def olmo_core(subject: Subject) -> float:
    """6 per parameter, norms in, lookup tables out, + 12·H·d·min(W, T) a layer.

    **Source** OLMo-core, `num_flops_per_token`.
    """
    tables = subject.embedding_weights - (subject.vocabulary_weights if subject.model.tied else 0)
    return 6 * (subject.parameters.active - tables) + _windowed(subject)


def llama_factory(subject: Subject) -> float:
    """One dense gated MLP a layer whatever the model has, head width h/H, full attention, every vocabulary matrix V·h.

    **Source** LLaMA-Factory, `cal_mfu`: lookup and head each cost V·h forward.
    """
    shape = subject.shape
    d_head = shape.d_model / shape.n_heads
    projections = 2 * shape.d_model**2 + 2 * shape.d_model * shape.n_kv_heads * d_head
    mlp = 3 * shape.d_model * shape.d_ff
    core = 12 * shape.n_layers * shape.d_model * subject.seq_len
    matrices = 1 if subject.model.tied else 2
    return 6 * shape.n_layers * (projections + mlp) + core + 3 * matrices * subject.vocabulary_weights


def eleutherai(subject: Subject) -> float:
    """Blocks four times forward (full recompute), head width h/H, full attention, router out, the head forward only.

    **Source** EleutherAI cookbook, `calc_transformer_flops` with its defaults.
    """
    shape = subject.shape
    width = shape.d_model
    projections = 4 * width**2 * (1 + shape.n_kv_heads / shape.n_heads)
    core = 4 * width * subject.seq_len
    mlp = 2 * (3 if shape.gated else 2) * width * shape.d_ff
    n_mlps = shape.n_layers - shape.n_moe_layers + shape.top_k * shape.n_moe_layers
    blocks = shape.n_layers * (projections + core) + n_mlps * mlp
    norm = 4 * width  # the calculator's last line adds 4·h, once
    return 4 * blocks + 2 * subject.vocabulary_weights + norm
