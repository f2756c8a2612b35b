"""Megatron-LM's progress.txt: what a run did since its first job, one event a line, no steps."""

from __future__ import annotations

import re

from peakwise.core.series import Series
from peakwise.readers.logs.table import Table
from peakwise.readers.protocol import CUT, Kind, Source

_EVENT = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\tJob ID: \S*\t# GPUs: (\d{1,15})\t([^\t]+)")


class MegatronProgress:
    """Reads progress.txt. Its rates are means since a job or the run began, so they are no records.

    **Source** Megatron-LM, megatron/training/training.py, append_to_progress_log
    """

    name = "megatron-progress"
    kind: Kind = "training"

    def recognises(self, head: str, filename: str) -> bool:
        """Whether a line is one of its events."""
        del filename  # the name says nothing that its lines do not
        return _EVENT.search(head) is not None

    def read(self, source: Source) -> Series:
        """The number of devices and the events; no record, so no rate."""
        table, n_lines, n_skipped = Table(("step",)), 0, 0
        for line in source.lines():
            n_lines += 1
            match = _EVENT.search(line)
            if match is None:
                n_skipped += bool(line.strip(CUT).strip())
                continue
            if int(match.group(1)):
                table.state("n_devices", int(match.group(1)), "# GPUs in the log")
            if "checkpoint" in match.group(2):
                table.note("checkpoint")
        return Series(
            producer=self.name,
            producer_name="Megatron-LM progress.txt",
            generation="",
            convention="",
            spans="interval",
            columns=table.columns,
            stated=table.stated,
            events=table.events,
            n_lines=n_lines,
            n_skipped_lines=n_skipped,
            source=source.shown,
        )
