"""How numbers are written where: decimal sign, group sign, percent sign and scale words, as tables.

The signs are CLDR's (release 48); tests/report/test_locale.py compares every row with Babel's copy. They stand here
because the parser of typed numbers is on the path of every start, where loading four locales costs as much
as the arithmetic many times over.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from peakwise.core.errors import InputError
from peakwise.core.units import GIGA, KILO, MEGA, TERA

NBSP, NARROW_NBSP = "\u00a0", "\u202f"


class NumberLocale(NamedTuple):
    """The signs of one locale. `percent` is what follows the number: `%`, or a no-break space and `%`."""

    language: str
    decimal: str
    group: str
    percent: str


_SPACED = NBSP + "%"

# (decimal, group, percent): the regions that use them. A region of "" is the language alone.
_SIGNS: tuple[tuple[str, str, str, str, str], ...] = (
    ("en", ".", ",", "%", " 001 150 AU CA GB IE NZ SG US"),
    ("en", ".", "'", "%", "CH"),
    ("en", ",", ".", "%", "BE ES ID IT NL PL RO SI"),
    ("en", ",", ".", _SPACED, "AT DE DK"),
    ("en", ",", NBSP, "%", "CZ EE HU LT LV PT SK UA ZA"),
    ("en", ",", NBSP, _SPACED, "FI NO SE"),
    ("en", ",", NARROW_NBSP, "%", "FR GE"),
    ("es", ",", ".", _SPACED, " EA ES GQ IC PH"),
    ("es", ",", ".", "%", "AR BO CL CO EC PY UY VE"),
    ("es", ",", NBSP, "%", "CR"),
    ("es", ".", ",", "%", "419 BR BZ CU DO GT HN MX NI PA PE PR SV US"),
    ("it", ",", ".", "%", " IT SM VA"),
    ("it", ".", "'", "%", "CH"),
    ("ru", ",", NBSP, _SPACED, " BY KG KZ MD RU UA"),
    ("fr", ",", NARROW_NBSP, _SPACED, " BE DZ FR MA MC SN TN"),
    ("fr", ",", NBSP, _SPACED, "CA"),
    ("fr", ",", "'", "%", "CH"),
    ("fr", ",", ".", _SPACED, "LU"),
    ("de", ",", ".", _SPACED, " AT BE DE IT LU"),
    ("de", ".", "'", "%", "CH LI"),
)


def _rows() -> dict[str, NumberLocale]:
    rows: dict[str, NumberLocale] = {}
    for language, decimal, group, percent, regions in _SIGNS:
        row = NumberLocale(language=language, decimal=decimal, group=group, percent=percent)
        for region in regions.split(" "):
            rows[f"{language}-{region}" if region else language] = row
    return rows


LOCALES: dict[str, NumberLocale] = _rows()


@lru_cache(maxsize=256)
def find_locale(name: str) -> NumberLocale:
    """The signs of `es-MX`, `es_MX` or `es`; a region without a row of its own writes as its language does.

    **Raises** InputError for a language that has no row.
    """
    language, _, rest = name.replace("_", "-").partition("-")
    region = rest.rpartition("-")[2].upper()
    found = LOCALES.get(f"{language.lower()}-{region}") or LOCALES.get(language.lower())
    if found is None:
        raise InputError(
            f'unknown locale "{name[:20]}"', where="locale", got=name[:20], expected="one of " + " ".join(LOCALES)
        )
    return found


# Letters that everyone writes after a number; B is 10⁹ as models are named (spec: "70B").
LETTERS: dict[str, int] = {"k": KILO, "K": KILO, "M": MEGA, "G": GIGA, "B": GIGA, "b": GIGA, "T": TERA}

# Words of each language, lower case; the long scale where the language has it (es, it, fr, de: billón = 10¹²).
WORDS: dict[str, dict[str, int]] = {
    "en": {
        "thousand": KILO,
        "million": MEGA,
        "millions": MEGA,
        "billion": GIGA,
        "billions": GIGA,
        "trillion": TERA,
        "trillions": TERA,
    },
    "es": {
        "mil": KILO,
        "millón": MEGA,
        "millon": MEGA,
        "millones": MEGA,
        "mil m": GIGA,
        "mil millones": GIGA,
        "billón": TERA,
        "billon": TERA,
        "billones": TERA,
    },
    "it": {
        "mila": KILO,
        "mille": KILO,
        "milione": MEGA,
        "milioni": MEGA,
        "mln": MEGA,
        "miliardo": GIGA,
        "miliardi": GIGA,
        "mld": GIGA,
        "bilione": TERA,
        "bilioni": TERA,
        "bln": TERA,
    },
    "ru": {
        "тыс": KILO,
        "тыс.": KILO,
        "тысяча": KILO,
        "тысячи": KILO,
        "тысяч": KILO,
        "млн": MEGA,
        "миллион": MEGA,
        "миллиона": MEGA,
        "миллионов": MEGA,
        "млрд": GIGA,
        "миллиард": GIGA,
        "миллиарда": GIGA,
        "миллиардов": GIGA,
        "трлн": TERA,
        "триллион": TERA,
        "триллиона": TERA,
        "триллионов": TERA,
    },
    "fr": {
        "mille": KILO,
        "million": MEGA,
        "millions": MEGA,
        "md": GIGA,
        "milliard": GIGA,
        "milliards": GIGA,
        "billion": TERA,
        "billions": TERA,
    },
    "de": {
        "tausend": KILO,
        "million": MEGA,
        "millionen": MEGA,
        "mio.": MEGA,
        "mio": MEGA,
        "milliarde": GIGA,
        "milliarden": GIGA,
        "mrd.": GIGA,
        "mrd": GIGA,
        "billion": TERA,
        "billionen": TERA,
        "bio.": TERA,
    },
}
