"""The words of the page by id, in each language, read once from its message catalogues."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from functools import cache
from pathlib import Path
from string import Formatter
from typing import Protocol

LANGUAGES: tuple[str, ...] = ("en", "es", "it", "ru")
FIRST = "en"  # the language that lends its words where another lacks them

# CLDR's names of plural forms in the order in which a catalogue lists them.
_ORDER = ("zero", "one", "two", "few", "many", "other")

_FOLDER = Path(__file__).with_name("locales")
_FORMATTER = Formatter()


class Writer(Protocol):
    """How a number of a text is written, and its digits for the plural."""

    def __call__(self, name: str) -> str:
        """The text of one placeholder. **Raises** KeyError where there is none of this name."""
        ...


class Plural:
    """One message that changes with a number: its forms by CLDR's name, and the placeholder that decides."""

    __slots__ = ("by", "forms")

    def __init__(self, by: str, forms: Mapping[str, str]) -> None:
        self.by = by
        self.forms = forms


Message = str | Plural


class Texts:
    """The messages of one language. An id that it lacks is taken from English; one that English lacks is an error."""

    def __init__(self, language: str, messages: Mapping[str, Message], first: Mapping[str, Message]) -> None:
        from babel import Locale

        self.language = language
        self.messages = messages
        self._first = first
        self._form = Locale.parse(language).plural_form

    def has(self, key: str) -> bool:
        """Whether there is a message of this id."""
        return key in self.messages or key in self._first

    def pick(self, *keys: str) -> str:
        """The first of these ids that there is; the last, which must be there, otherwise."""
        return next((key for key in keys if self.has(key)), keys[-1])

    def get(self, key: str, **values: str) -> str:
        """The text of an id, its placeholders filled in. **Raises** KeyError: an id or a value that is not there."""
        return self.write(key, values)

    def write(self, key: str, values: Mapping[str, str], digits: Mapping[str, Decimal] | None = None) -> str:
        """The text of an id with these values; `digits` decide on plurals where the value is a number."""
        message = self.messages.get(key)
        if message is None:
            message = self._first[key]
        if isinstance(message, Plural):
            number = (digits or {}).get(message.by, Decimal(0))
            form = self._form(abs(number))
            message = message.forms.get(form, message.forms["other"])
        return message.format_map(values) if "{" in message else message

    def plain(self, key: str) -> str:
        """The text of an id as it stands, placeholders unfilled; of a plural the form of many."""
        message = self.messages.get(key)
        if message is None:
            message = self._first[key]
        return message.forms["other"] if isinstance(message, Plural) else message

    def numbered(self, pattern: str) -> Iterator[int]:
        """1, 2, 3 … as long as there is an id of `pattern` with that number in place of `#`."""
        place = 1
        while self.has(pattern.replace("#", str(place))):
            yield place
            place += 1


def placeholders(text: str) -> set[str]:
    """The names in braces of a message."""
    return {name for _, name, _, _ in _FORMATTER.parse(text) if name}


@cache
def read_texts(language: str) -> Texts:
    """The messages of a language."""
    return Texts(language, read_messages(language), read_messages(FIRST))


@cache
def read_messages(language: str) -> Mapping[str, Message]:
    """Every message of the language's catalogues by id. **Raises** ValueError for an id that two files have."""
    from babel.messages.pofile import read_po

    found: dict[str, Message] = {}
    for path in sorted((_FOLDER / language).glob("*.po")):
        with path.open("rb") as file:
            catalogue = read_po(file, locale=language, abort_invalid=True)
        for message in catalogue:
            if not message.id:
                continue
            key, value = _read(language, message.id, message.string)
            if key in found:
                raise ValueError(f"{path.name} of {language} repeats {key}")
            if value:
                found[key] = value
    return found


def _read(language: str, name: object, text: object) -> tuple[str, Message]:
    """One entry of a catalogue."""
    if isinstance(name, tuple | list):
        key, by = (str(part) for part in name)  # pyright: ignore[reportUnknownVariableType,reportUnknownArgumentType]
        forms = dict(zip(plural_names(language), (str(part) for part in _parts(text)), strict=True))
        return key, Plural(by, forms)
    return str(name), str(text)


def _parts(text: object) -> tuple[object, ...]:
    return tuple(text) if isinstance(text, tuple | list) else (text,)  # pyright: ignore[reportUnknownVariableType,reportUnknownArgumentType]


@cache
def plural_names(language: str) -> tuple[str, ...]:
    """CLDR's plural forms of a language, in a catalogue's order."""
    from babel import Locale

    tags = {*Locale.parse(language).plural_form.tags, "other"}
    return tuple(name for name in _ORDER if name in tags)
