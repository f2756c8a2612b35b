"""A trace on paper: FLOPs by pass, by operator, and what could not be counted."""

from __future__ import annotations

from peakwise.core.finding import Finding
from peakwise.core.flop_trace import FlopTrace, LedgerCheck, TracedPart
from peakwise.report.blocks import Block, Column, Document, Gap, Row, Sentence, Table, Title, Warned
from peakwise.report.figures import counted, figure
from peakwise.report.paper import Paper
from peakwise.report.render import Shape, draw


def describe(trace: FlopTrace) -> Document:
    """The document of a trace."""
    how = "on shapes alone" if trace.ran == "fake" else "a copy was computed"
    blocks: list[Block] = [
        Title(f"{trace.module} · {trace.attention} attention, {how}"),
        Gap(),
        Table(_PARTS, tuple(_row(part) for part in (*trace.ops, _total(trace)))),
    ]
    if trace.notes:
        blocks += [Gap(), *(Sentence(note, "dim") for note in trace.notes)]
    return Document(
        title=f"{trace.module}: traced work",
        blocks=tuple(blocks),
        warned=tuple(Warned(finding) for finding in uncounted(trace)),
        footer=f"`trace` · Peakwise {trace.version}",
    )


def render(trace: FlopTrace, form: Shape = "text", paper: Paper | None = None) -> str:
    """The trace in one form."""
    return draw(describe(trace), form, paper)


def compare(check: LedgerCheck, attention: str) -> list[Block]:
    """The lines of a count that set the ledger beside the framework's trace."""
    rule = "full attention" if attention == "full" else f"both with full attention; the figures above are {attention}"
    trace = check.trace
    differences = [
        Row(("forward", *_three(check.ledger_forward, trace.forward, check.difference_forward))),
        Row(("backward", *_three(check.ledger_backward, trace.backward, check.difference_backward))),
    ]
    library: list[Block] = []
    if check.library_forward or check.library_backward:
        figures = f"{figure(check.library_forward, 0)} forward, {figure(check.library_backward, 0)} backward"
        why = "systems that it solves, less the gradients that its first and last chunk do without"
        library = [Sentence(f"The library's code of the recurrence adds {figures}, no model work: {why}.", "dim")]
    return [
        Gap(),
        Sentence(f"Checked against the framework's own trace, {rule}", "dim"),
        Gap(),
        Table(_CHECK, tuple(differences)),
        *library,
        *(Sentence(finding.message) for finding in uncounted(trace)),
    ]


def uncounted(trace: FlopTrace) -> tuple[Finding, ...]:
    """One finding for every heavy operator without a formula."""
    return tuple(
        Finding(
            code="W_UNCOUNTED",
            message=f"{one.op} ran {counted(one.calls, 'time', 'times')} and is not counted ({one.why}): its share of "
            "the time is unknown",
            input=one.op,
            fix="register a formula: torch.utils.flop_counter.register_flop_formula",
        )
        for one in trace.uncounted
    )


_PARTS = (
    Column("calls", width=8),
    Column("forward", width=20),
    Column("backward", width=20),
    Column("again", width=18, from_width=120),
    Column("operator", words=True),
)
_CHECK = (
    Column("pass", width=10),
    Column("ledger", width=24),
    Column("trace", width=24),
    Column("difference", width=18),
)


def _row(part: TracedPart) -> Row:
    figures = (part.forward, part.backward, part.recompute)
    return Row((figure(part.calls, 0), *(figure(value, 0) for value in figures), part.name))


def _total(trace: FlopTrace) -> TracedPart:
    calls = sum(part.calls for part in trace.ops)
    return TracedPart(
        name="all", forward=trace.forward, backward=trace.backward, recompute=trace.recompute, calls=calls
    )


def _three(ledger: int, trace: int, difference: int) -> tuple[str, str, str]:
    return figure(ledger, 0), figure(trace, 0), figure(difference, 0)
