"""Which operators do heavy work, by what they are called: those that must be counted or named."""

from __future__ import annotations

# Words between underscores in the names of operators that multiply matrices or solve with them.
_WORDS = frozenset(
    (
        *("mm", "addmm", "bmm", "baddbmm", "addbmm", "smm", "hspmm", "sspaddmm", "spmm", "mv", "addmv", "dot", "vdot"),
        *("vecdot", "ger", "addr", "matmul", "gemm", "linear", "bilinear", "trilinear", "tensordot", "einsum"),
        *("attention", "attn", "rnn", "lstm", "gru", "linalg", "cholesky", "solve", "spsolve", "svd", "qr", "eig"),
        *("eigh", "inverse", "pinverse", "cdist", "fft", "orgqr", "ormqr", "geqrf", "lstsq", "ldl", "lu"),
    )
)
# Names that hold such a word and do light work.
_LIGHT = frozenset(
    (
        *("linalg_vector_norm", "linalg_matrix_norm", "linalg__powsum", "linalg_cross", "linalg_diagonal"),
        *("linalg_vander", "_linalg_check_errors", "_use_cudnn_rnn_flatten_weight", "_cudnn_rnn_flatten_weight"),
        *("lu_unpack", "slice_inverse", "_fused_sdp_choice"),
    )
)
_LIGHT_HEADS = (
    "upsample_",
    "_upsample_",
    "_thnn_",
    "_cufft_",
    "_convert_",
    "_wrapped_linear_prepack",
    "mkldnn_reorder_",
)
# Namespaces of the framework whose operators are named above, move data, or only mark time.
_KNOWN = frozenset(
    {"aten", "prim", "prims", "profiler", "c10d", "_c10d_functional", "_dtensor", "rngprims", "debugprims"}
)
# Higher-order operators that only wrap a region whose operators are seen one by one.
_TRANSPARENT = frozenset({"wrap", "print", "with_effects", "tag_activation_checkpoint", "wrap_activation_checkpoint"})


def why_heavy(namespace: str, name: str) -> str:
    """Why an operator without a formula must be named; empty for one that does light work."""
    if namespace == "higher_order":
        return "" if name in _TRANSPARENT else "a higher-order operator: what it runs inside is not seen"
    if namespace not in _KNOWN:
        return "a custom operator without a formula"
    if name in _LIGHT or name.startswith(_LIGHT_HEADS):
        return ""
    words = name.strip("_").split("_")
    if any(word in _WORDS or _convolves(word) for word in words):
        return "no formula counts it"
    return ""


def _convolves(word: str) -> bool:
    return word.startswith("conv") and not word.startswith("convert")
