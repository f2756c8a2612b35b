"""Work of a request, in bounded time: at once where it is small, beside the others where it is not."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from peakwise.core.units import KILO
from peakwise.web.errors import TOO_LONG, plain_error
from peakwise.web.security import SECONDS

_Answer = TypeVar("_Answer")

SMALL = 4 * KILO  # bytes of input that are worked through at once: a few milliseconds at most


async def run_bounded(work: Callable[[], _Answer], size: int) -> _Answer:
    """What `work` gives; `size`: bytes of its input. **Raises** RequestError where it takes too long."""
    if size <= SMALL:
        return work()
    import anyio
    import anyio.to_thread

    try:
        with anyio.fail_after(SECONDS):
            return await anyio.to_thread.run_sync(work, abandon_on_cancel=True)
    except TimeoutError as error:
        raise plain_error(TOO_LONG) from error
