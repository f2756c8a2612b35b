"""What a config says twice must be one value."""

from __future__ import annotations

from peakwise.core.errors import ConfigError
from peakwise.core.fields import shown
from peakwise.readers.configs.formula import list_names
from peakwise.readers.configs.sizes import Sizes


def check_agreement(sizes: Sizes) -> None:
    """Nothing where the two formulas of every `agree` of the row have one value, or one of them none.

    **Raises** ConfigError with both values.
    """
    for one, other in sizes.facts.agree.items():
        first, second = sizes.value(one), sizes.value(other)
        if first is not None and second is not None and first != second:
            names = [sizes.field(name) for text in (one, other) for name in sorted(list_names(text))]
            given = [name for name in names if sizes.pool.knows(name) and sizes.pool.is_given(name)]
            places = list(dict.fromkeys(sizes.pool.place(name) for name in given))
            raise ConfigError(
                f"the config says one thing twice, and they differ: {one} and {other}",
                where=places[0] if places else sizes.pool.path,
                got=f"{shown(first)} and {shown(second)}",
                expected="one value",
                hint=f"correct {' or '.join(places)}" if places else "correct the config",
            )
