"""The units that may follow a typed number, by what they measure, in base units."""

from __future__ import annotations

from functools import cache
from typing import Literal

from peakwise.core import units

Dimension = Literal[
    "plain",
    "parameter",
    "token",
    "token_per_s",
    "sequence",
    "flop",
    "flop_per_s",
    "byte",
    "byte_per_s",
    "s",
    "percent",
    "fraction",
]

_DECIMAL: dict[str, int] = {
    "": 1,
    "k": units.KILO,
    "K": units.KILO,
    "M": units.MEGA,
    "G": units.GIGA,
    "T": units.TERA,
    "P": units.PETA,
    "E": units.EXA,
}
_BINARY: dict[str, int] = {"Ki": units.KIBI, "Mi": units.MEBI, "Gi": units.GIBI, "Ti": units.TEBI}
_CYRILLIC: dict[str, int] = {
    "": 1,
    "к": units.KILO,
    "М": units.MEGA,
    "Г": units.GIGA,
    "Т": units.TERA,
    "П": units.PETA,
}
_NAMED: dict[str, int] = {"giga": units.GIGA, "tera": units.TERA, "peta": units.PETA, "exa": units.EXA}
_NONE: dict[str, int] = {"": 1}

# What one dimension is written as: the spellings, and the prefixes that may stand before them.
_SPELLINGS: tuple[tuple[Dimension, tuple[str, ...], dict[str, int]], ...] = (
    ("parameter", ("parameter", "parameters", "params", "param"), _NONE),
    ("token", ("token", "tokens", "tok"), _NONE),
    ("sequence", ("sequence", "sequences", "seqs"), _NONE),
    ("token_per_s", ("token/s", "tokens/s", "tok/s", "toks/s", "tps", "token/sec", "tokens/sec"), _DECIMAL),
    ("flop", ("FLOP", "FLOPs", "FLOP/token", "FLOPs/token", "FLOP/tok"), _DECIMAL),
    ("flop_per_s", ("FLOP/s", "FLOPs/s", "FLOPS", "FLOPs", "FLOP/sec", "OP/s", "OPS"), _DECIMAL),
    ("flop_per_s", ("flop/s", "flops"), _NAMED),
    ("byte", ("B", "byte", "bytes"), _DECIMAL | _BINARY),
    ("byte_per_s", ("B/s", "byte/s", "bytes/s", "B/sec"), _DECIMAL | _BINARY),
    # As the pages in other languages write them beside their boxes.
    ("parameter", ("parámetros", "parametri", "параметр", "параметра", "параметров"), _NONE),
    ("token", ("токен", "токена", "токенов"), _NONE),
    ("sequence", ("secuencias", "sequenze", "последовательностей"), _NONE),
    ("token_per_s", ("токен/с", "токена/с", "токенов/с"), _CYRILLIC),
    ("byte", ("Б", "байт", "байта"), _CYRILLIC),
    ("byte_per_s", ("Б/с", "байт/с"), _CYRILLIC),
)

# Words of time; `s` takes no decimal prefix above 1, so they are listed.
_SECONDS: dict[str, tuple[int, int]] = {
    "s": (1, 1),
    "sec": (1, 1),
    "second": (1, 1),
    "seconds": (1, 1),
    "ms": (1, units.MS_PER_S),
    "us": (1, units.MEGA),
    "µs": (1, units.MEGA),
    "μs": (1, units.MEGA),
    "min": (units.S_PER_MINUTE, 1),
    "h": (units.S_PER_HOUR, 1),
    "с": (1, 1),
    "мс": (1, units.MS_PER_S),
    "мкс": (1, units.MEGA),
    "мин": (units.S_PER_MINUTE, 1),
    "ч": (units.S_PER_HOUR, 1),
}


@cache
def units_of(dimension: Dimension) -> dict[str, tuple[int, int]]:
    """Spelling → how many base units one is, as numerator and denominator. Rates of FLOPs in any case of letters."""
    table: dict[str, tuple[int, int]] = dict(_SECONDS) if dimension == "s" else {}
    for owner, spellings, prefixes in _SPELLINGS:
        if owner == dimension:
            for spelling in spellings:
                for prefix, factor in prefixes.items():
                    table[prefix + spelling] = (factor, 1)
    if dimension == "flop_per_s":
        table |= {spelling.lower(): factor for spelling, factor in table.items()}
    return table


def find_unit(word: str, dimension: Dimension) -> tuple[int, int] | None:
    """The factor of a unit word in one dimension, or None where the dimension has no such word."""
    table = units_of(dimension)
    return table.get(word) or (table.get(word.lower()) if dimension == "flop_per_s" else None)


def is_unit(word: str) -> bool:
    """Whether a word is a unit of any dimension."""
    return word == "%" or word in _SECONDS or any(find_unit(word, owner) for owner, _, _ in _SPELLINGS)
