"""The form of a page: headline fields in their order, each said in one way, and the others under "More inputs"."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from peakwise.core.declaration import Field, Group, Need
from peakwise.web.field_view import Button, Choice, FieldView, view_field
from peakwise.web.form import MARKER, WAY, active_way, exclusive
from peakwise.web.links import path_of
from peakwise.web.options import models
from peakwise.web.sheet import Sheet

_FEWEST_SEGMENTS = 3  # ways of a group that are offered side by side; of two, the other is a link
_HARDWARE = frozenset({"peak_tflops", "chip", "accelerators", "bandwidth_gb_s", "memory_gb"})
PICK_CHIP, PICK_MODEL = "hw", "n"


class Pair(NamedTuple):
    """A hidden pair that travels with the form."""

    name: str
    value: str


class FormView(NamedTuple):
    """A form as it is drawn."""

    action: str
    method: str
    fields: tuple[FieldView, ...]
    more: tuple[FieldView, ...]
    others: tuple[Button, ...]
    more_open: bool
    hidden: tuple[Pair, ...]
    hardware_at: int


def view_form(sheet: Sheet) -> FormView:
    """The form of a page."""
    layout = _arrange(sheet)
    shown = tuple(_headline(sheet, field) for field in layout.headline)
    more = tuple(view_field(sheet, field) for field in layout.more)
    hidden = [Pair(MARKER, "1")]
    if sheet.asked.locale:
        hidden.append(Pair("locale", sheet.asked.locale))
    return FormView(
        action=path_of(sheet.declaration, sheet.language),
        method="post" if any(field.kind == "text" for field in sheet.declaration.fields) else "get",
        fields=shown,
        more=more,
        others=tuple(_other_ways(sheet)),
        more_open=any(view.error or view.note or view.chip for view in more),
        hidden=tuple(hidden),
        hardware_at=_hardware_at(layout.headline),
    )


def _hardware_at(fields: tuple[Field, ...]) -> int:
    """Where the fields about hardware begin, if from there on all are; 0 where they stand among others."""
    are = [field.key in _HARDWARE for field in fields]
    first = are.index(True) if any(are) else 0
    return first if all(are[first:]) else 0


class _Layout(NamedTuple):
    headline: tuple[Field, ...]
    more: tuple[Field, ...]


def _arrange(sheet: Sheet) -> _Layout:
    """Which fields stand in the form itself, in the order of the declaration, and which under "More inputs"."""
    declaration = sheet.declaration
    groups = {key: group for group in exclusive(declaration) for key in group.keys}
    chip = _chip_stands_for(sheet)
    headline: list[Field] = []
    more: list[Field] = []
    seen: set[str] = set()
    for field in declaration.fields:
        if field.key in seen or (field.key == "chip" and _has_chip_group(sheet)):
            continue
        group = groups.get(field.key)
        if group is not None:
            seen.update(group.keys)
            shown = declaration.field(active_way(group, declaration, sheet.asked))
            headline.append(shown)
            wrong = [key for key in group.keys if key != shown.key and key in sheet.answered.errors]
            headline += [declaration.field(key) for key in wrong]  # said too, and in the way: shown to be cleared
        elif field.key in chip:
            if chip.index(field.key) == 0:
                headline.append(declaration.field("chip"))
            more.append(field)
        else:
            (headline if field.headline or field.required else more).append(field)
    return _promote(sheet, headline, more)


def _promote(sheet: Sheet, headline: list[Field], more: list[Field]) -> _Layout:
    """What a headline field asks for beside it moves up to it."""
    for need in sheet.declaration.needs:
        at = next((place for place, field in enumerate(headline) if field.key == need.when), None)
        if at is None or not _applies(sheet, need):
            continue
        asked = [field for field in more if field.key in need.keys]
        headline[at + 1 : at + 1] = asked
        more = [field for field in more if field not in asked]
    return _Layout(tuple(headline), tuple(more))


def _applies(sheet: Sheet, need: Need) -> bool:
    if any(str(sheet.answered.given.get(key, "")).strip() for key in need.unless):
        return False
    field = sheet.declaration.field(need.when)
    given = sheet.answered.given.get(need.when)
    value = given if given is not None else field.default or field.preselect
    if not need.among:
        return given is not None or need.when in sheet.asked.ways.values()
    return value in need.among


def _has_chip_group(sheet: Sheet) -> bool:
    return any("chip" in group.keys and not group.exclusive for group in sheet.declaration.groups)


def _chip_stands_for(sheet: Sheet) -> list[str]:
    """The fields whose place the chip takes, where one is named or is to be picked."""
    named = str(sheet.answered.given.get("chip", "")).strip() or sheet.asked.pick == PICK_CHIP
    if not named:
        return []
    return [
        key
        for group in sheet.declaration.groups
        if "chip" in group.keys and not group.exclusive
        for key in group.keys
        if key != "chip"
    ]


def _headline(sheet: Sheet, field: Field) -> FieldView:
    """A field of the form itself, with its way out: a list to pick from, or another way to say it."""
    view = view_field(sheet, field)
    texts, links = sheet.texts, sheet.links
    group = next((group for group in exclusive(sheet.declaration) if field.key in group.keys), None)
    if group is not None and len(group.keys) >= _FEWEST_SEGMENTS:
        first = sheet.declaration.field(group.keys[0])
        view = view._replace(ways=tuple(_ways(sheet, group, field)), ways_name=WAY + first.param)
    if field.key == "chip":
        back = _typed_instead(sheet)
        return view._replace(
            out=Button(texts.plain("ui.type_peak"), links.without(*_named_by_chip(sheet))) if back else None,
            out_word=texts.plain("ui.or"),
            hint=_chip_gives(sheet) or view.hint,
        )
    if _can_pick_chip(sheet, field):
        href = links.without(field.key, pick=PICK_CHIP)
        return view._replace(out=Button(texts.plain("ui.pick_chip"), href), out_word=texts.plain("ui.or"), scope="")
    if _can_pick_model(sheet, field):
        if sheet.asked.pick == PICK_MODEL:
            return _model_list(sheet, view)
        href = links.here(pick=PICK_MODEL)
        return view._replace(out=Button(texts.plain("ui.pick_model"), href), out_word=texts.plain("ui.or"), scope="")
    if group is not None and len(group.keys) < _FEWEST_SEGMENTS and field.key != group.keys[0]:
        first = group.keys[0]
        button = Button(sheet.field_name(first), links.without(field.key, **_way(sheet, group, first)))
        return view._replace(out=button, out_word=texts.plain("ui.or"), scope="")
    return view


def _way(sheet: Sheet, group: Group, key: str) -> dict[str, str]:
    first = sheet.declaration.field(group.keys[0])
    return {WAY + first.param: sheet.declaration.field(key).param}


def _ways(sheet: Sheet, group: Group, field: Field) -> Iterator[Choice]:
    for key in group.keys:
        own = sheet.own(f"field.{key}.way")
        label = sheet.texts.plain(own) if sheet.texts.has(own) else sheet.field_name(key, "label")
        yield Choice(sheet.declaration.field(key).param, label, key == field.key)


def _other_ways(sheet: Sheet) -> Iterator[Button]:
    """The second way of a group of two, where its first stands in the form: a link under "More inputs"."""
    for group in exclusive(sheet.declaration):
        active = active_way(group, sheet.declaration, sheet.asked)
        if len(group.keys) < _FEWEST_SEGMENTS and active == group.keys[0]:
            for key in group.keys[1:]:
                text = sheet.texts.get(
                    "ui.instead", name=sheet.field_name(key, "label"), other=sheet.field_name(active)
                )
                yield Button(text, sheet.links.without(active, **_way(sheet, group, key)))


def _named_by_chip(sheet: Sheet) -> list[str]:
    """The fields that go when a chip's peak is typed instead: the chip, and which of its peaks it was, where asked."""
    return [field.key for field in sheet.declaration.fields if field.key in ("chip", "denominator")]


