"""What cannot be right, or is rarely so, in the inputs of an MFU: each with its likely cause and a repair."""

from __future__ import annotations

from collections.abc import Iterator

from peakwise.calculators.mfu_work import WEIGHT_BYTES, Work
from peakwise.core.calculation import Cause
from peakwise.core.catalogue import Mixture
from peakwise.core.chip import BITS, CataloguedPeak, Chip, Precision
from peakwise.core.finding import Finding
from peakwise.core.number import format_plain
from peakwise.core.rounding import format_fixed
from peakwise.core.units import to_giga, to_percent, to_tera

# The product's rules for findings, table of warnings of C1.
TOTAL_WITHIN = 0.005  # W_MOE: within 0.5 % of a catalogued total
FIGURE_WITHIN = 0.001  # W_PREC: within 0.1 % of a catalogued figure
HIGH_TRAINING, HIGH_INFERENCE = 0.65, 0.40  # W_HIGH
PLAUSIBLE = (0.15, 0.65)  # W_BASIS: what trainings reach
FROZEN_FACTOR = 4  # forward and input gradient: what a frozen weight costs

# Width in bits for "narrower"; tf32 keeps 19 of 32 bits (8 exponent, 10 mantissa, sign).
_WIDTH: dict[Precision, int] = {**BITS, "tf32": 19}


def _percent(fraction: float) -> str:
    return format_fixed(to_percent(fraction), 1) + " %"


def _gb(size: float) -> str:
    return format_fixed(to_giga(size), 1) + " GB"


def matching_mixture(work: Work, mixtures: tuple[Mixture, ...]) -> Mixture | None:
    """The catalogued mixture of experts whose total was given without its active parameters; the nearest one."""
    given = work.n_params
    if given is None or work.n_active is not None:
        return None
    near = [item for item in mixtures if abs(given - item.n_params) <= TOTAL_WITHIN * item.n_params]
    return min(near, key=lambda item: abs(given - item.n_params), default=None)


def find_causes(work: Work) -> tuple[Cause, ...]:
    """Why a utilization is above the peak, likeliest first, with the MFU it would be; empty at or below the peak."""
    return tuple(_causes(work)) if work.highest > 1 else ()


def _causes(work: Work) -> Iterator[Cause]:
    if work.chip is not None and work.chip.rated_boost:
        text = f"{work.chip.id} is rated at a boost clock that it can pass"
        yield Cause(text=text, value=None, fix="", id="boost", values=(("chip", work.chip.id),))
    if work.mfu > 1:
        known = work.mixture is not None
        yield from (*_experts(work), *_rates(work)) if known else _rates(work)
        yield from _frozen(work)
        yield from () if known else _experts(work)
        yield Cause(text="the peak belongs to a faster chip or type", value=None, fix="--chip CHIP", id="peak")
    if work.mfu <= 1 and work.hfu is not None and work.hfu > 1:
        text = "fewer blocks are recomputed than stated"
        yield Cause(text=text, value=work.mfu, fix="--recompute-fraction F", id="recompute")
    if work.mfu <= 1 and work.mfu_math_peak is not None and work.mfu_math_peak > 1:
        text = "the run was not on this chip, or in a narrower type"
        yield Cause(text=text, value=None, fix="--chip CHIP", id="chip")


def _rates(work: Work) -> Iterator[Cause]:
    """The rate belongs to more accelerators, or a per-accelerator rate is the whole run's."""
    if work.rate_key == "tokens_per_s_per_device":
        if work.devices > 1 and work.mfu / work.devices <= 1:
            rate = work.tokens_per_s / work.devices
            yield Cause(
                text="the rate is the whole run's",
                value=work.mfu / work.devices,
                fix=f"--rate {format_plain(rate)}",
                id="whole_rate",
                repair=(("tokens_per_s", rate), ("tokens_per_s_per_device", None)),
            )
        return
    devices = work.devices * 2
    while work.mfu * work.devices / devices > PLAUSIBLE[1]:
        devices *= 2
    text = f"the rate comes from {devices:,} accelerators, not {work.devices:,}"
    yield Cause(
        text=text,
        value=work.mfu * work.devices / devices,
        fix=f"--devices {devices}",
        id="devices",
        values=(("devices", devices), ("given", work.devices)),
        repair=(("accelerators", devices),),
    )


def _frozen(work: Work) -> Iterator[Cause]:
    """Frozen weights, where the factor of training was taken and this would explain it."""
    if work.factor is None or work.factor_stated or work.workload != "training":
        return
    mfu = work.mfu * FROZEN_FACTOR / work.factor
    if mfu <= 1 and not work.stated_work:
        fix = f"--workload custom --flops-per-param {FROZEN_FACTOR}"
        text = f"weights are frozen: {FROZEN_FACTOR}N per token, not {format_plain(work.factor)}N"
        yield Cause(
            text=text,
            value=mfu,
            fix=fix,
            id="frozen",
            values=(("factor", FROZEN_FACTOR), ("given", work.factor)),
            repair=(("workload", "custom"), ("flops_per_param", FROZEN_FACTOR)),
        )


