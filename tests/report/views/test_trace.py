"""The check of a ledger on paper: both figures, the difference, and under which attention."""

from __future__ import annotations

from dataclasses import replace

from peakwise.core.flop_trace import FlopTrace, LedgerCheck, TracedPart, Uncounted
from peakwise.report.views.count import render
from peakwise.report.views.trace import render as render_trace
from peakwise.verbs.count import count

TRACE = FlopTrace(
    module="LlamaForCausalLM",
    attention="full",
    ran="fake",
    forward=1000,
    backward=2000,
    recompute=10,
    modules=(),
    ops=(TracedPart(name="aten.mm", forward=1000, backward=2000, recompute=10, calls=3),),
    uncounted=(Uncounted(op="aten.linalg_inv_ex", calls=2, why="no formula counts it"),),
    notes=("a remark (1 ×)",),
    version="0",
)


def test_a_checked_count_prints_ledger_trace_and_difference() -> None:
    result = count("llama-3.2-1b", seq=8)
    check = LedgerCheck(ledger_forward=1001, ledger_backward=2000, trace=TRACE, seconds=1.5)
    text = render(replace(result, trace=check))
    assert "both with full attention; the figures above are causal" in " ".join(text.split())
    assert ["forward", "1,001", "1,000", "1"] in [line.split() for line in text.splitlines()]
    assert "aten.linalg_inv_ex ran two times and is not counted" in " ".join(text.split())
    assert not check.agrees
    assert check.to_dict()["difference"] == {"forward": 1, "backward": 0}


def test_an_unchecked_count_says_nothing_of_a_trace() -> None:
    result = count("llama-3.2-1b", seq=8)
    assert "trace" not in render(result)
    assert result.to_dict()["trace"] is None


def test_a_trace_prints_its_operators_and_remarks() -> None:
    text = render_trace(TRACE)
    assert "aten.mm" in text
    assert "a remark" in text
    assert TRACE.hardware == 3010
