"""Which language a page is in, and by which region its numbers are read and written."""

from __future__ import annotations

from collections.abc import Iterator

from peakwise.core.number_locale import LOCALES
from peakwise.web.texts import FIRST, LANGUAGES

COOKIE = "lang"
COOKIE_DAYS = 365
_LONGEST_HEADER = 400  # characters of Accept-Language that are read; browsers send well under 100


def choose_language(cookie: str, accepted: str) -> str:
    """The language for a reader who named none: the one chosen before, else the first accepted one, else English."""
    if cookie in LANGUAGES:
        return cookie
    for tag in _tags(accepted):
        language = tag.partition("-")[0].lower()
        if language in LANGUAGES:
            return language
    return FIRST


def choose_locale(language: str, asked: str, accepted: str) -> str:
    """The region whose signs numbers are read and written by: the one asked for, else the reader's own.

    **Example**
    >>> choose_locale("es", "", "es-MX,es;q=0.9"), choose_locale("it", "", "es-MX")
    ('es-MX', 'it')
    """
    for tag in (asked, *_tags(accepted)):
        name, _, region = tag.replace("_", "-").partition("-")
        locale = f"{name.lower()}-{region.rpartition('-')[2].upper()}" if region else name.lower()
        if name.lower() == language and locale in LOCALES:
            return locale
    return language


def _tags(accepted: str) -> Iterator[str]:
    """The languages of an Accept-Language header, the most wanted first."""
    weighed: list[tuple[float, int, str]] = []
    for place, part in enumerate(accepted[:_LONGEST_HEADER].split(",")):
        tag, _, weight = part.partition(";q=")
        try:
            quality = float(weight) if weight else 1.0
        except ValueError:
            quality = 0.0
        if tag.strip() and quality > 0:
            weighed.append((-quality, place, tag.strip()))
    return (tag for _, _, tag in sorted(weighed))
