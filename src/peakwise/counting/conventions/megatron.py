"""Rules of Megatron-LM before it halved attention, and of Megatron-DeepSpeed, which counts recompute."""

from __future__ import annotations

from peakwise.counting.conventions.subject import Subject


def megatron_2023_11(subject: Subject) -> float:
    """Every query sees every key, gate and grouped heads counted, top-k experts, router out.

    **Source** Megatron-LM, `num_floating_point_operations` until 2025-03-06; the gate since 2024-03-25, top-k
    experts since 2024-03-13, the heads' own width since 2024-04.
    """
    length = subject.seq_len
    return subject.matmul_flop(router=False) + subject.attention_flop(lambda _: length)


def megatron_2023_11_4h(subject: Subject) -> float:
    """60·L·h²·(1 + K/5H + s/5h + V/10Lh): grouped heads counted, every MLP a plain one of width 4h, heads h/H wide.

    **Source** Megatron-LM, `num_floating_point_operations` from 2023-11 to 2024-03.
    """
    shape = subject.shape
    width, layers = shape.d_model, shape.n_layers
    groups = shape.n_kv_heads / shape.n_heads
    body = layers * width**2 * (60 + 12 * groups)
    return body + 12 * layers * width * subject.seq_len + 6 * subject.vocabulary_weights


def megatron_deepspeed(subject: Subject) -> float:
    """Three forwards and what recompute runs again: full, everything once more, head in; selective, attention.

    **Formula** keys and values are counted as the whole number 2 // (H/K) of matrices, none for more than two heads a
    group. Without recompute it is three forwards. **Source** Megatron-DeepSpeed, `throughput_calculator`.
    """
    shape = subject.shape
    width = shape.d_model
    projections = 2 * (2 + 2 // (shape.n_heads // shape.n_kv_heads)) * width**2
    core = 4 * shape.n_heads * (width // shape.n_heads) * subject.seq_len
    experts = shape.top_k if shape.n_experts else 1
    mlp = 2 * (3 if shape.gated else 2) * width * (shape.d_expert if shape.n_experts else shape.d_ff) * experts
    forward = shape.n_layers * (projections + core + mlp) + 2 * subject.vocabulary_weights
    policy = subject.workload.recompute.policy
    again = forward if policy == "full" else shape.n_layers * core if policy == "selective" else 0
    return 3 * forward + again


def megatron_deepspeed_2021(subject: Subject) -> float:
    """8 per parameter: forward, two gradients and the forward once more; attention left out.

    **Source** Megatron-DeepSpeed v1.1.5-ZeRO3, `Effective Tera Flops per GPU`.
    """
    return 8 * subject.parameters.total  # 2 FLOPs a parameter, four passes
