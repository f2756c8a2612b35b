"""How far a long reading has come."""

from __future__ import annotations

from collections.abc import Callable

# Called again and again with the bytes read so far and the bytes in all, of one file.
Progress = Callable[[int, int], None]
