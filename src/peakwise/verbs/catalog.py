"""Which chips, models and published runs are known? Rows of the catalogue."""

from __future__ import annotations

from peakwise.core.catalog import CatalogPage, ChipRow, ModelRow, RunRow, check_kind
from peakwise.core.drawn import Form
from peakwise.core.errors import InputError
from peakwise.core.matmul_rate import MeasuredPeak


def catalog(kind: str, query: str | None = None, *, measure: bool = False) -> CatalogPage:
    """The rows of a catalogue, `chips`, `models` or `runs`, that `query` fits; every row without a query.

    `query`: a part of an id or a name, a vendor, a device name or a Hub id. `measure`: of chips, this machine's own
    matmul rate too, which takes some seconds; without a query then no rows.

    **Raises** InputError for an unknown catalogue, UnknownChip or UnknownModel for a query that nothing fits, with
    the nearest ids.

    **Example**
    >>> [row.id for row in catalog("chips", "h200").rows]
    ['h200-nvl', 'h200-sxm']
    """
    from peakwise.core.version import VERSION

    known, wanted = check_kind(kind), (query or "").strip() or None
    if measure and known != "chips":
        raise InputError(
            "only chips are measured", where="--measure", got=known, hint="peakwise catalog chips --measure"
        )
    listed = {"chips": _chips, "models": _models, "runs": _runs}[known](wanted)
    rows = () if measure and wanted is None else listed
    measured = _measured() if measure else ()
    return CatalogPage(kind=known, query=wanted, rows=rows, measured=measured, version=VERSION, draw=draw)


def _measured() -> tuple[MeasuredPeak, ...]:
    from peakwise.measuring.matmul_rate import rate_matmuls
    from peakwise.readers.machine.matmul import time_machine

    return rate_matmuls(time_machine())


def _chips(query: str | None) -> tuple[ChipRow, ...]:
    from peakwise.facts.alternatives import alternatives_of
    from peakwise.facts.match import list_chips

    return tuple(ChipRow.from_chip(chip, alternatives_of(chip)) for chip in list_chips(query))


def _models(query: str | None) -> tuple[ModelRow, ...]:
    from peakwise.counting.params import count_params
    from peakwise.facts.model_search import list_models
    from peakwise.readers.configs.read import read_config

    rows: list[ModelRow] = []
    for entry in list_models(query):
        shape = read_config(entry.config_path.read_bytes(), where=entry.id, id=entry.id, name=entry.name)
        rows.append(ModelRow.from_model(shape, count_params(shape), entry.hub_id))
    return tuple(rows)


def _runs(query: str | None) -> tuple[RunRow, ...]:
    from peakwise.calculators.compare_work import own_mfu
    from peakwise.facts.cases import list_cases
    from peakwise.readers.configs.named import read_named

    rows: list[RunRow] = []
    for case in list_cases(query):
        again = case._replace(model=read_named(case.config)) if case.config else case
        rows.append(RunRow.from_case(case, own_mfu(again)))
    return tuple(rows)


def draw(result: CatalogPage, form: Form) -> str:
    """The page as Markdown or HTML."""
    from peakwise.report.views.catalog import render

    return render(result, form)
