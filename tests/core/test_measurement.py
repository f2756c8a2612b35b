"""The measurement as a value: its document and what blocks an MFU."""

from __future__ import annotations

from peakwise.core.measurement import Measurement, Missing, Steps
from peakwise.core.quantity import Basis, Quantity


def run(**more: object) -> Measurement:
    steps = Steps(records=1, first=None, last=None, covered=1, used=1)
    whole: dict[str, object] = {
        "sources": ("a.log",),
        "producer": "x",
        "producer_name": "X",
        "generation": "",
        "steps": steps,
        "version": "0",
    } | more
    return Measurement(**whole)  # type: ignore[arg-type]


def missing(name: str, *needed_for: str) -> Missing:
    return Missing(input=name, why="?", how="!", flag=f"--{name}", placeholder="N", needed_for=needed_for)


def seq_len(basis: Basis) -> Quantity:
    return Quantity(value=1, unit="token", basis=basis, source="")


def test_unknown_numbers_are_null_and_never_zero() -> None:
    """A measurement that knows nothing has null in every number of its document."""
    document = run().to_dict()
    assert document["mfu"] is None
    assert document["peak"] is None
    assert document["missing"] == []


def test_only_inputs_that_mfu_needs_block_it() -> None:
    """Of what is missing, those without which there is no MFU are told apart."""
    found = run(missing=(missing("model", "mfu", "hfu"), missing("devices", "tokens_per_s")))
    assert [item.input for item in found.blocking] == ["model"]


def test_assumed_inputs_are_listed_and_solved_ones_are_not() -> None:
    """The report names each assumed input beside its MFU."""
    assert run(seq_len=seq_len("assumed")).assumed == ("seq_len",)
    assert run(seq_len=seq_len("solved")).assumed == ()
