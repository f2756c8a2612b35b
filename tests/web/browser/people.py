"""What a person types on each page, and the answer that it should show: in the person's own signs."""

from __future__ import annotations

from typing import NamedTuple

from peakwise.calculators.table import find_calculator
from peakwise.core.declaration import Field
from peakwise.report.locale import show_number
from peakwise.verbs.calc import calculate

LOG = "\n".join(
    f" iteration {step:8d}/   10000 | consumed samples: {step * 64:12d} | elapsed time per iteration (ms): "
    f"{61000.0 if step < 4 else 20000.0} | throughput per GPU (TFLOP/s/GPU): {147.5 if step < 4 else 450.0} | "
    "learning rate: 1.0E-05 |"
    for step in range(1, 11)
)

# Calculator → (parameter, value): numbers as numbers, words as words; the rest keeps what the page shows.
FILLED: dict[str, tuple[tuple[str, object], ...]] = {
    "mfu": (("n", 70), ("tps", 2000), ("peak", 989), ("acc", 1)),
    "flops-per-token": (("n", 8.03),),
    "inference-roofline": (("n", 70), ("bytes", 0.5), ("bw", 3350), ("peak", 989)),
    "hfu": (("mfu", 45.5), ("rc", "full")),
    "finetune-throughput": (("acc", 8), ("V", 2500), ("eta", 82), ("T", 1800)),
    "finetune-duration": (
        ("ex", 50000),
        ("ep", 3),
        ("T", 900),
        ("tps", 16400),
        ("gbs", 64),
        ("acc", 8),
        ("gpu_h", 2.5),
    ),
    "method-flops": (("n", 8.03), ("m", "dpo")),
    "lengths": (("lens", "200 400 900 2100"), ("batch", 4), ("pol", "longest"), ("s", 4096)),
    "compare": (("ac", "mai-base-1-v5"), ("bc", "deepseek-v3"), ("rule", "exact")),
    "parse-log": (("text", LOG),),
}


class Typed(NamedTuple):
    """One field with the text that a person of one language types or the word that they choose."""

    field: Field
    text: str
    link: str


def typed(identifier: str, language: str) -> list[Typed]:
    """The fields of a page in the order they are filled."""
    fields = {field.param: field for field in find_calculator(identifier).declaration.fields}
    out: list[Typed] = []
    for param, value in FILLED[identifier]:
        field = fields[param]
        if isinstance(value, int | float):
            decimals = 0 if isinstance(value, int) else len(str(value).partition(".")[2])
            out.append(Typed(field, show_number(value, decimals, language), str(value)))
        else:
            link = next((choice.link for choice in field.choices if choice.word == value), str(value))
            out.append(Typed(field, link, link))
    return out


def answer(identifier: str, language: str) -> str:
    """The hero of a page as it should read, without its unit but for a percent sign, spaces as typed."""
    declaration = find_calculator(identifier).declaration
    params = {field.param: field.key for field in declaration.fields}
    given = {params[param]: value for param, value in FILLED[identifier]}
    result = calculate(identifier, given, absent="default", local=False)
    texts = result.display[language]
    assert isinstance(texts, dict)
    return str(texts[declaration.hero])


def page_path(identifier: str, language: str) -> str:
    """The path of a page."""
    slugs = dict(find_calculator(identifier).declaration.slugs)
    return f"/{language}/{slugs.get(language, identifier)}"