def _typed_instead(sheet: Sheet) -> bool:
    return any(field.key == "peak_tflops" for field in sheet.declaration.fields)


def _chip_gives(sheet: Sheet) -> str:
    """The peak that a named chip gave."""
    calculation = sheet.calculation
    if calculation is None or "chip" not in calculation.inputs or "peak_tflops" not in calculation.inputs:
        return ""
    peak = calculation.inputs["peak_tflops"]
    chip, _, basis = peak.source.partition(", ")
    if chip != calculation.inputs["chip"].value or not isinstance(peak.value, int | float):
        return ""
    precision = basis.rpartition(" ")[2]
    return sheet.texts.get("ui.chip_gives", peak=sheet.figures.plain(peak.value), precision=precision)


def _can_pick_chip(sheet: Sheet, field: Field) -> bool:
    """Whether a chip may stand for this field, and nothing else of the form says so already."""
    groups = [group for group in sheet.declaration.groups if "chip" in group.keys and not group.exclusive]
    return bool(groups) and field.key == groups[0].keys[0]


def _can_pick_model(sheet: Sheet, field: Field) -> bool:
    """Whether a model of the catalogue may fill in the parameters: where the calculator takes no model itself."""
    return field.key == "params_b" and all(other.key != "model" for other in sheet.declaration.fields)


def _model_list(sheet: Sheet, view: FieldView) -> FieldView:
    """The list of models in place of the parameters."""
    texts = sheet.texts
    first = Choice("", texts.plain("ui.choose"), True)
    return FieldView(
        key="preset",
        name="preset",
        kind="select",
        label=texts.plain("ui.model"),
        unit="",
        value="",
        choices=(first, *(Choice(option.value, option.label, False) for option in models())),
        out=Button(texts.plain("ui.type_parameters"), sheet.links.here()),
        out_word=texts.plain("ui.or"),
        hint=view.echo,
    )
