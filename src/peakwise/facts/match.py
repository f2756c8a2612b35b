"""Which chip a name means: a person's, a driver's or a framework's name to its row, or a refusal."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import NamedTuple

from peakwise.core.chip import Chip
from peakwise.core.errors import UnknownChip
from peakwise.core.units import to_giga
from peakwise.facts.chip_names import TOKEN, ChipName, Mark, is_run, parse_name, plain_tokens
from peakwise.facts.chips import chip_by_id, load_chips

_LONGEST = 100  # no device name is longer (the longest of the catalogue has 55 characters)
_NEAREST = 3
_WORD = re.compile(r"\S+")
_TELLS = re.compile(r"(?:\d|[a-z]{3})$")  # a query that ends in fewer letters than three tells nothing
_TYPEABLE = re.compile(r"[a-z0-9 ._-]*")  # what a shell passes on as it stands, inside quotation marks


class _Name(NamedTuple):
    """One name of a chip, split, and the capacities that a text with this name may state."""

    text: str
    parts: ChipName
    capacities: frozenset[str]

    @property
    def tokens(self) -> tuple[str, ...]:
        """Every token of the name."""
        return _tokens(self.text)


class _Row(NamedTuple):
    """A chip with its names, and the marks that agree with it: those of its columns and of its names."""

    chip: Chip
    names: tuple[_Name, ...]
    marks: frozenset[Mark]


def find_chip(text: str, *, parameter: str = "--chip") -> Chip:
    """The chip that `text` means: an id, an alias, a name, a torch device name or a JAX device kind.

    A name means a chip when its identifying tokens are, in order, just those of one of the chip's names, it states
    what that name states (capacity, form factor, memory type), and nothing in it disagrees with the row. So a suffix
    the table does not know ("Laptop", "Ti", "LS") makes an unknown part, never its larger or smaller kin.

    **Raises** UnknownChip: for an unknown part with the three nearest ids; for a family name that fits several chips
    with these chips; for a MIG slice, which has a share of its chip's peak that the name does not give.

    **Example**
    >>> find_chip("NVIDIA H100 80GB HBM3").id
    'h100-sxm'
    """
    exact = chip_by_id(text)
    if exact is not None:
        return exact
    tokens = plain_tokens(text[:_LONGEST])
    if "mig" in tokens:
        raise _refuse_slice(text, parameter)
    name = parse_name(text[:_LONGEST])
    found = [(row, alias) for row in _rows() if (alias := _meant(row, name)) is not None]
    if len(found) == 1 and len(text) <= _LONGEST:
        row, alias = found[0]
        return row.chip.called(alias)
    candidates = [row.chip for row in _rows() if _could_be(row, name)]
    if len(candidates) > 1 and len(text) <= _LONGEST:
        raise _refuse_family(text, parameter, candidates)
    raise _refuse_unknown(text, parameter, candidates)


def nearest_chips(text: str, first: tuple[Chip, ...] = ()) -> tuple[Chip, ...]:
    """The three chips whose names look most like `text`: `first` ones ahead, newer ones ahead among equals."""
    by_core = _likeness(" ".join(parse_name(text[:_LONGEST]).core))
    by_all = _likeness(" ".join(plain_tokens(text[:_LONGEST])))

    def rank(row: _Row) -> tuple[bool, float, float, int]:
        core = max(by_core(" ".join(name.parts.core)) for name in row.names)
        whole = max(by_all(" ".join(name.tokens)) for name in row.names)
        return row.chip not in first, -core, -whole, -(row.chip.year or 0)

    return tuple(row.chip for row in sorted(_rows(), key=rank)[:_NEAREST])


def _likeness(wanted: str) -> Callable[[str], float]:
    from difflib import SequenceMatcher

    matcher = SequenceMatcher(autojunk=False, b=wanted)

    def ratio(text: str) -> float:
        matcher.set_seq1(text)
        return matcher.ratio()

    return ratio


def search_chips(query: str) -> tuple[Chip, ...]:
    """Chips of which a name or the vendor holds the tokens of `query` in this order, brand words aside."""
    wanted, name = plain_tokens(query), parse_name(query)
    return tuple(
        row.chip
        for row in _rows()
        if any(is_run(wanted, known.tokens) for known in row.names)
        or is_run(wanted, _tokens(row.chip.vendor))
        or _could_be(row, name)
    )


def list_chips(query: str | None) -> tuple[Chip, ...]:
    """The chips that `query` fits, all without one. **Raises** UnknownChip, with the nearest, when nothing fits."""
    if query is None:
        return load_chips()
    found = search_chips(query[:_LONGEST])
    if found:
        return found
    raise UnknownChip(
        f'no chip matches "{_clip(query)}"',
        where="QUERY",
        got=_clip(query),
        expected=f"a part of a chip's name, or a vendor; the nearest are {_join(nearest_chips(query))}",
        hint="peakwise catalog chips",
    )


def _meant(row: _Row, name: ChipName) -> str | None:
    """The name of the row that `name` states in full, or None."""
    if not name.core or not _agrees(row, name):
        return None
    stated = name.values("capacity")
    for known in row.names:
        if known.parts.core == name.core and known.parts.kinds <= name.kinds and stated <= known.capacities:
            return known.text
    return None


def _could_be(row: _Row, name: ChipName) -> bool:
    """Whether `name` leaves out something that would make it a name of the row."""
    return _agrees(row, name) and any(is_run(name.core, known.parts.core) for known in row.names)


def _agrees(row: _Row, name: ChipName) -> bool:
    return name.brands <= {row.chip.vendor} and all(_marked(row, mark) for mark in name.marks)


def _marked(row: _Row, mark: Mark) -> bool:
    kind, value = mark
    if mark in row.marks:
        return True
    # "SXM" without its generation agrees with any generation.
    return kind == "form" and any(known == "form" and text.startswith(value) for known, text in row.marks)


@functools.cache
def _tokens(known: str) -> tuple[str, ...]:
    """The tokens of a name of the catalogue, kept: a refusal compares them all many times."""
    return plain_tokens(known)


@functools.cache
def _rows() -> tuple[_Row, ...]:
    return tuple(_split(chip) for chip in load_chips())


def _split(chip: Chip) -> _Row:
    names = tuple(_split_name(chip, text) for text in chip_names(chip))
    marks: set[Mark] = {("form", chip.form_factor.lower()), ("memory", chip.memory_type.lower())}
    for name in names:
        marks.update(name.parts.marks, (("capacity", value) for value in name.capacities))
    return _Row(chip, names, frozenset(marks))


def _split_name(chip: Chip, text: str) -> _Name:
    parts, memory = parse_name(text), chip.called(text).package_memory_bytes
    own: frozenset[str] = frozenset() if memory is None else frozenset((f"{to_giga(memory):g}",))
    return _Name(text, parts, parts.values("capacity") | own)


def chip_names(chip: Chip) -> tuple[str, ...]:
    """Every name of a chip; what stands in brackets in the vendor's name explains and is no part of it."""
    return tuple(dict.fromkeys((chip.id, chip.name, chip.full_name.partition(" (")[0], *chip.aliases)))


