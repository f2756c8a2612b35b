"""One field of a form as it is drawn: label, box, what is wrong or doubtful with it, and ways to say it otherwise."""

from __future__ import annotations

from typing import NamedTuple

from peakwise.calculators.link import canonical
from peakwise.core.declaration import Field, Value
from peakwise.core.errors import FieldError
from peakwise.web.options import Option, options_of
from peakwise.web.sheet import Sheet

MOST_SEGMENTS = 4  # look: two to four choices are a segmented radio, more a select
_LONG_KINDS = frozenset({"list", "text"})
_NUMERIC = frozenset({"number", "integer", "list"})


class Button(NamedTuple):
    """A link that mends or changes something."""

    label: str
    href: str


class Note(NamedTuple):
    """What is doubtful about a number, and the other reading as a button."""

    text: str
    button: Button | None
    code: str


class Chip(NamedTuple):
    """Where a value came from, and the link that takes it back."""

    text: str
    undo: Button
    name: str
    page: str
    sent: str


class Choice(NamedTuple):
    """One word that can be chosen."""

    value: str
    label: str
    chosen: bool


class FieldView(NamedTuple):
    """A field as it is drawn. `kind`: box, segments, select or area."""

    key: str
    name: str
    kind: str
    label: str
    unit: str
    value: str
    choices: tuple[Choice, ...] = ()
    scope: str = ""
    hint: str = ""
    out: Button | None = None
    out_word: str = ""
    error: str = ""
    note: Note | None = None
    chip: Chip | None = None
    echo: str = ""
    whole: bool = False
    ways: tuple[Choice, ...] = ()
    ways_name: str = ""
    free: bool = False

    @property
    def described(self) -> str:
        """The ids of what describes the box."""
        return f"m-{self.name}" + (f" h-{self.name}" if self.hint else "")


def view_field(sheet: Sheet, field: Field) -> FieldView:
    """A field with what was typed into it, or what it would be."""
    kind, choices = _kind(sheet, field)
    error = None if sheet.asked.empty else sheet.answered.errors.get(field.key)  # nothing was asked: nothing is wrong
    unit = "" if kind in ("segments", "select") else sheet.figures.unit(field.unit)
    return FieldView(
        key=field.key,
        name=field.param,
        kind=kind,
        label=sheet.field_name(field.key, "label"),
        unit=unit,
        value=box_text(sheet, field),
        choices=choices,
        scope=_optional(sheet, field, "scope"),
        hint=_optional(sheet, field, "hint"),
        error="" if error is None else write_error(sheet, field, error),
        note=_note(sheet, field),
        chip=_chip(sheet, field),
        echo=_echo(sheet, field),
        whole=field.kind == "integer",
        free=field.kind not in ("number", "integer"),
    )


def _optional(sheet: Sheet, field: Field, part: str) -> str:
    key = sheet.own(f"field.{field.key}.{part}")
    return sheet.texts.plain(key) if sheet.texts.has(key) else ""


def _kind(sheet: Sheet, field: Field) -> tuple[str, tuple[Choice, ...]]:
    """How a field is drawn, and what can be chosen."""
    if field.kind in _LONG_KINDS:
        return "area", ()
    chosen = box_text(sheet, field)
    none = _none_choice(sheet, field)
    if field.kind == "choice":
        offered = [Option(choice.link, sheet.figures.choice(field, choice.word)) for choice in field.choices]
    elif field.kind == "boolean":
        offered = [Option("1", sheet.texts.plain("ui.yes")), Option("0", sheet.texts.plain("ui.no"))]
    else:
        offered = list(options_of(field.key))
        if not offered:
            return "box", ()
        known = {option.value for option in offered}
        offered += [Option(chosen, chosen)] if chosen and chosen not in known else []
        none = [Option("", sheet.texts.plain("ui.choose"))]
    offered = [*none, *offered]
    choices = tuple(Choice(option.value, option.label, option.value == chosen) for option in offered)
    segments = field.kind in ("choice", "boolean") and len(choices) <= MOST_SEGMENTS
    return "segments" if segments else "select", choices


def _none_choice(sheet: Sheet, field: Field) -> list[Option]:
    """The word for "not stated", where a choice may be left open."""
    if field.default is not None or field.required:
        return []
    key = f"choice.{field.key}.unstated"
    return [Option("", sheet.texts.plain(key if sheet.texts.has(key) else "ui.not_stated"))]


def box_text(sheet: Sheet, field: Field) -> str:
    """What stands in the box: what was typed, a link's number as the region writes it, or the default."""
    given = sheet.answered.given.get(field.key)
    typed = sheet.answered.typed.get(field.key)
    if given is None:
        value = _default(sheet, field)
        return "" if value is None else sheet.figures.typed(field, value)
    if typed is None:
        return str(given)
    as_typed = sheet.asked.typed and isinstance(given, str) and field.kind in _NUMERIC
    if typed.value is None or as_typed or typed.code == "W_AMBIG":
        return typed.text
    text = sheet.figures.typed(field, typed.value)
    return text + "%" if field.dimension == "percent" and typed.text.rstrip().endswith("%") else text