def _experts(work: Work) -> Iterator[Cause]:
    """Idle experts were counted, where no active parameters were given."""
    if work.stated_work or work.n_active is not None:
        return
    text = "a mixture of experts: only active ones count"
    if work.mixture is None or work.n_params is None:
        yield Cause(text=text, value=None, fix="--active-params N", id="experts")
        return
    active = to_giga(work.mixture.n_active_params)
    share = work.mixture.n_active_params / work.n_params
    value = work.mfu * share if work.attention == "none" else None
    fix = f"--active-params {format_plain(active)}"
    yield Cause(text=text, value=value, fix=fix, id="experts", repair=(("active_params_b", active),))


def find_warnings(work: Work, causes: tuple[Cause, ...]) -> Iterator[Finding]:
    """The findings of one calculation, the gravest first."""
    if causes:
        yield _over(work, causes)
    else:
        yield from _high(work)
    yield from _fit(work)
    if work.mixture is not None:
        yield _mixture(work.mixture)
    yield from _precision(work)
    yield from _basis(work)


def _over(work: Work, causes: tuple[Cause, ...]) -> Finding:
    likely = "; ".join(cause.text + ("" if cause.value is None else f" ({_percent(cause.value)})") for cause in causes)
    return Finding(
        code="E_OVER",
        message=f"{_what_is_over(work)}above the peak, so one input is likely wrong: {likely}",
        input="tokens_per_s" if work.rate_key == "tokens_per_s" else work.rate_key,
        fix=next((cause.fix for cause in causes if cause.fix), ""),
        values=(("case", _which_is_over(work)), ("value", work.highest), ("precision", work.precision)),
    )


def _which_is_over(work: Work) -> str:
    """The key of the utilization that is above the peak."""
    if work.mfu > 1:
        return "mfu"
    return "hfu" if work.hfu is not None and work.hfu > 1 else "mfu_math_peak"


def _what_is_over(work: Work) -> str:
    """The name and size of what is above the peak, where it is not the MFU of the first line."""
    if work.mfu > 1:
        return ""
    if work.hfu is not None and work.hfu > 1:
        return f"HFU is {_percent(work.hfu)}, "
    return f"MFU over the chip's {work.precision} peak is {_percent(work.highest)}, "


def _high(work: Work) -> Iterator[Finding]:
    mfu = round(work.mfu, 12)
    if work.workload == "training" and mfu > HIGH_TRAINING:
        yield Finding(
            code="W_HIGH",
            message=f"{_percent(mfu)} is more than trainings reach; the likely cause is the number of accelerators",
            input="accelerators",
            fix=f"--devices {work.devices * 2}",
            values=(("case", "training"), ("value", mfu)),
            repair=(("accelerators", work.devices * 2),),
        )
    elif work.workload == "inference" and work.devices == 1 and mfu > HIGH_INFERENCE:
        yield Finding(
            code="W_HIGH",
            message=f"{_percent(mfu)} is more than inference on one accelerator reaches; the likely cause is that the "
            "rate comes from several, or counts prompt tokens",
            input="accelerators",
            fix=f"--devices {work.devices * 2}",
            values=(("case", "inference"), ("value", mfu)),
            repair=(("accelerators", work.devices * 2),),
        )


