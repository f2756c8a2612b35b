"""The links of a page: the same inputs, with what a button, a language or another page changes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from urllib.parse import quote

from peakwise.calculators.link import canonical
from peakwise.core.declaration import Declaration, Value

_PLAIN = re.compile(r"[A-Za-z0-9_.~-]*")  # what an address carries as it is


def write_query(pairs: Iterable[tuple[str, str]]) -> str:
    """Pairs as the query of a link."""
    return "&".join(f"{_escape(name)}={_escape(text)}" for name, text in pairs)


def _escape(text: str) -> str:
    """A text as a query carries it; most are plain, and `quote` is slow where there is nothing to do."""
    return text if _PLAIN.fullmatch(text) else quote(text, safe="")


def slug_of(declaration: Declaration, language: str) -> str:
    """The last part of a page's path in a language."""
    return dict(declaration.slugs).get(language, declaration.id)


def path_of(declaration: Declaration, language: str) -> str:
    """A page's path in a language."""
    return f"/{language}/{slug_of(declaration, language)}"


class Links:
    """Links to one page with its inputs, in its language. `extra`: pairs that are no inputs and stay."""

    def __init__(
        self, declaration: Declaration, language: str, pairs: Mapping[str, str], extra: Mapping[str, str] | None = None
    ) -> None:
        self.declaration = declaration
        self.language = language
        self.pairs = pairs
        self.extra = extra or {}
        self._order = {field.param: place for place, field in enumerate(declaration.fields)}

    def here(self, language: str = "", **more: str) -> str:
        """The same inputs, in this or another language, with more pairs behind them."""
        return self._link(language or self.language, self.pairs, {**self.extra, **more})

    def plain(self, **more: str) -> str:
        """The inputs alone: what is shared."""
        return self._link(self.language, self.pairs, more)

    def changed(self, changes: Iterable[tuple[str, Value | None]], **more: str) -> str:
        """The inputs with some of them changed, by key; None leaves one out."""
        pairs = dict(self.pairs)
        for key, value in changes:
            field = self.declaration.field(key)
            if value is None:
                pairs.pop(field.param, None)
            else:
                pairs[field.param] = canonical(field, value)
        return self._link(self.language, pairs, more)

    def without(self, *keys: str, **more: str) -> str:
        """The inputs but some, by key."""
        return self.changed([(key, None) for key in keys], **more)

    def _link(self, language: str, pairs: Mapping[str, str], more: Mapping[str, str]) -> str:
        ordered = sorted(pairs.items(), key=lambda pair: self._order.get(pair[0], -1))
        query = write_query((*ordered, *more.items()))
        return path_of(self.declaration, language) + (f"?{query}" if query else "")
