"""Values to draw, built by hand, and the texts they must give."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from peakwise.core.count import Count
from peakwise.core.measurement import (
    Logged,
    Measurement,
    Missing,
    Reconciliation,
    Row,
    Steps,
    StepTime,
    UsedPeak,
)
from peakwise.core.model import Layer, Mask, Matmul, Model, Scores, Shape, Weights
from peakwise.core.quantity import Basis, Quantity
from peakwise.core.workload import Workload
from peakwise.counting.params import count_params
from peakwise.counting.rules import count_rules
from peakwise.counting.total import build_ledger

TEXTS = Path(__file__).parent / "texts"


@pytest.fixture
def expected() -> Callable[[str], str]:
    """The text of one file of `texts`."""
    return lambda name: (TEXTS / name).read_text(encoding="utf-8")


# Llama-3.1-8B: width, query heads, key-value heads, head width, feed-forward, vocabulary, layers (its config.json)
D, H, K, HEAD, F, V, L = 4096, 32, 8, 128, 14336, 128256, 32


def _llama() -> Model:
    layer = Layer(
        ops=(
            Matmul(component="attn_proj", name="q", d_in=D, d_out=H * HEAD),
            Matmul(component="attn_proj", name="k", d_in=D, d_out=K * HEAD),
            Matmul(component="attn_proj", name="v", d_in=D, d_out=K * HEAD),
            Matmul(component="attn_proj", name="o", d_in=H * HEAD, d_out=D),
            Scores(n_heads=H, d_qk=HEAD, d_v=HEAD, mask=Mask()),
            Matmul(component="mlp", name="gate", d_in=D, d_out=F),
            Matmul(component="mlp", name="up", d_in=D, d_out=F),
            Matmul(component="mlp", name="down", d_in=F, d_out=D),
            Weights(component="other", name="norms", n=2 * D),
        )
    )
    shape = Shape(
        d_model=D,
        n_layers=L,
        n_heads=H,
        n_kv_heads=K,
        d_qk=HEAD,
        d_v=HEAD,
        d_ff=F,
        gated=True,
        vocab_size=V,
        windows=(None,) * L,
    )
    outside = (
        Weights(component="embedding", name="embedding", n=V * D),
        Weights(component="other", name="norm", n=D),
        Matmul(component="lm_head", name="lm_head", d_in=D, d_out=V),
    )
    return Model(
        id="llama-3.1-8b",
        name="Llama-3.1-8B",
        model_type="llama",
        shape=shape,
        layers=(layer,) * L,
        outside=outside,
        tied=False,
    )


@pytest.fixture
def counted() -> Callable[[Workload], Count]:
    """Llama-3.1-8B counted under a workload."""

    def count(work: Workload) -> Count:
        model = _llama()
        parameters = count_params(model)
        return Count(
            model=model,
            workload=work,
            ledger=build_ledger(model, work),
            parameters=parameters,
            convention="exact",
            rules=count_rules(model, parameters, work),
            basis="derived",
            version="0.2.0",
        )

    return count


def quantity(value: float, unit: str, basis: Basis, source: str) -> Quantity:
    """A quantity in one line."""
    return Quantity(value=value, unit=unit, basis=basis, source=source)


LOG = "examples/torchtitan-llama-8b.log"
STEPS = Steps(records=6, first=200, last=250, covered=60, used=60)
STEP = StepTime(median=quantity(1.39714, "s", "derived", "clock, median of 60 steps"))
RATE = quantity(5863.0, "token/s", "measured", "log, median of 6 records")

ROWS = (
    Row(
        kind="total",
        label="the log",
        flop_per_token=None,
        flop_per_s=339.5e12,
        peak_flop_per_s=988.9e12,
        mfu=0.3433,
        words="as printed, median of 6 records",
    ),
    Row(
        kind="total",
        label="its rule, torchtitan",
        flop_per_token=57_914_449_920,
        flop_per_s=339.55e12,
        peak_flop_per_s=988.9e12,
        mfu=0.34335,
        words="6 (N − embedding) + full attention",
    ),
    Row(
        kind="part",
        label="masked half of attention",
        flop_per_token=-6.4417e9,
        flop_per_s=-37.77e12,
        peak_flop_per_s=None,
        mfu=-0.0382,
        words="pairs that no query may see",
    ),
    Row(
        kind="part",
        label="norm weights; peak 989.4",
        flop_per_token=-1.6e6,
        flop_per_s=-0.009e12,
        peak_flop_per_s=None,
        mfu=-0.0002,
        words="266,240 weights; the log rounds its peak",
    ),
    Row(
        kind="total",
        label="visible pairs, exact",
        flop_per_token=51_471_187_968,
        flop_per_s=301.77e12,
        peak_flop_per_s=989.4e12,
        mfu=0.305,
        words="what Peakwise prints as MFU",
    ),
)


@pytest.fixture
def complete() -> Measurement:
    """A run whose model and chip are known."""
    return Measurement(
        sources=(LOG,),
        producer="torchtitan",
        producer_name="torchtitan",
        generation="",
        version="0.2.0",
        steps=STEPS,
        step_s=STEP,
        tokens_per_s_per_device=RATE,
        flop_per_token=quantity(51_471_187_968, "FLOP/token", "derived", "exact, causal"),
        flop_per_s_per_device=quantity(301.8e12, "FLOP/s", "derived", "rate × work"),
        mfu=quantity(0.30501, "fraction", "derived", "useful ÷ peak"),
        mfu_wall=quantity(0.303, "fraction", "derived", "goodput 99.2 % of 84.5 s"),
        seq_len=quantity(8192, "token", "stated", "--seq"),
        peak_flop_per_s_per_device=quantity(989.4e12, "FLOP/s", "stated", "datasheet, dense bf16"),
        peak=UsedPeak(precision="bf16", kind="datasheet", chip="h100-sxm", chip_name="H100 SXM"),
        model_id="llama-3.1-8b",
        model_name="Llama-3.1-8B",
        logged=Logged(mfu=quantity(0.3433, "fraction", "measured", "as printed")),
        reconciliation=Reconciliation(rows=ROWS, causes=(), sentence=""),
        absent={"hfu": "recompute not stated", "tokens_per_s": "number of GPUs not stated"},
        command=f"peakwise measure {LOG} --model llama-3.1-8b --chip h100-sxm --seq 8192 "
        "--devices N --recompute POLICY",
    )


@pytest.fixture
def incomplete() -> Measurement:
    """The same run when nobody said which model and chip."""
    model = Missing(
        input="model",
        why="which model ran",
        how="ids: peakwise catalog models",
        flag="--model",
        placeholder="MODEL",
        needed_for=("mfu",),
    )
    chip = Missing(
        input="chip",
        why="which GPU ran it",
        how="ids: peakwise catalog chips",
        flag="--chip",
        placeholder="CHIP",
        needed_for=("mfu",),
    )
    return Measurement(
        sources=(LOG,),
        producer="torchtitan",
        producer_name="torchtitan",
        generation="",
        version="0.2.0",
        steps=STEPS,
        step_s=STEP,
        tokens_per_s_per_device=RATE,
        logged=Logged(
            flop_per_s_per_device=quantity(339.5e12, "FLOP/s", "measured", "by torchtitan's rule"),
            mfu=quantity(0.3433, "fraction", "measured", "not comparable as it is"),
            implied_peak_flop_per_s=quantity(988.9e12, "FLOP/s", "solved", "fits h100-sxm, h200-sxm"),
        ),
        missing=(model, chip),
        notes=("The sequence length is solved from the log once the model is known.",),
        command=f"peakwise measure {LOG} --model MODEL --chip CHIP",
    )
