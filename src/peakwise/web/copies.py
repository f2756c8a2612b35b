"""An answer to take along: as Markdown, CSV or LaTeX, in the page's language."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from peakwise.web.sheet import Sheet

FORMS: dict[str, str] = {
    "md": "text/markdown; charset=utf-8",
    "csv": "text/csv; charset=utf-8",
    "tex": "text/plain; charset=utf-8",
}


def write_copy(sheet: Sheet, form: str, address: str) -> str:
    """The answer in one form of FORMS; `address`: the page's own."""
    match form:
        case "md":
            return _markdown(sheet, address)
        case "csv":
            return _csv(sheet)
        case _:
            return _latex(sheet, address)


def _results(sheet: Sheet) -> Iterator[tuple[str, str, str]]:
    """Label, number and unit of every result that there is."""
    assert sheet.calculation is not None  # a copy is made of an answer
    for result in sheet.declaration.results:
        value = sheet.calculation.results[result.key]
        if value is not None:
            shown = sheet.figures.result(value, result.display, result.unit)
            yield sheet.result_label(result.key), shown.number, shown.unit.strip("\u00a0")


def _inputs(sheet: Sheet) -> Iterator[tuple[str, str, str]]:
    assert sheet.calculation is not None  # a copy is made of an answer
    for key, given in sheet.calculation.inputs.items():
        shown = sheet.figures.said(sheet.declaration.field(key), given.value)
        yield sheet.field_name(key, "label"), shown.number, shown.unit.strip("\u00a0")


def _markdown(sheet: Sheet, address: str) -> str:
    texts = sheet.texts
    lines = [f"**{texts.plain(f'page.{sheet.id}.title')}**", ""]
    if sheet.over:
        lines += [texts.plain("finding.E_OVER.text"), ""]
    lines += [f"| {texts.plain('ui.table.result')} | {texts.plain('ui.table.value')} |", "|---|---:|"]
    lines += [f"| {_cell(label)} | {_cell(_joined(number, unit))} |" for label, number, unit in _results(sheet)]
    lines += ["", f"| {texts.plain('ui.table.input')} | {texts.plain('ui.table.value')} |", "|---|---:|"]
    lines += [f"| {_cell(label)} | {_cell(_joined(number, unit))} |" for label, number, unit in _inputs(sheet)]
    lines += ["", f"{_rule(sheet)} {texts.plain('ui.notice')}", "", f"<{address}>"]
    return "\n".join(lines) + "\n"


def _rule(sheet: Sheet) -> str:
    assert sheet.calculation is not None  # a copy is made of an answer
    return sheet.texts.get("ui.rule_line", rule=sheet.calculation.convention["id"])


def _joined(number: str, unit: str) -> str:
    return number if not unit else f"{number}{'' if unit == '%' else chr(0xA0)}{unit}"


def _cell(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ")


def _csv(sheet: Sheet) -> str:
    """Keys and plain numbers in base units; a comma and a dot, whatever the language, so that programs read it."""
    assert sheet.calculation is not None  # a copy is made of an answer
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(("kind", "key", "value", "unit", "basis"))
    for key, given in sheet.calculation.inputs.items():
        writer.writerow(("input", key, _plain(given.value), given.unit, given.basis))
    for result in sheet.declaration.results:
        writer.writerow(("result", result.key, _plain(sheet.calculation.results[result.key]), result.unit, ""))
    writer.writerow(("rule", "convention", sheet.calculation.convention["id"], "", ""))
    writer.writerow(("notice", "", sheet.texts.plain("ui.notice"), "", ""))
    return text.getvalue()


def _plain(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return ";".join(str(item) for item in value)  # pyright: ignore[reportUnknownVariableType,reportUnknownArgumentType]
    text = str(value)
    return f"'{text}" if isinstance(value, str) and text[:1] in "=+-@" else text  # no formula of a spreadsheet


_TEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "%": r"\%",
        "&": r"\&",
        "#": r"\#",
        "_": r"\_",
        "$": r"\$",
        "{": r"\{",
        "}": r"\}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "\u00a0": "~",
        "×": r"$\times$",
        "—": "---",
        "⁹": r"$^{9}$",
    }
)


def _latex(sheet: Sheet, address: str) -> str:
    texts = sheet.texts
    rows = [
        rf"{label.translate(_TEX)} & {number.translate(_TEX)} & {unit.translate(_TEX)} \\"
        for label, number, unit in (*_results(sheet),)
    ]
    inputs = [
        rf"{label.translate(_TEX)} & {number.translate(_TEX)} & {unit.translate(_TEX)} \\"
        for label, number, unit in _inputs(sheet)
    ]
    return "\n".join(
        [
            f"% {address}",
            r"\begin{tabular}{lrl}",
            *rows,
            r"\hline",
            *inputs,
            r"\end{tabular}",
            f"% {_rule(sheet)} {texts.plain('ui.notice')}",
            "",
        ]
    )