def _refuse_slice(text: str, parameter: str) -> UnknownChip:
    return UnknownChip(
        f'"{_clip(text)}" is a MIG slice, not a whole chip',
        where=parameter,
        got=_clip(text),
        expected="a whole chip, or the peak of the slice: it has its share of the chip's compute units",
        hint='--peak "N TFLOP/s"',
    )


def _refuse_family(text: str, parameter: str, candidates: list[Chip]) -> UnknownChip:
    return UnknownChip(
        f'"{_clip(text)}" fits several chips',
        where=parameter,
        got=_clip(text),
        expected=f"one of {_join(candidates)}" if len(candidates) <= 6 else f"one of {len(candidates)} chips",
        hint=_search_command(text),
    )


def _refuse_unknown(text: str, parameter: str, candidates: list[Chip]) -> UnknownChip:
    known = parse_name(text[:_LONGEST]).core
    nearest = f"; the nearest are {_join(nearest_chips(text, tuple(candidates)))}" if known else ""
    return UnknownChip(
        f'unknown chip "{_clip(text)}"',
        where=parameter,
        got=_clip(text) or "an empty name",
        expected=f"a chip id{nearest}",
        hint=_search_command(text),
    )


def _search_command(text: str) -> str:
    """The command that lists the kin of a name: by its longest run of tokens, from a word on, that a chip has."""
    line = text[:_LONGEST].lower()
    ends = [token.end() for token in TOKEN.finditer(line)]
    for word in _WORD.finditer(line):
        if not parse_name(word.group()).core:
            continue
        for end in reversed([end for end in ends if end > word.start()]):
            query = line[word.start() : end]
            if _TELLS.search(query) and _TYPEABLE.fullmatch(query) and search_chips(query):
                return f'peakwise catalog chips "{query}"' if " " in query else f"peakwise catalog chips {query}"
    return "peakwise catalog chips"


def _join(chips: tuple[Chip, ...] | list[Chip]) -> str:
    ids = [chip.id for chip in chips]
    return f"{', '.join(ids[:-1])} and {ids[-1]}" if len(ids) > 1 else "".join(ids)


def _clip(text: str) -> str:
    shown = "".join(char if char.isprintable() else " " for char in text[:_LONGEST])
    return shown.strip() + ("…" if len(text) > _LONGEST else "")
