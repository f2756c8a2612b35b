"""A measurement on paper: the MFU, why the log says something else, and every number with its basis."""

from __future__ import annotations

from peakwise.core.bands import find_band
from peakwise.core.measurement import Measurement
from peakwise.core.measurement import Row as Step
from peakwise.core.quantity import Quantity
from peakwise.core.units import to_giga, to_tera
from peakwise.report.blocks import (
    Block,
    Column,
    Command,
    Document,
    Fact,
    Facts,
    Gap,
    Gauge,
    Hero,
    Need,
    Needs,
    Row,
    Sentence,
    Table,
    Title,
    Warned,
)
from peakwise.report.figures import UNKNOWN, counted, figure, gflop, percent, points, significant, tflop_per_s
from peakwise.report.paper import Paper
from peakwise.report.render import Shape, draw

# How the inputs that can be assumed are called beside the hero number.
INPUT_WORDS = {
    "flop_per_token": "work per token",
    "seq_len": "sequence length",
    "tokens_per_s_per_device": "rate",
    "peak_flop_per_s_per_device": "peak",
}


# A report fits 40 lines: of the time that no rate uses, the longest stretches.
MOST_LEFT_OUT = 6


def describe(run: Measurement, form: Shape = "text") -> Document:
    """The document of a measurement."""
    incomplete = run.mfu is None
    body = _incomplete(run) if incomplete else _complete(run, form)
    return Document(
        title=f"Measurement of {run.sources[0]}",
        blocks=(*_titles(run), *body),
        warned=tuple(Warned(finding) for finding in run.warnings),
        footer=f"`{run.convention}` · Peakwise {run.version}",
    )


def render(run: Measurement, form: Shape = "text", paper: Paper | None = None) -> str:
    """The measurement in one form."""
    return draw(describe(run, form), form, paper)


# What ran


def _titles(run: Measurement) -> list[Block]:
    more = len(run.sources) - 1
    source = run.sources[0] + (f" and {more} more" if more else "")
    titles: list[Block] = [Title(f"{source} · {run.producer_name}")]
    long, short = _ran(run, "sequences of {} tokens"), _ran(run, "seq {}")
    if long:
        titles.append(Title(" · ".join(long), " · ".join(short)))
    return [*titles, Gap()]


def _ran(run: Measurement, length: str) -> list[str]:
    parts = [run.model_name, "" if run.peak is None else run.peak.chip_name]
    if run.peak is not None and not run.peak.chip_name:
        parts[1] = f"{run.peak.kind} peak"
    if run.seq_len is not None:
        parts.append(length.format(figure(run.seq_len.value, 0)))
    return [part for part in (*parts, _steps(run)) if part]


def _steps(run: Measurement) -> str:
    first, last = run.steps.first, run.steps.last
    if first is None or last is None:
        return ""
    return f"step {first}" if first == last else f"steps {first}–{last}"


# With an MFU


def _complete(run: Measurement, form: Shape) -> list[Block]:
    assert run.mfu is not None
    blocks: list[Block] = [_hero(run, run.mfu.value), Gap()]
    if run.mfu.value <= 1:
        blocks += [Gauge(run.mfu.value, applies=not run.band_note, why=run.band_note), Gap()]
    steps = () if run.reconciliation is None else run.reconciliation.rows
    if steps:
        news = _news(run, run.mfu.value)
        explained = news if form == "markdown" else f"{news} Here is why."
        blocks += [Sentence(explained, "bold"), Gap()] if news else []
        blocks += [_table(steps), Gap()]
    blocks.append(Facts("Numbers", _numbers(run), brief=bool(steps)))
    left_out = _left_out(run)
    if left_out:
        blocks += [Gap(), Facts("Left out of the rates", left_out)]
    if run.command and form != "markdown":
        blocks += [Gap(), Command("To fill the gaps, complete and run:", run.command)]
    return blocks


def _left_out(run: Measurement) -> tuple[Fact, ...]:
    """What no rate uses, the longest first: lost time between records, slow records, steps run twice."""
    lost = [(gap.seconds, gap.reason, f"after step {figure(gap.after or 0, 0)}") for gap in run.steps.gaps]
    lost += [
        (part.seconds or 0.0, part.reason, _stretch(part.first, part.last))
        for part in run.steps.excluded
        if part.seconds
    ]
    lost.sort(key=lambda item: -item[0])
    facts = [Fact(reason, significant(seconds, 4), "s", "measured", where) for seconds, reason, where in lost]
    rest = facts[MOST_LEFT_OUT:]
    facts = facts[:MOST_LEFT_OUT]
    if rest:
        more = significant(sum(seconds for seconds, _, _ in lost[MOST_LEFT_OUT:]), 4)
        facts.append(
            Fact(f"{counted(len(rest), 'shorter one', 'shorter ones')}", more, "s", "measured", "listed by --json")
        )
    if run.steps.repeated:
        where = ", ".join(_stretch(first, last) for first, last in run.steps.again)
        facts.append(Fact("steps run twice", figure(run.steps.repeated, 0), "", "measured", where))
    return tuple(facts)


def _stretch(first: int | None, last: int | None) -> str:
    if first is None or last is None:
        return "steps without a number"
    return f"step {figure(first, 0)}" if first == last else f"steps {figure(first, 0)}–{figure(last, 0)}"


