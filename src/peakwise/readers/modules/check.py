"""The ledger of a model beside a trace of the same model by the framework."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from peakwise.core.errors import InputError
from peakwise.core.model import Model
from peakwise.core.workload import Workload
from peakwise.counting.library import count_library
from peakwise.counting.total import build_ledger
from peakwise.readers.configs.decode import decode_config
from peakwise.readers.configs.find import find_config

if TYPE_CHECKING:  # `count` imports this module, and needs the type only with --trace
    from peakwise.core.flop_trace import LedgerCheck


def check_ledger(named: str | Model, model: Model, workload: Workload) -> LedgerCheck:
    """The ledger of `model` under `workload` and the framework's trace of the config that `named` names.

    Both with full attention, whatever the workload's rule: the framework's modules multiply every pair, and mask
    afterwards. A recurrence is counted by the rule `reference`, as the library's modules run it.

    **Raises** MissingExtra without the extra `torch`; ConfigError for a type that the library lacks; InputError for a
    workload that a trace does not have.
    """
    from peakwise.core.flop_trace import LedgerCheck
    from peakwise.readers.modules.build import build_given
    from peakwise.readers.modules.trace import trace_module

    if not isinstance(named, str) or named == "-":
        raise _not_traced("MODEL", "no config to read again", "a catalogue id, a config.json or its folder")
    if workload.lengths:
        raise _not_traced("--seq", "packed documents", "one length")
    if workload.train.text() != "full":
        raise _not_traced("--train", workload.train.text(), "full")
    if workload.mtp:
        raise _not_traced("--mtp", "on: the library builds no such modules", "off")
    full = replace(workload, attention="full", ssm_rule="reference")
    library = count_library(model, full)
    ledger = build_ledger(model, full)
    source = find_config(named)
    started = time.process_time()
    given = build_given(decode_config(source.data, source.where), full, source.where)
    trace = trace_module(given, "full", backward=ledger.trains)
    return LedgerCheck(
        ledger_forward=ledger.forward,
        ledger_backward=ledger.backward,
        trace=trace,
        library_forward=library.forward,
        library_backward=library.backward if ledger.trains else 0,
        seconds=time.process_time() - started,
    )


def _not_traced(where: str, got: str, expected: str) -> InputError:
    return InputError(
        "--trace cannot check this", where=where, got=got, expected=expected, hint="count it without --trace"
    )
