"""Inputs to show a page by, where a calculator has none of its own to begin with."""

from __future__ import annotations

from collections.abc import Mapping

# By calculator, as its link says them. The cases page shows its two cases at once; the others offer theirs as a link.
EXAMPLES: Mapping[str, tuple[tuple[str, str], ...]] = {
    "hfu": (("mfu", "45"), ("rc", "full")),
    "method-flops": (("m", "lora"), ("n", "8.03")),
    "lengths": (("lens", "200;400;900;2100"),),
    "compare": (("ac", "mai-base-1-v5"), ("bc", "deepseek-v3")),
    "parse-log": (("fl", "9000000000000000"), ("sec", "20")),
}
AT_ONCE = frozenset({"compare"})