def _hero(run: Measurement, mfu: float) -> Hero:
    band = "cannot be" if mfu > 1 else "" if run.band_note else find_band(mfu)
    assumed = ", ".join(INPUT_WORDS.get(name, name) for name in run.assumed)
    aside = f"{band} (assumed: {assumed})".strip() if assumed else band
    about = ", ".join(_ran(run, "{} tokens"))
    return Hero(f"MFU {percent(mfu)}", aside, gap=3 if mfu > 1 else 2, about=about)


def _news(run: Measurement, mfu: float) -> str:
    """The sentence that says what the log printed and what it is; empty where the log printed neither figure."""
    logged = run.logged
    if logged.mfu is not None:
        said, found = percent(logged.mfu.value), percent(mfu)
    elif logged.flop_per_s_per_device is not None and run.flop_per_s_per_device is not None:
        said = f"{tflop_per_s(logged.flop_per_s_per_device.value)} TFLOP/s"
        found = f"{tflop_per_s(run.flop_per_s_per_device.value)} TFLOP/s"
    else:
        return ""
    return "" if said == found else f"Your log says {said}. It is {found}."


_COLUMNS = (
    Column("", width=21),
    Column("GFLOP/token", width=13),
    Column("TFLOP/s", width=11, from_width=72),
    Column("peak", width=10),
    Column("MFU", width=10),
    Column("", words=True, from_width=100),
)


def _table(steps: tuple[Step, ...]) -> Table:
    rows = [_row(step, last=step is steps[-1]) for step in steps]
    return Table(_COLUMNS, tuple(rows), margin=4)


def _row(step: Step, *, last: bool) -> Row:
    part = step.kind == "part"
    blank = "" if part else UNKNOWN
    cells = (
        step.label,
        blank if step.flop_per_token is None else gflop(step.flop_per_token),
        blank if step.flop_per_s is None else tflop_per_s(step.flop_per_s),
        blank if step.peak_flop_per_s is None else tflop_per_s(step.peak_flop_per_s),
        blank if step.mfu is None else f"{points(step.mfu)}  " if part else percent(step.mfu),  # digits under digits
        step.words,
    )
    # Only a label's last word can be spared: it repeats a number of the same row.
    short = step.label.rsplit(" ", 1)[0] if step.label[-1:].isdigit() else ""
    return Row(cells, style="bold" if last else "plain", indent=2 if part else 0, short=short)


def _numbers(run: Measurement) -> tuple[Fact, ...]:
    return (
        _step(run),
        _rate(run),
        _fact("work per token", run.flop_per_token, "flop_per_token", run, brief=False),
        _fact("useful per GPU", run.flop_per_s_per_device, "flop_per_s_per_device", run, brief=False),
        _fact("peak per GPU", run.peak_flop_per_s_per_device, "peak_flop_per_s_per_device", run),
        _fact("MFU", run.mfu, "mfu", run, brief=False),
        _fact("MFU of the whole run", run.mfu_wall, "mfu_wall", run, brief=False),
        _fact("HFU", run.hfu, "hfu", run),
        _fact("tokens/s, all GPUs", run.tokens_per_s, "tokens_per_s", run, brief=False),
    )


def _step(run: Measurement) -> Fact:
    return _fact("step", run.step_s.median, "step_s", run)


def _rate(run: Measurement) -> Fact:
    return _fact("tokens/s per GPU", run.tokens_per_s_per_device, "tokens_per_s_per_device", run)


def _fact(label: str, quantity: Quantity | None, key: str, run: Measurement, *, brief: bool = True) -> Fact:
    if quantity is None:
        return Fact(label, UNKNOWN, "", "missing", run.absent.get(key, ""), brief)
    number, unit = shown(quantity)
    return Fact(label, number, unit, quantity.basis, quantity.source, brief)


def shown(quantity: Quantity) -> tuple[str, str]:
    """A quantity as a report prints it: the number in the unit that people read, and that unit."""
    value = quantity.value
    match quantity.unit:
        case "fraction":
            return points(value), "%"
        case "s":
            return significant(value, 4), "s"
        case "FLOP/s":
            return figure(to_tera(value), 1), "TFLOP/s"
        case "FLOP" | "FLOP/token":
            return figure(to_giga(value), 2), "GFLOP"
        case _:
            return figure(value, 0), ""


# Without


def _incomplete(run: Measurement) -> list[Block]:
    n_blocking = len(run.blocking)
    why = f"{counted(n_blocking, 'input is', 'inputs are')} missing" if n_blocking else run.absent.get("mfu", "")
    blocks: list[Block] = [Hero("MFU —", why, gap=3, about=", ".join(_ran(run, "{} tokens"))), Gap()]
    blocks.append(Facts("Known", _known(run)))
    if run.blocking:
        needs = tuple(Need(item.input, item.why, item.flag, item.how) for item in run.blocking)
        blocks += [Gap(), Needs("Missing", needs)]
    if run.notes:
        blocks += [Gap(), *(Sentence(note, indent=2) for note in run.notes)]
    if run.command:
        blocks += [Gap(), Command("Complete and run:", run.command)]
    return blocks


def _known(run: Measurement) -> tuple[Fact, ...]:
    logged = run.logged
    facts = [_step(run), _rate(run)]
    for label, quantity in (
        ("work per token", run.flop_per_token),
        ("peak per GPU", run.peak_flop_per_s_per_device),
        ("HFU", run.hfu),
        ("the log's own rate", logged.flop_per_s_per_device),
        ("the log's own MFU", logged.mfu),
        ("the log's own peak", logged.implied_peak_flop_per_s),
    ):
        if quantity is not None:
            facts.append(_fact(label, quantity, "", run))
    return tuple(facts)
