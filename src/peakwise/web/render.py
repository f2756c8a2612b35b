"""Pages as HTML: the templates, compiled once."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from peakwise.web.assets import asset_path
from peakwise.web.field_view import FieldView
from peakwise.web.prose import Explained
from peakwise.web.texts import Texts, read_texts

if TYPE_CHECKING:
    from jinja2 import Environment

_FOLDER = Path(__file__).with_name("templates")


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    made = Environment(
        loader=FileSystemLoader(_FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    words: dict[str, Any] = made.globals
    words["asset"] = asset_path
    words["patterns"] = Markup((_FOLDER / "patterns.svg").read_text(encoding="utf-8").partition("-->")[2].strip())
    return made


def render(template: str, texts: Texts, values: dict[str, Any]) -> str:
    """One template with its values; `t` gives a text by its id, `field` and `folded` the parts that are kept."""
    parts = {"t": _words(texts), "language": texts.language, "field": partial(_field, texts.language)}
    return _environment().get_template(template).render(**parts, folded=partial(_folded, texts.language), **values)


def _words(texts: Texts) -> Callable[..., str]:
    def t(key: str, **placeholders: str) -> str:
        return texts.get(key, **placeholders) if placeholders else texts.plain(key)

    return t


def _field(language: str, view: FieldView) -> str:
    """One field; a pasted text is drawn and forgotten, any other is kept for the next page that has the same."""
    return _draw_field(language, view) if view.kind == "area" else _kept_field(language, view)


@lru_cache(maxsize=4096)  # a page has some thirty fields, most as they were on the page before
def _kept_field(language: str, view: FieldView) -> str:
    return _draw_field(language, view)


def _draw_field(language: str, view: FieldView) -> str:
    parts: Any = _environment().get_template("parts.html").module
    return parts.field(view, _words(read_texts(language)))


@lru_cache(maxsize=256)  # two written parts for each calculator and language
def _folded(language: str, explained: tuple[Explained, ...], first_open: bool) -> str:
    del language  # the parts are written in it
    parts: Any = _environment().get_template("parts.html").module
    return parts.folded(explained, first_open)