def _fit(work: Work) -> Iterator[Finding]:
    if work.n_params is None or work.memory_bytes is None:
        return
    needed, held = work.n_params * WEIGHT_BYTES[work.precision], work.memory_bytes * work.devices
    if needed > held:
        fewest = int(-(-needed // work.memory_bytes))
        yield Finding(
            code="W_FIT",
            message=f"weights of {_gb(needed)} do not fit in {_gb(held)}, {work.devices:,} × "
            f"{_gb(work.memory_bytes)}; more accelerators hold them, or a narrower type",
            input="accelerators",
            fix=f"--devices {fewest}",
            values=(
                ("needed_gb", to_giga(needed)),
                ("held_gb", to_giga(held)),
                ("weights", needed),
                ("memory", held),
                ("devices", work.devices),
                ("fewest", fewest),
            ),
            repair=(("accelerators", fewest),),
        )


def _mixture(mixture: Mixture) -> Finding:
    active = to_giga(mixture.n_active_params)
    return Finding(
        code="W_MOE",
        message=f"this is the size of {mixture.name} with all its experts; a token uses only "
        f"{format_fixed(active, 1)} ×10⁹ of its parameters",
        input="active_params_b",
        fix=f"--active-params {format_plain(active)}",
        values=(("model", mixture.name), ("active", active)),
        repair=(("active_params_b", active),),
    )


def _precision(work: Work) -> Iterator[Finding]:
    stated = work.denominator
    if stated is not None and _WIDTH[stated] < _WIDTH[work.precision]:
        yield Finding(
            code="W_PREC",
            message=f"the peak is for {stated}, which is narrower than the {work.precision} that ran",
            input="denominator",
            fix=f"--denominator {work.precision}",
            values=(("case", "denominator"), ("denominator", stated), ("precision", work.precision)),
            repair=(("denominator", work.precision),),
        )
    elif work.peak_typed:
        yield from _typed_peak(work)


def _typed_peak(work: Work) -> Iterator[Finding]:
    """A typed figure that the catalogue has as sparse or as a narrower type's, and as no dense one for it."""
    near = [
        figure
        for chip in work.near
        for figure in chip.catalogued
        if abs(work.peak_per_device - figure.flop_per_s) <= FIGURE_WITHIN * figure.flop_per_s
    ]
    if any(_is_for(figure, work.precision) for figure in near):
        return
    wrong = [item for item in near if item.kind == "sparse" or _WIDTH[item.precision] < _WIDTH[work.precision]]
    if not wrong:
        return
    chip = _likeliest({item.chip for item in wrong}, work)
    right = chip.denominator(work.precision)
    peak = None if right is None else chip.peak_flop_per_s(right)
    figure = format_plain(to_tera(work.peak_per_device))
    kinds = _kinds([item for item in wrong if item.chip == chip.id], work.precision)
    yield Finding(
        code="W_PREC",
        message=f"{figure} TFLOP/s is the {kinds} figure of {chip.id}, not a dense {work.precision} peak",
        input="peak_tflops",
        fix="--chip CHIP" if peak is None else f'--peak "{format_plain(to_tera(peak))} TFLOP/s"',
        values=(
            ("case", "figure"),
            ("peak", to_tera(work.peak_per_device)),
            ("kinds", kinds),
            ("chip", chip.id),
            ("precision", work.precision),
        ),
        repair=() if peak is None else (("peak_tflops", to_tera(peak)),),
    )


def _likeliest(ids: set[str], work: Work) -> Chip:
    """The chip to name: the one that was named, else the oldest that sells its silicon under its own name."""
    chips = [chip for chip in work.near if chip.id in ids]
    named = [chip for chip in chips if work.chip is not None and chip.id == work.chip.id]
    own = [chip for chip in chips if not chip.variant_of]
    return min(named or own or chips, key=lambda chip: (chip.year or 0, chip.id))


def _kinds(figures: list[CataloguedPeak], precision: Precision) -> str:
    """What a figure is: sparse, of the type that ran where it may be, or dense of a narrower type."""
    kinds: list[str] = []
    for kind in ("sparse", "dense"):
        types = [figure.precision for figure in figures if figure.kind == kind]
        if types:
            kinds.append(f"{kind} {precision if precision in types else types[0]}")
    return " or ".join(kinds)


def _is_for(figure: CataloguedPeak, precision: Precision) -> bool:
    """Whether a run at `precision` may divide by a figure: dense, of its type or, for narrower runs, of 16 bits."""
    sixteen = BITS[precision] <= BITS["bf16"] and BITS[figure.precision] == BITS["bf16"]
    return figure.kind == "dense" and (figure.precision == precision or sixteen)


def _basis(work: Work) -> Iterator[Finding]:
    low, high = PLAUSIBLE
    if work.workload != "training" or work.devices == 1 or work.rate_key == "tokens_per_s_per_device":
        return
    mfu, together = round(work.mfu, 12), round(work.mfu * work.devices, 12)
    if not low <= mfu <= high and low <= together <= high:
        if work.rate_key == "tokens_per_s":
            what, fix = "the rate", f"--rate-per-device {format_plain(work.tokens_per_s)}"
            repair = (("tokens_per_s_per_device", work.tokens_per_s), ("tokens_per_s", None))
        else:
            what, fix, repair = "the batch", "--global-batch N", ()
        yield Finding(
            code="W_BASIS",
            message=f"{what} is likely one accelerator's and not the whole run's: times {work.devices:,} the MFU is "
            f"{_percent(together)}",
            input=work.rate_key if work.rate_key == "tokens_per_s" else "global_batch",
            fix=fix,
            values=(
                ("case", "rate" if work.rate_key == "tokens_per_s" else "batch"),
                ("devices", work.devices),
                ("value", together),
            ),
            repair=repair,
        )
