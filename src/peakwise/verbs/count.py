"""How much work is it? A model and a workload as FLOPs."""

from __future__ import annotations

from collections.abc import Callable

from peakwise.core.count import Count
from peakwise.core.drawn import Form
from peakwise.core.model import Model
from peakwise.core.version import VERSION


def count(
    model: str | Model,
    *,
    seq: int | str,
    batch: int = 1,
    masked: float | None = None,
    mode: str = "train",
    attention: str = "causal",
    train: str = "full",
    recompute: str = "none",
    early_stop: bool = False,
    flash_backward: bool = False,
    reentrant: bool = False,
    mtp: str = "off",
    ssm_rule: str = "recurrent",
    convention: str = "exact",
    expect_params: float | None = None,
    like: str | None = None,
    trace: bool = False,
    stdin: Callable[[], bytes] | None = None,
) -> Count:
    """The FLOPs of a model under a workload, by component and by every convention.

    `model`: a catalogue id or alias, a config.json, a folder that holds one, `-` for standard input, or a Hub id in
    the local cache, or a Model. `seq`: tokens, or what `--seq` takes: `lengths=FILE,pack=4096`,
    `p50=450,p99=2100,pad=4096`. `masked`: tokens of a text outside the loss, on average. The rest are the flags of
    `peakwise count`.

    **Raises** UnknownModel, ConfigError, ReadError or InputError: each says where, what was got, what was expected.

    **Example**
    >>> count("llama-3.1-8b", seq=8192).flop_per_token
    51471187968
    """
    from peakwise.counting.findings import count_basis, count_expected, find_warnings
    from peakwise.counting.rules import check_rule, count_rules
    from peakwise.counting.total import build_ledger
    from peakwise.readers.configs.named import read_named
    from peakwise.readers.modules.check import check_ledger
    from peakwise.readers.workload import read_workload

    work = read_workload(
        seq,
        batch=batch,
        masked=masked,
        mode=mode,
        attention=attention,
        train=train,
        recompute=recompute,
        early_stop=early_stop,
        flash_backward=flash_backward,
        reentrant=reentrant,
        mtp=mtp,
        ssm_rule=ssm_rule,
    )
    shape = read_named(model, stdin, like)
    parameters = count_expected(shape, expect_params)
    rules = check_rule(count_rules(shape, parameters, work), convention)
    return Count(
        model=shape,
        workload=work,
        ledger=build_ledger(shape, work),
        parameters=parameters,
        convention=convention,
        rules=rules,
        basis=count_basis(shape, work),
        version=VERSION,
        warnings=find_warnings(shape, work, rules, convention),
        trace=check_ledger(model, shape, work) if trace else None,
        draw=draw,
    )


def draw(result: Count, form: Form) -> str:
    """The count as Markdown or HTML."""
    from peakwise.report.views.count import render

    return render(result, form)
