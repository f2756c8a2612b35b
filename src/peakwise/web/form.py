"""What a page was asked: the pairs of its link or form as inputs by key, and what else they say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from peakwise.core.declaration import Declaration, Field, Group

Pairs = Sequence[tuple[str, str]]

MARKER = "typed"  # stands in a form that carries what was typed, and not canonical numbers
# What a link may say beside inputs. `v`: of the link; `conv`: the rule set it pins.
RESERVED = frozenset({"v", "conv", MARKER, "locale", "fragment", "as", "pick", "preset", "open"})
WAY, ORIGIN, SENT, NOTE = "way.", "from.", "sent.", "note."
LONGEST_SHOWN = 60  # characters of an unknown parameter that a notice repeats


class Asked(NamedTuple):
    """A page's question. `given`: texts by key, as typed where `typed`, else canonical.

    `ways`: of each group that is said in one of several ways, the key that is asked for, by the group's first key.
    `origins`: the page a value came from, by key; `sent`: that value. `noted`: what was typed where it could be read
    in two ways. `unknown`: parameters that no field has.
    """

    given: Mapping[str, str]
    typed: bool = False
    locale: str = ""
    ways: Mapping[str, str] = {}
    origins: Mapping[str, str] = {}
    sent: Mapping[str, str] = {}
    noted: Mapping[str, str] = {}
    unknown: tuple[str, ...] = ()
    convention: str = ""
    version: str = ""
    preset: str = ""
    pick: str = ""
    form: str = ""
    fragment: bool = False
    open: bool = False

    @property
    def empty(self) -> bool:
        """Whether nothing was asked: the page's own example stands."""
        return not self.given and not self.typed


def read_form(declaration: Declaration, pairs: Pairs) -> Asked:
    """The question of a link or a form; the last of a repeated parameter counts."""
    said = dict(pairs)
    by_param = {field.param: field for field in declaration.fields}
    by_key = {field.key: field for field in declaration.fields}
    given = {by_param[name].key: _word(by_param[name], text) for name, text in said.items() if name in by_param}
    typed = said.get(MARKER) == "1"
    ways = dict(_ways(declaration, said))
    if typed:
        given = _follow(declaration, given, ways)
    return Asked(
        given=given,
        typed=typed,
        locale=said.get("locale", ""),
        ways=ways,
        origins={key: page for key, page in _named(said, ORIGIN) if key in by_key},
        sent={key: text for key, text in _named(said, SENT) if key in by_key},
        noted={by_param[name].key: text for name, text in _named(said, NOTE) if name in by_param},
        unknown=tuple(name[:LONGEST_SHOWN] for name in said if name not in by_param and not _reserved(name)),
        convention=said.get("conv", ""),
        version=said.get("v", ""),
        preset=said.get("preset", "") if typed else "",
        pick=said.get("pick", ""),
        form=said.get("as", ""),
        fragment=said.get("fragment") == "1",
        open=said.get("open") == "1",
    )


def exclusive(declaration: Declaration) -> tuple[Group, ...]:
    """The groups whose fields say one thing in several ways."""
    return tuple(group for group in declaration.groups if group.exclusive and len(group.keys) > 1)


def active_way(group: Group, declaration: Declaration, asked: Asked) -> str:
    """The key in which a group is said: the one chosen, else given, else the first that has a default."""
    chosen = asked.ways.get(group.keys[0])
    if chosen is not None:
        return chosen
    stated = [key for key in group.keys if asked.given.get(key, "").strip()]
    named = [key for key in group.keys if key in asked.given]
    default = [key for key in group.keys if declaration.field(key).default is not None]
    return next(iter((*stated, *named, *default, *group.keys)))


def _word(field: Field, text: str) -> str:
    """A choice's word for the short one of a link; any other text as it is."""
    return next((choice.word for choice in field.choices if choice.link == text.strip()), text)


def _named(said: Mapping[str, str], prefix: str) -> Iterator[tuple[str, str]]:
    return ((name.removeprefix(prefix), text) for name, text in said.items() if name.startswith(prefix))


def _reserved(name: str) -> bool:
    return name in RESERVED or name.startswith((WAY, ORIGIN, SENT, NOTE))


def _ways(declaration: Declaration, said: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The way chosen for each group: `way.PARAM` with the first field's parameter, and a field's parameter."""
    for group in exclusive(declaration):
        first = declaration.field(group.keys[0])
        chosen = said.get(WAY + first.param, "")
        for key in group.keys:
            if declaration.field(key).param == chosen:
                yield first.key, key


def _follow(declaration: Declaration, given: Mapping[str, str], ways: Mapping[str, str]) -> dict[str, str]:
    """The typed texts once another way was chosen: its box takes the number where it means the same kind of thing."""
    texts = dict(given)
    for group in exclusive(declaration):
        way = ways.get(group.keys[0])
        if way is None:
            continue
        left = [texts.pop(key) for key in group.keys if key != way and key in texts and _kin(declaration, key, way)]
        for key in group.keys:
            if key != way:
                texts.pop(key, None)
        if way not in texts:
            texts[way] = left[0] if left else ""
    return texts


def _kin(declaration: Declaration, one: str, other: str) -> bool:
    first, second = declaration.field(one), declaration.field(other)
    return first.dimension == second.dimension and first.dimension != "plain" and first.scale == second.scale


def fills_box(field: Field) -> bool:
    """Whether an emptied box of this field is an error: it would have had a value."""
    return field.default is not None or field.required