def _default(sheet: Sheet, field: Field) -> Value | None:
    """What an absent field is taken as: its default; in a group only where no other field says it."""
    for group in sheet.declaration.groups:
        if field.key in group.keys and any(str(sheet.answered.given.get(key, "")).strip() for key in group.keys):
            return None
        if field.key in group.keys and "chip" in group.keys and sheet.asked.pick == "hw":
            return None  # the chip to be picked gives it
    if field.default is not None:
        return field.default
    return field.preselect


def write_error(sheet: Sheet, field: Field, error: FieldError) -> str:
    """What is wrong with a field, in the page's language."""
    texts, figures = sheet.texts, sheet.figures
    typed = sheet.answered.typed.get(field.key)
    fits = typed is not None and typed.value is not None
    cross = [f"error.{error.code}.{field.key}.cross", f"error.{error.code}.cross"] if fits else []
    key = texts.pick(*cross, f"error.{error.code}.{field.key}", f"error.{error.code}")
    got = "" if typed is None else typed.text[:30]
    values = {
        "name": sheet.field_name(field.key),
        "low": figures.plain(field.low or 0),
        "high": "" if field.high is None else figures.plain(_whole(field.high)),
        "unit": figures.unit(field.unit),
        "got": got,
        "choices": ", ".join(figures.choice(field, word) for word in field.words),
        "example": figures.plain(_example(field)),
        "other": _other(sheet, field),
        "message": error.message,
    }
    return texts.write(key, values)


def _whole(value: float) -> int | float:
    return int(value) if value == int(value) else value


def _example(field: Field) -> int | float:
    if isinstance(field.default, int | float) and not isinstance(field.default, bool):
        return field.default
    return _whole(field.low or 1)


def _other(sheet: Sheet, field: Field) -> str:
    """The field that says the same thing, for a conflict."""
    for group in sheet.declaration.groups:
        if field.key in group.keys:
            for key in group.keys:
                if key != field.key and str(sheet.answered.given.get(key, "")).strip():
                    return sheet.field_name(key)
    return ""


def _note(sheet: Sheet, field: Field) -> Note | None:
    """The other reading of a number, offered with one tap."""
    typed = sheet.answered.typed.get(field.key)
    if typed is None:
        return None
    figures, code = sheet.figures, typed.code
    if typed.value is None and typed.alt is not None:
        alt = figures.plain(typed.alt)
        button = Button(
            sheet.texts.get("finding.W_AMBIG.repair", alt=alt), sheet.links.changed([(field.key, typed.alt)])
        )
        return Note(sheet.texts.get("ui.did_you_mean", alt=alt), button, code)
    if not code or not isinstance(typed.value, int | float):
        return None
    values = {"value": figures.plain(typed.value), "words": figures.words(typed.value)}
    own = f"finding.{code}"
    if typed.alt is None:
        return Note(sheet.texts.write("ui.read_as", values), None, code)
    values["alt"] = figures.plain(typed.alt)
    button = Button(sheet.texts.write(f"{own}.repair", values), sheet.links.changed([(field.key, typed.alt)]))
    text = sheet.texts.write(f"{own}.text", values)
    return Note(text.replace(f" ({values['value']})", ""), button, code)  # words that say no more than the figures


def _chip(sheet: Sheet, field: Field) -> Chip | None:
    """The page that a value came from."""
    page = sheet.asked.origins.get(field.key, "")
    typed = sheet.answered.typed.get(field.key)
    if typed is None or typed.value is None or not sheet.texts.has(f"page.{page}.short"):
        return None
    text = sheet.texts.get("ui.from", page=sheet.texts.plain(f"page.{page}.short"))
    sent = canonical(field, typed.value)
    undo = Button(sheet.texts.plain("ui.undo"), sheet.links.without(field.key))
    return Chip(text, undo, field.key, page, sent)


def _echo(sheet: Sheet, field: Field) -> str:
    """A number in words: parameters always, others where they were typed with groups or in a doubtful way."""
    typed = sheet.answered.typed.get(field.key)
    value = typed.value if typed is not None else None
    if typed is None and sheet.answered.given.get(field.key) is None:
        value = _default(sheet, field)
    if not isinstance(value, int | float) or isinstance(value, bool) or field.kind not in ("number", "integer"):
        return ""
    if field.dimension == "parameter":
        return sheet.figures.words(value * field.scale)
    return sheet.figures.words(value) if typed is not None and typed.echo and not typed.code else ""
