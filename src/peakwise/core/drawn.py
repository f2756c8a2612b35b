"""Results that draw themselves: the drawing is given by the verb that made the result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, Protocol

Form = Literal["markdown", "html"]


class Drawable(Protocol):
    """What a result needs in order to draw itself: the function that its verb gave it."""

    @property
    def draw(self) -> Callable[[Any, Form], str] | None: ...


def drawn(result: Drawable, form: Form) -> str:
    """The result as text in one form, by the function its verb gave it; empty where it has none."""
    return "" if result.draw is None else result.draw(result, form)
