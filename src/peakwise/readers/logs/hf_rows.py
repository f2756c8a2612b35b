"""The rows that dicts of training become: replicas joined, steps taken from bars where a dict has none."""

from __future__ import annotations

from collections.abc import Mapping

from peakwise.readers.logs.hf_numbers import Printed
from peakwise.readers.logs.hf_values import Digits, Sort, Summary, read_record, read_summary, sort_dict
from peakwise.readers.logs.table import Table

COLUMNS = (
    "step",
    "stream",
    "time_s",
    "step_s",
    "samples_per_s",
    "tokens_per_s",
    "tokens_per_s_per_device",
    "elapsed_s",
    "n_tokens",
    "loss",
)
# A record carries one of these (rule 1 of the log rules); a loss alone says nothing of speed.
CARRIES = ("step", "time_s", "step_s", "samples_per_s", "tokens_per_s", "tokens_per_s_per_device", "elapsed_s")


class Rows:
    """Takes dicts one by one. The last is held back: another logger or rank may print the same step after it."""

    def __init__(self) -> None:
        self.table = Table(COLUMNS)
        self.resolution: dict[str, float] = {}
        self.config: dict[str, object] = {}
        self._digits = Digits()
        self._held: dict[str, float] = {}
        self._mark: tuple[str, str] | None = None  # loss and epoch of the held record, as printed
        self._epoch = ""  # of the held record, as printed
        self._by_bar: float | None = None  # the bar's position that gave the last step
        self._wants_bar = False  # the held record came before any bar: the bar redrawn after it has its step
        self._totals: dict[str, str] = {}  # the final table's entries

    def take(
        self, values: dict[str, str], position: int | None, before: Mapping[str, float], clock_s: float | None = None
    ) -> None:
        """One dict, the training bar's position and clock at it, and what stands before it on its line."""
        match sort_dict(values):
            case Sort.RECORD:
                self._take_record(values, position, before, clock_s)
            case Sort.SUMMARY:
                self.flush()
                self._state(read_summary(values))
            case Sort.EVALUATION:
                self.note("evaluation")
            case Sort.OTHER:
                pass

    def _take_record(
        self, values: dict[str, str], position: int | None, before: Mapping[str, float], clock_s: float | None
    ) -> None:
        record = {**before, **read_record(values, self._digits)}
        mark = _mark_of(values)
        own_step = "step" in record
        moved = position is not None and position != self._by_bar
        same_step = not own_step or record["step"] == self._held.get("step")
        alike = mark is not None and mark == self._mark
        if (alike or self._is_other_rank(record, values)) and same_step and not moved:
            self._held = {**record, **self._held}
            return
        self.flush()
        if not own_step and moved and position is not None:
            record["step"] = float(position)
            self._by_bar = position
        if position is not None and record.get("step") == position:
            self._add_clock(record, clock_s)
        self._held, self._mark, self._epoch = record, mark, values.get("epoch", "")
        self._wants_bar = not own_step and position is None and self._by_bar is None

    def _is_other_rank(self, record: Mapping[str, float], values: Mapping[str, str]) -> bool:
        """Whether a record is the held one as another rank printed it; a rank prints each step once."""
        rank, held = record.get("stream", -1.0), self._held.get("stream", -1.0)
        return rank >= 0 and held >= 0 and rank != held and values.get("epoch", "") == self._epoch != ""

    def _add_clock(self, record: dict[str, float], clock_s: float | None) -> None:
        """The bar's clock, whole seconds, where the record has none of its own."""
        if clock_s is not None and "elapsed_s" not in record:
            record["elapsed_s"] = clock_s
            self._digits.note(Printed(clock_s, 1.0))

    def see_bar(self, position: int | None, clock_s: float | None = None) -> None:
        """The training bar's position and clock on a line of its own."""
        if position is None or not self._wants_bar:
            return
        self._wants_bar = False
        if position:  # a bar at 0 begins after the dict
            self._held["step"] = float(position)
            self._by_bar = position
            self._add_clock(self._held, clock_s)

    def see_total(self, key: str, text: str) -> None:
        """An entry of the final table, which repeats the final dict."""
        self._totals[key] = text

    def note(self, kind: str) -> None:
        """An event between the last record and the next."""
        self.flush()
        self.table.note(kind)

    def flush(self) -> None:
        """Adds the held record, if it is one."""
        if any(name in self._held for name in CARRIES):
            self.table.add(self._held)
        self._held, self._mark, self._wants_bar = {}, None, False

    def finish(self) -> None:
        """Adds the last record and states the totals of the table."""
        self.flush()
        if self._digits.unit:
            self.resolution["elapsed_s"] = self._digits.unit
        if self._totals:
            self._state(read_summary(self._totals))

    def _state(self, summary: Summary | None) -> None:
        if summary is None:
            return
        self.table.state("total_s", summary.total_s, "train_runtime of the summary")
        if summary.total_steps is not None:
            self.table.state("total_steps", summary.total_steps, "runtime × steps/s of the summary", "derived")
        if summary.global_batch is not None:
            self.table.state("global_batch", summary.global_batch, "samples/s ÷ steps/s of the summary", "derived")


def _mark_of(values: dict[str, str]) -> tuple[str, str] | None:
    """Loss and epoch as printed, which tell a replica; None where a loss of 0 or a missing one tells nothing."""
    loss, epoch = values.get("loss", ""), values.get("epoch", "")
    return (loss, epoch) if loss.strip("0.") and epoch else None
